"""The tables of the store, the same for SQLite and PostgreSQL. Must not know who reads them."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()

# SQLite numbers rows only in a column declared exactly INTEGER
# BIGINT PRIMARY KEY would be no rowid, and not numbered
Id = BigInteger().with_variant(Integer, "sqlite")


def _text(name: str) -> Column[str]:
    # never NULL: an empty text is "not known"
    return Column(name, Text, nullable=False, server_default="")


def _json(name: str) -> Column[object]:
    return Column(name, JSON, nullable=True)


REWRITES = Table(
    "rewrites",
    METADATA,
    Column("id", Id, primary_key=True, autoincrement=True),
    # digest of what makes two proposals the same one
    Column("identity", String(64), nullable=False, unique=True),
    _text("database"),
    _text("template_key"),
    _text("template"),
    _text("original"),
    _text("replacement"),
    _text("hints"),
    _text("scope"),
    _json("literals"),
    _json("parameters"),
    _text("level"),
    _json("modulo"),
    _json("evidence"),
    _json("guard"),
    _json("signature"),
    _json("plans"),
    _json("sources"),
    _text("search_path"),
    _text("fingerprint"),
    Column("queryid", BigInteger, nullable=True),
    Column("cost_before", Float, nullable=True),
    Column("cost_after", Float, nullable=True),
    _text("catalog_digest"),
    _text("server_version"),
    _text("checker_version"),
    _text("role"),
    _text("state"),
    Column("approved", Boolean, nullable=False),
    _text("reason"),
    _text("changed_by"),
    Column("created_at", Float, nullable=False),
    Column("changed_at", Float, nullable=False),
    Column("original_ms", Float, nullable=True),
    Column("replacement_ms", Float, nullable=True),
    Column("served", BigInteger, nullable=False, server_default="0"),
    Index("rewrites_by_key", "database", "template_key"),
    Index("rewrites_by_state", "state", "changed_at"),
)

EVENTS = Table(
    "events",
    METADATA,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    Column("rewrite_id", BigInteger, nullable=True),
    _text("job"),
    _text("step"),
    _json("detail"),
    Index("events_by_rewrite", "rewrite_id", "id"),
    Index("events_by_job", "job", "id"),
)

LOG = Table(
    "log",
    METADATA,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    _text("database"),
    _text("role"),
    # one per query: a line of the proxy's log
    _text("client"),
    _text("application_name"),
    _text("session"),
    _text("query"),
    _text("template"),
    _text("template_key"),
    _text("route"),
    _text("reason"),
    Column("rewrite_id", BigInteger, nullable=True),
    Column("duration_ms", Float, nullable=True),
    Column("overhead_ms", Float, nullable=True),
    _text("sqlstate"),
    # the route too: what a day was made of is counted without reading texts
    Index("log_by_time_route", "at", "route"),
)

QUERIES = Table(
    "queries",
    METADATA,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("database", String, nullable=False),
    Column("role", String, nullable=False),
    Column("template_key", String, nullable=False),
    _text("template"),
    _text("example"),
    Column("calls", BigInteger, nullable=False),
    Column("total_ms", Float, nullable=False),
    Column("max_ms", Float, nullable=False),
    Column("first_at", Float, nullable=False),
    Column("last_at", Float, nullable=False),
    _text("status"),
    _text("reason"),
    # counted per role: what one role sees of another's queries is nobody's business
    UniqueConstraint("database", "role", "template_key", name="queries_once"),
    Index("queries_by_time", "last_at"),
)

TIMINGS = Table(
    "timings",
    METADATA,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("rewrite_id", BigInteger, nullable=False),
    _text("side"),
    Column("duration_ms", Float, nullable=False),
    Column("cpu_ms", Float, nullable=True),
    _text("source"),
    Column("at", Float, nullable=False),
    _text("role"),
    Index("timings_by_rewrite", "rewrite_id", "side", "id"),
)

# how often each rewrite was served, by day (days since the epoch, UTC)
SERVED = Table(
    "served",
    METADATA,
    Column("rewrite_id", BigInteger, primary_key=True, autoincrement=False),
    Column("day", BigInteger, primary_key=True, autoincrement=False),
    Column("count", BigInteger, nullable=False),
    Index("served_by_day", "day"),
)

DOUBTS = Table(
    "doubts",
    METADATA,
    Column("rewrite_id", BigInteger, primary_key=True, autoincrement=False),
    Column("role", String, primary_key=True),
    _text("kind"),
    _text("sqlstate"),
    Column("count", BigInteger, nullable=False),
    Column("at", Float, nullable=False),
    Column("until", Float, nullable=False),
)

RESOLUTIONS = Table(
    "resolutions",
    METADATA,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    _text("database"),
    _text("role"),
    _text("query"),
    _text("resolved"),
    _json("mapping"),
    _json("evidence"),
    Column("confidence", Float, nullable=False),
    Column("accepted", Boolean, nullable=False),
    Index("resolutions_by_database", "database", "id"),
)

# what each table was worth in a search for tables that predict a column better
AUGMENTATIONS = Table(
    "augmentations",
    METADATA,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    _text("database"),
    _text("role"),
    _text("base"),
    _text("target"),
    # TABLE is a word of SQL
    _text("added"),
    _text("join_path"),
    _json("columns"),
    Column("gain", Float, nullable=False),
    Column("low", Float, nullable=False),
    Column("high", Float, nullable=False),
    Column("recommended", Boolean, nullable=False),
    _text("selector"),
    Index("augmentations_by_role", "database", "role", "id"),
)

# views that users made over a lake, each for its maker alone
LAKE_VIEWS = Table(
    "lake_views",
    METADATA,
    Column("database", String, primary_key=True),
    Column("role", String, primary_key=True),
    # in lower case
    Column("name", String, primary_key=True),
    _text("definition"),
    Column("at", Float, nullable=False),
)

LESSONS = Table(
    "lessons",
    METADATA,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    _text("kind"),
    _text("subject"),
    _text("text"),
    _json("evidence"),
    Index("lessons_by_subject", "kind", "subject"),
)

ASKS = Table(
    "asks",
    METADATA,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    _text("database"),
    _text("role"),
    # digest of all that the answer depends on: another role, catalog or model has another
    _text("key"),
    _text("question"),
    _text("sql"),
    _text("reading"),
    Column("confidence", Float, nullable=False),
    _text("refused"),
    _text("error"),
    Column("tokens", BigInteger, nullable=False),
    Column("money", Float, nullable=True),
    Column("seconds", Float, nullable=False),
    _json("trajectory"),
    _text("corrected"),
    _text("corrected_by"),
    Index("asks_by_key", "key", "id"),
    Index("asks_by_database", "database", "id"),
)

# questions whose query a person found right, or wrote
VALIDATED_QUESTIONS = Table(
    "validated_questions",
    METADATA,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    Column("database", String, nullable=False),
    # the question without what does not matter (case, blanks): once in a database
    Column("normalized", String, nullable=False),
    _text("question"),
    _text("sql"),
    _text("evidence"),
    _text("reading"),
    _text("validated_by"),
    UniqueConstraint("database", "normalized", name="validated_once"),
)

ASK_LESSONS = Table(
    "ask_lessons",
    METADATA,
    Column("id", Id, primary_key=True, autoincrement=True),
    Column("at", Float, nullable=False),
    _text("database"),
    _text("stage"),
    _text("text"),
    _text("question"),
    _text("status"),
    Column("version", BigInteger, nullable=False),
    _text("reason"),
    _text("changed_by"),
    _text("role"),
    Index("ask_lessons_by_database", "database", "id"),
)

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("session", String, primary_key=True),
    Column("worker", String, nullable=False),
    _text("database"),
    _text("role"),
    _text("client"),
    _text("application_name"),
    _text("mode"),
    _text("trust"),
    Column("started_at", Float, nullable=False),
    _text("last_route"),
    _text("last_reason"),
    _text("state"),
    _text("server"),
    Index("sessions_by_worker", "worker"),
)

SWITCHES = Table(
    "switches",
    METADATA,
    Column("name", String, primary_key=True),
    _text("value"),
    _text("changed_by"),
    Column("changed_at", Float, nullable=False),
)

REVISION = Table(
    "revision",
    METADATA,
    Column("name", String, primary_key=True),
    Column("value", BigInteger, nullable=False),
)
