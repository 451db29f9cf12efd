"""Advice for one statement: of the planner's mistakes (`rewright.hints.advice`) and of proofs that a constraint is missing for.

Owns the document of both. Must not know the command line.
"""

from __future__ import annotations

from typing import Any

from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.session import SessionError, Untrusted
from rewright.hints.recommend import Options, advised
from rewright.rewrite.adapters.postgres import PostgresDatabase
from rewright.rewrite.advising import Column, Unlocking
from rewright.rewrite.agents.guard import parse_one
from rewright.rewrite.model import Deadline
from rewright.rewrite.ports import DatabaseError
from rewright.sql.parsing import has_parameters

_KINDS = {"CREATE INDEX": "index", "CREATE STATISTICS": "statistics", "ANALYZE": "statistics"}


def advice_for(
    session: HintingSession, sql: str, limit: float, budget: float, *, execute: bool
) -> dict[str, Any]:
    """``advice``: a list of ``{kind, statements, reason, …}``, most certain first; ``reason``: why there can be none.

    Raises SessionError when the connection is gone.
    """
    statement = parse_one(sql)
    if isinstance(statement, str):
        return {"advice": [], "reason": statement}
    # parameters have no values to run it with
    options = Options(
        run_seconds=limit, budget_seconds=budget / 2, execute=execute and not has_parameters(sql)
    )
    try:
        session.require_trusted(sql)
        if not has_parameters(sql):
            session.explain(sql)  # what can't be planned is told
        found = [_document(one.statement, one.reason) for one in advised(session, sql, options)]
        unlocked = _unlocking(session, limit, execute=execute).look(sql, Deadline.after(budget / 2))
    except (Untrusted, DatabaseError) as error:
        return {"advice": [], "reason": str(error)}
    except SessionError as error:
        if session.connection.closed:
            raise
        return {"advice": [], "reason": str(error)}
    return {"advice": [*found, *([unlocked.to_json()] if unlocked else [])], "reason": ""}


def _document(statement: str, reason: str) -> dict[str, Any]:
    kind = next((kind for start, kind in _KINDS.items() if statement.startswith(start)), "other")
    return {"kind": kind, "statements": statement.split("; "), "reason": reason}


def _unlocking(session: HintingSession, limit: float, *, execute: bool) -> Unlocking:
    def keeps(column: Column) -> bool | None:
        if not execute:
            return None
        try:
            run = session.run(column.violation(), stop_after=limit)
        except SessionError:
            return None
        return run.rows == 0 if run.finished else None

    path = tuple(s for s in session.search_path() if s != "pg_catalog")
    database = PostgresDatabase(session, session.catalog, path)
    return Unlocking(session.catalog, database, keeps, path)
