"""Keeping a relay's view of the store up to date: what it serves, and whether serving is paused.

Owns the polling thread. A store that can't be read leaves the last view in place; after a pause nothing
is served until the store says otherwise. Must not know sockets.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from rewright.proxy.ports import ServedRewrite
from rewright.store.api import Store
from rewright.store.errors import StoreError
from rewright.store.records import Rewrite
from rewright.wiring.row_facts import lease
from rewright.wiring.served import served

# one row is read each time: a decision counts soon, and the store has little to do
POLL_SECONDS = 0.25
# how long a start waits for the first view
FIRST_SECONDS = 1.5


class StoreFeed:
    """``paused`` is the proxy's ``Pause`` port; ``publish`` gets the whole set whenever it changed."""

    def __init__(
        self,
        store: Store,
        publish: Callable[[Iterable[ServedRewrite]], None],
        *,
        accept: frozenset[str],
        on_error: Callable[[StoreError], None] = lambda _: None,
        on_recovery: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.paused = False
        self._store = store
        self._publish = publish
        self._accept = accept
        self._on_error = on_error
        self._on_recovery = on_recovery
        self._revision = -1
        self._again = math.inf  # when the first doubt ends
        self._clock = clock
        self._failing = False
        self._first = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="store-feed", daemon=True)

    @property
    def healthy(self) -> bool:
        """Whether the last look at the store succeeded."""
        return not self._failing and self._revision >= 0

    def start(self) -> None:
        """Load once, then poll; a store that does not answer is not waited for."""
        self._thread.start()
        self._first.wait(FIRST_SECONDS)

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def reload(self, accept: frozenset[str]) -> None:
        """From the next look on other reservations are accepted."""
        self._accept = accept
        self._revision = -1

    def poll(self) -> None:
        """Look at the revision; reload when it moved. Never raises."""
        try:
            revision = self._store.revision()
            if revision != self._revision or self._clock() >= self._again:
                self.paused = self._store.switches.paused()
                rewrites = self._store.rewrites.servable()
                served_now = map(self._served, rewrites)
                self._publish(self._doubted([one for one in served_now if one is not None]))
                self._revision = revision
            if self._failing:
                self._on_recovery()
            self._failing = False
        except StoreError as error:
            self._fail(error)
        # without this thread nobody would learn any more of what was retired, or of a pause
        except Exception as error:  # noqa: BLE001 - it is told, and the next look tries again
            self._fail(StoreError(f"what the store holds cannot be taken over: {type(error).__name__}"))

    def _fail(self, error: StoreError) -> None:
        first, self._failing = not self._failing, True
        if first:
            self._on_error(error)

    def _served(self, rewrite: Rewrite) -> ServedRewrite | None:
        """None: it is not served. Nor is one that cannot be read, which keeps none of the others away."""
        try:
            return served(rewrite, self._accept, lease(self._store, rewrite))
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - it is told of this one, and the others are served
            self._on_error(StoreError(f"rewrite {rewrite.id} cannot be read: {type(error).__name__}"))
            return None

    def _doubted(self, found: Sequence[ServedRewrite]) -> Sequence[ServedRewrite]:
        """With the roles to which each is not served for a while."""
        standing = self._store.doubts.standing(now=self._clock())
        self._again = min((doubt.until for doubt in standing), default=math.inf)
        roles: dict[int, set[str]] = {}
        for doubt in standing:
            roles.setdefault(doubt.rewrite_id, set()).add(doubt.role)
        return [replace(one, doubted_by=frozenset(roles.get(one.id, ()))) for one in found]

    def _run(self) -> None:
        self.poll()
        self._first.set()
        while not self._stop.wait(POLL_SECONDS):
            self.poll()
