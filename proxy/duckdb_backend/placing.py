"""Lake statements in place of the server's: the server is asked first, and reports a failed transaction or a
timeout itself.

Owns how the lake's answer, or its error, takes the place of the server's. Must not know what is answered.
"""

from __future__ import annotations

from collections.abc import Callable

from rewright.proxy.ports import PRIVATE_PREFIX, SqlError
from rewright.proxy.serving import time_limits
from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.forwarding import PLACEHOLDER, forward, forward_query
from rewright.proxy.serving.private import NOWHERE, Batch, Broken, Skipped, checked
from rewright.proxy.serving.refusing import (
    NOWHERE_STATE,
    error_bytes,
    failed_execute,
    failed_parse,
    substitute_error,
)
from rewright.proxy.serving.time_limits import TimeLimit
from rewright.proxy.session import Cancelled, Emit, Exchange, PendingReply, Replies, Send
from rewright.proxy.wire.frontend import SYNC, Bind, Close, Execute, Parse
from rewright.proxy.wire.tables import DATA_ROW


def in_place(
    context: SessionContext,
    batch: Batch,
    shown: int,
    body: Callable[[TimeLimit, Replies], Exchange],
    is_ours: Callable[[Replies], bool] | None = None,
    original: bytes = b"",
) -> Exchange:
    """The server runs what is asked and says nothing of it; where it succeeds ``body`` answers.

    ``shown``: the reply that tells the limit of time. ``is_ours``: whether a name that the client uses still
    means what was made for the lake, as the replies tell; else ``original`` goes to the server.
    """
    time_limits.begin(context)
    try:
        replies = checked((yield batch.ask()))
        if is_ours is not None and not is_ours(replies):
            yield from forward_query(original)
            return
        yield from body(time_limits.limit(context, replies, shown), replies)
    except (Broken, Skipped) as failed:
        if isinstance(failed, Broken):
            yield Emit(failed.error.encode())
        yield Send(SYNC, pending_replies=(PendingReply(cycle=True),), kinds=b"S")
        return
    except (SqlError, Cancelled) as failed:
        pending_reply = substitute_error(_error(failed), NOWHERE_STATE)
        yield Send(
            Execute(NOWHERE).encode() + SYNC,
            pending_replies=(pending_reply, PendingReply(cycle=True)),
            kinds=b"S",
        )
        return
    yield Send(SYNC, pending_replies=(PendingReply(cycle=True),), kinds=b"S")


def parsed(
    context: SessionContext,
    name: bytes,
    batch: Batch,
    shown: int,
    body: Callable[[TimeLimit, Replies], Exchange],
) -> Exchange:
    """As ``in_place``, of a Parse: ``body`` finds the columns and sends the server what takes its place."""
    time_limits.begin(context)
    try:
        replies = checked((yield batch.ask()))
        yield from body(time_limits.limit(context, replies, shown), replies)
    except Skipped:
        yield Send(Parse(name, PLACEHOLDER).encode(), kinds=b"P")
    except Broken as broken:
        # The error was swallowed with our replies: for the client its own cycle has failed at this place.
        context.cycles.failed = True
        yield Emit(broken.error.encode())
    except (SqlError, Cancelled) as failed:
        yield from failed_parse(failed if isinstance(failed, SqlError) else None)


def executed(
    context: SessionContext,
    batch: Batch,
    execute: bytes,
    body: Callable[[TimeLimit, Replies], Exchange],
    is_ours: Callable[[Replies], bool] | None = None,
) -> Exchange:
    """As ``in_place``, of an Execute in a pipeline."""
    time_limits.begin(context)
    shown = time_limits.add_question(context, batch)
    try:
        replies = checked((yield batch.ask()))
        if is_ours is not None and not is_ours(replies):
            yield from forward(execute, b"E")
            return
        yield from body(time_limits.limit(context, replies, shown), replies)
        # what follows in the pipeline has its own time
        context.statement_began = None
    except Skipped:
        yield Send(execute, kinds=b"E")
    except Broken as broken:
        context.cycles.failed = True
        yield Emit(broken.error.encode())
    except SqlError as error:
        yield from failed_execute(error)
    except Cancelled:
        yield from failed_execute(None)


def add_private(batch: Batch, suffix: bytes, text: str) -> int:
    """The index of the Execute's reply."""
    name = PRIVATE_PREFIX.encode() + suffix
    # one that failed was not closed behind itself
    batch.add(Close(b"P", name).encode(), Close(b"S", name).encode())
    batch.add(Parse(name, text.encode()).encode(), Bind(name, name).encode())
    index = batch.add(Execute(name).encode())
    batch.add(Close(b"P", name).encode(), Close(b"S", name).encode())
    return index


def has_row(replies: Replies, index: int) -> bool:
    return any(kind == DATA_ROW for kind, _ in replies.pending_replies[index])


def _error(failed: SqlError | Cancelled) -> bytes:
    return error_bytes(failed if isinstance(failed, SqlError) else None)
