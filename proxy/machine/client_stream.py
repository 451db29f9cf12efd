"""What the client sends, message by message, where the walk in ``hot.py`` is not enough.

Forwards whole pieces; decodes nothing but what ``rewright.proxy.wire.tables`` marks. Must not know what an
exchange does.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from rewright.proxy.machine.core import ClientWalk
from rewright.proxy.machine.cycles import CYCLES, REPLIED, Cycles, unpack
from rewright.proxy.machine.phases import Life
from rewright.proxy.machine.replies import PendingReplies
from rewright.proxy.machine.steps import PendingReply
from rewright.proxy.wire.tables import (
    CALL,
    COPY_DONE,
    COPY_FAIL,
    FRONTEND_KNOWN,
    HEADER_SIZE,
    TERMINATE,
    Q,
    table,
)
from rewright.proxy.wire.tables import SYNC as SYNC_TYPE

# Types that are looked at: always what opens a cycle; texts and names when there is an interceptor.
PLAIN = table(b"SQFX")
TEXTS = table(b"SQFXPC")
WATCHED = table(b"SQFXPCBED")
IN_COPY = table(b"cf")


class ClientStream(ClientWalk):
    """What the walk over headers leaves: messages one by one, and what comes in pieces."""

    __slots__ = ("_end_server", "_lacking", "_life", "_more", "_replies", "_text_limit", "ended", "normal")

    def __init__(
        self,
        cycles: Cycles,
        replies: PendingReplies,
        life: Life,
        to_server: Callable[[bytes], None],
        end_server: Callable[[], None],
        clock: Callable[[], float],
        text_limit: int,
    ) -> None:
        super().__init__(cycles, to_server, clock, PLAIN)
        self._replies = replies
        self._life = life
        self._end_server = end_server
        self._text_limit = text_limit
        self.normal = PLAIN
        # what came of the message in ``rest`` since, and how much of it is still to come (0: not known); what
        # is kept is joined once, not with each piece
        self._more = bytearray()
        self._lacking = 0
        self.ended = False  # it sends nothing more, and may still read

    def watch(self, *, names: bool) -> None:
        """Look at texts, and with ``names`` at Bind, Describe and Execute too: a statement of this session is
        special.
        """
        wanted = WATCHED if names else TEXTS
        if self.normal is not wanted:
            # During COPY the table is another one: it comes back to ``normal`` when the copy ends.
            if self.table is self.normal:
                self.table = wanted
            self.normal = wanted

    def let_pass(self, texts: AbstractSet[bytes]) -> None:
        """From now on these, without their digits, pass unseen, and no other that did."""
        self.passing = texts
        # Both stand for texts of the set before, which may be looked at again.
        self.same = self.like = b""

    def settle(self) -> None:
        """Slow as long as the quick walk would go wrong."""
        life = self._life
        # While replies are sorted each message is accounted for by itself, or its reply would have no taker.
        self.slow = bool(self.skip or self.rest or self._replies or life.reason or life.holding)

    def pass_end(self) -> None:
        """The end of the client's bytes comes behind all of them."""
        if self.ended and not self._life.holding:
            # A message that was cut short is the server's to complain of, not ours to drop.
            rest = self.take_kept()
            if rest:
                self._to_server(rest)
            self._end_server()

    def held(self, data: bytes) -> None:
        """What was held, once it may go on; its clock runs since it came."""
        cycles = self._cycles
        # ``data`` would begin a clock of its own: the statement's duration would lack the time it was held.
        started, chunk = cycles.started, cycles.chunk
        self.data(data)
        cycles.started, cycles.chunk = started, chunk

    def keep(self, data: bytes, start: int, at: int) -> None:
        rest = data[at:]
        self.rest = rest
        # With less than a header the length is not known: each piece that comes is joined and looked at.
        if len(rest) >= HEADER_SIZE:
            self._lacking = unpack(rest, 0)[1] + 1 - len(rest)
        self.slow = True
        if at > start:
            self._to_server(data[start:at])

    @property
    def kept_bytes(self) -> int:
        """Of a message that is not complete yet."""
        return len(self.rest) + len(self._more)

    def take_kept(self) -> bytes:
        """What there is of a message that is not complete; it is kept no longer."""
        kept = self.rest + self._more
        self.rest = b""
        self._more.clear()
        self._lacking = 0
        return kept

    # --- message by message -------------------------------------------------------------------------

    def slowly(self, data: bytes, at: int = 0) -> None:
        """Look at each message of ``data`` from ``at`` on, and forward or keep it. Messages in a row which
        need no change go to the server in one piece.
        """
        if self._is_taken(data):
            return
        # With an ``at`` the quick walk has come so far, and it begins at a message boundary only.
        if not at:
            data = self._continued(data)
        size = len(data)
        start = 0
        while at < size:
            if size - at < HEADER_SIZE:
                self.keep(data, start, at)
                return
            kind, length = unpack(data, at)
            end = at + length + 1
            # The length counts itself: less than 4 can't be framed. The server ends the session (08P01).
            if length < 4 or not FRONTEND_KNOWN[kind]:
                self.upwards.pass_through("malformed message from the client", replies=True)
                self._to_server(data[start:])
                return
            # a message that somebody wants to see has to be complete first; others pass while they arrive
            if self.table[kind] and end > size:
                if self._ends_at(kind, length, data, start, at):
                    return
            elif self._is_special(kind, data, at, end):
                # what stood before it must reach the server first
                if at > start:
                    self._to_server(data[start:at])
                self.upwards.begin(data[at:end], data[end:])
                return
            # ``_is_special`` may have ended the looking: what is left goes out as it came.
            if self._life.gave_up():
                self._to_server(data[start:])
                return
            # Only now: an exchange that took the message over accounts for what it sends by itself.
            self.account(kind)
            at = end
        # the last message is not complete: its remaining bytes are forwarded without a look
        if at > size:
            self.skip = at - size
        self.settle()
        if size > start:
            self._to_server(data[start:])

    def _is_taken(self, data: bytes) -> bool:
        """Whether the bytes have gone where no message is looked at: to the server, to what is held, or to
        the message that they are only a part of.
        """
        if self._life.gave_up():
            self._to_server(self.take_kept() + data)
            return True
        if self._life.holding:
            self.upwards.hold(data)
            return True
        # The message is not whole yet. Joining it with each piece would copy a large text again and again.
        if len(data) < self._lacking:
            self._more += data
            self._lacking -= len(data)
            return True
        return False

    def _ends_at(self, kind: int, length: int, data: bytes, start: int, at: int) -> bool:
        """Whether the walk ends at a message that is not complete: it is kept, or nothing is looked at any
        more.
        """
        if length <= self._text_limit:
            self.keep(data, start, at)
            return True
        # Too large to wait for: it passes in pieces if its beginning tells which names it changes.
        if self.interceptor is not None and not self.interceptor.unseen(kind, data, at):
            self.upwards.pass_through("a message is larger than is looked at")
            self._to_server(data[start:])
            return True
        return False

    def _continued(self, data: bytes) -> bytes:
        """Join what was kept with what came; the part of a message already under way is sent at once."""
        if self.rest:
            data = self.take_kept() + data
        elif self.skip:
            piece = data[: self.skip]
            self.skip -= len(piece)
            self._to_server(piece)
            data = data[len(piece) :]
        self.settle()
        return data

    def _is_special(self, kind: int, data: bytes, at: int, end: int) -> bool:
        if kind == TERMINATE:
            self._life.fatal = True  # what the server says from here on is nobody's loss
        if kind in {Q, CALL} and (self._cycles.since or self._cycles.mixed):
            return self._mix(kind, data, at, end)
        if not self.table[kind] or self.interceptor is None or kind in {SYNC_TYPE, TERMINATE}:
            return False
        # A function called by OID may do anything, also deallocate statements. There is no text to look at.
        if kind == CALL:
            self.interceptor.unseen(kind, data, at)
            return False
        if kind in {COPY_DONE, COPY_FAIL}:
            self.table = self.normal
            return False
        # Memory is short: the text is not looked up, but what it does to names must still be known.
        if not self.looking:
            self.interceptor.unseen(kind, data, at)
            return False
        # After an error the server skips extended messages until the Sync; a Query behind a Query that
        # failed runs.
        if self._cycles.failed and kind != Q:
            return False
        return not self.interceptor.passes(kind, data, at, end)

    def _mix(self, kind: int, data: bytes, at: int, end: int) -> bool:
        """A Query behind extended messages without a Sync: no driver sends it, and it is never special.

        If one of those messages fails the server skips the Query, too, and who counts on its ReadyForQuery
        waits for ever.
        """
        if self._cycles.failed:
            self.upwards.pass_through("a query that the server skips")
            return False
        self._cycles.mixed = self._cycles.unusual = True
        # For what it does to names only: whatever the interceptor would like to do with it, the Query passes.
        if kind == Q and self.interceptor is not None and self.table is not IN_COPY:
            self.interceptor.passes(kind, data, at, end)
        return False

    def account(self, kind: int) -> None:
        """A message of the client goes out: whose reply will come, and whether it ends a cycle."""
        # While data is copied in, the server ignores Sync and Flush, and refuses all but Copy messages.
        if CYCLES[kind] and self.table is not IN_COPY:
            self._cycles.sent(kind)
            if self._replies:
                self._replies.queue.append(PendingReply(cycle=True))
        elif REPLIED[kind]:
            self._cycles.sent(kind)
            if self._replies:
                self._replies.queue.append(PendingReply())
        elif kind in {COPY_DONE, COPY_FAIL}:
            self.table = self.normal
