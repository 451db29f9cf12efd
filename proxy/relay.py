"""The two ends of a session on asyncio: transports, backpressure, and who closes whom.

Owns the protocols that uvloop or asyncio call. Must not know messages (``proxy.session``) or logins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

HIGH_WATER = 256 * 1024


class Valve:
    """Whether a side is read from: it is while nobody has a reason against it."""

    __slots__ = ("reasons", "transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        self.reasons: set[str] = set()

    def close(self, reason: str) -> None:
        if not self.reasons and not self.transport.is_closing():
            self.transport.pause_reading()
        self.reasons.add(reason)

    def open(self, reason: str) -> None:
        self.reasons.discard(reason)
        if not self.reasons and not self.transport.is_closing():
            self.transport.resume_reading()


class Side(asyncio.Protocol):
    """One end. ``data_received`` is whatever the current phase installed with ``receive``.

    When this end can't take more, ``opposite``'s valve is closed until it can.
    """

    def __init__(self, on_made: Callable[[Side], None] | None = None) -> None:
        self.transport: asyncio.Transport = cast("asyncio.Transport", None)
        self.valve: Valve = cast("Valve", None)
        self.opposite: Side | None = None
        self.on_made = on_made
        self.on_lost: Callable[[Exception | None], None] | None = None
        self.on_eof: Callable[[], None] | None = None
        self.lost = False
        self._early = bytearray()
        self._writable = asyncio.Event()
        self._writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.valve = Valve(self.transport)
        self.transport.set_write_buffer_limits(high=HIGH_WATER)
        if self.on_made is not None:
            self.on_made(self)

    def receive(self, handler: Callable[[bytes], None]) -> None:
        """From now on ``handler`` gets the bytes; those that came before it first."""
        self.data_received = handler  # type: ignore[method-assign,assignment]
        # uvloop and asyncio keep the bound method they found when the protocol was set
        self.transport.set_protocol(self)
        if self._early:
            early = bytes(self._early)
            self._early.clear()
            self.valve.open("early")
            handler(early)

    def keep(self, data: bytes) -> None:
        """Until the next ``receive``, store bytes again, beginning with these."""
        self._early += data
        self.data_received = self._store  # type: ignore[method-assign]
        self.transport.set_protocol(self)

    def data_received(self, data: bytes) -> None:
        self._store(data)

    def _store(self, data: bytes) -> None:
        """Nobody listens yet: keep the bytes, they are few (a login), and stop reading if they are not."""
        self._early += data
        if len(self._early) > HIGH_WATER:
            self.valve.close("early")

    def eof_received(self) -> bool:
        if self.on_eof is not None:
            self.on_eof()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True
        self._writable.set()
        if self.on_lost is not None:
            self.on_lost(exc)

    def pause_writing(self) -> None:
        self._writable.clear()
        if self.opposite is not None:
            self.opposite.valve.close("peer is slow")

    def resume_writing(self) -> None:
        self._writable.set()
        if self.opposite is not None:
            self.opposite.valve.open("peer is slow")

    async def drained(self) -> None:
        """Wait until the peer has taken enough."""
        await self._writable.wait()

    def write(self, data: bytes) -> None:
        if not self.lost and data:
            self.transport.write(data)

    def close(self) -> None:
        """Send what is buffered, then close."""
        if self.transport is not None and not self.lost:
            self.transport.close()

    def abort(self) -> None:
        if self.transport is not None and not self.lost:
            self.transport.abort()
