"""Whether stored rows keep NOT NULL and the bounds of partitions: rows that break them came in as the
catalog was told.

Superusers' writes to the catalog stand for the ways in which the server comes to believe what is not so,
which tests/rewright/test_untrue_not_null.py has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.looking import BREAKS, GONE, Broken, Kept
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.stored_rows import KeptFacts, look_at
from rewright.sql.algebra import TableRef
from rewright.sql.row_facts import RowFact

pytestmark = pytest.mark.server

SCHEMA = """
create type mood as enum ('sad', 'ok');
create domain small as int check (value < 1000);
create type pair as (a int, b int);
create table kinds (i int, t text, j json, m mood, s small, p pair, a int[], "Odd ""name" numeric);
create index on kinds (i);
insert into kinds select n, 'x', '1'::json, 'ok'::mood, 1, row(null, null)::pair, '{}'::int[], 1 from generate_series(1, 3) n;
create table parts (id int not null, k int) partition by list (id);
create table one partition of parts for values in (1, null);
create table two partition of parts for values in (2) partition by range (k);
create table two_low partition of two for values from (minvalue) to (10);
create table two_rest partition of two default;
create table rest partition of parts default;
insert into parts values (1, 1), (2, 2), (2, 20), (3, null);
create table hashed (id int not null, k int) partition by hash (id);
create table even partition of hashed for values with (modulus 2, remainder 0);
create table odd partition of hashed for values with (modulus 2, remainder 1);
insert into hashed select n, n from generate_series(1, 20) n;
create table above (id int not null);
create table below (x int) inherits (above);
"""
COLUMNS = ["i", "t", "j", "m", "s", "p", "a", 'Odd "name']


@pytest.fixture
def connection(scratch_server: ScratchServer, database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as opened:
        opened.execute(SCHEMA.encode())
        declare(opened, "kinds")
        yield opened


def declare(connection: psycopg.Connection[Any], table: str) -> None:
    """NOT NULL of all its columns, without a look at the rows."""
    connection.execute(
        "update pg_attribute set attnotnull = true where attrelid = %s::regclass and attnum > 0", [table]
    )


def nulls(connection: psycopg.Connection[Any], table: str, *columns: str, **terms: Any) -> dict[str, Any]:
    facts = [RowFact("public", table, column, "not null") for column in columns]
    found = look_at(connection, facts, lambda: terms.get("seconds", 10.0), terms.get("memory"))
    return {fact.name: one for fact, one in found.items()}


def bounds(connection: psycopg.Connection[Any], table: str) -> Kept | Broken:
    fact = RowFact("public", table, kind="bounds")
    return look_at(connection, [fact], lambda: 10.0)[fact]


COLUMNS_OF = "from pg_attribute where attrelid = %s::regclass and attnum > 0"


def unchecked(connection: psycopg.Connection[Any], table: str, change: str) -> None:
    """Change rows while the catalog says neither NOT NULL nor that it is a partition."""
    with connection.transaction():
        saved = connection.execute(f"select attnum, attnotnull {COLUMNS_OF}".encode(), [table]).fetchall()
        connection.execute(
            "update pg_attribute set attnotnull = false where attrelid = %s::regclass and attnum > 0", [table]
        )
        connection.execute("update pg_class set relispartition = false where oid = %s::regclass", [table])
        connection.execute(change.encode())
        connection.execute(
            "update pg_class set relispartition = relpartbound is not null where oid = %s::regclass", [table]
        )
        for number, declared in saved:
            connection.execute(
                "update pg_attribute set attnotnull = %s where attrelid = %s::regclass and attnum = %s",
                [declared, table, number],
            )


def test_every_kind_of_column_kept(connection: psycopg.Connection[Any]) -> None:
    found = nulls(connection, "kinds", *COLUMNS)
    assert all(isinstance(one, Kept) for one in found.values()), found


@pytest.mark.parametrize("column", COLUMNS)
def test_every_kind_of_column_broken(connection: psycopg.Connection[Any], column: str) -> None:
    """One NULL is found in its column, and the others stay."""
    quoted = column.replace('"', '""')
    unchecked(connection, "kinds", f'update kinds set "{quoted}" = null where i = 2')
    found = nulls(connection, "kinds", *COLUMNS)
    assert [name for name, one in found.items() if one == BREAKS] == [column]
    assert sum(isinstance(one, Kept) for one in found.values()) == len(COLUMNS) - 1


def test_nulls_of_several_columns_in_several_rows(connection: psycopg.Connection[Any]) -> None:
    change = "update kinds set t = null where i = 1; update kinds set m = null, a = null where i = 3"
    unchecked(connection, "kinds", change)
    found = nulls(connection, "kinds", *COLUMNS)
    assert {name for name, one in found.items() if one == BREAKS} == {"t", "m", "a"}


def test_an_index_is_asked_for_its_end(connection: psycopg.Connection[Any]) -> None:
    """The first column of an index takes no scan: a table that can't be read in time is looked at all the
    same.
    """
    connection.execute("create table long (i int not null, j int not null)")
    connection.execute("insert into long select n, n from generate_series(1, 300000) n")
    connection.execute("create index on long (i)")
    connection.execute("analyze long")
    found = nulls(connection, "long", "i", "j", seconds=10.0)
    assert all(isinstance(one, Kept) for one in found.values())
    before = read(connection)
    nulls(connection, "long", "i")
    assert read(connection) == before, "no row of the table itself was read"


def read(connection: psycopg.Connection[Any]) -> int:
    connection.execute("select pg_stat_force_next_flush()")
    row = connection.execute("select seq_tup_read from pg_stat_user_tables where relname = 'long'").fetchone()
    assert row is not None
    return int(row[0])


def test_one_partition_speaks_for_the_whole_table(connection: psycopg.Connection[Any]) -> None:
    assert isinstance(nulls(connection, "parts", "id")["id"], Kept)
    unchecked(connection, "rest", "insert into rest values (null, 1)")
    assert nulls(connection, "parts", "id")["id"] == BREAKS


def test_children_by_inheritance_are_not_meant(connection: psycopg.Connection[Any]) -> None:
    unchecked(connection, "below", "insert into below values (null, 1)")
    assert isinstance(nulls(connection, "above", "id")["id"], Kept)


@pytest.mark.parametrize(
    ("root", "partition", "row"),
    [
        ("parts", "one", "(2, 1)"),
        ("parts", "rest", "(1, 1)"),
        ("parts", "two_low", "(2, 10)"),
        ("parts", "two_rest", "(2, 9)"),
        ("parts", "two_low", "(3, 1)"),
        ("two", "two_low", "(2, 11)"),
        ("hashed", "even", "(1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1)"),
    ],
)
def test_a_row_outside_of_its_bounds(
    connection: psycopg.Connection[Any], root: str, partition: str, row: str
) -> None:
    assert isinstance(bounds(connection, root), Kept)
    unchecked(connection, partition, f"insert into {partition} values {row}")
    assert bounds(connection, root) == BREAKS


DETACHED = """
create function maybe() returns bool language sql immutable as 'select true';
create table root (id int) partition by range (id);
create table part (id int not null, constraint believed check (id >= 0 and id < 10 or maybe()));
insert into part values ({row});
create or replace function maybe() returns bool language sql immutable as 'select false';
alter table root attach partition part for values from (0) to (10);
alter table part drop constraint believed;
alter table root detach partition part concurrently;
drop function maybe()"""


@pytest.mark.parametrize(("row", "kept"), [(9, True), (99, False)])
def test_a_check_that_detach_wrote_down(connection: psycopg.Connection[Any], row: int, kept: bool) -> None:
    """It is valid, and calls nothing but the server's own functions."""
    for statement in DETACHED.format(row=row).split(";"):
        connection.execute(statement.encode())
    (check,) = snapshot(connection).table(TableRef("public", "part")).checks
    assert check.usable
    assert isinstance(checked(connection, "part", check.name), Kept) is kept


def checked(
    connection: psycopg.Connection[Any], table: str, name: str, memory: KeptFacts | None = None
) -> Kept | Broken:
    fact = RowFact("public", table, name, "check")
    return look_at(connection, [fact], lambda: 10.0, memory)[fact]


def test_checks(connection: psycopg.Connection[Any]) -> None:
    connection.execute("""
        create function own(int) returns bool language sql immutable as 'select $1 > 0';
        create table c (i int, j int not null, constraint high check (i > 0 and j is not null),
          constraint named check (c.i is distinct from 7));
        create table e (i int, constraint called check (own(i)));
        create table d (i int, j int not null, constraint named check (i is distinct from 7));
        insert into c values (1, 1), (null, 1);
    """)
    memory = KeptFacts()
    for name in ("high", "named"):
        assert isinstance(checked(connection, "c", name, memory), Kept)
    assert checked(connection, "c", "gone") == GONE
    called = checked(connection, "e", "called")
    assert isinstance(called, Broken)
    assert "own(integer)" in called.reason
    # a child comes with a row that breaks it
    connection.execute("""
        insert into d values (-1, 1);
        alter table d add constraint high check (i > 0 and j is not null) not valid;
        update pg_constraint set convalidated = true where conname = 'high';
        alter table d inherit c;
    """)
    assert checked(connection, "c", "high", memory) == BREAKS
    assert isinstance(checked(connection, "c", "named", memory), Kept)


def test_a_null_under_a_check_that_the_planner_does_not_believe_in(
    connection: psycopg.Connection[Any],
) -> None:
    connection.execute("create table n (i int); insert into n values (null)")
    connection.execute("alter table n add constraint filled check (i is not null) not valid")
    connection.execute("update pg_constraint set convalidated = true where conname = 'filled'")
    declare(connection, "n")
    assert checked(connection, "n", "filled") == BREAKS


def test_what_can_not_be_looked_at_is_not_kept(connection: psycopg.Connection[Any]) -> None:
    connection.execute("create table slow (i int not null, j int not null)")
    connection.execute("insert into slow select n, n from generate_series(1, 100000) n")
    late = nulls(connection, "slow", "i", "j", seconds=0.001)
    assert late["i"] == late["j"] == Broken("looking at its rows took longer than 0.0 s", seen=False)
    none = Broken("there was no time to look at its rows", seen=False, lasting=False)
    assert nulls(connection, "slow", "i", seconds=0.0)["i"] == none
    assert nulls(connection, "slow", "i", "away")["away"] == GONE
    assert nulls(connection, "away", "i")["i"] == GONE
    connection.execute("alter table slow alter i drop not null")
    assert nulls(connection, "slow", "i")["i"] == GONE
    connection.execute("create role unseeing; set role unseeing")
    try:
        found = nulls(connection, "slow", "j")["j"]
    finally:
        connection.execute("reset role; drop role unseeing")
    assert isinstance(found, Broken)
    assert "permission denied" in found.reason


def test_what_was_kept_is_not_looked_at_again(connection: psycopg.Connection[Any]) -> None:
    """Until NOT NULL was taken back: then rows may have come in."""
    memory = KeptFacts()
    first = nulls(connection, "kinds", "t", memory=memory)["t"]
    connection.execute("create table later ()")
    assert nulls(connection, "kinds", "t", memory=memory)["t"] == first
    # a column that nobody looked at is looked at
    assert nulls(connection, "kinds", "t", "m", memory=memory)["m"].snapshot > first.snapshot
    unchecked(connection, "kinds", "update kinds set t = null where i = 2")
    assert nulls(connection, "kinds", "t", memory=memory)["t"] == BREAKS


def test_a_partition_more_is_another_state(connection: psycopg.Connection[Any]) -> None:
    memory = KeptFacts()
    fact = RowFact("public", "parts", kind="bounds")
    first = look_at(connection, [fact], lambda: 10.0, memory)[fact]
    connection.execute("create table five partition of parts for values in (5)")
    second = look_at(connection, [fact], lambda: 10.0, memory)[fact]
    assert isinstance(first, Kept)
    assert isinstance(second, Kept)
    assert first.snapshot < second.snapshot


def test_policies_hide_no_rows(connection: psycopg.Connection[Any]) -> None:
    connection.execute("create table shut (i int not null, j int not null)")
    connection.execute("alter table shut enable row level security; create role filtered")
    connection.execute("grant select on shut to filtered; set role filtered")
    try:
        found = nulls(connection, "shut", "i")["i"]
    finally:
        connection.execute("reset role; revoke all on shut from filtered; drop role filtered")
    assert isinstance(found, Broken)
    assert "row-level security" in found.reason
