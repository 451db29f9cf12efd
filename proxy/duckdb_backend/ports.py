"""What the proxy asks of a lake. The composition root fills it; nothing here knows DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rewright.proxy.ports import ResultColumn, SessionView

if TYPE_CHECKING:
    from rewright.proxy.duckdb_backend.prepare_texts import Prepare

Encode = Callable[[Sequence[tuple[object, ...]]], bytes]
"""Rows as a client gets them. It can be pickled: rows are encoded where they are read."""


PLACE = "\x00"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A lake query that binds: parameter types (OIDs, none open), result columns, and what the lake keeps of
    it.

    ``notices``: how it was resolved, told when it runs. ``shape``: a query for PostgreSQL with the same
    columns that fails when it is read and has PLACE in a literal: a cursor's place is kept by it. ``tag``:
    what its end is called, where it is no SELECT.
    """

    param_types: tuple[int, ...]
    columns: tuple[ResultColumn, ...]
    query: object
    notices: tuple[str, ...] = ()
    shape: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Portion:
    """Some rows, encoded. ``ended``: there were fewer than asked for because there are no more."""

    count: int
    data: bytes
    ended: bool


class LakeCursor(Protocol):
    """A running lake query. ``notices``: what is told of it, known once it runs."""

    @property
    def notices(self) -> tuple[str, ...]: ...

    async def fetch(self, rows: int, encode: Encode) -> Portion:
        """The next rows, at most ``rows``; fewer where they are large. Raises SqlError; interrupts when
        cancelled.
        """

    def close(self) -> None: ...


@dataclass(slots=True)
class Declared:
    """A cursor that a client declared over a lake query; ``cursor``: once it was read from.

    ``token``: stands in what the server holds under that name, so that it can be told whether the name still
    means this.
    """

    token: str
    prepared: Prepared
    parameters: tuple[object, ...]
    cursor: LakeCursor | None = None

    def close(self) -> None:
        if self.cursor is not None:
            self.cursor.close()


@dataclass(frozen=True, slots=True)
class SqlPrepared:
    """A query that SQL's PREPARE named.

    ``token``: what the server's statement of that name gives first, by which it can be told whether the name
    still means this; ``types``: of its parameters, 0 where the server chose one; ``prepared``: None where
    names are found with the values.
    """

    token: str
    command: Prepare
    types: tuple[int, ...]
    prepared: Prepared | None


class LakeSession(Protocol):
    """One client's session with one lake."""

    def concerns(self, text: str) -> bool:
        """Whether the text is a query that reads lake tables (or can only be meant for the lake)."""

    async def prepare(self, text: str, param_types: tuple[int, ...], session: SessionView) -> Prepared:
        """Bind, and where names don't bind resolve. Raises SqlError."""

    async def run(self, prepared: Prepared, parameters: Sequence[object], session: SessionView) -> LakeCursor:
        """Start it. Raises SqlError."""


class Lakes(Protocol):
    def session(self, database: str) -> LakeSession | None:
        """None: that database is no lake."""

    async def account(self, database: str, user: str) -> str:
        """The role as which this user's sessions stand on the server behind the lake. Raises SqlError."""
