"""What sorted and cut queries show is computed of three rows where an index gives the order, and of all where they
are sorted: told apart by a server, and never proved the same without a reservation.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.failing_pairs import failing_with, reserves_what_fails
from tests.equivalence.text_pairs import prover

SCHEMA = """
create table p (id int primary key, name text not null, z int not null);
create table c (id int primary key, q int, day date not null, w int not null);
"""
ROWS = """
insert into p select i, 'x', (i <> 5000)::int from generate_series(1, 10000) i;
insert into c select i, i % 10000 + 1, date '2024-01-01' + i % 300, i % 7 from generate_series(1, 30000) i;
analyze;
"""
CATALOG = catalog_from_ddl(SCHEMA)
FIRST = "select p.id, 10 / p.z from p order by p.id limit 3"
NEWEST = "(select q, min(day) as day from c group by q)"
MOST = "(select q, max(w) v from c group by q)"
NUMBERED = "(select q, day, row_number() over (partition by q order by day) n from c)"
# the second fails on the rows, the first does not
PAIRS = (
    (FIRST, "with s as materialized (select * from p) select s.id, 10 / s.z from s order by s.id limit 3"),
    (FIRST, "select s.id, 10 / s.z from (select * from p offset 0) s order by s.id limit 3"),
    (
        FIRST,
        "select s.id, 10 / s.z from (select *, row_number() over (order by id) n from p) s order by s.n limit 3",
    ),
    (
        FIRST,
        "select s.id, 10 / s.z from (select *, count(*) over (partition by name) n from p) s order by s.id limit 3",
    ),
    (
        "select p.id, 10 / p.z from p where p.z > 5 or (select max(w) from c where q = p.id) > 3 order by p.id limit 3",
        f"select p.id, 10 / p.z from p left join {MOST} g on g.q = p.id where p.z > 5 or g.v > 3 order by p.id limit 3",
    ),
    (
        f"select x.day, 10 / p.z from {NUMBERED} x join p on p.id = x.q where x.n = 1 order by p.id limit 5",
        f"select x.day, 10 / p.z from {NEWEST} x join p on p.id = x.q order by p.id limit 5",
    ),
)
# what a join may lose, whatever the server does on these rows
JOINED = (
    (
        FIRST,
        "select p.id, 10 / p.z from p where exists (select from p o where o.id = p.id) order by p.id limit 3",
    ),
    (
        "select p.id, 10 / p.z from p where exists (select from c where c.q = p.id) order by p.id limit 3",
        "select p.id, 10 / p.z from p join (select distinct q from c) g on g.q = p.id order by p.id limit 3",
    ),
)
SAME = (
    (FIRST, "select s.id, 10 / s.z from (select id, z from p) s order by s.id limit 3"),
    (FIRST, "with s as (select * from p) select s.id, 10 / s.z from s order by s.id limit 3"),
    (PAIRS[0][1], FIRST),
    (PAIRS[1][1], PAIRS[1][1].replace("*", "id, z")),
    ("select p.id, p.z from p order by p.id limit 3", PAIRS[0][1].replace("10 / ", "")),
    ("select p.id, 10 / p.z from p order by p.id", PAIRS[0][1].removesuffix(" limit 3")),
    (
        "select p.id, 10 / p.z from p limit 3",
        "select s.id, 10 / s.z from (select * from p offset 0) s limit 3",
    ),
)


@pytest.mark.parametrize(("first", "second"), PAIRS + JOINED)
def test_orders_that_no_index_gives_are_told_apart(first: str, second: str) -> None:
    reserves_what_fails(CATALOG, first, second)


@pytest.mark.parametrize(("first", "second"), SAME)
def test_orders_that_are_made_alike_or_show_nothing_that_fails_are_the_same(first: str, second: str) -> None:
    found = prover(CATALOG, 5)(first, second)
    assert found is not None
    assert "errors" not in found.modulo


@pytest.mark.server
def test_the_server_raises_in_the_second_of_each_pair(scratch_server: ScratchServer, database: str) -> None:
    with failing_with(psycopg.errors.DivisionByZero, scratch_server, database, SCHEMA + ROWS) as fails:
        assert [fails(a) for a, _ in PAIRS] == [False] * len(PAIRS)
        assert [fails(b) for _, b in PAIRS] == [True] * len(PAIRS)
