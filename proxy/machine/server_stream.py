"""What the walk over the server's headers (``hot.py``) leaves: messages that mean something, replies to sort.

Must not know what the replies are for.
"""

from __future__ import annotations

from collections.abc import Callable

from rewright.proxy.machine.client_stream import IN_COPY, ClientStream
from rewright.proxy.machine.core import ServerWalk
from rewright.proxy.machine.cycles import Cycles, unpack
from rewright.proxy.machine.held import HeldAnswer
from rewright.proxy.machine.hot import EVENT_LIMIT
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
# Types that are looked at: cycle ends, errors, parameters, copies; with tags where statements may vanish or
# are timed.
NOTHING = table(b"")
EVENTS = table(b"ZESGW")
EVENTS_AND_TAGS = table(b"ZESGWCs")


class ServerStream(ServerWalk):
    """What the walk over headers leaves: what messages mean, and who takes them while replies are sorted."""

    __slots__ = ("_client", "_dropping", "_lacking", "_life", "_more", "_replies", "parameters")

    def __init__(
        self,
        cycles: Cycles,
        replies: PendingReplies,
        life: Life,
        client: ClientStream,
        to_client: Callable[[bytes], None],
        clock: Callable[[], float],
    ) -> None:
        super().__init__(cycles, to_client, clock, EVENTS)
        self._life = life
        self._replies = replies
        self._client = client
        # what came of the message in ``rest`` since, and how much of it is still to come (0: not known)
        self._more = bytearray()
        self._lacking = 0
        # ``skip`` is of a message that the client does not get
        self._dropping = False
        self.parameters: dict[bytes, bytes] = {}

    def watch_tags(self, watched: bool) -> None:
        self.table = EVENTS_AND_TAGS if watched else EVENTS

    def settle(self) -> None:
        """When only replies for the client are left, nobody needs to sort them."""
        # An exchange may yet add takers, and wants what comes back one message at a time.
        if self._life.exchanging:
            return
        if self._replies and self._replies.are_plain():
            self._replies.clear()
        if not self._replies:
            self._settle_now()

    def _settle_now(self) -> None:
        self.slow = bool(self.skip or self.rest)
        self._client.settle()

    # --- what the walk meets ------------------------------------------------------------------------

    def slow_ended(self) -> None:
        if self._client.interceptor is not None:
            self._client.interceptor.slow_ended()

    def strange(self, data: bytes) -> None:
        self.upwards.pass_through("malformed message from the server")
        # Behind a length that is wrong, what looks like a header may be anything.
        self.table = NOTHING
        self._to_client(data)

    def _keep(self, rest: bytes) -> None:
        self.rest = rest
        # With less than a header the length is not known: each piece that comes is joined and looked at.
        if len(rest) >= HEADER_SIZE:
            self._lacking = unpack(rest)[1] + 1 - len(rest)
        self.slow = True

    def event(self, kind: int, message: bytes) -> None:
        cycles, interceptor = self._cycles, self._client.interceptor
        if kind == READY:
            # Only while replies are sorted: else the walk of ``hot.py`` does the same by itself.
            cycles.pending -= 1
            cycles.status = message[HEADER_SIZE]
            cycles.answered = 0
            self.back_to_usual()
            if self._clock() - cycles.started > self.slow_after:
                self.slow_ended()
        elif kind == PARAMETER:
            name, _, value = message[HEADER_SIZE:-1].partition(b"\0")
            self.parameters[name] = value
        elif kind == ERROR:
            cycles.failed = cycles.unusual = True
            self._life.fatal = self._life.fatal or is_fatal(message)
            if interceptor is not None:
                interceptor.error(message)
            # The server skips to the next Sync, and with it a Query whose ReadyForQuery is being counted on.
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

    def back_to_usual(self) -> None:
        cycles, client = self._cycles, self._client
        cycles.unusual = cycles.failed = cycles.cancelled = False
        # A COPY that was refused or failed ends without CopyDone: its cycle's end is the end of it, too.
        client.table = client.normal
        if client.interceptor is not None:
            cycles.unusual = client.interceptor.cycle_ended()
        if cycles.mixed:
            # the server stays in its strange state until a Sync
            cycles.mixed = cycles.unusual = cycles.pending > 0 or cycles.last != SYNC_TYPE

    def _copy_in(self) -> None:
        """The server now ignores Sync until CopyDone or CopyFail: also the one that libpq sent along."""
        cycles = self._cycles
        if self._life.phase is Phase.WAITING:
            # what waits for the end of the COPY can't bring it about, and the server refuses it in a COPY
            self.upwards.pass_through("a message behind a COPY that has not ended")
        elif cycles.pending == 1 and cycles.last == SYNC_TYPE:
            # The COPY swallows the Sync that came with the Execute: the cycle is open again, and lacks the
            # answer to that Execute only. The client sends another Sync behind its CopyDone.
            cycles.pending = 0
            cycles.since = b"E"
            cycles.answered = 0
        elif cycles.pending > 1:
            # Which of the Syncs under way the server ignores depends on when they reach it.
            self.upwards.pass_through("COPY inside a pipeline")
        self._client.table = IN_COPY
        cycles.unusual = True

    # --- message by message -------------------------------------------------------------------------

    def slowly(self, data: bytes) -> None:
        # The message is not whole yet. Joining it with each piece would copy a large value again and again.
        if len(data) < self._lacking:
            self._more += data
            self._lacking -= len(data)
            return
        if self.rest:
            data = self.rest + self._more + data
            self.rest = b""
            self._more.clear()
            self._lacking = 0
        elif self.skip:
            data = self._skipped(data)
            if not data:
                self.settle()
                return
        while data:
            if not self._replies:
                self._settle_now()
                self.data(data)
                return
            held = self._replies.first.held
            taken = (0 if held is None else _rows(held, data)) or self._one_message(data)
            if not taken:
                return
            data = data[taken:]
        self.settle()

    def _skipped(self, data: bytes) -> bytes:
        """What comes behind the message that is skipped."""
        piece = data[: self.skip]
        self.skip -= len(piece)
        if not self._dropping:
            self._to_client(piece)
        self._dropping = self._dropping and self.skip > 0
        return data[len(piece) :]

    def _one_message(self, data: bytes) -> int:
        """Deal with the first message; how many bytes it was, 0 if it is not whole yet."""
        size = len(data)
        if size < HEADER_SIZE:
            self._keep(data)
            return 0
        kind, length = unpack(data)
        end = length + 1
        if kind == READY and length != 5:
            self.strange(data)
            return size
        reply = self._replies.first
        # Rows for the client need not be whole, and a large value must not be collected in memory.
        if end > size and reply.take is None and (kind in DATA or length > EVENT_LIMIT):
            self._to_client(data)
            self.skip = end - size
            return size
        if end > size and reply.held is not None and kind in DATA and not reply.held.has_room(end):
            reply.held.outgrow()
            self.skip = end - size
            self._dropping = True
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
        # They may come between any two messages and answer none (manual, "Asynchronous Operations").
        if kind in {PARAMETER, NOTIFICATION} or (kind == NOTICE and reply.take is None):
            if kind == PARAMETER:
                self.event(kind, message)
            self._to_client(message)
            return
        # No ReadyForQuery follows, so the replies still to come never do.
        if kind == ERROR and is_fatal(message):
            self._life.fatal = True
            self.upwards.pass_through("the server ends the session")
            self._to_client(message)
            return
        shown = message if reply.take is None else reply.take(kind, message)
        if self.table[kind] and ((kind == READY and reply.visible) or shown):
            self.event(kind, shown or message)
        if shown:
            self._to_client(shown)
        if kind == READY and not reply.cycle:
            self.upwards.pass_through("ReadyForQuery inside a reply")
        # An error does not complete the reply of a cycle: ReadyForQuery comes behind it.
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


def _rows(held: HeldAnswer, data: bytes) -> int:
    """Give what is held the whole rows that come first, in one piece; how many bytes they were."""
    at, size = 0, len(data)
    while at + HEADER_SIZE <= size:
        kind, length = unpack(data, at)
        if kind not in DATA or length < 4 or at + length >= size:
            break
        at += length + 1
    if at:
        held.keep(data[:at])
    return at


def is_fatal(message: bytes) -> bool:
    """Whether an ErrorResponse ends the session."""
    # Field V is never translated, as S is (9.6 and later), and comes second: its place is near the beginning.
    return b"VFATAL\0" in message[:64] or b"VPANIC\0" in message[:64]
