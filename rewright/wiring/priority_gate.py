"""Background work waits while work for a waiting client is done.

Owns the gate that work on held queries closes. Other work passes it at its own points: before an EXPLAIN, a
proof, a search for a counterexample. Threads of one interpreter would halve each other's speed. Must not know
what the work is.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rewright.equivalence.api import in_a_hurry

# held queries that come one after the other must not starve the rest
_MOST_SECONDS = 2.0


class PriorityGate:
    """For several threads."""

    def __init__(self) -> None:
        self._held = 0
        self._free = threading.Condition()
        self._own = threading.local()

    @contextmanager
    def first(self) -> Iterator[None]:
        """Others wait while this goes on."""
        with self._free:
            self._held += 1
        self._own.first = True
        try:
            with in_a_hurry():
                yield
        finally:
            self._own.first = False
            with self._free:
                self._held -= 1
                self._free.notify_all()

    def give_way(self) -> None:
        """Wait until nobody goes first, or for a while. A thread that goes first itself does not wait."""
        # read without the lock: at worst one turn is given way to too late
        if not self._held or getattr(self._own, "first", False):
            return
        until = time.monotonic() + _MOST_SECONDS
        with self._free:
            while self._held and (left := until - time.monotonic()) > 0:
                self._free.wait(left)
