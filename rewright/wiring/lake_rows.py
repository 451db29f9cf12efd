"""Rows of a lake's running query, fetched in threads and encoded there.

Owns how a query that a client cancels, or leaves, comes to its end. Must not know how a query is bound or
resolved.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from rewright.engines.duckdb.errors import LakeError
from rewright.proxy.duckdb_backend.ports import Encode, Portion
from rewright.proxy.ports import SqlError

_AGAIN_SECONDS = 0.2


class Running(Protocol):
    """One query as DuckDB, Spark or PostgreSQL runs it."""

    def stream(
        self, query: Any, parameters: Sequence[Any] = (), *, batch: int = 1000
    ) -> Iterator[list[tuple[Any, ...]]]: ...

    def interrupt(self) -> None: ...


class Begun(Protocol):
    """What is begun, and read by portions: ``LakeQuery``, ``Finishing``."""

    def begin(self, query: Any, parameters: Sequence[Any] = ()) -> None: ...

    def take(self, rows: int) -> list[tuple[Any, ...]]: ...

    def close(self) -> None: ...

    def interrupt(self) -> None: ...


class Portions:
    """What is begun and read by portions, as one stream."""

    def __init__(self, begun: Begun) -> None:
        self._begun = begun

    def stream(
        self, query: Any, parameters: Sequence[Any] = (), *, batch: int = 1000
    ) -> Iterator[list[tuple[Any, ...]]]:
        try:
            self._begun.begin(query, parameters)
            while rows := self._begun.take(batch):
                yield rows
        finally:
            self._begun.close()

    def interrupt(self) -> None:
        self._begun.interrupt()


class Cursor:
    """Rows of one running query, fetched in threads. Cancelled or closed while it is read from it stops, and
    ends in its thread.
    """

    notices: tuple[str, ...] = ()

    def __init__(self, running: Running, query: object, parameters: Sequence[object]) -> None:
        self._rows = running.stream(query, parameters, batch=1000)
        self._rest: list[tuple[object, ...]] = []
        self._running = running
        self._reading: asyncio.Future[Portion] | None = None

    async def fetch(self, rows: int, encode: Encode) -> Portion:
        self._reading = asyncio.get_running_loop().run_in_executor(None, self._fetch, rows, encode)
        try:
            return await asyncio.shield(self._reading)
        except asyncio.CancelledError:
            self._stop(self._reading)
            raise

    def _stop(self, reading: asyncio.Future[Portion]) -> None:
        """Interrupt until the thread stops: DuckDB ignores an interrupt that comes just before a statement
        begins.
        """
        if reading.done():
            reading.cancelled() or reading.exception()
            return
        self._running.interrupt()
        reading.get_loop().call_later(_AGAIN_SECONDS, self._stop, reading)

    def _fetch(self, rows: int, encode: Encode) -> Portion:
        try:
            while len(self._rest) < rows and (more := next(self._rows, None)) is not None:
                self._rest += more
        except LakeError as error:
            raise SqlError(error.sqlstate, first_line(str(error)), hint=error.hint) from error
        taken, self._rest = self._rest[:rows], self._rest[rows:]
        return Portion(len(taken), encode(taken), ended=len(taken) < rows)

    def close(self) -> None:
        if self._reading is not None and not self._reading.done():
            # its thread is in the middle of it, and ends it when it is interrupted
            self._stop(self._reading)
            return
        close: Callable[[], None] | None = getattr(self._rows, "close", None)
        if close is not None:
            close()


def first_line(text: str) -> str:
    """Of DuckDB's messages the part that says what is wrong."""
    return text.strip().split("\n\n")[0].split("\n")[0]
