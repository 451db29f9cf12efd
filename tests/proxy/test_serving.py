"""Replacements through real clients: served where they may be, the original everywhere else."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.config import ListenConfig
from rewright.proxy.ports import Candidate, Pause, Ports, ServedStatement, SlowQuery
from rewright.proxy.serving.guard import capture_sql
from rewright.proxy.serving.index import RewriteIndex
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import (
    BY_ID,
    FAILS_LATE,
    FROM_ORIGINAL,
    FROM_REPLACEMENT,
    ORIGINAL,
    REPLACEMENT,
    SCHEMA,
    Reports,
    guard_of,
    index_for,
    rewrites,
)
from tests.proxy.waiting import Stopwatch, cancelled_when, until

pytestmark = pytest.mark.server


@dataclass
class Switch(Pause):
    paused: bool = False  # type: ignore[assignment]


@dataclass
class World:
    """A proxy in front of a database with rewrites."""

    proxy: RunningProxy
    server: ScratchServer
    database: str
    index: RewriteIndex
    reports: Reports
    pause: Switch = field(default_factory=Switch)

    def dsn(self, **more: str) -> str:
        base = self.server.dsn(self.database).replace(f":{self.server.port}/", f":{self.proxy.port}/")
        return psycopg.conninfo.make_conninfo(base, **more)

    def connect(self, **more: str) -> psycopg.Connection:
        return psycopg.connect(self.dsn(**more), autocommit=True)

    def direct(self) -> psycopg.Connection:
        return psycopg.connect(self.server.dsn(self.database), autocommit=True)

    @contextlib.contextmanager
    def proxy_off(self) -> Iterator[None]:
        """What the server itself would say."""
        self.pause.paused = True
        yield
        self.pause.paused = False

    def is_seen(self) -> bool:
        """Whether every session has looked at the set of rewrites as it is now."""
        interceptors = [c.interceptor for c in list(self.proxy.proxy._connections.values())]
        return all(
            interceptor is None or interceptor.lookups.seen == self.index.version
            for interceptor in interceptors
        )

    def served(self) -> list[ServedStatement]:
        return [r for r in self.reports.all if isinstance(r, ServedStatement)]

    def slow(self) -> list[SlowQuery]:
        return [r for r in self.reports.all if isinstance(r, SlowQuery)]


@pytest.fixture
def world(scratch_server: ScratchServer, database: str) -> Iterator[World]:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(SCHEMA)
    index = index_for(scratch_server.dsn(database), database)
    reports, pause = Reports(), Switch()
    ports = Ports(lookup=index, reporter=reports, settings=RULES, pause=pause)
    dsn = f"host=127.0.0.1 port={scratch_server.port}"
    with RunningProxy(config(dsn), ports) as proxy:
        yield World(proxy, scratch_server, database, index, reports, pause)
    assert not proxy.problems


def rows(
    connection: psycopg.Connection, query: str = ORIGINAL, params: object = None, **kw: object
) -> list[tuple]:
    return connection.execute(query, params, **kw).fetchall()  # type: ignore[arg-type]


def simple(connection: psycopg.Connection, query: str = ORIGINAL) -> list[tuple]:
    """By the simple protocol."""
    with psycopg.ClientCursor(connection) as cursor:
        return cursor.execute(query).fetchall()


def test_simple_query_is_served(world: World) -> None:
    with world.connect() as connection:
        assert simple(connection) == FROM_REPLACEMENT
        assert simple(connection) == FROM_REPLACEMENT
        assert simple(connection, "select 1") == [(1,)]
    assert [s.route for s in world.served()] == ["replacement"] * 2
    assert [s.rows for s in world.served()] == [3, 3]


def test_extended_query_is_served(world: World) -> None:
    with world.connect() as connection:
        assert rows(connection, prepare=False) == FROM_REPLACEMENT
        for _ in range(3):
            assert rows(connection, prepare=True) == FROM_REPLACEMENT
        assert connection.execute("select 1", prepare=True).fetchall() == [(1,)]
        for _ in range(3):
            assert rows(connection, prepare=True) == FROM_REPLACEMENT


def test_what_metabase_sends_around_a_question_is_no_hindrance(world: World) -> None:
    """docs/guide/frameworks.md: isolation level and role set for each question, a line of comment that differs."""
    with world.direct() as direct:
        world.index.replace(rewrites(direct, world.database, unreserved=True))
    with world.connect() as connection:
        for number in range(3):
            connection.execute(
                "set session characteristics as transaction isolation level read uncommitted", prepare=False
            )
            connection.execute("set role none", prepare=False)
            question = f"-- Metabase:: userID: {number} queryType: MBQL queryHash: e756d{number}\n{ORIGINAL}"
            asked = psycopg.RawCursor(connection).execute(question.encode(), [], prepare=False)
            assert asked.fetchall() == FROM_REPLACEMENT
        # a download
        with connection.transaction():
            assert psycopg.RawCursor(connection).execute(question.encode(), []).fetchall() == FROM_REPLACEMENT


def test_what_comes_in_one_piece_is_served_the_first_time(world: World) -> None:
    """As libpq's PQexecParams and unnamed statements of many drivers: Parse, Bind,
    Execute and Sync at once.
    """
    with world.connect() as connection:
        for _ in range(2):
            found = connection.pgconn.exec_params(ORIGINAL.encode(), None)
            assert [int(found.get_value(i, 0) or 0) for i in range(found.ntuples)] == [
                r[0] for r in FROM_REPLACEMENT
            ]
            assert connection.pgconn.exec_params(b"select 1", None).ntuples == 1
    assert [s.route for s in world.served()] == ["replacement"] * 2


def test_what_is_read_in_part_is_timed_without_what_the_client_does_in_between(world: World) -> None:
    """Drivers that want one row ask for one (asyncpg's fetchval), and never come back for the rest."""

    async def play() -> list[object]:
        connection = await asyncpg.connect(world.dsn())
        found = [await connection.fetchval(ORIGINAL)]
        await asyncio.sleep(1.0)
        found += [await connection.fetchval("select 1"), await connection.fetchval(ORIGINAL)]
        async with connection.transaction():
            cursor = await connection.cursor(ORIGINAL)
            found += [r[0] for r in await cursor.fetch(1)]
            await asyncio.sleep(1.0)
            found += [r[0] for r in await cursor.fetch(10)]
        await connection.close()
        return found

    first = [row[0] for row in FROM_REPLACEMENT]
    assert asyncio.run(play()) == [first[0], 1, first[0], *first]
    assert [s.route for s in world.served()] == ["replacement", "replacement", "original"]
    assert all(s.duration < 0.9 for s in world.served()), [s.duration for s in world.served()]


def test_parameters_and_binary_results(world: World) -> None:
    with world.connect() as connection:
        for binary in (False, True):
            cursor = psycopg.RawCursor(connection)
            found = cursor.execute(BY_ID, [7], binary=binary, prepare=True).fetchall()
            assert found == [(7, 1000070)]
            assert cursor.description is not None
            assert [c.name for c in cursor.description] == ["id", "price"]


def test_statement_prepared_before_the_rewrite_was_found_gains(world: World) -> None:
    known = index_for(world.server.dsn(world.database), world.database)
    world.index.replace(())
    with world.connect() as connection:
        assert rows(connection, prepare=True) == FROM_ORIGINAL
        with world.direct() as direct:
            world.index.replace(rewrites(direct, world.database))
        until(world.is_seen)
        assert rows(connection, prepare=True) == FROM_REPLACEMENT
        world.index.replace(())
        assert rows(connection, prepare=True) == FROM_ORIGINAL
    assert known.version == 1


def test_the_same_unnamed_statement_again_gains_and_loses(world: World) -> None:
    world.index.replace(())
    with world.connect() as connection:
        for _ in range(3):
            assert rows(connection, prepare=False) == FROM_ORIGINAL
        with world.direct() as direct:
            world.index.replace(rewrites(direct, world.database))
        until(world.is_seen)
        assert rows(connection, prepare=False) == FROM_REPLACEMENT
        connection.execute("set rewright.mode = off")
        for _ in range(2):
            assert rows(connection, prepare=False) == FROM_ORIGINAL
        connection.execute("reset rewright.mode")
        assert rows(connection, prepare=False) == FROM_REPLACEMENT
        world.index.replace(())
        until(world.is_seen)
        for _ in range(2):
            assert rows(connection, prepare=False) == FROM_ORIGINAL


@pytest.mark.parametrize("how", ["set", "options", "role", "set_config"])
def test_mode_off(world: World, how: str) -> None:
    if how == "role":
        with world.direct() as direct:
            direct.execute("alter role postgres set rewright.mode = 'off'")
    try:
        with world.connect(**({"options": "-c rewright.mode=off"} if how == "options" else {})) as connection:
            if how == "set":
                connection.execute("set rewright.mode = 'off'")
            if how == "set_config":
                connection.execute("do $$begin perform set_config('rewright.mode', 'off', false); end$$")
            assert simple(connection) == FROM_ORIGINAL
            assert rows(connection) == FROM_ORIGINAL
            connection.execute("set rewright.mode = apply")
            assert simple(connection) == FROM_REPLACEMENT
    finally:
        with world.direct() as direct:
            direct.execute("alter role postgres reset rewright.mode")


def test_settings_follow_transactions(world: World) -> None:
    with world.direct() as direct:
        world.index.replace(rewrites(direct, world.database, unreserved=True))
    with world.connect() as connection:
        connection.execute("begin")
        connection.execute("set local rewright.mode = off")
        assert simple(connection) == FROM_ORIGINAL
        connection.execute("savepoint s")
        connection.execute("set rewright.mode = apply")
        assert simple(connection) == FROM_REPLACEMENT
        connection.execute("rollback to s")
        assert simple(connection) == FROM_ORIGINAL
        connection.execute("commit")
        assert simple(connection) == FROM_REPLACEMENT


def test_wrong_values_are_refused(world: World) -> None:
    with world.connect() as connection:
        for prepare in (True, False):
            with pytest.raises(psycopg.errors.InvalidParameterValue, match=r"rewright\.mode") as caught:
                connection.execute("set rewright.mode = 'sometimes'", prepare=prepare)
            assert caught.value.diag.message_hint == "Available values: off, observe, apply, inline."
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            psycopg.ClientCursor(connection).execute("set rewright.mode to sometimes")
        connection.execute("begin")
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            connection.execute("set rewright.mode = 'sometimes'")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            connection.execute("set rewright.mode = 'sometimes'")
        connection.execute("rollback")
    with pytest.raises(psycopg.OperationalError, match=r"rewright\.mode"):
        world.connect(options="-c rewright.mode=sometimes")


def test_show_gives_the_default(world: World) -> None:
    with world.connect() as connection:
        cursor = connection.execute("show rewright.min_duration")
        assert (cursor.fetchall(), cursor.statusmessage) == ([("200ms",)], "SHOW")
        connection.execute("set rewright.min_duration = '5s'")
        assert simple(connection, "show rewright.min_duration") == [("5s",)]
        assert rows(connection, "show rewright.min_duration", binary=True) == [("5s",)]


def test_reservations_are_not_served_in_a_block(world: World) -> None:
    with world.connect() as connection, connection.transaction():
        assert simple(connection) == FROM_ORIGINAL
        assert rows(connection) == FROM_ORIGINAL
    assert {s.reason for s in world.served()} == {"block"}


def test_unreserved_rewrites_are_served_in_a_block(world: World) -> None:
    with world.direct() as direct:
        world.index.replace(rewrites(direct, world.database, unreserved=True))
    with world.connect() as connection, connection.transaction():
        connection.execute("insert into item values (1000, 1, 'new')")
        for _ in range(3):
            assert simple(connection) == FROM_REPLACEMENT
            assert rows(connection, prepare=True) == FROM_REPLACEMENT
    with world.connect() as connection:
        assert rows(connection, "select id from item where id = 1000") == [(1000,)]


def test_trust(world: World) -> None:
    with world.direct() as direct:
        world.index.replace(rewrites(direct, world.database, evidence="tested"))
    with world.connect() as connection:
        assert simple(connection) == FROM_ORIGINAL
        connection.execute("set rewright.trust = tested")
        assert simple(connection) == FROM_REPLACEMENT
        connection.execute("reset rewright.trust")
        assert simple(connection) == FROM_ORIGINAL
        with world.direct() as direct:
            world.index.replace(rewrites(direct, world.database, evidence="judged", approved=True))
        assert simple(connection) == FROM_REPLACEMENT


def test_pause(world: World) -> None:
    with world.connect() as connection:
        world.pause.paused = True
        assert simple(connection) == FROM_ORIGINAL
        world.pause.paused = False
        assert simple(connection) == FROM_REPLACEMENT


def test_comment_switches_off(world: World) -> None:
    text = ORIGINAL + " /* rewright:off */"
    with world.direct() as direct:
        guard = guard_of(direct, "item")
    known = world.index._tables.exact[world.database, ORIGINAL.encode()][0].rewrite
    world.index.replace([replace(known, original=text, guard=guard)])
    with world.connect() as connection:
        assert simple(connection, text) == FROM_ORIGINAL


# --- the guard ------------------------------------------------------------------------------------

GUARDED = {
    "temporary table": (
        "create temp table item (id int, price int); insert into item values (1, 1)",
        "names",
    ),
    "search_path": ("create schema other; set search_path = other, public", "search_path"),
    "set role": ("create role other_role; grant select on item to other_role; set role other_role", "role"),
    "own ddl": ("begin; alter table item add extra int", "facts"),
    "constraint gone": ("alter table item drop constraint item_pkey cascade", "facts"),
    "not null gone": ("alter table item alter price drop not null", "facts"),
    # nobody's policies apply to a superuser, but the table is not what it was
    "row security": ("alter table item enable row level security", "facts"),
    "inheritance child": ("create table item_more () inherits (item)", "facts"),
    "null equals": ("set transform_null_equals = on", "settings"),
    "nulls of arrays": ("set array_nulls = off", "settings"),
    "a zone that calls itself UTC": ("set timezone = 'UTC+3'", "settings"),
    "summer time that is called GMT": ("set timezone = 'AAA3GMT,M3.2.0/2,M11.1.0/2'", "settings"),
}


@pytest.mark.parametrize("name", GUARDED)
def test_guard_leads_to_the_original(world: World, name: str) -> None:
    setup, reason = GUARDED[name]
    with world.direct() as direct:
        world.index.replace(rewrites(direct, world.database, unreserved=True))
        direct.execute("drop role if exists other_role")
    with world.connect() as connection:
        expected = []
        psycopg.ClientCursor(connection).execute(setup)
        with world.proxy_off():
            expected = simple(connection)
        assert simple(connection) == expected
        assert rows(connection, prepare=True) == expected
        connection.execute("rollback")
    with world.direct() as direct:
        direct.execute("drop owned by other_role; drop role other_role") if name == "set role" else None
    assert {s.reason for s in world.served()[-2:]} == {reason}


def test_who_looks_names_up_elsewhere_is_not_offered_it(world: World) -> None:
    with world.direct() as direct:
        world.index.replace(rewrites(direct, world.database, unreserved=True))
    before = len(world.served())
    with world.connect() as connection:
        psycopg.ClientCursor(connection).execute(
            "create schema hidden; create table hidden.item (id int, price int); set search_path = hidden"
        )
        with world.proxy_off():
            expected = simple(connection)
        assert simple(connection) == expected
        assert rows(connection, prepare=True) == expected
    assert len(world.served()) == before


LOGGING = """
create table seen_by (who text);
create function logged(int) returns boolean language plpgsql security definer as
  $$begin insert into seen_by values (session_user); return true; end$$;
"""
# what policies may say; whether roles to which they apply are served
POLICIES = {
    "some rows": ("id > 2", True),
    "by name": ("note = any (array['n3', current_user::text])", True),
    "role": ("current_user = 'tenant'", True),
    "a list": ("id in (1, 3)", True),
    "may fail": ("100 / (id + 2) > 0", False),
    "a setting": ("id > current_setting('app.least')::int", False),
    "another table": ("exists (select from part where part.item = item.id)", False),
    "has effects": ("logged(id)", False),
    "chance": ("random() < 2", False),
    "a pattern": ("note like 'n%'", False),
}


@pytest.mark.parametrize("name", POLICIES)
def test_row_security_is_decided_by_role(world: World, name: str) -> None:
    """Who bypasses it is served. Who does not is where the policies can do no more than leave out rows."""
    policy, harmless = POLICIES[name]
    roles = {"bypassing": "bypassrls", "tenant": "", "stranger": ""}
    with world.direct() as direct:
        direct.execute(LOGGING)
        for role, options in roles.items():
            direct.execute(f"drop role if exists {role}".encode())
            direct.execute(f"create role {role} login password 'secret' {options}".encode())
            direct.execute(f"grant select on item, part to {role}".encode())
        direct.execute(f"create policy narrow on item for select to tenant using ({policy})".encode())
        direct.execute("alter table item enable row level security")
        world.index.replace(rewrites(direct, world.database, unreserved=True))
    try:
        with world.connect(user="bypassing", password="secret") as connection:
            assert simple(connection) == FROM_REPLACEMENT
        for user in ("tenant", "stranger"):
            # the guard's own answer comes with the first text; what matters is which rows are seen
            options = "-c app.least=1"
            with world.connect(user=user, password="secret", options=options) as connection:
                with world.proxy_off():
                    allowed = simple(connection)
                served = [(id_, price + 1_000_000) for id_, price in allowed]
                assert simple(connection) == (served if harmless else allowed)
                assert rows(connection, prepare=True) == (served if harmless else allowed)
                assert user == "tenant" or allowed == []
        with world.connect(user="bypassing", password="secret") as connection:
            connection.execute("set row_security = off")
            assert simple(connection) == FROM_REPLACEMENT
    finally:
        with world.direct() as direct:
            for role in roles:
                direct.execute(f"drop owned by {role}; drop role {role}".encode())


def test_row_security_below_a_view_leads_to_the_original(world: World) -> None:
    """There its owner's rights count, and what they are is not looked at."""
    with world.direct() as direct:
        direct.execute("create view items as select id, price from item")
        direct.execute("alter table item enable row level security")
        guard = guard_of(direct, "items", "item")
        (known, *_) = rewrites(direct, world.database, unreserved=True)
        text, replacement = (t.replace("item", "items") for t in (known.original, known.replacement))
    world.index.replace([replace(known, original=text, replacement=replacement, guard=guard)])
    with world.connect() as connection:
        assert simple(connection, text) == FROM_ORIGINAL
    assert world.served()[-1].reason == "row security"


def test_an_owner_is_held_to_policies_that_are_forced(world: World) -> None:
    with world.direct() as direct:
        direct.execute("drop role if exists landlord; create role landlord login password 'secret'")
        direct.execute("create policy own on item using (note like 'n%')")
        direct.execute("alter table item owner to landlord; alter table item enable row level security")
        direct.execute("grant usage on schema public to landlord")
        world.index.replace(rewrites(direct, world.database, unreserved=True))
    try:
        with world.connect(user="landlord", password="secret") as connection:
            assert simple(connection) == FROM_REPLACEMENT
            with world.direct() as direct:
                direct.execute("alter table item force row level security")
            assert simple(connection) == FROM_ORIGINAL
        assert world.served()[-1].reason == "row security"
    finally:
        with world.direct() as direct:
            direct.execute(
                "alter table item owner to current_user; drop owned by landlord; drop role landlord"
            )


def on_foreign_keys(world: World, **changes: Any) -> None:
    """Serve a rewrite that rests on the foreign key of part, whose rows were looked at just now."""
    with world.direct() as direct:
        guard = replace(guard_of(direct, "item", "part"), foreign_keys=True)
        digest, now = direct.execute(
            f"select ({capture_sql(guard)}), pg_snapshot_xmax(pg_current_snapshot())::text::int8".encode()
        ).fetchone()  # type: ignore[misc]
        guard = replace(guard, original=guard.original[:1], digest=digest, snapshot=now)
        (known, *_) = rewrites(direct, world.database, unreserved=True)
    world.index.replace([replace(known, guard=guard, **changes)])


REPLICAS = {
    "replica": ("set session_replication_role = replica", "foreign keys"),
    "local": ("set session_replication_role = local", "foreign keys"),
    "own rows": (
        (
            "begin; set local session_replication_role = replica; insert into part values (999, 999);"
            " set local session_replication_role = origin"
        ),
        "foreign keys",
    ),
    "disabled": ("alter table part disable trigger all", "facts"),
    "disabled at the parent": ("alter table item disable trigger all", "facts"),
}


@pytest.mark.parametrize("name", REPLICAS)
def test_rows_that_a_replica_may_write_lead_to_the_original(world: World, name: str) -> None:
    setup, reason = REPLICAS[name]
    on_foreign_keys(world)
    with world.connect() as connection:
        assert simple(connection) == FROM_REPLACEMENT
        psycopg.ClientCursor(connection).execute(setup)
        assert simple(connection) == FROM_ORIGINAL
        assert rows(connection, prepare=True) == FROM_ORIGINAL
        connection.execute("rollback")
    assert {s.reason for s in world.served()[-2:]} == {reason}


def test_a_snapshot_from_before_the_look_leads_to_the_original(world: World) -> None:
    """It may see a row that broke the key and is gone."""
    with world.connect() as connection, world.direct() as direct:
        connection.execute("begin isolation level repeatable read")
        connection.execute("select 1")
        direct.execute("insert into item values (999, 1, 'x')")
        on_foreign_keys(world)
        assert simple(connection) == FROM_ORIGINAL
        connection.execute("commit")
        assert simple(connection) == FROM_REPLACEMENT
    assert world.served()[0].reason == "foreign keys"


def test_a_lease_that_is_over_leads_to_the_original(world: World) -> None:
    on_foreign_keys(world, until=time.time() - 1)
    with world.connect() as connection:
        assert simple(connection) == FROM_ORIGINAL
    assert world.served()[0].reason == "foreign keys"
    on_foreign_keys(world, until=time.time() + 60)
    with world.connect() as connection:
        assert simple(connection) == FROM_REPLACEMENT


def test_older_snapshot_leads_to_the_original(world: World) -> None:
    with world.direct() as direct:
        direct.execute("alter table part drop constraint part_pkey")
    with world.connect() as connection, world.direct() as direct:
        connection.execute("begin isolation level repeatable read")
        connection.execute("select 1")
        direct.execute("alter table item add constraint positive check (price > 0)")
        world.index.replace(rewrites(direct, world.database, unreserved=True))
        assert simple(connection) == FROM_ORIGINAL
        connection.execute("commit")
        assert simple(connection) == FROM_REPLACEMENT
    assert world.served()[0].reason == "facts"


def test_standard_conforming_strings_off(world: World) -> None:
    with world.connect() as connection:
        connection.execute("set standard_conforming_strings = off")
        assert simple(connection) == FROM_ORIGINAL


def test_privileges(world: World) -> None:
    with world.direct() as direct:
        world.index.replace(rewrites(direct, world.database, unreserved=True))
        direct.execute("grant select (id, price) on item to scratch")
    base = world.server.unprivileged_dsn(world.database).replace(
        f":{world.server.port}/", f":{world.proxy.port}/"
    )
    with psycopg.connect(base, autocommit=True) as connection:
        assert simple(connection) == FROM_REPLACEMENT
        with connection.transaction():
            assert simple(connection) == FROM_ORIGINAL  # column privileges only: not in a block
        with world.direct() as direct:
            direct.execute("revoke select (price) on item from scratch")
        for query in (simple, rows):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                query(connection)


# --- failures -------------------------------------------------------------------------------------


def test_failing_replacement_falls_back(world: World) -> None:
    for query in (simple, rows):
        with world.connect() as connection:
            for _ in range(2):
                assert query(connection, FAILS_LATE) == [(5, 50), (6, 60), (7, 70)]
            assert simple(connection) == FROM_REPLACEMENT
    fallbacks = [s for s in world.served() if s.rewrite_id == 3]
    # once is enough for a session
    assert [(s.route, s.reason) for s in fallbacks] == [("fallback", "failed"), ("original", "doubted")] * 2
    assert [(s.failure, s.original_failure) for s in fallbacks] == [("22012", ""), ("", "")] * 2
    # the client got an answer
    assert {s.sqlstate for s in fallbacks} == {""}


def test_failing_replacement_in_a_pipeline(world: World) -> None:
    with world.connect() as connection, connection.pipeline():
        first = connection.execute(FAILS_LATE)
        second = connection.execute("select 42")
        third = connection.execute(ORIGINAL)
        assert first.fetchall() == [(5, 50), (6, 60), (7, 70)]
        assert second.fetchall() == [(42,)]
        assert third.fetchall() in (FROM_ORIGINAL, FROM_REPLACEMENT)


def test_error_of_the_original_is_the_servers(world: World) -> None:
    with world.direct() as direct:
        direct.execute("alter table item rename to gone")
    with world.connect() as connection:
        for query in (simple, rows):
            with pytest.raises(psycopg.errors.UndefinedTable) as caught:
                query(connection)
            assert caught.value.diag.statement_position == str(ORIGINAL.index("item") + 1)
        assert rows(connection, "select 1") == [(1,)]


def test_discard_and_deallocate(world: World) -> None:
    with world.connect() as connection:
        for statement in ("discard all", "deallocate all"):
            connection.prepare_threshold = 0
            assert rows(connection) == FROM_REPLACEMENT
            connection.execute(statement)
            connection._prepared.clear()
            assert simple(connection) == FROM_REPLACEMENT
            assert rows(connection) == FROM_REPLACEMENT


def test_name_prepared_anew_behind_the_wire(world: World) -> None:
    """A function deallocates the statement and prepares the name with another text:
    only the server can tell.
    """
    with world.connect() as connection:
        pgconn = connection.pgconn
        connection.execute(
            "create function swap() returns void language plpgsql as $$begin "
            "execute 'deal' || 'locate s'; execute 'pre' || 'pare s as select 5, 5'; end$$"
        )
        execute(pgconn.send_prepare, connection, b"s", ORIGINAL.encode())
        assert execute(pgconn.send_query_prepared, connection, b"s", None) == [(b"1", b"1000010")]
        connection.execute("select swap()")
        assert execute(pgconn.send_query_prepared, connection, b"s", None) == [(b"5", b"5")]
    assert world.served()[-1].reason == "names"


def execute(send: Any, connection: psycopg.Connection, *arguments: Any) -> list[tuple[bytes | None, ...]]:
    """One libpq call, waited for without keeping the interpreter's lock; the first row."""
    send(*arguments)
    found = connection.wait(psycopg.generators.execute(connection.pgconn))[0]
    return [tuple(found.get_value(0, c) for c in range(found.nfields))] if found.ntuples else []


# --- reports --------------------------------------------------------------------------------------


def test_slow_selects_are_reported(world: World) -> None:
    with world.connect(application_name="slowpoke") as connection:
        connection.execute("set rewright.min_duration = '50ms'")
        simple(connection, "select 1, pg_sleep(0.2)")
        psycopg.RawCursor(connection).execute("select $1::int, pg_sleep(0.2)", [5])
        connection.execute("set statement_timeout = 100")
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("select pg_sleep(5)")
        connection.execute("set statement_timeout = 0")
        connection.execute("do $$begin perform pg_sleep(0.2); end$$")
        connection.execute("set rewright.mode = off")
        connection.execute("select pg_sleep(0.2)")
    found = [r for r in world.slow() if r.state != "running"]
    assert [r.text for r in found] == [
        "select 1, pg_sleep(0.2)",
        "select $1::int, pg_sleep(0.2)",
        "select pg_sleep(5)",
    ]
    assert [r.state for r in found] == ["finished", "finished", "timed out"]
    assert [r.sqlstate for r in found] == ["", "", "57014"]
    assert found[1].parameters == (b"\0\5",) or found[1].parameters == (b"5",)
    assert {r.application_name for r in found} == {"slowpoke"}
    assert all(0.09 < r.duration < 2 for r in found)
    assert {r.text for r in world.slow() if r.state == "running"} >= {"select 1, pg_sleep(0.2)"}


def test_what_was_served_slowly_is_told_as_one_execution(world: World) -> None:
    with world.connect() as connection:
        connection.execute("set rewright.min_duration = 0")
        assert simple(connection) == FROM_REPLACEMENT
        assert rows(connection) == FROM_REPLACEMENT
        simple(connection, "select 1")
        with connection.transaction():
            assert rows(connection) == FROM_ORIGINAL
    assert [s.route for s in world.served()] == ["replacement", "replacement", "original"]
    ended = [(r.text, r.is_served) for r in world.slow() if r.state == "finished"]
    assert ended == [(ORIGINAL, True), (ORIGINAL, True), ("select 1", False), (ORIGINAL, True)]


def test_notice_says_what_was_done(world: World) -> None:
    with world.connect() as connection:
        heard: list[str | None] = []
        connection.add_notice_handler(lambda d: heard.append(d.message_primary))
        connection.execute("set rewright.notice = on")
        assert simple(connection) == FROM_REPLACEMENT
        assert rows(connection) == FROM_REPLACEMENT
        with connection.transaction():
            assert rows(connection) == FROM_ORIGINAL
    assert heard == ["rewright: replacement of rewrite 1"] * 2 + ["rewright: original of rewrite 1: block"]


def test_templates_serve_other_literals(world: World) -> None:
    from rewright.proxy.serving.index import RewriteIndex as Index
    from rewright.sql.templates import split
    from rewright.wiring.templates import make

    def template(text: str) -> str:
        found = split(text)
        assert found is not None
        return found[0]

    known = world.index._tables.exact[world.database, ORIGINAL.encode()][0].rewrite
    index = Index(make())
    index.replace(
        [
            replace(
                known, original=template(ORIGINAL), replacement=REPLACEMENT.replace("4", "⟦1:i⟧"), scope="any"
            )
        ]
    )
    for number in (3, 50):
        text = ORIGINAL.replace("4", str(number))
        found = index.find(world.database, text.encode(), ())
        assert found is not None
        assert f"id < {number}" in found.replacement
    assert index.find(world.database, ORIGINAL.replace("4", "'4'").encode(), ()) is None
    assert index.find(world.database, b"select id, price from item where id < 4 order by price", ()) is None
    assert index.find("elsewhere", ORIGINAL.encode(), ()) is None
    index.replace(
        [
            replace(
                known,
                original=f"{template(ORIGINAL)} limit 7",
                replacement="select ⟦1:i⟧ limit 7",
                scope="any",
            )
        ]
    )
    assert index.find(world.database, f"{ORIGINAL} limit 8".encode(), ()) is None
    found = index.find(world.database, f"{ORIGINAL} limit 7".encode(), ())
    assert found is not None
    assert found.replacement == "select 4 limit 7"


@dataclass
class Optimiser:
    """An inline port: knows one rewrite, and takes its time."""

    found: Candidate | None = None
    delay: float = 0.0
    asked: list[str] = field(default_factory=list)

    async def optimise(self, query: SlowQuery) -> Candidate | None:
        self.asked.append(query.text)
        await asyncio.sleep(self.delay)
        return self.found


def test_inline_holds_and_serves(scratch_server: ScratchServer, database: str) -> None:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as direct:
        direct.execute(SCHEMA)
        known = rewrites(direct, database)[0]
    optimiser = Optimiser(Candidate(known, known.replacement))
    ports = Ports(lookup=RewriteIndex(), inline=optimiser, settings=RULES)
    with RunningProxy(config(f"host=127.0.0.1 port={scratch_server.port}"), ports) as proxy:
        here = scratch_server.dsn(database).replace(f":{scratch_server.port}/", f":{proxy.port}/")
        with psycopg.connect(here, autocommit=True, options="-c rewright.mode=inline") as connection:
            assert simple(connection) == FROM_REPLACEMENT
            assert simple(connection) == FROM_ORIGINAL  # asked about once; the index would know it by now
        with psycopg.connect(here, autocommit=True, options="-c rewright.mode=inline") as connection:
            assert rows(connection) == FROM_REPLACEMENT
            optimiser.delay = 300.0
            began = time.monotonic()
            with Stopwatch() as watch:
                assert simple(connection, "select 5") == [(5,)]
            assert time.monotonic() - began > 0.4
            assert watch.seconds < optimiser.delay / 2
            connection.execute("set rewright.budget = '200s'")
            for query in (simple, rows):
                text = f"select 6 /* {query.__name__} */"
                with (
                    cancelled_when(connection, lambda text=text: text in optimiser.asked),  # type: ignore[misc]
                    pytest.raises(psycopg.errors.QueryCanceled),
                ):
                    query(connection, text)
            assert connection.execute("show rewright.mode").fetchone() == ("inline",)
    assert not proxy.problems
    assert "insert" not in " ".join(optimiser.asked)


def test_cancel_reaches_the_worker_that_holds_the_query(
    scratch_server: ScratchServer, tmp_path: Path
) -> None:
    """Two workers on one port: whichever gets the cancel request, the held query ends."""
    optimiser = Optimiser(delay=300.0)
    ports = Ports(lookup=RewriteIndex(), inline=optimiser, settings=RULES)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    parts = config(
        f"host=127.0.0.1 port={scratch_server.port}",
        listen=ListenConfig(port=port, workers=2, run_dir=str(tmp_path / "run")),
    )
    with RunningProxy(parts, ports, name="one"), RunningProxy(parts, ports, name="two"):
        here = scratch_server.dsn().replace(f":{scratch_server.port}/", f":{port}/")
        options = "-c rewright.mode=inline -c rewright.budget=200s"
        with psycopg.connect(here, autocommit=True, options=options) as connection:
            for number in range(8):
                text = f"select {number}"
                with (
                    cancelled_when(connection, lambda text=text: text in optimiser.asked),  # type: ignore[misc]
                    pytest.raises(psycopg.errors.QueryCanceled),
                ):
                    simple(connection, text)


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_an_older_snapshot_is_no_ground_to_serve_on(world: World, level: str) -> None:
    """The guard would see the schema as it was, the planner sees it as it is."""
    with world.connect() as connection:
        connection.execute(f"set default_transaction_isolation = '{level}'")
        assert simple(connection) == FROM_ORIGINAL
        connection.execute("set default_transaction_isolation = 'read committed'")
        assert simple(connection) == FROM_REPLACEMENT
    assert [s.reason for s in world.served()] == ["isolation", ""]
