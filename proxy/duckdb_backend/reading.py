"""A lake query read for a client: bound, run, and its rows sent in batches.

Rows are encoded in the process that fetched them, and only when the client has taken the last. Must not know
which message asked for them, nor do I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any

from rewright.proxy.answers import encoding
from rewright.proxy.duckdb_backend.encoding import encoder_of
from rewright.proxy.duckdb_backend.forms import check_forms, check_text
from rewright.proxy.duckdb_backend.ports import Encode, LakeCursor, Portion, Prepared
from rewright.proxy.ports import SqlError
from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.time_limits import TimeLimit
from rewright.proxy.session import Cancelled, Emit, Exchange
from rewright.proxy.statements import Portal
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import CommandComplete

# small enough that a cancel is noticed soon, large enough that handing over costs little
BATCH = 500


def prepared_of(
    context: SessionContext, query: str, types: tuple[int, ...], limit: TimeLimit
) -> Generator[Any, Any, Prepared]:
    """Raises SqlError, Cancelled."""
    lake = context.lake
    assert lake is not None
    check_forms(context)
    check_text(context, query)
    prepared = yield from limit.wait(partial(lake.prepare, query, types, context.session_view()))
    assert isinstance(prepared, Prepared)
    return prepared


def run(
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
    # An Execute with a limit of rows has suspended the portal: the next one reads on.
    if portal.cursor is None:
        portal.cursor = yield from limit.wait(partial(lake.run, prepared, parameters, context.session_view()))
        yield Emit(encoding.notices((*prepared.notices, *portal.cursor.notices)))
        context.metrics.routes["lake"] += 1
    cursor: LakeCursor = portal.cursor
    encode = encoder_of(prepared.columns, portal.result_formats)
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
        # As in PostgreSQL also where no row is left: whether one is, the next Execute finds out.
        if max_rows and not left:
            yield Emit(backend.PORTAL_SUSPENDED)
            return


def rows_of(
    cursor: LakeCursor,
    encode: Encode,
    limit: TimeLimit,
    count: int | None,
    written: Callable[[bytes], bytes] = lambda data: data,
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
