"""What an interceptor knows of its session: settings, names, the last query; and what it reports of it.

Owns settings as read back from the server, look-ups, and the measuring of what is served. Must not know messages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from rewright.proxy.duckdb_backend import exchanges as duckdb_backend
from rewright.proxy.duckdb_backend.ports import LakeSession
from rewright.proxy.metrics import Metrics
from rewright.proxy.ports import (
    NOT_KNOWN,
    Answer,
    Candidate,
    LastQuery,
    Parameters,
    Ports,
    ServedStatement,
    SessionView,
    SlowQuery,
)
from rewright.proxy.serving.failures import is_passing, sqlstate_of, tells_against
from rewright.proxy.serving.identity import Login
from rewright.proxy.serving.kept_settings import KeptSettings, SetCommand
from rewright.proxy.serving.private import Privates
from rewright.proxy.serving.settings import Settings
from rewright.proxy.serving.sites import FIRST, find_site
from rewright.proxy.session import IDLE, Exchange, Session
from rewright.proxy.slow import SlowReports, is_select
from rewright.proxy.statements import Statement, StatementRegistry
from rewright.proxy.wire.backend import notice
from rewright.proxy.wire.frontend import Bind

_OFF = re.compile(rb"/\*\s*rewright:off\s*\*/", re.IGNORECASE)
_executions = count(1)


@dataclass(slots=True)
class Identity:
    """Who the session is, as far as its login told."""

    database: str
    user: str
    client_address: str
    backend_pid: int = 0
    application_name: str = ""
    defaults: Mapping[str, str] = field(default_factory=dict)
    login: Login = field(default_factory=lambda: Login(""))
    startup_settings: Mapping[str, str] = field(default_factory=dict)
    tag: bool = False
    server: str = ""  # host:port of the one behind it


@dataclass(frozen=True, slots=True)
class Timing:
    """A statement with a rewrite that is running now."""

    candidate: Candidate
    route: str
    reason: str
    began: float
    overhead: float
    text: str
    # the SQLSTATE with which the replacement failed before the original was run
    failure: str = ""
    parameters: Parameters = field(default_factory=Parameters)
    # when it had given as many rows as were asked for
    paused: float | None = None


_STATES = {ord("T"): "idle in transaction", ord("E"): "idle in transaction (aborted)"}
_UNKNOWN = LastQuery("original", None, NOT_KNOWN)
_UNWANTED = LastQuery("original", None, "rewright.mode")


def _last(timing: Timing, now: float) -> LastQuery:
    return LastQuery(
        timing.route,
        timing.candidate.rewrite.id,
        timing.reason,
        now - timing.began,
        timing.overhead,
        timing.text,
        timing.candidate.replacement,
    )


class InterceptorState:
    """Who the session is, what is known of it, and what is told of it."""

    def __init__(
        self,
        session: Session,
        ports: Ports,
        identity: Identity,
        metrics: Metrics,
        settings: Settings,
        clock: Callable[[], float],
    ) -> None:
        self.session = session
        self.ports = ports
        self.identity = identity
        self.metrics = metrics
        self.settings = settings
        self.clock = clock
        self.view = settings.default_view
        self.kept = KeptSettings(settings.names, identity.startup_settings)
        self.settings_stale = bool(settings.names) and (
            ports.lookup is not None or ports.reporter is not None or ports.lakes is not None
        )
        self.unread = True  # what the server says of settings is read before the client changes any
        self.registry = StatementRegistry()
        self.privates = Privates(settings.names)
        self.seen_version = -1 if ports.lookup is None else ports.lookup.version
        self.lake: LakeSession | None = (
            ports.lakes.session(identity.database) if ports.lakes is not None else None
        )
        self.lake_cursors: dict[str, duckdb_backend.Declared] = {}
        self.keywords = ports.answers.keywords if ports.answers is not None else frozenset()
        self.timing: Timing | None = None
        self._doubted: dict[int, int] = {}  # rewrites that failed here, with the look-up's version
        self.followed = False  # something unserved was executed behind what is timed
        self.last = LastQuery()
        self.warned: set[tuple[str, str]] = set()  # wrong settings, by name and text
        self.warnings = b""
        self.asked: set[bytes] = set()  # texts the optimiser was asked about inline
        self.slow = SlowReports(self)
        self._next: Exchange | None = None
        # the last unnamed Parse that was of no interest, and what it made
        self._plain: Statement | None = None
        self._plain_parse: tuple[bytes, Statement | None] = (b"", None)
        self.portal_names = count(1)
        session.slow_after = self._slow_after()

    def close_lake(self) -> None:
        """The session is over: what it was reading from a lake is not wanted any more."""
        for declared in self.lake_cursors.values():
            declared.close()
        for portal in self.registry.portals.values():
            if portal.cursor is not None:
                portal.cursor.close()

    # --- looking up ---------------------------------------------------------------------------------

    def find(self, text: bytes, types: tuple[int, ...]) -> Candidate | None:
        """The rewrite for a text, unless this session wants none."""
        lookup = self.ports.lookup
        unwanted = self.view.mode in {"off", "observe"} and not self.settings_stale
        if lookup is None or unwanted:
            return None
        candidate = lookup.find(self.identity.database, text, types)
        if candidate is None and text and text[0] in FIRST:
            candidate = self._find_inside(text, types)
        return None if candidate is None or _OFF.search(text) else candidate

    def _find_inside(self, text: bytes, types: tuple[int, ...]) -> Candidate | None:
        """The rewrite for the SELECT in a COPY, CREATE TABLE AS, INSERT or EXPLAIN."""
        site = find_site(text)
        lookup = self.ports.lookup
        if site is None or lookup is None:
            return None
        found = lookup.find(self.identity.database, site.select, types)
        if found is None:
            return None
        plain = found.plain_replacement
        return Candidate(
            found.rewrite,
            site.around(found.replacement),
            None if plain is None else site.around(plain),
            site,
            (site.select.decode(), found.replacement),
        )

    def match(self, text: bytes) -> Answer | None:
        if self.ports.answers is None:
            return None
        try:
            return self.ports.answers.match(text.decode())
        except UnicodeDecodeError:
            return None

    def may_hold(self, text: bytes) -> bool:
        """Whether an unknown text is worth asking the optimiser about before it runs (``rewright.mode = inline``)."""
        ports = self.ports
        return (
            ports.inline is not None
            and not (ports.pause is not None and ports.pause.paused)
            and text not in self.asked
            and is_select(text)
            and not _OFF.search(text)
        )

    def inline_query(self, text: bytes, types: tuple[int, ...], bind: Bind | None = None) -> SlowQuery:
        """What the optimiser is told of a query that has not run yet."""
        return self.slow.describe(text, types, bind, "running", 0.0)

    def rewatch(self) -> None:
        """Look at names only while one of them is special, or what they do must be known."""
        special = (
            self.registry.any_special()
            or self.view.mode == "inline"
            or self.timing is not None
            or bool(self.last.text)  # until something else was executed
            or (self.settings_stale and bool(self.registry.statements))
        )
        self.session.watch(special)
        self.session.watch_tags(special or self.timing is not None or self.kept.open)

    def look_again(self) -> None:
        """When the set of rewrites has changed, statements prepared before gain or lose theirs."""
        lookup = self.ports.lookup
        if lookup is None or lookup.version == self.seen_version:
            return
        self.seen_version = lookup.version
        for statement in self.registry.known():
            if statement.answer is None and not statement.tag:
                statement.candidate = self.find(statement.text, statement.param_types)
        self.rewatch()

    def _passed(self) -> LastQuery:
        """What SHOW rewright.last says of a query that went on as it came."""
        return _UNWANTED if self.view.mode in {"off", "observe"} else _UNKNOWN

    # --- settings -----------------------------------------------------------------------------------

    def _must_refresh(self) -> bool:
        session = self.session
        return (
            self.settings_stale
            and session.status == IDLE
            and session.pending == 0
            and not session.since
            and not session.pending_replies
        )

    def settings_stale_after(self) -> None:
        self.settings_stale = bool(self.settings.names)
        self.seen_version = -1  # statements of a session that wanted no rewrites may have one again
        self.rewatch()

    def new_settings(self, texts: tuple[str | None, ...]) -> tuple[str, ...]:
        """What the server says they are; returns the names whose value is wrong and counts as the default."""
        before = self.view.mode, self.settings_stale
        if self.kept.in_force:
            texts = self.kept.texts()
        self.view, wrong = self.settings.view(texts)
        self._warn(dict(zip(self.settings.names, texts, strict=True)), wrong)
        if self.view.pooled:
            self.kept.share(texts)
        self.settings_stale = self.session.status != IDLE and not self.kept.in_force
        self.session.slow_after = self._slow_after()
        if before != (self.view.mode, self.settings_stale):
            self.seen_version = -1
            self.rewatch()
        return wrong

    def kept_changes(self, command: SetCommand) -> None:
        """A statement has changed settings of a session that keeps its own."""
        self.kept.change(command)
        self.session.unusual = True
        self.kept_changed()

    @property
    def kept_text(self) -> Callable[[str], str | None] | None:
        """What to show of a setting, where not the server's value counts."""
        return self.kept.text if self.kept.in_force else None

    def kept_changed(self) -> None:
        """What a session's own settings come to now."""
        self.new_settings(self.kept.texts())
        self.rewatch()

    def _warn(self, texts: Mapping[str, str | None], wrong: tuple[str, ...]) -> None:
        """Each wrong value is told of once, as long as it stands."""
        found = {(name, texts[name] or "") for name in wrong}
        for name, text in sorted(found - self.warned):
            said = f'invalid value for parameter "rewright.{name}": "{text}"; its default counts'
            self.warnings += notice(said, severity="WARNING", sqlstate="22023")
        self.warned = found

    def take_warnings(self) -> bytes:
        """What the client is to be told of its settings."""
        told, self.warnings = self.warnings, b""
        return told

    @property
    def settings_unknown(self) -> bool:
        """Whether it has not been found out whose settings the server tells."""
        return bool(self.settings.names and self.identity.backend_pid) and self.kept.pooled is None

    def _slow_after(self) -> float:
        if self.ports.reporter is None or self.view.mode == "off":
            return float("inf")
        return self.view.min_duration

    def was_slow(self, text: bytes, duration: float) -> None:
        """The last query was slow, and nothing is known of it here: what became of it can be asked for by its text."""
        if self.last.rewrite_id is None and self.last.reason in {"", NOT_KNOWN} and self.timing is None:
            said = text.decode("utf-8", "replace")
            self.last = replace(_UNKNOWN, duration=duration, text=said)
            self.metrics.seconds["slow"].observe(duration)
            self.rewatch()

    def session_view(self) -> SessionView:
        identity = self.identity
        return SessionView(
            database=identity.database,
            role=identity.user,
            application_name=self.application_name,
            client_address=identity.client_address,
            backend_pid=identity.backend_pid,
            settings=self.view,
            last=self.last,
            state=self._state(),
            server=identity.server,
        )

    def _state(self) -> str:
        """In pg_stat_activity's words."""
        if self.session.pending or self.session.since:
            return "active"
        return _STATES.get(self.session.status, "idle")

    def seen_as(self, current: str) -> SessionView:
        """The session with the rights of its current role, as the server named it just now."""
        return self.identity.login.seen_as(self.session_view(), current)

    @property
    def application_name(self) -> str:
        name = self.session.parameters.get(b"application_name", b"")
        return name.decode("utf-8", "replace") or self.identity.application_name

    # --- measuring ----------------------------------------------------------------------------------

    def start_timing(self, timing: Timing) -> None:
        self.portion_over()
        self.timing = timing
        self.followed = False
        self.rewatch()

    def portion_ended(self) -> None:
        """The portal has given as many rows as Execute asked for; whether it goes on is not known yet."""
        assert self.timing is not None
        now = self.clock()
        self.timing = replace(self.timing, paused=now)
        self.last = _last(self.timing, now)

    def portion_begins(self) -> None:
        """It goes on: the time the client took in between is not the query's."""
        if self.timing is not None and self.timing.paused is not None:
            began = self.timing.began + self.clock() - self.timing.paused
            self.timing = replace(self.timing, began=began, paused=None)

    def portion_over(self) -> None:
        """What was read in part is not read on, or something else has begun."""
        if self.timing is not None and self.timing.paused is not None:
            self._timed(rows=0)

    def timing_failed(self, message: bytes) -> None:
        """What is timed ended with an error that the client gets."""
        assert self.timing is not None
        state = sqlstate_of(message)
        if self.timing.route == "replacement":
            self.failed_alone(state)
        else:
            self._timed(rows=0, original="" if is_passing(state) else state, is_known=not is_passing(state))

    def failed_alone(self, sqlstate: str) -> None:
        """The replacement failed where the original could not be run behind it."""
        assert self.timing is not None
        self.timing = replace(self.timing, failure="" if is_passing(sqlstate) else sqlstate)
        self._timed(rows=0, is_known=False)

    def is_doubted(self, rewrite_id: int) -> bool:
        """Whether the rewrite failed in this session, and what others found out of it since is not known here."""
        lookup = self.ports.lookup
        return lookup is not None and self._doubted.get(rewrite_id) == lookup.version

    def _timed(self, rows: int, *, original: str = "", is_known: bool = True) -> None:
        """``original``: the SQLSTATE with which it failed; ``is_known``: whether what it did says anything."""
        timing, self.timing = self.timing, None
        assert timing is not None
        now = self.clock() if timing.paused is None else timing.paused
        self.metrics.routes[timing.route] += 1
        if timing.reason:
            self.metrics.reasons[timing.reason] += 1
        self.metrics.seconds[timing.route].observe(now - timing.began)
        self.metrics.overhead_seconds += timing.overhead
        self.last = _last(timing, now)
        if self.followed:
            self.last = self._passed()
        self.rewatch()
        failed = original if is_known else None
        if tells_against(timing.failure, failed) and self.ports.lookup is not None:
            self._doubted[timing.candidate.rewrite.id] = self.ports.lookup.version
        self._report(timing, rows, now, failed)

    def _report(self, timing: Timing, rows: int, now: float, original: str | None) -> None:
        site = timing.candidate.site
        if self.ports.reporter is None or (site is not None and site.kind == "explain"):
            return
        report = ServedStatement(
            rewrite_id=timing.candidate.rewrite.id,
            route=timing.route,  # type: ignore[arg-type]
            reason=timing.reason,
            duration=now - timing.began,
            overhead=timing.overhead,
            rows=rows,
            database=self.identity.database,
            role=self.identity.user,
            application_name=self.application_name,
            text=timing.text,
            # where there is more than the SELECT, that may be what failed
            failure="" if site is not None else timing.failure,
            original_failure=original,
            parameters=timing.parameters if timing.failure else Parameters(),
            more_than_select=site is not None,
        )
        self.put(report)

    def put(self, report: object) -> None:
        assert self.ports.reporter is not None
        taken = self.ports.reporter.put(report)  # type: ignore[arg-type]
        self.metrics.reports += taken
        self.metrics.reports_dropped += not taken

    def next_execution(self) -> int:
        return next(_executions)


def rows_of(tag: bytes) -> int:
    last = tag.rpartition(b" ")[2]
    return int(last) if last.isdigit() else 0
