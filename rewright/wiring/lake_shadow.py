"""The server behind a lake, asked how PostgreSQL reads a text: one connection with a role that may only look;
nothing runs.

Owns the connection, and tables that exist there for the length of one question: those that a resolution
makes. Must not know DuckDB.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import sql

from rewright.engines.duckdb.dialect.catalog import SAVEPOINT, SETTINGS, Analyser
from rewright.engines.duckdb.dialect.queries import QueryPrinter
from rewright.engines.duckdb.dialect.translating import Translator
from rewright.proxy.ports import SqlError

_ANALYSE_MILLISECONDS = 2000
"""How long the server may take to read a text."""
_CONNECT_SECONDS = 5


class Shadow:
    """Asks the shadow. Used by one thread at a time; without a DSN there is none to ask."""

    def __init__(self, dsn: str, printer: type[QueryPrinter] = QueryPrinter) -> None:
        self.dsn = dsn
        self._printer = printer
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[Any] | None = None
        self._analyser: Analyser | None = None

    def begin(self) -> None:
        """Be ready for the first question; if the server cannot be reached, the first question reports it."""
        if self.dsn:
            with suppress(psycopg.Error), self._lock:
                self._ready()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    @contextmanager
    def asked(
        self, tables: Mapping[str, Sequence[tuple[str, str]]] | None = None
    ) -> Iterator[tuple[Analyser, Translator]]:
        """The analyser and the translator; ``tables`` (name -> columns with their types) exist meanwhile.

        Raises SqlError: the server cannot be reached.
        """
        with self._lock:
            try:
                analyser = self._ready()
                with self._standing(tables or {}):
                    yield analyser, Translator(analyser, self._printer)
            except psycopg.Error as error:
                self._connection = None
                raise SqlError("08006", "the server behind the lake cannot be reached") from error

    def _ready(self) -> Analyser:
        if self._connection is None or self._connection.closed or self._analyser is None:
            self._connection = psycopg.connect(
                self.dsn, autocommit=True, connect_timeout=_CONNECT_SECONDS, options=SETTINGS
            )
            self._analyser = Analyser(self._connection)
            self._connection.execute(f"set statement_timeout = {_ANALYSE_MILLISECONDS}".encode())
        return self._analyser

    @contextmanager
    def _standing(self, tables: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[None]:
        connection = self._connection
        assert connection is not None
        if not tables:
            yield
            return
        connection.execute("begin read write")
        try:
            for name, columns in tables.items():
                listed = sql.SQL(", ").join(
                    sql.SQL("{} ").format(sql.Identifier(column)) + sql.SQL(type_)
                    for column, type_ in columns
                )
                connection.execute(sql.SQL("create temp table {} ({})").format(sql.Identifier(name), listed))
            # a text that is refused ends the transaction, and the tables with it, but for this
            connection.execute(f"savepoint {SAVEPOINT}".encode())
            yield
        finally:
            if not connection.closed:
                connection.execute("rollback")
