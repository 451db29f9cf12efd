"""The walk over what the server sends: the hot path, and message by message while replies are sorted.

Must not know what the replies are for.
"""

from __future__ import annotations

import struct

from rewright.proxy.machine.conversation import Conversation
from rewright.proxy.machine.state import (
    COPY_BOTH,
    COPY_IN,
    DATA,
    EVENT_LIMIT,
    IN_COPY,
    NOTHING,
    is_fatal,
    unpack,
)
from rewright.proxy.machine.steps import (
    PendingReply,
)
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
)
from rewright.proxy.wire.tables import SYNC as SYNC_TYPE


class ServerWalk(Conversation):
    """``server_data`` takes the server's bytes as they come."""

    # --- from the server: the hot path --------------------------------------------------------------

    def server_data(self, data: bytes) -> None:
        if self.server_slow:
            self._server_slowly(data)
            return
        size = len(data)
        at = 0
        watched = self.server_table
        try:
            while at < size:
                kind, length = unpack(data, at)
                if watched[kind]:
                    if kind == READY and length != 5:
                        self._server_strange(data)
                        return
                    if at + length >= size:
                        if length <= EVENT_LIMIT:
                            break
                        self._event(kind, data[at:])  # too much to wait for: its beginning tells enough
                    elif kind == READY:
                        self.pending -= 1
                        self.status = data[at + 5]
                        self.answered = 0
                        if self.unusual:
                            self._back_to_usual()
                        if self.clock() - self.started > self.slow_after and self.interceptor is not None:
                            self.interceptor.slow_ended()
                    else:
                        self._event(kind, data[at : at + length + 1])
                at += length + 1
        except struct.error:
            pass
        if self.since:
            self._count_answers(data, min(at, size))
        if at == size:
            self.to_client(data)
        elif at > size:
            self.server_skip = at - size
            self.server_slow = True
            self.to_client(data)
        else:
            self._keep_server(data[at:])
            if at:
                self.to_client(data[:at])
        if not self.pending and (self.waiting or self.on_idle is not None):
            self._rested()
        elif self.pending < 0:
            self.pass_through("ReadyForQuery nobody asked for")

    def _server_strange(self, data: bytes) -> None:
        """What a server of PostgreSQL never says: from here on nothing is looked at."""
        self.pass_through("malformed message from the server")
        self.server_table = NOTHING
        self.to_client(data)

    def _rested(self) -> None:
        """No cycle is open."""
        if self.pending < 0:
            self.pass_through("ReadyForQuery nobody asked for")
        elif self.waiting:
            self._start_exchange()
        elif self.on_idle is not None and self.is_idle:
            self.on_idle()

    def _keep_server(self, rest: bytes) -> None:
        self.server_rest = rest
        self.server_slow = True

    def _count_answers(self, data: bytes, end: int) -> None:
        """Which of the messages sent since the last cycle have been answered (only asked for without a Sync)."""
        if self.pending:
            return
        at = 0
        while at < end:
            kind, length = unpack(data, at)
            # what stands before the end of a cycle answered messages of that one
            self.answered = 0 if kind == READY else self.answered + COMPLETIONS[kind]
            at += length + 1

    def _event(self, kind: int, message: bytes) -> None:
        """A message that is forwarded all the same, but changes what is known. (ReadyForQuery too.)"""
        if kind == READY:
            self.pending -= 1
            self.status = message[HEADER_SIZE]
            self.answered = 0
            self._back_to_usual()
            if self.clock() - self.started > self.slow_after and self.interceptor is not None:
                self.interceptor.slow_ended()
        elif kind == PARAMETER:
            name, _, value = message[HEADER_SIZE:-1].partition(b"\0")
            self.parameters[name] = value
        elif kind == ERROR:
            self.cycle_failed = self.unusual = True
            self.fatal = self.fatal or is_fatal(message)
            if self.interceptor is not None:
                self.interceptor.error(message)
            if self.mixed and self.pending:
                self.pass_through("an error before a query without a Sync")
        elif kind == COMPLETE:
            if self.interceptor is not None:
                self.interceptor.tag(message[HEADER_SIZE:-1])
        elif kind == SUSPENDED:
            if self.interceptor is not None:
                self.interceptor.suspended()
        elif kind == COPY_IN:
            self._copy_in()
        elif kind == COPY_BOTH:
            self.pass_through("replication")

    def _back_to_usual(self) -> None:
        """A cycle ended: errors, cancels and copies of it are over."""
        self.unusual = self.cycle_failed = self.cancelled = False
        self.client_table = self.client_normal
        if self.interceptor is not None:
            self.unusual = self.interceptor.cycle_ended()
        if self.mixed:
            # the server stays in its strange state until a Sync
            self.mixed = self.unusual = self.pending > 0 or self.last_cycle != SYNC_TYPE

    def _copy_in(self) -> None:
        """The server now ignores Sync until CopyDone or CopyFail: also the one that libpq sent along."""
        if self.pending == 1 and self.last_cycle == SYNC_TYPE:
            self.pending = 0
            self.since = b"E"
            self.answered = 0
        elif self.pending > 1:
            self.pass_through("COPY inside a pipeline")
        self.client_table = IN_COPY
        self.unusual = True

    # --- from the server: message by message --------------------------------------------------------

    def _server_slowly(self, data: bytes) -> None:
        if self.server_rest:
            data = self.server_rest + data
            self.server_rest = b""
        elif self.server_skip:
            piece = data[: self.server_skip]
            self.server_skip -= len(piece)
            self.to_client(piece)
            data = data[len(piece) :]
            if not data:
                self._settle()
                return
        while data:
            if not self.pending_replies:
                self._settle_now()
                self.server_data(data)
                return
            taken = self._one_message(data)
            if not taken:
                return
            data = data[taken:]
        self._settle()

    def _settle_now(self) -> None:
        self.server_slow = bool(self.server_skip or self.server_rest)
        if not self.holding:
            self.client_slow = bool(self.client_skip or self.client_rest or self.relay_only)

    def _one_message(self, data: bytes) -> int:
        """Deal with the first message; how many bytes it was, 0 if it is not whole yet."""
        size = len(data)
        if size < HEADER_SIZE:
            self._keep_server(data)
            return 0
        kind, length = unpack(data)
        end = length + 1
        if kind == READY and length != 5:
            self._server_strange(data)
            return size
        pending_reply = self.pending_replies[0]
        if end > size and pending_reply.take is None and (kind in DATA or length > EVENT_LIMIT):
            self.to_client(data)
            self.server_skip = end - size
            return size
        if end > size:
            self._keep_server(data)
            return 0
        message = data[:end]
        if length < 4 or not BACKEND_KNOWN[kind]:
            self.to_client(message)
            return end
        self._sort(pending_reply, kind, message)
        return end

    def _sort(self, pending_reply: PendingReply, kind: int, message: bytes) -> None:
        if kind in {PARAMETER, NOTIFICATION} or (kind == NOTICE and pending_reply.take is None):
            if kind == PARAMETER:
                self._event(kind, message)
            self.to_client(message)
            return
        if kind == ERROR and is_fatal(message):
            self.fatal = True
            self.pass_through("the server ends the session")
            self.to_client(message)
            return
        shown = message if pending_reply.take is None else pending_reply.take(kind, message)
        if self.server_table[kind] and ((kind == READY and pending_reply.visible) or shown):
            self._event(kind, shown or message)
        if shown:
            self.to_client(shown)
        if kind == READY and not pending_reply.cycle:
            self.pass_through("ReadyForQuery inside a reply")
        elif kind == READY or (not pending_reply.cycle and (COMPLETIONS[kind] or kind == ERROR)):
            self._finish(pending_reply, kind)
        self._answer_due()

    def _finish(self, pending_reply: PendingReply, kind: int) -> None:
        """The reply is complete. After an error the server skips to the next Sync, and so do the pending_replies."""
        if not self.pending_replies or self.pending_replies[0] is not pending_reply:
            return  # given up meanwhile
        self.pending_replies.popleft()
        self._done(pending_reply)
        if kind == ERROR and not pending_reply.cycle:
            self.cycle_failed = self.cycle_failed or pending_reply.visible
            self.unusual = True
            while self.pending_replies and not self.pending_replies[0].cycle:
                skipped = self.pending_replies.popleft()
                if skipped.ask is not None and skipped.ask.error is None:
                    skipped.ask.aborted = True
                self._done(skipped)
        elif kind == READY and not self.pending:
            if not self.pending_replies:
                self._settle_now()
            self._rested()

    def _done(self, pending_reply: PendingReply) -> None:
        if pending_reply.visible and not pending_reply.cycle:
            self.answered += 1
        if pending_reply.ask is not None:
            pending_reply.ask.remaining -= 1
            if not pending_reply.ask.remaining:
                self._later(pending_reply.ask)

    def _answer_due(self) -> None:
        if self._due is not None:
            answer, self._due = self._due, None
            if self.exchange is not None:
                self._advance(answer)
