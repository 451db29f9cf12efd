"""Plans for all values of a statement's parameters, on every server: EXPLAIN (GENERIC_PLAN) is PostgreSQL
16's.

Before it, a prepared statement under ``plan_cache_mode = force_generic_plan`` has the same plan (manual,
PREPARE, "Notes"); the values given to EXECUTE then play no part. Works in the transaction that is open; the
caller rolls it back.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn, PGresult

GENERIC_PLAN_SINCE = 160000
# one that an error left behind, whose transaction could not take it away, is in nobody's way
_NUMBERS = itertools.count(1)


def explain_generic(connection: PGconn, statement: str, options: Sequence[str]) -> PGresult:
    """The result of EXPLAIN of ``statement``, which has parameters: rows, or the server's error."""
    name = f"rewright_generic_{next(_NUMBERS)}".encode()
    parsed = connection.prepare(name, statement.encode())
    if parsed.status != ExecStatus.COMMAND_OK:
        return parsed
    count = connection.describe_prepared(name).nparams
    values = b"(" + b", ".join([b"null"] * count) + b")" if count else b""
    connection.exec_(b"set local plan_cache_mode = force_generic_plan")
    explained = connection.exec_(b"explain (" + ", ".join(options).encode() + b") execute " + name + values)
    connection.exec_(b"deallocate " + name)
    return explained
