"""Our own errors in place of the server's.

The server is made to fail at the client's message, so that failed transactions and skipping to Sync are its
own; the client gets our error instead of the server's. Must not know what is refused.
"""

from __future__ import annotations

from rewright.proxy.answers import encoding
from rewright.proxy.ports import SqlError
from rewright.proxy.serving.forwarding import PLACEHOLDER
from rewright.proxy.serving.private import NOWHERE
from rewright.proxy.session import Exchange, PendingReply, Send
from rewright.proxy.wire import backend
from rewright.proxy.wire.frontend import Execute, Parse, Query
from rewright.proxy.wire.tables import ERROR, READY

CANCELLED = backend.error("57014", "canceling statement due to user request")
# fails when it runs: by then the server has said what it says in a failed transaction
FAILING = b"select 1 operator(pg_catalog./) 0"
_FAILED_STATE = "22012"
NOWHERE_STATE = "34000"


def substitute_error(error: bytes, *states: str) -> PendingReply:
    """A reply that is made to fail with one of ``states``; the client sees ``error`` instead."""

    def take(kind: int, message: bytes) -> bytes:
        if kind != ERROR:
            return b""
        marks = tuple(b"C%s\0" % state.encode() for state in states)
        return error if any(mark in message for mark in marks) else message

    return PendingReply(take=take)


def error_bytes(error: SqlError | None) -> bytes:
    """None: cancelled."""
    if error is None:
        return CANCELLED
    return encoding.error(error)


def failed_query(error: SqlError | None) -> Exchange:
    """The cycle of a Query that ends with an error of ours; None: it was cancelled."""
    failing = substitute_error(error_bytes(error), _FAILED_STATE).take
    assert failing is not None
    pending_reply = PendingReply(cycle=True, take=lambda kind, m: m if kind == READY else failing(kind, m))
    yield Send(Query(FAILING).encode(), pending_replies=(pending_reply,), kinds=b"Q")


def failed_parse(error: SqlError | None) -> Exchange:
    """A Parse that the server would refuse only in a failed transaction, then something it must refuse."""
    probe = Parse(b"", PLACEHOLDER).encode()
    unseen = PendingReply(visible=False, take=lambda kind, message: message if kind == ERROR else b"")
    failing = substitute_error(error_bytes(error), NOWHERE_STATE)
    yield Send(probe + Execute(NOWHERE).encode(), pending_replies=(unseen, failing), kinds=b"P")


def failed_execute(error: SqlError | None) -> Exchange:
    pending_reply = substitute_error(error_bytes(error), NOWHERE_STATE)
    yield Send(Execute(NOWHERE).encode(), pending_replies=(pending_reply,), kinds=b"E")
