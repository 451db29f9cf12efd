"""The two ends of a session on asyncio: transports, backpressure, and who closes whom.

Owns the protocols that uvloop or asyncio call. Must not know messages (``proxy.session``) or logins.
"""

from __future__ import annotations

import asyncio
import socket
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
        self._send: Callable[[bytes], int] | None = None
        self._queued = False
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

    def write_through(self, plain: socket.socket) -> None:
        """``plain`` is the transport's socket, without TLS: what it takes at once need not pass the event loop."""
        self._send = plain.send

    def write(self, data: bytes) -> None:
        if self.lost or not data:
            return
        send = self._send
        if send is None or (self._queued and self.transport.get_write_buffer_size()):
            self.transport.write(data)
            return
        try:
            sent = send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            # the transport will meet it, too, and say that the connection is lost
            self._send = None
            sent = 0
        self._queued = sent != len(data)
        if self._queued:
            self.transport.write(data[sent:] if sent else data)

    def close(self) -> None:
        """Send what is buffered, then close."""
        if self.transport is not None and not self.lost:
            self._send = None
            self.transport.close()

    def abort(self) -> None:
        if self.transport is not None and not self.lost:
            self._send = None
            self.transport.abort()
