"""Answers that are held back until they are whole, through real clients and a real server: a replacement that
fails late, or gives too much, is never seen.

The rows are a thousand bytes each, and not sorted: a server sends them long before the last one is computed.
"""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from dataclasses import replace

import asyncpg
import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.config import Limits
from rewright.proxy.ports import Guard, Ports, ServedRewrite
from rewright.proxy.serving.index import RewriteIndex
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import Reports, guard_of
from tests.proxy.test_relay import program
from tests.proxy.test_serving import Switch, World
from tests.proxy.waiting import cancelled_when, until

pytestmark = pytest.mark.server

SCHEMA = """
create table wide (id int primary key, note text not null);
insert into wide select n, repeat(chr(97 + n % 26), 1000) from generate_series(1, 100) as n;
create function said(id int) returns bool language plpgsql as
  $$ begin raise notice 'row %', id; return true; end $$;
"""
HOLD = 200_000


def original(number: int) -> str:
    return f"select id, note from wide where id > -{number}"


def failing(number: int, row: int, more: str = "") -> tuple[str, str]:
    """A query, and one that fails at a row."""
    divided = f"select id / (case when id = {row} then 0 else 1 end) as id, note from wide"
    return original(number), f"{divided} where id > -{number}{more}"


AT_FIRST, SECOND, LATE = failing(1, 1), failing(2, 2), failing(3, 90)
SAYS = failing(4, 90, " and said(wide.id)")
# their order tells which of the two ran
TURNED = original(5), f"{original(5)} order by id desc"
SLEEPS = (
    original(6),
    ("select id, note from wide where id > -6 and (id < 50 or pg_sleep(60) is not null)"),
)
BOTH = (
    "select 1 / (id - 90) as id, note from wide where id > -7",
    "select 1 / (id - 90) as id, note from wide where id > -7 and id > 0 order by wide.id desc",
)
LARGE = (
    "select id, repeat(note, 5) as note from wide where id > -8 order by id",
    ("select id, repeat(note, 5) as note from wide where id > -8 order by id desc"),
)
PAIRS = (AT_FIRST, SECOND, LATE, SAYS, TURNED, SLEEPS, BOTH, LARGE)


def made(database: str, guard: Guard) -> list[ServedRewrite]:
    return [ServedRewrite(number, database, *pair, guard, held=True) for number, pair in enumerate(PAIRS, 1)]


@pytest.fixture
def world(scratch_server: ScratchServer, database: str) -> Iterator[World]:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(SCHEMA)
        guard = guard_of(connection, "wide")
    index = RewriteIndex()
    index.replace(made(database, guard))
    reports, pause = Reports(), Switch()
    ports = Ports(lookup=index, reporter=reports, settings=RULES, pause=pause)
    dsn = f"host=127.0.0.1 port={scratch_server.port}"
    with RunningProxy(config(dsn, limits=Limits(hold=HOLD)), ports) as proxy:
        yield World(proxy, scratch_server, database, index, reports, pause)
    assert not proxy.problems


Seen = tuple[list[tuple[int, str]], str]


def seen(connection: psycopg.Connection, text: str, *, simple: bool) -> Seen:
    """The rows as they come, and the SQLSTATE of the error behind them; empty: none."""
    cursor = psycopg.ClientCursor(connection) if simple else psycopg.Cursor(connection)
    rows: list[tuple[int, str]] = []
    try:
        rows.extend(cursor.stream(text.encode()))
    except psycopg.Error as error:
        return rows, error.sqlstate or type(error).__name__
    return rows, ""


def whole(world: World, text: str) -> Seen:
    with world.direct() as direct:
        return seen(direct, text, simple=True)


def routes(world: World) -> list[tuple[str, str]]:
    return [(one.route, one.reason) for one in world.served()]


SIMPLE = pytest.mark.parametrize("simple", [True, False])


@SIMPLE
@pytest.mark.parametrize("pair", [AT_FIRST, SECOND, LATE])
def test_a_replacement_that_fails_is_not_seen(world: World, pair: tuple[str, str], *, simple: bool) -> None:
    with world.connect() as connection:
        assert seen(connection, pair[0], simple=simple) == whole(world, pair[0])
        assert seen(connection, TURNED[0], simple=simple)[0][0][0] == 100
    assert routes(world) == [("fallback", "failed"), ("replacement", "")]
    first = world.served()[0]
    assert (first.failure, first.original_failure, first.sqlstate, first.rows) == ("22012", "", "", 100)


@SIMPLE
def test_an_error_of_both_comes_from_the_original(world: World, *, simple: bool) -> None:
    """With the rows that it gave before it: the replacement's came in another order."""
    expected = whole(world, BOTH[0])
    assert (len(expected[0]), expected[1]) == (89, "22012")
    with world.connect() as connection:
        assert seen(connection, BOTH[0], simple=simple) == expected
    (one,) = world.served()
    assert (one.route, one.failure, one.original_failure, one.sqlstate) == (
        "fallback",
        "22012",
        "22012",
        "22012",
    )


@SIMPLE
def test_an_answer_that_is_too_large_is_the_originals(world: World, *, simple: bool) -> None:
    expected = whole(world, LARGE[0])
    with world.connect() as connection, world.connect() as another:
        for one in (connection, another, connection):
            assert seen(one, LARGE[0], simple=simple) == expected
        assert seen(connection, TURNED[0], simple=simple)[0][0][0] == 100
    assert routes(world) == [("fallback", "too large"), *[("original", "too large")] * 2, ("replacement", "")]
    fallback = world.served()[0]
    # what was done in vain is told
    assert (fallback.failure, fallback.rows) == ("", 100)
    assert fallback.overhead > 0


@SIMPLE
def test_more_room_counts_at_once(world: World, *, simple: bool) -> None:
    with world.connect() as connection:
        assert seen(connection, LARGE[0], simple=simple)[0][0][0] == 1
        for hold, first in ((10 * HOLD, 100), (HOLD, 1), (10 * HOLD, 100), (0, 100)):
            proxy = world.proxy.proxy
            proxy.config = replace(proxy.config, limits=replace(proxy.config.limits, hold=hold))
            assert seen(connection, LARGE[0], simple=simple)[0][0][0] == first


@SIMPLE
def test_a_cancel_ends_the_statement(world: World, *, simple: bool) -> None:
    with world.direct() as direct, world.connect() as connection:
        pid = connection.info.backend_pid

        def sleeps() -> bool:
            asked = "select count(*) from pg_stat_activity where pid = %s and wait_event = 'PgSleep'"
            return direct.execute(asked, [pid]).fetchone() == (1,)

        with cancelled_when(connection, sleeps):
            assert seen(connection, SLEEPS[0], simple=simple) == ([], "57014")
        assert seen(connection, "select 1, ''", simple=simple) == ([(1, "")], "")
    (one,) = world.served()
    assert (one.route, one.sqlstate, one.failure) == ("replacement", "57014", "")


@SIMPLE
def test_a_timeout_ends_the_statement(world: World, *, simple: bool) -> None:
    with world.connect() as connection:
        connection.execute("set statement_timeout = '400ms'")
        assert seen(connection, SLEEPS[0], simple=simple) == ([], "57014")
        assert seen(connection, "select 1, ''", simple=simple) == ([(1, "")], "")


@SIMPLE
def test_a_server_process_that_is_ended(world: World, *, simple: bool) -> None:
    with world.direct() as direct, world.connect() as connection:
        pid = connection.info.backend_pid

        def sleeps() -> bool:
            asked = "select count(*) from pg_stat_activity where pid = %s and wait_event = 'PgSleep'"
            if direct.execute(asked, [pid]).fetchone() != (1,):
                return False
            direct.execute("select pg_terminate_backend(%s)", [pid])
            return True

        with cancelled_when(connection, sleeps):
            assert seen(connection, SLEEPS[0], simple=simple) == ([], "57P01")


@SIMPLE
def test_in_a_block_the_original_runs(world: World, *, simple: bool) -> None:
    expected = whole(world, LATE[0])
    with world.connect() as connection, connection.transaction():
        assert seen(connection, LATE[0], simple=simple) == expected
    assert routes(world) == [("original", "block")]


def test_portions_come_from_the_original(world: World) -> None:
    async def play() -> list[object]:
        connection = await asyncpg.connect(world.dsn())
        found = [await connection.fetchval(TURNED[0]), (await connection.fetch(TURNED[0]))[0][0]]
        await connection.close()
        return found

    assert asyncio.run(play()) == [1, 100]
    assert routes(world) == [("original", "portions"), ("replacement", "")]


def test_asyncpg_sees_the_original(world: World) -> None:
    async def play(dsn: str) -> list[list[tuple[int, str]]]:
        connection = await asyncpg.connect(dsn)
        prepared = await connection.prepare(LATE[0])
        found = [await connection.fetch(text) for text in (AT_FIRST[0], LATE[0], SAYS[0])]
        found += [await prepared.fetch(), await connection.fetch("select 42, 'x'")]
        await connection.close()
        return [[tuple(row) for row in rows] for rows in found]

    direct = world.server.dsn(world.database)
    assert asyncio.run(play(world.dsn())) == asyncio.run(play(direct))
    assert routes(world)[:3] == [("fallback", "failed")] * 3


def test_psql_sees_the_original(world: World) -> None:
    def said(dsn: str) -> str:
        commands = [f"-c{text}" for text in (LATE[0], BOTH[0], f"copy ({LATE[0]}) to stdout", "select 42")]
        command = [program("psql"), "-X", "-A", "-t", *commands, dsn]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        return done.stdout + done.stderr

    assert said(world.dsn()) == said(world.server.dsn(world.database))
    assert {route for route, _ in routes(world)[:2]} == {"fallback"}


def test_statements_sent_behind_it_wait(world: World) -> None:
    expected, _ = whole(world, LATE[0])
    large, _ = whole(world, LARGE[0])
    with world.connect() as connection, connection.pipeline():
        found = [
            connection.execute(text)
            for text in (LATE[0], "select 42", SECOND[0], TURNED[0], LARGE[0], "select 43", LARGE[0])
        ]
        rows = [one.fetchall() for one in found]
    assert rows == [expected, [(42,)], expected, rows[3], large, [(43,)], large]


def test_cycles_sent_at_once(world: World) -> None:
    """Two executions, each with its Sync, before the first is answered."""
    expected, _ = whole(world, LATE[0])
    with world.connect() as connection, connection.pipeline() as pipeline:
        first = connection.execute(LATE[0])
        pipeline.sync()
        second = connection.execute(LATE[0])
        pipeline.sync()
        assert first.fetchall() == second.fetchall() == expected


def copied(connection: psycopg.Connection, text: str) -> str:
    with connection.cursor().copy(f"copy ({text}) to stdout (format csv)".encode()) as copy:
        return b"".join(bytes(piece) for piece in copy).decode()


@pytest.mark.parametrize("pair", [AT_FIRST, SECOND, LATE, LARGE])
def test_a_copy_is_held_back(world: World, pair: tuple[str, str]) -> None:
    with world.direct() as direct:
        expected = copied(direct, pair[0])
    with world.connect() as connection:
        assert copied(connection, pair[0]) == expected
        assert copied(connection, TURNED[0]).startswith("100,")
    assert routes(world) == [("fallback", "too large" if pair is LARGE else "failed"), ("replacement", "")]


def test_statements_that_write(world: World) -> None:
    with world.connect() as connection:
        connection.execute(f"create table made as {LATE[0]}".encode())
        connection.execute(f"insert into made {SECOND[0]}".encode())
        assert connection.execute("select count(*), min(id), max(id) from made").fetchone() == (200, 1, 100)
    assert routes(world) == [("fallback", "failed")] * 2


@SIMPLE
def test_notices_of_what_is_not_seen_are_not_seen(world: World, *, simple: bool) -> None:
    expected = whole(world, SAYS[0])
    said: list[str] = []
    with world.connect() as connection:
        connection.add_notice_handler(lambda diag: said.append(str(diag.message_primary)))
        assert seen(connection, SAYS[0], simple=simple) == expected
    assert said == []
    assert routes(world) == [("fallback", "failed")]


@SIMPLE
def test_what_is_held_back_counts_as_memory_of_the_session(world: World, *, simple: bool) -> None:
    with world.connect() as connection:

        def most() -> int:
            sessions = [one.session for one in list(world.proxy.proxy._connections.values())]
            return max(0 if one is None else one.held_bytes for one in sessions)

        with cancelled_when(connection, lambda: most() > 40_000):
            assert seen(connection, SLEEPS[0], simple=simple) == ([], "57014")
        until(lambda: most() == 0)
