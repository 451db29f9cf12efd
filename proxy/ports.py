"""The ports through which the proxy reaches the rest of Rewright: plain data and small protocols.

Owns the shape of what crosses the border: served rewrites, reports, settings, local answers. Must not
know stores, optimisers, command lines or sockets. The composition root fills every port; ``NoPorts``
defaults make a pure relay.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from rewright.proxy.serving.sites import Site

Mode: TypeAlias = Literal["off", "observe", "apply", "inline"]
Trust: TypeAlias = Literal["proved", "tested", "judged"]
TRUST_ORDER: Mapping[str, int] = {"judged": 0, "tested": 1, "proved": 2}

# What a client must never see named after: every private statement and portal begins with this.
PRIVATE_PREFIX = "rewright:"


# why an original ran of which the proxy itself knows nothing
NOT_KNOWN = "no rewrite is known"


# --- settings -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SettingsView:
    """The ``rewright.*`` settings of a session as read back from the server (times in seconds)."""

    mode: Mode = "apply"
    trust: Trust = "proved"
    hints: bool = True
    model: bool = True
    min_duration: float = 0.2
    min_cost: float = 50_000.0
    budget: float = 0.5
    notice: bool = False
    lake: Literal["bind", "resolve"] = "bind"
    lake_confidence: float = 0.7
    pooled: bool = False


@dataclass(frozen=True, slots=True)
class SettingRule:
    """One setting: its short name (``mode``), its default as text, and how text becomes a value.

    ``parse`` raises ValueError for a wrong value; ``allowed`` is the sentence for the error's HINT
    ("Available values: off, observe, apply, inline.").
    """

    name: str
    default: str
    parse: Callable[[str], object]
    allowed: str


@dataclass(frozen=True, slots=True)
class SettingsRules:
    """All settings. ``defaults`` of a database override those of the rules (texts, by short name)."""

    rules: tuple[SettingRule, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)


# --- rewrites -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RelationName:
    """A relation as a text names it (``orders``, ``s1."T"``: SQL spelling) and what it must resolve to."""

    name: str
    oid: int


@dataclass(frozen=True, slots=True)
class Guard:
    """What must hold in the client's own session, checked after the locks are taken (POSTGRES.md d2).

    ``original`` / ``replacement``: the relations each text names. ``below``: OIDs of relations under views.
    ``functions`` / ``operators`` / ``types``: last parts of the names used (of collations among types);
    user-defined ones that could capture them are part of the digest. ``foreign_keys``: whether the evidence
    rests on some; ``snapshot``: the transaction number (``pg_snapshot_xmax``) under which the rows were
    looked at that the evidence speaks of, 0: they were not.
    ``search_path``: the effective path (``current_schemas(true)`` without pg_temp) the texts
    were bound under; None: every name in both texts is schema-qualified.
    ``digest``: what ``rewright.proxy.serving.guard.CAPTURE_SQL`` returned on the optimiser's connection, in
    the transaction in which the catalog was read that the verdict rests on.
    """

    original: tuple[RelationName, ...]
    replacement: tuple[RelationName, ...]
    below: tuple[int, ...] = ()
    functions: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    search_path: tuple[str, ...] | None = None
    digest: str = ""
    types: tuple[str, ...] = ()
    foreign_keys: bool = False
    snapshot: int = 0

    @property
    def about_rows(self) -> str:
        """Why a replacement is not served where rows may break what its evidence rests on."""
        return "foreign keys" if self.foreign_keys else "rows"

    @property
    def relations(self) -> tuple[RelationName, ...]:
        """Each name once, the original's first."""
        return tuple(dict.fromkeys(self.original + self.replacement))


@dataclass(frozen=True, slots=True)
class ServedRewrite:
    """An active rewrite as the store hands it to the proxy.

    ``original``: for scope ``these`` the text it was found for; for scope ``any`` the template's text as
    ``Templater`` spells it; texts of the same form (``rewright.sql.forms``) are meant as well.
    ``replacement``: likewise; in a template ``holes`` mark where the original's literals go (see
    ``Templater.fill``). ``param_types``: type OIDs declared in Parse (0: undeclared).
    ``plain_replacement``: the replacement without hints, None when there is nothing left without them.
    ``server_major``: the major version the verdict was made on; 0: any.
    ``unreserved``: proved with ``modulo`` empty, so it may be served inside a transaction block.
    ``held``: it may stop with an error where the original would not, so its answer is held back until it is
    whole, unless that is switched off; one that is too large is not served.
    ``approved``: a person approved it; trust does not matter then.
    ``until``: Unix time from which on it is not served, unless its facts were looked at again.
    """

    id: int
    database: str
    original: str
    replacement: str
    guard: Guard
    scope: Literal["any", "these"] = "these"
    param_types: tuple[int, ...] = ()
    plain_replacement: str | None = None
    hinted: bool = False
    evidence: Trust = "proved"
    unreserved: bool = False
    held: bool = False
    approved: bool = False
    measure_original: bool = False
    server_major: int = 0
    until: float = float("inf")
    # roles for which it failed, or lost, and to whom it is not served for a while
    doubted_by: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rewrite found for one text: the replacement has the text's literals in it and is ready to parse.

    ``site``: the text is another statement around a SELECT with a rewrite; ``inner`` are that SELECT and its
    replacement.
    """

    rewrite: ServedRewrite
    replacement: str
    plain_replacement: str | None = None
    site: Site | None = None
    inner: tuple[str, str] = ("", "")
    # what the client wrote in comments, to go before and after what is sent instead
    comments: tuple[str, str] = ("", "")


class Lookup(Protocol):
    """Finds the rewrite for a text. Called on the hot path: must not block, must not raise.

    ``version`` changes whenever the answer for some text may have changed. ``passing``: texts without their
    digits that no session has anything to do about, for sessions to fill; with each version it is emptied
    and another one.
    """

    version: int
    passing: set[bytes]

    def may_know_like(self, bare: bytes) -> bool:
        """Whether there may be a rewrite for a text that is ``bare`` without its digits."""

    def find(
        self, database: str, text: bytes, param_types: tuple[int, ...], path: tuple[str, ...] = ()
    ) -> Candidate | None:
        """``path``: see ``SlowQuery.search_path``."""


class Templater(Protocol):
    """Template identity: verbatim text with the literals taken out (filled with
    ``rewright.sql.templates``).
    """

    def split(self, text: str) -> tuple[str, tuple[str, ...]] | None:
        """(template, literals in order); None when the text has no template."""

    def fill(self, template: str, literals: Sequence[str]) -> str | None:
        """A template of a replacement with the original's literals put back; None when they don't fit."""


# --- reports --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SlowQuery:
    """A SELECT that ran longer than ``min_duration``.

    ``state``: seen running, or ended (finished, failed, cancelled, timed out, or one of these two where the
    server's language does not tell). One execution may be reported twice: running, then ended; ``execution``
    is the same. ``parameters``: Bind's values as sent; ``parameter_formats``: 0 text, 1 binary, one for each
    parameter. ``duration`` in seconds so far. ``is_served``: it has ended, and a ServedStatement told what
    became of it. ``search_path``: the schemas that the session looks names up in (``current_schemas(true)``
    without pg_temp); empty: not known.
    """

    execution: int
    state: Literal["running", "finished", "cancelled", "timed out", "cancelled or timed out", "failed"]
    text: str
    parameter_types: tuple[int, ...]
    parameters: tuple[bytes | None, ...]
    parameter_formats: tuple[int, ...]
    duration: float
    database: str
    role: str
    application_name: str
    client_address: str
    backend_pid: int
    settings: SettingsView
    in_block: bool
    sqlstate: str = ""  # of the error that it ended with
    is_served: bool = False
    search_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameters:
    """Bind's values as sent, with the types of the parameters and one format for each (0 text, 1 binary)."""

    types: tuple[int, ...] = ()
    values: tuple[bytes | None, ...] = ()
    formats: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ServedStatement:
    """One execution of a query with an active rewrite: which of the two ran, how long, or why not.

    ``route``: what the client got; ``fallback``: the original's, after the replacement had failed or given
    more than may be held back. ``reason``: why the original ran, one of the words of docs/proxy.md ("When
    a replacement runs"); "" when the replacement did, ``hints`` when it did without them.
    ``target``: the table written to has triggers, identities, defaults or the like that rows' order could
    show in.
    ``doubted``: it failed where the original did not, for this role or in this session, lately.
    ``failure``: SQLSTATE of a replacement that failed, unless the error may meet any statement;
    ``original_failure``: that of the original that ran in its place, empty where it succeeded, None where it
    could not be run (``rewright.proxy.serving.failures``).
    ``parameters``: what both were bound with, where the replacement failed.
    ``sqlstate``: of the error that the client got, empty where it got an answer.
    ``duration``: seconds from Execute to the last message; ``overhead``: seconds spent before it, on the
    guard and on a replacement that was given up.
    """

    rewrite_id: int
    route: Literal["replacement", "original", "fallback"]
    reason: str
    duration: float
    overhead: float
    rows: int
    database: str
    role: str
    application_name: str
    text: str
    failure: str = ""
    original_failure: str | None = None
    parameters: Parameters = field(default_factory=Parameters)
    # the statement did more than the rewrite's SELECT: its duration says nothing about the rewrite
    more_than_select: bool = False
    client_address: str = ""
    backend_pid: int = 0
    sqlstate: str = ""


Report: TypeAlias = SlowQuery | ServedStatement


class Reporter(Protocol):
    """A bounded queue towards the optimiser and the log. Must return at once; False: full, dropped."""

    def put(self, report: Report) -> bool: ...


class Inline(Protocol):
    """Asks the optimiser for a rewrite now (``rewright.mode = inline``); None: not worth it, or too late."""

    async def optimise(self, query: SlowQuery) -> Candidate | None: ...


# --- statements that Rewright answers itself -------------------------------------------------------


class SqlError(Exception):
    """An error for the client. Only the wire layer turns it into an ErrorResponse."""

    def __init__(self, sqlstate: str, message: str, *, hint: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.sqlstate = sqlstate
        self.message = message
        self.hint = hint
        self.detail = detail


@dataclass(frozen=True, slots=True)
class LastQuery:
    """What was done with the session's last query, for ``SHOW rewright.last``."""

    route: str = ""
    rewrite_id: int | None = None
    reason: str = ""
    duration: float = 0.0
    overhead: float = 0.0
    text: str = ""
    replacement: str = ""


@dataclass(frozen=True, slots=True)
class SessionView:
    """What an answer may know of the session that asks."""

    database: str
    role: str  # the authenticated user name; for an answer that is about rights the current role
    application_name: str
    client_address: str
    backend_pid: int
    settings: SettingsView
    last: LastQuery
    is_admin: bool = False  # of the session's database
    everywhere: bool = False  # it asks about every database, not its own
    may_pause: bool = False  # and everywhere
    state: str = ""  # as in pg_stat_activity
    server: str = ""  # host:port


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a local answer: name and type OID (16 bool, 20 int8, 25 text, 701 float8, 1184 timestamptz,
    114 json).
    """

    name: str
    type_oid: int = 25
    typmod: int = -1


@dataclass(frozen=True, slots=True)
class LocalRows:
    """Rows computed here. Values: None, bool, int, float, str, aware datetime; the wire layer writes them as
    text or binary. ``columns`` empty: a command without a result (CALL).
    """

    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[object, ...], ...] = ()
    tag: str = ""  # default: "SELECT n"
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Redirect:
    """Text the server shall run in place of the client's; parameters, formats and Describe work as for any
    statement. ``tag`` replaces the command tag ("SHOW"); "" keeps the server's.
    """

    sql: str
    tag: str = ""
    notices: tuple[str, ...] = ()


Outcome: TypeAlias = LocalRows | Redirect


class Answer(Protocol):
    """A recognised statement of ours: immutable, made by ``LocalAnswers.match``.

    ``redirects``: the outcome is always a ``Redirect`` (asked for at Parse or Query);
    else always ``LocalRows`` with exactly ``columns`` (asked for at Execute; Describe uses ``columns``).
    ``parameters``: the types of its parameters where the client declares none; ``run`` gets their values.
    ``rights``: it depends on who asks, so ``run`` needs the session's current role.
    """

    @property
    def rights(self) -> bool: ...

    @property
    def redirects(self) -> bool: ...

    @property
    def columns(self) -> tuple[ResultColumn, ...]: ...

    @property
    def parameters(self) -> tuple[int, ...]: ...

    async def run(self, session: SessionView, parameters: Sequence[object] = ()) -> Outcome:
        """May read the store; raises SqlError. Cancelled when the client cancels or goes away."""


class LocalAnswers(Protocol):
    """Recognises the SQL that Rewright answers itself. ``match`` is only called for texts that begin
    (after blanks and comments) with one of ``keywords`` or contain ``rewright.`` in any case; it must be pure
    and quick, and returns None for everything that is the server's business. ``settings`` serves
    ``SHOW rewright.<setting>`` and checks SET: the proxy does these itself, from ``SettingsRules``.
    """

    keywords: frozenset[bytes]  # lower case: b"ask", b"augment", b"explain", b"create", b"call"

    def match(self, text: str) -> Answer | None: ...


# --- events, and all ports together ---------------------------------------------------------------

Event: TypeAlias = Callable[[str, Mapping[str, object]], None]
"""Structured log: (event name, fields). Must not raise."""


class Pause(Protocol):
    """Whether serving replacements is paused everywhere (``rewright pause``)."""

    @property
    def paused(self) -> bool: ...


def no_event(_name: str, _fields: Mapping[str, object]) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything the proxy asks of the outside. None: that part does not exist, traffic passes."""

    lookup: Lookup | None = None
    reporter: Reporter | None = None
    answers: LocalAnswers | None = None
    inline: Inline | None = None
    pause: Pause | None = None
    # a ``rewright.proxy.duckdb_backend.ports.Lakes``
    lakes: Any = None
    # a ``rewright.proxy.admin.commands.Commands``: what the admin database answers
    admin: Any = None
    settings: SettingsRules = field(default_factory=SettingsRules)
    event: Event = no_event
    on_reload: Callable[[], Awaitable[None]] | None = None
