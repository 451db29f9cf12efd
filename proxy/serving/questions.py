"""ASK in both protocols: the question is read while the client waits, and what it became runs as a query of
the client's own.

Owns the reading's conversation with the server, which goes through the client's session, and what each
message of the client becomes. Must not know how a question is read (``rewright.proxy.serving.asking_ports``),
nor do I/O. docs/decisions/0392-questions-are-read-through-the-clients-session.md.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from rewright.proxy.answers import encoding
from rewright.proxy.answers.questions import Question
from rewright.proxy.duckdb_backend import exchanges as duckdb_backend
from rewright.proxy.ports import LastQuery, LocalRows, Outcome, ResultColumn, SessionView, SqlError
from rewright.proxy.serving import forwarding, local, refusing, time_limits
from rewright.proxy.serving.apart import step_apart
from rewright.proxy.serving.asked import Asked, said_in_pipeline, savepoint, undo
from rewright.proxy.serving.asking import ask_in_cycle
from rewright.proxy.serving.asking_ports import Asker, Conversation, Lent, ReadAs, Told, ToServer
from rewright.proxy.serving.private import Broken, Skipped
from rewright.proxy.serving.taking import TakesOver
from rewright.proxy.serving.time_limits import TimeLimit
from rewright.proxy.session import IDLE, Ask, Cancelled, Emit, Exchange, PendingReply, Replies, Send
from rewright.proxy.statements import Portal, Statement
from rewright.proxy.wire.frontend import SYNC, Bind, Describe, Parse, Query
from rewright.proxy.wire.tables import ERROR, READY, ROW_DESCRIPTION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rewright.proxy.serving.context import SessionContext

_FAILED = ord("E")
# what a reader may never send while the client has a transaction open: its end
_ENDS = re.compile(rb"\s*(?:begin|start|commit|end|abort|prepare|rollback(?!\s+to\b))\b", re.IGNORECASE)
Reading = Generator[Any, Any, ReadAs | Told]
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class AskAnswer(TakesOver):
    """One ASK of one client."""

    question: Question
    asker: Asker

    def query_exchange(self, context: SessionContext) -> Exchange:
        step = yield from read_at_query(context, _read(context, self, runs_now=True))
        if step is None:
            return
        if isinstance(step, Told):
            yield from local.query_rows(step.rows)
            return
        yield Emit(encoding.notices(step.notices))
        if context.lake is not None:
            yield from _on_lake(duckdb_backend.query_exchange(context, step.sql.encode()))
            return
        yield from _run(context, step)

    def parse_exchange(self, context: SessionContext, name: bytes, statement: Statement) -> Exchange:
        step = yield from read_at_parse(context, name, "ASK", _read(context, self, runs_now=False))
        if step is not None:
            yield from _parsed(context, name, statement, step)


@dataclass(frozen=True, slots=True)
class _Rows:
    """What EXPLAIN ASK, ASK … CHOOSE and AUGMENT have said already, when they were parsed."""

    told: LocalRows

    @property
    def rights(self) -> bool:
        return False

    @property
    def redirects(self) -> bool:
        return False

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        return self.told.columns

    @property
    def parameters(self) -> tuple[int, ...]:
        return ()

    async def run(self, session: SessionView, parameters: Sequence[object] = ()) -> Outcome:
        del session, parameters
        return self.told


# --- what is run ------------------------------------------------------------------------------------


def _parsed(context: SessionContext, name: bytes, statement: Statement, step: ReadAs | Told) -> Exchange:
    if isinstance(step, Told):
        yield from parsed_rows(context, name, statement, step.rows)
        return
    statement.param_types = ()
    yield Emit(encoding.notices(step.notices))
    text = step.sql.encode()
    if context.lake is not None:
        yield from _on_lake(duckdb_backend.parse_exchange(context, name, Statement(text, ())))
        return
    statement.text = text
    statement.executes = Asked(step)
    statement.candidate = context.lookups.find(text, ())
    context.note_parsed(name, statement)
    yield from forwarding.forward(Parse(name, text).encode(), b"P")


def parsed_rows(context: SessionContext, name: bytes, statement: Statement, rows: LocalRows) -> Exchange:
    """The Parse of what has been answered already: each Execute gives these rows."""
    statement.param_types = ()
    statement.answer = _Rows(rows)
    context.note_parsed(name, statement)
    yield from forwarding.forward(Parse(name, forwarding.PLACEHOLDER).encode(), b"P")


def _run(context: SessionContext, step: ReadAs) -> Exchange:
    """A Query's answer from the messages of the extended protocol, which can be bounded."""
    text = step.sql.encode()
    statement = Statement(text, ())
    statement.candidate = context.lookups.find(text, ())
    bind = Bind(b"", b"").encode()
    messages = Parse(b"", text).encode() + bind + Describe(b"P", b"").encode()
    shown = PendingReply(visible=False, take=_described)
    yield Send(messages, pending_replies=(_hidden(), _hidden(), shown), kinds=b"PBD")
    yield from Asked(step).execute_exchange(context, b"", Portal(statement, bind), 0)
    yield Send(SYNC, pending_replies=(PendingReply(cycle=True),), kinds=b"S")


def _described(kind: int, message: bytes) -> bytes:
    return message if kind in {ROW_DESCRIPTION, ERROR} else b""


def _hidden() -> PendingReply:
    return PendingReply(visible=False, take=lambda kind, message: message if kind == ERROR else b"")


def _on_lake(exchange: Exchange | None) -> Exchange:
    """The lake's own way for the query of a question."""
    if exchange is None:
        yield from refusing.failed_query(SqlError("XX000", "the question's query reads no table of the lake"))
        return
    yield from exchange


# --- reading ----------------------------------------------------------------------------------------


def read_at_query(
    context: SessionContext, reading: Generator[Any, Any, Read]
) -> Generator[Any, Any, Read | None]:
    """What a Query's text came to; None: the client has been told why not."""
    if context.cycles.status == _FAILED:
        yield from refusing.failed_query(None)  # the server says what it says in a failed transaction
        return None
    try:
        return (yield from reading)
    except SqlError as error:
        yield from refusing.failed_query(error)
    except Cancelled:
        yield from refusing.failed_query(None)
    return None


def read_at_parse(
    context: SessionContext, name: bytes, word: str, reading: Generator[Any, Any, Read]
) -> Generator[Any, Any, Read | None]:
    """What a Parse's text, which begins with ``word``, came to; None: the client has been told why not."""
    if context.cycles.status == _FAILED:
        yield from forwarding.forward(Parse(name, forwarding.PLACEHOLDER).encode(), b"P")
        return None
    try:
        read = yield from reading
        yield from _unnamed_again(context, name)
    except Skipped:
        # a message before it in its pipeline failed: the server skips this one, too
        yield Send(Parse(name, forwarding.PLACEHOLDER).encode(), kinds=b"P")
    except Broken as broken:
        context.cycles.failed = True
        yield Emit(said_in_pipeline(broken, word))
    except SqlError as error:
        yield from refusing.failed_parse(error)
    except Cancelled:
        yield from refusing.failed_parse(None)
    else:
        return read
    return None


def _read(context: SessionContext, answer: AskAnswer, *, runs_now: bool) -> Reading:
    """``runs_now``: what it became has what is left of the statement's time.

    Raises SqlError, Cancelled; then nothing of the reading is left in the session. Raises Broken, Skipped
    where other messages of the same pipeline stand before it.
    """
    if answer.question.problem:
        raise SqlError(answer.question.sqlstate, answer.question.problem)
    is_lake = context.lake is not None
    is_apart = yield from begin_apart(context, "ASK")
    if is_apart and is_lake:
        yield from _tidy(is_idle=False)
    view: SessionView = yield from ask_in_cycle(context)
    limit = yield from time_limits.ask_in_cycle(context)
    lent = None if is_lake else lent_of(context, view)
    conversation = answer.asker.begin(answer.question, view, lent, context.asked_before)
    step: ReadAs | Told = yield from (
        _told(conversation, limit) if is_lake else lending(context, conversation, limit, is_apart=is_apart)
    )
    if runs_now and isinstance(step, ReadAs) and (left := limit.left) is not None:
        step = replace(step, seconds=min(step.seconds, left))
    context.asked_before = step.history
    context.metrics.routes["asked"] += 1
    context.measuring.last = LastQuery(
        "asked", None, f"question {step.id}" if isinstance(step, ReadAs) else ""
    )
    return step


def begin_apart(context: SessionContext, word: str) -> Generator[Any, Any, bool]:
    """As `rewright.proxy.serving.apart.step_apart`, for a statement that begins with ``word``. Raises
    SqlError also where its text may mean something else.
    """
    is_apart = yield from step_apart(context, word)
    if context.parameters.get(b"client_encoding", b"UTF8") != b"UTF8":
        raise SqlError("0A000", f"{word} needs client_encoding UTF8")
    if context.parameters.get(b"standard_conforming_strings", b"on") != b"on":
        raise SqlError("0A000", f"{word} needs standard_conforming_strings on")
    return is_apart


def lent_of(context: SessionContext, view: SessionView) -> Lent:
    """What the process is told of the session it is lent."""
    return Lent(context.parameters, bytes((context.cycles.status,)), view.backend_pid)


def _told(conversation: Conversation, limit: TimeLimit) -> Reading:
    try:
        step = yield from limit.wait(conversation.next)
    finally:
        conversation.close()
    assert isinstance(step, ReadAs | Told)
    return step


def lending(
    context: SessionContext, conversation: Conversation, limit: TimeLimit, *, is_apart: bool
) -> Reading:
    """The conversation with the session lent to it; ``is_apart`` as `begin_apart` says. Raises SqlError,
    Cancelled; then it is over.
    """
    try:
        step: ReadAs | Told = yield from _lending(context, conversation, limit, is_apart=is_apart)
    finally:
        conversation.close()
    return step


def _lending(
    context: SessionContext, conversation: Conversation, limit: TimeLimit, *, is_apart: bool
) -> Reading:
    """Pass the reader's cycles on, in a part of the client's transaction of their own where there is one."""
    is_idle = context.cycles.status == IDLE
    if not (is_idle or is_apart):
        yield from _cycle(savepoint())
    status = context.cycles.status
    try:
        step = yield from limit.wait(conversation.next)
        while isinstance(step, ToServer):
            if not is_idle and _ends_transaction(step.data):
                raise SqlError("XX000", "the process that reads the question tried to end the transaction")
            replies: Replies = yield Ask(step.data, 0, cycles=1)
            reply = _as_sent(replies)
            # The last byte of a cycle is ReadyForQuery's: where the reader has left the transaction.
            status = reply[-1]
            step = yield from limit.wait(partial(conversation.next, reply))
    except (SqlError, Cancelled):
        conversation.close()
        yield from _tidy(is_idle=is_idle)
        raise
    if not is_idle or status != IDLE:
        yield from _tidy(is_idle=is_idle)
    assert isinstance(step, ReadAs | Told)
    return step


def _ends_transaction(data: bytes) -> bool:
    """Simple queries only: the reader's library sends nothing of the kind in the extended protocol."""
    return data[:1] == b"Q" and any(_ENDS.match(part) for part in data[5:].split(b";"))


def _as_sent(replies: Replies) -> bytes:
    """What the server said in one cycle; it ends with ReadyForQuery."""
    messages = [message for kind, message in replies.pending_replies[0] if kind != READY]
    end = [message for kind, message in replies.pending_replies[0] if kind == READY]
    error = [replies.error.encode()] if replies.error is not None else []
    return b"".join([*messages, *error, *end])


def _tidy(*, is_idle: bool) -> Exchange:
    """Whatever the reader had open ends. A cancel may hit this, too."""
    text = b"rollback" if is_idle else undo()
    for _ in range(3):
        try:
            replies = yield from _cycle(text)
        except Cancelled:
            continue
        if replies.error is None:
            return


def _cycle(text: bytes) -> Generator[Any, Any, Replies]:
    replies: Replies = yield Ask(Query(text).encode(), 0, cycles=1)
    return replies


def _unnamed_again(context: SessionContext, name: bytes) -> Exchange:
    """The reader's simple queries have dropped the client's unnamed statement, which it may still bind."""
    unnamed = context.registry.statements.get(b"")
    if not name or unnamed is None or unnamed.answer is not None:
        return
    again = Parse(b"", unnamed.text, unnamed.param_types).encode()
    yield Ask(again + SYNC, 1, cycles=1)
