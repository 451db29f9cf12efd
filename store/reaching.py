"""A store that may not be there yet: created or migrated when it is first used, and found again when it was
away.

Owns when an engine counts as prepared, and how often an absent store is tried. Must not know the tables'
meaning.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from sqlalchemy import Engine

from rewright.store.errors import StoreError, StoreUnavailable

# a store that could not be reached is not tried again before this many seconds have passed
RETRY_SECONDS = 1.0

Prepare = Callable[[Engine], None]
# what tells a store from another one at its place
Identity = Callable[[Engine], object]


@dataclass(slots=True)
class Reach:
    """What is known of one engine's store."""

    prepare: Prepare
    identity: Identity
    prepared: object = None  # the identity of the store that is ready
    problem: str = ""
    again_at: float = 0.0
    # reentrant: preparing uses transactions, which ask again
    lock: threading.RLock = field(default_factory=threading.RLock)
    preparing: bool = False

    def ensure(self, engine: Engine) -> None:
        """Prepare the store once; raises StoreError, at once where it was tried a moment ago."""
        if self._is_ready(engine):
            return
        with self.lock:
            # another thread, or this one while it prepares
            if self.preparing or self._is_ready(engine):
                return
            # at once: each of many callers would wait for a connect timeout
            if time.monotonic() < self.again_at:
                raise StoreUnavailable(self.problem)
            self.preparing = True
            try:
                self.prepare(engine)
                self.prepared = self.identity(engine)
            except StoreError as error:
                self.problem, self.again_at = str(error), time.monotonic() + RETRY_SECONDS
                raise
            finally:
                self.preparing = False

    def _is_ready(self, engine: Engine) -> bool:
        """A file that was renamed or removed would go on being written to by who has it open."""
        # never prepared, or lost
        if self.prepared is None:
            return False
        if self.identity(engine) != self.prepared:
            self.prepared = None
            # connections hold the old file open
            engine.dispose()
        return self.prepared is not None


_reaches: WeakKeyDictionary[Engine, Reach] = WeakKeyDictionary()


def reached_later(engine: Engine, prepare: Prepare, identity: Identity) -> None:
    """From now on ``ensure`` prepares the engine's store before its first use."""
    _reaches[engine] = Reach(prepare, identity)


def ensure(engine: Engine) -> None:
    """Raises StoreError when the engine's store can't be prepared now."""
    reach = _reaches.get(engine)
    if reach is not None:
        reach.ensure(engine)


def lost(engine: Engine) -> None:
    """The store is not what it was: open connections are dropped, and it is prepared again."""
    reach = _reaches.get(engine)
    if reach is not None:
        # tried again at once
        reach.prepared, reach.again_at = None, 0.0
    engine.dispose()
