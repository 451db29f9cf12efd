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

from proxy.ports import ServedRewrite
from rewright.wiring.served import served
from store.api import Store
from store.errors import StoreError

POLL_SECONDS = 0.25


class StoreFeed:
    """``paused`` is the proxy's ``Pause`` port; ``publish`` gets the whole set whenever it changed."""

    def __init__(
        self,
        store: Store,
        publish: Callable[[Iterable[ServedRewrite]], None],
        *,
        accept: frozenset[str],
        on_error: Callable[[StoreError], None] = lambda _: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.paused = False
        self._store = store
        self._publish = publish
        self._accept = accept
        self._on_error = on_error
        self._revision = -1
        self._again = math.inf  # when the first doubt ends
        self._clock = clock
        self._failing = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="store-feed", daemon=True)

    def start(self) -> None:
        """Load once, then poll."""
        self.poll()
        self._thread.start()

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
                found = [one for one in (served(r, self._accept) for r in rewrites) if one is not None]
                self._publish(self._doubted(found))
                self._revision = revision
            self._failing = False
        except StoreError as error:
            if not self._failing:
                self._on_error(error)
            self._failing = True

    def _doubted(self, found: Sequence[ServedRewrite]) -> Sequence[ServedRewrite]:
        """With the roles to which each is not served for a while."""
        standing = self._store.doubts.standing(now=self._clock())
        self._again = min((doubt.until for doubt in standing), default=math.inf)
        roles: dict[int, set[str]] = {}
        for doubt in standing:
            roles.setdefault(doubt.rewrite_id, set()).add(doubt.role)
        return [replace(one, doubted_by=frozenset(roles.get(one.id, ()))) for one in found]

    def _run(self) -> None:
        while not self._stop.wait(POLL_SECONDS):
            self.poll()
