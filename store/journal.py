"""What clients did: the log, the queries seen, the sessions. Must not know rewrites' lives."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Engine, RowMapping, case, delete, insert, select, update

from rewright.store import schema
from rewright.store.connection import transaction, upsert
from rewright.store.outcomes import SLOW, logged_text
from rewright.store.records import LogEntry, Options, QuerySeen, QueryStatus, SessionSeen
from rewright.store.rows import record_of, without_nul

# keys in one statement
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Log:
    """One line for each query something was done with, or that was slow."""

    engine: Engine
    options: Options

    def add(self, entries: Sequence[LogEntry]) -> None:
        rows = [self._row(entry) for entry in entries]
        if rows:
            with transaction(self.engine, write=True) as connection:
                connection.execute(insert(schema.LOG), rows)

    def read(
        self, *, since: float = 0.0, after_id: int = 0, database: str | None = None, limit: int = 1000
    ) -> Sequence[LogEntry]:
        """The newest ``limit`` entries at or after ``since`` and numbered above
        ``after_id``, oldest first.
        """
        table = schema.LOG
        statement = (
            select(table)
            .where(table.c.at >= since, table.c.id > after_id)
            .order_by(table.c.id.desc())
            .limit(limit)
        )
        if database is not None:
            statement = statement.where(table.c.database == database)
        with transaction(self.engine, write=False) as connection:
            rows = connection.execute(statement).mappings().all()
            return entries_of(connection, rows[::-1])

    def _row(self, entry: LogEntry) -> dict[str, Any]:
        row = asdict(entry)
        del row["id"]
        if not self.options.literals:
            # the text as it was sent holds literals; the template holds none
            row["query"] = row["template"]
        return _clean(row, self.options.text_limit)


@dataclass(frozen=True, slots=True)
class Queries:
    """Templates of slow queries, with counts and durations, by role."""

    engine: Engine
    options: Options

    def record(self, seen: Sequence[QuerySeen]) -> None:
        """Add executions to what is known; ``status`` and ``reason`` of known ones stay."""
        if not seen:
            return
        with transaction(self.engine, write=True) as connection:
            for query in seen:
                self._add(connection, query)

    def set_status(self, database: str, template_key: str, status: QueryStatus, reason: str = "") -> None:
        """What became of a template, with the reason why."""
        table = schema.QUERIES
        with transaction(self.engine, write=True) as connection:
            connection.execute(
                update(table)
                .where(table.c.database == database, table.c.template_key == template_key)
                .values(status=status, reason=without_nul(reason, self.options.text_limit))
            )

    def outcome(self, database: str, template_key: str) -> tuple[str, str]:
        """(status, reason) of a template, whoever's execution it was found out with; ``new`` where nothing is
        known yet.
        """
        table = schema.QUERIES
        statement = select(table.c.status, table.c.reason).where(
            table.c.database == database, table.c.template_key == template_key
        )
        with transaction(self.engine, write=False) as connection:
            rows = connection.execute(statement).all()
        return next(((str(s), str(r)) for s, r in rows if s != "new"), ("new", ""))

    def read(self, *, database: str | None = None, limit: int = 1000) -> Sequence[QuerySeen]:
        """Those that took the most time in all, first."""
        table = schema.QUERIES
        statement = select(table).order_by(table.c.total_ms.desc()).limit(limit)
        if database is not None:
            statement = statement.where(table.c.database == database)
        with transaction(self.engine, write=False) as connection:
            rows = connection.execute(statement).mappings()
            return [record_of(QuerySeen, row) for row in rows]

    def _add(self, connection: Connection, query: QuerySeen) -> None:
        row = _clean(asdict(query), self.options.text_limit)
        row["last_at"] = query.last_at or time.time()
        row["first_at"] = row["last_at"]
        if not self.options.literals:
            row["example"] = row["template"]
        table = schema.QUERIES
        statement = upsert(connection)(table).values(row)
        new = statement.excluded
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["database", "role", "template_key"],
                set_={
                    "calls": table.c.calls + new.calls,
                    "total_ms": table.c.total_ms + new.total_ms,
                    # SQLite's max() of two values and PostgreSQL's greatest() have no common name
                    "max_ms": case((new.max_ms > table.c.max_ms, new.max_ms), else_=table.c.max_ms),
                    "last_at": new.last_at,
                    "example": new.example,
                },
            )
        )


@dataclass(frozen=True, slots=True)
class Sessions:
    """The client sessions, as each worker last reported its own."""

    engine: Engine

    def replace(self, worker: str, sessions: Sequence[SessionSeen]) -> None:
        table = schema.SESSIONS
        with transaction(self.engine, write=True) as connection:
            connection.execute(delete(table).where(table.c.worker == worker))
            if sessions:
                connection.execute(insert(table), [asdict(session) for session in sessions])

    def read(self) -> Sequence[SessionSeen]:
        table = schema.SESSIONS
        with transaction(self.engine, write=False) as connection:
            rows = connection.execute(select(table).order_by(table.c.started_at)).mappings()
            return [record_of(SessionSeen, row) for row in rows]


def entries_of(connection: Connection, rows: Sequence[RowMapping]) -> Sequence[LogEntry]:
    """Rows of the log as entries, in their order; of a slow query with what became of its template since."""
    told = _outcomes(connection, [row for row in rows if row["reason"] == SLOW])
    return [record_of(LogEntry, _with_outcome(row, told)) for row in rows]


def _with_outcome(row: RowMapping, told: Mapping[tuple[str, str], str]) -> Mapping[str, Any]:
    if row["reason"] != SLOW:
        return dict(row)
    return {**row, "reason": told.get((row["database"], row["template_key"]), SLOW)}


def _outcomes(connection: Connection, slow: Sequence[RowMapping]) -> Mapping[tuple[str, str], str]:
    """What became of the templates of log entries, by database and key."""
    table, found = schema.QUERIES, dict[tuple[str, str], str]()
    keys = sorted({str(row["template_key"]) for row in slow})
    for at in range(0, len(keys), _AT_ONCE):
        statement = select(table.c.database, table.c.template_key, table.c.status, table.c.reason)
        rows = connection.execute(statement.where(table.c.template_key.in_(keys[at : at + _AT_ONCE])))
        for database, key, status, reason in rows:
            # rows of several roles: one that says what became of it goes before one that does not
            if status != "new" or (database, key) not in found:
                found[database, key] = logged_text(status, reason)
    return found


def _clean(row: dict[str, Any], limit: int) -> dict[str, Any]:
    return {
        name: without_nul(value, limit) if isinstance(value, str) else value for name, value in row.items()
    }
