"""Reading a session's settings from the server, before its next message.

Must not know what the message is.
"""

from __future__ import annotations

from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.private import Batch
from rewright.proxy.session import Ask, Emit, Exchange, Replies
from rewright.proxy.wire.frontend import SYNC


def refresh(context: SessionContext) -> Exchange:
    """Read the session's settings in a transaction of their own; leaves no statement behind.

    The first time it is also asked whether the connection is a pooler's, where there is a key to tell by. A
    failure is the client's business only if it repeats itself in the client's own statement. Raises
    Cancelled.
    """
    privates, in_force = context.privates, context.in_force
    kept, pid = in_force.kept, context.identity.backend_pid
    batch = Batch()
    privates.add_cleaning(batch)
    index = privates.add_settings(batch, str(pid).encode() if pid and kept.pooled is None else b"")
    try:
        replies: Replies = yield Ask(b"".join(batch.messages) + SYNC, len(batch.messages), cycles=1)
        in_force.stale = in_force.unread = False
        if replies.error is None and not replies.aborted:
            settings, path, behind = privates.settings_row(replies, index)
            in_force.read_path(path)
            if behind:
                kept.answered(behind[0] == "true", behind[1] or "{}")
                privates.lasting = privates.lasting and not kept.pooled
            in_force.read(settings)
            if warnings := in_force.take_warnings():
                yield Emit(warnings)
    finally:
        context.rewatch()  # less need be looked at than while they were not known
