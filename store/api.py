"""The log book's door: ``open_store`` and what a Store offers.

Every call is one short transaction and may raise StoreUnavailable (locked, full, gone), which no
caller may let reach a client; callers on a hot path use ``store.writer`` instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from sqlalchemy import Engine

from store import retention, revision
from store.connection import connect, ensure_schema, transaction
from store.doubts import Doubts
from store.journal import Log, Queries, Sessions
from store.learned import Lessons, Resolutions, Switches
from store.migrations import migrate
from store.records import Options
from store.rewrites import Events, Rewrites


@dataclass(frozen=True, slots=True)
class Store:
    """Rewrites with their evidence and life, and everything else that is remembered."""

    engine: Engine
    options: Options
    rewrites: Rewrites
    doubts: Doubts
    events: Events
    log: Log
    queries: Queries
    sessions: Sessions
    resolutions: Resolutions
    lessons: Lessons
    switches: Switches

    def revision(self) -> int:
        """Moves whenever rewrites, resolutions, lessons or switches change (cheap: poll it)."""
        return revision.current(self.engine)

    def prune(self) -> Mapping[str, int]:
        """Delete what the retention no longer allows; rows by table."""
        return retention.prune(self.engine, self.options.retention)

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_store(url: str, options: Options | None = None) -> Store:
    """Open (and where needed create or migrate) the store at ``url``.

    ``url``: the path of an SQLite file (``~`` allowed, ``sqlite:///path`` too), or
    ``postgresql://...``, where the tables live in the schema ``rewright``. Raises StoreUnavailable,
    StoreTooNew, StoreError. Not to be shared across a fork.
    """
    options = options or Options()
    engine = connect(url)
    try:
        ensure_schema(engine)
        with transaction(engine, write=True) as connection:
            migrate(connection)
    except BaseException:
        engine.dispose()
        raise
    return Store(
        engine=engine,
        options=options,
        rewrites=Rewrites(engine, options),
        doubts=Doubts(engine),
        events=Events(engine, options),
        log=Log(engine, options),
        queries=Queries(engine, options),
        sessions=Sessions(engine),
        resolutions=Resolutions(engine, options),
        lessons=Lessons(engine),
        switches=Switches(engine),
    )
