"""The relations ``rewright.*``: their columns, what they mean, and who sees what.

Owns the documentation's tables (docs/reference/relations.md is made from here). Must not know how a query
over them is evaluated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, get_args

from rewright.proxy.ports import SessionView
from rewright.store.api import Store
from rewright.store.life import Level, State
from rewright.store.records import (
    AskSeen,
    Augmentation,
    LessonStatus,
    LogEntry,
    QuerySeen,
    QueryStatus,
    Rewrite,
    Route,
    SessionSeen,
)

HIDDEN = "<insufficient privilege>"
BOOL, INT8, TEXT, FLOAT8, TIMESTAMPTZ = 16, 20, 25, 701, 1184
# rows of a relation at most, the newest
LIMIT = 10_000

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RelationColumn:
    """``private``: other roles' texts are hidden from who is no admin."""

    name: str
    type_oid: int
    meaning: str
    private: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """``own_rows``: roles that are not admins see only their own rows."""

    name: str
    meaning: str
    columns: tuple[RelationColumn, ...]
    own_rows: bool = False


def _c(name: str, type_oid: int, meaning: str, *, private: bool = False) -> RelationColumn:
    return RelationColumn(name, type_oid, meaning, private)


RELATIONS: tuple[Relation, ...] = (
    Relation(
        "log",
        "what was done with queries, the newest 10,000",
        (
            _c("id", INT8, "number of the entry"),
            _c("log_time", TIMESTAMPTZ, "when"),
            _c("database", TEXT, "name the client connected to"),
            _c("role", TEXT, "user name"),
            _c("client", TEXT, "address", private=True),
            _c("application_name", TEXT, "as the client said", private=True),
            _c("query", TEXT, "text as sent", private=True),
            _c("route", TEXT, ", ".join(get_args(Route))),
            _c("reason", TEXT, "why that route", private=True),
            _c("rewrite_id", INT8, "the rewrite, if one was known"),
            _c("duration_ms", FLOAT8, "time of the execution"),
            _c("overhead_ms", FLOAT8, "time Rewright added before it"),
            _c("sqlstate", TEXT, "of the error, if there was one"),
        ),
    ),
    Relation(
        "rewrites",
        "rewrites with their evidence and life",
        (
            _c("id", INT8, "number, for CALL rewright.approve() and others"),
            _c("database", TEXT, "where it holds"),
            _c("role", TEXT, "whose query it was found for"),
            _c("state", TEXT, ", ".join(State)),
            _c("approved", BOOL, "by a person"),
            _c("verdict", TEXT, ", ".join(Level)),
            _c("modulo", TEXT, "reservations of the verdict"),
            _c("scope", TEXT, "any literals, or these"),
            _c("original", TEXT, "text it stands for", private=True),
            _c("replacement", TEXT, "text that runs", private=True),
            _c("hints", TEXT, "pg_hint_plan's comment", private=True),
            _c("sources", TEXT, "who proposed it"),
            _c("reason", TEXT, "of the last change", private=True),
            _c("changed_by", TEXT, "who changed it last"),
            _c("created_at", TIMESTAMPTZ, "when found"),
            _c("changed_at", TIMESTAMPTZ, "of the last change"),
            _c("cost_before", FLOAT8, "planner's estimate"),
            _c("cost_after", FLOAT8, "likewise"),
            _c("original_ms", FLOAT8, "median of measured runs"),
            _c("replacement_ms", FLOAT8, "likewise"),
            _c("served", INT8, "executions"),
            _c("queryid", INT8, "the server's, of the original"),
        ),
    ),
    Relation(
        "queries",
        "slow queries by template and role, and what became of them",
        (
            _c("database", TEXT, "name the client connected to"),
            _c("role", TEXT, "user name"),
            _c("query", TEXT, "with placeholders for literals", private=True),
            _c("example", TEXT, "the last one seen", private=True),
            _c("calls", INT8, "slow executions, of more than 20 a second of one text on a worker these"),
            _c("total_ms", FLOAT8, "their time in all"),
            _c("max_ms", FLOAT8, "the longest"),
            _c("last_at", TIMESTAMPTZ, "the last one"),
            _c("status", TEXT, ", ".join(get_args(QueryStatus))),
            _c("reason", TEXT, "why not, or which rewrite", private=True),
        ),
    ),
    Relation(
        "sessions",
        "client sessions, as their workers last reported them",
        (
            _c("session", TEXT, "worker and backend"),
            _c("worker", TEXT, "process that relays it"),
            _c("database", TEXT, "name the client connected to"),
            _c("role", TEXT, "user name"),
            _c("client", TEXT, "address", private=True),
            _c("application_name", TEXT, "as the client said", private=True),
            _c("mode", TEXT, "rewright.mode"),
            _c("trust", TEXT, "rewright.trust"),
            _c("started_at", TIMESTAMPTZ, "when it connected"),
            _c("last_route", TEXT, "of its last query"),
            _c("last_reason", TEXT, "why that route"),
        ),
    ),
    Relation(
        "clients",
        "client connections of all workers, as each reported them within the last second; of admins all, of "
        "others their own",
        (
            _c("pid", INT8, "of the backend behind it, for CALL rewright.kill()"),
            _c("worker", TEXT, "process that relays it"),
            _c("database", TEXT, "name the client connected to"),
            _c("role", TEXT, "user name"),
            _c("state", TEXT, "as in pg_stat_activity: active, idle, idle in transaction"),
            _c("client", TEXT, "address"),
            _c("application_name", TEXT, "as the client said"),
            _c("connect_time", TIMESTAMPTZ, "when it connected"),
        ),
        own_rows=True,
    ),
    Relation(
        "servers",
        "connections to PostgreSQL: one for each client connection",
        (
            _c("pid", INT8, "of the backend"),
            _c("worker", TEXT, "process that holds it"),
            _c("database", TEXT, "name the client connected to"),
            _c("role", TEXT, "user name of the client"),
            _c("state", TEXT, "as of its client"),
            _c("server", TEXT, "host and port"),
            _c("connect_time", TIMESTAMPTZ, "when its client connected"),
        ),
        own_rows=True,
    ),
    Relation(
        "pools",
        "connections by database and role; Rewright pools nothing, so there are as many servers as clients",
        (
            _c("database", TEXT, "name clients connected to"),
            _c("role", TEXT, "user name"),
            _c("cl_active", INT8, "clients in a statement or a transaction"),
            _c("cl_idle", INT8, "clients that do nothing"),
            _c("sv_active", INT8, "servers of active clients"),
            _c("sv_idle", INT8, "servers of idle ones"),
            _c("workers", INT8, "processes that hold them"),
        ),
        own_rows=True,
    ),
    Relation(
        "stats",
        "sums by database and role: what was slow, and what was served",
        (
            _c("database", TEXT, "name clients connected to"),
            _c("role", TEXT, "user name; of rewrites, whose query each was found for"),
            _c("slow_query_count", INT8, "executions that were slow"),
            _c("slow_query_time_ms", FLOAT8, "their time in all"),
            _c("max_query_time_ms", FLOAT8, "the longest"),
            _c("rewrites", INT8, "active and pinned"),
            _c("served_count", INT8, "executions of them"),
        ),
        own_rows=True,
    ),
    Relation(
        "settings",
        "the settings of this session",
        (
            _c("name", TEXT, "rewright.mode and others"),
            _c("setting", TEXT, "value in this session"),
            _c("boot_val", TEXT, "built-in default"),
            _c("allowed", TEXT, "values"),
            _c("short_desc", TEXT, "meaning"),
        ),
    ),
    Relation(
        "knowledge",
        "rewrite knowledge units",
        (
            _c("title", TEXT, "name of the unit"),
            _c("category", TEXT, "join, predicate, cte, constant, others"),
            _c("text", TEXT, "what it says"),
            _c("source", TEXT, "where it is from"),
        ),
    ),
    Relation(
        "asks",
        "questions asked with ASK and what became of them, the newest 10,000",
        (
            _c("id", INT8, "number, for CALL rewright.correct_ask() and validate_ask()"),
            _c("asked_at", TIMESTAMPTZ, "when"),
            _c("database", TEXT, "name the client connected to"),
            _c("role", TEXT, "who asked"),
            _c("question", TEXT, "as asked", private=True),
            _c("sql", TEXT, "the query it became; empty: none", private=True),
            _c("reading", TEXT, "what it was taken to mean", private=True),
            _c("confidence", FLOAT8, "of the reading, 0 to 1"),
            _c("refused", TEXT, "why there is no query", private=True),
            _c("error", TEXT, "what failed", private=True),
            _c("tokens", INT8, "that models used"),
            _c("money", FLOAT8, "US dollars; null: not known"),
            _c("seconds", FLOAT8, "that the reading took"),
            _c("trajectory", TEXT, "the steps that led there, as JSON", private=True),
            _c("corrected", TEXT, "the query that a person gave for it", private=True),
            _c("corrected_by", TEXT, "who"),
        ),
    ),
    Relation(
        "validated_questions",
        "questions whose query a person found right: asked again, they get it",
        (
            _c("id", INT8, "number, for CALL rewright.forget_question()"),
            _c("validated_at", TIMESTAMPTZ, "when"),
            _c("database", TEXT, "where it holds"),
            _c("role", TEXT, "who found it right"),
            _c("question", TEXT, "as asked", private=True),
            _c("sql", TEXT, "its query", private=True),
        ),
    ),
    Relation(
        "lessons",
        "what reading questions over a database has taught, a sentence for one stage each",
        (
            _c("id", INT8, "number, for CALL rewright.remove_lesson()"),
            _c("changed_at", TIMESTAMPTZ, "when it was proposed"),
            _c("database", TEXT, "where it holds"),
            _c("role", TEXT, "whose question taught it, and for whom alone it counts"),
            _c("stage", TEXT, "schema, values, aggregation, predicates, sql"),
            _c("text", TEXT, "the lesson", private=True),
            _c("question", TEXT, "the one that taught it", private=True),
            _c("status", TEXT, ", ".join(get_args(LessonStatus))),
            _c("version", INT8, "of the database's instructions when it was last changed"),
            _c("reason", TEXT, "of the last change", private=True),
            _c("changed_by", TEXT, "who changed it last; empty: ASK LEARN"),
        ),
    ),
    Relation(
        "augmentations",
        "what tables were worth in searches of AUGMENT",
        (
            _c("id", INT8, "number of the entry"),
            _c("search_time", TIMESTAMPTZ, "when"),
            _c("database", TEXT, "the lake"),
            _c("role", TEXT, "who searched"),
            _c("base_table", TEXT, "table that was to be augmented"),
            _c("target", TEXT, "its column that was to be predicted"),
            _c("added_table", TEXT, "the table that was judged"),
            _c("join_path", TEXT, "how it was joined"),
            _c("added_columns", TEXT, "features of it that were added"),
            _c("gain", FLOAT8, "in R²; of tables that were not chosen the estimate for each alone"),
            _c("gain_low", FLOAT8, "lower end of its 95 % interval"),
            _c("gain_high", FLOAT8, "upper end"),
            _c("recommended", BOOL, "whether the gain beats its interval"),
            _c("selector", TEXT, "how was searched"),
        ),
        own_rows=True,
    ),
    Relation(
        "lake_tables",
        "tables of the lake this session is connected to",
        (
            _c("name", TEXT, "table"),
            _c("path", TEXT, "file; for admins only"),
            _c("columns", TEXT, "names of its columns"),
            _c("row_count", INT8, "rows"),
        ),
    ),
)
BY_NAME: Mapping[str, Relation] = {relation.name: relation for relation in RELATIONS}


def stored_rows(relation: str, store: Store, session: SessionView) -> Sequence[Row] | None:
    """The rows of a relation that is in the store, of the session's database or of all; None when it is not
    there.

    Raises StoreError.
    """
    reader = _READERS.get(relation)
    if reader is None:
        return None
    rows = reader(store, None if session.everywhere else session.database)
    if BY_NAME[relation].own_rows:
        return [row for row in rows if session.is_admin or row["role"] == session.role]
    return [_censored(BY_NAME[relation], row, session) for row in rows]


def _censored(relation: Relation, row: Row, session: SessionView) -> Row:
    if session.is_admin or row["role"] == session.role:
        return row
    hidden = {column.name for column in relation.columns if column.private}
    return {name: HIDDEN if name in hidden and value else value for name, value in row.items()}


def _at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _log(store: Store, database: str | None) -> Sequence[Row]:
    return [_log_row(entry) for entry in store.log.read(database=database, limit=LIMIT)]


def _log_row(entry: LogEntry) -> Row:
    return {
        "id": entry.id,
        "log_time": _at(entry.at),
        "database": entry.database,
        "role": entry.role,
        "client": entry.client,
        "application_name": entry.application_name,
        "query": entry.query,
        "route": entry.route,
        "reason": entry.reason,
        "rewrite_id": entry.rewrite_id,
        "duration_ms": entry.duration_ms,
        "overhead_ms": entry.overhead_ms,
        "sqlstate": entry.sqlstate,
    }


def _rewrites(store: Store, database: str | None) -> Sequence[Row]:
    return [_rewrite_row(one) for one in store.rewrites.find(database=database, limit=LIMIT)]


def _rewrite_row(one: Rewrite) -> Row:
    proposal = one.proposal
    return {
        "id": one.id,
        "database": proposal.database,
        "role": proposal.role,
        "state": one.state.value,
        "approved": one.approved,
        "verdict": proposal.level.value,
        "modulo": ", ".join(proposal.modulo),
        "scope": proposal.scope,
        "original": proposal.original,
        "replacement": proposal.replacement,
        "hints": proposal.hints,
        "sources": ", ".join(proposal.sources),
        "reason": one.reason,
        "changed_by": one.changed_by,
        "created_at": _at(one.created_at),
        "changed_at": _at(one.changed_at),
        "cost_before": proposal.cost_before,
        "cost_after": proposal.cost_after,
        "original_ms": one.original_ms,
        "replacement_ms": one.replacement_ms,
        "served": one.served,
        "queryid": proposal.queryid,
    }


def _augmentations(store: Store, database: str | None) -> Sequence[Row]:
    return [_augmentation_row(one) for one in store.augmentations.read(database=database, limit=LIMIT)]


def _augmentation_row(one: Augmentation) -> Row:
    return {
        "id": one.id,
        "search_time": _at(one.at),
        "database": one.database,
        "role": one.role,
        "base_table": one.base,
        "target": one.target,
        "added_table": one.added,
        "join_path": one.join_path,
        "added_columns": ", ".join(one.columns),
        "gain": one.gain,
        "gain_low": one.low,
        "gain_high": one.high,
        "recommended": one.recommended,
        "selector": one.selector,
    }


def _queries(store: Store, database: str | None) -> Sequence[Row]:
    return [_query_row(one) for one in store.queries.read(database=database, limit=LIMIT)]


def _query_row(one: QuerySeen) -> Row:
    return {
        "database": one.database,
        "role": one.role,
        "query": one.template,
        "example": one.example,
        "calls": one.calls,
        "total_ms": one.total_ms,
        "max_ms": one.max_ms,
        "last_at": _at(one.last_at),
        "status": one.status,
        "reason": one.reason,
    }


def _sessions(store: Store, database: str | None) -> Sequence[Row]:
    return [_session_row(one) for one in _here(store, database)]


def _session_row(one: SessionSeen) -> Row:
    names = ("session", "worker", "database", "role", "client", "application_name", "mode", "trust")
    row: dict[str, Any] = {name: getattr(one, name) for name in names}
    row["started_at"] = _at(one.started_at)
    return row | {"last_route": one.last_route, "last_reason": one.last_reason}


def _here(store: Store, database: str | None) -> Sequence[SessionSeen]:
    return [one for one in store.sessions.read() if database in {None, one.database}]


def _common(one: SessionSeen) -> dict[str, Any]:
    names = ("pid", "worker", "database", "role", "state")
    return {name: getattr(one, name) for name in names} | {"connect_time": _at(one.started_at)}


def _clients(store: Store, database: str | None) -> Sequence[Row]:
    return [
        _common(one) | {"client": one.client, "application_name": one.application_name}
        for one in _here(store, database)
    ]


def _servers(store: Store, database: str | None) -> Sequence[Row]:
    return [_common(one) | {"server": one.server} for one in _here(store, database)]


def _pools(store: Store, database: str | None) -> Sequence[Row]:
    found: dict[tuple[str, str], list[SessionSeen]] = {}
    for one in _here(store, database):
        found.setdefault((one.database, one.role), []).append(one)
    return [_pool_row(*names, members) for names, members in sorted(found.items())]


def _pool_row(database: str, role: str, members: Sequence[SessionSeen]) -> Row:
    idle = sum(one.state == "idle" for one in members)
    active = len(members) - idle
    return {
        "database": database,
        "role": role,
        "cl_active": active,
        "cl_idle": idle,
        "sv_active": active,
        "sv_idle": idle,
        "workers": len({one.worker for one in members}),
    }


def _stats(store: Store, database: str | None) -> Sequence[Row]:
    queries: dict[tuple[str, str], list[QuerySeen]] = {}
    rewrites: dict[tuple[str, str], list[Rewrite]] = {}
    for one in store.queries.read(database=database, limit=LIMIT):
        queries.setdefault((one.database, one.role), []).append(one)
    for rewrite in store.rewrites.find(database=database, limit=LIMIT):
        rewrites.setdefault((rewrite.proposal.database, rewrite.proposal.role), []).append(rewrite)
    return [
        _stats_row(*names, queries.get(names, ()), rewrites.get(names, ()))
        for names in sorted({*queries, *rewrites})
    ]


def _stats_row(database: str, role: str, queries: Sequence[QuerySeen], rewrites: Sequence[Rewrite]) -> Row:
    return {
        "database": database,
        "role": role,
        "slow_query_count": sum(one.calls for one in queries),
        "slow_query_time_ms": sum((one.total_ms for one in queries), 0.0),
        "max_query_time_ms": max((one.max_ms for one in queries), default=0.0),
        "rewrites": sum(one.state in {State.ACTIVE, State.PINNED} for one in rewrites),
        "served_count": sum(one.served for one in rewrites),
    }


def _asks(store: Store, database: str | None) -> Sequence[Row]:
    return [_ask_row(one) for one in store.asks.read(database=database, limit=LIMIT)]


def _ask_row(one: AskSeen) -> Row:
    names = (
        "id",
        "database",
        "role",
        "question",
        "sql",
        "reading",
        "confidence",
        "refused",
        "error",
        "tokens",
    )
    row: dict[str, Any] = {name: getattr(one, name) for name in names}
    row |= {name: getattr(one, name) for name in ("money", "seconds", "corrected", "corrected_by")}
    told = "" if one.trajectory is None else json.dumps(one.trajectory, ensure_ascii=False)
    return row | {"asked_at": _at(one.at), "trajectory": told}


def _validated(store: Store, database: str | None) -> Sequence[Row]:
    return [
        {
            "id": one.id,
            "validated_at": _at(one.at),
            "database": one.database,
            "role": one.validated_by,
            "question": one.question,
            "sql": one.sql,
        }
        for one in store.validated.read(database=database, limit=LIMIT)
    ]


def _lessons(store: Store, database: str | None) -> Sequence[Row]:
    names = (
        "id", "database", "role", "stage", "text", "question", "status", "version", "reason", "changed_by"
    )  # fmt: skip
    return [
        {name: getattr(one, name) for name in names} | {"changed_at": _at(one.at)}
        for one in store.ask_lessons.read(database=database, limit=LIMIT)
    ]


_READERS: Mapping[str, Callable[[Store, str | None], Sequence[Row]]] = {
    "log": _log,
    "rewrites": _rewrites,
    "queries": _queries,
    "asks": _asks,
    "validated_questions": _validated,
    "lessons": _lessons,
    "augmentations": _augmentations,
    "sessions": _sessions,
    "clients": _clients,
    "servers": _servers,
    "pools": _pools,
    "stats": _stats,
}
