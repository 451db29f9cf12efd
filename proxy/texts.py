"""What a session does about a text: a Query, or the Parse that prepares one.

Owns the decision; what it leads to is an exchange (``rewright.proxy.serving``). Must not do I/O.
"""

from __future__ import annotations

import contextlib
import re

from rewright.proxy.duckdb_backend import exchanges as duckdb_backend
from rewright.proxy.serving import inline, local
from rewright.proxy.serving.context import SessionContext
from rewright.proxy.serving.exchanges import ServeQuery
from rewright.proxy.serving.forwarding import forward, forward_query
from rewright.proxy.serving.kept_settings import read_command
from rewright.proxy.serving.refreshing import refresh
from rewright.proxy.serving.refusing import failed_query
from rewright.proxy.session import Cancelled, Exchange
from rewright.proxy.statements import Statement, split_parse
from rewright.proxy.wire.frontend import Query
from rewright.proxy.wire.tables import HEADER_SIZE

# the first byte of a text that may be one of ours: a keyword, a blank or a comment
_FIRST = frozenset(b"aec \t\r\n/-(")
_FIRST_BYTES = frozenset(bytes((byte,)) for byte in _FIRST) | {b""}
_KEYWORD = re.compile(rb"(?:[\s(]|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*\n)*([a-zA-Z]+)")
_NAMES_CHANGE = re.compile(rb"\b(?:deallocate|prepare|discard)\b", re.IGNORECASE)
# ours, and where names are looked up
_SETTINGS_CHANGE = re.compile(
    rb"rewright|search_path|\bset_config\b|\b(?:reset|discard)\s+all\b|\bset\s+(?:session\s+|local\s+)?schema\b",
    re.IGNORECASE,
)
_AUGMENT_FIRST = frozenset({b"augment", b"explain", b"create"})
_DIGITS = b"0123456789"
# texts without their digits that name nothing of ours and change nothing; of all sessions of the process
_plain_texts: set[bytes] = set()
# texts that were found to be plain, and their length: a cache for all sessions
_PLAIN_COUNT, _PLAIN_SIZE = 1000, 4000


class Texts:
    """Of one session. ``query`` and ``parse`` return what takes the message over; None: it passes."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._registry = context.registry
        self._in_force = context.in_force
        self._lookups = context.lookups
        self._find = context.lookups.find
        self._measuring = context.measuring
        self._lake = context.lake
        # the last unnamed Parse that was of no interest, and what it made
        self._plain: Statement | None = None
        self._plain_parse: tuple[bytes, Statement | None] = (b"", None)

    # --- Query --------------------------------------------------------------------------------------

    def query(self, text: bytes, *, refreshed: bool = False) -> Exchange | None:
        context, registry, in_force = self._context, self._registry, self._in_force
        # A simple Query destroys the unnamed statement and the unnamed portal (manual, "Extended Query").
        if registry.statements or registry.portals:
            context.forget_unnamed()
        bare = text.translate(None, _DIGITS)
        plain = bare in _plain_texts
        if plain:
            if in_force.stale and not refreshed and in_force.must_refresh():
                return self._refreshing_query(text)
        else:
            noted = self._noted(text, refreshed=refreshed)
            if noted is not None:
                return noted
        if self._lake is not None and not context.cycles.since:
            exchange = duckdb_backend.query_exchange(context, text)
            if exchange is not None:
                return exchange
        candidate = self._find(text, ())
        if candidate is not None:
            return ServeQuery(context, text, candidate).exchange()
        self._measuring.passed()
        if in_force.view.mode == "inline" and self._lookups.may_hold(text):
            return inline.query_exchange(context, text)
        if plain:
            self._lookups.note_passing(bare)
        return None

    def _noted(self, text: bytes, *, refreshed: bool) -> Exchange | None:
        """What the words of a text mean for the session; what takes it over (or reads the settings first)."""
        in_force = self._in_force
        lower = text.lower()
        ours = b"rewright" in lower
        touches = _touches_state(lower)
        changes = (ours or touches) and self._note_changes(lower)
        known = refreshed or (changes and not in_force.unread)
        if in_force.stale and not known and in_force.must_refresh():
            return self._refreshing_query(text)
        in_force.unread = in_force.unread or b"pooled" in lower
        if (ours or (lower and lower[0] in _FIRST and self._has_keyword(lower))) and not self._augments(text):
            exchange = local.query_exchange(self._context, text)
            if exchange is not None:
                return exchange
        if changes and in_force.kept.in_force:
            command = read_command(text)
            return None if command is None else local.changing_query(self._context, text, command)
        if not (ours or touches):
            _remember_plain(text)
        return None

    def _refreshing_query(self, text: bytes) -> Exchange:
        """Read the settings first, then look at the text again."""
        try:
            yield from refresh(self._context)
        except Cancelled:
            yield from failed_query(None)
            return
        yield from self.query(text, refreshed=True) or forward_query(Query(text).encode())

    # --- Parse --------------------------------------------------------------------------------------

    def parse(self, data: bytes, at: int, end: int) -> Exchange | None:
        payload = data[at:end]
        known = self._plain_parse
        if (
            payload == known[0]
            and not self._in_force.stale
            and known[1] is not None
            and self._registry.statements.get(b"") is known[1]
            and known[1].candidate is None
        ):
            # the same once more, as drivers do that prepare nothing by name
            self._measuring.passed()
            self._context.note_same(payload)
            return None
        parts = split_parse(data, at + HEADER_SIZE, end)
        # Malformed: the server refuses it in its own words.
        if parts is None:
            return None
        name, text, types = parts
        if self._in_force.stale and self._in_force.must_refresh():
            return self._refreshing_parse(payload)
        exchange = self._parse_known(name, text, types)
        if exchange is None and self._plain is not None and not name:
            self._plain_parse = payload, self._plain
            self._context.note_same(payload)
        return exchange

    def _parse_known(self, name: bytes, text: bytes, types: tuple[int, ...]) -> Exchange | None:
        context, in_force = self._context, self._in_force
        statement = Statement(text, types)
        lower = text.lower()
        ours = b"rewright" in lower
        touches = _touches_state(lower)
        changes = (ours or touches) and self._note_changes(lower)
        in_force.unread = in_force.unread or (changes and b"pooled" in lower)
        exchange = None
        if (ours or (lower and lower[0] in _FIRST and self._has_keyword(lower))) and not self._augments(text):
            exchange = local.parse_exchange(context, name, statement)
        if exchange is None and self._lake is not None:
            exchange = duckdb_backend.parse_exchange(context, name, statement)
        if exchange is not None:
            return exchange
        if changes and in_force.kept.in_force:
            statement.command = read_command(text)
        statement.changes = changes and not in_force.kept.in_force
        statement.candidate = self._find(text, types)
        if statement.candidate is None:
            self._measuring.passed()
        context.note_parsed(name, statement)
        is_plain = not (ours or touches or statement.special or self._lake is not None)
        self._plain = statement if is_plain else None
        return None

    def _refreshing_parse(self, message: bytes) -> Exchange:
        with contextlib.suppress(Cancelled):  # what is not running yet goes on
            yield from refresh(self._context)
        parts = split_parse(message, HEADER_SIZE, len(message))
        assert parts is not None
        yield from self._parse_known(*parts) or forward(message, b"P")

    # --- words --------------------------------------------------------------------------------------

    def _note_changes(self, lower: bytes) -> bool:
        """Whether the text may change settings; names of statements it may change become unknown."""
        if b"discard" in lower:
            self._context.asked_before = None  # at worst a question has nothing to follow up
        if _NAMES_CHANGE.search(lower):
            # SQL that (de)allocates statements: from here on, only their command tags tell
            self._context.privates.forget()
            self._registry.doubt(lower)
            self._context.rewatch()
        if not _SETTINGS_CHANGE.search(lower):
            return False
        if not self._in_force.kept.in_force:
            self._in_force.stale_after()
        return True

    def _augments(self, text: bytes) -> bool:
        """Whether it is an AUGMENT, which a lake answers."""
        lower = text.lower()
        if self._lake is None or b"augment" not in lower:
            return False
        word = _KEYWORD.match(lower)
        return (
            word is not None
            and word[1] in _AUGMENT_FIRST
            and self._lake.concerns(text.decode("utf-8", "replace"))
        )

    def _has_keyword(self, lower: bytes) -> bool:
        """Whether the text begins with a word of a statement of ours."""
        keywords = self._lookups.keywords
        word = _KEYWORD.match(lower) if keywords else None
        return word is not None and word[1] in keywords


def _remember_plain(text: bytes) -> None:
    """Texts like this one have no word that is of interest; with what is left without digits it is known at
    once.

    A word of interest has no digit, so it would stand in what is left, too. That might be a word only because
    digits between its letters are gone: then it is not remembered.
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
        or b"search_path" in lower
        or b"schema" in lower
    )
