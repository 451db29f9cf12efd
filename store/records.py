"""What the store holds, as plain frozen records. Must not know how they are kept.

Times are seconds since the epoch (UTC); durations are milliseconds. JSON fields hold what
``json.dumps`` accepts; their contents belong to the package that writes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from rewright.store.life import Level, State

Json: TypeAlias = Any
Scope: TypeAlias = Literal["any", "these"]
# what was done with a query, as the log tells it; ``fallback``: the replacement failed, and the original ran
Route: TypeAlias = Literal["original", "rewritten", "fallback", "asked"]
# what became of a slow query's template
QueryStatus: TypeAlias = Literal["new", "rewritten", "nothing", "failed"]
LessonStatus: TypeAlias = Literal["proposed", "adopted", "removed"]
DoubtKind: TypeAlias = Literal["failed", "slow"]
# ``hinted`` and ``plain``: a replacement with its hints and without, on the optimiser's account
Side: TypeAlias = Literal["original", "replacement", "hinted", "plain"]


@dataclass(frozen=True, slots=True)
class NewRewrite:
    """A rewrite as the optimiser proposes it.

    ``template_key`` identifies the original's template (verbatim text with the literals out, their
    kinds and types, declared parameter types); ``template`` is its text, ``original`` the query it
    was found for. ``replacement`` is the text to send, with the same placeholders as ``template``
    where ``scope`` is ``any``. ``literals``: the values for which it holds where scope is ``these``.
    ``guard`` is what must hold in the client's session (names and OIDs, schema facts).
    """

    database: str
    template_key: str
    template: str
    original: str
    replacement: str
    hints: str = ""
    scope: Scope = "these"
    literals: tuple[str, ...] = ()
    parameters: Json = None
    level: Level = Level.UNKNOWN
    modulo: tuple[str, ...] = ()
    evidence: Json = None
    guard: Json = None
    signature: Json = None
    plans: Json = None
    sources: tuple[str, ...] = ()
    search_path: str = ""
    fingerprint: str = ""
    queryid: int | None = None
    cost_before: float | None = None
    cost_after: float | None = None
    catalog_digest: str = ""
    server_version: str = ""
    checker_version: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewrite as the store holds it: ``proposal`` plus its life."""

    id: int
    proposal: NewRewrite
    state: State
    approved: bool
    reason: str
    changed_by: str
    created_at: float
    changed_at: float
    original_ms: float | None = None
    replacement_ms: float | None = None
    served: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """One step of the state machine, or one change in the life of a rewrite."""

    rewrite_id: int | None
    job: str
    step: str
    detail: Json = None
    at: float = 0.0
    id: int = 0


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What was done with one query of a client, or why nothing."""

    at: float
    database: str
    role: str = ""
    client: str = ""
    application_name: str = ""
    session: str = ""
    query: str = ""
    template: str = ""
    template_key: str = ""
    route: Route = "original"
    reason: str = ""
    rewrite_id: int | None = None
    duration_ms: float | None = None
    overhead_ms: float | None = None
    sqlstate: str = ""
    id: int = 0


@dataclass(frozen=True, slots=True)
class QuerySeen:
    """Slow executions of one template by one role, to be added to what is known of it."""

    database: str
    role: str
    template_key: str
    template: str
    example: str = ""
    calls: int = 1
    total_ms: float = 0.0
    max_ms: float = 0.0
    last_at: float = 0.0
    status: QueryStatus = "new"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """One measured execution. ``source``: ``client`` or ``optimiser``; ``cpu_ms`` is the backend's."""

    rewrite_id: int
    side: Side
    duration_ms: float
    cpu_ms: float | None = None
    source: str = "client"
    at: float = 0.0
    # whose session it was; empty for the optimiser's own
    role: str = ""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What one role saw against a rewrite, ``count`` times, last ``at``; ``until`` then it is not served to
    that role.

    ``failed``: with ``sqlstate``, where the original did not fail, or could not be run. ``slow``: slower than
    the original.
    """

    rewrite_id: int
    role: str
    kind: DoubtKind
    sqlstate: str = ""
    count: int = 1
    at: float = 0.0
    until: float = 0.0


@dataclass(frozen=True, slots=True)
class Resolution:
    """How a lake query's imagined names map to real ones."""

    database: str
    query: str
    resolved: str
    mapping: Json = None
    evidence: Json = None
    confidence: float = 0.0
    role: str = ""
    accepted: bool = False
    at: float = 0.0
    id: int = 0


@dataclass(frozen=True, slots=True)
class Augmentation:
    """What one table was worth in one search: ``gain`` in R² for predicting ``target`` of ``base``, with its
    interval.
    """

    database: str
    role: str
    base: str
    target: str
    added: str
    join_path: str
    columns: tuple[str, ...]
    gain: float
    low: float
    high: float
    recommended: bool
    selector: str
    at: float = 0.0
    id: int = 0


@dataclass(frozen=True, slots=True)
class Lesson:
    """Something learned that later runs may use."""

    kind: str
    subject: str
    text: str
    evidence: Json = None
    at: float = 0.0
    id: int = 0


@dataclass(frozen=True, slots=True)
class AskSeen:
    """A question that was asked, and what became of it. ``key``: of all that the answer depends on; empty:
    not to be used again.

    ``trajectory``: the steps that led there, each a mapping. ``money`` in US dollars, None where a price is
    unknown.
    ``corrected``: the query a person gave for it.
    """

    database: str
    role: str
    question: str
    sql: str = ""
    reading: str = ""
    confidence: float = 0.0
    refused: str = ""
    error: str = ""
    tokens: int = 0
    money: float | None = 0.0
    seconds: float = 0.0
    trajectory: Json = None
    key: str = ""
    corrected: str = ""
    corrected_by: str = ""
    at: float = 0.0
    id: int = 0


@dataclass(frozen=True, slots=True)
class QuestionValidated:
    """A question whose query somebody found right. One for each question of a database, whatever its case and
    blanks.
    """

    database: str
    question: str
    sql: str
    evidence: str = ""
    reading: str = ""
    validated_by: str = ""
    at: float = 0.0
    id: int = 0


@dataclass(frozen=True, slots=True)
class AskLesson:
    """A sentence for one stage of reading questions over one database. ``status``: proposed, adopted or
    removed.

    ``version``: of the database's instructions when it was last changed; ``role``: whose question taught it,
    and for whom alone it counts.
    """

    database: str
    stage: str
    text: str
    question: str = ""
    status: LessonStatus = "proposed"
    version: int = 0
    reason: str = ""
    changed_by: str = ""
    role: str = ""
    at: float = 0.0
    id: int = 0


@dataclass(frozen=True, slots=True)
class SessionSeen:
    """A client session as its worker last reported it.

    ``state``: as in pg_stat_activity (``active``, ``idle``, ``idle in transaction``, …). ``server``: host and
    port behind it.
    """

    session: str
    worker: str
    database: str
    role: str
    client: str = ""
    application_name: str = ""
    mode: str = ""
    trust: str = ""
    started_at: float = 0.0
    last_route: str = ""
    last_reason: str = ""
    state: str = ""
    server: str = ""

    @property
    def pid(self) -> int:
        """Of its backend on the server; 0: not known."""
        number = self.session.rpartition(":")[2]
        return int(number) if number.isdigit() else 0


@dataclass(frozen=True, slots=True)
class Retention:
    """How much is kept. Rows beyond the counts or the age go, the oldest first."""

    days: float = 30.0
    log_rows: int = 200_000
    query_rows: int = 50_000
    event_rows: int = 200_000
    dead_rewrites: int = 10_000
    timings_per_rewrite: int = 200
    resolution_rows: int = 50_000
    ask_rows: int = 50_000
    augmentation_rows: int = 50_000


@dataclass(frozen=True, slots=True)
class Options:
    """``literals``: whether literals of queries may be kept; ``text_limit``:
    characters of a text in the log.
    """

    literals: bool = True
    text_limit: int = 65_536
    retention: Retention = field(default_factory=Retention)
