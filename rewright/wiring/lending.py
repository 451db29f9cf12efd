"""A client's session lent to the process that reads its question: a PostgreSQL server as far as libpq can
tell.

The process connects to a Unix socket in a directory of its worker's own; what it sends, cycle by cycle, is
handed to whoever holds the session, and what comes back is the server's answer to the client's role. Owns the
handshake and the framing. Must not know what is asked, nor why.
docs/decisions/0392-questions-are-read-through-the-clients-session.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rewright.proxy.serving.asking_ports import Lent
from rewright.proxy.wire.backend import Authentication, BackendKeyData, ParameterStatus, ReadyForQuery
from rewright.proxy.wire.framing import HEADER

Exchange = Callable[[bytes], Awaitable[bytes]]
_SECURED = frozenset({80877103, 80877104})
"""Requests for TLS and for GSSAPI: a socket that only this user reaches needs neither."""
_PROTOCOL = 3 << 16
_LARGEST = 1 << 26
"""Bytes of one message."""
PORT = 5432
_CYCLE_ENDS = frozenset({b"Q", b"S"})


@dataclass(slots=True)
class Lender:
    """The socket of one process. ``lend`` says what the next connection gets; without it nobody is let in."""

    directory: Path
    _server: asyncio.Server | None = None
    _lent: Lent | None = None
    _exchange: Exchange | None = None

    @property
    def path(self) -> Path:
        """Where libpq looks for port PORT."""
        return self.directory / f".s.PGSQL.{PORT}"

    async def open(self) -> None:
        """Raises OSError."""
        self._server = await asyncio.start_unix_server(self._serve, str(self.path))

    def lend(self, lent: Lent, exchange: Exchange) -> None:
        """``exchange`` takes the messages of one cycle and gives the server's."""
        self._lent, self._exchange = lent, exchange

    def take_back(self) -> None:
        self._lent = self._exchange = None

    def close(self) -> None:
        self.take_back()
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lent, exchange = self._lent, self._exchange
        try:
            if lent is None or exchange is None:
                return
            await _let_in(reader, writer, lent)
            while (cycle := await _cycle(reader)) is not None:
                # a process that was overtaken by the next question's has nothing to say any more
                if self._exchange is not exchange:
                    return
                writer.write(await exchange(cycle))
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError, ValueError):
            return
        finally:
            writer.close()


async def _let_in(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lent: Lent) -> None:
    """Raises ValueError for what is no client of ours."""
    while True:
        length = int.from_bytes(await reader.readexactly(4), "big")
        if not 8 <= length <= 10_000:
            raise ValueError("not a startup packet")
        packet = await reader.readexactly(length - 4)
        code = int.from_bytes(packet[:4], "big")
        if code not in _SECURED:
            break
        writer.write(b"N")
    if code >> 16 != _PROTOCOL >> 16:
        raise ValueError("not protocol 3")
    writer.write(b"".join(_welcome(lent)))
    await writer.drain()


def _welcome(lent: Lent) -> Iterator[bytes]:
    yield Authentication(0, b"").encode()
    for name, value in lent.parameters.items():
        yield ParameterStatus(name, value).encode()
    yield BackendKeyData(lent.backend_pid, b"\0\0\0\0").encode()
    yield ReadyForQuery(lent.status).encode()


async def _cycle(reader: asyncio.StreamReader) -> bytes | None:
    """The messages up to the end of a cycle; None: it says goodbye. Raises ValueError for one that is too
    long.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        head = await reader.readexactly(HEADER.size)
        kind, length = HEADER.unpack(head)
        size += length
        if not 4 <= length <= _LARGEST or size > _LARGEST:
            raise ValueError("a message too long")
        parts.append(head + await reader.readexactly(length - 4))
        if kind == b"X":
            return None
        if kind in _CYCLE_ENDS:
            return b"".join(parts)
