"""What may fail, and the conditions that are asked before it of the same rows: a server answers the first of each pair
and fails in the second, by rows that the first one keeps away; no proof goes without a reservation.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.failing_pairs import failing_with, is_proved_by_parts, reserves_what_fails

SCHEMA = """
create table f (id int primary key, name text not null);
create table s (id int primary key, film int not null references f, at timestamp not null, tz timestamptz not null,
    d date not null, n int not null, y int not null);
"""
# films 1 to 4 are as others are; of film 9 nothing can be computed
ROWS = """
insert into f select i, 'f' || i from generate_series(1, 9) i;
insert into s select i, 1 + i % 4, '2020-01-01'::timestamp + i * interval '1 hour', '2020-01-01', '2020-01-01', i, 1 + i % 7
from generate_series(1, 2000) i;
insert into s values (9001, 9, '4714-11-24 BC', '4714-11-25 BC', '5874897-12-31', 1, 0),
    (9002, 9, '4714-11-24 00:30 BC', '4714-11-25 BC', '5874897-12-31', 2, 2147483000),
    (9003, 9, '294276-12-31', '2020-01-01', '5874897-12-31', 3, 2147483000);
set max_parallel_workers_per_gather = 0; set enable_nestloop = off; set enable_mergejoin = off;
analyze;
"""
CATALOG = catalog_from_ddl(SCHEMA)
OTHER = "p.film = s.film and p.id <> s.id"
COPIED = "join s p on p.film = w.film and p.id <> w.id"
BEFORE = "p.at between s.at - interval '2 hours' and s.at"
# one row of a table is asked something, and its copy, by a key, is not
SEEN = {
    "a quotient of a copy, looked up by IN": (
        f"select s.id from s where s.film = 2 and exists (select 1 from s p where {OTHER} and p.n > 100 / s.y)",
        f"select s.id from s where s.film = 2 and s.id in (select w.id from s w {COPIED} and p.n > 100 / w.y)",
    ),
    "a divisor that only the row itself is asked about": (
        f"select s.id from s where s.y <> 0 and exists (select 1 from s p where {OTHER} and p.n > 100 / s.y)",
        f"select s.id from s where s.y <> 0 and s.id in (select w.id from s w {COPIED} and p.n > 100 / w.y)",
    ),
    "a sum of a copy": (
        f"select s.id from s where s.film = 2 and exists (select 1 from s p where {OTHER} and p.n < s.y + 2000000000)",
        f"select s.id from s where s.film = 2 and s.id in (select w.id from s w {COPIED} and p.n < w.y + 2000000000)",
    ),
    "a moment of a copy": (
        f"select s.id from s where s.at >= '2019-01-01' and exists (select 1 from s p where {OTHER} and {BEFORE})",
        (
            "select s.id from s where s.at >= '2019-01-01' and s.id in"
            f" (select w.id from s w {COPIED} and p.at between w.at - interval '2 hours' and w.at)"
        ),
    ),
    "a month of all rows": (
        (
            "select s.film, date_trunc('month', s.at) as m, count(*) from s where s.at >= '2019-01-01'"
            " and s.film < 9 group by 1, 2"
        ),
        (
            "with x as materialized (select film, at, date_trunc('month', at) as m from s)"
            " select film, m, count(*) from x where at >= '2019-01-01' and film < 9 group by 1, 2"
        ),
    ),
}
# others that fail by plans that the server may take: 18 knows that a copy by a key is the row itself
UNSEEN = {
    "one of two rows of a table": (
        "select s.id from s where s.film = 2 and exists (select 1 from s p where p.film = 2 and p.id <> s.id and s.y + p.n > 3)",
        (
            "select s.id from s where s.film = 2 and exists (select 1 from s w where w.id = s.id and exists"
            " (select 1 from s p where p.film = 2 and p.id <> w.id and w.y + p.n > 3))"
        ),
    ),
    "a sum of a copy by itself": (
        "select s.id from s where s.film = 2 and s.y + 2000000000 > s.n",
        "select s.id from s where s.film = 2 and s.id in (select w.id from s w where w.y + 2000000000 > w.n)",
    ),
    "a copy in a join": (
        "select s.id from s where s.film = 2 and s.y + 2000000000 > s.n",
        "select s.id from s join s w on w.id = s.id where s.film = 2 and w.y + 2000000000 > w.n",
    ),
    "a copy that is asked less": (
        f"select s.id from s where s.film = 2 and s.n > 5 and exists (select 1 from s p where {OTHER} and p.n < s.y + 9)",
        (
            "select s.id from s where s.film = 2 and s.n > 5 and s.id in"
            f" (select w.id from s w {COPIED} and p.n < w.y + 9 where w.n > 5)"
        ),
    ),
    "a month that nobody bounds": (
        (
            "select film, m, sum(n) from (select film, n, date_trunc('month', at) as m from s where at < '2021-01-01') x"
            " group by 1, 2"
        ),
        (
            "select f.id, x.m, sum(x.t) from f join (select film, date_trunc('month', at) as m, sum(n) as t from s"
            " where at < '2021-01-01' group by 1, 2) x on x.film = f.id group by 1, 2"
        ),
    ),
    "a quotient that a condition reads": (
        "select s.film, 100 / s.y as q from s where s.y <> 0",
        "select film, q from (select film, 100 / y as q from s) x where q is not null",
    ),
    "what costs no more than a comparison": (
        "select f.id, (select count(*) from s where s.film = f.id and s.at < '2021-01-01') as c from f",
        (
            "select f.id, (select count(*) from s where s.film = f.id and s.at < '2021-01-01'"
            " and (s.at + interval '30 days') is not null) as c from f"
        ),
    ),
}
SAME = {
    "a copy beside another row that is asked the same": (
        (
            "select s.id from s where s.film = 2 and exists (select 1 from s w where w.id = s.id and w.film = 2 and exists"
            " (select 1 from s p where p.film = 2 and p.id <> w.id and w.y + p.n > 3))"
        ),
        "select s.id from s where s.film = 2 and exists (select 1 from s p where p.film = 2 and p.id <> s.id and s.y + p.n > 3)",
    ),
    "a copy that is asked the same": (
        f"select s.id from s where s.at >= '2019-01-01' and exists (select 1 from s p where {OTHER} and {BEFORE})",
        (
            f"select s.id from s where s.at >= '2019-01-01' and s.id in (select w.id from s w {COPIED}"
            " and p.at between w.at - interval '2 hours' and w.at where w.at >= '2019-01-01')"
        ),
    ),
    "a copy that is asked the same by an equation": (
        f"select s.id from s where s.film = 2 and exists (select 1 from s p where {OTHER} and p.n < s.y + 9)",
        (
            "select s.id from s where s.film = 2 and s.id in"
            f" (select w.id from s w {COPIED} and p.n < w.y + 9 join f on f.id = w.film where f.id = 2)"
        ),
    ),
    "months from a year on": (
        (
            "select f.name, date_trunc('month', s.at) as m, count(*) from s join f on f.id = s.film"
            " where s.at >= '2018-01-01' group by 1, 2"
        ),
        (
            "select f.name, x.m, sum(x.t)::bigint from f join (select film, date_trunc('month', at) as m, count(*) as t"
            " from s where at >= '2018-01-01' group by 1, 2) x on x.film = f.id group by 1, 2"
        ),
    ),
    "days of the server's own time, computed once": (
        (
            "select d, count(*) from (select (tz - interval '6 hours')::date as d from s where tz >= now() - interval '9 days'"
            " and tz < now()) x group by d"
        ),
        (
            "with x as materialized (select (tz - interval '6 hours')::date as d from s where tz >= now() - interval '9 days'"
            " and tz < now()) select d, count(*) from x group by d"
        ),
    ),
    "a moment that is bounded, in a grouped join": (
        (
            "select f.id, (select count(*) from s where s.film = f.id and s.at < '2021-01-01'"
            " and s.at + interval '30 days' > '2020-05-01') as c from f"
        ),
        (
            "select f.id, coalesce(x.c, 0) as c from f left join (select film, count(*) as c from s where at < '2021-01-01'"
            " and at + interval '30 days' > '2020-05-01' group by film) x on x.film = f.id"
        ),
    ),
    "a quotient of a subquery that no condition reads": (
        "select film, sum(q) from (select film, 100 / y as q from s where y <> 0) x group by film",
        "select film, sum(100 / y) from s where y <> 0 group by film",
    ),
}


@pytest.mark.parametrize("words", [*SEEN, *UNSEEN])
def test_rows_that_only_the_second_asks_may_fail(words: str) -> None:
    """By the kernel, by parts, and by the recheck's forms."""
    reserves_what_fails(CATALOG, *(SEEN | UNSEEN)[words])


@pytest.mark.parametrize("words", SAME)
def test_what_is_asked_of_no_more_rows_is_the_same(words: str) -> None:
    is_proved_by_parts(CATALOG, *SAME[words])


@pytest.mark.server
def test_the_server_fails_in_the_second_of_each_pair(scratch_server: ScratchServer, database: str) -> None:
    with failing_with(psycopg.errors.DataError, scratch_server, database, SCHEMA + ROWS) as fails:
        assert [words for words, (first, _) in SEEN.items() if fails(first)] == []
        assert [words for words, (_, second) in SEEN.items() if not fails(second)] == []
        assert [words for words, pair in SAME.items() if any(map(fails, pair))] == []
