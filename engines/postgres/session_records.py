"""What a session on somebody's server is limited by, tells and raises. Must not know connections."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds; ``lock`` is how long a statement may wait for a lock."""

    statement: float = 30.0
    lock: float = 1.0
    connect: float = 10.0


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """One column of RowDescription."""

    name: str
    type_oid: int
    typmod: int
    table_oid: int
    attnum: int


@dataclass(frozen=True, slots=True)
class Description:
    """What Parse and Describe say of a statement, which is not executed."""

    parameter_oids: tuple[int, ...]
    columns: tuple[ColumnDescription, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """One measured execution. Times in seconds.

    ``finished`` is False when it was stopped at ``stop_after``. ``digest`` identifies the bag of rows
    (and, with ``ordered_digest``, their order); both are empty when not finished. ``cpu`` includes parallel
    and I/O workers; None when the server is on another machine. ``waited``: of the duration, how long the
    backend or the reader of its rows was ready to run and had no CPU; None likewise.
    """

    finished: bool
    duration: float
    cpu: float | None
    rows: int
    digest: str
    ordered_digest: str
    waited: float | None = None


class SessionError(Exception):
    """The server refused or stopped a statement. ``sqlstate`` is empty when the connection failed."""

    def __init__(self, message: str, sqlstate: str = "") -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


class Untrusted(SessionError):
    """The text uses something that must not be planned or run with this account's rights; the message says
    what and whose.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, "42501")


class Undecodable(SessionError):
    """The database stores bytes without saying in which encoding: names and values can't be read as text."""

    def __init__(self) -> None:
        super().__init__(
            "the database's encoding is SQL_ASCII: which characters its bytes stand for is not known", "22021"
        )


def session_error(error: psycopg.Error) -> SessionError:
    """The server's message without the client's decoration."""
    message = error.diag.message_primary or str(error).strip() or type(error).__name__
    return SessionError(message, error.sqlstate or "")
