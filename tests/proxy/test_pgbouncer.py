"""Rewright beside PgBouncer: before it and behind it, in session mode and in transaction mode."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.ports import Ports, ServedStatement
from rewright.proxy.serving.kept_settings import WHO_SERVES
from rewright.proxy.wire.startup import StartupMessage
from tests.proxy.bouncers import Bouncer, prepares, running_bouncer
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import (
    BY_ID,
    FROM_ORIGINAL,
    FROM_REPLACEMENT,
    ORIGINAL,
    SCHEMA,
    Reports,
    index_for,
)
from tests.proxy.waiting import cancelled_when, queries_running, until

pytestmark = pytest.mark.server
SIZE = 2  # server connections; the tests have more clients than that


@dataclass
class World:
    """Clients reach the database through a proxy and a PgBouncer. ``first``: which of the two they meet."""

    dsn: str
    direct: str
    reports: Reports
    bouncer: Bouncer
    first: str
    mode: str
    proxy: RunningProxy

    def connect(self, **parameters: object) -> psycopg.Connection:
        threshold = parameters.pop("prepare_threshold", None)
        return psycopg.connect(self.dsn, autocommit=True, prepare_threshold=threshold, **parameters)  # type: ignore[arg-type]

    def served(self) -> int:
        return sum(isinstance(r, ServedStatement) and r.route == "replacement" for r in self.reports.all)

    def reasons(self) -> set[str]:
        return {r.reason for r in self.reports.all if isinstance(r, ServedStatement)}

    @property
    def shares(self) -> bool:
        return self.mode == "transaction"


def ask(connection: psycopg.Connection, text: str = ORIGINAL) -> object:
    """By a simple Query."""
    return psycopg.ClientCursor(connection).execute(text).fetchall()


@contextlib.contextmanager
def world(
    server: ScratchServer,
    database: str,
    first: str,
    mode: str,
    *,
    evidence: str = "proved",
    **options: object,
) -> Iterator[World]:
    with psycopg.connect(server.dsn(database), autocommit=True) as connection:
        connection.execute(SCHEMA)
    reports = Reports()
    index = index_for(server.dsn(database), database, unreserved=True, evidence=evidence)
    ports = Ports(lookup=index, reporter=reports, settings=RULES)
    password = server.address.passwords["postgres"]
    settings = {"size": SIZE, **options}
    if prepares():
        settings.setdefault("max_prepared_statements", 50)
    with contextlib.ExitStack() as stack:
        if first == "rewright":
            bouncer = stack.enter_context(running_bouncer(server.port, password, mode=mode, **settings))  # type: ignore[arg-type]
            proxy = stack.enter_context(RunningProxy(config(f"host=127.0.0.1 port={bouncer.port}"), ports))
            dsn = f"host=127.0.0.1 port={proxy.port} user=postgres dbname={database}"
        else:
            proxy = stack.enter_context(RunningProxy(config(f"host=127.0.0.1 port={server.port}"), ports))
            if mode == "transaction":
                settings.setdefault("database_options", "connect_query='set rewright.pooled = on'")
            bouncer = stack.enter_context(running_bouncer(proxy.port, password, mode=mode, **settings))  # type: ignore[arg-type]
            dsn = bouncer.dsn(database)
        yield World(dsn, server.dsn(database), reports, bouncer, first, mode, proxy)
    assert not proxy.problems


@pytest.fixture(
    params=[
        ("rewright", "transaction"),
        ("rewright", "session"),
        ("pgbouncer", "transaction"),
        ("pgbouncer", "session"),
    ],
    ids="-".join,
)
def placed(request: pytest.FixtureRequest, scratch_server: ScratchServer, database: str) -> Iterator[World]:
    with world(scratch_server, database, *request.param) as made:
        yield made


@pytest.fixture(params=["rewright", "pgbouncer"])
def shared(request: pytest.FixtureRequest, scratch_server: ScratchServer, database: str) -> Iterator[World]:
    """Transaction mode, with one connection of the server: what a client leaves there the next one meets."""
    with world(scratch_server, database, request.param, "transaction", size=1) as made:
        yield made


def in_threads(count: int, work: Callable[[int], None]) -> list[str]:
    """What went wrong."""
    wrong: list[str] = []

    def run(number: int) -> None:
        try:
            work(number)
        except (AssertionError, psycopg.Error) as error:
            wrong.append(f"{number}: {error!r}")

    threads = [threading.Thread(target=run, args=(n,), name=f"client {n}") for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def test_each_client_gets_what_it_asked_for(placed: World) -> None:
    """More clients than connections, half of them in a mode of their own for each transaction: none gets
    another's.
    """
    clients = 2 * SIZE + 2 if placed.shares else SIZE

    def work(number: int) -> None:
        off = number % 2 == 1
        expected = FROM_ORIGINAL if off else FROM_REPLACEMENT
        with placed.connect() as connection:
            for turn in range(12):
                connection.execute("begin")
                if off:
                    connection.execute("set local rewright.mode = off")
                found = ask(connection)
                assert found == expected, (number, turn, found)
                key = 1 + turn % 9
                row = psycopg.RawCursor(connection).execute(BY_ID, [key]).fetchall()
                assert row == [(key, key * 10 + (0 if off else 1_000_000))], (number, turn, row)
                connection.execute("commit")

    wrong = in_threads(clients, work)
    assert not wrong, wrong[:3]
    assert placed.served()


def test_a_setting_stays_with_the_client_that_made_it(shared: World) -> None:
    with shared.connect() as one, shared.connect() as other:
        assert ask(other) == FROM_REPLACEMENT
        one.execute("set rewright.mode = off")
        assert ask(other) == FROM_REPLACEMENT
        if shared.first == "rewright":
            assert ask(one) == FROM_ORIGINAL
            assert one.execute("show rewright.mode").fetchall() == [("off",)]
        assert other.execute("show rewright.mode").fetchall() == [("apply",)]
        with shared.connect() as third:
            assert ask(third) == FROM_REPLACEMENT


def test_a_weaker_trust_stays_with_the_client_that_chose_it(
    scratch_server: ScratchServer, database: str
) -> None:
    with (
        world(scratch_server, database, "rewright", "transaction", size=1, evidence="tested") as made,
        made.connect() as one,
        made.connect() as other,
    ):
        one.execute("set rewright.trust = tested")
        assert ask(one) == FROM_REPLACEMENT
        assert ask(other) == FROM_ORIGINAL
        with made.connect() as third:
            assert ask(third) == FROM_ORIGINAL


def test_what_a_session_keeps_follows_its_transactions(scratch_server: ScratchServer, database: str) -> None:
    steps = [
        ("set rewright.mode = off", FROM_ORIGINAL),
        ("begin", FROM_ORIGINAL),
        ("set rewright.mode = apply", FROM_REPLACEMENT),
        ("rollback", FROM_ORIGINAL),
        ("begin", FROM_ORIGINAL),
        ("set local rewright.mode = apply", FROM_REPLACEMENT),
        ("commit", FROM_ORIGINAL),
        ("reset rewright.mode", FROM_REPLACEMENT),
        ("select set_config('rewright.mode', 'off', false)", FROM_ORIGINAL),
        ("reset all", FROM_REPLACEMENT),
        ("begin", FROM_REPLACEMENT),
        ("set rewright.mode to 'off'", FROM_ORIGINAL),
        ("commit and chain", FROM_ORIGINAL),
        ("rollback", FROM_ORIGINAL),
        ("set rewright.mode to default", FROM_REPLACEMENT),
        ("begin", FROM_REPLACEMENT),
        ("savepoint a", FROM_REPLACEMENT),
        ("set local rewright.notice = on", FROM_REPLACEMENT),
        ("rollback to a", FROM_ORIGINAL),  # nobody keeps count of savepoints: nothing is served
        ("commit", FROM_REPLACEMENT),
        ("set rewright.mode = off; select 1", FROM_ORIGINAL),  # two statements: not read
        ("reset all", FROM_REPLACEMENT),
    ]
    with world(scratch_server, database, "rewright", "transaction") as made, made.connect() as one:
        client = psycopg.ClientCursor(one)
        for number, (step, expected) in enumerate(steps):
            client.execute(step)
            assert ask(one) == expected, (number, step)


def test_a_change_inside_other_statements_is_not_passed_over(shared: World) -> None:
    """Prepared in one cycle, executed in another; nobody reads what it does: nothing is served."""
    with shared.connect() as one:
        one.execute("begin")
        raw = psycopg.RawCursor(one)
        raw.execute("select 1, set_config('rewright.mode', $1, true)", ["off"])
        assert ask(one) == FROM_ORIGINAL
        one.execute("rollback")
        assert ask(one) == FROM_REPLACEMENT


def test_settings_that_could_not_be_read(scratch_server: ScratchServer, database: str) -> None:
    """Whose the server's connection is stays unknown: nothing is served."""
    with world(scratch_server, database, "rewright", "transaction", size=1) as made:
        text = "begin -- " + "x" * (3 << 20)  # too long to be looked at
        with made.connect() as one, made.connect() as other:
            psycopg.ClientCursor(other).execute("set rewright.trust = judged")
            psycopg.ClientCursor(one).execute(text)
            assert ask(one) == FROM_ORIGINAL
            one.execute("rollback")
            assert ask(one) == FROM_REPLACEMENT


@pytest.mark.parametrize("minor", [0, 2, 9999])
def test_protocol_versions_are_pgbouncers_business(
    scratch_server: ScratchServer, database: str, minor: int
) -> None:
    def first_word(port: int) -> bytes:
        startup = StartupMessage(3, minor, ((b"user", b"postgres"), (b"database", database.encode())))
        with socket.create_connection(("127.0.0.1", port), 30) as client:
            client.sendall(startup.encode())
            return client.recv(1)

    with world(scratch_server, database, "rewright", "transaction") as made:
        assert first_word(made.proxy.port) == first_word(made.bouncer.port)


@pytest.mark.parametrize("role", ["plain", "postgres"])
def test_an_ordinary_role_can_ask_whose_connection_it_has(
    scratch_server: ScratchServer, database: str, role: str
) -> None:
    with psycopg.connect(scratch_server.dsn(database)) as connection:
        if role != "postgres":
            connection.execute(f"create role {role}")  # gone with the transaction
            connection.execute(f"set local role {role}")
        pid = connection.info.backend_pid
        asked = psycopg.RawCursor(connection)
        question = f"select {WHO_SERVES}"
        assert asked.execute(question, [str(pid)]).fetchall() == [("false", "{}")]
        assert asked.execute(question, ["1"]).fetchall() == [("true", "{}")]
        connection.rollback()


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_a_failed_set_changes_nothing(shared: World, end: str) -> None:
    with shared.connect() as one:
        one.execute("begin")
        with pytest.raises(psycopg.errors.DivisionByZero):
            one.execute("select 1/0")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            one.execute("set rewright.mode = off")
        one.execute(end)
        assert ask(one) == FROM_REPLACEMENT
        with pytest.raises(psycopg.errors.DivisionByZero):
            _in_one_pipeline(one, "set rewright.mode = off", "select 1/0")
        assert ask(one) == FROM_REPLACEMENT


def _in_one_pipeline(connection: psycopg.Connection, *texts: str) -> None:
    with connection.pipeline():
        for text in texts:
            connection.execute(text)


def test_settings_in_a_startup_packet_that_a_pooler_refuses(
    scratch_server: ScratchServer, database: str
) -> None:
    with world(scratch_server, database, "rewright", "transaction", size=1) as made:
        with made.connect(options="-c rewright.mode=off") as one, made.connect() as other:
            assert ask(one) == FROM_ORIGINAL
            assert ask(other) == FROM_REPLACEMENT
            assert one.execute("show rewright.mode").fetchall() == [("off",)]
            one.execute("set rewright.mode = apply")
            assert ask(one) == FROM_REPLACEMENT
            one.execute("reset rewright.mode")
            assert ask(one) == FROM_ORIGINAL
        with pytest.raises(psycopg.OperationalError, match="unsupported startup parameter"):
            made.connect(options="-c rewright.mode=off -c geqo=off")


def test_settings_of_a_role_count_behind_a_pooler(scratch_server: ScratchServer, database: str) -> None:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as admin:
        admin.execute(f"alter database {database} set rewright.mode = off")
    with (
        world(scratch_server, database, "rewright", "transaction", size=1) as made,
        made.connect() as one,
        made.connect() as other,
    ):
        assert ask(one) == FROM_ORIGINAL
        one.execute("set rewright.mode = apply")
        assert ask(one) == FROM_REPLACEMENT
        assert ask(other) == FROM_ORIGINAL


def test_blocks_on_connections_that_have_not_seen_our_statements(
    scratch_server: ScratchServer, database: str
) -> None:
    """A private statement of an earlier transaction is missing in this one: inside a block nothing could be
    taken back.
    """
    with (
        world(scratch_server, database, "rewright", "transaction", size=2, server_round_robin=1) as made,
        made.connect() as one,
    ):
        for _ in range(6):
            one.execute("begin")
            assert ask(one) == FROM_REPLACEMENT
            one.execute("commit")
            made.bouncer.command(f"reconnect {database}")


def test_a_cancel_ends_the_query_it_was_meant_for(placed: World) -> None:
    with placed.connect() as one, placed.connect() as other:
        ended = threading.Event()

        def wait() -> None:
            with contextlib.suppress(psycopg.errors.QueryCanceled):
                other.execute("select pg_sleep(61)")
            ended.set()

        ask(one)
        running = threading.Thread(target=wait)
        running.start()
        until(lambda: queries_running(placed.direct, "pg_sleep(61)"))
        with (
            cancelled_when(one, lambda: queries_running(placed.direct, "pg_sleep(60)")),
            pytest.raises(psycopg.errors.QueryCanceled),
        ):
            one.execute("select pg_sleep(60)")
        assert ask(one) == FROM_REPLACEMENT
        assert not ended.is_set()
        other.cancel_safe()
        running.join()
        assert other.execute("select 1").fetchall() == [(1,)]


def test_a_table_of_the_session_hides_the_served_one(placed: World) -> None:
    with placed.connect() as one, placed.connect() as other:
        one.execute("begin")
        one.execute("create temp table item on commit drop as select 1 as id, 7 as price")
        assert ask(one) == [(1, 7)]
        assert ask(other) == FROM_REPLACEMENT
        one.execute("rollback")
        assert ask(one) == FROM_REPLACEMENT


def test_what_a_transaction_holds(placed: World) -> None:
    """The same steps with the same outcome as on the server itself, but for the replacement's mark in the
    prices.
    """
    steps = [
        "begin",
        "select pg_try_advisory_xact_lock(7)",
        "set local statement_timeout = '20s'",
        "show statement_timeout",
        "declare c no scroll cursor for select id from item order by id",
        "fetch 3 from c",
        "fetch 2 from c",
        "prepare p (int) as select note from item where id = $1",
        "execute p (4)",
        "deallocate p",
        "savepoint a",
        "select 1/0",
        "rollback to a",
        ORIGINAL,
        "commit",
        "show statement_timeout",
        "select nosuch",
        "explain (costs off) select id from item where id = 3",
    ]

    def outcome(connection: psycopg.Connection, step: str) -> object:
        try:
            cursor = psycopg.ClientCursor(connection).execute(step)
        except psycopg.Error as error:
            return error.sqlstate, str(error)
        return cursor.statusmessage, cursor.fetchall() if cursor.description else None

    with psycopg.connect(placed.direct, autocommit=True) as direct:
        expected = [outcome(direct, step) for step in steps]
    with placed.connect() as through:
        for step, there in zip(steps, expected, strict=True):
            here = outcome(through, step)
            if step == ORIGINAL:
                assert (there, here) == (("SELECT 3", FROM_ORIGINAL), ("SELECT 3", FROM_REPLACEMENT))
            else:
                assert here == there, step


def test_copies_portions_and_pipelines(placed: World) -> None:
    with placed.connect() as one:
        with one.cursor().copy("copy (select id from item where id < 4 order by id) to stdout") as copy:
            assert b"".join(copy) == b"1\n2\n3\n"
        with one.transaction(), one.cursor(name="portions") as cursor:
            cursor.itersize = 7
            assert len(cursor.execute("select id from item").fetchall()) == 100
        with one.pipeline():
            cursors = [one.execute(ORIGINAL, prepare=False) for _ in range(4)]
        assert all(cursor.fetchall() in (FROM_ORIGINAL, FROM_REPLACEMENT) for cursor in cursors)
        with one.cursor().copy("copy part (id, item) from stdin") as copy:
            copy.write("900\t1\n")
        assert one.execute("select item from part where id = 900").fetchall() == [(1,)]


def test_statements_prepared_by_name(placed: World) -> None:
    if placed.shares and not prepares():
        pytest.skip("this PgBouncer carries no prepared statements between connections")
    before = placed.served()

    def work(number: int) -> None:
        with placed.connect(prepare_threshold=5) as one:
            for turn in range(12):
                key = 1 + (number + turn) % 9
                row = psycopg.RawCursor(one).execute(BY_ID, [key], prepare=True).fetchall()
                assert row in ([(key, key * 10)], [(key, key * 10 + 1_000_000)]), (number, turn, row)

    wrong = in_threads(SIZE if not placed.shares else 5, work)
    assert not wrong, wrong[:3]
    assert placed.served() > before, placed.reasons()


def test_what_only_a_session_mode_can_give(placed: World) -> None:
    if placed.shares:
        return  # PgBouncer's own limits: they are in its manual
    with placed.connect() as one, placed.connect() as other:
        one.execute("listen news")
        other.execute("notify news, 'hello'")
        assert next(one.notifies(timeout=30, stop_after=1)).payload == "hello"
        assert one.execute("select pg_advisory_lock(5)") is not None
        assert other.execute("select pg_try_advisory_lock(5)").fetchall() == [(False,)]
        one.execute(f"prepare mine as {ORIGINAL}")
        assert one.execute("execute mine").fetchall() == FROM_ORIGINAL
        one.execute("create temp table item as select 1 as id, 7 as price")
        assert ask(one) == [(1, 7)]
        one.execute("discard temp")
        one.execute("set rewright.mode = off")
        assert ask(one) == FROM_ORIGINAL
        assert ask(other) == FROM_REPLACEMENT


def test_a_connection_is_clean_for_its_next_client(scratch_server: ScratchServer, database: str) -> None:
    """Session mode, one connection: PgBouncer sends DISCARD ALL between two clients."""
    for first in ("rewright", "pgbouncer"):
        with psycopg.connect(scratch_server.dsn(database), autocommit=True) as admin:
            admin.execute("drop table if exists part, item")
        with world(scratch_server, database, first, "session", size=1) as made:
            for _ in range(3):
                with made.connect(prepare_threshold=5) as one:
                    assert ask(one) == FROM_REPLACEMENT
                    assert psycopg.RawCursor(one).execute(BY_ID, [3], prepare=True).fetchall() == [
                        (3, 1_000_030)
                    ]
                    one.execute("set rewright.mode = off")
                    one.execute("create temp table item as select 1 as id, 7 as price")
                    assert ask(one) == [(1, 7)]


def test_connections_replaced_beneath(placed: World) -> None:
    """RECONNECT, PAUSE and RESUME, and backends that are killed: answers are right or errors, and then all is
    well again.
    """
    stop = threading.Event()

    def work(_number: int) -> None:
        connection = placed.connect()
        while not stop.is_set():
            try:
                found = ask(connection)
            except psycopg.Error:
                connection.close()
                connection = _connected_again(placed)
                continue
            assert found in (FROM_ORIGINAL, FROM_REPLACEMENT), found
        connection.close()

    wrong: list[str] = []
    busy = threading.Thread(target=lambda: wrong.extend(in_threads(SIZE, work)))
    busy.start()
    try:
        database = psycopg.conninfo.conninfo_to_dict(placed.direct)["dbname"]
        with psycopg.connect(placed.direct, autocommit=True) as admin:
            for _ in range(3):
                before = placed.served()
                placed.bouncer.command(f"reconnect {database}")
                if placed.shares:
                    placed.bouncer.command(f"pause {database}")
                    placed.bouncer.command(f"resume {database}")
                admin.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
                    " and pid <> pg_backend_pid()"
                )
                until(lambda: placed.served() > before)  # noqa: B023 -- it is called at once
    finally:
        stop.set()
        busy.join()
    assert not wrong, wrong[:3]


def _connected_again(placed: World) -> psycopg.Connection:
    made: list[psycopg.Connection] = []

    def connects() -> bool:
        with contextlib.suppress(psycopg.Error):
            made.append(placed.connect())
        return bool(made)

    until(connects)
    return made[0]
