"""Reading libpq's results without psycopg's cursors.

Owns waiting for the next result, and its parts as records. Must not know what was asked.
"""

from __future__ import annotations

import select
from typing import Any

import psycopg
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn, PGresult

from rewright.engines.postgres.session_records import ColumnDescription

# libpq gives chunks as TUPLES_CHUNK and the end as TUPLES_OK; before 17 it knows single rows only
ROWS = frozenset({ExecStatus.TUPLES_OK, ExecStatus.TUPLES_CHUNK, ExecStatus.SINGLE_TUPLE})


def document(explained: PGresult) -> bytes:
    """EXPLAIN's one value."""
    raise_unless(explained.status == ExecStatus.TUPLES_OK and explained.ntuples > 0, explained)
    return explained.get_value(0, 0) or b""


def next_result(connection: PGconn) -> PGresult | None:
    """Waits on the socket: libpq's own waiting would hold the interpreter, and with it the CPU meter."""
    poller = select.poll()
    poller.register(connection.socket, select.POLLIN)
    # is_busy() without consume_input() would never change
    while connection.is_busy():
        poller.poll()
        connection.consume_input()
    return connection.get_result()


def raise_unless(ok: bool, result: Any) -> None:
    if not ok:
        raise psycopg.errors.error_from_result(result)


def column_of(described: Any, index: int) -> ColumnDescription:
    return ColumnDescription(
        name=(described.fname(index) or b"").decode(errors="replace"),
        type_oid=described.ftype(index),
        typmod=described.fmod(index),
        table_oid=described.ftable(index),
        attnum=described.ftablecol(index),
    )
