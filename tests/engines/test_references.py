"""Whether stored rows keep a foreign key: every kind of it, whole and broken by what a replica does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.references import Broken, Kept, look
from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.algebra import TableRef

pytestmark = pytest.mark.server

SCHEMA = """
create table p (id int primary key, a int, b int, unique (a, b));
insert into p select n, n, n from generate_series(1, 10) n;
create domain small as int check (value < 1000);
create type mood as enum ('sad', 'ok');
create table moods (m mood primary key);
insert into moods values ('ok');
create table parts (id int primary key) partition by range (id);
create table parts1 partition of parts for values from (0) to (5);
create table parts2 partition of parts for values from (5) to (100);
insert into parts select n from generate_series(1, 10) n;
create table plain (id int, pid int constraint k references p);
create table wide (id int, pid bigint constraint k references p);
create table dom (id int, pid small constraint k references p);
create table multi (id int, a int, b int, constraint k foreign key (a, b) references p (a, b));
create table fully (id int, a int, b int, constraint k foreign key (a, b) references p (a, b) match full);
create table self (id int primary key, pid int constraint k references self);
create table felt (id int, pid mood constraint k references moods);
create table "Odd name" (id int, "the ""key" int constraint k references p);
create table split (id int, pid int constraint k references p) partition by list (id);
create table split1 partition of split for values in (0, 1, 2);
create table split2 partition of split default;
create table to_parts (id int, pid int constraint k references parts);
"""
# rows that keep the key of each table, and one that does not
ROWS = {
    "plain": ("(1, 1), (2, null)", "(3, 99)"),
    "wide": ("(1, 1), (2, null)", "(3, 99999999999)"),
    "dom": ("(1, 1)", "(3, 99)"),
    "multi": ("(1, 1, 1), (2, null, 99), (2, 99, null)", "(3, 1, 2)"),
    "fully": ("(1, 1, 1), (2, null, null)", "(3, 1, null)"),
    "self": ("(1, 1), (2, 1), (3, null)", "(4, 99)"),
    "felt": ("(1, 'ok')", "(2, 'sad')"),
    '"Odd name"': ("(1, 1)", "(2, 99)"),
    "split": ("(1, 1), (9, 2)", "(8, 99)"),
    "to_parts": ("(1, 1), (2, 9)", "(3, 99)"),
}


@pytest.fixture(scope="module")
def connection(
    scratch_server: ScratchServer, module_database: str
) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as opened:
        opened.execute(SCHEMA.encode())
        yield opened


def as_replica(connection: psycopg.Connection[Any], statement: str) -> None:
    with connection.transaction():
        connection.execute("set local session_replication_role = replica")
        connection.execute(statement.encode())


@pytest.mark.parametrize("table", ROWS)
def test_each_kind_whole_and_broken(connection: psycopg.Connection[Any], table: str) -> None:
    ref = TableRef("public", table.strip('"'))
    kept, broken = ROWS[table]
    connection.execute(f"insert into {table} values {kept}".encode())
    assert isinstance(look(connection, ref, "k", 10), Kept)
    as_replica(connection, f"insert into {table} values {broken}")
    found = look(connection, ref, "k", 10)
    assert found == Broken("a stored row breaks it", seen=True)


def test_a_parent_that_went_is_noticed(connection: psycopg.Connection[Any]) -> None:
    connection.execute("create table orphans (id int, pid int constraint k references p)")
    connection.execute("insert into orphans values (1, 10)")
    assert isinstance(look(connection, TableRef("public", "orphans"), "k", 10), Kept)
    as_replica(connection, "delete from p where id = 10")
    assert isinstance(look(connection, TableRef("public", "orphans"), "k", 10), Broken)


def test_children_by_inheritance_do_not_count(connection: psycopg.Connection[Any]) -> None:
    """The constraint is about the table alone: rows of children neither break it nor keep it."""
    connection.execute("create table root (id int primary key); create table leaf () inherits (root)")
    connection.execute("create table down (id int, pid int constraint k references root)")
    connection.execute("create table downer () inherits (down)")
    connection.execute("insert into downer values (1, 5)")
    assert isinstance(look(connection, TableRef("public", "down"), "k", 10), Kept)
    connection.execute("insert into leaf values (7)")
    as_replica(connection, "insert into down values (1, 7)")
    assert isinstance(look(connection, TableRef("public", "down"), "k", 10), Broken)


def test_the_snapshot_is_of_the_rows_that_were_seen(connection: psycopg.Connection[Any]) -> None:
    first = look(connection, TableRef("public", "split1"), "k", 10)
    connection.execute("create table later ()")
    second = look(connection, TableRef("public", "split1"), "k", 10)
    assert isinstance(first, Kept)
    assert isinstance(second, Kept)
    assert 0 < first.snapshot < second.snapshot


def test_what_can_not_be_looked_at_is_not_kept(connection: psycopg.Connection[Any]) -> None:
    ref = TableRef("public", "slow")
    connection.execute("create table slow (id int, pid int constraint k references p)")
    connection.execute("insert into slow select n, 1 from generate_series(1, 100000) n")
    late = look(connection, ref, "k", 0.001)
    assert late == Broken("looking at its rows took longer than 0.0 s", seen=False)
    assert look(connection, ref, "k", 0.0) == Broken(
        "there was no time to look at its rows", seen=False, lasting=False
    )
    assert look(connection, ref, "gone", 1) == Broken("it is not there any more", seen=False)
    connection.execute("create role blind")
    connection.execute("set role blind")
    try:
        found = look(connection, ref, "k", 1)
    finally:
        connection.execute("reset role")
    assert isinstance(found, Broken)
    assert "permission denied" in found.reason


def test_rows_hidden_by_a_policy_are_not_taken_for_all(connection: psycopg.Connection[Any]) -> None:
    connection.execute("create table shut (id int, pid int constraint k references p)")
    connection.execute("alter table shut enable row level security; create role half")
    connection.execute("grant select on shut, p to half; set role half")
    try:
        found = look(connection, TableRef("public", "shut"), "k", 1)
    finally:
        connection.execute("reset role")
    assert isinstance(found, Broken)
    assert "row-level security" in found.reason


def test_a_users_equality_is_not_run(connection: psycopg.Connection[Any]) -> None:
    """Under our account nothing of a user's is called, and its function may be another tomorrow."""
    connection.execute("""
      create type price as (n int);
      create table prices (id price primary key); create table paid (id int, pid price constraint k references prices)
    """)
    found = look(connection, TableRef("public", "paid"), "k", 1)
    assert found == Broken("its equality is not that of a plain type", seen=False)


# -- what a snapshot says of keys that nobody looked at


@pytest.mark.parametrize(
    "change",
    [
        "alter table {t} disable trigger all",
        "alter table p disable trigger all",
        "alter table {t} enable replica trigger {check}",
        "alter table {t} enable always trigger {check}",
        "alter role current_user set session_replication_role = replica",
        "alter table {t} drop constraint k, add constraint k foreign key (pid) references p not valid",
        "alter table {t} alter constraint k not enforced",
        "alter table {t} alter constraint k deferrable",
    ],
)
@pytest.mark.parametrize("table", ["plain", "split"])
def test_a_key_that_need_not_hold_is_not_usable(
    connection: psycopg.Connection[Any], table: str, change: str
) -> None:
    def usable() -> bool:
        (key,) = snapshot(connection).table(TableRef("public", table)).foreign_keys
        return key.usable

    check = connection.execute(
        "select tgname from pg_trigger where tgrelid = %s::regclass order by tgname limit 1", [table]
    ).fetchone()
    assert check is not None
    assert usable()
    statement = change.format(t=table, check=f'"{check[0]}"')
    try:
        with connection.transaction():
            connection.execute(statement.encode())
            assert not usable()
            raise psycopg.Rollback
    except psycopg.errors.FeatureNotSupported:
        assert table == "split"
    assert usable()


def test_a_trigger_disabled_on_one_partition_counts(connection: psycopg.Connection[Any]) -> None:
    with connection.transaction():
        connection.execute("alter table split2 disable trigger all")
        catalog = snapshot(connection)
        assert not catalog.table(TableRef("public", "split")).foreign_keys[0].usable
        raise psycopg.Rollback
    assert snapshot(connection).table(TableRef("public", "split")).foreign_keys[0].usable
