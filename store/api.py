"""The store's public API: ``open_store`` and what a Store offers.

Every call is one short transaction and may raise StoreUnavailable (locked, full, gone), which no
caller may let reach a client; callers on a hot path use ``rewright.store.writer`` instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import Engine

from rewright.store import reaching, retention, revision
from rewright.store.asked import AskLessons, Asks, ValidatedQuestions
from rewright.store.augmentations import Augmentations, LakeViews
from rewright.store.browsing import Browsing
from rewright.store.connection import (
    connect,
    ensure_schema,
    find_place,
    identity,
    make_place,
    sqlite_file,
    transaction,
)
from rewright.store.damage import set_aside
from rewright.store.doubts import Doubts
from rewright.store.errors import StoreUnavailable
from rewright.store.journal import Log, Queries, Sessions
from rewright.store.learned import Lessons, Resolutions, Switches
from rewright.store.migrations import migrate
from rewright.store.records import Options
from rewright.store.rewrites import Events, Rewrites


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
    augmentations: Augmentations
    lake_views: LakeViews
    lessons: Lessons
    switches: Switches
    asks: Asks
    validated: ValidatedQuestions
    ask_lessons: AskLessons
    browse: Browsing

    def revision(self) -> int:
        """Moves whenever rewrites, resolutions, lessons or switches change (cheap: poll it)."""
        return revision.current(self.engine)

    def prune(self) -> Mapping[str, int]:
        """Delete what the retention no longer allows; rows by table."""
        return retention.prune(self.engine, self.options.retention)

    def repair(self) -> Path | None:
        """Set a damaged SQLite file aside, so that the next call makes a new one; its new name. Raises
        StoreUnavailable.
        """
        file = sqlite_file(self.engine)
        try:
            kept = None if file is None else set_aside(file)
        except OSError as error:
            raise StoreUnavailable(f"cannot set {file} aside: {error.strerror}") from error
        if kept is not None:
            reaching.lost(self.engine)
        return kept

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_store(url: str, options: Options | None = None, *, create: bool = True) -> Store:
    """Open (and where needed migrate) the store at ``url``. Where there is none one is made, unless
    ``create`` is False.

    ``url``: the path of an SQLite file (``~`` allowed, ``sqlite:///path`` too), or
    ``postgresql://...``, where the tables live in the schema ``rewright``. Raises StoreUnavailable,
    StoreTooNew, StoreError. Not to be shared across a fork.
    """
    store = reach_store(url, options)
    try:
        if not create:
            find_place(store.engine)
        reaching.ensure(store.engine)
    except BaseException:
        store.engine.dispose()
        raise
    return store


def reach_store(url: str, options: Options | None = None, *, create: bool = True) -> Store:
    """The store at ``url``, which need not be there: each call tries to open it until one could, and again
    when it was away; until then calls raise StoreError, also, without ``create``, where nobody has made it
    yet. Raises StoreError for a URL that can't be read.
    """
    options = options or Options()
    engine = connect(url)
    reaching.reached_later(engine, _prepare if create else _prepare_found, identity)
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
        augmentations=Augmentations(engine, options),
        lake_views=LakeViews(engine, options),
        lessons=Lessons(engine),
        switches=Switches(engine),
        asks=Asks(engine, options),
        validated=ValidatedQuestions(engine, options),
        ask_lessons=AskLessons(engine),
        browse=Browsing(engine),
    )


def _prepare_found(engine: Engine) -> None:
    find_place(engine)
    _prepare(engine)


def _prepare(engine: Engine) -> None:
    make_place(engine)
    ensure_schema(engine)
    with transaction(engine, write=True) as connection:
        migrate(connection)
