"""Waiting for what happens elsewhere, however loaded the machine is: looked for again and again, never slept
for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import psycopg

# a failure, not a slow machine
PATIENCE = 120.0
# between a cancel and the next one
AGAIN_SECONDS = 5.0


def until(condition: Callable[[], object]) -> None:
    """Raises AssertionError when it does not come true."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def queries_running(dsn: str, text: str) -> int:
    """How many sessions of the server run a query that contains ``text``."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        found = connection.execute(
            "select count(*) from pg_stat_activity"
            " where state = 'active' and strpos(query, %s) > 0 and pid <> pg_backend_pid()",
            [text],
        ).fetchone()
    assert found is not None
    return int(found[0])


@contextmanager
def cancelled_when(connection: psycopg.Connection, condition: Callable[[], object]) -> Iterator[None]:
    """Inside, a thread cancels the connection's query as soon as ``condition`` holds."""

    def cancel() -> None:
        until(condition)
        connection.cancel_safe()

    thread = threading.Thread(target=cancel, name="cancel")
    thread.start()
    try:
        yield
    finally:
        thread.join()


@contextmanager
def cancelled(connection: psycopg.Connection[Any], after: float = 0.5) -> Iterator[list[float]]:
    """Inside, a thread cancels the connection's query ``after`` some seconds, and again until the block ends: a
    cancel that comes before the query has begun is lost. Gives when it did.
    """
    over = threading.Event()
    sent: list[float] = []

    def cancel() -> None:
        while not over.wait(AGAIN_SECONDS if sent else after):
            sent.append(time.monotonic())
            connection.cancel_safe()

    thread = threading.Thread(target=cancel, name="cancel")
    thread.start()
    try:
        yield sent
    finally:
        over.set()
        thread.join()


class Stopwatch:
    """What a block takes on a machine that has nothing else to do: its time by the clock, divided by how many times
    longer than it should a thread beside it takes for a little work and a short sleep, over and over.

    Promises in seconds are held against ``seconds``, after the block; what was taken of parts of it is divided by
    ``slower``.
    """

    WORK, SLEEP = 0.002, 0.02

    def __init__(self) -> None:
        self.seconds, self.slower = 0.0, 1.0
        self._over = threading.Event()
        self._took = self._expected = 0.0

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._tick, name="stopwatch", daemon=True)
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        elapsed = time.monotonic() - self._began
        self._over.set()
        self._thread.join()
        self.slower = max(self._took / self._expected, 1.0)
        self.seconds = elapsed / self.slower

    def _tick(self) -> None:
        while not self._expected or not self._over.is_set():
            began, worked = time.monotonic(), time.thread_time()
            while time.thread_time() - worked < self.WORK:
                pass
            time.sleep(self.SLEEP)
            self._took += time.monotonic() - began
            self._expected += self.WORK + self.SLEEP
