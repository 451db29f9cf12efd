"""Lake queries in both protocols: rows from DuckDB where the server's would stand.

The server (a shadow, docs/decisions/0100) stays the sequencer: it gets a placeholder for each message and
says what it says in a failed transaction; an error of the lake fails the server's own message, so that blocks
abort and pipelines skip as always. Rows go out in batches, each encoded in the thread that fetched it and
only when the client has taken the last. Must not do I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from secrets import token_hex
from typing import Any

from rewright.proxy.answers import encoding
from rewright.proxy.duckdb_backend import copying, values
from rewright.proxy.duckdb_backend.commands import CloseCursor, Copy, Declare, Fetch, command_of, refusal
from rewright.proxy.duckdb_backend.forms import check_forms, check_text
from rewright.proxy.duckdb_backend.ports import PLACE, Declared, Encode, LakeCursor, Portion, Prepared
from rewright.proxy.ports import PRIVATE_PREFIX, ResultColumn, SqlError
from rewright.proxy.serving import local, time_limits
from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.forwarding import PLACEHOLDER, forward, forward_query
from rewright.proxy.serving.private import NOWHERE, Batch, Broken, Skipped, checked
from rewright.proxy.serving.refusing import (
    NOWHERE_STATE,
    error_bytes,
    failed_execute,
    failed_parse,
    failed_query,
    substitute_error,
)
from rewright.proxy.serving.time_limits import TimeLimit
from rewright.proxy.session import IDLE, Ask, Cancelled, Emit, Exchange, PendingReply, Replies, Send
from rewright.proxy.statements import Portal, Statement
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import CommandComplete, DataRow
from rewright.proxy.wire.frontend import SYNC, Bind, Close, Execute, Parse, Query
from rewright.proxy.wire.tables import DATA_ROW

BATCH = 500


@dataclass(frozen=True, slots=True)
class LakeStatement:
    """A prepared lake query in the place of an ``Answer``."""

    prepared: Prepared
    command: Declare | Copy | None = None
    token: str = ""
    redirects: bool = False
    rights: bool = False

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        """None where the statement is no query of its own."""
        return self.prepared.columns if self.command is None else ()

    @property
    def parameters(self) -> tuple[int, ...]:
        return self.prepared.param_types

    async def run(self, session: object, parameters: Sequence[object] = ()) -> Any:
        """Never asked: ``execute_exchange`` stands in its place."""
        del session, parameters
        raise SqlError("XX000", "internal error: a lake statement was run as a local answer")


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
        case None if lake.concerns(text.decode("utf-8", "replace")):
            return _reading_query(context, text.decode("utf-8", "replace"), None)
    return None


def _reading_query(context: SessionContext, query: str, command: Declare | Copy | None) -> Exchange:
    batch = Batch()
    shown = _add_time(context, command, batch)
    yield from _in_place(context, batch, shown, lambda limit: _read(context, query, command, limit))


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
    yield from _in_place(
        context,
        probe,
        time_limits.add_question(context, probe),
        lambda limit: _fetch(context, command, (), limit, described=True),
        told,
        Query(text).encode(),
    )


def _in_place(
    context: SessionContext,
    batch: Batch,
    shown: int,
    body: Callable[[TimeLimit], Exchange],
    told: int = -1,
    original: bytes = b"",
) -> Exchange:
    """The server runs what is asked and says nothing of it; where it succeeds ``body`` answers.

    ``shown``: the reply that tells the limit of time. ``told``: the one that has a row if the cursor still is
    ours; without one ``original`` goes to the server.
    """
    time_limits.begin(context)
    try:
        replies = checked((yield batch.ask()))
        if told >= 0 and not _has_row(replies, told):
            yield from forward_query(original)
            return
        yield from body(time_limits.limit(context, replies, shown))
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


def _described_run(context: SessionContext, portal: Portal, prepared: Prepared, limit: TimeLimit) -> Exchange:
    if not prepared.tag:
        yield Emit(encoding.description(prepared.columns))
    yield from _run(context, portal, prepared, (), 0, limit)


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
    time_limits.begin(context)
    batch = Batch()
    shown = _add_time(context, command, batch)
    try:
        limit = time_limits.limit(context, checked((yield batch.ask())), shown)
        prepared = yield from _prepared(context, query, statement.param_types, command, limit)
    except Skipped:
        yield Send(Parse(name, PLACEHOLDER).encode(), kinds=b"P")
        return
    except Broken as broken:
        context.cycles.failed = True
        yield Emit(broken.error.encode())
        return
    except SqlError as error:
        yield from failed_parse(error)
        return
    except Cancelled:
        yield from failed_parse(None)
        return
    answer = LakeStatement(prepared, command, token_hex(8))
    statement.answer = answer
    context.note_parsed(name, statement)
    upstream = _upstream(command, prepared, answer.token)
    yield from forward(Parse(name, upstream, prepared.param_types).encode(), b"P")


def execute_exchange(
    context: SessionContext, name: bytes, portal: Portal, answer: LakeStatement, max_rows: int
) -> Exchange:
    prepared = answer.prepared
    try:
        parameters = local.bound_values(portal, prepared.param_types)
    except SqlError as error:
        yield from failed_execute(error)
        return

    def body(limit: TimeLimit) -> Exchange:
        match answer.command:
            case Declare() as command:
                return _declare(context, command, Declared(answer.token, prepared, parameters))
            case Copy() as command:
                return _copy(context, command, prepared, parameters, limit)
            case None:
                return _run(context, portal, prepared, parameters, max_rows, limit)

    execute, batch = Execute(name).encode(), Batch()
    batch.add(execute)
    yield from _executed(context, batch, execute, body)


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
    yield from _executed(
        context,
        probe,
        Execute(name).encode(),
        lambda limit: _fetch(context, command, bind.result_formats, limit, described=False),
        told,
    )


def _executed(
    context: SessionContext,
    batch: Batch,
    execute: bytes,
    body: Callable[[TimeLimit], Exchange],
    told: int = -1,
) -> Exchange:
    time_limits.begin(context)
    shown = time_limits.add_question(context, batch)
    try:
        replies = checked((yield batch.ask()))
        if told >= 0 and not _has_row(replies, told):
            yield from forward(execute, b"E")
            return
        yield from body(time_limits.limit(context, replies, shown))
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
    encode = _encoder(prepared.columns, formats) if not command.move else _nothing
    check_forms(context)
    if declared.cursor is None:
        run = partial(lake.run, prepared, declared.parameters, context.session_view())
        declared.cursor = yield from limit.wait(run)
        context.metrics.routes["lake"] += 1
    cursor: LakeCursor = declared.cursor
    if described and not command.move:
        yield Emit(encoding.description(prepared.columns, formats))
    sent = yield from _rows(cursor, encode, limit, command.count)
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
        sent = yield from _rows(cursor, writer.encode, limit, None, writer.written)
    finally:
        cursor.close()
    yield Emit(writer.end() + CommandComplete(f"COPY {sent}".encode()).encode())


def _as_it_is(data: bytes) -> bytes:
    return data


def _rows(
    cursor: LakeCursor,
    encode: Encode,
    limit: TimeLimit,
    count: int | None,
    written: Callable[[bytes], bytes] = _as_it_is,
) -> Generator[Any, Any, int]:
    """Emit the next ``count`` rows (None: all that are left), as ``written`` makes
    them; how many there were.
    """
    sent = 0
    while count is None or sent < count:
        wanted = BATCH if count is None else min(BATCH, count - sent)
        portion = yield from _portion(cursor, wanted, encode, limit)
        yield Emit(written(portion.data))
        sent += portion.count
        if portion.ended:
            break
    return sent


def _portion(
    cursor: LakeCursor, wanted: int, encode: Encode, limit: TimeLimit
) -> Generator[Any, Any, Portion]:
    """Raises SqlError, Cancelled; then the query is over."""
    try:
        portion: Portion = yield from limit.wait(partial(cursor.fetch, wanted, encode))
    except (SqlError, Cancelled):
        # the time may have been over before anything was asked for
        cursor.close()
        raise
    return portion


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
    _add_private(batch, b"lake", f'MOVE FORWARD 0 IN "{identifier}"')
    told = _add_private(
        batch,
        b"lake2",
        f"SELECT FROM pg_catalog.pg_cursors WHERE name = '{literal}' AND pg_catalog.strpos(statement, "
        f"'{token}') > 0",
    )
    return batch, told


def _add_private(batch: Batch, suffix: bytes, text: str) -> int:
    """The index of the Execute's reply."""
    name = PRIVATE_PREFIX.encode() + suffix
    batch.add(Parse(name, text.encode()).encode(), Bind(name, name).encode())
    index = batch.add(Execute(name).encode())
    batch.add(Close(b"P", name).encode(), Close(b"S", name).encode())
    return index


def _has_row(replies: Replies, index: int) -> bool:
    return any(kind == DATA_ROW for kind, _ in replies.pending_replies[index])


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
    lake = context.lake
    assert lake is not None
    check_forms(context)
    if command is not None and command.refused is not None:
        raise command.refused
    check_text(context, query)
    prepared = yield from limit.wait(partial(lake.prepare, query, types, context.session_view()))
    assert isinstance(prepared, Prepared)
    return prepared


def _run(
    context: SessionContext,
    portal: Portal,
    prepared: Prepared,
    parameters: Sequence[object],
    max_rows: int,
    limit: TimeLimit,
) -> Exchange:
    """Rows to the end, or to ``max_rows`` (0: all), then what ends an Execute. Raises SqlError, Cancelled."""
    lake = context.lake
    assert lake is not None
    check_forms(context)
    if portal.cursor is None:
        portal.cursor = yield from limit.wait(partial(lake.run, prepared, parameters, context.session_view()))
        yield Emit(encoding.notices((*prepared.notices, *portal.cursor.notices)))
        context.metrics.routes["lake"] += 1
    cursor: LakeCursor = portal.cursor
    encode = _encoder(prepared.columns, portal.result_formats)
    left, sent = max_rows, 0
    while True:
        wanted = min(BATCH, left) if max_rows else BATCH
        portion = yield from _portion(cursor, wanted, encode, limit)
        yield Emit(portion.data)
        sent += portion.count
        left -= portion.count
        if portion.ended:
            cursor.close()
            yield Emit(CommandComplete((prepared.tag or f"SELECT {sent}").encode()).encode())
            return
        if max_rows and not left:
            yield Emit(backend.PORTAL_SUSPENDED)
            return


def _encoder(columns: tuple[ResultColumn, ...], formats: tuple[int, ...]) -> Encode:
    if len(formats) > 1 and len(formats) != len(columns):
        raise SqlError(
            "08P01", f"bind message has {len(formats)} result formats but query has {len(columns)} columns"
        )
    return RowEncoder(tuple((c.type_oid, encoding.format_of(formats, i)) for i, c in enumerate(columns)))


@dataclass(frozen=True, slots=True)
class RowEncoder:
    """Rows as DataRow messages; ``kinds``: each column's type and format."""

    kinds: tuple[tuple[int, int], ...]

    def __call__(self, rows: Sequence[tuple[object, ...]]) -> bytes:
        return b"".join(
            DataRow(tuple(values.encode(v, *k) for v, k in zip(row, self.kinds, strict=True))).encode()
            for row in rows
        )


def _error(failed: SqlError | Cancelled) -> bytes:
    return error_bytes(failed if isinstance(failed, SqlError) else None)
