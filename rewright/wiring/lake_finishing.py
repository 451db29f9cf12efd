"""Running what PostgreSQL itself evaluates for a lake: rows from DuckDB go into temporary tables, then the
statement runs and is read in portions.

Owns the server's session for one such statement, and its limits. It has the interface of ``LakeQuery``: begun
and read by one thread, stopped from any. docs/decisions/0380-what-postgresql-runs-itself.md.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import sql
from psycopg.pq import ExecStatus

from rewright.engines.duckdb.database import LakeDatabase
from rewright.engines.duckdb.dialect.plans import Fetch, Plan
from rewright.engines.duckdb.errors import LakeError, Timeout
from rewright.proxy.duckdb_backend.values import to_text

MOST_BYTES = 128 << 20
MOST_ROWS = 1_000_000
"""What may be fetched for one statement: behind that it is refused."""
_BATCH = 2_000
_SECONDS = 60


class Finishing:
    """One plan that is being run."""

    def __init__(self, database: LakeDatabase, dsn: str) -> None:
        self._database = database
        self._dsn = dsn
        self._connection: psycopg.Connection[Any] | None = None
        self._fetching: Any = None
        self._stopped = threading.Event()

    def begin(self, plan: Plan, parameters: Sequence[Any] = ()) -> None:
        """Fetch, and declare a cursor for the statement.

        :raises LakeError: with PostgreSQL's SQLSTATE; 54000 where too much would have to be fetched.
        """
        try:
            self._begin(plan, parameters)
        except psycopg.Error as error:
            raise self._told(error) from error

    def _begin(self, plan: Plan, parameters: Sequence[Any]) -> None:
        self._connection = psycopg.connect(
            self._dsn,
            autocommit=True,
            connect_timeout=5,
            options=f"-c statement_timeout={_SECONDS}s -c timezone=UTC",
        )
        # temporary tables are written; they and the cursor go with the session
        self._connection.execute("begin read write")
        spent = _Spent(plan.reason)
        for fetch in plan.fetches:
            self._fetch(fetch, parameters, spent)
        server = self._connection.pgconn
        texts = [
            None if p is None else to_text(p, o).encode()
            for p, o in zip(parameters, plan.parameters, strict=False)
        ]
        self._command(
            server.exec_params(b"declare rows cursor for " + plan.text.encode(), texts, list(plan.parameters))
        )

    def _fetch(self, fetch: Fetch, parameters: Sequence[Any], spent: _Spent) -> None:
        assert self._connection is not None
        columns = sql.SQL(", ").join(
            sql.SQL("{} ").format(sql.Identifier(name)) + sql.SQL(type_) for name, type_, _ in fetch.columns
        )
        table = sql.Identifier("pg_temp", fetch.table)
        self._connection.execute(
            sql.SQL("create temp table {} ({})").format(sql.Identifier(fetch.table), columns)
        )
        rows = self._fetching = self._database.query()
        try:
            rows.begin(fetch.query, parameters)
            with self._connection.cursor().copy(sql.SQL("copy {} from stdin").format(table)) as copy:
                while batch := rows.take(_BATCH):
                    self._go_on()
                    data = "".join(_line(row, fetch.columns) for row in batch).encode()
                    spent.add(len(batch), len(data))
                    copy.write(data)
        finally:
            rows.close()
            self._fetching = None

    def take(self, rows: int) -> list[tuple[Any, ...]]:
        """The next rows, at most ``rows``, their values as PostgreSQL's texts; fewer: there are no more.

        :raises LakeError: with PostgreSQL's SQLSTATE.
        """
        self._go_on()
        assert self._connection is not None
        try:
            found = self._command(self._connection.pgconn.exec_(b"fetch %d from rows" % rows))
        except psycopg.Error as error:
            raise self._told(error) from error
        width = range(found.nfields)
        return [
            tuple(None if (v := found.get_value(row, i)) is None else v.decode() for i in width)
            for row in range(found.ntuples)
        ]

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def interrupt(self) -> None:
        """Stop what runs; harmless when it has ended."""
        self._stopped.set()
        if (fetching := self._fetching) is not None:
            fetching.interrupt()
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.cancel_safe(timeout=0.2)

    def _command(self, result: Any) -> Any:
        if result.status not in {ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK}:
            raise psycopg.errors.error_from_result(result)
        return result

    def _told(self, error: psycopg.Error) -> LakeError:
        self._go_on()
        message = error.diag.message_primary or str(error)
        return LakeError(message, hint=error.diag.message_hint or "", sqlstate=error.sqlstate or "58000")

    def _go_on(self) -> None:
        if self._stopped.is_set():
            raise Timeout("the query was cancelled")


class _Spent:
    """Rows and bytes that one statement has fetched."""

    def __init__(self, reason: str) -> None:
        self._reason = reason
        self._rows = self._bytes = 0

    def add(self, rows: int, size: int) -> None:
        self._rows += rows
        self._bytes += size
        if self._rows > MOST_ROWS or self._bytes > MOST_BYTES:
            raise LakeError(
                f"{self._reason} is run by PostgreSQL, on at most {MOST_ROWS:,} rows and {MOST_BYTES >> 20} "
                f"MB of the lake",
                hint="Filter or aggregate first, or write it with expressions that run on the lake.",
                sqlstate="0A000",
            )


def _line(row: Sequence[Any], columns: Sequence[tuple[str, str, int]]) -> str:
    cells = (
        "\\N" if v is None else _escaped(to_text(v, oid)) for v, (_, _, oid) in zip(row, columns, strict=True)
    )
    return "\t".join(cells) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
