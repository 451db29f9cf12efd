"""Which of two things of one name is meant: queries of WITH RECURSIVE hide tables also where they come later, and an
inner table's system columns hide outer columns of their names (hazards M14); an operator of another schema orders.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql import algebra as a
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.walk import walk

SCHEMA = """
create table t (id int primary key, k int);
create table y (a int);
"""
ROWS = "insert into t values (1, 1), (2, 1); insert into y values (7)"
CATALOG = catalog_from_ddl(SCHEMA)
# with the tables that the server reads, and its rows
AHEAD = (
    ("with recursive x as (select a from y), y as (select 1 as a) select a from x", set(), [(1,)]),
    ("with recursive x as (select a + 1 as a from z), z as (select a from y), y as (select 1 as a) select a from x", set(), [(2,)]),
    ("with recursive y as (select 1 as a), x as (select a from y) select a from x", set(), [(1,)]),
    ("with x as (select a from y), y as (select 1 as a) select a from x", {"y"}, [(7,)]),
    ("with recursive x as (select a from public.y), y as (select 1 as a) select a from x", {"y"}, [(7,)]),
    ("with recursive x as (select a from y union all select a + 1 from x where a < 3), y as (select 1 as a) select a from x", set(), [(1,), (2,), (3,)]),
    ("with y as (select a from y) select a from y", {"y"}, [(7,)]),
)  # fmt: skip
REFUSED = (
    "with recursive x as (select a from y), y as (select a from x) select a from x",
    "with recursive y as (select a from y union all select a + 1 from y where a < 3) select a from y",
)
# with the system columns that are read, and the server's rows
SYSTEM = (
    ("select s.id from (select id, 1 as xmin from t) s where exists (select 1 from y where xmin = 1)", {"xmin"}, []),
    ("select s.id from (select id, '1' as tableoid from t) s where exists (select 1 from y where tableoid::text = '1')", {"tableoid"}, []),
    ("select s.id from (select id, 1 as xmin from t) s where exists (select 1 from y where s.xmin = 1) order by 1", set(), [(1,), (2,)]),
    ("select s.id from (select id, 1 as xmin from t) s where exists (select 1 from (select a from y) z where xmin = 1) order by 1", set(), [(1,), (2,)]),
    ("select k as tableoid, count(*) from t group by tableoid, k", {"tableoid"}, [(1, 2)]),
    ("select count(*), id as ctid from t group by ctid, id order by id", {"ctid"}, [(1, 1), (1, 2)]),
    ("select -id as ctid from t order by ctid", set(), [(-2,), (-1,)]),
)  # fmt: skip


@pytest.mark.parametrize(("text", "tables", "_"), AHEAD)
def test_queries_of_with_recursive_hide_tables(text: str, tables: set[str], _: object) -> None:
    assert {n.table.name for n in walk(bind(text, CATALOG)) if isinstance(n, a.Scan)} == tables


@pytest.mark.parametrize("text", REFUSED)
def test_names_without_a_query_of_their_own_yet(text: str) -> None:
    with pytest.raises((BindError, Unsupported)):
        bind(text, CATALOG)


@pytest.mark.parametrize(("text", "columns", "_"), SYSTEM)
def test_system_columns_hide_outer_names(text: str, columns: set[str], _: object) -> None:
    assert {n.name for n in walk(bind(text, CATALOG)) if isinstance(n, a.SystemColumn)} == columns


def test_a_system_column_beside_a_column_of_its_name_is_ambiguous() -> None:
    with pytest.raises(BindError, match="42702"):
        bind("select xmin from t, (select 1 as xmin) s", CATALOG)


@pytest.mark.server
def test_as_on_a_server(scratch_server: ScratchServer) -> None:
    database = scratch_server.create_database()
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as rows:
        for text in (SCHEMA, ROWS):
            rows.execute(text.encode())
        for query, _, expected in (*AHEAD, *SYSTEM):
            assert rows.execute(query.encode()).fetchall() == expected, query
        for query in (*REFUSED, "select xmin from t, (select 1 as xmin) s"):
            with pytest.raises((psycopg.ProgrammingError, psycopg.NotSupportedError)):
                rows.execute(query.encode())


@pytest.mark.parametrize("operator", ["operator(public.<)", "operator(public.>)", "~<~"])
def test_an_order_by_another_operator_is_not_taken_for_the_plain_one(operator: str) -> None:
    catalog = catalog_from_ddl("create table t (id int primary key, a int)")
    with pytest.raises(Unsupported):
        bind(f"select a from t order by a using {operator}", catalog)
    bind("select a from t order by a using operator(pg_catalog.<)", catalog)
