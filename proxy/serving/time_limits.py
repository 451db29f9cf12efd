"""How long a statement that the proxy answers itself may take: what the session's ``statement_timeout``
allows, which the server applies only to what it runs.

Owns reading the setting and when a statement began. In a pipeline that is its Parse, or its Execute where it
was prepared before (PostgreSQL manual, section 19.11.1, ``statement_timeout``). Must not do I/O.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rewright.proxy.ports import SqlError
from rewright.proxy.serving.private import NOWHERE, Batch
from rewright.proxy.session import Ask, Replies, Wait
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import DataRow
from rewright.proxy.wire.framing import HEADER
from rewright.proxy.wire.frontend import SYNC, Close
from rewright.proxy.wire.tables import DATA_ROW

if TYPE_CHECKING:
    from rewright.proxy.serving.context import SessionContext

# a utility statement: it needs no plan
_SHOW = b"show statement_timeout"
_SHOWN = re.compile(rb"(\d+)(us|ms|s|min|h|d)")
_SECONDS = {b"us": 1e-6, b"ms": 1e-3, b"s": 1.0, b"min": 60.0, b"h": 3600.0, b"d": 86400.0}


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """``until``: by the session's clock; None: there is no limit."""

    clock: Callable[[], float]
    until: float | None = None

    @property
    def left(self) -> float | None:
        """Seconds. Raises SqlError: none are left."""
        if self.until is None:
            return None
        left = self.until - self.clock()
        if left <= 0:
            raise timed_out()
        return left

    def wait(self, effect: Callable[[], Any]) -> Generator[Any, Any, Any]:
        """As ``Wait``, whose answer is never None. Raises SqlError also when the time is over."""
        left = self.left
        answer = yield Wait(effect, left)
        if answer is None and left is not None:
            raise timed_out()
        return answer


def timed_out() -> SqlError:
    return SqlError("57014", "canceling statement due to statement timeout")


def begin(context: SessionContext) -> None:
    """The statement begins now, unless an earlier message of it has come already."""
    if context.statement_began is None:
        context.statement_began = context.clock()
        # the end of the cycle puts it back
        context.cycles.unusual = True


def add_question(context: SessionContext, batch: Batch) -> int:
    """The index of the reply that ``limit`` reads."""
    return context.privates.add_question(batch, _SHOW, ())


def add_nothing(batch: Batch) -> int:
    """In its place where nothing may be executed before: there is no limit then. Closing what does not exist
    does nothing.
    """
    return batch.add(Close(b"S", NOWHERE).encode())


def limit(context: SessionContext, replies: Replies, index: int) -> TimeLimit:
    """Of the statement that is under way."""
    seconds = _seconds(replies.pending_replies[index])
    began = context.statement_began
    if not seconds or began is None:
        return TimeLimit(context.clock)
    return TimeLimit(context.clock, began + seconds)


def ask_in_cycle(context: SessionContext) -> Generator[Any, Any, TimeLimit]:
    """In a cycle of its own, or in the block that is open. Raises Cancelled."""
    begin(context)
    began = context.statement_began
    batch = Batch()
    index = add_question(context, batch)
    replies: Replies = yield Ask(b"".join(batch.messages) + SYNC, len(batch.messages), cycles=1)
    context.statement_began = began
    context.cycles.unusual = True
    if replies.error is not None or replies.aborted:
        # a failed block: what the client is told is the server's word
        return TimeLimit(context.clock)
    return limit(context, replies, index)


def _seconds(reply: list[tuple[int, bytes]]) -> float:
    """0: no limit."""
    for kind, message in reply:
        row = backend.decode(b"D", message[HEADER.size :]) if kind == DATA_ROW else None
        if isinstance(row, DataRow) and (shown := _SHOWN.fullmatch(row.values[0] or b"")):
            return int(shown[1]) * _SECONDS[shown[2]]
    return 0.0
