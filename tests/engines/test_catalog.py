"""The snapshot of a live schema: each fact that a proof may rest on, and each reason not to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.algebra import TableRef, Volatility
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog, Table
from rewright.sql.types import SqlType

pytestmark = pytest.mark.server

SCHEMA = """
create schema s;
create collation s.ci (provider = libc, locale = 'C');
-- the wheel's server has no ICU, the only provider of such collations
update pg_collation set collisdeterministic = false where collname = 'ci';
create type s.mood as enum ('sad', 'it''s ok');
create domain s.positive as int not null constraint above check (value > 0);
create type s.pair as (a int, b varchar(3));
create type s.span as range (subtype = int4);
create table parent (id int primary key, name varchar(10) collate "C" not null unique, price numeric(10,2) default 5,
  mood s.mood, p s.positive, pair s.pair, constraint cheap check (price < 100));
create table child (
  id bigint generated always as identity primary key,
  parent_id int not null references parent,
  other int references parent deferrable,
  code text collate s.ci unique,
  a int, b int, double int generated always as (a * 2) stored,
  unique nulls not distinct (a, b),
  unique (b) deferrable
);
create unique index partial on child (a) where b > 0;
create unique index on child (lower(code));
create unique index covering on child (parent_id) include (a);
create unique index other_collation on parent (name collate "POSIX");
alter table child add constraint late foreign key (a) references parent not valid;
alter table child add constraint soft foreign key (b) references parent not enforced;
alter table child add constraint nn not null a not valid;
create table old () inherits (parent);
create table parts (k int, v text) partition by range (k);
create table part1 partition of parts for values from (0) to (10);
create view seen with (security_barrier) as select id, name from parent where price > 1;
create materialized view kept as select 1 as one;
create table shut (a int); alter table shut enable row level security;
create unlogged table fast (a int);
create function s.twice(x int, out y int, out z text) language sql immutable strict as 'select x * 2, ''z''';
create function s.eq(s.mood, text) returns boolean language sql as 'select true';
create operator s.=== (leftarg = s.mood, rightarg = text, function = s.eq);
create function s.to_text(s.pair) returns text language sql as 'select ''x''';
create cast (s.pair as text) with function s.to_text(s.pair) as assignment;
create aggregate s.total(int) (sfunc = int4pl, stype = int, initcond = '0');
create function s.trig() returns trigger language plpgsql as 'begin return new; end';
create trigger before_insert before insert on shut execute function s.trig();
"""


@pytest.fixture(scope="module")
def connection(
    scratch_server: ScratchServer, module_database: str
) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as opened:
        opened.execute(SCHEMA.encode())
        yield opened


@pytest.fixture(scope="module")
def catalog(connection: psycopg.Connection[Any]) -> Catalog:
    return snapshot(connection)


def table(catalog: Catalog, name: str) -> Table:
    return catalog.table(TableRef("public", name))


def test_columns(catalog: Catalog) -> None:
    parent = table(catalog, "parent")
    assert [(column.name, column.type) for column in parent.columns] == [
        ("id", SqlType("int4")),
        ("name", SqlType("varchar", typmod=14, collation="C")),
        ("price", SqlType("numeric", typmod=655366)),
        ("mood", SqlType("mood", "s", enum=True)),
        ("p", SqlType("positive", "s")),
        ("pair", SqlType("pair", "s")),
    ]
    assert [column.not_null for column in parent.columns] == [True, True, False, False, False, False]
    assert parent.columns[2].default == "5"
    child = table(catalog, "child")
    by_name = {column.name: column for column in child.columns}
    assert by_name["id"].identity == "always"
    assert by_name["code"].type.collation == "s.ci"
    assert by_name["double"].generated == "stored"
    assert not by_name["a"].not_null, "NOT VALID says nothing about the rows that are there"


def test_keys(catalog: Catalog) -> None:
    keys = {key.name: key for key in table(catalog, "child").keys}
    assert {name for name, key in keys.items() if key.usable} == {"child_pkey", "child_a_b_key", "covering"}
    assert keys["child_pkey"].primary
    assert not keys["child_a_b_key"].nulls_distinct
    assert keys["child_a_b_key"].columns == ("a", "b")
    assert keys["child_b_key"].deferrable
    assert keys["partial"].partial
    assert keys["child_lower_idx"].expression
    assert keys["covering"].columns == ("parent_id",)
    assert not keys["covering"].constraint
    assert keys["child_code_key"].foreign_equality
    parent = {key.name: key for key in table(catalog, "parent").keys}
    # both collations are deterministic: they call the same texts equal
    assert parent["other_collation"].usable
    assert parent["parent_name_key"].usable


def test_foreign_keys(catalog: Catalog) -> None:
    keys = {key.name: key for key in table(catalog, "child").foreign_keys}
    assert {name for name, key in keys.items() if key.usable} == {"child_parent_id_fkey"}
    first = keys["child_parent_id_fkey"]
    assert (first.columns, first.target, first.target_columns, first.match) == (
        ("parent_id",),
        TableRef("public", "parent"),
        ("id",),
        "simple",
    )
    assert not keys["late"].validated
    assert not keys["soft"].enforced
    assert keys["child_other_fkey"].deferrable


def test_disabled_triggers_end_a_foreign_key(connection: psycopg.Connection[Any]) -> None:
    with connection.transaction(force_rollback=True):
        connection.execute("alter table parent disable trigger all")
        key = table(snapshot(connection), "child").foreign_keys[-1]
        assert key.name == "soft"
        assert not any(key.usable for key in table(snapshot(connection), "child").foreign_keys)


def test_relations_of_all_kinds(catalog: Catalog) -> None:
    assert table(catalog, "parent").has_children
    assert table(catalog, "old").parents == (TableRef("public", "parent"),)
    assert table(catalog, "parts").kind == "partitioned"
    assert table(catalog, "part1").partition_of == TableRef("public", "parts")
    seen = table(catalog, "seen")
    assert (seen.kind, seen.security_barrier, seen.security_invoker) == ("view", True, False)
    assert "public.parent" in seen.definition
    assert table(catalog, "kept").kind == "matview"
    assert table(catalog, "shut").row_security
    assert table(catalog, "shut").has_triggers
    assert table(catalog, "fast").unlogged
    assert [check.text for check in table(catalog, "parent").checks] == ["(price < (100)::numeric)"]


def test_types(catalog: Catalog) -> None:
    assert catalog.type("s.mood").labels == ("sad", "it's ok")
    positive = catalog.type("s.positive")
    assert (positive.kind, positive.base, positive.not_null) == ("d", "int4", True)
    assert [check.name for check in positive.checks] == ["above"]
    assert [name for name, _ in catalog.type("s.pair").fields] == ["a", "b"]
    assert catalog.type("s.span").subtype == "int4"
    assert catalog.type("s._mood").element == "s.mood"
    assert catalog.collation("ci", ["s"]) is not None


def test_functions_operators_casts(catalog: Catalog) -> None:
    (twice,) = catalog.functions_named("twice", ["s"])
    assert (twice.args, twice.result, twice.volatility, twice.strict) == (
        ("int4",),
        "record",
        Volatility.IMMUTABLE,
        True,
    )
    assert twice.out == (("y", "int4"), ("z", "text"))
    (total,) = catalog.functions_named("total", ["s"])
    assert (total.kind, total.agg_kind) == ("a", "n")
    (operator,) = catalog.operators_named("===", ["s"])
    assert (operator.left, operator.right, operator.result) == ("s.mood", "text", "bool")
    assert operator.function.volatility is Volatility.VOLATILE
    cast = catalog.cast("s.pair", "text")
    assert cast is not None
    assert (cast.context, cast.method) == ("a", "f")


def test_the_digest_sees_each_change_and_nothing_else(connection: psycopg.Connection[Any]) -> None:
    before = snapshot(connection).digest()
    assert snapshot(connection).digest() == before
    with connection.transaction(force_rollback=True):
        connection.execute("alter table child alter parent_id drop not null")
        assert snapshot(connection).digest() != before
    assert snapshot(connection).digest() == before


def test_the_search_path_stays(connection: psycopg.Connection[Any]) -> None:
    connection.execute("set search_path = s, public")
    try:
        assert "public.parent" in table(snapshot(connection), "seen").definition
        assert connection.execute("show search_path").fetchone() == ("s, public",)
        with connection.transaction():
            snapshot(connection)
            assert connection.execute("show search_path").fetchone() == ("s, public",)
    finally:
        connection.execute("reset search_path")


@pytest.mark.parametrize(
    ("made", "out"),
    [
        ("f(a int, b text) returns int language sql as 'select 1'", ()),
        ("f(int, int) returns int language sql as 'select 1'", ()),
        ("f(a int, variadic b int[]) returns int language sql as 'select 1'", ()),
        ("f(int, out b int) language sql as 'select 1'", (("b", "int4"),)),
        ("f(out int, out int) language sql as 'select 1, 2'", (("", "int4"), ("", "int4"))),
        (
            "f(a int) returns table (x int, y text) language sql as $$select 1, 'a'$$",
            (("x", "int4"), ("y", "text")),
        ),
    ],
)
def test_arguments_of_functions_in_all_their_ways(
    made: str, out: tuple[tuple[str, str], ...], scratch_server: ScratchServer, database: str
) -> None:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as opened:
        opened.execute(f"create function {made}".encode())
        (function,) = (f for f in snapshot(opened).functions if f.name == "f")
    assert function.out == out


def test_databases_with_extensions(scratch_server: ScratchServer, database: str) -> None:
    """Whatever types, functions, operators and casts the extensions that the server offers bring along."""
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as opened:
        offered = opened.execute("select name from pg_available_extensions order by 1").fetchall()
        for (name,) in offered:
            try:
                opened.execute(f'create extension if not exists "{name}" cascade'.encode())
            except (
                psycopg.Error
            ) as refused:  # pg_hint_plan, pg_stat_statements and the like want to be preloaded
                assert refused.sqlstate in {"55000", "0A000"}, name  # noqa: PT017 - those that are refused only
        opened.execute("create table t (a citext, b hstore)")
        known = snapshot(opened)
    assert set(known.extensions) >= {"citext", "hstore", "pg_trgm"}
    assert bind("select a from t where a = 'x' and b -> 'k' = 'v'", known).where is not None
