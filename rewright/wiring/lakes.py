"""Lakes as the proxy asks for them: which statements are a lake's, binding, resolving, running.

DuckDB blocks, so everything runs in threads; a cancelled wait interrupts the query. One opened lake a worker and
directory, shared by its sessions; each running query has a cursor of its own.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import psycopg
from pglast import ast
from pglast.error import Error as PglastError
from pglast.parser import scan
from psycopg.conninfo import make_conninfo

from engines.duckdb.errors import LakeError
from proxy.lakeside.ports import PLACE, LakeCursor, LakeSession, Prepared
from proxy.ports import ResultColumn, SessionView, SqlError
from rewright.wiring.lake_renewal import Renewal
from rewright.wiring.lake_rows import Cursor, first_line
from rewright.wiring.opening import Home, fingerprint, opened
from sql.parsing import TooDeep, nodes_of, parse
from store.errors import StoreError
from store.learned import Resolutions
from store.records import Resolution

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
LOOK_SECONDS = 3.0
"""How often at most the files of a lake are looked at for changes."""
_UNKNOWN_TYPES = frozenset({0, 705})
TEXT = 25


class Journal(Protocol):
    """What is needed of the store."""

    @property
    def resolutions(self) -> Resolutions: ...

    def revision(self) -> int: ...


class Lakes:
    """The configured lakes; each is opened when first asked for."""

    def __init__(
        self, homes: Mapping[str, Home], shadows: Mapping[str, str], journal: Journal | None = None
    ) -> None:
        self._journal = journal
        self._homes = dict(homes)
        self._shadows = dict(shadows)
        self._opened: dict[str, OpenLake] = {}
        self._roles: dict[str, str] = {}

    def session(self, database: str) -> LakeSession | None:
        if database not in self._homes:
            return None
        if database not in self._opened:
            shadow = self._shadows.get(database, "")
            self._opened[database] = OpenLake(self._homes[database], shadow, database, self._journal)
        return self._opened[database]

    async def account(self, database: str, user: str) -> str:
        """The user's role on the shadow, made when she first comes. Raises SqlError."""
        if user not in self._roles:
            self._roles[user] = await asyncio.to_thread(_admitted, self._shadows.get(database, ""), user)
        return self._roles[user]

    def table_rows(self, database: str) -> list[dict[str, Any]]:
        """What ``rewright.lake_tables`` shows in a session with ``database``."""
        lake = self.session(database)
        return lake.table_rows() if isinstance(lake, OpenLake) else []

    def close(self) -> None:
        for lake in self._opened.values():
            lake.close()


def _admitted(shadow: str, user: str) -> str:
    from engines.duckdb.shadow import admit
    from engines.postgres.scratch import SUPERUSER

    try:
        return admit(make_conninfo(shadow, user=SUPERUSER, dbname="postgres"), user)
    except (psycopg.Error, ValueError) as error:
        raise SqlError("57P03", "the server behind the lake cannot be reached") from error


class OpenLake:
    """One lake for all sessions of this worker."""

    def __init__(self, home: Home, shadow: str, database: str = "", journal: Journal | None = None) -> None:
        self._home = home
        self._seen = ""
        self._look_at = 0.0
        self._renewal: Renewal | None = None
        self._database = database
        self._journal = journal
        self._revision = -1
        self._accepted: set[int] = set()
        self._shadow = Shadow(shadow)
        self._lake: Any = None
        self._spark: Any = None
        self._lock = threading.Lock()

    def close(self) -> None:
        self._shadow.close()
        if self._spark is not None:
            self._spark.close()
        if self._lake is not None:
            self._lake.close()

    def concerns(self, text: str) -> bool:
        return reads_lake(text)

    async def prepare(self, text: str, param_types: tuple[int, ...], session: SessionView) -> Prepared:
        return await asyncio.to_thread(self._prepare, text, param_types, session)

    async def run(self, prepared: Prepared, parameters: Sequence[object], session: SessionView) -> LakeCursor:
        del session
        query = prepared.query
        assert isinstance(query, str)
        return await asyncio.to_thread(lambda: Cursor(self._runner(), query, parameters))

    def _opened(self) -> Any:
        """The lake as it is now, or, where bringing it up to date takes long, as it was a while ago.

        :raises LakeError: it cannot be opened (again).
        """
        with self._lock:
            if self._lake is None:
                self._seen = fingerprint(self._home)
                self._lake = opened(self._home)
                self._look_at = time.monotonic() + LOOK_SECONDS
                return self._lake
            if self._renewal is None and self._changed():
                self._renewal = Renewal(self._home)
            renewal = self._renewal
        if renewal is not None and renewal.ready():
            with self._lock:
                if self._renewal is renewal:
                    self._renewal = None
                    # statements that run keep the lake they began with; it closes with the last of them
                    self._lake = renewal.result()
                    self._revision, self._accepted = -1, set()
        return self._lake

    def _runner(self) -> Any:
        """What runs a query that has been bound: DuckDB, or Spark over the same tables."""
        lake = self._opened()
        if not self._home.spark:
            return lake.database.query()
        with self._lock:
            if self._spark is None:
                from engines.spark.lake import SparkLake
                from lake.api import default_catalog

                cache = default_catalog(lake.folder).with_suffix(".spark")
                self._spark = SparkLake(self._home.spark, self._definition, cache)
            return self._spark.query()

    def _definition(self, name: str) -> Any:
        """A table of the lake as it is now: it may have been opened again since Spark was started."""
        return self._lake.database.definition(name)

    def _changed(self) -> bool:
        """Whether to open the lake again: its files changed, or a database beside it may be reachable by now."""
        if (now := time.monotonic()) < self._look_at:
            return False
        try:
            seen, self._seen = self._seen, fingerprint(self._home)
        except (LakeError, OSError, sqlite3.Error):
            return False  # what is open goes on
        finally:
            # thousands of files take a while to look at: not more than a small part of the time
            self._look_at = time.monotonic() + max(LOOK_SECONDS, 20 * (time.monotonic() - now))
        if any(state == "08001" for state, _ in self._lake.database.missing.values()):
            return True
        return bool(seen) and seen != self._seen

    def _prepare(self, text: str, param_types: tuple[int, ...], session: SessionView) -> Prepared:
        seen = self._shadow.describe(text, param_types)
        types = _settled(param_types, seen, max(parameters_in(text), default=0))
        try:
            return self._bound(text, types, seen.names, session)
        except LakeError as error:
            raise SqlError(error.sqlstate, first_line(str(error)), hint=error.hint) from error

    def _bound(
        self, text: str, types: tuple[int, ...], names: tuple[str, ...], session: SessionView
    ) -> Prepared:
        lake = self._opened()
        self._take_accepted(lake)
        resolve = session.settings.lake == "resolve" and not types
        if not resolve:
            try:
                columns = lake.database.describe(lake._native(typed(text, types, null=True)))
                native = lake._native(typed(text, types))
                return Prepared(types, described(columns, names), native, shape=shape_of(columns, names))
            except LakeError as error:
                if types or error.sqlstate not in {"42P01", "42703", "42883", "22P02"}:
                    raise
        answer = lake.query(
            text, "resolve" if resolve else "bind", threshold=session.settings.lake_confidence, limit=1
        )
        resolution = answer.resolution
        columns = lake.database.describe(resolution.sql)
        notice = resolution.notice()
        if resolution.kind == "resolved" and (number := self._kept(resolution, session)):
            notice += f"\nto keep it: CALL rewright.accept({number})"
        return Prepared((), described(columns, ()), resolution.sql, (notice,), shape_of(columns, ()))

    def _kept(self, resolution: Any, session: SessionView) -> int:
        """The resolution's number in the log book; 0 where there is none, or it cannot be written."""
        if self._journal is None:
            return 0
        record = Resolution(
            database=self._database,
            query=resolution.query,
            resolved=resolution.sql,
            mapping=resolution.to_json(),
            confidence=resolution.confidence,
            role=session.role,
        )
        try:
            return self._journal.resolutions.add(record).id
        except StoreError:
            return 0

    def _take_accepted(self, lake: Any) -> None:
        """Make views of what was accepted since we last looked: later queries bind at once."""
        if self._journal is None:
            return
        try:
            revision = self._journal.revision()
            if revision == self._revision:
                return
            accepted = self._journal.resolutions.read(database=self._database, accepted=True)
        except StoreError:
            return
        self._revision = revision
        for one in accepted:
            if one.id not in self._accepted:
                self._accepted.add(one.id)
                _accept(lake, one)

    def table_rows(self) -> list[dict[str, Any]]:
        """The lake's tables: name, file, columns, rows."""
        return [
            {
                "name": table.name,
                "path": table.path.name,
                "columns": ", ".join(column.name for column in table.columns),
                "row_count": table.rows,
            }
            for table in self._opened().tables()
        ]


def _accept(lake: Any, accepted: Resolution) -> None:
    """Resolve the query again and keep it if it comes out as it was when a person said yes."""
    try:
        again = lake.query(accepted.query, limit=1).resolution
        if again.sql == accepted.resolved:
            lake.accept(again)
    except LakeError:
        return


@dataclass(frozen=True, slots=True)
class Seen:
    """What PostgreSQL says of a text on the shadow tables: parameter types and column names; empty: it refuses it."""

    types: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


class Shadow:
    """Asks the shadow how PostgreSQL reads a text. One connection, used by one thread at a time."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[Any] | None = None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def describe(self, text: str, declared: tuple[int, ...]) -> Seen:
        """Parse and Describe; nothing runs. Empty when PostgreSQL does not take the text."""
        if not self._dsn:
            return Seen()
        with self._lock:
            try:
                return self._describe(text, declared)
            except psycopg.Error:
                self._connection = None
                return Seen()

    def _describe(self, text: str, declared: tuple[int, ...]) -> Seen:
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(self._dsn, autocommit=True, connect_timeout=5)
        server = self._connection.pgconn
        if server.prepare(b"", text.encode(), list(declared) or None).error_message:
            return Seen()
        found = server.describe_prepared(b"")
        types = tuple(found.param_type(i) for i in range(found.nparams))
        return Seen(types, tuple((found.fname(i) or b"").decode() for i in range(found.nfields)))


def _settled(declared: tuple[int, ...], seen: Seen, count: int) -> tuple[int, ...]:
    """The types of $1 …: as declared, else as PostgreSQL infers them, else text."""
    count = max(count, len(declared))
    inferred = (*seen.types, *(0 for _ in range(count)))
    types = (*declared, *(0 for _ in range(count)))
    return tuple(
        next((oid for oid in (types[i], inferred[i]) if oid not in _UNKNOWN_TYPES), TEXT)
        for i in range(count)
    )


# --------------------------------------------------------------------------- texts


@lru_cache(maxsize=2000)
def reads_lake(text: str) -> bool:
    """Whether a statement is a query over tables that are not PostgreSQL's own catalogs.

    Text that PostgreSQL's parser refuses but that begins like a query is the lake's: DuckDB takes more.
    """
    try:
        statements = parse(text)
    except (PglastError, TooDeep):
        return text.lstrip().lower().startswith(_READS)
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
    if table.schemaname in {"pg_catalog", "information_schema"}:
        return True
    return not table.schemaname and (table.relname in ctes or table.relname.startswith("pg_"))


def parameters_in(text: str) -> list[int]:
    """The numbers of $1, $2, … in a text."""
    return [number for _, _, number in _parameters(text)]


def _parameters(text: str) -> list[tuple[int, int, int]]:
    if "$" not in text:
        return []
    try:
        tokens = scan(text)
    except PglastError:
        return []
    return [
        (token.start, token.end + 1, int(text[token.start + 1 : token.end + 1]))
        for token in tokens
        if token.name == "PARAM"
    ]


def typed(text: str, types: tuple[int, ...], *, null: bool = False) -> str:
    """The text with each parameter cast to its DuckDB type (or, ``null``, replaced by a NULL of it)."""
    from engines.duckdb.pgtypes import PARAMETER_TYPES

    for start, end, number in reversed(_parameters(text)):
        type_ = PARAMETER_TYPES.get(types[number - 1], "VARCHAR")
        value = "NULL" if null else text[start:end]
        text = f"{text[:start]}CAST({value} AS {type_}){text[end:]}"
    return text


def described(columns: Sequence[tuple[str, str]], names: tuple[str, ...]) -> tuple[ResultColumn, ...]:
    """DuckDB's description as PostgreSQL's; ``names`` as PostgreSQL would give them (count, not count_star())."""
    from engines.duckdb.pgtypes import pg_type

    if len(names) == len(columns):
        columns = [(name, type_) for name, (_, type_) in zip(names, columns, strict=True)]
    found = [(name, pg_type(type_)) for name, type_ in columns]
    return tuple(ResultColumn(name, type_.oid, type_.typmod) for name, type_ in found)


def shape_of(columns: Sequence[tuple[str, str]], names: tuple[str, ...]) -> str:
    """A query for PostgreSQL with these columns; reading from it fails (the condition cannot be folded: it needs a row)."""
    from engines.duckdb.pgtypes import pg_type
    from engines.duckdb.quoting import quoted

    if len(names) != len(columns):
        names = tuple(name for name, _ in columns)
    listed = ", ".join(
        f"NULL::{pg_type(type_).sql} AS {quoted(name or '?column?')}"
        for name, (_, type_) in zip(names, columns, strict=True)
    )
    unfoldable = "pg_catalog.current_setting('rewright.lake_row_' || oid)"
    return f"SELECT {listed} FROM pg_catalog.pg_class WHERE {unfoldable} = '{PLACE}'"
