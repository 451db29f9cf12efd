"""A question behind other messages of the same pipeline: drivers send BEGIN and the first statement at once.

Owns the Sync that the proxy adds: with it the question gets cycles of its own, and nothing of the client's is
ended. Must not know how a question is read. docs/decisions/0430-questions-behind-begin-in-a-pipeline.md.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from rewright.proxy.ports import SqlError
from rewright.proxy.serving.asked import beginning_savepoint
from rewright.proxy.serving.private import NOWHERE, Batch, checked
from rewright.proxy.session import IDLE, Ask, Cancelled, Replies
from rewright.proxy.wire.frontend import SYNC, Close
from rewright.proxy.wire.tables import BIND, EXECUTE, HEADER_SIZE, READY

if TYPE_CHECKING:
    from rewright.proxy.serving.context import SessionContext


def step_apart(context: SessionContext, word: str) -> Generator[Any, Any, bool]:
    """For a statement that begins with ``word``. True: the session now stands in a savepoint of ours
    (`rewright.proxy.serving.asked.undo` ends it).

    What ran before in the pipeline may only be followed in a transaction block: outside of one a Sync would
    commit it. Whether a block is open only the server knows; outside it refuses the savepoint. Raises
    SqlError, Broken, Skipped, Cancelled.
    """
    since = context.cycles.since
    if not since:
        return False
    if BIND in since[since.rfind(EXECUTE) + 1 :]:
        # a simple query of the reader would close the portal, which has yet to be executed
        hint = "Send Execute, or a Sync, before it."
        raise SqlError("0A000", f"{word} can't follow a Bind that was not executed", hint=hint)
    ran = EXECUTE in since or context.cycles.status != IDLE
    yield from _settled(beginning_savepoint() if ran else _nothing())
    replies: Replies = yield Ask(SYNC, 0, cycles=1)
    for kind, message in replies.pending_replies[0]:
        if kind == READY:
            context.cycles.status = message[HEADER_SIZE]
    return ran


def _settled(batch: Batch) -> Generator[Any, Any, None]:
    """All that the client sent before has gone well, and the batch. Raises Broken, Skipped, Cancelled."""
    try:
        checked((yield batch.ask()))
    except Cancelled as cancelled:
        if isinstance(cancelled.answer, Replies):
            checked(cancelled.answer)
        raise


def _nothing() -> Batch:
    """Closing what does not exist does nothing."""
    batch = Batch()
    batch.add(Close(b"S", NOWHERE).encode())
    return batch
