"""The current role of a session, according to the server: asked before an answer that depends on rights.

Must not know what is asked for.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from rewright.proxy.ports import SessionView
from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.private import Batch, checked
from rewright.proxy.session import Ask, Replies
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import DataRow
from rewright.proxy.wire.framing import HEADER
from rewright.proxy.wire.frontend import SYNC

# a key word: no search_path leads elsewhere
ROLE_SQL = b"select current_user::pg_catalog.text where $1 operator(pg_catalog.=) ''"
_TEXT = 25


def ask_in_cycle(context: SessionContext) -> Generator[Any, Any, SessionView]:
    """Before a Query of the client: in a transaction of its own, or in the block that is open. Raises
    Cancelled.
    """
    batch, index = _question(context)
    replies: Replies = yield Ask(b"".join(batch.messages) + SYNC, len(batch.messages), cycles=1)
    if replies.error is not None or replies.aborted:
        return context.seen_as(
            ""
        )  # in a failed block nothing is answered; what the client is told is the server's word
    return context.seen_as(_role(replies.pending_replies[index]))


def ask_in_pipeline(context: SessionContext) -> Generator[Any, Any, SessionView]:
    """Before an Execute of the client. Raises Broken, Skipped, Cancelled."""
    batch, index = _question(context)
    replies = checked((yield batch.ask()))
    return context.seen_as(_role(replies.pending_replies[index]))


def _question(context: SessionContext) -> tuple[Batch, int]:
    batch = Batch()
    return batch, context.privates.add_question(batch, ROLE_SQL, (_TEXT,), b"")


def _role(reply: list[tuple[int, bytes]]) -> str:
    for kind, message in reply:
        if kind == ord("D"):
            row = backend.decode(b"D", message[HEADER.size :])
            assert isinstance(row, DataRow)
            value = row.values[0]
            return "" if value is None else value.decode("utf-8", "replace")
    return ""
