"""Writing to the store from a place that must never wait for it.

Owns a bounded queue and one thread. What does not fit, or cannot be written, is counted and
forgotten: the store's troubles are not the clients'.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from functools import partial

from rewright.store.api import Store
from rewright.store.errors import StoreError
from rewright.store.records import Event, LogEntry, QuerySeen, Timing

Item = LogEntry | QuerySeen | Timing | Event | Callable[[Store], object]

# one transaction for up to 500 records
BATCH = 500
# attempts, with a pause behind each; then it is counted as lost
RETRIES = 3


class BufferedWriter:
    """Takes records (and functions of the store) without waiting and writes them in batches.

    ``capacity``: records held at most; further ones are dropped and counted in ``dropped``.
    ``failed`` counts batches given up after several attempts; ``on_error`` hears of each.
    """

    def __init__(
        self, store: Store, *, capacity: int = 20_000, on_error: Callable[[StoreError], None] | None = None
    ) -> None:
        self.dropped = 0
        self.failed = 0
        self._store = store
        self._on_error = on_error
        self._queue: queue.Queue[Item] = queue.Queue(capacity)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def put(self, item: Item) -> None:
        """Never blocks, never raises."""
        try:
            self._queue.put_nowait(item)
        # dropped, not waited for: put() is called between a client's messages
        except queue.Full:
            self.dropped += 1

    def close(self, timeout: float = 5.0) -> None:
        """Write what is queued, if that can be done in ``timeout`` seconds."""
        self._stopping.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        while True:
            # asked before taking: what was put before stopping is still written
            stopping = self._stopping.is_set()
            batch = self._take()
            if batch:
                self._write(batch)
            elif stopping:
                return

    def _take(self) -> list[Item]:
        batch: list[Item] = []
        try:
            # 0.2 s is also how long close() may go unnoticed
            batch.append(self._queue.get(timeout=0.2))
            while len(batch) < BATCH:
                batch.append(self._queue.get_nowait())
        except queue.Empty:
            pass
        return batch

    def _write(self, batch: list[Item]) -> None:
        writes: list[Callable[[], object]] = [
            lambda: self._store.log.add([item for item in batch if isinstance(item, LogEntry)]),
            lambda: self._store.queries.record([item for item in batch if isinstance(item, QuerySeen)]),
            lambda: self._store.rewrites.add_timings([item for item in batch if isinstance(item, Timing)]),
            lambda: self._store.events.add([item for item in batch if isinstance(item, Event)]),
        ]
        writes += [partial(item, self._store) for item in batch if callable(item)]
        # one kind after the other, so that a failure loses one kind only
        for write in writes:
            self._persist(write)

    def _persist(self, write: Callable[[], object]) -> None:
        for attempt in range(RETRIES):
            try:
                write()
                return
            except StoreError as error:
                # at the end one attempt: nobody waits for a store that is away
                if attempt == RETRIES - 1 or self._stopping.is_set():
                    self.failed += 1
                    if self._on_error is not None:
                        self._on_error(error)
                    return
            # a record of which we made something that no database takes must not end the thread: all that
            # comes later would be lost as well
            except Exception as error:  # noqa: BLE001 - it is told, and what comes later is written
                self.failed += 1
                if self._on_error is not None:
                    self._on_error(StoreError(f"what was to be written is refused: {type(error).__name__}"))
                return
            # 0.2 and 0.4 s
            time.sleep(0.2 * (attempt + 1))
