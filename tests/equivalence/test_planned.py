"""What fails before the first row is made: constants that are folded when a query is planned, stable expressions by
which rows are estimated, and subqueries that are computed once, where workers take part before any row. Told apart by
a server, and never proved the same as what does not fail so.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.prover.planned import planned_otherwise
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.failing_pairs import failing_with
from tests.equivalence.text_pairs import prover

SCHEMA = """
create table t (id int primary key, uid int not null, x int not null);
create table u (id int primary key, k int not null);
create table none (id int primary key, d date);
"""
ROWS = "insert into t values (1, 1, 0), (2, 2, 5); insert into u values (1, 0), (2, 3);"
WORKERS = """
set debug_parallel_query = on; set parallel_setup_cost = 0; set parallel_tuple_cost = 0;
set min_parallel_table_scan_size = 0;
"""
CATALOG = catalog_from_ddl(SCHEMA)
ARM = "(select id, {} y from t union all select id, 1 from t where false)"
DAY = "('a'::text)::date"
EMPTY = "x < 0 and x > 1"
# the second fails on the rows, the first does not
PAIRS = (
    ("select id from t", f"select id from {ARM.format('1 / 0')} q"),
    ("select id from t", f"select id from {ARM.format('(select 1 / 0)')} q"),
    ("select id from (select id, 1 / 0 y from t) q", f"select id from {ARM.format('x + 1 / 0')} q"),
    (
        "with c as (select 1 / 0) select id from t",
        f"select id from {ARM.format('1 / 0')} q",
    ),
    (
        "select id from t where exists (select 1 / 0 from u)",
        "select id from t where exists (select 1 / 0 from u union all select 1 from u where false)",
    ),
    ("select id, 1 from t where false", f"select id, (select k from u) from t where {EMPTY}"),
    (
        "select id, 1 from t where false",
        f"select id, (select 10 / k from u where id = 1) from t where {EMPTY}",
    ),
    (
        "select id, 1::bigint from t where false",
        f"select id, (select sum(10 / k) from u) from t where {EMPTY}",
    ),
    (
        "select id, true from t where false",
        f"select id, exists (select 1 from u where 10 / k > 3) from t where {EMPTY}",
    ),
    (
        f"select id from none where (d > {DAY}) is not distinct from true",
        f"select id from none where d > {DAY}",
    ),
    (f"select id from none where (select d > {DAY})", f"select id from none where d > {DAY}"),
    (
        "select id from none where (select d > to_date('a', 'YYYY'))",
        "select id from none where d > to_date('a', 'YYYY')",
    ),
    # within a subquery that depends on a row it is computed for the first such row
    (
        "select id from t where (select x > (select 1 / k from u where id = 1)) and x > 99",
        "select id from t where x > (select 1 / k from u where id = 1) is not distinct from true and x > 99",
    ),
)
# a text read as a moment depends on the session, and is not folded: here on the rows that the CTE leaves
UNORDERED = (
    (
        f"with c as materialized (select * from none where id > 9) select id from c where d > (select {DAY})",
        f"select id from none where d > (select {DAY}) and id > 9",
    ),
)
SAME = (
    (f"select id from none where (d > {DAY}) is true", f"select id from none where not d <= {DAY}"),
    (
        "select id from none where d > to_date('2020', 'YYYY') and id > 1",
        "select id from (select * from none where id > 1) q where d > to_date('2020', 'YYYY')",
    ),
    (
        "select id from none where d > current_date - 30",
        "select id from none where (select d > current_date - 30)",
    ),
    ("select id from t", "select id from (select id, 1 / 0 y from t) q"),
    ("select id from t", "with c as (select 1 / 0) select id from t"),
    ("select id from t", f"select id from {ARM.format('x')} q"),
    ("select id from t", f"select id from {ARM.format('10 / x')} q"),
    ("select id, 1 from t where false", f"select id, (select max(k) from u) from t where {EMPTY}"),
    (
        "select id, (select 10 / k from u where id = 2) from t where x > 1",
        "select id, (select 10 / k from u where id = 2) from (select * from t where x > 1) q",
    ),
    (
        "with c as (select 10 / k as y from u where id = 2) select id, (select y from c) from t",
        "select id, (select 10 / k from u where id = 2) from t",
    ),
)

proved = prover(CATALOG, 3.0)


@pytest.mark.parametrize(("first", "second"), PAIRS + UNORDERED)
def test_what_fails_before_the_first_row_is_not_the_same(first: str, second: str) -> None:
    for pair in ((first, second), (second, first)):
        found = proved(*pair)
        assert found is None or "errors" in found.modulo


@pytest.mark.parametrize(("first", "second"), SAME)
def test_what_is_not_planned_or_planned_alike_is_the_same(first: str, second: str) -> None:
    for pair in ((first, second), (second, first)):
        found = proved(*pair)
        assert found is not None
        assert "errors" not in found.modulo


@pytest.mark.server
def test_the_server_raises_in_the_second_of_each_pair(scratch_server: ScratchServer, database: str) -> None:
    errors = (psycopg.errors.DataError, psycopg.errors.CardinalityViolation)
    with failing_with(errors, scratch_server, database, SCHEMA + ROWS + WORKERS) as fails:
        assert [fails(a) for a, _ in PAIRS] == [False] * len(PAIRS)
        assert [fails(b) for _, b in PAIRS] == [True] * len(PAIRS)


def test_different_rows_of_none_are_none() -> None:
    first = "select count(distinct x) filter (where false) from t"
    assert prover(CATALOG, 30)(first, first.replace("distinct x", "*")) is not None


def test_ctes_that_read_others_twice_are_looked_at_once() -> None:
    """24 levels, each of which reads the one before it twice."""
    levels = ", ".join(
        f"c{n} as (select a.y from c{n - 1} a join c{n - 1} b on a.y = b.y)" for n in range(1, 25)
    )
    text = f"with c0 as (select 1 / x as y from t), {levels} select id, (select max(y) from c24) from t"
    query = bind(text, CATALOG)
    assert planned_otherwise(query, query, CATALOG) == frozenset()


MATVIEW = """
create table t (id int primary key, x int not null);
create materialized view m as select id, x from t;
create unique index on m (id);
create table own (id int primary key);
alter table own enable row level security;
create policy p on own using (id > current_setting('app.least')::int);
"""
WITH_M = "select t.id from t left join m on m.id = t.id"


def test_what_somebody_else_fills_may_not_be_there() -> None:
    asked = prover(catalog_from_ddl(MATVIEW), 10.0)
    for first, second, modulo in (
        ("select id from t", WITH_M, {"errors"}),
        (WITH_M, "select id from t", set()),
        ("select id from t", WITH_M.replace(" m ", " own m "), {"errors"}),
        (
            "select id from own where id > 3",
            "select a.id from own a join own b on a.id = b.id where a.id > 3",
            set(),
        ),
        ("select id from m where x > 3", "select id from m where not x <= 3", set()),
    ):
        found = asked(first, second)
        assert found is not None
        assert set(found.modulo) == modulo


@pytest.mark.server
def test_a_materialized_view_without_data_fails(scratch_server: ScratchServer, database: str) -> None:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute((MATVIEW + "refresh materialized view m with no data;").encode())
        connection.execute("select id from t")
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            connection.execute(f"{WITH_M} where m.x is null")
