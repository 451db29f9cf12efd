"""The runner of generated queries on PostgreSQL: judged by `rewright.ask.safety`, run by
`rewright.ask.execution`.

Owns that no query takes another way. One connection serves several threads in turn. Must not know who made a
query.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import Any

import psycopg

from rewright.ask.execution import Execution, Limits, Rows
from rewright.ask.safety import Rules, check


@dataclass(slots=True)
class PostgresRunner:
    """Runs as the connection's role."""

    connection: psycopg.Connection[Any]
    rules: Rules
    limits: Limits = field(default_factory=Limits)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, sql: str, *, rows: int | None = None, seconds: float | None = None) -> Rows:
        """Raises Refused or ExecutionError."""
        checked = check(sql, self.rules)
        limits = self.limits
        if rows is not None:
            limits = replace(limits, rows=min(rows, limits.rows))
        if seconds is not None:
            limits = replace(limits, seconds=min(seconds, limits.seconds))
        with self._lock:
            return Execution(self.connection, limits).run(checked)
