"""Binding a lake's statements: as written where they bind, else resolved; parameter types and names as PostgreSQL says.

Owns what is asked of an opened lake and of the shadow for one statement. It blocks, for as long as the statement makes it: it is run in a
process that can be killed (``rewright.processes.lake_runner``), or in a thread where Spark runs the queries.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from pglast.error import Error as PglastError
from pglast.parser import scan

from rewright.engines.duckdb.errors import LakeError
from rewright.proxy.duckdb_backend.ports import PLACE, Prepared
from rewright.proxy.ports import ResultColumn, SqlError
from rewright.store.records import Resolution
from rewright.wiring.lake_rows import first_line

_UNKNOWN_TYPES = frozenset({0, 705})
TEXT = 25
_MOST_COLUMNS = 1664
_RESOLVABLE = frozenset({"42P01", "42703", "42883", "22P02"})
_DESCRIBE_MILLISECONDS = 2000
"""How long the shadow may take to say how PostgreSQL reads a text; behind that the text has no types from it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement to bind, and what of its session's settings matters."""

    text: str
    param_types: tuple[int, ...]
    resolve: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class Bound:
    """A statement that binds; ``resolved``: how, where names had to be found for it (database and role are left open)."""

    prepared: Prepared
    resolved: Resolution | None = None


class Binding:
    """One opened lake and its shadow; one statement at a time."""

    def __init__(self, lake: Any, shadow: Shadow) -> None:
        self.lake = lake
        self._shadow = shadow
        self._accepted: set[int] = set()

    def bind(self, asked: Asked) -> Bound:
        """Raises SqlError."""
        seen = self._shadow.describe(asked.text, asked.param_types)
        types = _settled(asked.param_types, seen, max(parameters_in(asked.text), default=0))
        try:
            return self._bound(asked, types, seen.names)
        except LakeError as error:
            raise SqlError(error.sqlstate, first_line(str(error)), hint=error.hint) from error

    def accept(self, accepted: Sequence[Resolution]) -> None:
        """Make views of resolutions that a person accepted: later queries bind at once."""
        for one in accepted:
            if one.id not in self._accepted:
                self._accepted.add(one.id)
                _accept(self.lake, one)

    def _bound(self, asked: Asked, types: tuple[int, ...], names: tuple[str, ...]) -> Bound:
        lake, text = self.lake, asked.text
        resolve = asked.resolve and not types
        if not resolve:
            try:
                columns = lake.database.describe(lake._native(typed(text, types, null=True)))
                native = lake._native(typed(text, types))
                return Bound(
                    Prepared(types, described(columns, names), native, shape=shape_of(columns, names))
                )
            except LakeError as error:
                if types or error.sqlstate not in _RESOLVABLE:
                    raise
        answer = lake.query(text, "resolve" if resolve else "bind", threshold=asked.confidence, limit=1)
        resolution = answer.resolution
        columns = lake.database.describe(resolution.sql)
        prepared = Prepared(
            (), described(columns, ()), resolution.sql, (resolution.notice(),), shape_of(columns, ())
        )
        return Bound(prepared, _record(resolution) if resolution.kind == "resolved" else None)


def _record(resolution: Any) -> Resolution:
    return Resolution(
        database="",
        query=resolution.query,
        resolved=resolution.sql,
        mapping=resolution.to_json(),
        confidence=resolution.confidence,
        role="",
    )


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
            self._connection = psycopg.connect(
                self._dsn,
                autocommit=True,
                connect_timeout=5,
                options=f"-c statement_timeout={_DESCRIBE_MILLISECONDS}",
            )
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
    from rewright.engines.duckdb.pgtypes import PARAMETER_TYPES

    for start, end, number in reversed(_parameters(text)):
        type_ = PARAMETER_TYPES.get(types[number - 1], "VARCHAR")
        value = "NULL" if null else text[start:end]
        text = f"{text[:start]}CAST({value} AS {type_}){text[end:]}"
    return text


def described(columns: Sequence[tuple[str, str]], names: tuple[str, ...]) -> tuple[ResultColumn, ...]:
    """DuckDB's description as PostgreSQL's; ``names`` as PostgreSQL would give them (count, not count_star())."""
    from rewright.engines.duckdb.pgtypes import pg_type

    if len(names) == len(columns):
        columns = [(name, type_) for name, (_, type_) in zip(names, columns, strict=True)]
    if len(columns) > _MOST_COLUMNS:
        raise SqlError("54011", f"target lists can have at most {_MOST_COLUMNS} entries")
    found = [(name, pg_type(type_)) for name, type_ in columns]
    return tuple(ResultColumn(name, type_.oid, type_.typmod) for name, type_ in found)


def shape_of(columns: Sequence[tuple[str, str]], names: tuple[str, ...]) -> str:
    """A query for PostgreSQL with these columns; reading from it fails (the condition cannot be folded: it needs a row)."""
    from rewright.engines.duckdb.pgtypes import pg_type
    from rewright.engines.duckdb.quoting import quoted

    if len(names) != len(columns):
        names = tuple(name for name, _ in columns)
    listed = ", ".join(
        f"NULL::{pg_type(type_).sql} AS {quoted(name or '?column?')}"
        for name, (_, type_) in zip(names, columns, strict=True)
    )
    unfoldable = "pg_catalog.current_setting('rewright.lake_row_' || oid)"
    return f"SELECT {listed} FROM pg_catalog.pg_class WHERE {unfoldable} = '{PLACE}'"
