"""Noticing SELECTs that take long, running or ended, without looking at those that don't.

Owns what a report says. The text is found only when a query turned out slow, in the piece of bytes that began
the cycle. Must not do I/O.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from rewright.proxy.ports import SlowQuery
from rewright.proxy.serving.failures import sqlstate_of
from rewright.proxy.serving.identity import Identity
from rewright.proxy.serving.in_force import SettingsInForce
from rewright.proxy.serving.reports import Reports
from rewright.proxy.serving.sites import find_site
from rewright.proxy.session import Session
from rewright.proxy.statements import StatementRegistry, formats_of, split_parse
from rewright.proxy.wire.framing import ProtocolViolation
from rewright.proxy.wire.frontend import Bind, decode
from rewright.proxy.wire.tables import BIND, EXECUTE, HEADER, HEADER_SIZE, PARSE, Q

_SELECT = re.compile(rb"(?:[\s(]|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*\n)*(?:select|with)\b", re.IGNORECASE)
_OFF = re.compile(rb"/\*\s*rewright:off\s*\*/", re.IGNORECASE)
# of a cycle's first bytes: more are no single statement, or one that goes unreported
MOST_MESSAGES = 64
State = Literal["running", "finished", "cancelled", "timed out", "cancelled or timed out", "failed"]


def is_select(text: bytes) -> bool:
    return _SELECT.match(text) is not None


class SlowReports:
    """One session's. ``tick`` is called now and then while a cycle is open; ``was_slow`` is told what ended
    slowly, and how long it took; ``was_served`` says whether a rewrite of what ended was known.
    """

    def __init__(
        self,
        session: Session,
        identity: Identity,
        in_force: SettingsInForce,
        registry: StatementRegistry,
        reports: Reports,
        clock: Callable[[], float],
        was_slow: Callable[[bytes, float], None],
        was_served: Callable[[], bool],
    ) -> None:
        self._session = session
        self._identity = identity
        self._in_force = in_force
        self._registry = registry
        self._reports = reports
        self._clock = clock
        self._was_slow = was_slow
        self._was_served = was_served
        self._execution = 0
        self._seen_start = -1.0
        self._wanted = True
        # of the last error: how its query ended, the SQLSTATE, and when its cycle started
        self._failure: tuple[State, str, float] = ("failed", "", -1.0)

    def tick(self, now: float) -> None:
        """Report the running query, once."""
        cycles = self._session.cycles
        slow = cycles.pending and now - cycles.started > self._session.server.slow_after
        if slow and self._seen_start != cycles.started:
            self._report("running", now)

    def failed(self, message: bytes) -> None:
        """The client gets this ErrorResponse."""
        cycles, sqlstate = self._session.cycles, sqlstate_of(message)
        state: State = "failed" if sqlstate != "57014" else _stopped_by(message, cancelled=cycles.cancelled)
        self._failure = state, sqlstate, cycles.started

    def ended(self) -> None:
        state, sqlstate, started = self._failure
        # an error of an earlier, quick cycle says nothing about this one
        if started == self._session.cycles.started:
            self._report(state, self._clock(), sqlstate)
        else:
            self._report("finished", self._clock())

    def _report(self, state: State, now: float, sqlstate: str = "") -> None:
        cycles = self._session.cycles
        first = self._seen_start != cycles.started
        # of what was told as running the end is told, too, and of what was not it is not
        if not (first or self._wanted):
            return
        found = self._statement(cycles.chunk)
        if first:
            self._seen_start, self._execution = cycles.started, self._reports.next_execution()
            self._wanted = found is None or self._reports.wanted(found[0], now)
        if found is None or not self._wanted or _OFF.search(found[0]):
            return
        text, types, bind = found
        if not _SELECT.match(text):
            site = find_site(text)
            if site is None or site.kind == "explain":
                return
            text = site.select  # what may be replaced
        described = self._describe(text, types, bind, state, now - cycles.started)
        served = state != "running" and self._was_served()
        self._reports.put(replace(described, sqlstate=sqlstate, is_served=served))
        if state != "running":
            self._was_slow(text, now - cycles.started)

    def before(self, text: bytes, types: tuple[int, ...], bind: Bind | None = None) -> SlowQuery:
        """What the optimiser is told of a query that has not run yet."""
        return self._describe(text, types, bind, "running", 0.0)

    def _describe(
        self, text: bytes, types: tuple[int, ...], bind: Bind | None, state: State, duration: float
    ) -> SlowQuery:
        """One execution in the words of the port."""
        identity = self._identity
        values = bind.values if bind is not None else ()
        return SlowQuery(
            execution=self._execution,
            state=state,
            text=text.decode("utf-8", "replace"),
            parameter_types=types,
            parameters=values,
            parameter_formats=formats_of(bind.formats if bind is not None else (), len(values)),
            duration=duration,
            database=identity.database,
            role=identity.user,
            application_name=identity.name_of(self._session.server.parameters),
            client_address=identity.client_address,
            backend_pid=identity.backend_pid,
            settings=self._in_force.view,
            search_path=self._in_force.search_path,
            in_block=self._session.cycles.status != ord("I"),
        )

    def _statement(self, chunk: bytes) -> tuple[bytes, tuple[int, ...], Bind | None] | None:
        """The one statement that the bytes execute: text, declared types, Bind. None: none, or several."""
        parses: dict[bytes, tuple[bytes, tuple[int, ...]]] = {}
        bind: Bind | None = None
        query: bytes | None = None
        executed = at = seen = 0
        # a pipeline in one piece is looked at after each of its cycles: no further than is needed to know it
        while at + HEADER_SIZE <= len(chunk) and executed < 2:
            seen += 1
            if seen > MOST_MESSAGES:
                return None
            kind, length = HEADER.unpack_from(chunk, at)
            start, end = at + HEADER_SIZE, at + length + 1
            if end > len(chunk) or length < 4:
                break
            if kind == Q:
                query, executed = chunk[start : end - 1], executed + 1
            elif kind == PARSE and (parts := split_parse(chunk, start, end)):
                parses[parts[0]] = parts[1:]
            elif kind == BIND:
                bind = _bind(chunk[start:end])
            executed += kind == EXECUTE
            at = end
        if executed != 1:
            return None
        if query is not None:
            return query, (), None
        return self._executed(bind, parses)

    def _executed(
        self, bind: Bind | None, parses: dict[bytes, tuple[bytes, tuple[int, ...]]]
    ) -> tuple[bytes, tuple[int, ...], Bind | None] | None:
        if bind is None:
            return None
        known = self._registry.statements.get(bind.statement)
        if bind.statement in parses:
            return *parses[bind.statement], bind
        return (known.text, known.resolved or known.param_types, bind) if known is not None else None


def _stopped_by(message: bytes, *, cancelled: bool) -> State:
    """What ended a query with 57014 (query_canceled), which is the code of statement_timeout, too.

    Only the message tells them apart, and under another lc_messages not even that: then it is known of
    cancels that came through here, and not of ``pg_cancel_backend`` in another session.
    """
    if cancelled or b"user request" in message:
        return "cancelled"
    return "timed out" if b"statement timeout" in message else "cancelled or timed out"


def _bind(payload: bytes) -> Bind | None:
    try:
        decoded = decode(b"B", payload)
    except ProtocolViolation:
        return None
    return decoded if isinstance(decoded, Bind) else None
