"""A PostgreSQL server as small as the session machine needs it: it says what it ran, without I/O.

Its statements all give one row of one column. It knows ``set rewright.mode``, transaction blocks and the
private guard and verifier.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rewright.proxy.serving.forwarding import PLACEHOLDER
from rewright.proxy.serving.guard import PARAM_TYPES, guard_sql, settings_sql
from rewright.proxy.serving.private import VERIFIER_STATEMENT, statement_name
from rewright.proxy.wire import backend as b
from rewright.proxy.wire import frontend as f
from tests.proxy.rules import RULES

ONE_COLUMN = b.RowDescription((b.Column(b"x", 23),)).encode()
NO_PARAMETERS = b.ParameterDescription(()).encode()
NO_GUARD_DIGEST = b"d"
GUARD_STATEMENT = statement_name(guard_sql([rule.name for rule in RULES.rules]).encode(), PARAM_TYPES)

SETTINGS = settings_sql([rule.name for rule in RULES.rules]).encode()
PATH = b"{pg_catalog,public}"


def settings_row(mode: bytes | None = None) -> bytes:
    """The answer to the reading of a session's settings."""
    return b.DataRow((mode, *[None] * (len(RULES.rules) - 1), PATH)).encode()


def guard_row(mode: bytes | None = None, digest: bytes = NO_GUARD_DIGEST) -> bytes:
    settings = [mode, *[None] * (len(RULES.rules) - 1)]
    fixed = [
        b"u",
        b"u",
        b"none",
        PATH,
        b"on",
        b"off",
        b"on",
        b"UTC",
        b"read committed",
        None,
        b"f",
        b"f",
        b"t",
        b"t",
        digest,
    ]
    return b.DataRow((*settings, *fixed)).encode()


@dataclass
class Portal:
    statement: bytes
    text: bytes
    values: tuple[bytes | None, ...]
    rows: int = 3


@dataclass
class FakeServer:
    """``feed`` bytes for the server, get its reply. ``ran``: texts that gave rows, once for each Execute or
    Query.
    """

    ran: list[bytes] = field(default_factory=list)
    mode: bytes | None = None
    statements: dict[bytes, bytes] = field(default_factory=dict)
    portals: dict[bytes, Portal] = field(default_factory=dict)
    block: bool = False
    failed: bool = False
    # what comes for a text, whole: rows, notices, and the tag or an error with the state 22012
    answers: dict[bytes, bytes] = field(default_factory=dict)

    def feed(self, data: bytes) -> bytes:
        reply, at = b"", 0
        while at < len(data):
            end = at + int.from_bytes(data[at + 1 : at + 5], "big") + 1
            reply += self._one(f.decode(data[at : at + 1], data[at + 5 : end]))
            at = end
        return reply

    def _one(self, message: f.FrontendMessage) -> bytes:
        if isinstance(message, f.Sync):
            self.failed = False
            return self._ready()
        if self.failed:
            return b""
        match message:
            case f.Query(sql) if sql.endswith(b"/ 0"):
                return b.error("22012", "no") + self._ready()
            case f.Query(sql):
                self.statements.pop(b"", None)
                self.portals.pop(b"", None)
                reply, self.failed = self._query(sql), False
                return reply + self._ready()
            case f.Parse(name, sql):
                if name and name in self.statements:
                    return self._error("42P05")
                self.statements[name] = sql
                return b.PARSE_COMPLETE
            case f.Bind(portal, statement, _, values):
                if statement not in self.statements or (portal and portal in self.portals):
                    return self._error("26000")
                self.portals[portal] = Portal(statement, self.statements[statement], values)
                return b.BIND_COMPLETE
            case f.Describe(kind, _):
                return NO_PARAMETERS * (kind == b"S") + ONE_COLUMN
            case f.Execute(portal, max_rows):
                return self._execute(portal, max_rows)
            case f.Close(kind, name):
                (self.statements if kind == b"S" else self.portals).pop(name, None)
                return b.CLOSE_COMPLETE
            case _:
                return b""

    def _query(self, sql: bytes) -> bytes:
        if sql.startswith(b"set rewright.mode = "):
            self.mode = sql.rpartition(b" ")[2]
            return b.CommandComplete(b"SET").encode()
        if sql == b"reset rewright.mode":
            self.mode = None
            return b.CommandComplete(b"RESET").encode()
        if sql in {b"begin", b"commit"}:
            self.block = sql == b"begin"
            return b.CommandComplete(sql.upper()).encode()
        self._note(sql)
        if sql in self.answers:
            return ONE_COLUMN + self._answer(self.answers[sql])
        return ONE_COLUMN + b.DataRow((sql,)).encode() + b.CommandComplete(b"SELECT 1").encode()

    def _execute(self, name: bytes, max_rows: int) -> bytes:
        portal = self.portals.get(name)
        if portal is None:
            return self._error("34000")
        done = b.CommandComplete(b"SELECT 1").encode()
        if portal.statement == GUARD_STATEMENT:
            return guard_row(self.mode) + done
        if portal.text == SETTINGS:
            return settings_row(self.mode) + done
        if portal.statement == VERIFIER_STATEMENT:
            return b.DataRow((self.statements.get(portal.values[0] or b""),)).encode() + done
        self._note(portal.text)
        if portal.text in self.answers:
            return self._answer(self.answers[portal.text])
        size = min(max_rows, portal.rows) if max_rows else portal.rows
        portal.rows -= size
        row = b.DataRow((portal.text,)).encode() * size
        return row + (b.PORTAL_SUSPENDED if portal.rows else done)

    def _answer(self, answer: bytes) -> bytes:
        self.failed = b"C22012" in answer
        return answer

    def _note(self, text: bytes) -> None:
        if text != PLACEHOLDER:
            self.ran.append(text)

    def _ready(self) -> bytes:
        if not self.block:
            self.portals.clear()
        return b.ReadyForQuery(b"T" if self.block else b"I").encode()

    def _error(self, state: str) -> bytes:
        self.failed = True
        return b.error(state, "no")
