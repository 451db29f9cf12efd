"""The two ends of a session on asyncio: transports, backpressure, and who closes whom.

Owns the protocols that the event loop calls. Must not know messages (``rewright.proxy.session``) or logins.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket
from collections.abc import Callable
from typing import cast

from rewright.proxy.event_loop import RelayLoop
from rewright.proxy.machine.core import Outlet

# what may wait to be sent before the other side is no longer read
HIGH_WATER = 256 * 1024
TERMINATE = b"X\0\0\0\4"
# for the peer to read what it was sent last
LINGER_SECONDS = 1.0
# a closed end whose peer takes nothing of what is buffered for it is given up after this many seconds
STUCK_SECONDS = 60.0


class Valve:
    """Whether a side is read from: it is, as long as there is no reason against it."""

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


def _ignore(_data: bytes) -> None:
    """What comes from a peer that nobody listens to any more."""


class Side(Outlet, asyncio.Protocol):
    """One end. ``data_received`` is whatever the current phase installed with ``receive``.

    When this end can't take more, ``opposite``'s valve is closed until it can.
    """

    def __init__(self, on_made: Callable[[Side], None] | None = None) -> None:
        super().__init__()
        self.transport: asyncio.Transport = cast("asyncio.Transport", None)
        self.valve: Valve = cast("Valve", None)
        self.opposite: Side | None = None
        self.on_made = on_made
        self.on_lost: Callable[[BaseException | None], None] | None = None
        self.on_eof: Callable[[], bool] | None = None
        self.lost = False
        self.peer_ended = False
        self._deaf = False  # the peer does not take bytes any more, or has been sent the end
        self._ending: asyncio.TimerHandle | None = None
        self._early = bytearray()
        self._straight: RelayLoop | None = None  # reads this side's socket itself
        self._fault: BaseException | None = None  # what a handler raised, which ended this side
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
        self._listen(handler)
        if self._early:
            early = bytes(self._early)
            # First, since the handler may install another one, or ask that bytes are kept again.
            self._early.clear()
            self.valve.open("early")
            handler(early)

    def keep(self, data: bytes) -> None:
        """Until the next ``receive``, store bytes again, beginning with these."""
        self._early += data
        self._listen(self._store)

    def _listen(self, handler: Callable[[bytes], None]) -> None:
        self.data_received = handler  # type: ignore[method-assign,assignment] # asyncio calls what this attribute holds
        # uvloop and asyncio keep the bound method they found when the protocol was set
        self.transport.set_protocol(self)
        if self._straight is not None and not self.lost:
            self._straight.read_straight(self.number, handler, self._handler_failed)

    def _handler_failed(self, fault: BaseException) -> None:
        """A mistake of ours in the walk over its bytes: as a transport would, end this side and say why."""
        self._fault = self._fault or fault
        self.abort()

    def data_received(self, data: bytes) -> None:
        self._store(data)

    def _store(self, data: bytes) -> None:
        """Nobody listens yet: keep the bytes, they are few (a login), and stop reading if they are not."""
        self._early += data
        if len(self._early) > HIGH_WATER:
            self.valve.close("early")

    def eof_received(self) -> bool:
        """``on_eof`` says whether this end stays open for what is written to it; with TLS it does not."""
        self.peer_ended = True
        # TLS has no half-closed connection in asyncio: after close_notify the transport is closed whole.
        encrypted = self.transport.get_extra_info("ssl_object") is not None
        return self.on_eof is not None and not encrypted and self.on_eof()

    def write_end(self) -> None:
        """Nothing more will be written; what comes from the peer is still read. With
        TLS: a farewell instead.
        """
        if self.lost or self.transport.is_closing():
            return
        if not self.transport.can_write_eof():
            self.write(TERMINATE)
            return
        self.send, self._deaf = None, True
        with contextlib.suppress(OSError):  # the peer is gone, and what reads will say so
            self.transport.write_eof()

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True
        self.send = None
        if self._straight is not None:
            self._straight.read_no_more(self.number)
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None
        # Whoever waits for this end to take more would wait for ever.
        self._writable.set()
        if self.on_lost is not None:
            self.on_lost(self._fault or exc)

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
        """``plain`` is the transport's socket, without TLS: what it takes at once need not pass the event
        loop, nor what it gives where the loop can read it without the transport.
        """
        self.number = plain.fileno()
        self.send = plain.send
        loop = asyncio.get_running_loop()
        self._straight = loop if isinstance(loop, RelayLoop) else None

    def enqueue(self, data: bytes) -> None:
        self.transport.write(data)

    def send_failed(self, data: bytes) -> None:
        self.send = None
        if self.peer_ended or self.valve.reasons:
            # the transport will meet it, too, and say that the connection is lost
            self.queued = True
            self.transport.write(data)
        else:
            # what the peer said before it closed is still to be read; its end is behind it
            self._deaf = True

    def write_later(self, data: bytes) -> None:
        if self.lost or self._deaf or not data:
            return
        # The transport has nothing left, so bytes can go to the socket again without overtaking others.
        if self.queued and self.send is not None and not self.transport.get_write_buffer_size():
            self.queued = False
            self.write(data)
        else:
            self.transport.write(data)

    def finish(self) -> None:
        """Send what is buffered and the end, and close when the peer has closed, too, or after a moment.

        A socket that is closed while bytes of the peer lie in it unread is reset, and the peer loses what it
        has not read yet.
        """
        if self.transport is None or self.lost or self.transport.is_closing():
            return
        if self.peer_ended or not self.transport.can_write_eof():
            self.close()
            return
        try:
            self.transport.write_eof()
        except OSError:
            self.close()
            return
        self.send, self._deaf = None, True  # whoever ends this session as well has nothing to add
        self.on_eof = None
        self._listen(_ignore)
        self.transport.resume_reading()
        asyncio.get_running_loop().call_later(LINGER_SECONDS, self.close)

    def close(self, patience: float = STUCK_SECONDS) -> None:
        """Send what is buffered, then close; when the peer takes nothing of it for ``patience`` seconds,
        close anyway.
        """
        if self.transport is not None and not self.lost:
            self.send = None
            if (
                not self.transport.is_closing()
            ):  # closed twice, asyncio's TLS transport forgets what it is asked for below
                self.transport.close()
            self._watch_end(patience, self._unsent())

    def _watch_end(self, patience: float, unsent: int) -> None:
        if self._ending is not None:
            self._ending.cancel()
        loop = asyncio.get_running_loop()
        self._ending = loop.call_later(patience, self._end_stuck, patience, unsent)

    def _end_stuck(self, patience: float, before: int) -> None:
        """A transport that is closing is not read from, so a peer that waits to be read never takes what is
        left.
        """
        if self.lost:
            return
        unsent = self._unsent()
        # It takes some: slowly is not stuck.
        if unsent < before:
            self._watch_end(patience, unsent)
        else:
            self.transport.abort()

    def _unsent(self) -> int:
        return self.transport.get_write_buffer_size()

    def is_reset(self) -> bool:
        """Whether the peer has reset the connection, also while nothing is read from it."""
        found = select.poll()
        try:
            # No events asked for: POLLERR and POLLHUP are always told, and nothing is read.
            found.register(self.transport.get_extra_info("socket").fileno(), 0)
            return bool(found.poll(0))
        except (OSError, ValueError):  # closed meanwhile
            return False

    def abort(self) -> None:
        if self.transport is not None and not self.lost:
            self.send = None
            self.transport.abort()
