"""PREPARE and EXECUTE over a lake, as SQL spells them.

The server holds a query under the client's name that gives a token and the parameters: its EXECUTE checks the
name and the arguments in its own words, evaluates them, and tells by the token whether the name still means
what was prepared for the lake. Where names have to be found for a query with parameters, that waits for their
values, which tell much about what is meant (docs/decisions/1330). Must not do I/O.
"""

from __future__ import annotations

from collections.abc import Generator
from secrets import token_hex
from typing import Any

from rewright.proxy.answers import encoding
from rewright.proxy.duckdb_backend import values
from rewright.proxy.duckdb_backend.placing import add_private, in_place, parsed
from rewright.proxy.duckdb_backend.ports import Prepared, SqlPrepared
from rewright.proxy.duckdb_backend.prepare_texts import (
    ExecutePrepared,
    Prepare,
    parameters_of,
    with_values,
)
from rewright.proxy.duckdb_backend.reading import prepared_of, run
from rewright.proxy.duckdb_backend.statement import LakeStatement
from rewright.proxy.ports import PRIVATE_PREFIX, SqlError
from rewright.proxy.serving import time_limits
from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.forwarding import PLACEHOLDER, forward
from rewright.proxy.serving.private import Batch, checked, described
from rewright.proxy.serving.refusing import failed_parse, failed_query
from rewright.proxy.serving.time_limits import TimeLimit
from rewright.proxy.session import Ask, Emit, Exchange, Replies
from rewright.proxy.statements import MAX_STATEMENTS, Portal, Statement
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import CommandComplete, DataRow
from rewright.proxy.wire.framing import HEADER
from rewright.proxy.wire.frontend import Close, Describe, Parse
from rewright.proxy.wire.tables import DATA_ROW

_NAMES_UNKNOWN = frozenset({"42P01", "42703"})
# a select list has at most 1664 entries
MOST_PARAMETERS = 1600
# bytes of the values of one EXECUTE, which the server may compute (`repeat`) and a relay has to hold
MOST_BYTES = 1_000_000
Values = tuple[bytes | None, ...]


# --- PREPARE ----------------------------------------------------------------------------------------


def prepare_query(context: SessionContext, command: Prepare) -> Exchange:
    batch = Batch()
    shown = time_limits.add_question(context, batch)
    yield from in_place(context, batch, shown, lambda limit, _: prepare(context, command, limit))


def prepare_parse(context: SessionContext, name: bytes, statement: Statement, command: Prepare) -> Exchange:
    """Nothing is prepared before it is executed."""
    statement.answer = LakeStatement(Prepared((), (), None), command)
    context.note_parsed(name, statement)
    yield from forward(Parse(name, PLACEHOLDER).encode(), b"P")


def prepare(context: SessionContext, command: Prepare, limit: TimeLimit) -> Exchange:
    """Raises SqlError, Broken, Skipped, Cancelled."""
    name = command.name.encode()
    if len(context.lake_prepared) >= MAX_STATEMENTS and command.name not in context.lake_prepared:
        raise SqlError("54000", f"a session with a lake has at most {MAX_STATEMENTS} prepared statements")
    count = max(parameters_of(command.query), default=0)
    if max(count, len(command.types)) > MOST_PARAMETERS:
        raise SqlError("54000", f"a prepared lake query has at most {MOST_PARAMETERS} parameters")
    declared = yield from _declared_types(command)
    types = declared + (0,) * (count - len(declared))
    prepared = yield from _bound(context, command, declared, limit)
    # DuckDB's binder knows what the parameters are compared with: more than the server, which only sees a
    # list.
    if prepared is not None:
        types = prepared.param_types + types[len(prepared.param_types) :]
    token = token_hex(8)
    parse = Parse(name, _question(token, types).encode(), types)
    checked((yield Ask(parse.encode(), 1)))
    kept = SqlPrepared(token, command, types, prepared)
    context.lake_prepared[command.name] = kept
    _note(context, name, kept)
    yield Emit(CommandComplete(b"PREPARE").encode())


def _question(token: str, types: tuple[int, ...]) -> str:
    """What the server runs for an EXECUTE: the token, the values unless they are too long, and whether they
    are.
    """
    if not types:
        return f"SELECT '{token}'::pg_catalog.text"
    # pg_column_size takes any type: of a parameter without one it could not tell which (42P18).
    values_ = [f"${number}" if oid else f"${number}::pg_catalog.text" for number, oid in enumerate(types, 1)]
    sizes = " OPERATOR(pg_catalog.+) ".join(f"coalesce(pg_catalog.pg_column_size({v}), 0)" for v in values_)
    listed = "".join(f", CASE WHEN s.few THEN {v} END" for v in values_)
    return (
        f"SELECT '{token}'::pg_catalog.text{listed}, s.few"
        f" FROM (SELECT ({sizes}) OPERATOR(pg_catalog.<=) {MOST_BYTES} AS few) s"
    )


def _bound(
    context: SessionContext, command: Prepare, declared: tuple[int, ...], limit: TimeLimit
) -> Generator[Any, Any, Prepared | None]:
    """None: names have to be found, with the values that are not there yet."""
    try:
        prepared: Prepared = yield from prepared_of(context, command.query, declared, limit)
    except SqlError as error:
        if error.sqlstate not in _NAMES_UNKNOWN or not parameters_of(command.query):
            raise
        return None
    return prepared


def _declared_types(command: Prepare) -> Generator[Any, Any, tuple[int, ...]]:
    """The OIDs of the types that the client wrote, as the server knows them."""
    if not command.types:
        return ()
    listed = ", ".join(f"NULL::{type_}" for type_ in command.types)
    name = PRIVATE_PREFIX.encode() + b"laket"
    batch = Batch()
    batch.add(Close(b"S", name).encode(), Parse(name, f"SELECT {listed}".encode()).encode())
    index = batch.add(Describe(b"S", name).encode())
    batch.add(Close(b"S", name).encode())
    replies = checked((yield batch.ask()))
    _, columns = described(replies.pending_replies[index])
    return tuple(column.type_oid for column in columns or ())


def _note(context: SessionContext, name: bytes, kept: SqlPrepared) -> None:
    """The protocol's Bind may name it, too."""
    statement = Statement(kept.command.query.encode(), kept.types)
    prepared = kept.prepared
    late = kept if prepared is None else None
    statement.answer = LakeStatement(prepared or Prepared(kept.types, (), None), late)
    # First, since a name that is taken counts as unknown from then on.
    context.registry.statements.pop(name, None)
    context.note_parsed(name, statement)


# --- EXECUTE ----------------------------------------------------------------------------------------


def execute_query(
    context: SessionContext, command: ExecutePrepared, text: bytes, original: bytes
) -> Exchange:
    if command.refused is not None:
        yield from failed_query(command.refused)
        return
    kept = context.lake_prepared[command.name]
    batch = Batch()
    index = add_private(batch, b"lake", text.decode())
    shown = time_limits.add_question(context, batch)

    def body(limit: TimeLimit, replies: Replies) -> Exchange:
        given = _given(kept, replies, index)
        prepared, parameters = yield from _ready(context, kept, command, given, limit)
        yield Emit(encoding.description(prepared.columns))
        yield from run(context, Portal(Statement(text, ()), b""), prepared, parameters, 0, limit)

    yield from in_place(
        context, batch, shown, body, lambda replies: _token(replies, index) == kept.token, original
    )


def execute_parse(
    context: SessionContext, name: bytes, statement: Statement, command: ExecutePrepared
) -> Exchange:
    """Its columns are to be known here; a query whose names wait for the values is resolved with these."""
    if command.refused is not None:
        yield from failed_parse(command.refused)
        return
    kept = context.lake_prepared[command.name]
    batch = Batch()
    index = add_private(batch, b"lake", statement.text.decode())
    shown = time_limits.add_question(context, batch)

    def body(limit: TimeLimit, replies: Replies) -> Exchange:
        if _token(replies, index) == kept.token:
            prepared, _ = yield from _ready(context, kept, command, _given(kept, replies, index), limit)
            statement.answer = LakeStatement(Prepared((), prepared.columns, None), command)
        context.note_parsed(name, statement)
        yield from forward(Parse(name, statement.text).encode(), b"P")

    yield from parsed(context, name, batch, shown, body)


def executed_portal(
    context: SessionContext,
    portal: Portal,
    command: ExecutePrepared,
    max_rows: int,
    limit: TimeLimit,
    replies: Replies,
) -> Exchange:
    """The server has run the client's EXECUTE as the first of these replies. Raises SqlError, Cancelled."""
    kept = context.lake_prepared.get(command.name)
    if portal.cursor is None:
        if kept is None or _token(replies, 0) != kept.token:
            raise SqlError("0A000", f'prepared statement "{command.name}" is not what it was')
        given = _given(kept, replies, 0)
        portal.prepared = yield from _ready(context, kept, command, given, limit)
    prepared, parameters = portal.prepared
    answer = portal.statement.answer
    assert answer is not None
    # Describe has told other columns: PostgreSQL's own error where a table has changed meanwhile.
    if prepared.columns != answer.columns:
        raise SqlError("0A000", "cached plan must not change result type")
    yield from run(context, portal, prepared, parameters, max_rows, limit)


def _ready(
    context: SessionContext, kept: SqlPrepared, command: ExecutePrepared, given: Values, limit: TimeLimit
) -> Generator[Any, Any, tuple[Prepared, tuple[object, ...]]]:
    """What is to be run, and with which parameters. Raises SqlError, Cancelled."""
    if kept.prepared is None:
        text = with_values(kept.command, kept.types, given, command.numbers)
        prepared: Prepared = yield from prepared_of(context, text, (), limit)
        return prepared, ()
    pairs = zip(given, kept.prepared.param_types, strict=False)
    try:
        return kept.prepared, tuple(values.decode(value, oid, 0) for value, oid in pairs)
    except values.BadValue as error:
        raise SqlError(error.sqlstate, str(error)) from error


def _row(replies: Replies, index: int) -> Values:
    for kind, message in replies.pending_replies[index]:
        row = backend.decode(b"D", message[HEADER.size :]) if kind == DATA_ROW else None
        if isinstance(row, DataRow):
            return tuple(row.values)
    return ()


def _token(replies: Replies, index: int) -> str:
    row = _row(replies, index)
    return (row[0] or b"").decode("utf-8", "replace") if row else ""


def _given(kept: SqlPrepared, replies: Replies, index: int) -> Values:
    """The values of the parameters. Raises SqlError where they are too long."""
    row = _row(replies, index)
    if kept.types and row and row[-1] != b"t":
        raise SqlError("54000", f"the values of a prepared lake query have at most {MOST_BYTES:,} bytes")
    return row[1 : 1 + len(kept.types)]
