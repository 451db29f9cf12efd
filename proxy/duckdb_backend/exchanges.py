"""Lake queries in both protocols: rows from DuckDB where the server's would stand.

The server (a shadow, docs/decisions/0100) stays the sequencer: it gets a placeholder for each message and
says what it says in a failed transaction; an error of the lake fails the server's own message, so that blocks
abort and pipelines skip as always. Rows go out in batches, each encoded in the thread that fetched it and
only when the client has taken the last. Must not do I/O.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from secrets import token_hex
from typing import Any

from rewright.proxy.answers import encoding
from rewright.proxy.duckdb_backend import copying
from rewright.proxy.duckdb_backend.commands import (
    CloseCursor,
    Copy,
    Declare,
    Fetch,
    command_of,
    refusal,
)
from rewright.proxy.duckdb_backend.encoding import encoder_of
from rewright.proxy.duckdb_backend.forms import check_forms
from rewright.proxy.duckdb_backend.placing import add_private, executed, has_row, in_place, parsed
from rewright.proxy.duckdb_backend.ports import PLACE, Declared, LakeCursor, Prepared, SqlPrepared
from rewright.proxy.duckdb_backend.prepare_texts import ExecutePrepared, Prepare
from rewright.proxy.duckdb_backend.prepared import (
    execute_parse,
    execute_query,
    executed_portal,
    prepare,
    prepare_parse,
    prepare_query,
)
from rewright.proxy.duckdb_backend.reading import prepared_of, rows_of, run
from rewright.proxy.duckdb_backend.statement import LakeStatement
from rewright.proxy.ports import SqlError
from rewright.proxy.serving import local, time_limits
from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.forwarding import PLACEHOLDER, forward
from rewright.proxy.serving.private import Batch, checked
from rewright.proxy.serving.refusing import failed_execute, failed_parse, failed_query
from rewright.proxy.serving.time_limits import TimeLimit
from rewright.proxy.session import IDLE, Ask, Emit, Exchange, Replies
from rewright.proxy.statements import Portal, Statement
from rewright.proxy.wire.backend import CommandComplete
from rewright.proxy.wire.frontend import Bind, Execute, Parse, Query

# --- simple protocol --------------------------------------------------------------------------------


def query_exchange(context: SessionContext, text: bytes) -> Exchange | None:
    """None: the text is the shadow's business."""
    exchange = _query_exchange(context, text)
    if exchange is None and (error := refusal(text)) is not None:
        return failed_query(error)
    return exchange


def _query_exchange(context: SessionContext, text: bytes) -> Exchange | None:
    lake = context.lake
    assert lake is not None
    match command_of(text):
        case Declare() as command if not lake.concerns(command.query):
            _drop(context, command.name)
        case CloseCursor() as command:
            _drop(context, command.name)
        case Fetch() as command if command.name in context.lake_cursors:
            return _fetch_query(context, command, text)
        case Copy() as command if not lake.concerns(command.query):
            return None
        case Declare() | Copy() as command:
            return _reading_query(context, command.query, command)
        case Prepare() as command if lake.concerns(command.query):
            return prepare_query(context, command)
        case ExecutePrepared() as command if command.name in context.lake_prepared:
            return execute_query(context, command, text, Query(text).encode())
        case None if lake.concerns(text.decode("utf-8", "replace")):
            return _reading_query(context, text.decode("utf-8", "replace"), None)
    return None


def _reading_query(context: SessionContext, query: str, command: Declare | Copy | None) -> Exchange:
    batch = Batch()
    shown = _add_time(context, command, batch)
    yield from in_place(context, batch, shown, lambda limit, _: _read(context, query, command, limit))


def _add_time(context: SessionContext, command: Declare | Copy | None, batch: Batch) -> int:
    """The index of the reply that tells the limit of time.

    A DECLARE that is not the first that a pipeline executes stands in a transaction block for the server: one
    outside is to be refused as ever.
    """
    cycles = context.cycles
    if isinstance(command, Declare) and cycles.status == IDLE and b"E" not in cycles.since:
        return time_limits.add_nothing(batch)
    return time_limits.add_question(context, batch)


def _read(context: SessionContext, query: str, command: Declare | Copy | None, limit: TimeLimit) -> Exchange:
    """Raises SqlError, Broken, Skipped, Cancelled."""
    prepared = yield from _prepared(context, query, (), command, limit)
    # A simple Query has no Bind: PostgreSQL's own error for a parameter in it.
    if prepared.param_types:
        raise SqlError("42P02", "there is no parameter $1")
    match command:
        case Declare():
            token = token_hex(8)
            declaring = Parse(b"", _upstream(command, prepared, token)), Bind(b"", b""), Execute(b"")
            checked((yield Ask(b"".join(message.encode() for message in declaring), len(declaring))))
            yield from _declare(context, command, Declared(token, prepared, ()))
        case Copy():
            yield from _copy(context, command, prepared, (), limit)
        case None:
            portal = Portal(Statement(query.encode(), ()), b"")
            yield from _described_run(context, portal, prepared, limit)


def _fetch_query(context: SessionContext, command: Fetch, text: bytes) -> Exchange:
    if command.refused is not None:
        yield from failed_query(command.refused)
        return
    probe, told = _probe(command.name, context.lake_cursors[command.name].token)
    yield from in_place(
        context,
        probe,
        time_limits.add_question(context, probe),
        lambda limit, _: _fetch(context, command, (), limit, described=True),
        lambda replies: has_row(replies, told),
        Query(text).encode(),
    )


def _described_run(context: SessionContext, portal: Portal, prepared: Prepared, limit: TimeLimit) -> Exchange:
    if not prepared.tag:
        yield Emit(encoding.description(prepared.columns))
    yield from run(context, portal, prepared, (), 0, limit)


# --- extended protocol ------------------------------------------------------------------------------


def parse_exchange(context: SessionContext, name: bytes, statement: Statement) -> Exchange | None:
    """None: the text is the shadow's business."""
    exchange = _parse_exchange(context, name, statement)
    if exchange is None and (error := refusal(statement.text)) is not None:
        return failed_parse(error)
    return exchange


def _parse_exchange(context: SessionContext, name: bytes, statement: Statement) -> Exchange | None:
    lake = context.lake
    assert lake is not None
    match command_of(statement.text):
        case Declare() as command if not lake.concerns(command.query):
            _drop(context, command.name)
        case CloseCursor() as command:
            _drop(context, command.name)
        case Fetch() as command:
            statement.fetches = command
        case Copy() as command if not lake.concerns(command.query):
            return None
        case Declare() | Copy() as command:
            return _reading_parse(context, name, statement, command.query, command)
        case Prepare() as command if lake.concerns(command.query):
            return prepare_parse(context, name, statement, command)
        case ExecutePrepared() as command if command.name in context.lake_prepared:
            return execute_parse(context, name, statement, command)
        case None:
            text = statement.text.decode("utf-8", "replace")
            return _reading_parse(context, name, statement, text, None) if lake.concerns(text) else None
    return None


def _reading_parse(
    context: SessionContext,
    name: bytes,
    statement: Statement,
    query: str,
    command: Declare | Copy | None,
) -> Exchange:
    batch = Batch()
    shown = _add_time(context, command, batch)

    def body(limit: TimeLimit, _: Replies) -> Exchange:
        prepared = yield from _prepared(context, query, statement.param_types, command, limit)
        answer = LakeStatement(prepared, command, token_hex(8))
        statement.answer = answer
        context.note_parsed(name, statement)
        upstream = _upstream(command, prepared, answer.token)
        yield from forward(Parse(name, upstream, prepared.param_types).encode(), b"P")

    yield from parsed(context, name, batch, shown, body)


def execute_exchange(
    context: SessionContext, name: bytes, portal: Portal, answer: LakeStatement, max_rows: int
) -> Exchange:
    prepared = answer.prepared
    try:
        parameters = local.bound_values(portal, prepared.param_types)
    except SqlError as error:
        yield from failed_execute(error)
        return

    def body(limit: TimeLimit, replies: Replies) -> Exchange:
        match answer.command:
            case Prepare() as command:
                return prepare(context, command, limit)
            case ExecutePrepared() as command:
                return executed_portal(context, portal, command, max_rows, limit, replies)
            case SqlPrepared():
                raise SqlError("0A000", "the names in this query are resolved when EXECUTE gives its values")
            case Declare() as command:
                return _declare(context, command, Declared(answer.token, prepared, parameters))
            case Copy() as command:
                return _copy(context, command, prepared, parameters, limit)
            case None:
                return run(context, portal, prepared, parameters, max_rows, limit)

    execute, batch = Execute(name).encode(), Batch()
    batch.add(execute)
    yield from executed(context, batch, execute, body)


def fetch_exchange(
    context: SessionContext, name: bytes, portal: Portal, command: Fetch, max_rows: int
) -> Exchange:
    """The client executes a FETCH from a cursor of ours; what the server has under that name is not moved."""
    if command.refused is not None:
        yield from failed_execute(command.refused)
        return
    if max_rows:
        yield from failed_execute(SqlError("0A000", "FETCH from a lake's cursor gives all its rows at once"))
        return
    bind = portal.bound
    probe, told = _probe(command.name, context.lake_cursors[command.name].token)
    yield from executed(
        context,
        probe,
        Execute(name).encode(),
        lambda limit, _: _fetch(context, command, bind.result_formats, limit, described=False),
        lambda replies: has_row(replies, told),
    )


# --- cursors and COPY -------------------------------------------------------------------------------


def _declare(context: SessionContext, command: Declare, declared: Declared) -> Exchange:
    _drop(context, command.name)
    context.lake_cursors[command.name] = declared
    yield Emit(encoding.notices(declared.prepared.notices) + CommandComplete(b"DECLARE CURSOR").encode())


def _fetch(
    context: SessionContext,
    command: Fetch,
    formats: tuple[int, ...],
    limit: TimeLimit,
    *,
    described: bool,
) -> Exchange:
    """The next rows of a declared cursor (or, MOVE, none of them shown)."""
    lake = context.lake
    declared = context.lake_cursors[command.name]
    prepared = declared.prepared
    assert lake is not None
    encode = encoder_of(prepared.columns, formats) if not command.move else _nothing
    check_forms(context)
    # DECLARE has only bound it: the query runs with the first FETCH, as in PostgreSQL.
    if declared.cursor is None:
        run = partial(lake.run, prepared, declared.parameters, context.session_view())
        declared.cursor = yield from limit.wait(run)
        context.metrics.routes["lake"] += 1
    cursor: LakeCursor = declared.cursor
    if described and not command.move:
        yield Emit(encoding.description(prepared.columns, formats))
    sent = yield from rows_of(cursor, encode, limit, command.count)
    yield Emit(CommandComplete(f"{'MOVE' if command.move else 'FETCH'} {sent}".encode()).encode())


def _copy(
    context: SessionContext,
    command: Copy,
    prepared: Prepared,
    parameters: tuple[object, ...],
    limit: TimeLimit,
) -> Exchange:
    lake, options = context.lake, command.options
    assert lake is not None
    assert options is not None
    check_forms(context)
    cursor: LakeCursor = yield from limit.wait(
        partial(lake.run, prepared, parameters, context.session_view())
    )
    context.metrics.routes["lake"] += 1
    columns = prepared.columns
    yield Emit(
        encoding.notices(prepared.notices)
        + copying.response(options, len(columns))
        + copying.heading(options, columns)
    )
    writer = copying.Writer(options, columns)
    try:
        sent = yield from rows_of(cursor, writer.encode, limit, None, writer.written)
    finally:
        # A COPY that fails or is cancelled half way must not leave the query running in its process.
        cursor.close()
    yield Emit(writer.end() + CommandComplete(f"COPY {sent}".encode()).encode())


def _nothing(rows: Sequence[tuple[object, ...]]) -> bytes:
    del rows
    return b""


def _drop(context: SessionContext, name: str | None) -> None:
    """A cursor of ours is closed, or its name is about to mean another; None: all of them."""
    for one in [name] if name is not None else list(context.lake_cursors):
        if (declared := context.lake_cursors.pop(one, None)) is not None:
            declared.close()


def _probe(name: str, token: str) -> tuple[Batch, int]:
    """What makes the server look for the cursor without reading from it (it says 34000 itself), and see
    whether it is the one that was declared for us: the index of the reply that has a row then.
    """
    batch = Batch()
    identifier, literal = name.replace('"', '""'), name.replace("'", "''")
    add_private(batch, b"lake", f'MOVE FORWARD 0 IN "{identifier}"')
    told = add_private(
        batch,
        b"lake2",
        f"SELECT FROM pg_catalog.pg_cursors WHERE name = '{literal}' AND pg_catalog.strpos(statement, "
        f"'{token}') > 0",
    )
    return batch, told


def _upstream(command: Declare | Copy | None, prepared: Prepared, token: str) -> bytes:
    if not isinstance(command, Declare):
        return PLACEHOLDER
    return f"{command.head} {prepared.shape.replace(PLACE, token)}".encode()


# --- what both do -----------------------------------------------------------------------------------


def _prepared(
    context: SessionContext,
    query: str,
    types: tuple[int, ...],
    command: Declare | Copy | None,
    limit: TimeLimit,
) -> Generator[Any, Any, Prepared]:
    """Raises SqlError, Cancelled."""
    if command is not None and command.refused is not None:
        check_forms(context)
        raise command.refused
    prepared: Prepared = yield from prepared_of(context, query, types, limit)
    return prepared
