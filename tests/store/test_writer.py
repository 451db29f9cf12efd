"""The buffered writer: never waits, never raises, loses only what it counts."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from rewright.store.api import Store, open_store
from rewright.store.errors import StoreError
from rewright.store.records import Event, LogEntry, QuerySeen
from rewright.store.writer import BufferedWriter
from tests.proxy.waiting import Stopwatch, until


def test_what_is_put_is_written(sqlite_store: Store) -> None:
    writer = BufferedWriter(sqlite_store)
    for number in range(1200):
        writer.put(LogEntry(at=float(number), database="app"))
    writer.put(QuerySeen("app", "joe", "k", "select $1"))
    writer.put(Event(None, "job", "step"))
    writer.close()
    assert len(sqlite_store.log.read(limit=2000)) == 1200
    assert len(sqlite_store.queries.read()) == 1
    assert (writer.dropped, writer.failed) == (0, 0)


def test_a_locked_store_costs_entries_and_no_time(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    errors: list[StoreError] = []
    with open_store(str(path)) as store:
        blocker = sqlite3.connect(path, isolation_level=None)
        blocker.execute("begin immediate")
        writer = BufferedWriter(store, capacity=100, on_error=errors.append)
        with Stopwatch() as watch:
            for number in range(5000):
                writer.put(LogEntry(at=float(number), database="app"))
        assert watch.seconds < 0.5
        assert writer.dropped >= 4000
        blocker.execute("rollback")
        blocker.close()
        writer.close(timeout=10)
        written = len(store.log.read(limit=10_000))
        assert written + writer.dropped == 5000
        assert errors == []


def test_a_store_that_stays_locked_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    errors: list[StoreError] = []
    with open_store(str(path)) as store:
        blocker = sqlite3.connect(path, isolation_level=None)
        blocker.execute("begin immediate")
        writer = BufferedWriter(store, on_error=errors.append)
        writer.put(LogEntry(at=1.0, database="app"))
        time.sleep(0.4)
        writer.close(timeout=10)
        blocker.close()
        assert writer.failed == 1
        assert "locked" in str(errors[0])


def test_what_no_store_takes_loses_nothing_that_comes_later(sqlite_store: Store) -> None:
    errors: list[StoreError] = []
    writer = BufferedWriter(sqlite_store, on_error=errors.append)
    writer.put(LogEntry(at=1.0, database="app"))
    # a mistake of ours in one record
    writer.put(lambda store: {"secret": store}["nothing"])
    until(lambda: errors)
    writer.put(LogEntry(at=2.0, database="app"))
    writer.close()
    assert sorted(entry.at for entry in sqlite_store.log.read()) == [1.0, 2.0]
    assert writer.failed == 1
    assert "KeyError" in str(errors[0])
