"""Statements that Rewright answers itself, in both protocols.

Owns how an answer takes the server's place. The server stays the sequencer: it gets a placeholder for each
message, so that order, pipelines, failed transactions (25P02) and skipping to Sync are its own; the replies
are exchanged. Must not do I/O.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rewright.proxy.answers import encoding
from rewright.proxy.duckdb_backend.values import UNKNOWN, BadValue
from rewright.proxy.duckdb_backend.values import decode as decoded
from rewright.proxy.ports import Answer, LocalRows, Redirect, SqlError
from rewright.proxy.serving.asking import ask_in_cycle, ask_in_pipeline
from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.forwarding import PLACEHOLDER, forward
from rewright.proxy.serving.kept_settings import SetCommand
from rewright.proxy.serving.private import Broken, Skipped
from rewright.proxy.serving.refusing import failed_execute, failed_parse, failed_query
from rewright.proxy.serving.taking import TakesOver
from rewright.proxy.session import Cancelled, Emit, Exchange, PendingReply, Send, Wait
from rewright.proxy.statements import Portal, Statement
from rewright.proxy.wire import backend, values
from rewright.proxy.wire.backend import CommandComplete
from rewright.proxy.wire.framing import HEADER
from rewright.proxy.wire.frontend import Bind, Execute, Parse, Query, decode
from rewright.proxy.wire.tables import COMPLETE, DATA_ROW, NO_DATA, ROW_DESCRIPTION

# --- simple protocol --------------------------------------------------------------------------------


def query_exchange(context: SessionContext, text: bytes) -> Exchange | None:
    """None: the text is the server's business."""
    sql = text.decode("utf-8", "replace")
    answer = context.lookups.match(text)
    if isinstance(answer, TakesOver):
        return answer.query_exchange(context)
    if answer is not None:
        return _answered_query(context, answer)
    shown = context.in_force.rules.show(sql, context.in_force.kept_text)
    if shown is not None:
        return _redirected_query(shown)
    try:
        context.in_force.rules.check_set(sql)
    except SqlError as error:
        return failed_query(error)
    return None


def _answered_query(context: SessionContext, answer: Answer) -> Exchange:
    try:
        view = (yield from ask_in_cycle(context)) if answer.rights else context.session_view()
        outcome = yield Wait(lambda: answer.run(view))
    except SqlError as error:
        yield from failed_query(error)
        return
    except Cancelled:
        yield from failed_query(None)
        return
    context.metrics.routes["local"] += 1
    if isinstance(outcome, Redirect):
        yield from _redirected_query(outcome)
        return
    yield from query_rows(outcome)


def query_rows(outcome: LocalRows) -> Exchange:
    """The cycle of a Query whose answer are these rows."""
    rows = encoding.data_rows(outcome, ())
    whole = (
        encoding.description(outcome.columns) * bool(outcome.columns)
        + b"".join(rows)
        + encoding.completion(outcome)
    )

    def take(kind: int, message: bytes) -> bytes:
        if kind in {ROW_DESCRIPTION, DATA_ROW}:
            return b""
        return encoding.notices(outcome.notices) + whole if kind == COMPLETE else message

    yield Send(
        Query(PLACEHOLDER).encode(), pending_replies=(PendingReply(cycle=True, take=take),), kinds=b"Q"
    )


def _redirected_query(outcome: Redirect) -> Exchange:
    pending_reply = PendingReply(cycle=True, take=_retagged(outcome.tag, outcome.notices))
    yield Send(Query(outcome.sql.encode()).encode(), pending_replies=(pending_reply,), kinds=b"Q")


def changing_query(context: SessionContext, text: bytes, command: SetCommand) -> Exchange:
    """A SET in a session that keeps its own settings: it counts when the server has run it."""
    pending_reply = PendingReply(cycle=True, take=_noting(context, command))
    yield Send(Query(text).encode(), pending_replies=(pending_reply,), kinds=b"Q")


def changing_execute(context: SessionContext, command: SetCommand, message: bytes) -> Exchange:
    yield Send(message, pending_replies=(PendingReply(take=_noting(context, command)),), kinds=b"E")


def _noting(context: SessionContext, command: SetCommand) -> Callable[[int, bytes], bytes]:
    def take(kind: int, message: bytes) -> bytes:
        if kind != COMPLETE:
            return message
        context.in_force.kept_changes(command)
        if not context.in_force.kept.shared or command.local or not command.name:
            return message
        said = f'"rewright.{command.name}" counts to the end of the transaction: a pooler shares this session'
        return backend.notice(said, severity="WARNING", sqlstate="01000") + message

    return take


# --- extended protocol ------------------------------------------------------------------------------


def parse_exchange(context: SessionContext, name: bytes, statement: Statement) -> Exchange | None:
    """None: the text is the server's business."""
    sql = statement.text.decode("utf-8", "replace")
    answer = context.lookups.match(statement.text)
    if isinstance(answer, TakesOver):
        return answer.parse_exchange(context, name, statement)
    if answer is not None:
        return _answered_parse(context, name, statement, answer)
    shown = context.in_force.rules.show(sql, context.in_force.kept_text)
    if shown is not None:
        return _redirected_parse(context, name, statement, shown)
    try:
        context.in_force.rules.check_set(sql)
    except SqlError as error:
        return failed_parse(error)
    return None


def _answered_parse(context: SessionContext, name: bytes, statement: Statement, answer: Answer) -> Exchange:
    if not answer.redirects:
        statement.answer = answer
        statement.param_types = _parameter_types(statement.param_types, answer.parameters)
        context.note_parsed(name, statement)
        yield from forward(Parse(name, PLACEHOLDER, statement.param_types).encode(), b"P")
        return
    try:
        outcome = yield Wait(lambda: answer.run(context.session_view()))
    except SqlError as error:
        yield from failed_parse(error)
        return
    except Cancelled:
        yield from failed_parse(None)
        return
    assert isinstance(outcome, Redirect)
    yield from _redirected_parse(context, name, statement, outcome)


def _parameter_types(declared: tuple[int, ...], told: tuple[int, ...]) -> tuple[int, ...]:
    """What the client declares counts, else what the text tells: the server's placeholder has none to tell
    from.
    """
    padded = declared + (0,) * (len(told) - len(declared))
    told += (values.TEXT,) * (len(padded) - len(told))
    return tuple(own if own not in {0, UNKNOWN} else other for own, other in zip(padded, told, strict=True))


def bound_values(portal: Portal, types: tuple[int, ...]) -> tuple[object, ...]:
    """The values bound to its parameters. Raises SqlError."""
    bind = portal.bound
    if len(bind.values) != len(types) or len(bind.formats) not in {0, 1, len(types)}:
        # the server says so, too: its answer to the Bind comes first
        raise SqlError("08P01", f"bind message supplies {len(bind.values)} parameters, not {len(types)}")
    pairs = enumerate(zip(bind.values, types, strict=True))
    try:
        return tuple(decoded(value, oid, encoding.format_of(bind.formats, i)) for i, (value, oid) in pairs)
    except BadValue as error:
        raise SqlError(error.sqlstate, str(error)) from error


def _redirected_parse(
    context: SessionContext, name: bytes, statement: Statement, outcome: Redirect
) -> Exchange:
    statement.tag = outcome.tag
    context.note_parsed(name, statement)
    if outcome.notices:
        yield Emit(encoding.notices(outcome.notices))
    yield from forward(Parse(name, outcome.sql.encode(), statement.param_types).encode(), b"P")


def bind_exchange(
    context: SessionContext, name: bytes, statement: Statement, message: bytes
) -> Exchange | None:
    """Remember the portal; a placeholder has no columns, so it is bound without result formats."""
    bind = decode(b"B", message[HEADER.size :])
    assert isinstance(bind, Bind)
    context.registry.portals[name] = Portal(
        statement, message, result_formats=bind.result_formats, ahead=context.cycles.pending
    )
    if statement.answer is None:
        return None
    return forward(replace(bind, result_formats=()).encode(), b"B")


def describe_exchange(answer: Answer, formats: tuple[int, ...], message: bytes) -> Exchange:
    def take(kind: int, reply: bytes) -> bytes:
        if kind in {ROW_DESCRIPTION, NO_DATA}:
            return encoding.description_or_no_data(answer.columns, formats)
        return reply

    yield Send(message, pending_replies=(PendingReply(take=take),), kinds=b"D")


def execute_exchange(
    context: SessionContext, name: bytes, portal: Portal, max_rows: int, message: bytes
) -> Exchange:
    answer = portal.statement.answer
    if answer is None:
        pending_reply = PendingReply(take=_retagged(portal.statement.tag, ()))
        yield Send(message, pending_replies=(pending_reply,), kinds=b"E")
        return
    notices = b""
    # The first Execute of the portal computes all rows; further ones are given what is left.
    if portal.rows is None:
        try:
            given = bound_values(portal, portal.statement.param_types)
            view = (yield from ask_in_pipeline(context)) if answer.rights else context.session_view()
            outcome = yield Wait(lambda: answer.run(view, given))
            assert isinstance(outcome, LocalRows)
            portal.rows = encoding.data_rows(outcome, portal.result_formats)
        except SqlError as error:
            yield from failed_execute(error)
            return
        except Cancelled:
            yield from failed_execute(None)
            return
        except Skipped:
            yield Send(message, kinds=b"E")
            return
        except Broken as broken:
            context.cycles.failed = True
            yield Emit(broken.error.without(b"P").encode())
            return
        context.metrics.routes["local"] += 1
        portal.tag = encoding.completion(outcome)
        notices = encoding.notices(outcome.notices)
    yield Send(Execute(name).encode(), pending_replies=(_rows_unit(portal, max_rows, notices),), kinds=b"E")


def _rows_unit(portal: Portal, max_rows: int, notices: bytes) -> PendingReply:
    rows = portal.rows or []
    size = max_rows if 0 < max_rows < len(rows) else len(rows)
    shown, portal.rows = rows[:size], rows[size:]
    end = backend.PORTAL_SUSPENDED if portal.rows else portal.tag
    # Executed again after its end, a portal gives no rows and says so.
    if not portal.rows:
        portal.tag = CommandComplete(b"SELECT 0").encode()

    def take(kind: int, message: bytes) -> bytes:
        if kind == DATA_ROW:
            return b""
        return notices + b"".join(shown) + end if kind == COMPLETE else message

    return PendingReply(take=take)


def _retagged(tag: str, notices: tuple[str, ...]) -> Callable[[int, bytes], bytes]:
    def take(kind: int, message: bytes) -> bytes:
        if kind == COMPLETE:
            return encoding.notices(notices) + (CommandComplete(tag.encode()).encode() if tag else message)
        return message

    return take
