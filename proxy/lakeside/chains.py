"""Lake queries in both protocols: rows from DuckDB where the server's would stand.

The server (a shadow, docs/decisions/0100) stays the sequencer: it gets a placeholder for each message and says what it says in a
failed transaction; an error of the lake fails the server's own message, so that blocks abort and pipelines skip as
always. Rows go out in batches, each encoded in the thread that fetched it and only when the client has taken
the last. Must not do I/O.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from proxy.lakeside import values
from proxy.lakeside.ports import Encode, LakeCursor, Prepared
from proxy.ports import ResultColumn, SqlError
from proxy.serving import local
from proxy.serving.chains import substitute_error
from proxy.serving.local import PLACEHOLDER, _failed_execute, _failed_parse, _failed_query, error_bytes
from proxy.serving.private import NOWHERE, Broken, Skipped, checked
from proxy.session import Ask, Cancelled, Chain, Emit, Send, Unit, Wait
from proxy.statements import Portal, Statement
from proxy.wire import backend
from proxy.wire.backend import CommandComplete, DataRow
from proxy.wire.framing import HEADER
from proxy.wire.frontend import SYNC, Bind, Execute, Parse, decode

if TYPE_CHECKING:
    from proxy.desk import SessionDesk

BATCH = 500
_NOWHERE_STATE = "34000"


@dataclass(frozen=True, slots=True)
class LakeStatement:
    """A prepared lake query in the place of an ``Answer``."""

    prepared: Prepared
    redirects: bool = False

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        return self.prepared.columns

    async def run(self, session: object) -> Any:
        """Never asked: ``execute_chain`` stands in its place."""
        del session
        raise SqlError("XX000", "a lake statement was run as a local answer")


# --- simple protocol --------------------------------------------------------------------------------


def query_chain(desk: SessionDesk, text: bytes) -> Chain:
    try:
        prepared = yield from _prepared(desk, text, ())
        if prepared.param_types:
            raise SqlError("42P02", "there is no parameter $1")
    except SqlError as error:
        yield from _failed_query(error)
        return
    except Cancelled:
        yield from _failed_query(None)
        return
    placeholder = Parse(b"", PLACEHOLDER).encode() + Bind(b"", b"").encode() + Execute(b"").encode()
    try:
        checked((yield Ask(placeholder, 3)))
        portal = Portal(Statement(text, ()), b"")
        yield Emit(local._description(prepared.columns, ()))
        yield from _run(desk, portal, prepared, (), 0)
    except (Broken, Skipped) as failed:
        if isinstance(failed, Broken):
            yield Emit(failed.error.encode())
        yield Send(SYNC, units=(Unit(cycle=True),), kinds=b"S")
        return
    except (SqlError, Cancelled) as failed:
        unit = substitute_error(_error(failed), _NOWHERE_STATE)
        yield Send(Execute(NOWHERE).encode() + SYNC, units=(unit, Unit(cycle=True)), kinds=b"S")
        return
    yield Send(SYNC, units=(Unit(cycle=True),), kinds=b"S")


# --- extended protocol ------------------------------------------------------------------------------


def parse_chain(desk: SessionDesk, name: bytes, statement: Statement) -> Chain:
    try:
        prepared = yield from _prepared(desk, statement.text, statement.param_types)
    except SqlError as error:
        yield from _failed_parse(error)
        return
    except Cancelled:
        yield from _failed_parse(None)
        return
    statement.answer = LakeStatement(prepared)
    desk.note_parsed(name, statement)
    yield from local.forward(Parse(name, PLACEHOLDER, prepared.param_types).encode(), b"P")


def execute_chain(
    desk: SessionDesk, name: bytes, portal: Portal, answer: LakeStatement, max_rows: int
) -> Chain:
    execute = Execute(name).encode()
    try:
        checked((yield Ask(execute, 1)))
        yield from _run(desk, portal, answer.prepared, _parameters(portal, answer.prepared), max_rows)
    except Skipped:
        yield Send(execute, kinds=b"E")
    except Broken as broken:
        desk.session.cycle_failed = True
        yield Emit(broken.error.encode())
    except SqlError as error:
        yield from _failed_execute(error)
    except Cancelled:
        yield from _failed_execute(None)


# --- what both do -----------------------------------------------------------------------------------


def _prepared(desk: SessionDesk, text: bytes, types: tuple[int, ...]) -> Generator[Any, Any, Prepared]:
    lake = desk.lake
    assert lake is not None
    prepared = yield Wait(lambda: lake.prepare(text.decode("utf-8", "replace"), types, desk.session_view()))
    assert isinstance(prepared, Prepared)
    return prepared


def _run(
    desk: SessionDesk, portal: Portal, prepared: Prepared, parameters: Sequence[object], max_rows: int
) -> Chain:
    """Rows to the end, or to ``max_rows`` (0: all), then what ends an Execute. Raises SqlError, Cancelled."""
    lake = desk.lake
    assert lake is not None
    if portal.cursor is None:
        portal.cursor = yield Wait(lambda: lake.run(prepared, parameters, desk.session_view()))
        yield Emit(local._notices(prepared.notices))
        desk.metrics.routes["lake"] += 1
    cursor: LakeCursor = portal.cursor
    encode = _encoder(prepared.columns, portal.result_formats)
    left, sent = max_rows, 0
    while True:
        wanted = min(BATCH, left) if max_rows else BATCH
        count, data = yield Wait(lambda wanted=wanted: cursor.fetch(wanted, encode))  # type: ignore[misc]
        yield Emit(data)
        sent += count
        left -= count
        if count < wanted:
            cursor.close()
            yield Emit(CommandComplete(f"SELECT {sent}".encode()).encode())
            return
        if max_rows and not left:
            yield Emit(backend.PORTAL_SUSPENDED)
            return


def _encoder(columns: tuple[ResultColumn, ...], formats: tuple[int, ...]) -> Encode:
    if len(formats) > 1 and len(formats) != len(columns):
        raise SqlError(
            "08P01", f"bind message has {len(formats)} result formats but query has {len(columns)} columns"
        )
    kinds = [(column.type_oid, local._format(formats, i)) for i, column in enumerate(columns)]

    def encode(rows: Sequence[tuple[object, ...]]) -> bytes:
        return b"".join(
            DataRow(tuple(values.encode(v, *k) for v, k in zip(row, kinds, strict=True))).encode()
            for row in rows
        )

    return encode


def _parameters(portal: Portal, prepared: Prepared) -> tuple[object, ...]:
    bind = decode(b"B", portal.bind[HEADER.size :])
    assert isinstance(bind, Bind)
    try:
        return tuple(
            values.decode(value, oid, local._format(bind.formats, i))
            for i, (value, oid) in enumerate(zip(bind.values, prepared.param_types, strict=True))
        )
    except values.BadValue as error:
        raise SqlError(error.sqlstate, str(error)) from error


def _error(failed: SqlError | Cancelled) -> bytes:
    return error_bytes(failed if isinstance(failed, SqlError) else None)
