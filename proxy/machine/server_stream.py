"""The walk over what the server sends: the hot path, and message by message while replies are sorted.

Must not know what the replies are for.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Protocol

from rewright.proxy.machine.client_stream import IN_COPY, ClientStream
from rewright.proxy.machine.cycles import Cycles, unpack
from rewright.proxy.machine.phases import Life, Phase
from rewright.proxy.machine.replies import PendingReplies
from rewright.proxy.machine.steps import PendingReply
from rewright.proxy.wire.tables import (
    BACKEND_KNOWN,
    COMPLETE,
    COMPLETIONS,
    ERROR,
    HEADER_SIZE,
    NOTICE,
    NOTIFICATION,
    PARAMETER,
    READY,
    SUSPENDED,
    table,
)
from rewright.proxy.wire.tables import SYNC as SYNC_TYPE

COPY_IN, COPY_OUT, COPY_BOTH = b"GHW"
DATA = b"Dd"
WAITING = Phase.WAITING
# Types that are looked at: cycle ends, errors, parameters, copies; with tags where statements may vanish or
# are timed.
NOTHING = table(b"")
EVENTS = table(b"ZESGW")
EVENTS_AND_TAGS = table(b"ZESGWCs")
# messages that hold back the rest of the stream until they are whole must not grow beyond this
EVENT_LIMIT = 1 << 20


class Upwards(Protocol):
    """What the stream tells the session of."""

    # asked for once the session is idle
    on_idle: Callable[[], None] | None

    def rested(self) -> None:
        """No cycle is open."""

    def answer_due(self) -> None:
        """The message at hand is dealt with: an exchange may have its answer."""

    def pass_through(self, reason: str, *, replies: bool = False) -> None: ...


class ServerStream:
    """``data`` takes the server's bytes as they come. ``slow`` is false only where the stream stands at a
    message boundary and no reply has a taker. ``rest`` and ``skip`` as the client's.
    """

    __slots__ = (
        "_client",
        "_clock",
        "_cycles",
        "_life",
        "_replies",
        "_to_client",
        "parameters",
        "rest",
        "skip",
        "slow",
        "slow_after",
        "table",
        "upwards",
    )

    upwards: Upwards

    def __init__(
        self,
        cycles: Cycles,
        replies: PendingReplies,
        life: Life,
        client: ClientStream,
        to_client: Callable[[bytes], None],
        clock: Callable[[], float],
    ) -> None:
        self._cycles = cycles
        self._replies = replies
        self._life = life
        self._client = client
        self._to_client = to_client
        self._clock = clock
        self.table = EVENTS
        self.slow = False
        self.rest = b""
        self.skip = 0
        self.slow_after = float("inf")
        self.parameters: dict[bytes, bytes] = {}

    def watch_tags(self, watched: bool) -> None:
        self.table = EVENTS_AND_TAGS if watched else EVENTS

    def settle(self) -> None:
        """When only replies for the client are left, nobody needs to sort them."""
        if self._life.exchanging:
            return
        if self._replies and self._replies.are_plain():
            self._replies.clear()
        if not self._replies:
            self._settle_now()

    def _settle_now(self) -> None:
        self.slow = bool(self.skip or self.rest)
        self._client.settle()

    # --- the hot path -------------------------------------------------------------------------------

    def data(self, data: bytes) -> None:
        if self.slow:
            self._slowly(data)
            return
        cycles = self._cycles
        size = len(data)
        at = 0
        watched = self.table
        try:
            while at < size:
                kind, length = unpack(data, at)
                if watched[kind]:
                    if kind == READY and length != 5:
                        self._strange(data)
                        return
                    if at + length >= size:
                        if length <= EVENT_LIMIT:
                            break
                        self._event(kind, data[at:])  # too much to wait for: its beginning tells enough
                    elif kind == READY:
                        cycles.pending -= 1
                        cycles.status = data[at + 5]
                        cycles.answered = 0
                        if cycles.unusual:
                            self._back_to_usual()
                        if self._clock() - cycles.started > self.slow_after:
                            self._slow_ended()
                    else:
                        self._event(kind, data[at : at + length + 1])
                at += length + 1
        except struct.error:
            pass
        if cycles.since:
            cycles.count_answers(data, min(at, size))
        if at == size:
            self._to_client(data)
        elif at > size:
            self.skip = at - size
            self.slow = True
            self._to_client(data)
        else:
            self._keep(data[at:])
            if at:
                self._to_client(data[:at])
        if cycles.pending <= 0 and (
            cycles.pending or self._life.phase is WAITING or self.upwards.on_idle is not None
        ):
            self.upwards.rested()

    def _slow_ended(self) -> None:
        if self._client.interceptor is not None:
            self._client.interceptor.slow_ended()

    def _strange(self, data: bytes) -> None:
        """What a server of PostgreSQL never says: from here on nothing is looked at."""
        self.upwards.pass_through("malformed message from the server")
        self.table = NOTHING
        self._to_client(data)

    def _keep(self, rest: bytes) -> None:
        self.rest = rest
        self.slow = True

    def _event(self, kind: int, message: bytes) -> None:
        """A message that is forwarded all the same, but changes what is known. (ReadyForQuery too.)"""
        cycles, interceptor = self._cycles, self._client.interceptor
        if kind == READY:
            cycles.pending -= 1
            cycles.status = message[HEADER_SIZE]
            cycles.answered = 0
            self._back_to_usual()
            if self._clock() - cycles.started > self.slow_after:
                self._slow_ended()
        elif kind == PARAMETER:
            name, _, value = message[HEADER_SIZE:-1].partition(b"\0")
            self.parameters[name] = value
        elif kind == ERROR:
            cycles.failed = cycles.unusual = True
            self._life.fatal = self._life.fatal or is_fatal(message)
            if interceptor is not None:
                interceptor.error(message)
            if cycles.mixed and cycles.pending:
                self.upwards.pass_through("an error before a query without a Sync")
        elif kind == COMPLETE:
            if interceptor is not None:
                interceptor.tag(message[HEADER_SIZE:-1])
        elif kind == SUSPENDED:
            if interceptor is not None:
                interceptor.suspended()
        elif kind == COPY_IN:
            self._copy_in()
        elif kind == COPY_BOTH:
            self.upwards.pass_through("replication")

    def _back_to_usual(self) -> None:
        """A cycle ended: errors, cancels and copies of it are over."""
        cycles, client = self._cycles, self._client
        cycles.unusual = cycles.failed = cycles.cancelled = False
        client.table = client.normal
        if client.interceptor is not None:
            cycles.unusual = client.interceptor.cycle_ended()
        if cycles.mixed:
            # the server stays in its strange state until a Sync
            cycles.mixed = cycles.unusual = cycles.pending > 0 or cycles.last != SYNC_TYPE

    def _copy_in(self) -> None:
        """The server now ignores Sync until CopyDone or CopyFail: also the one that libpq sent along."""
        cycles = self._cycles
        if cycles.pending == 1 and cycles.last == SYNC_TYPE:
            cycles.pending = 0
            cycles.since = b"E"
            cycles.answered = 0
        elif cycles.pending > 1:
            self.upwards.pass_through("COPY inside a pipeline")
        self._client.table = IN_COPY
        cycles.unusual = True

    # --- message by message -------------------------------------------------------------------------

    def _slowly(self, data: bytes) -> None:
        if self.rest:
            data = self.rest + data
            self.rest = b""
        elif self.skip:
            piece = data[: self.skip]
            self.skip -= len(piece)
            self._to_client(piece)
            data = data[len(piece) :]
            if not data:
                self.settle()
                return
        while data:
            if not self._replies:
                self._settle_now()
                self.data(data)
                return
            taken = self._one_message(data)
            if not taken:
                return
            data = data[taken:]
        self.settle()

    def _one_message(self, data: bytes) -> int:
        """Deal with the first message; how many bytes it was, 0 if it is not whole yet."""
        size = len(data)
        if size < HEADER_SIZE:
            self._keep(data)
            return 0
        kind, length = unpack(data)
        end = length + 1
        if kind == READY and length != 5:
            self._strange(data)
            return size
        reply = self._replies.first
        if end > size and reply.take is None and (kind in DATA or length > EVENT_LIMIT):
            self._to_client(data)
            self.skip = end - size
            return size
        if end > size:
            self._keep(data)
            return 0
        message = data[:end]
        if length < 4 or not BACKEND_KNOWN[kind]:
            self._to_client(message)
            return end
        self._sort(reply, kind, message)
        return end

    def _sort(self, reply: PendingReply, kind: int, message: bytes) -> None:
        if kind in {PARAMETER, NOTIFICATION} or (kind == NOTICE and reply.take is None):
            if kind == PARAMETER:
                self._event(kind, message)
            self._to_client(message)
            return
        if kind == ERROR and is_fatal(message):
            self._life.fatal = True
            self.upwards.pass_through("the server ends the session")
            self._to_client(message)
            return
        shown = message if reply.take is None else reply.take(kind, message)
        if self.table[kind] and ((kind == READY and reply.visible) or shown):
            self._event(kind, shown or message)
        if shown:
            self._to_client(shown)
        if kind == READY and not reply.cycle:
            self.upwards.pass_through("ReadyForQuery inside a reply")
        elif kind == READY or (not reply.cycle and (COMPLETIONS[kind] or kind == ERROR)):
            self._finish(reply, kind)
        self.upwards.answer_due()

    def _finish(self, reply: PendingReply, kind: int) -> None:
        if not self._replies.finish(reply, kind) or (kind == ERROR and not reply.cycle):
            return
        if kind == READY and not self._cycles.pending:
            if not self._replies:
                self._settle_now()
            self.upwards.rested()


def is_fatal(message: bytes) -> bool:
    """Whether an ErrorResponse ends the session."""
    return b"VFATAL\0" in message[:64] or b"VPANIC\0" in message[:64]
