"""Whose fault a failure is: what a session can make fail, and what of it is held against the rewrite."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from psycopg import sql

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.ports import Guard, Ports, ServedRewrite, ServedStatement
from rewright.proxy.serving.failures import tells_against
from rewright.proxy.serving.index import RewriteIndex
from rewright.wiring.templates import make
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import Reports, guard_of
from tests.proxy.waiting import until

pytestmark = pytest.mark.server

SCHEMA = """
create table item (id int primary key, day date not null, note text not null);
insert into item select n, date '2020-01-01' + n, case when n = 7 then 'x' else n::text end from generate_series(1, 50) n;
create table other (id int primary key);
"""
# the replacement does the same, and tells by another order of its rows that it ran
BY_DAY = "select id from item where day < date ⟦1:s⟧ + interval '0'"
SAME = f"{BY_DAY} order by id desc"
# the replacement alone divides by zero for the literal 7
BY_ID = "select id from item where id = ⟦1:i⟧"
FAILS = "select id / (case when id = 7 then 0 else 1 end) as id from item where id = ⟦1:i⟧"
# the replacement alone needs what may be locked
LOCKED = "select id from item where id in (1, 2)"
LOCKED_REPLACED = "select id from item where id in (1, 2) and not exists (select from other)"
# the replacement alone needs files, if work_mem is small
PLAIN = "select count(*) from item"
SORTED = "select count(*) from (select distinct note || n from item, generate_series(1, 4000) n) x"


class World:
    def __init__(self, server: ScratchServer, database: str, proxy: RunningProxy, reports: Reports) -> None:
        self.server, self.database, self.proxy, self.reports = server, database, proxy, reports

    def connect(self, **more: str) -> psycopg.Connection:
        dsn = self.server.dsn(self.database).replace(f":{self.server.port}/", f":{self.proxy.port}/")
        return psycopg.connect(psycopg.conninfo.make_conninfo(dsn, **more), autocommit=True)

    def direct(self) -> psycopg.Connection:
        return psycopg.connect(self.server.dsn(self.database), autocommit=True)

    def served(self) -> list[ServedStatement]:
        return [r for r in self.reports.all if isinstance(r, ServedStatement)]

    def against(self) -> list[tuple[str, str | None]]:
        return [
            (r.failure, r.original_failure)
            for r in self.served()
            if tells_against(r.failure, r.original_failure)
        ]


@pytest.fixture
def world(scratch_server: ScratchServer, database: str) -> Iterator[World]:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(SCHEMA)
        guard = guard_of(connection, "item")
    index = RewriteIndex(make())
    index.replace(list(made(database, guard)))
    reports = Reports()
    ports = Ports(lookup=index, reporter=reports, settings=RULES)
    with RunningProxy(config(f"host=127.0.0.1 port={scratch_server.port}"), ports) as proxy:
        yield World(scratch_server, database, proxy, reports)
    assert not proxy.problems


def made(database: str, guard: Guard) -> Iterator[ServedRewrite]:
    def one(number: int, original: str, replacement: str, scope: str) -> ServedRewrite:
        return ServedRewrite(number, database, original, replacement, guard, scope, unreserved=True)  # type: ignore[arg-type]

    yield one(1, BY_DAY.replace("'0'", "⟦2:s⟧"), SAME.replace("'0'", "⟦2:s⟧"), "any")
    yield one(2, BY_ID, FAILS, "any")
    yield one(3, LOCKED, LOCKED_REPLACED, "these")
    yield one(4, PLAIN, SORTED, "these")


def run(connection: psycopg.Connection, text: str, *, simple: bool) -> list[int]:
    cursor = psycopg.ClientCursor(connection) if simple else connection.cursor()
    return [row[0] for row in cursor.execute(text.encode()).fetchall()]


def by_day(literal: str) -> str:
    return BY_DAY.replace("⟦1:s⟧", f"'{literal}'")


WAYS = ["simple", "extended", "block"]


@pytest.mark.parametrize("way", WAYS)
def test_what_the_original_cannot_do_either(world: World, way: str) -> None:
    """No rights, no tables in the path, a bad literal: the original fails with the same, or nothing is known
    of it.
    """
    with world.direct() as direct:
        role = f"stranger_{world.database}"
        direct.execute(sql.SQL("create role {0} login password 'x'").format(sql.Identifier(role)))
    with world.connect() as connection:
        assert run(connection, by_day("2020-01-05"), simple=way == "simple") == [3, 2, 1]
        for setting, text, error in (
            (f"set role {role}", by_day("2020-01-05"), "42501"),
            ("reset role; set search_path = ''", by_day("2020-01-05"), "42P01"),
            ("reset search_path", by_day("no day at all"), "22007"),
            ("set statement_timeout = '1ms'; set work_mem = '64kB'", by_day("no day"), "22007"),
            ("reset statement_timeout; set lock_timeout = '1ms'", by_day("2020-02-30"), "22008"),
            ("set datestyle = 'SQL, DMY'", by_day("12/31/2020"), "22008"),
        ):
            connection.execute(setting.encode())
            if way == "block":
                connection.execute("begin")
            with pytest.raises(psycopg.Error) as caught:
                run(connection, text, simple=way == "simple")
            assert caught.value.sqlstate == error
            connection.execute("rollback")
    with world.direct() as direct:
        direct.execute(sql.SQL("drop role {}").format(sql.Identifier(role)))
    if way != "block":
        assert world.against() == []
    # in a block it is only known that the replacement failed
    assert {original for _, original in world.against()} <= {None}


@pytest.mark.parametrize("way", WAYS)
def test_what_only_the_replacement_does(world: World, way: str) -> None:
    with world.connect() as connection:
        if way == "block":
            connection.execute("begin")
            with pytest.raises(psycopg.errors.DivisionByZero):
                run(connection, BY_ID.replace("⟦1:i⟧", "7"), simple=False)
            connection.execute("rollback")
        else:
            assert run(connection, BY_ID.replace("⟦1:i⟧", "7"), simple=way == "simple") == [7]
        assert world.against() == [("22012", None if way == "block" else "")]
        # not again in this session, before more is known of it
        connection.execute("begin")
        assert run(connection, BY_ID.replace("⟦1:i⟧", "7"), simple=True) == [7]
        connection.execute("commit")
    assert world.served()[-1].reason == "doubted"
    with world.connect() as connection:
        assert run(connection, BY_ID.replace("⟦1:i⟧", "8"), simple=True) == [8]
    assert world.served()[-1].route == "replacement"


@pytest.mark.parametrize("simple", [True, False])
def test_locks_and_timeouts_of_the_session_are_its_own(world: World, simple: bool) -> None:
    with world.direct() as blocker, world.connect() as connection:
        blocker.execute("begin; lock table other in access exclusive mode")
        for setting, error in (("lock_timeout = '20ms'", "55P03"), ("statement_timeout = '60ms'", "57014")):
            connection.execute(f"reset all; set {setting}".encode())
            with pytest.raises(psycopg.Error) as caught:
                run(connection, LOCKED, simple=simple)
            assert caught.value.sqlstate == error
        blocker.execute("rollback")
    assert world.against() == []


def test_resources_of_the_session_are_its_own(world: World) -> None:
    with world.connect() as connection:
        connection.execute(
            "set work_mem = '64kB'; set temp_file_limit = '100kB'; set max_parallel_workers_per_gather = 0"
        )
        for simple in (True, False):
            with pytest.raises(psycopg.errors.ConfigurationLimitExceeded):
                run(connection, PLAIN, simple=simple)
    assert world.against() == []


def test_a_session_that_is_killed(world: World) -> None:
    with world.direct() as blocker, world.connect() as connection:
        blocker.execute("begin; lock table other in access exclusive mode")
        pid = connection.execute("select pg_backend_pid()").fetchone()[0]  # type: ignore[index]

        def kill() -> None:
            def waits() -> bool:
                row = blocker.execute(
                    "select wait_event_type = 'Lock' from pg_stat_activity where pid = %s", [pid]
                ).fetchone()
                return row is not None and bool(row[0])

            blocker.execute("select pg_stat_clear_snapshot()")
            until(lambda: blocker.execute("select pg_stat_clear_snapshot()") and waits())
            blocker.execute("select pg_terminate_backend(%s)", [pid])

        thread = threading.Thread(target=kill)
        thread.start()
        with pytest.raises(psycopg.OperationalError):
            run(connection, LOCKED, simple=True)
        thread.join()
        blocker.execute("rollback")
    assert world.against() == []


def test_a_doubted_rewrite_is_not_served_to_who_doubts_it(world: World) -> None:
    lookup = world.proxy.proxy.ports.lookup
    assert isinstance(lookup, RewriteIndex)
    with world.direct() as direct:
        guard = guard_of(direct, "item")
    lookup.replace([replace(one, doubted_by=frozenset({"postgres"})) for one in made(world.database, guard)])
    with world.connect() as connection:
        assert run(connection, by_day("2020-01-05"), simple=True) == [1, 2, 3]
    assert world.served()[-1].reason == "doubted"
