"""What a session looks at: which messages are special, and what is remembered of the others.

Owns the decision for each Query, Parse, Bind, Describe, Execute and Close that the session shows. What a special
message leads to is an exchange (``rewright.proxy.serving``). Must not do I/O.
"""

from __future__ import annotations

import contextlib
import re
import struct

from rewright.proxy.duckdb_backend import exchanges as duckdb_backend
from rewright.proxy.interceptor_state import Identity, InterceptorState, Timing, rows_of
from rewright.proxy.serving import inline, local
from rewright.proxy.serving.exchanges import ServeExecute, ServeQuery
from rewright.proxy.serving.kept_settings import read_command
from rewright.proxy.session import IDLE, Cancelled, Exchange
from rewright.proxy.statements import Portal, Statement, split_names, split_parse
from rewright.proxy.wire.frontend import Execute, Query
from rewright.proxy.wire.tables import BIND, CLOSE, DESCRIBE, EXECUTE, HEADER_SIZE, PARSE, Q

# the first byte of a text that may be one of ours: a keyword, a blank or a comment
_FIRST = frozenset(b"aec \t\r\n/-(")
_FIRST_BYTES = frozenset(bytes((byte,)) for byte in _FIRST) | {b""}
_KEYWORD = re.compile(rb"(?:[\s(]|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*\n)*([a-zA-Z]+)")
_NAMES_CHANGE = re.compile(rb"\b(?:deallocate|prepare|discard)\b", re.IGNORECASE)
_SETTINGS_CHANGE = re.compile(rb"rewright|\bset_config\b|\b(?:reset|discard)\s+all\b", re.IGNORECASE)
_DIGITS = b"0123456789"
# texts without their digits that name nothing of ours and change nothing; of all sessions of the process
_plain_texts: set[bytes] = set()
_PLAIN_COUNT, _PLAIN_SIZE = 1000, 4000


class SessionInterceptor(InterceptorState):
    """One session's interceptor."""

    # --- what the session asks ---------------------------------------------------------------------

    def special(self) -> Exchange:
        assert self._next is not None
        exchange, self._next = self._next, None
        return exchange

    def passes(self, kind: int, data: bytes, at: int, end: int) -> bool:
        lookup = self.ports.lookup
        if lookup is not None and lookup.version != self.seen_version:
            self.look_again()
        start = at + HEADER_SIZE
        if kind == Q:
            if data[end - 1]:
                return True  # it does not end as a text does: the server says so
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
            self.registry.statements[data[at + HEADER_SIZE : name_end]] = None
            return True
        if kind == BIND and names is not None:
            self.registry.portals.pop(names[0], None)
            return True
        return False

    def cycle_ended(self) -> bool:
        """True: call again at the end of the next cycle."""
        self.registry.confirmed()
        if self.session.status == IDLE:
            self.portion_over()
        if self.registry.portals or self.privates.open_portals:
            self._end_portals()
        if self.kept.cycle_ended(idle=self.session.status == IDLE):
            self.kept_changed()
        return bool(
            self.registry.portals or self.registry.fresh or self.privates.open_portals or self.kept.open
        )

    def _end_portals(self) -> None:
        """Those of the cycle that ended; clients that pipeline may have bound others for the next one already."""
        idle = self.session.status == IDLE
        for name, portal in list(self.registry.portals.items()):
            if portal.ahead:
                portal.ahead -= 1
            elif idle:
                del self.registry.portals[name]
        if idle:
            self.privates.forget_portals()
            self.rewatch()

    def slow_ended(self) -> None:
        self.slow.ended()

    def error(self, message: bytes) -> None:
        self.registry.failed()
        self.slow.failed(message)
        self.kept.failed()
        if self.timing is not None:
            self.timing_failed(message)

    def suspended(self) -> None:
        """Execute's limit of rows was reached: drivers that want one row never ask for more."""
        if self.timing is not None:
            self.portion_ended()

    def tag(self, tag: bytes) -> None:
        self.portion_over()
        self.kept.tag(tag)
        if self.timing is not None:
            self._timed(rows=rows_of(tag))
        if tag in {b"DEALLOCATE ALL", b"DISCARD ALL"}:
            self._all_gone()
        elif tag.startswith((b"DEALLOCATE", b"PREPARE")):
            self.registry.doubt()
            self.rewatch()

    # --- texts --------------------------------------------------------------------------------------

    def _query(self, text: bytes, *, refreshed: bool = False) -> bool:
        registry = self.registry
        if registry.statements or registry.portals:
            self._forget_unnamed()
        if text.translate(None, _DIGITS) in _plain_texts:
            if self.settings_stale and not refreshed and self._must_refresh():
                self._next = self._refreshing_query(text)
                return False
        elif self._noted(text, refreshed=refreshed):
            return False
        if self.lake is not None and not self.session.since:
            self._next = duckdb_backend.query_exchange(self, text)
            if self._next is not None:
                return False
        candidate = self.find(text, ())
        if candidate is None:
            self.last = self._passed()
            if self.view.mode != "inline" or not self.may_hold(text):
                return True
            self._next = inline.query_exchange(self, text)
            return False
        self._next = ServeQuery(self, text, candidate).exchange()
        return False

    def _noted(self, text: bytes, *, refreshed: bool) -> bool:
        """What the words of a text mean for the session; whether an exchange takes it over (or reads the settings first)."""
        lower = text.lower()
        ours = b"rewright" in lower
        touches = _touches_state(lower)
        changes = (ours or touches) and self._note_changes(lower)
        known = refreshed or (changes and not self.unread)
        if self.settings_stale and not known and self._must_refresh():
            self._next = self._refreshing_query(text)
            return True
        self.unread = self.unread or b"pooled" in lower
        if ours or (lower and lower[0] in _FIRST and self._has_keyword(lower)):
            self._next = local.query_exchange(self, text)
            if self._next is not None:
                return True
        if changes and self.kept.in_force:
            command = read_command(text)
            self._next = None if command is None else local.changing_query(self, text, command)
            return self._next is not None
        if not (ours or touches):
            _remember_plain(text)
        return False

    def _note_changes(self, lower: bytes) -> bool:
        """Whether the text may change settings; names of statements it may change become unknown."""
        self._note_names_change(lower)
        if not _SETTINGS_CHANGE.search(lower):
            return False
        if not self.kept.in_force:
            self.settings_stale_after()
        return True

    def _refreshing_query(self, text: bytes) -> Exchange:
        """Read the settings first, then look at the text again."""
        try:
            yield from self.privates.refresh(self)
        except Cancelled:
            yield from local.failed_query(None)
            return
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
            and self.registry.statements.get(b"") is known[1]
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
        changes = (ours or touches) and self._note_changes(lower)
        self.unread = self.unread or (changes and b"pooled" in lower)
        if ours or (lower and lower[0] in _FIRST and self._has_keyword(lower)):
            exchange = local.parse_exchange(self, name, statement)
            if exchange is not None:
                self._next = exchange
                return False
        if self.lake is not None:
            self._next = duckdb_backend.parse_exchange(self, name, statement)
            if self._next is not None:
                return False
        if changes and self.kept.in_force:
            statement.command = read_command(text)
        statement.changes = changes and not self.kept.in_force
        statement.candidate = self.find(text, types)
        if statement.candidate is None:
            self.last = self._passed()
        self.note_parsed(name, statement)
        is_plain = not (ours or touches or statement.special or self.lake is not None)
        self._plain = statement if is_plain else None
        return True

    def _refreshing_parse(self, message: bytes) -> Exchange:
        with contextlib.suppress(Cancelled):  # what is not running yet goes on
            yield from self.privates.refresh(self)
        parts = split_parse(message, HEADER_SIZE, len(message))
        assert parts is not None
        if self._parse_known(*parts):
            yield from local.forward(message, b"P")
        else:
            yield from self.special()

    def note_parsed(self, name: bytes, statement: Statement) -> None:
        before = self.registry.statements.get(name)
        self.registry.parsed(name, statement)
        self.session.unusual = True
        if statement.special or (before is not None and before.special):
            self.rewatch()

    def _has_keyword(self, lower: bytes) -> bool:
        """Whether the text begins with a word of a statement of ours."""
        word = _KEYWORD.match(lower) if self.keywords else None
        return word is not None and word[1] in self.keywords

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
        statement = self.registry.statements.get(name)
        if statement is None or not (statement.special or self.view.mode == "inline"):
            return True
        if statement.changes and statement.answer is None and not statement.tag:
            # read before it runs, the settings are old again once it has
            self.settings_stale_after()
            return True
        self.session.unusual = True
        message = data[at:end]
        if statement.answer is not None or statement.tag:
            self._next = local.bind_exchange(self, portal, statement, message)
            return self._next is None
        self.registry.portals[portal] = Portal(statement, message, ahead=self.session.pending)
        return True

    def _refreshing_bind(self, message: bytes) -> Exchange:
        """A driver that only binds what it prepared long ago must feel a change of its settings, too."""
        with contextlib.suppress(Cancelled):
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
        portal = self.registry.portals.get(name)
        if portal is None:
            self._passed_by()
            return True
        (max_rows,) = struct.unpack_from("!i", data, name_end + 1)
        message = data[at:end]
        exchange = self._execution(name, portal, max_rows, message)
        if exchange is None:
            portal.original = True
            self._passed_by()
            return True
        self._next = self._while_it_lives(name, portal, message, exchange)
        return False

    def _execution(self, name: bytes, portal: Portal, max_rows: int, message: bytes) -> Exchange | None:
        """What takes an Execute over; None: it passes as it is."""
        statement = portal.statement
        if isinstance(statement.answer, duckdb_backend.LakeStatement):
            return duckdb_backend.execute_exchange(self, name, portal, statement.answer, max_rows)
        if statement.fetches is not None and statement.fetches.name in self.lake_cursors:
            return duckdb_backend.fetch_exchange(self, name, portal, statement.fetches, max_rows)
        if statement.answer is not None or statement.tag:
            return local.execute_exchange(self, name, portal, max_rows, message)
        if statement.command is not None:
            return local.changing_execute(self, statement.command, message)
        if portal.private:
            # it goes on where it began, whatever became of the rewrite: the original would begin anew
            self.portion_begins()
            return local.forward(Execute(portal.private, max_rows).encode(), b"E")
        held = self.view.mode == "inline" and self.may_hold(statement.text)
        if portal.original or (statement.candidate is None and not held):
            return None
        if statement.candidate is None:
            return inline.execute_exchange(self, name, portal, max_rows, message)
        return ServeExecute(self, name, portal, max_rows, message).exchange()

    def _while_it_lives(self, name: bytes, portal: Portal, message: bytes, exchange: Exchange) -> Exchange:
        """A cycle that was still open when the Execute came may have ended the portal: then the server says so."""
        if self.registry.portals.get(name) is portal:
            yield from exchange
        else:
            exchange.close()
            yield from local.forward(message, b"E")

    def _passed_by(self) -> None:
        """An original was executed: what SHOW rewright.last knew is over."""
        if self.timing is not None:
            self.followed = True
        elif self.last.text:
            self.last = self._passed()
            self.rewatch()

    def _describe(self, data: bytes, at: int, end: int) -> bool:
        start = at + HEADER_SIZE
        name = data[start + 1 : end - 1]
        if data[start : start + 1] == b"S":
            statement = self.registry.statements.get(name)
            formats: tuple[int, ...] = ()
        else:
            portal = self.registry.portals.get(name)
            statement = portal.statement if portal is not None else None
            formats = portal.result_formats if portal is not None else ()
        if statement is None or statement.answer is None:
            return True
        self._next = local.describe_exchange(statement.answer, formats, data[at:end])
        return False

    def _close(self, kind: int, name: bytes) -> bool:
        if kind == ord("S"):
            self.registry.closed(name)
            self.rewatch()
        else:
            self._drop_portal(name)
        return True

    def _drop_portal(self, name: bytes) -> None:
        portal = self.registry.portals.pop(name, None)
        if portal is not None and portal.private:
            self.privates.dead_portals.append(portal.private)

    def _forget_unnamed(self) -> None:
        """A simple Query destroys the unnamed statement and the unnamed portal."""
        registry = self.registry
        if registry.statements and registry.statements.pop(b"", None) is not None:
            self.rewatch()
        if registry.portals:
            self._drop_portal(b"")

    def _all_gone(self) -> None:
        self.registry.forget()
        self.privates.forget()
        self.rewatch()

    def _note_names_change(self, text: bytes) -> None:
        """SQL that (de)allocates statements: from here on, only their command tags tell."""
        if _NAMES_CHANGE.search(text):
            self.privates.forget()
            self.registry.doubt()
            self.rewatch()


def _remember_plain(text: bytes) -> None:
    """Texts like this one have no word that is of interest; with what is left without digits it is known at once.

    A word of interest has no digit, so it would stand in what is left, too. That might be a word only because digits
    between its letters are gone: then it is not remembered.
    """
    left = text.translate(None, _DIGITS)
    lower = left.lower()
    if len(left) > _PLAIN_SIZE or b"rewright" in lower or _touches_state(lower) or lower[:1] in _FIRST_BYTES:
        return
    if len(_plain_texts) >= _PLAIN_COUNT:
        _plain_texts.clear()
    _plain_texts.add(left)


def _touches_state(lower: bytes) -> bool:
    """Quickly: whether a text may change names of statements, or settings."""
    return (
        b"prepare" in lower
        or b"allocate" in lower
        or b"discard" in lower
        or b"set_config" in lower
        or b"reset" in lower
    )


__all__ = ["Identity", "SessionInterceptor", "Timing"]
