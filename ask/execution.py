"""Runs a checked query in one read-only transaction with limits on time, cost, rows and bytes; rolls it back.

Owns those limits and how they are kept. Runs as whoever the connection belongs to (the asking role). Must not
know where the query came from; what was not checked can't be given to it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from rewright.ask.safety import Checked
from rewright.sql.plans import Plan, plan_from_json

_PORTION = 200
"""Rows fetched at a time."""
_CURSOR = "rewright_ask"


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds; rows and bytes of the answer; the planner's cost above which nothing is run."""

    seconds: float = 30.0
    lock_seconds: float = 1.0
    rows: int = 1000
    bytes: int = 16_000_000
    cost: float = 10_000_000.0


@dataclass(frozen=True, slots=True)
class Rows:
    """The answer's first rows; ``truncated`` when there were more."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool


class ExecutionError(Exception):
    """The server refused or stopped the query, or a limit was passed. ``sqlstate`` may be empty."""

    def __init__(self, message: str, sqlstate: str = "") -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


class Execution:
    """Runs checked queries on one connection. Not for several threads at once."""

    def __init__(self, connection: psycopg.Connection[Any], limits: Limits | None = None) -> None:
        self.connection = connection
        self.limits = limits or Limits()

    def plan(self, query: Checked) -> Plan:
        """What the planner says of it; nothing runs. Raises ExecutionError."""
        with self._transaction():
            return self._plan(query)

    def run(self, query: Checked) -> Rows:
        """The rows, within the limits. Raises ExecutionError."""
        with self._transaction():
            cost = self._plan(query).root.total_cost
            if cost > self.limits.cost:
                raise ExecutionError(
                    f"the query is too expensive: cost {cost:.0f}, allowed {self.limits.cost:.0f}", "54000"
                )
            # through a cursor the server stops where there are rows enough
            self._one(f"declare {_CURSOR} no scroll cursor for {query.sql}")
            return self._fetch()

    def _plan(self, query: Checked) -> Plan:
        row = self._one(f"explain (format json) {query.sql}").fetchone()
        return plan_from_json(row[0] if row else "[]")

    def _fetch(self) -> Rows:
        rows: list[tuple[Any, ...]] = []
        size = 0
        # the limit of time holds for each portion: the whole has its own
        until = time.monotonic() + self.limits.seconds
        while True:
            # one row more than allowed shows that there are more
            wanted = min(_PORTION, self.limits.rows + 1 - len(rows))
            cursor = self._one(f"fetch forward {wanted} from {_CURSOR}")
            columns = tuple(column.name for column in cursor.description or ())
            portion = cursor.fetchall()
            rows += portion
            size += sum(len(str(value)) for row in portion for value in row)
            if len(rows) > self.limits.rows or size > self.limits.bytes:
                return Rows(columns, tuple(rows[: self.limits.rows]), truncated=True)
            if len(portion) < wanted:
                return Rows(columns, tuple(rows), truncated=False)
            if time.monotonic() > until:
                raise ExecutionError("canceling statement due to statement timeout", "57014")

    def _one(self, statement: str) -> psycopg.Cursor[tuple[Any, ...]]:
        """The extended protocol (binary results ask for it) takes one statement and refuses two."""
        return self.connection.execute(statement.encode(), binary=True)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        limits = (("statement_timeout", self.limits.seconds), ("lock_timeout", self.limits.lock_seconds))
        settings = [(name, str(max(int(seconds * 1000), 1))) for name, seconds in limits]
        try:
            with read_only(self.connection, settings):
                yield
        except psycopg.Error as error:
            message = error.diag.message_primary or str(error).strip() or type(error).__name__
            raise ExecutionError(message, error.sqlstate or "") from error


@contextmanager
def read_only(
    connection: psycopg.Connection[Any], settings: Sequence[tuple[str, str]] = ()
) -> Iterator[None]:
    """A transaction with these settings that writes nothing and is rolled back, or a part of the one that
    somebody else has open on the connection. Raises psycopg.Error.
    """
    inside = connection.info.transaction_status is TransactionStatus.INTRANS
    try:
        if inside:
            connection.execute(f"savepoint {_CURSOR}")
            # somebody else's transaction may write, this part of it may not
            settings = [("transaction_read_only", "on"), *settings]
        else:
            connection.execute("begin read only")
        for name, value in settings:
            connection.execute("select pg_catalog.set_config(%s, %s, true)", [name, value])
        yield
    finally:
        _roll_back(connection, inside=inside)


def _roll_back(connection: psycopg.Connection[Any], *, inside: bool) -> None:
    if connection.closed:
        return
    try:
        if inside:
            connection.execute(f"rollback to savepoint {_CURSOR}")
            connection.execute(f"release savepoint {_CURSOR}")
        else:
            connection.execute("rollback")
    except psycopg.Error:
        # what cannot be rolled back must not be used again
        connection.close()
