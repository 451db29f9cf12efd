"""Exchanges that only hand on what the client sent, and replies that nobody sees."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rewright.proxy.serving.private import Privates
from rewright.proxy.session import Exchange, PendingReply, Send
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import Fields
from rewright.proxy.wire.framing import HEADER
from rewright.proxy.wire.frontend import Close, Execute
from rewright.proxy.wire.tables import ERROR, NOTICE, ROW_DESCRIPTION, Q

# what the server gets in the place of a statement that is not its own
PLACEHOLDER = b"select"


def forward(message: bytes, kinds: bytes) -> Exchange:
    yield Send(message, pending_replies=(PendingReply(),), kinds=kinds)


def portion(private: bytes, name: bytes, max_rows: int) -> Exchange:
    """An Execute of the client's portal ``name``, whose rows a private one gives."""
    renamed = in_name_of(private, name)

    def take(kind: int, message: bytes) -> bytes:
        if kind != ERROR:
            return message
        failure = backend.decode(b"E", message[HEADER.size :])
        return renamed(failure).encode() if isinstance(failure, Fields) else message

    yield Send(Execute(private, max_rows).encode(), pending_replies=(PendingReply(take=take),), kinds=b"E")


def in_name_of(private: bytes, name: bytes) -> Callable[[Fields], Fields]:
    """Errors of a private portal as those of the client's ``name``; what the server says of an unnamed one's
    parameters (``log_parameter_max_length_on_error``) has words of its own.
    """
    unnamed = b'portal "%s"' % private, b"unnamed portal"

    def renamed(failure: Fields) -> Fields:
        if not any(private in text for _, text in failure.fields):
            return failure
        fields = [
            (code, text.replace(*unnamed) if code == b"W" and not name else text)
            for code, text in failure.fields
        ]
        return Fields(failure.kind, tuple((code, text.replace(private, name)) for code, text in fields))

    return renamed


def behind_closes(privates: Privates, message: bytes) -> Exchange:
    """A message of the client's behind what closes our dead portals: while one is open the server changes no
    table that it reads.

    Each is dead until the server says that it is closed, since it skips what comes behind an error.
    """
    names = tuple(privates.dead_portals)
    closes = b"".join(Close(b"P", name).encode() for name in names)
    takers = tuple(swallow(partial(privates.portal_closed, name)) for name in names)
    reply = PendingReply(cycle=message[0] == Q)
    yield Send(closes + message, pending_replies=(*takers, reply), kinds=message[:1])


def forward_query(message: bytes) -> Exchange:
    yield Send(message, pending_replies=(PendingReply(cycle=True),), kinds=b"Q")


def swallow(told: Callable[[], None] = lambda: None) -> PendingReply:
    """A reply the client must not see, unless it is an error; ``told`` when it is none."""

    def take(kind: int, message: bytes) -> bytes:
        if kind == ERROR:
            return message
        told()
        return b""

    return PendingReply(visible=False, take=take)


def without_description() -> PendingReply:
    """The reply to a Query whose columns the client has been told; the rest is nobody's to look at."""
    reply = PendingReply(cycle=True)

    def take(kind: int, message: bytes) -> bytes:
        if kind == NOTICE:
            return message
        reply.take = None
        return b"" if kind == ROW_DESCRIPTION else message

    reply.take = take
    return reply
