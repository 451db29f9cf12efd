"""One established session, without I/O: bytes of both sides in, bytes for both sides out.

Puts the parts of ``rewright.proxy.machine`` together and owns how a session ends: the two streams forward
whole pieces and count open cycles, an exchange talks to the server in private while the client is held back,
pending replies say who takes what comes back, and ``rewright.proxy.machine.phases`` is the table of what may
follow what. Must not know sockets, or what is looked up, guarded and served: that is the ``Interceptor``'s.

Invariants of the hot path, which every part keeps:

- the client stream is not ``slow`` only where it stands at a message boundary and nothing is held or counted;
- the server stream is not ``slow`` only where it stands at a message boundary and there are no pending
  replies.

On anything the protocol does not explain the session stops looking and only relays (``pass_through``).
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from rewright.proxy.machine.client_stream import ClientStream
from rewright.proxy.machine.cycles import FAILED, IDLE, IN_BLOCK, Cycles
from rewright.proxy.machine.exchanging import Exchanging
from rewright.proxy.machine.phases import Life, Phase
from rewright.proxy.machine.replies import PendingReplies
from rewright.proxy.machine.server_stream import ServerStream
from rewright.proxy.machine.steps import (
    Ask,
    Cancelled,
    Emit,
    Exchange,
    Failed,
    Interceptor,
    PendingReply,
    Replies,
    Run,
    Send,
    Started,
    Step,
    Wait,
)
from rewright.proxy.ports import SqlError
from rewright.proxy.wire.backend import error


def _raise(fault: Exception) -> None:
    raise fault


class Session:
    """``to_server`` / ``to_client`` take bytes to send; they must not call back into the session.

    ``pause(True)`` asks that the client is not read from; ``end_server()`` says that nothing more will be
    sent; ``effect(factory, limit)`` starts something that ends with ``effect_done``. ``on_fault(fault)`` is
    told of a mistake of ours before the session ends or is only relayed; unless somebody sets it, the mistake
    is raised, so that a test fails on it.
    """

    def __init__(
        self,
        to_server: Callable[[bytes], None],
        to_client: Callable[[bytes], None],
        *,
        pause: Callable[[bool], None] = lambda _paused: None,
        effect: Callable[[Callable[[], Any], float | None], None] = lambda _factory, _limit: None,
        end_server: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = monotonic,
        buffer_limit: int = 4 << 20,
        text_limit: int = 2 << 20,
    ) -> None:
        self._to_server = to_server
        self._to_client = to_client
        self.clock = clock
        self.life = life = Life()
        self.cycles = cycles = Cycles()
        self.replies = replies = PendingReplies(cycles)
        self.client = client = ClientStream(cycles, replies, life, to_server, end_server, clock, text_limit)
        self.server = server = ServerStream(cycles, replies, life, client, to_client, clock)
        self._exchanging = exchanging = Exchanging(
            cycles,
            replies,
            life,
            client,
            server,
            to_server,
            to_client,
            pause,
            effect,
            self._lost,
            buffer_limit,
        )
        self.on_idle: Callable[[], None] | None = None
        self.on_broken: Callable[[], None] = lambda: None
        self.on_fault: Callable[[Exception], None] = _raise
        client.upwards = server.upwards = self
        # what is called for each piece of bytes, or message, goes to its part at once
        self.client_data = client.data
        self.server_data = server.data
        self.begin = exchanging.begin
        self.hold = exchanging.hold
        self.answer_due = exchanging.answer_due
        self.effect_done = exchanging.effect_done
        self.cancel = exchanging.cancel

    def attach(self, interceptor: Interceptor) -> None:
        self.client.interceptor = interceptor
        self.client.watch(names=False)

    def rested(self) -> None:
        """No cycle is open, which was awaited; or one has ended that never began."""
        if self.cycles.pending < 0:
            self.pass_through("ReadyForQuery nobody asked for")
        elif self.life.phase is Phase.WAITING:
            self._exchanging.start()
        elif self.on_idle is not None and self.is_idle:
            self.on_idle()
        # Reset last: what was called above may have made somebody wait, or nobody.
        self.server.awaited = self.on_idle is not None or self.life.phase is Phase.WAITING

    # --- the end ------------------------------------------------------------------------------------

    def pass_through(self, reason: str, *, replies: bool = False) -> None:
        """From here on only relay. What was held goes to the server as it came. ``replies``: those under way
        are understood, and are given as they were promised, to their end.

        In the middle of an exchange that is not possible (a message of the client is in its hands): the
        session ends.
        """
        life = self.life
        if life.gave_up():
            return
        life.lose(reason)
        # the client's message is in our hands: relayed to, it would wait for its answer for ever
        if life.phase is Phase.BROKEN:
            life.fatal = True
            self._to_client(error("XX000", "the proxy lost track of the session", severity="FATAL"))
            self.on_broken()
        # the slow way, which knows that nothing is looked at any more, gets all bytes
        self.client.slow = True
        held = self._exchanging.give_up()
        if not replies:
            self.replies.clear()
        if held:
            self._to_server(held)
        self.client.pass_end()

    def _lost(self, reason: str, fault: Exception | None) -> None:
        self.pass_through(reason)
        if fault is not None:
            self.on_fault(fault)

    def client_eof(self) -> bool:
        """The client has sent its last byte. True: it may still read, and gets all answers; False: it said
        goodbye, and has them all.
        """
        if self.life.fatal and self.cycles.pending <= 0:
            return False
        self.client.ended = True
        self.client.pass_end()
        return True

    def farewell(self) -> bytes:
        """What the client gets when the server's connection is gone without a word of its own."""
        # in the middle of a message our words would be read as part of it
        if self.life.fatal or self.client.ended or self.server.skip or self.server.rest:
            return b""
        self.life.fatal = True
        return error("08006", "the connection to the PostgreSQL server was lost", severity="FATAL")

    @property
    def relay_only(self) -> str:
        """Why nothing is looked at any more; empty: all is."""
        return self.life.reason

    @property
    def held_bytes(self) -> int:
        """Of the client, not yet on their way."""
        return self._exchanging.held_bytes + self.client.kept_bytes

    @property
    def is_idle(self) -> bool:
        """No transaction, nothing under way."""
        cycles = self.cycles
        return (
            cycles.pending == 0
            and cycles.status == IDLE
            and not cycles.since
            and not (self.client.slow or self.server.slow)
        )

    def end_when_idle(self, end: Callable[[], None]) -> None:
        """Call ``end`` once, now or when the session is idle."""
        if self.is_idle:
            end()
        else:
            self.on_idle = end
            self.server.awaited = True


__all__ = [
    "FAILED",
    "IDLE",
    "IN_BLOCK",
    "Ask",
    "Cancelled",
    "Emit",
    "Exchange",
    "Failed",
    "Interceptor",
    "PendingReply",
    "Replies",
    "Run",
    "Send",
    "Session",
    "SqlError",
    "Started",
    "Step",
    "Wait",
]
