"""Conditions on rows beside a subquery, which a join asks, questions that the planner adds to a subquery, and what
conditions read of one: a server answers the first of each pair and fails in the second; no proof goes without a reservation.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.failing_pairs import failing_with, is_proved_by_parts, reserves_what_fails

SCHEMA = """
create table t (id int primary key, u int not null, y int not null, at timestamp not null, tz timestamptz not null);
create table u (id int primary key, a int not null unique, m timestamp not null);
"""
ROWS = """
insert into t select i, i % 50, 1 + i % 6, '2020-01-01', '2020-01-01' from generate_series(1, 3000) i;
insert into t values (9001, 1, 0, '4714-11-24 BC', '4714-11-25 BC');
insert into u select i, i, '2020-01-01' from generate_series(0, 30000) i;
analyze;
"""
CATALOG = catalog_from_ddl(SCHEMA)
GUARDED = "select t.id, (select 100 / t.y from u where u.id = t.u and t.y > 0) as q from t"
BESIDE = "select t.id, x.q from t left join lateral ({}) x on true"
MONTH = "u.m = date_trunc('month', t.at)"
GUARDED_MONTH = f"case when t.at >= '2018-01-01' then {MONTH} end"
# a list costs more than IS NOT NULL of a quotient
ARMS = "select min(q) as q from (select 100 / y as q from t where y not in (0, -1, 8) union all select a from u{}) x"
ROWS_OF = "select x.id, x.q from (select id, 100 / y as q from t where y not in (0, -1, 7)) x"
MONTHS = "select x.id, x.m from (select id, u, date_trunc('month', at) as m from t) x join u"
LOCAL = (
    "select x.id, x.m from (select id, u, date_trunc('month', tz at time zone 'UTC') as m from t) x join u"
)
SEEN = {
    "a quotient of the row beside": (
        GUARDED,
        BESIDE.format("select 100 / t.y as q from u where u.id = t.u and t.y > 0"),
    ),
    "a quotient of the row beside, shown by another": (
        GUARDED,
        BESIDE.format("select 100 / z.y as q from u, (select t.y as y) z where u.id = t.u and z.y > 0"),
    ),
    "a quotient of no other rows": (
        "select id, case when y > 0 then 100 / y end as q from t",
        BESIDE.format("select 100 / t.y as q where t.y > 0"),
    ),
    "a month of the row beside": (
        "select t.id, (select date_trunc('month', t.at) from u where u.id = t.u and t.at >= '2018-01-01') as q from t",
        BESIDE.format(
            "select date_trunc('month', t.at) as q from u where u.id = t.u and t.at >= '2018-01-01'"
        ),
    ),
    "a month that hashes the row beside": (
        f"select t.id, u.a as q from t left join u on {GUARDED_MONTH} where t.id > 9000",
        (
            BESIDE.format(f"select u.a as q from u where t.at >= '2018-01-01' and {MONTH}")
            + " where t.id > 9000"
        ),
    ),
    "a month that hashes the row around": (
        f"select id from t where not exists (select 1 from u where {GUARDED_MONTH})",
        f"select id from t where not exists (select 1 from u where t.at >= '2018-01-01' and {MONTH})",
    ),
    "a row as a whole": (ROWS_OF, ROWS_OF + " where x is not null"),
    "a month that a condition reads": (
        f"{MONTHS} on u.id = x.u and u.a = 2",
        f"{MONTHS} on u.id = x.u and u.a = 2 where x.m is not null",
    ),
    "a local month that a condition reads": (
        f"{LOCAL} on u.id = x.u and u.a = 2",
        f"{LOCAL} on u.id = x.u and u.a = 2 where x.m is not null",
    ),
    "a month that is a group": (
        "select m, count(*) from (select date_trunc('month', at) as m, at from t) x where at >= '2018-01-01' group by m",
        (
            "select m, count(*) from (select date_trunc('month', at) as m, at from t) x where m is not null"
            " and at >= '2018-01-01' group by m"
        ),
    ),
    "a least value of arms": (ARMS.format(" offset 0"), ARMS.format("")),
    "a least value of arms, all of which are read": (
        ARMS.format("") + " having count(*) > -1",
        ARMS.format(""),
    ),
}
SAME = {
    "a quotient of its own row": (
        "select t.id, x.q from t left join (select id, 100 / y as q from t where y > 0) x on x.id = t.u",
        "select t.id, (select 100 / x.y from t x where x.id = t.u and x.y > 0) as q from t",
    ),
    "a quotient in a lateral subquery": (
        "select t.id, x.q from t left join lateral (select 100 / s.y as q from t s where s.id = t.u and s.y > 0) x on true",
        "select t.id, (select 100 / x.y from t x where x.id = t.u and x.y > 0) as q from t",
    ),
    "a least value of a table": (
        "select min(q) as q from (select 100 / y as q from t where y > 0) x",
        "select min(100 / y) as q from t where y > 0",
    ),
    "a month in a lateral join": (
        f"select t.id, x.a from t, lateral (select a from u where {MONTH}) x where t.at >= '2018-01-01'",
        f"select t.id, u.a from t join u on {MONTH} where t.at >= '2018-01-01'",
    ),
}


@pytest.mark.parametrize("words", SEEN)
def test_what_the_second_asks_first_may_fail(words: str) -> None:
    """By the kernel, by parts, and by the recheck's forms."""
    reserves_what_fails(CATALOG, *SEEN[words])


@pytest.mark.parametrize("words", SAME)
def test_what_meets_its_conditions_first_is_the_same(words: str) -> None:
    is_proved_by_parts(CATALOG, *SAME[words])


@pytest.mark.server
def test_the_server_fails_in_the_second_of_each_pair(scratch_server: ScratchServer, database: str) -> None:
    with failing_with(psycopg.errors.DataError, scratch_server, database, SCHEMA + ROWS) as fails:
        assert [words for words, (first, _) in SEEN.items() if fails(first)] == []
        assert [words for words, (_, second) in SEEN.items() if not fails(second)] == []
        assert [words for words, pair in SAME.items() if any(map(fails, pair))] == []
