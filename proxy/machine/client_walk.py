"""The walk over what the client sends: the hot path, and message by message where it does not do.

Forwards whole pieces; decodes nothing but what ``rewright.proxy.wire.tables`` marks. Must not know what an exchange does.
"""

from __future__ import annotations

import struct

from rewright.proxy.machine.state import (
    CYCLES,
    IN_COPY,
    REPLIED,
    SessionState,
    unpack,
)
from rewright.proxy.machine.steps import (
    PendingReply,
)
from rewright.proxy.wire.tables import (
    CALL,
    COPY_DONE,
    COPY_FAIL,
    FRONTEND_KNOWN,
    HEADER_SIZE,
    PARSE,
    TERMINATE,
    Q,
)
from rewright.proxy.wire.tables import SYNC as SYNC_TYPE


class ClientWalk(SessionState):
    """``client_data`` takes the client's bytes as they come."""

    # --- from the client: the hot path --------------------------------------------------------------

    def client_data(self, data: bytes) -> None:
        """Bytes as they came. Forwarded as one piece unless a message in them is special."""
        if not self.pending:
            self.started = self.clock()
            self.chunk = data
        if self.client_slow:
            self._client_slowly(data)
            return
        size = len(data)
        at = cut = 0
        watched = self.client_table
        try:
            while at < size:
                kind, length = unpack(data, at)
                if not watched[kind]:
                    at += length + 1
                elif kind == SYNC_TYPE:
                    self.pending += 1
                    self.last_cycle = kind
                    at += length + 1
                    cut = at
                else:
                    end = at + length + 1
                    behind = kind == Q and (
                        at > cut or self.since or self.mixed
                    )  # extended messages without a Sync
                    if end > size or behind or not self._is_quick(kind):
                        # `cut` may be behind: what was counted above stays counted
                        self._note_since(data, cut, at)
                        self._client_slowly(data, at)
                        return
                    if not self.interceptor.passes(kind, data, at, end):  # type: ignore[union-attr]
                        self._note_since(data, cut, at)
                        if at:
                            self.to_server(data[:at])
                        self._begin(data[at:end], data[end:])
                        return
                    # a Parse may be of interest: what binds it can stand in this very piece
                    watched = self.client_table
                    if kind == Q:
                        self.pending += 1
                        self.last_cycle = kind
                        cut = end
                    at = end
        except struct.error:
            self._note_since(data, cut, at)
            self._keep_client(data, 0, at)
            return
        if cut == size:
            if self.since:
                self.since = b""
                self.answered = 0
        else:
            self._note_since(data, cut, size)
            if at > size:
                self.client_skip = at - size
                self.client_slow = True
        self.to_server(data)

    def _from_client(self, data: bytes) -> None:
        """What was held, once it may go on; its clock runs since it came."""
        started, chunk = self.started, self.chunk
        self.client_data(data)
        self.started, self.chunk = started, chunk

    def _is_quick(self, kind: int) -> bool:
        """A text that the interceptor can look at without the exact state of the stream."""
        interceptor = self.interceptor
        return (
            kind in (Q, PARSE)
            and interceptor is not None
            and self.looking
            and not self.cycle_failed
            and not interceptor.settings_stale
        )

    def _note_since(self, data: bytes, cut: int, end: int) -> None:
        """Remember the types between ``cut`` and ``end``, all unwatched; a ``cut`` above 0 began a new cycle."""
        if cut:
            self.since = b""
            self.answered = 0
        found = bytearray()
        while cut < end:
            kind, length = unpack(data, cut)
            if kind in REPLIED:
                found.append(kind)
            cut += length + 1
        if found:
            self.since += bytes(found)

    def _keep_client(self, data: bytes, start: int, at: int) -> None:
        """Forward up to ``at``; the beginning of a message after it waits for its rest."""
        self.client_rest = data[at:]
        self.client_slow = True
        if at > start:
            self.to_server(data[start:at])

    # --- from the client: message by message --------------------------------------------------------

    def _client_slowly(self, data: bytes, at: int = 0) -> None:
        """``at``: where to begin looking; what stands before it was walked already and goes out with the rest."""
        if self.relay_only:
            rest, self.client_rest = self.client_rest, b""
            self.to_server(rest + data)
            return
        if self.holding:
            self._hold(data)
            return
        if not at:
            data = self._client_continued(data)
        size = len(data)
        start = 0
        while at < size:
            if size - at < HEADER_SIZE:
                self._keep_client(data, start, at)
                return
            kind, length = unpack(data, at)
            end = at + length + 1
            if length < 4 or not FRONTEND_KNOWN[kind]:
                self.pass_through("malformed message from the client", replies=True)
                self.to_server(data[start:])
                return
            if self.client_table[kind] and end > size:
                if length <= self.text_limit:
                    self._keep_client(data, start, at)
                    return
                if self.interceptor is not None and not self.interceptor.unseen(kind, data, at):
                    self.pass_through("a message is larger than is looked at")
                    self.to_server(data[start:])
                    return
            elif self._is_special(kind, data, at, end):
                if at > start:
                    self.to_server(data[start:at])
                self._begin(data[at:end], data[end:])
                return
            if self._has_given_up():
                self.to_server(data[start:])
                return
            self._account(kind)
            at = end
        if at > size:
            self.client_skip = at - size
        self.client_slow = bool(self.client_skip or self.pending_replies or self.relay_only)
        if size > start:
            self.to_server(data[start:])

    def _client_continued(self, data: bytes) -> bytes:
        """Join what was kept with what came; the part of a message already under way is sent at once."""
        if self.client_rest:
            data = self.client_rest + data
            self.client_rest = b""
        elif self.client_skip:
            piece = data[: self.client_skip]
            self.client_skip -= len(piece)
            self.to_server(piece)
            data = data[len(piece) :]
        self.client_slow = bool(self.client_skip or self.pending_replies or self.relay_only)
        return data

    def _is_special(self, kind: int, data: bytes, at: int, end: int) -> bool:
        if kind == TERMINATE:
            self.fatal = True  # what the server says from here on is nobody's loss
        if kind in {Q, CALL} and (self.since or self.mixed):
            return self._mix(kind, data, at, end)
        if not self.client_table[kind] or self.interceptor is None or kind in {SYNC_TYPE, CALL, TERMINATE}:
            return False
        if kind in {COPY_DONE, COPY_FAIL}:
            self.client_table = self.client_normal
            return False
        if not self.looking:
            self.interceptor.unseen(kind, data, at)
            return False
        if self.cycle_failed and kind != Q:
            return False
        return not self.interceptor.passes(kind, data, at, end)

    def _mix(self, kind: int, data: bytes, at: int, end: int) -> bool:
        """A Query behind extended messages without a Sync: no driver sends it, and it is never special.

        If one of those messages fails the server skips the Query, too, and who counts on its ReadyForQuery waits
        for ever.
        """
        if self.cycle_failed:
            self.pass_through("a query that the server skips")
            return False
        self.mixed = self.unusual = True
        if kind == Q and self.interceptor is not None and self.client_table is not IN_COPY:
            self.interceptor.passes(kind, data, at, end)
        return False

    def _account(self, kind: int) -> None:
        """A message of the client goes out: whose reply will come, and whether it ends a cycle."""
        if CYCLES[kind] and self.client_table is not IN_COPY:
            self.pending += 1
            self.last_cycle = kind
            self.since = b""
            self.answered = 0
            if self.pending_replies:
                self.pending_replies.append(PendingReply(cycle=True))
        elif kind in REPLIED:
            self.since += bytes((kind,))
            if self.pending_replies:
                self.pending_replies.append(PendingReply())
        elif kind in {COPY_DONE, COPY_FAIL}:
            self.client_table = self.client_normal
