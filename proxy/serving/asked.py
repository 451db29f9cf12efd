"""Running the query that a question became, bounded: read-only, within a time, so many rows at most.

Owns the bounds and how they are put around an Execute of the client's session and taken away again. Outside a
transaction block they hold for the implicit transaction, which ends with the client's Sync; inside one they
stand in a savepoint that is rolled back. Must not do I/O.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rewright.proxy.ports import PRIVATE_PREFIX, SqlError
from rewright.proxy.serving import forwarding, refusing
from rewright.proxy.serving.asking_ports import ReadAs
from rewright.proxy.serving.exchanges import ServeExecute
from rewright.proxy.serving.private import NOWHERE, Batch, Broken, Skipped, checked
from rewright.proxy.serving.refusing import CANCELLED, substitute_error
from rewright.proxy.serving.taking import TakesExecutes
from rewright.proxy.session import IDLE, Cancelled, Emit, Exchange, PendingReply, Run, Send
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import CommandComplete
from rewright.proxy.wire.frontend import Bind, Close, Execute, Parse, Query
from rewright.proxy.wire.tables import SUSPENDED

if TYPE_CHECKING:
    from rewright.proxy.serving.context import SessionContext
    from rewright.proxy.statements import Portal

_SAVEPOINT = f'"{PRIVATE_PREFIX}ask"'.encode()
_NAME = f"{PRIVATE_PREFIX}ask".encode()
_NO_BLOCK = "25P01"
# a limit of time that the client has set itself stays where it is the tighter one
_BOUNDS = """
select pg_catalog.set_config('transaction_read_only', 'on', true), pg_catalog.set_config('statement_timeout',
  (select case when s.setting::pg_catalog.int8 operator(pg_catalog.>) 0
                and s.setting::pg_catalog.int8 operator(pg_catalog.<) {milliseconds} then s.setting
                  else '{milliseconds}' end
     from pg_catalog.pg_settings s where s.name operator(pg_catalog.=) 'statement_timeout'), true)
"""
Take = Callable[[int, bytes], bytes]


def savepoint() -> bytes:
    """SQL that begins the part of a client's transaction that is undone again."""
    return b"savepoint " + _SAVEPOINT


def beginning_savepoint() -> Batch:
    """The same within a pipeline."""
    batch = Batch()
    _add(batch, savepoint())
    return batch


def undo() -> bytes:
    """SQL that undoes it."""
    return b"; ".join(_undoing())


def _undoing() -> tuple[bytes, bytes]:
    return b"rollback to savepoint " + _SAVEPOINT, b"release savepoint " + _SAVEPOINT


@dataclass(frozen=True, slots=True)
class Asked(TakesExecutes):
    """The query of one question."""

    step: ReadAs

    def execute_exchange(
        self, context: SessionContext, name: bytes, portal: Portal, max_rows: int
    ) -> Exchange:
        message = Execute(name, max_rows).encode()
        # A later Execute of the same portal: its bounds have been set, and its rows are the first one's.
        if portal.private:
            context.measuring.portion_begins()
            yield from forwarding.portion(portal.private, name, max_rows)
            return
        if portal.original:
            yield from forwarding.forward(message, b"E")
            return
        # an Execute before this one, in the same pipeline, may have been BEGIN
        inside = context.cycles.status != IDLE or b"E" in context.cycles.since
        try:
            checked((yield _bounds(self.step, inside=inside).ask()))
        except Skipped:
            yield Send(message, kinds=b"E")
            return
        except Broken as broken:
            context.cycles.failed = True
            yield Emit(said_in_pipeline(broken, "ASK"))
            return
        except Cancelled:
            pending_reply = substitute_error(CANCELLED, "34000")
            yield Send(Execute(NOWHERE).encode(), pending_replies=(pending_reply,), kinds=b"E")
            return
        _begin_clock(context, self.step)
        yield from self._run(context, name, portal, max_rows, inside=inside)

    def _run(
        self, context: SessionContext, name: bytes, portal: Portal, max_rows: int, *, inside: bool
    ) -> Exchange:
        rows = min(max_rows or self.step.rows, self.step.rows)
        cap = _cap(rows) if not 0 < max_rows <= self.step.rows else None
        message = Execute(name, rows).encode()
        if portal.statement.candidate is not None and not inside:
            served = ServeExecute(context, name, portal, rows, message).exchange()
            yield from served if cap is None else _capped(served, cap)
            return
        portal.original = True
        yield Send(message, pending_replies=(PendingReply(take=cap),), kinds=b"E")
        if inside:
            batch = Batch()
            for text in _undoing():
                _add(batch, text)
            # after an error these are skipped, and the client's transaction stays failed, as it must
            hidden = tuple(PendingReply(visible=False, take=_nothing) for _ in batch.messages)
            yield Send(b"".join(batch.messages), pending_replies=hidden)


def _bounds(step: ReadAs, *, inside: bool) -> Batch:
    batch = beginning_savepoint() if inside else Batch()
    _add(batch, _BOUNDS.format(milliseconds=max(1, int(step.seconds * 1000))).encode())
    return batch


def _add(batch: Batch, text: bytes) -> None:
    """A private statement that is parsed, run and gone again."""
    parts = (
        Close(b"S", _NAME),
        Parse(_NAME, text),
        Bind(_NAME, _NAME),
        Execute(_NAME),
        Close(b"P", _NAME),
        Close(b"S", _NAME),
    )
    batch.add(*(part.encode() for part in parts))


def said_in_pipeline(broken: Broken, word: str) -> bytes:
    """The error for a statement that begins with ``word``, before which a message of ours failed."""
    if broken.error.sqlstate != _NO_BLOCK:
        return broken.error.without(b"P").encode()
    said = SqlError(
        "0A000",
        f"{word} can't follow other statements of the same pipeline outside a transaction block",
        hint="Send BEGIN, or a Sync, before it.",
    )
    return refusing.error_bytes(said)


def _begin_clock(context: SessionContext, step: ReadAs) -> None:
    """What is measured, and reported where it is slow, is the query: not the reading, nor the question's
    text.
    """
    context.cycles.started = context.clock()
    context.cycles.chunk = Query(step.sql.encode()).encode()


def _nothing(_kind: int, _message: bytes) -> bytes:
    return b""


def _cap(rows: int) -> Take:
    """Where there are more rows than may be shown, the answer ends with a word on that."""
    said = backend.notice(f"only the first {rows} rows are shown")

    def take(kind: int, message: bytes) -> bytes:
        return said + CommandComplete(f"SELECT {rows}".encode()).encode() if kind == SUSPENDED else message

    return take


def _capped(exchange: Exchange, cap: Take) -> Exchange:
    """The exchange, with what it sends the client going through ``cap``."""
    answer: Any = None
    failure: Exception | None = None
    while True:
        try:
            step = exchange.send(answer) if failure is None else exchange.throw(failure)
        except StopIteration:
            return
        match step:
            case Run():
                step = replace(step, then=_both(step.then, cap))
            case Send(_, pending_replies, _):
                for pending_reply in pending_replies:
                    if pending_reply.visible and not pending_reply.cycle:
                        pending_reply.take = _both(pending_reply.take, cap)
        answer, failure = None, None
        try:
            answer = yield step
        except (Cancelled, SqlError) as error:
            failure = error


def _both(first: Take | None, second: Take) -> Take:
    def take(kind: int, message: bytes) -> bytes:
        return second(kind, message) if first is None else first(kind, second(kind, message))

    return take
