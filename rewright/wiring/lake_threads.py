"""A lake bound in threads of the worker, whose queries Spark runs.

Owns the opened lake, noticing that its files changed, and Spark. Must not know sessions.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Sequence
from typing import Any

from rewright.engines.duckdb.dialect.plans import Plan
from rewright.engines.duckdb.errors import LakeError
from rewright.engines.spark.dialect import SparkQueryPrinter
from rewright.store.records import Resolution
from rewright.wiring.lake_binding import Asked, Binding, Bound
from rewright.wiring.lake_explaining import Explaining, Explanation
from rewright.wiring.lake_finishing import Finishing
from rewright.wiring.lake_renewal import Renewal
from rewright.wiring.lake_rows import Portions
from rewright.wiring.lake_shadow import Shadow
from rewright.wiring.opening import Home, fingerprint, opened

LOOK_SECONDS = 3.0
"""How often at most the files of a lake are looked at for changes."""
RETRY_SECONDS = 30.0
"""Until a lake that could not be opened again is tried once more, although its files stay as they are."""


class Watched:
    """Whether a lake's files changed since it was last asked; looks at them now and then only."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._seen = ""
        self._look_at = 0.0
        self._retry_at = float("inf")

    def begin(self) -> None:
        """Remember what is there now. Raises LakeError."""
        self._seen = fingerprint(self._home)
        self._look_at = time.monotonic() + LOOK_SECONDS

    def is_due(self) -> bool:
        return time.monotonic() >= self._look_at

    def changed(self, *, incomplete: bool = False) -> bool:
        """Whether to open the lake again; ``incomplete``: a database beside it could not be reached, but may
        be by now.
        """
        if not self.is_due():
            return False
        now = time.monotonic()
        try:
            seen, self._seen = self._seen, fingerprint(self._home)
        except (LakeError, OSError, sqlite3.Error):
            return False  # what is open goes on
        finally:
            # thousands of files take a while to look at: not more than a small part of the time
            self._look_at = time.monotonic() + max(LOOK_SECONDS, 20 * (time.monotonic() - now))
        wanted = incomplete or now >= self._retry_at or (bool(seen) and seen != self._seen)
        if wanted:
            self._retry_at = float("inf")
        return wanted

    def failed(self) -> None:
        """What had changed could not be opened. Without another try the old state would stay until the next
        change, whatever was wrong: a process that was killed, a disk that was away.
        """
        self._retry_at = time.monotonic() + RETRY_SECONDS


class ThreadedLake:
    """Opened when first asked for, by any thread."""

    def __init__(self, home: Home, shadow: str) -> None:
        self._home = home
        self._shadow = Shadow(shadow, SparkQueryPrinter)
        self._watched = Watched(home)
        self._renewal: Renewal | None = None
        self._binding: Binding | None = None
        self._spark: Any = None
        self._lock = threading.Lock()

    def close(self) -> None:
        self._shadow.close()
        if self._spark is not None:
            self._spark.close()
        if self._binding is not None:
            self._binding.lake.close()

    def bind(self, asked: Asked, accepted: Sequence[Resolution]) -> Bound:
        """Raises SqlError, LakeError."""
        binding = self._current()
        binding.accept(accepted)
        return binding.bind(asked)

    def running(self, query: object) -> Any:
        """What runs a query that has been bound: Spark alone, or PostgreSQL on rows that Spark fetches."""
        spark = self._started()
        match query:
            case Plan():
                return Portions(Finishing(spark, self._shadow.dsn))
            case Explanation():
                return Portions(Explaining(spark, self._shadow.dsn))
        return spark.query()

    def _started(self) -> Any:
        binding = self._current()
        with self._lock:
            if self._spark is None:
                from rewright.engines.spark.lake import SparkLake
                from rewright.lake.api import default_catalog

                cache = default_catalog(binding.lake.folder).with_suffix(".spark")
                self._spark = SparkLake(self._home.spark, self._definition, cache)
            return self._spark

    def _definition(self, name: str) -> Any:
        """A table of the lake as it is now: it may have been opened again since Spark was started."""
        assert self._binding is not None
        return self._binding.lake.database.definition(name)

    def _current(self) -> Binding:
        """The lake as it is now, or, where bringing it up to date takes long, as it was a while ago.

        :raises LakeError: it cannot be opened (again).
        """
        with self._lock:
            if self._binding is None:
                self._watched.begin()
                self._binding = Binding(opened(self._home), self._shadow)
                return self._binding
            if self._renewal is None and self._watched.changed(incomplete=is_incomplete(self._binding.lake)):
                self._renewal = Renewal(self._home)
            renewal = self._renewal
        if renewal is not None and renewal.ready():
            with self._lock:
                if self._renewal is renewal:
                    self._renewal = None
                    # statements that run keep the lake they began with; it closes with the last of them
                    try:
                        self._binding = Binding(renewal.result(), self._shadow)
                    except BaseException:
                        self._watched.failed()
                        raise
        return self._binding


def is_incomplete(lake: Any) -> bool:
    """Whether a database beside the lake could not be reached when it was opened."""
    return any(state == "08001" for state, _ in lake.database.missing.values())
