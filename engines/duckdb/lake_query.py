"""One running query of a lake: its rows in portions, stopped from any thread.

Must not know tables or files.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol

import duckdb

from rewright.engines.duckdb.errors import LakeError, Timeout

# quoted texts first, so that a $1 inside of one is no parameter
_PARAMETER = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\$(\d+)")


def given(sql: str, parameters: Sequence[Any]) -> Any:
    """The parameters that a statement names: DuckDB takes no more. Those called ``?`` go in their order."""
    if not parameters:
        return None
    numbers = {int(found[1]) for found in _PARAMETER.finditer(sql) if found[1]}
    # DuckDB fails on parameters that the statement does not name
    if not numbers:
        return list(parameters) if "?" in sql else None
    return {str(number): parameters[number - 1] for number in numbers}


class Cursors(Protocol):
    """What is needed of the lake's database."""

    def cursor(self, sql: str) -> Any:
        """A cursor for one guarded statement, its tables loaded. Raises LakeError."""

    def translated(self, error: Exception) -> LakeError: ...


class LakeQuery:
    """One running query, read by one thread at a time, stopped from any."""

    def __init__(self, database: Cursors) -> None:
        self._database = database
        self._cursor: Any = None
        self._stopped = threading.Event()

    def begin(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        """Start it; rows are then taken.

        :raises LakeError: with the SQLSTATE that fits.
        """
        cursor = self._cursor = self._database.cursor(sql)
        with self._translating():
            self._go_on()
            cursor.execute(sql, given(sql, parameters))

    def take(self, rows: int) -> list[tuple[Any, ...]]:
        """The next rows, at most ``rows``; fewer: there are no more.

        :raises LakeError: with the SQLSTATE that fits.
        """
        with self._translating():
            self._go_on()
            found: list[tuple[Any, ...]] = self._cursor.fetchmany(rows)
            return found

    def close(self) -> None:
        if self._cursor is not None:
            self._cursor.close()

    def stream(
        self, sql: str, parameters: Sequence[Any] = (), *, batch: int = 1000
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Rows in batches with flat memory.

        :raises LakeError: with the SQLSTATE that fits.
        """
        try:
            self.begin(sql, parameters)
            while rows := self.take(batch):
                yield rows
        finally:
            self.close()

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except (duckdb.Error, RuntimeError) as error:
            # an interrupt surfaces as DuckDB's error: told as a cancellation
            self._go_on()
            raise self._database.translated(error) from error

    def interrupt(self) -> None:
        """Stop what runs; harmless when it has ended. A statement that is just about to begin may miss it:
        ask again.
        """
        self._stopped.set()
        if self._cursor is not None:
            with suppress(duckdb.Error):
                self._cursor.interrupt()

    def _go_on(self) -> None:
        if self._stopped.is_set():
            raise Timeout("the query was cancelled")
