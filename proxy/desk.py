"""What a session looks at: which messages are special, and what is remembered of the others.

Owns the decision for each Query, Parse, Bind, Describe, Execute and Close that the session shows. What a special
message leads to is a chain (``proxy.serving``). Must not do I/O.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from proxy.lakeside import chains as lakeside
from proxy.lakeside.ports import LakeSession
from proxy.metrics import Metrics
from proxy.ports import (
    Answer,
    Candidate,
    LastQuery,
    Ports,
    ServedStatement,
    SessionView,
    SettingsView,
    SlowQuery,
    SqlError,
)
from proxy.serving import inline, local
from proxy.serving.chains import ServeExecute, ServeQuery
from proxy.serving.private import Privates
from proxy.serving.settings import Settings
from proxy.serving.sites import FIRST, find_site
from proxy.session import IDLE, Chain, Session
from proxy.slow import SlowReports, is_select
from proxy.statements import Book, Portal, Statement, split_names, split_parse
from proxy.wire.backend import notice
from proxy.wire.frontend import Bind, Execute, Query
from proxy.wire.tables import BIND, CLOSE, DESCRIBE, EXECUTE, HEADER_SIZE, PARSE, Q

# the first byte of a text that may be one of ours: a keyword, a blank or a comment
_FIRST = frozenset(b"aec \t\r\n/-(")
_KEYWORD = re.compile(rb"(?:[\s(]|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*\n)*([a-zA-Z]+)")
_NAMES_CHANGE = re.compile(rb"\b(?:deallocate|prepare|discard)\b", re.IGNORECASE)
_SETTINGS_CHANGE = re.compile(rb"rewright|\bset_config\b|\b(?:reset|discard)\s+all\b", re.IGNORECASE)
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
    is_admin: bool = False
    tag: bool = False


@dataclass(frozen=True, slots=True)
class Timing:
    """A statement with a rewrite that is running now."""

    candidate: Candidate
    route: str
    reason: str
    began: float
    overhead: float
    text: str
    failure: str = ""


_UNKNOWN = LastQuery("original", None, "no rewrite is known")
_UNWANTED = LastQuery("original", None, "rewright.mode")


class SessionDesk:
    """One session's desk."""

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
        self.settings_stale = bool(settings.names) and (
            ports.lookup is not None or ports.reporter is not None or ports.lakes is not None
        )
        self.book = Book()
        self.privates = Privates(settings.names)
        self.seen_version = -1 if ports.lookup is None else ports.lookup.version
        self.lake: LakeSession | None = (
            ports.lakes.session(identity.database) if ports.lakes is not None else None
        )
        self.lake_cursors: dict[str, lakeside.Declared] = {}
        self.keywords = ports.answers.keywords if ports.answers is not None else frozenset()
        self.timing: Timing | None = None
        self.followed = False  # something unserved was executed behind what is timed
        self.last = LastQuery()
        self.warned: set[tuple[str, str]] = set()  # wrong settings, by name and text
        self.warnings = b""
        self.asked: set[bytes] = set()  # texts the optimiser was asked about inline
        self.slow = SlowReports(self)
        self._next: Chain | None = None
        # the last unnamed Parse that was of no interest, and what it made
        self._plain: Statement | None = None
        self._plain_parse: tuple[bytes, Statement | None] = (b"", None)
        self.portal_names = count(1)
        session.slow_after = self._slow_after()

    # --- what the session asks ---------------------------------------------------------------------

    def special(self) -> Chain:
        assert self._next is not None
        chain, self._next = self._next, None
        return chain

    def passes(self, kind: int, data: bytes, at: int, end: int) -> bool:
        lookup = self.ports.lookup
        if lookup is not None and lookup.version != self.seen_version:
            self.look_again()
        start = at + HEADER_SIZE
        if kind == Q:
            return self._query(data[start : end - 1])
        if kind == PARSE:
            return self._parse(data, at, end)
        if kind == BIND:
            return self._bind(data, at, end)
        if kind == EXECUTE:
            return self._execute(data, at, end)
        if kind == DESCRIBE:
            return self._describe(data, at, end)
        if kind == CLOSE:
            return self._close(data[start], data[start + 1 : end - 1])
        return True

    def unseen(self, kind: int, data: bytes, at: int) -> bool:
        """A message too large to look at: what it changes is unknown. False: not even its names are there."""
        if kind == Q:
            self._forget_unnamed()
            return True
        names = split_names(data, at + HEADER_SIZE, len(data))
        if kind == PARSE:
            name_end = data.find(b"\0", at + HEADER_SIZE)
            if name_end < 0:
                return False
            self.book.statements[data[at + HEADER_SIZE : name_end]] = None
            return True
        if kind == BIND and names is not None:
            self.book.portals.pop(names[0], None)
            return True
        return False

    def cycle_ended(self) -> bool:
        """True: call again at the end of the next cycle."""
        self.book.confirmed()
        if self.session.status == IDLE and (self.book.portals or self.privates.open_portals):
            self.book.portals.clear()
            self.privates.forget_portals()
            self.rewatch()
        return bool(self.book.portals or self.book.fresh or self.privates.open_portals)

    def slow_ended(self) -> None:
        self.slow.ended()

    def error(self, message: bytes) -> None:
        self.book.failed()
        self.slow.failed(message)
        if self.timing is not None:
            self._timed(rows=0)

    def tag(self, tag: bytes) -> None:
        if self.timing is not None:
            self._timed(rows=_rows(tag))
        if tag in {b"DEALLOCATE ALL", b"DISCARD ALL"}:
            self._all_gone()
        elif tag.startswith((b"DEALLOCATE", b"PREPARE")):
            self.book.doubt()
            self.rewatch()

    # --- texts --------------------------------------------------------------------------------------

    def _query(self, text: bytes, *, refreshed: bool = False) -> bool:
        book = self.book
        if book.statements or book.portals:
            self._forget_unnamed()
        lower = text.lower()
        ours = b"rewright" in lower
        changes = (ours or _touches_state(lower)) and self._note_changes(lower)
        if self.settings_stale and not (changes or refreshed) and self._must_refresh():
            self._next = self._refreshing_query(text)
            return False
        if ours or (lower and lower[0] in _FIRST and self._has_keyword(lower)):
            chain = local.query_chain(self, text)
            if chain is not None:
                self._next = chain
                return False
        if self.lake is not None and not self.session.since:
            self._next = lakeside.query_chain(self, text)
            if self._next is not None:
                return False
        candidate = self.find(text, ())
        if candidate is None:
            self.last = self._passed()
            if self.view.mode != "inline" or not self.may_hold(text):
                return True
            self._next = inline.query_chain(self, text)
            return False
        self._next = ServeQuery(self, text, candidate).chain()
        return False

    def _note_changes(self, lower: bytes) -> bool:
        """Whether the text may change settings; names of statements it may change become unknown."""
        self._note_names_change(lower)
        if _SETTINGS_CHANGE.search(lower):
            self.settings_stale_after()
            return True
        return False

    def _refreshing_query(self, text: bytes) -> Chain:
        """Read the settings first, then look at the text again."""
        yield from self.privates.refresh(self)
        if self._query(text, refreshed=True):
            yield from local.forward_query(Query(text).encode())
        else:
            yield from self.special()

    def _parse(self, data: bytes, at: int, end: int) -> bool:
        payload = data[at:end]
        known = self._plain_parse
        if (
            payload == known[0]
            and not self.settings_stale
            and known[1] is not None
            and self.book.statements.get(b"") is known[1]
            and known[1].candidate is None
        ):
            # the same once more, as drivers do that prepare nothing by name
            self.last = self._passed()
            return True
        parts = split_parse(data, at + HEADER_SIZE, end)
        if parts is None:
            return True
        name, text, types = parts
        if self.settings_stale and self._must_refresh():
            self._next = self._refreshing_parse(data[at:end])
            return False
        passed = self._parse_known(name, text, types)
        if passed and self._plain is not None and not name:
            self._plain_parse = payload, self._plain
        return passed

    def _parse_known(self, name: bytes, text: bytes, types: tuple[int, ...]) -> bool:
        statement = Statement(text, types)
        lower = text.lower()
        ours = b"rewright" in lower
        touches = _touches_state(lower)
        if ours or touches:
            self._note_changes(lower)
        if ours or (lower and lower[0] in _FIRST and self._has_keyword(lower)):
            chain = local.parse_chain(self, name, statement)
            if chain is not None:
                self._next = chain
                return False
        if self.lake is not None:
            self._next = lakeside.parse_chain(self, name, statement)
            if self._next is not None:
                return False
        statement.candidate = self.find(text, types)
        if statement.candidate is None:
            self.last = self._passed()
        self.note_parsed(name, statement)
        is_plain = not (ours or touches or statement.special or self.lake is not None)
        self._plain = statement if is_plain else None
        return True

    def _passed(self) -> LastQuery:
        """What SHOW rewright.last says of a query that went on as it came."""
        return _UNWANTED if self.view.mode in {"off", "observe"} else _UNKNOWN

    def _refreshing_parse(self, message: bytes) -> Chain:
        yield from self.privates.refresh(self)
        parts = split_parse(message, HEADER_SIZE, len(message))
        assert parts is not None
        if self._parse_known(*parts):
            yield from local.forward(message, b"P")
        else:
            yield from self.special()

    def note_parsed(self, name: bytes, statement: Statement) -> None:
        before = self.book.statements.get(name)
        self.book.parsed(name, statement)
        self.session.unusual = True
        if statement.special or (before is not None and before.special):
            self.rewatch()

    def find(self, text: bytes, types: tuple[int, ...]) -> Candidate | None:
        """The rewrite for a text, unless this session wants none."""
        lookup = self.ports.lookup
        unwanted = self.view.mode in {"off", "observe"} and not self.settings_stale
        if lookup is None or unwanted:
            return None
        candidate = lookup.find(self.identity.database, text, types)
        if candidate is None:
            return self._find_inside(text, types) if text and text[0] in FIRST else None
        return None if _OFF.search(text) else candidate

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

    def _has_keyword(self, lower: bytes) -> bool:
        """Whether the text begins with a word of a statement of ours."""
        word = _KEYWORD.match(lower) if self.keywords else None
        return word is not None and word[1] in self.keywords

    def match(self, text: bytes) -> Answer | None:
        if self.ports.answers is None:
            return None
        try:
            return self.ports.answers.match(text.decode())
        except UnicodeDecodeError:
            return None

    # --- names --------------------------------------------------------------------------------------

    def _bind(self, data: bytes, at: int, end: int) -> bool:
        names = split_names(data, at + HEADER_SIZE, end)
        if names is None:
            return True
        portal, name = names
        self._drop_portal(portal)
        if self.settings_stale and self._must_refresh():
            self._next = self._refreshing_bind(data[at:end])
            return False
        statement = self.book.statements.get(name)
        if statement is None or not (statement.special or self.view.mode == "inline"):
            return True
        self.session.unusual = True
        message = data[at:end]
        if statement.answer is not None or statement.tag:
            self._next = local.bind_chain(self, portal, statement, message)
            return self._next is None
        self.book.portals[portal] = Portal(statement, message)
        return True

    def _refreshing_bind(self, message: bytes) -> Chain:
        """A driver that only binds what it prepared long ago must feel a change of its settings, too."""
        yield from self.privates.refresh(self)
        self.look_again()
        if self._bind(message, 0, len(message)):
            self.last = self._passed()  # its Execute may pass unseen
            yield from local.forward(message, b"B")
        else:
            yield from self.special()

    def _execute(self, data: bytes, at: int, end: int) -> bool:
        name_end = data.find(b"\0", at + HEADER_SIZE, end)
        if name_end < 0 or end - name_end != 5:
            return True
        name = data[at + HEADER_SIZE : name_end]
        portal = self.book.portals.get(name)
        if portal is None:
            self._passed_by()
            return True
        (max_rows,) = struct.unpack_from("!i", data, name_end + 1)
        message = data[at:end]
        statement = portal.statement
        if isinstance(statement.answer, lakeside.LakeStatement):
            self._next = lakeside.execute_chain(self, name, portal, statement.answer, max_rows)
            return False
        if statement.fetches is not None and statement.fetches.name in self.lake_cursors:
            self._next = lakeside.fetch_chain(self, name, portal, statement.fetches, max_rows)
            return False
        if statement.answer is not None or statement.tag:
            self._next = local.execute_chain(self, name, portal, max_rows, message)
            return False
        if portal.private:
            # it goes on where it began, whatever became of the rewrite: the original would begin anew
            message = Execute(portal.private, max_rows).encode()
            self._next = local.forward(message, b"E")
            return False
        held = self.view.mode == "inline" and self.may_hold(statement.text)
        if portal.original or (statement.candidate is None and not held):
            portal.original = True
            self._passed_by()
            return True
        if statement.candidate is None:
            self._next = inline.execute_chain(self, name, portal, max_rows, message)
            return False
        self._next = ServeExecute(self, name, portal, max_rows, message).chain()
        return False

    def _passed_by(self) -> None:
        """An original was executed: what SHOW rewright.last knew is over."""
        if self.timing is not None:
            self.followed = True
        elif self.last.rewrite_id is not None:
            self.last = self._passed()
            self.rewatch()

    def _describe(self, data: bytes, at: int, end: int) -> bool:
        start = at + HEADER_SIZE
        name = data[start + 1 : end - 1]
        if data[start : start + 1] == b"S":
            statement = self.book.statements.get(name)
            formats: tuple[int, ...] = ()
        else:
            portal = self.book.portals.get(name)
            statement = portal.statement if portal is not None else None
            formats = portal.result_formats if portal is not None else ()
        if statement is None or statement.answer is None:
            return True
        self._next = local.describe_chain(statement.answer, formats, data[at:end])
        return False

    def _close(self, kind: int, name: bytes) -> bool:
        if kind == ord("S"):
            self.book.closed(name)
            self.rewatch()
        else:
            self._drop_portal(name)
        return True

    def _drop_portal(self, name: bytes) -> None:
        portal = self.book.portals.pop(name, None)
        if portal is not None and portal.private:
            self.privates.dead_portals.append(portal.private)

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

    def _forget_unnamed(self) -> None:
        """A simple Query destroys the unnamed statement and the unnamed portal."""
        book = self.book
        if book.statements and book.statements.pop(b"", None) is not None:
            self.rewatch()
        if book.portals:
            self._drop_portal(b"")

    def _all_gone(self) -> None:
        self.book.forget()
        self.privates.forget()
        self.rewatch()

    def _note_names_change(self, text: bytes) -> None:
        """SQL that (de)allocates statements: from here on, only their command tags tell."""
        if _NAMES_CHANGE.search(text):
            self.privates.forget()
            self.book.doubt()
            self.rewatch()

    def rewatch(self) -> None:
        """Look at names only while one of them is special, or what they do must be known."""
        special = (
            self.book.any_special()
            or self.view.mode == "inline"
            or self.timing is not None
            or self.last.rewrite_id is not None  # until something else was executed
            or (self.settings_stale and bool(self.book.statements))
        )
        self.session.watch(special)
        self.session.watch_tags(special or self.timing is not None)

    def look_again(self) -> None:
        """When the set of rewrites has changed, statements prepared before gain or lose theirs."""
        lookup = self.ports.lookup
        if lookup is None or lookup.version == self.seen_version:
            return
        self.seen_version = lookup.version
        for statement in self.book.known():
            if statement.answer is None and not statement.tag:
                statement.candidate = self.find(statement.text, statement.param_types)
        self.rewatch()

    # --- settings -----------------------------------------------------------------------------------

    def _must_refresh(self) -> bool:
        session = self.session
        return (
            self.settings_stale
            and session.status == IDLE
            and session.pending == 0
            and not session.since
            and not session.units
        )

    def settings_stale_after(self) -> None:
        self.settings_stale = bool(self.settings.names)
        self.seen_version = -1  # statements of a session that wanted no rewrites may have one again
        self.rewatch()

    def new_settings(self, texts: tuple[str | None, ...]) -> tuple[str, ...]:
        """What the server says they are; returns the names whose value is wrong and counts as the default."""
        before = self.view.mode, self.settings_stale
        self.view, wrong = self.settings.view(texts)
        self._warn(dict(zip(self.settings.names, texts, strict=True)), wrong)
        self.settings_stale = self.session.status != IDLE
        self.session.slow_after = self._slow_after()
        if before != (self.view.mode, self.settings_stale):
            self.seen_version = -1
            self.rewatch()
        return wrong

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

    def _slow_after(self) -> float:
        if self.ports.reporter is None or self.view.mode == "off":
            return float("inf")
        return self.view.min_duration

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
            is_admin=identity.is_admin,
        )

    @property
    def application_name(self) -> str:
        name = self.session.parameters.get(b"application_name", b"")
        return name.decode("utf-8", "replace") or self.identity.application_name

    # --- measuring ----------------------------------------------------------------------------------

    def start_timing(self, timing: Timing) -> None:
        self.timing = timing
        self.followed = False
        self.rewatch()

    def _timed(self, rows: int) -> None:
        timing, self.timing = self.timing, None
        assert timing is not None
        now = self.clock()
        self.metrics.routes[timing.route] += 1
        if timing.reason:
            self.metrics.reasons[timing.reason] += 1
        self.metrics.overhead_seconds += timing.overhead
        rewrite = timing.candidate.rewrite
        self.last = LastQuery(
            timing.route,
            rewrite.id,
            timing.reason,
            now - timing.began,
            timing.overhead,
            timing.text,
            timing.candidate.replacement,
        )
        if self.followed:
            self.last = self._passed()
        self.rewatch()
        self._report(timing, rows, now)

    def _report(self, timing: Timing, rows: int, now: float) -> None:
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
            failure=timing.failure,
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


def _touches_state(lower: bytes) -> bool:
    """Quickly: whether a text may change names of statements, or settings."""
    return (
        b"prepare" in lower
        or b"allocate" in lower
        or b"discard" in lower
        or b"set_config" in lower
        or b"reset" in lower
    )


def _rows(tag: bytes) -> int:
    last = tag.rpartition(b" ")[2]
    return int(last) if last.isdigit() else 0


__all__ = ["Identity", "SessionDesk", "SettingsView", "SqlError", "Timing", "replace"]
