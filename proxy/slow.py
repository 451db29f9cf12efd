"""Noticing SELECTs that take long, running or ended, without looking at those that don't.

Owns what a report says. The text is found only when a query turned out slow, in the piece of bytes that began the
cycle. Must not do I/O.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from rewright.proxy.ports import SlowQuery
from rewright.proxy.serving.sites import find_site
from rewright.proxy.statements import formats_of, split_parse
from rewright.proxy.wire.framing import ProtocolViolation
from rewright.proxy.wire.frontend import Bind, decode
from rewright.proxy.wire.tables import BIND, EXECUTE, HEADER, HEADER_SIZE, PARSE, Q

if TYPE_CHECKING:
    from rewright.proxy.interceptor_state import InterceptorState

_SELECT = re.compile(rb"(?:[\s(]|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*\n)*(?:select|with)\b", re.IGNORECASE)
_OFF = re.compile(rb"/\*\s*rewright:off\s*\*/", re.IGNORECASE)
State = Literal["running", "finished", "cancelled", "timed out", "failed"]


def is_select(text: bytes) -> bool:
    return _SELECT.match(text) is not None


class SlowReports:
    """One session's. ``tick`` is called now and then while a cycle is open."""

    def __init__(self, interceptor: InterceptorState) -> None:
        self.interceptor = interceptor
        self._execution = 0
        self._reported_start = -1.0
        self._failure: State | None = None

    def tick(self, now: float) -> None:
        """Report the running query, once."""
        session = self.interceptor.session
        slow = session.pending and now - session.started > session.slow_after
        if slow and self._reported_start != session.started:
            self._report("running", now)

    def failed(self, message: bytes) -> None:
        if b"C57014\0" not in message:
            self._failure = "failed"
        else:
            self._failure = (
                "cancelled"
                if self.interceptor.session.cancelled or b"user request" in message
                else "timed out"
            )

    def ended(self) -> None:
        state: State = self._failure or "finished"
        self._failure = None
        self._report(state, self.interceptor.clock())

    def _report(self, state: State, now: float) -> None:
        interceptor, session = self.interceptor, self.interceptor.session
        if self._reported_start != session.started:
            self._execution = interceptor.next_execution()
            self._reported_start = session.started
        found = self._statement(session.chunk)
        if found is None or _OFF.search(found[0]):
            return
        text, types, bind = found
        if not _SELECT.match(text):
            site = find_site(text)
            if site is None or site.kind == "explain":
                return
            text = site.select  # what may be replaced
        interceptor.put(self.describe(text, types, bind, state, now - session.started))
        if state != "running":
            interceptor.was_slow(text, now - session.started)

    def describe(
        self, text: bytes, types: tuple[int, ...], bind: Bind | None, state: State, duration: float
    ) -> SlowQuery:
        """One execution in the words of the port."""
        interceptor = self.interceptor
        values = bind.values if bind is not None else ()
        return SlowQuery(
            execution=self._execution,
            state=state,
            text=text.decode("utf-8", "replace"),
            parameter_types=types,
            parameters=values,
            parameter_formats=formats_of(bind.formats if bind is not None else (), len(values)),
            duration=duration,
            database=interceptor.identity.database,
            role=interceptor.identity.user,
            application_name=interceptor.application_name,
            client_address=interceptor.identity.client_address,
            backend_pid=interceptor.identity.backend_pid,
            settings=interceptor.view,
            in_block=interceptor.session.status != ord("I"),
        )

    def _statement(self, chunk: bytes) -> tuple[bytes, tuple[int, ...], Bind | None] | None:
        """The one statement that the bytes execute: text, declared types, Bind. None: none, or several."""
        parses: dict[bytes, tuple[bytes, tuple[int, ...]]] = {}
        bind: Bind | None = None
        query: bytes | None = None
        executed = at = 0
        while at + HEADER_SIZE <= len(chunk):
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
        known = self.interceptor.registry.statements.get(bind.statement)
        if bind.statement in parses:
            return *parses[bind.statement], bind
        return (known.text, known.resolved or known.param_types, bind) if known is not None else None


def _bind(payload: bytes) -> Bind | None:
    try:
        decoded = decode(b"B", payload)
    except ProtocolViolation:
        return None
    return decoded if isinstance(decoded, Bind) else None
