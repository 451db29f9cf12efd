"""Lakes as the proxy asks for them: which statements are a lake's, binding, resolving, running.

DuckDB's lakes are bound and run in processes that can be killed (``rewright.wiring.lake_runners``), Spark's
in threads. One lake a worker and directory, shared by its sessions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Protocol

import psycopg
from pglast import ast
from pglast.error import Error as PglastError
from psycopg.conninfo import make_conninfo

from rewright.config.model import Models
from rewright.engines.duckdb.quoting import quoted
from rewright.proxy.answers.recognition import behind_comments
from rewright.proxy.duckdb_backend.ports import LakeCursor, LakeSession, Prepared
from rewright.proxy.ports import ResultColumn, SessionView, SqlError
from rewright.sql.parsing import TooDeep, nodes_of, parse
from rewright.store.errors import StoreError
from rewright.store.learned import Resolutions
from rewright.store.records import Resolution
from rewright.wiring import lake_views
from rewright.wiring.lake_augmenting import Augmentation, is_augment, refused_on_spark
from rewright.wiring.lake_binding import Asked, Bound
from rewright.wiring.lake_long_texts import CATALOGS, LONG, reads_tables
from rewright.wiring.lake_rows import Cursor
from rewright.wiring.lake_runner_limits import RunnerLimits
from rewright.wiring.lake_runners import Runners
from rewright.wiring.lake_threads import ThreadedLake
from rewright.wiring.lake_view_listing import ListedViews
from rewright.wiring.lake_views import Done, DropView, KeptViews, dropped_views
from rewright.wiring.opening import Home

_READS = (
    "select",
    "with",
    "from",
    "values",
    "table",
    "(",
    "pivot",
    "unpivot",
    "describe",
    "summarize",
    "explain",
)


class Journal(lake_views.Journal, Protocol):
    """What is needed of the store."""

    @property
    def resolutions(self) -> Resolutions: ...

    def revision(self) -> int: ...


class Lakes:
    """The configured lakes; each is opened when first asked for."""

    def __init__(
        self,
        homes: Mapping[str, Home],
        shadows: Mapping[str, str],
        journal: Journal | None = None,
        limits: RunnerLimits | None = None,
        models: Models | None = None,
    ) -> None:
        self._models = models
        self._journal = journal
        self._homes = dict(homes)
        self._shadows = dict(shadows)
        self._limits = limits or RunnerLimits()
        self._opened: dict[str, OpenLake] = {}
        self._roles: dict[str, str] = {}

    def begin(self) -> None:
        """Get ready for the first statements; called in the loop that will ask."""
        for database in self._homes:
            lake = self._lake(database)
            if isinstance(lake, RunnerLakeSession):
                lake.begin()

    def session(self, database: str) -> LakeSession | None:
        return self._lake(database)

    def _lake(self, database: str) -> OpenLake | None:
        if database not in self._homes:
            return None
        if database not in self._opened:
            home, shadow = self._homes[database], self._shadows.get(database, "")
            kept = Kept(database, self._journal)
            lake: OpenLake = (
                SparkLakeSession(home, shadow, kept)
                if home.spark
                else RunnerLakeSession(home, shadow, kept, self._limits, self._models)
            )
            self._opened[database] = lake
        return self._opened[database]

    async def account(self, database: str, user: str) -> str:
        """The user's role on the shadow, made when she first comes. Raises SqlError."""
        if user not in self._roles:
            self._roles[user] = await asyncio.to_thread(_admitted, self._shadows.get(database, ""), user)
        lake = self._lake(database)
        if isinstance(lake, RunnerLakeSession):
            await lake.list_views(user)
        return self._roles[user]

    def table_rows(self, database: str) -> list[dict[str, Any]]:
        """What ``rewright.lake_tables`` shows in a session with ``database``: name, file, columns, rows."""
        from rewright.lake.api import tables_of
        from rewright.lake.remote import local

        home = self._homes.get(database)
        if home is None:
            return []
        return [
            {
                "name": table.name,
                "path": table.path.name,
                "columns": ", ".join(column.name for column in table.columns),
                "row_count": table.rows,
            }
            for table in tables_of(local(home.path))
        ]

    def close(self) -> None:
        for lake in self._opened.values():
            lake.close()


def _admitted(shadow: str, user: str) -> str:
    from rewright.engines.duckdb.shadow import admit
    from rewright.engines.postgres.scratch import SUPERUSER

    try:
        return admit(make_conninfo(shadow, user=SUPERUSER, dbname="postgres"), user)
    except (psycopg.Error, ValueError) as error:
        raise SqlError("57P03", "the server behind the lake cannot be reached") from error


class Kept:
    """Resolutions of one lake in the store."""

    def __init__(self, database: str, journal: Journal | None) -> None:
        self._database = database
        self._journal = journal
        self.views = KeptViews(database, journal)
        self._revision = -1
        self._accepted: tuple[Resolution, ...] = ()

    def accepted(self) -> tuple[Resolution, ...]:
        """What people have accepted so far."""
        if self._journal is None:
            return ()
        try:
            if (revision := self._journal.revision()) != self._revision:
                rows = self._journal.resolutions.read(database=self._database, accepted=True)
                self._revision, self._accepted = revision, tuple(rows)
        except StoreError:
            # a lake is served without its store: what was accepted before counts on
            pass
        return self._accepted

    def told(self, bound: Bound, role: str) -> Prepared:
        """What was bound, with the number under which its resolution is kept (if it can be written)."""
        if bound.resolved is None or self._journal is None:
            return bound.prepared
        try:
            number = self._journal.resolutions.add(
                replace(bound.resolved, database=self._database, role=role)
            ).id
        except StoreError:
            # without a number there is nothing to accept
            return bound.prepared
        *others, last = bound.prepared.notices
        notice = f"{last}; to keep it: CALL rewright.accept({number})"
        return replace(bound.prepared, notices=(*others, notice))


class OpenLake(Protocol):
    """One lake for all sessions of this worker."""

    def concerns(self, text: str) -> bool: ...

    async def prepare(self, text: str, param_types: tuple[int, ...], session: SessionView) -> Prepared: ...

    async def run(
        self, prepared: Prepared, parameters: Sequence[object], session: SessionView
    ) -> LakeCursor: ...

    def close(self) -> None: ...


class RunnerLakeSession:
    """A lake whose statements are bound and run by DuckDB in processes of their own."""

    def __init__(
        self, home: Home, shadow: str, kept: Kept, limits: RunnerLimits, models: Models | None
    ) -> None:
        self._kept = kept
        self._runners = Runners(home, shadow, limits, models)
        self._listed = ListedViews(shadow)

    def begin(self) -> None:
        self._runners.begin()

    def concerns(self, text: str) -> bool:
        return reads_lake(text) or is_augment(text) or dropped_views(text) is not None

    async def prepare(self, text: str, param_types: tuple[int, ...], session: SessionView) -> Prepared:
        if (drop := dropped_views(text)) is not None:
            # views of AUGMENT are kept in the store, not in DuckDB: there is nothing to bind
            return Prepared((), (), drop, tag="DROP VIEW")
        accepted = await asyncio.to_thread(self._kept.accepted)
        views, dropped = await asyncio.to_thread(self._kept.views.both, session.role)
        asked = replace(_asked(text, param_types, session), views=views, dropped=dropped)
        bound = await self._runners.bind(asked, accepted, session.role)
        return await asyncio.to_thread(self._kept.told, bound, session.role)

    async def run(self, prepared: Prepared, parameters: Sequence[object], session: SessionView) -> LakeCursor:
        match prepared.query:
            case DropView() as drop:
                done: Done = await asyncio.to_thread(self._kept.views.drop, session.role, drop)
                await self._listed.hide(session.role, drop.names)
                return done
            case Augmentation() as augmentation:
                may_ask = replace(augmentation, model=session.settings.model)
                return await self._augmented(may_ask, session.role)
        return await self._runners.run(prepared.query, parameters, session.role)

    async def _augmented(self, augmentation: Augmentation, role: str) -> LakeCursor:
        """The search is made before its rows are asked for; what it found is kept."""
        views, statement = self._kept.views, augmentation.statement
        earlier = await asyncio.to_thread(views.earlier, role) if statement.options.history else ()
        cursor = await self._runners.run(replace(augmentation, earlier=earlier), (), role)
        cursor.notices = cursor.found.notices
        try:
            await asyncio.to_thread(views.keep, role, cursor.found, statement.view)
            if statement.view:
                await self._listed.show(role, statement.view.lower(), partial(self._columns_of, role))
        # also where the client cancels: the process has to come back
        except BaseException:
            cursor.close()
            raise
        return cursor

    async def list_views(self, role: str) -> None:
        """A user who already has views finds them listed."""
        views = await asyncio.to_thread(self._kept.views.of, role)
        await self._listed.compare(role, views, partial(self._columns_of, role))

    async def _columns_of(self, role: str, view: str) -> Sequence[ResultColumn]:
        """Raises SqlError."""
        views = await asyncio.to_thread(self._kept.views.of, role)
        text = f"SELECT * FROM {quoted(view)}"
        asked = Asked(text, (), resolve=False, confidence=1.0, views=views, dropped=frozenset([view]))
        bound = await self._runners.bind(asked, (), role)
        return bound.prepared.columns or ()

    def close(self) -> None:
        self._runners.close()


class SparkLakeSession:
    """A lake whose statements are bound in threads and run by Spark."""

    def __init__(self, home: Home, shadow: str, kept: Kept) -> None:
        self._kept = kept
        self._lake = ThreadedLake(home, shadow)

    def concerns(self, text: str) -> bool:
        return reads_lake(text) or is_augment(text)

    async def prepare(self, text: str, param_types: tuple[int, ...], session: SessionView) -> Prepared:
        if (refused := refused_on_spark(text)) is not None:
            raise refused

        def prepare() -> Prepared:
            bound = self._lake.bind(_asked(text, param_types, session), self._kept.accepted())
            return self._kept.told(bound, session.role)

        return await asyncio.to_thread(prepare)

    async def run(self, prepared: Prepared, parameters: Sequence[object], session: SessionView) -> LakeCursor:
        del session
        query = prepared.query
        return await asyncio.to_thread(lambda: Cursor(self._lake.running(query), query, parameters))

    def close(self) -> None:
        self._lake.close()


def _asked(text: str, param_types: tuple[int, ...], session: SessionView) -> Asked:
    settings = session.settings
    return Asked(text, param_types, settings.lake == "resolve", settings.lake_confidence)


# --------------------------------------------------------------------------- texts


@lru_cache(maxsize=2000)
def reads_lake(text: str) -> bool:
    """Whether a statement is a query over tables that are not PostgreSQL's own catalogs.

    Text that PostgreSQL's parser refuses but that begins like a query is the lake's: DuckDB takes more.
    """
    try:
        if len(text) > LONG:
            return reads_tables(text, CATALOGS)
        statements = parse(text)
    except (PglastError, TooDeep):
        return behind_comments(text).lower().startswith(_READS)
    if len(statements) != 1:
        return False
    statement = statements[0].stmt
    if isinstance(statement, ast.ExplainStmt):
        statement = statement.query
    if not isinstance(statement, ast.SelectStmt) or statement.intoClause is not None:
        return False
    nodes: list[Any] = list(nodes_of(statement))
    ctes = {str(node.ctename) for node in nodes if isinstance(node, ast.CommonTableExpr)}
    return any(isinstance(node, ast.RangeVar) and not _is_catalog(node, ctes) for node in nodes)


def _is_catalog(table: Any, ctes: set[str]) -> bool:
    if table.schemaname in CATALOGS:
        return True
    return not table.schemaname and (table.relname in ctes or table.relname.startswith("pg_"))
