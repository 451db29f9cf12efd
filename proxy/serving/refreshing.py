"""Reading a session's settings from the server, before its next message.

Must not know what the message is.
"""

from __future__ import annotations

from rewright.proxy.ports import Guard
from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.kept_settings import QUESTION_SQL, QUESTION_TYPES
from rewright.proxy.serving.private import Batch
from rewright.proxy.session import Ask, Emit, Exchange, Replies
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import DataRow
from rewright.proxy.wire.framing import HEADER
from rewright.proxy.wire.frontend import SYNC, Close

_NO_GUARD = Guard(original=(), replacement=())


def refresh(context: SessionContext) -> Exchange:
    """Read the session's settings in a transaction of their own; leaves no statement behind.

    A failure is the client's business only if it repeats itself in the client's own statement. Raises
    Cancelled.
    """
    privates, in_force = context.privates, context.in_force
    batch = Batch()
    privates.add_cleaning(batch)
    privates.add_guard_parse(batch)
    index = privates.add_guard(batch, _NO_GUARD)
    batch.add(Close(b"S", privates.guard_statement).encode())
    asked = _add_who_serves(context, batch)
    try:
        replies: Replies = yield Ask(b"".join(batch.messages) + SYNC, len(batch.messages), cycles=1)
        in_force.stale = in_force.unread = False
        if replies.error is None and not replies.aborted:
            row = privates.guard_row(replies, index)
            if asked >= 0:
                _note_who_serves(context, replies.pending_replies[asked])
            in_force.read(row.settings)
            if warnings := in_force.take_warnings():
                yield Emit(warnings)
    finally:
        privates.guard_ready = False
        context.rewatch()  # less need be looked at than while they were not known


def _add_who_serves(context: SessionContext, batch: Batch) -> int:
    """Once a session: ask whether the connection is a pooler's; -1: that is known, or there is no key to tell
    by.
    """
    pid = context.identity.backend_pid
    if context.in_force.kept.pooled is not None or not pid:
        return -1
    return context.privates.add_question(batch, QUESTION_SQL, QUESTION_TYPES, str(pid).encode())


def _note_who_serves(context: SessionContext, reply: list[tuple[int, bytes]]) -> None:
    kept, privates = context.in_force.kept, context.privates
    for kind, message in reply:
        row = backend.decode(b"D", message[HEADER.size :]) if kind == ord("D") else None
        if isinstance(row, DataRow) and len(row.values) == 2:
            pooled, defined = row.values
            kept.answered(pooled == b"true", (defined or b"{}").decode("utf-8", "replace"))
            privates.lasting = privates.lasting and not kept.pooled
