"""Several proxies on one store in PostgreSQL: what one finds, and what a person says to one, reaches all
within a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest

from rewright.demo.tour import QUERY
from rewright.engines.postgres.scratch import ScratchServer
from tests.rewright.serving import Running, connect, last, wait

pytestmark = [pytest.mark.server, pytest.mark.timeout(280)]
# a second, and what the statements that look take themselves on a busy machine
SECONDS = 3.0


@pytest.fixture
def proxies(scratch_server: ScratchServer, sample: str, database: str) -> Iterator[list[Running]]:
    """Three; the first has an optimiser."""
    upstream = scratch_server.dsn(sample).rsplit("/", 1)[0]
    given = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--upstream", upstream]
    given += ["--store", scratch_server.dsn(database)]
    with ExitStack() as stack:
        started = []
        for number in range(3):
            environment = {"REWRIGHT_DATABASES__*__OPTIMISER_DSN": upstream} if number == 0 else {}
            started.append(Running(given, environment))
            stack.callback(started[-1].stop)
        wait(lambda: "optimiser_jobs_received_total 0.0" in started[0].get("/metrics"))
        yield started


def test_what_one_knows_all_know(proxies: list[Running], scratch_server: ScratchServer, sample: str) -> None:
    with ExitStack() as stack:
        sessions = [stack.enter_context(connect(one, scratch_server, sample)) for one in proxies]
        for session in sessions:
            session.execute("set rewright.trust = 'tested'")
            session.execute("set rewright.min_duration = '20ms'")
        first, second, third = sessions

        first.execute(QUERY)
        wait(lambda: is_served(first))
        soon(lambda: all(map(is_served, sessions)))

        second.execute("call rewright.pause()")
        soon(lambda: not any(map(is_served, sessions)))
        third.execute("call rewright.resume()")
        soon(lambda: all(map(is_served, sessions)))

        (found,) = third.execute("select id from rewright.rewrites where state = 'active'").fetchall()
        second.execute(f"call rewright.reject({int(found[0])})".encode())
        soon(lambda: not any(map(is_served, sessions)))
        assert last(third).startswith("original")
        third.execute(f"call rewright.approve({int(found[0])})".encode())
        soon(lambda: all(map(is_served, sessions)))

        soon(lambda: count(first) == 3)


def is_served(session: psycopg.Connection[Any]) -> bool:
    session.execute(QUERY)
    return last(session).startswith("replacement")


def count(session: psycopg.Connection[Any]) -> int:
    """Sessions of all proxies, as any of them shows them."""
    return len(session.execute("select pid from rewright.clients").fetchall())


def soon(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not reach all proxies"
        time.sleep(0.05)
