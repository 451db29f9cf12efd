"""Advice for one statement: of the planner's mistakes (`rewright.hints.advice`) and of proofs that a
constraint is missing for.

Owns the document of both. Must not know the command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.session import Limits, SessionError, Untrusted
from rewright.hints.recommend import Options, advised
from rewright.rewrite.adapters.postgres import PostgresDatabase
from rewright.rewrite.advising import Unlocking
from rewright.rewrite.agents.guard import parse_one
from rewright.rewrite.model import Deadline
from rewright.rewrite.ports import DatabaseError
from rewright.rewrite.promises import Promise
from rewright.sql.parsing import has_parameters

_KINDS = {"CREATE INDEX": "index", "CREATE STATISTICS": "statistics", "ANALYZE": "statistics"}


ADVICE_SECONDS = 10.0
"""What advice for one statement may take beside a search for rewrites."""


class Adviser:
    """Advice for statements that no rewrite was found for, in a session of its own; none where that cannot be
    had.

    ``limit``: seconds of one execution; ``budget``: for one statement; ``own``: see
    `rewright.engines.postgres.session.Session`, as for ``path``.
    """

    def __init__(self, dsn: str, limit: float, budget: float, *, own: bool, path: Sequence[str] = ()) -> None:
        self._dsn, self._limit, self._budget, self._own, self._path = dsn, limit, budget, own, path
        self._session: HintingSession | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._session is not None:
            self._session.close()
        self._session = None

    def running(self, sql: str) -> list[dict[str, Any]]:
        """Advice as `advice_for` lists it; the statement may be executed."""
        return self._advice(sql, execute=True)

    def planning(self, sql: str) -> list[dict[str, Any]]:
        """As `running`, by statistics and plans alone."""
        return self._advice(sql, execute=False)

    def words(self, sql: str, *, execute: bool) -> str:
        """What would help, in one line; empty where nothing is known to."""
        said = ["; ".join(one["statements"]) for one in self._advice(sql, execute=execute)]
        return f"would help: {'; '.join(said)}" if said else ""

    def _advice(self, sql: str, *, execute: bool) -> list[dict[str, Any]]:
        try:
            if self._session is None:
                limits = Limits(statement=self._limit)
                self._session = HintingSession(self._dsn, limits=limits, own=self._own, path=self._path)
            found = advice_for(self._session, sql, self._limit, self._budget, execute=execute)
        except SessionError:
            # a broken session is not used again; the next statement gets a new one
            self.__exit__()
            return []
        advice: list[dict[str, Any]] = found["advice"]
        return advice


def advice_for(
    session: HintingSession, sql: str, limit: float, budget: float, *, execute: bool
) -> dict[str, Any]:
    """``advice``: a list of ``{kind, statements, reason, …}``, most certain first; ``reason``: why there can
    be none.

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
        # other errors of the server are about this statement
        if session.connection.closed:
            raise
        return {"advice": [], "reason": str(error)}
    return {"advice": [*found, *([unlocked.to_json()] if unlocked else [])], "reason": ""}


def _document(statement: str, reason: str) -> dict[str, Any]:
    kind = next((kind for start, kind in _KINDS.items() if statement.startswith(start)), "other")
    # "; " between two statements of one piece of advice
    return {"kind": kind, "statements": statement.split("; "), "reason": reason}


def _unlocking(session: HintingSession, limit: float, *, execute: bool) -> Unlocking:
    def keeps(promise: Promise) -> bool | None:
        if not execute:
            return None
        try:
            run = session.run(promise.violation(), stop_after=limit)
        except SessionError:
            return None
        # stopped before its end it may still find one
        return run.rows == 0 if run.finished else None

    path = tuple(s for s in session.search_path() if s != "pg_catalog")
    database = PostgresDatabase(session, session.catalog, path)
    return Unlocking(session.catalog, database, keeps, path)
