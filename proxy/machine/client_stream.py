"""The walk over what the client sends: the hot path, and message by message where it does not do.

Forwards whole pieces; decodes nothing but what ``rewright.proxy.wire.tables`` marks. Must not know what an
exchange does.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Protocol

from rewright.proxy.machine.cycles import CYCLES, REPLIED, Cycles, unpack
from rewright.proxy.machine.phases import Life
from rewright.proxy.machine.replies import PendingReplies
from rewright.proxy.machine.steps import Interceptor, PendingReply
from rewright.proxy.wire.tables import (
    CALL,
    COPY_DONE,
    COPY_FAIL,
    FRONTEND_KNOWN,
    HEADER_SIZE,
    PARSE,
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


class Upwards(Protocol):
    """What the stream tells the session of."""

    def begin(self, message: bytes, rest: bytes) -> None:
        """The message is for an exchange; ``rest`` came behind it."""

    def hold(self, data: bytes) -> None:
        """Bytes that came while the client is held back."""

    def pass_through(self, reason: str, *, replies: bool = False) -> None: ...


class ClientStream:
    """``data`` takes the client's bytes as they come. ``slow`` is false only where the stream stands at a
    message boundary and nothing is held or counted. ``rest``: the beginning of a message that is waited
    for; ``skip``: bytes of one that is forwarded.
    """

    __slots__ = (
        "_clock",
        "_cycles",
        "_end_server",
        "_life",
        "_replies",
        "_text_limit",
        "_to_server",
        "ended",
        "interceptor",
        "looking",
        "normal",
        "rest",
        "skip",
        "slow",
        "table",
        "upwards",
    )

    upwards: Upwards

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
        self._cycles = cycles
        self._replies = replies
        self._life = life
        self._to_server = to_server
        self._end_server = end_server
        self._clock = clock
        self._text_limit = text_limit
        self.interceptor: Interceptor | None = None
        self.table = self.normal = PLAIN
        self.slow = False
        self.rest = b""
        self.skip = 0
        self.looking = True  # false while memory is short: texts pass unseen
        self.ended = False  # it sends nothing more, and may still read

    def watch(self, *, names: bool) -> None:
        """Look at texts, and with ``names`` at Bind, Describe and Execute too: a statement of this session is
        special.
        """
        wanted = WATCHED if names else TEXTS
        if self.normal is not wanted:
            if self.table is self.normal:
                self.table = wanted
            self.normal = wanted

    def settle(self) -> None:
        """Slow as long as the quick walk would go wrong."""
        life = self._life
        self.slow = bool(self.skip or self.rest or self._replies or life.reason or life.holding)

    def pass_end(self) -> None:
        """The end of the client's bytes comes behind all of them."""
        if self.ended and not self._life.holding:
            rest, self.rest = self.rest, b""
            if rest:
                self._to_server(rest)
            self._end_server()

    # --- the hot path -------------------------------------------------------------------------------

    def data(self, data: bytes) -> None:
        """Bytes as they came. Forwarded as one piece unless a message in them is special."""
        cycles = self._cycles
        if not cycles.pending:
            cycles.started = self._clock()
            cycles.chunk = data
        if self.slow:
            self._slowly(data)
            return
        size = len(data)
        at = cut = 0
        watched = self.table
        try:
            while at < size:
                kind, length = unpack(data, at)
                if not watched[kind]:
                    at += length + 1
                elif kind == SYNC_TYPE:
                    cycles.pending += 1
                    cycles.last = kind
                    at += length + 1
                    cut = at
                else:
                    end = at + length + 1
                    behind = kind == Q and (
                        at > cut or cycles.since or cycles.mixed
                    )  # extended messages without a Sync
                    if end > size or behind or not self._is_quick(kind):
                        # `cut` may be behind: what was counted above stays counted
                        cycles.note_since(data, cut, at)
                        self._slowly(data, at)
                        return
                    if not self.interceptor.passes(kind, data, at, end):  # type: ignore[union-attr]
                        cycles.note_since(data, cut, at)
                        if at:
                            self._to_server(data[:at])
                        self.upwards.begin(data[at:end], data[end:])
                        return
                    # a Parse may be of interest: what binds it can stand in this very piece
                    watched = self.table
                    if kind == Q:
                        cycles.pending += 1
                        cycles.last = kind
                        cut = end
                    at = end
        except struct.error:
            cycles.note_since(data, cut, at)
            self._keep(data, 0, at)
            return
        if cut == size:
            if cycles.since:
                cycles.since = b""
                cycles.answered = 0
        else:
            cycles.note_since(data, cut, size)
            if at > size:
                self.skip = at - size
                self.slow = True
        self._to_server(data)

    def held(self, data: bytes) -> None:
        """What was held, once it may go on; its clock runs since it came."""
        cycles = self._cycles
        started, chunk = cycles.started, cycles.chunk
        self.data(data)
        cycles.started, cycles.chunk = started, chunk

    def _is_quick(self, kind: int) -> bool:
        """A text that the interceptor can look at without the exact state of the stream."""
        interceptor = self.interceptor
        return (
            kind in (Q, PARSE)
            and interceptor is not None
            and self.looking
            and not self._cycles.failed
            and not interceptor.in_force.stale
        )

    def _keep(self, data: bytes, start: int, at: int) -> None:
        """Forward up to ``at``; the beginning of a message after it waits for its rest."""
        self.rest = data[at:]
        self.slow = True
        if at > start:
            self._to_server(data[start:at])

    # --- message by message -------------------------------------------------------------------------

    def _slowly(self, data: bytes, at: int = 0) -> None:
        """``at``: where to begin looking; what stands before it was walked already and goes out with the
        rest.
        """
        if self._life.gave_up():
            rest, self.rest = self.rest, b""
            self._to_server(rest + data)
            return
        if self._life.holding:
            self.upwards.hold(data)
            return
        if not at:
            data = self._continued(data)
        size = len(data)
        start = 0
        while at < size:
            if size - at < HEADER_SIZE:
                self._keep(data, start, at)
                return
            kind, length = unpack(data, at)
            end = at + length + 1
            if length < 4 or not FRONTEND_KNOWN[kind]:
                self.upwards.pass_through("malformed message from the client", replies=True)
                self._to_server(data[start:])
                return
            if self.table[kind] and end > size:
                if length <= self._text_limit:
                    self._keep(data, start, at)
                    return
                if self.interceptor is not None and not self.interceptor.unseen(kind, data, at):
                    self.upwards.pass_through("a message is larger than is looked at")
                    self._to_server(data[start:])
                    return
            elif self._is_special(kind, data, at, end):
                if at > start:
                    self._to_server(data[start:at])
                self.upwards.begin(data[at:end], data[end:])
                return
            if self._life.gave_up():
                self._to_server(data[start:])
                return
            self.account(kind)
            at = end
        if at > size:
            self.skip = at - size
        self.settle()
        if size > start:
            self._to_server(data[start:])

    def _continued(self, data: bytes) -> bytes:
        """Join what was kept with what came; the part of a message already under way is sent at once."""
        if self.rest:
            data = self.rest + data
            self.rest = b""
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
        if not self.table[kind] or self.interceptor is None or kind in {SYNC_TYPE, CALL, TERMINATE}:
            return False
        if kind in {COPY_DONE, COPY_FAIL}:
            self.table = self.normal
            return False
        if not self.looking:
            self.interceptor.unseen(kind, data, at)
            return False
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
        if kind == Q and self.interceptor is not None and self.table is not IN_COPY:
            self.interceptor.passes(kind, data, at, end)
        return False

    def account(self, kind: int) -> None:
        """A message of the client goes out: whose reply will come, and whether it ends a cycle."""
        if CYCLES[kind] and self.table is not IN_COPY:
            self._cycles.sent(kind)
            if self._replies:
                self._replies.queue.append(PendingReply(cycle=True))
        elif kind in REPLIED:
            self._cycles.sent(kind)
            if self._replies:
                self._replies.queue.append(PendingReply())
        elif kind in {COPY_DONE, COPY_FAIL}:
            self.table = self.normal
