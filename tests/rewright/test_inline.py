"""``rewright.mode = inline``, end to end: an expensive query is held until its rewrite is there, or its time
is up.
"""

from __future__ import annotations

import itertools
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from tests.proxy.waiting import Stopwatch, cancelled
from tests.rewright.serving import QUERY, Running, children, connect, last, wait

pytestmark = [pytest.mark.server, pytest.mark.timeout(280), pytest.mark.long]
# slow ones are not reported: what is served was found while a query was held
HELD = "set rewright.mode = inline; set rewright.min_cost = 10000; set rewright.min_duration = '1h'"
READY = itertools.count()
# what a query may be held for in the tests that show that it is not
HOLD_SECONDS = 120


@pytest.fixture(scope="module")
def running(
    scratch_server: ScratchServer, sample: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    upstream = scratch_server.dsn(sample).rsplit("/", 1)[0]
    # a query is not held for longer than its cost lets expect it to run
    with psycopg.connect(scratch_server.dsn(sample), autocommit=True) as connection:
        connection.execute(f'alter database "{sample}" set cpu_tuple_cost = 100'.encode())
    store = tmp_path_factory.mktemp("inline") / "store.db"
    addresses = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--store", str(store)]
    started = Running(
        [*addresses, "--workers", "2", "--upstream", upstream],
        {"REWRIGHT_DATABASES__*__OPTIMISER_DSN": upstream},
    )
    try:
        wait(lambda: "optimiser_jobs_received_total" in started.get("/metrics"))
        yield started
    finally:
        started.stop()
        with psycopg.connect(scratch_server.dsn(sample), autocommit=True) as connection:
            connection.execute(f'alter database "{sample}" reset cpu_tuple_cost'.encode())


@pytest.fixture
def client(running: Running, scratch_server: ScratchServer, sample: str) -> Iterator[psycopg.Connection[Any]]:
    with connect(running, scratch_server, sample) as connection:
        psycopg.ClientCursor(connection).execute(HELD)
        _await_idle_optimiser(connection)
        yield connection


def _await_idle_optimiser(connection: psycopg.Connection[Any]) -> None:
    """It may still work on what the test before cancelled, or be starting again."""
    connection.execute("set rewright.budget = '2min'")

    def answers() -> bool:
        simple(connection, f"select * from ({QUERY}) ready_{next(READY)}")
        return last(connection).startswith("replacement")

    wait(answers, 240)
    connection.execute("reset rewright.budget")


def optimiser(running: Running) -> int:
    """The nicest of the children."""
    return max(children(running.process.pid), key=lambda pid: os.getpriority(os.PRIO_PROCESS, pid))


@contextmanager
def stopped(running: Running) -> Iterator[int]:
    """The optimiser takes questions and does not answer."""
    pid = optimiser(running)
    os.kill(pid, signal.SIGSTOP)
    try:
        yield pid
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def simple(connection: psycopg.Connection[Any], query: str) -> list[tuple[Any, ...]]:
    return psycopg.ClientCursor(connection).execute(query).fetchall()


def extended(connection: psycopg.Connection[Any], query: str) -> list[tuple[Any, ...]]:
    return psycopg.RawCursor(connection).execute(query.encode(), []).fetchall()


def test_two_that_are_held_at_once_are_both_served(
    running: Running, scratch_server: ScratchServer, sample: str, client: psycopg.Connection[Any]
) -> None:
    served: dict[str, str] = {}

    def run(connection: psycopg.Connection[Any], name: str) -> None:
        simple(connection, f"select * from ({QUERY}) {name}")
        served[name] = last(connection)

    with connect(running, scratch_server, sample) as other:
        psycopg.ClientCursor(other).execute(HELD)
        for connection in (client, other):
            connection.execute("set rewright.budget = '2min'")
        threads = [
            threading.Thread(target=run, args=pair) for pair in ((client, "this_one"), (other, "that_one"))
        ]
        with stopped(running):
            for thread in threads:
                thread.start()
            time.sleep(1)
        for thread in threads:
            thread.join()
    assert len(served) == 2
    assert all(said.startswith("replacement") for said in served.values()), served


def test_too_short_a_budget_then_served_the_first_time(
    client: psycopg.Connection[Any], scratch_server: ScratchServer, sample: str
) -> None:
    with psycopg.connect(scratch_server.dsn(sample)) as direct:
        expected = direct.execute(QUERY).fetchall()
    client.execute("set rewright.budget = '1ms'")
    assert simple(client, QUERY) == expected
    assert last(client).startswith("original")

    client.execute("set rewright.budget = '2min'")
    unseen = f"select * from ({QUERY}) never_seen_before"
    assert simple(client, unseen) == expected
    assert last(client).startswith("replacement")
    # another text, in the other protocol; what is found holds for these literals and all others
    assert extended(client, f"{QUERY} order by 1") == expected
    assert last(client).startswith("replacement")


def test_other_literals_are_served_when_there_was_time_to_look(client: psycopg.Connection[Any]) -> None:
    """While the client waits its own text is all that counts; what else the rewrite holds for is found out
    afterwards.
    """
    client.execute("set rewright.budget = '2min'")
    other = QUERY.replace("Brand#23", "Brand#31")
    assert other != QUERY
    simple(client, f"select * from ({QUERY}) held_first")
    assert last(client).startswith("replacement")
    client.execute("set rewright.mode = apply")

    def is_served() -> bool:
        simple(client, f"select * from ({other}) held_first")
        return last(client).startswith("replacement")

    wait(is_served)
    narrow = "select count(*) from rewright.rewrites where state = 'retired' and reason like '%serves all its literals'"
    assert client.execute(narrow).fetchone() != (0,)


def test_a_cheap_query_is_not_held_for_long(client: psycopg.Connection[Any]) -> None:
    client.execute("set rewright.budget = '2min'")
    with Stopwatch() as watch:
        assert simple(client, "select count(*) from part where p_partkey < 11") == [(10,)]
    assert watch.seconds < HOLD_SECONDS
    assert last(client).startswith("original")


@pytest.mark.parametrize("run", [simple, extended])
def test_cancel_while_held(running: Running, client: psycopg.Connection[Any], run: Any) -> None:
    """Whichever of the two workers gets the cancel."""
    client.execute("set rewright.budget = '2min'")
    with stopped(running):
        for number in range(3):
            with Stopwatch() as watch, cancelled(client), pytest.raises(psycopg.errors.QueryCanceled):
                run(client, f"select p_partkey, {number} from part -- {run.__name__}")
            assert watch.seconds < HOLD_SECONDS
        client.execute("set rewright.mode = off")
        assert run(client, "select 1") == [(1,)]


def test_the_original_runs_when_time_is_up(running: Running, client: psycopg.Connection[Any]) -> None:
    client.execute("set rewright.budget = '300ms'")
    with stopped(running):
        assert simple(client, "select count(*) from part a") == [(1000,)]


def test_the_original_runs_when_the_optimiser_dies(running: Running, client: psycopg.Connection[Any]) -> None:
    client.execute("set rewright.budget = '2min'")
    with stopped(running) as pid:
        timer = threading.Timer(0.5, os.kill, (pid, signal.SIGKILL))
        timer.start()
        with Stopwatch() as watch:
            assert simple(client, "select count(*) from part b") == [(1000,)]
        assert watch.seconds < HOLD_SECONDS
        timer.join()
    wait(lambda: "inline.failed" in "".join(running.said))
    assert simple(client, "select count(*) from part c") == [(1000,)]
    # another one is started, and held queries are served as before
    numbers = itertools.count()
    wait(
        lambda: (
            bool(simple(client, f"select * from ({QUERY}) again_{next(numbers)}"))
            and last(client).startswith("replacement")
        ),
    )
