"""A lake's queries answered for who asks without the protocol: the command line. They mean what they mean in
a session.

Owns the server behind one lake for as long as a command runs, and making an answer of what a session's
binding gives. It blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import make_conninfo

from rewright.engines.duckdb.errors import LakeError
from rewright.lake.api import Lake, Mode
from rewright.lake.resolve.letters import as_letters
from rewright.lake.resolve.resolution import Answer, Resolution
from rewright.proxy.ports import SqlError
from rewright.wiring.lake_binding import Asked, Binding
from rewright.wiring.lake_reading import read
from rewright.wiring.lake_shadow import Shadow
from rewright.wiring.shadows import tables_of

_DATABASE = "lake"


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
    rows = read(lake, dsn, prepared.query, prepared.columns)
    if bound.answer is not None:
        return Answer(bound.answer, rows)
    doubts = tuple(as_letters(lake.index, lake.resolver.parse, sql))
    return Answer(Resolution("bound", sql, sql, 1.0, doubts=doubts), rows)
