"""What was sent to the server for the client and has not been answered yet.

Plain counts that the walks over both streams keep, and others read. Must not know messages beyond their
types.
"""

from __future__ import annotations

from collections.abc import Callable

from rewright.proxy.wire.tables import (
    BIND,
    CLOSE,
    COMPLETIONS,
    DESCRIBE,
    EXECUTE,
    HEADER,
    PARSE,
    READY,
    table,
)

unpack: Callable[..., tuple[int, int]] = HEADER.unpack_from
IDLE, IN_BLOCK, FAILED = b"ITE"
# client types that open a cycle, and that get a reply within one
CYCLES = table(b"SQF")
REPLIED = frozenset((PARSE, BIND, DESCRIBE, EXECUTE, CLOSE))


class Cycles:
    """``pending``: the cycles sent (Sync, Query, FunctionCall) whose ReadyForQuery is not here yet; ``last``:
    the type that began the newest. ``since``: the types sent since then that get a reply; ``answered`` of
    them have theirs.
    """

    __slots__ = (
        "answered",
        "cancelled",
        "chunk",
        "failed",
        "last",
        "mixed",
        "pending",
        "since",
        "started",
        "status",
        "unusual",
    )

    def __init__(self) -> None:
        self.pending = 0
        self.last = 0
        self.status = IDLE
        self.since = b""
        self.answered = 0
        self.failed = False
        self.cancelled = False
        # a Query or FunctionCall went out behind extended messages without a Sync
        self.mixed = False
        # something must be put back when the cycle ends
        self.unusual = False
        # when the first bytes of what is under way came, and what they were
        self.started = 0.0
        self.chunk = b""

    def sent(self, kind: int) -> None:
        """A message of the client is on its way to the server."""
        if CYCLES[kind]:
            self.pending += 1
            self.last = kind
            self.since = b""
            self.answered = 0
        elif kind in REPLIED:
            self.since += bytes((kind,))

    def note_since(self, data: bytes, cut: int, end: int) -> None:
        """Remember the types between ``cut`` and ``end``, all unwatched; a ``cut``
        above 0 began a new cycle.
        """
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

    def count_answers(self, data: bytes, end: int) -> None:
        """Which of the messages sent since the last cycle have been answered (only
        asked for without a Sync).
        """
        if self.pending:
            return
        at = 0
        while at < end:
            kind, length = unpack(data, at)
            # what stands before the end of a cycle answered messages of that one
            self.answered = 0 if kind == READY else self.answered + COMPLETIONS[kind]
            at += length + 1
