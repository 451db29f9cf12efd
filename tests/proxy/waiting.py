"""Waiting for what happens elsewhere, however loaded the machine is: looked for again and again, never slept
for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

# a failure, not a slow machine
PATIENCE = 60.0


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
