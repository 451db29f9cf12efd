"""Exchanges that only hand on what the client sent, and replies that nobody sees."""

from __future__ import annotations

from rewright.proxy.session import Exchange, PendingReply, Send
from rewright.proxy.wire.tables import ERROR

# what the server gets in the place of a statement that is not its own
PLACEHOLDER = b"select"


def forward(message: bytes, kinds: bytes) -> Exchange:
    yield Send(message, pending_replies=(PendingReply(),), kinds=kinds)


def forward_query(message: bytes) -> Exchange:
    yield Send(message, pending_replies=(PendingReply(cycle=True),), kinds=b"Q")


def swallow() -> PendingReply:
    """A reply the client must not see, unless it is an error."""
    return PendingReply(visible=False, take=lambda kind, message: message if kind == ERROR else b"")
