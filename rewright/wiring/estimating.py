"""What a query that is held would cost: asked on connections that stay open, because somebody waits.

Owns one session of the optimiser's account for each database that was asked about. Must not know rewrites.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import psycopg

from rewright.engines.postgres.session import Limits, Session, SessionError
from rewright.engines.postgres.values import NO_VALUES, Values
from rewright.sql.parsing import has_parameters

# a plan that takes longer than this is not worth waiting for
EXPLAIN_SECONDS = 5.0
# sessions that are kept open: one for each database and each path that clients look names up in
_MOST_SESSIONS = 8

_Key = tuple[str, tuple[str, ...]]


class Estimator:
    """For several threads; one question at a time."""

    def __init__(self) -> None:
        self._sessions: dict[_Key, Session] = {}
        self._lock = threading.Lock()

    def work(self, dsn: str, sql: str, values: Values = NO_VALUES, path: Sequence[str] = ()) -> float:
        """The planner's cost with these values for parameters, subplans counted; ``path``: see `Session`.
        Raises SessionError, psycopg.Error.
        """
        key = dsn, tuple(path)
        with self._lock:
            try:
                return self._ask(key, sql, values)
            except (SessionError, psycopg.Error) as error:
                session = self._sessions.get(key)
                if session is not None and not session.connection.closed and not session.connection.broken:
                    raise
                # the server was restarted, or the connection cut: once more on a new one
                self._sessions.pop(key, None)
                # 42 and 22: the query itself is wrong, which a new connection would not mend
                if getattr(error, "sqlstate", "").startswith(("42", "22")):
                    raise
                return self._ask(key, sql, values)

    def close(self) -> None:
        with self._lock:
            for session in self._sessions.values():
                session.close()
            self._sessions.clear()

    def _ask(self, key: _Key, sql: str, values: Values) -> float:
        session = self._sessions.pop(key, None)
        if session is None:
            while len(self._sessions) >= _MOST_SESSIONS:
                self._sessions.pop(next(iter(self._sessions))).close()
            dsn, path = key
            session = Session(dsn, limits=Limits(statement=EXPLAIN_SECONDS), path=path)
        self._sessions[key] = session  # last: the one that was used longest ago is the first to go
        session.bind(sql, values)
        return session.explain(sql, generic=has_parameters(sql)).work
