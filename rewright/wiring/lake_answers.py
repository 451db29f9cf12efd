"""A lake's queries answered for who asks without the protocol: the command line. They mean what they mean in
a session.

Owns the server behind one lake for as long as a command runs, and making an answer of what a session's
binding gives. It blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from rewright.engines.duckdb.database import Rows
from rewright.engines.duckdb.dialect.plans import Plan
from rewright.engines.duckdb.errors import LakeError
from rewright.lake.api import Lake, Mode
from rewright.lake.resolve.letters import as_letters
from rewright.lake.resolve.resolution import Answer, Resolution
from rewright.proxy.ports import ResultColumn, SqlError
from rewright.wiring.lake_binding import Asked, Binding
from rewright.wiring.lake_explaining import Explaining, Explanation
from rewright.wiring.lake_finishing import Finishing
from rewright.wiring.lake_shadow import Shadow
from rewright.wiring.shadows import tables_of

_DATABASE = "lake"
_BATCH = 2000
_READ: Mapping[int, Callable[[str], Any]] = {
    16: lambda text: text == "t",
    **dict.fromkeys((20, 21, 23), int),
    **dict.fromkeys((700, 701), float),
    1700: Decimal,
}
"""How values that PostgreSQL gave as texts are read, by type OID."""


@contextmanager
def served(lake: Lake) -> Iterator[str]:
    """A server with the lake's tables, empty; the address at which it is asked how it reads a text.

    :raises LakeError: 57P03, it does not start.
    """
    from rewright.engines.duckdb.shadow import BACKEND_MEMORY, READER, SERVER, provision
    from rewright.engines.postgres.installation import ServerUnavailable
    from rewright.engines.postgres.scratch import ScratchServer

    try:
        with ScratchServer(SERVER, memory=BACKEND_MEMORY) as server:
            address = server.dsn(unix=True)
            provision(address, _DATABASE, tables_of(lake))
            yield make_conninfo(address, user=READER, dbname=_DATABASE, password="")
    except (ServerUnavailable, psycopg.Error) as error:
        raise LakeError(f"the server behind the lake does not start: {error}", sqlstate="57P03") from error


def answered(lake: Lake, dsn: str, sql: str, mode: Mode, threshold: float) -> Answer:
    """`Lake.query`, every expression read as PostgreSQL reads it.

    :raises LakeError: with PostgreSQL's SQLSTATE; one of what does not exist where a resolution is refused.
    """
    shadow = Shadow(dsn)
    try:
        bound = Binding(lake, shadow).bind(Asked(sql, (), mode == "resolve", threshold))
    except SqlError as error:
        raise LakeError(error.message, hint=error.hint, sqlstate=error.sqlstate) from error
    finally:
        shadow.close()
    prepared = bound.prepared
    rows = _read(lake, dsn, prepared.query, prepared.columns)
    if bound.answer is not None:
        return Answer(bound.answer, rows)
    doubts = tuple(as_letters(lake.index, lake.resolver.parse, sql))
    return Answer(Resolution("bound", sql, sql, 1.0, doubts=doubts), rows)


def _read(lake: Lake, dsn: str, query: object, columns: Sequence[ResultColumn]) -> Rows:
    running: Any
    match query:
        case Plan():
            running = Finishing(lake.database, dsn)
        case Explanation():
            running = Explaining(lake.database, dsn)
        case _:
            running = lake.database.query()
    found: list[tuple[Any, ...]] = []
    try:
        running.begin(query, ())
        while batch := running.take(_BATCH):
            found += batch
    finally:
        running.close()
    if isinstance(query, Plan):
        readers = [_READ.get(column.type_oid, str) for column in columns]
        found = [
            tuple(None if v is None else read(v) for read, v in zip(readers, row, strict=True))
            for row in found
        ]
    return Rows(tuple(c.name for c in columns), tuple(str(c.type_oid) for c in columns), found)
