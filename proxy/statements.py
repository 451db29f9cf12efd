"""What a session has prepared and bound, as far as it can be told from the wire.

Owns the names. When in doubt a name is unknown (None) until the client closes it: an unknown statement is
only relayed, so a mistake here can cost speed, never an answer. Must not know rewrites beyond carrying them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rewright.proxy.ports import Answer, Candidate
from rewright.proxy.serving.kept_settings import SetCommand
from rewright.proxy.wire.backend import Column
from rewright.proxy.wire.framing import HEADER, ProtocolViolation
from rewright.proxy.wire.frontend import Bind, decode

# a client that never closes its statements must not fill the proxy; beyond that they are relayed
MAX_STATEMENTS = 10_000


class Statement:
    """A prepared statement as the client's Parse gave it.

    ``param_types``: declared in Parse; ``resolved`` and ``columns``: as the server described it, once asked.
    ``answer``: it is answered here, the server holds a placeholder; ``tag``: its command tag is another;
    ``fetches``: it reads from a cursor by name, which may be a lake's; ``command``: it changes settings that
    the session keeps itself; ``changes``: running it may change settings on the server;
    ``executes``: a ``rewright.proxy.serving.taking.TakesExecutes`` that runs it.
    """

    __slots__ = (
        "answer",
        "candidate",
        "changes",
        "columns",
        "command",
        "executes",
        "fetches",
        "param_types",
        "refused",
        "resolved",
        "tag",
        "text",
        "verified",
    )

    def __init__(self, text: bytes, param_types: tuple[int, ...]) -> None:
        self.text = text
        self.param_types = param_types
        self.candidate: Candidate | None = None
        self.answer: Answer | None = None
        self.tag = ""
        self.fetches: Any = None
        self.command: SetCommand | None = None
        self.changes = False
        self.executes: Any = None
        self.resolved: tuple[int, ...] | None = None
        self.columns: tuple[Column, ...] | None = None
        self.verified = False
        self.refused = ""

    @property
    def special(self) -> bool:
        return (
            self.candidate is not None
            or self.answer is not None
            or bool(self.tag)
            or self.fetches is not None
            or self.command is not None
            or self.changes
            or self.executes is not None
        )


@dataclass(slots=True)
class Portal:
    """A bound statement: the client's Bind as it came; ``private``: the portal that a replacement runs in,
    ours, or the client's own if that has a name.

    ``ahead``: cycles that were open when it was bound; it lives to the end of the one behind them.
    ``original``: the client's own was executed, and goes on if it is executed again. ``moved``: something
    ran since that may have read from it.
    """

    statement: Statement
    bind: bytes
    private: bytes = b""
    original: bool = False
    moved: bool = False
    ahead: int = 0
    result_formats: tuple[int, ...] = ()
    rows: list[bytes] | None = None
    tag: bytes = b""
    cursor: Any = None  # of a lake query that is being read
    prepared: Any = None  # what a lake's EXECUTE runs, and its parameters

    @property
    def bound(self) -> Bind:
        """What ``bind`` says. Raises ProtocolViolation: see ``bind_of``."""
        found = bind_of(self.bind)
        if found is None:
            raise ProtocolViolation("not a Bind")
        return found


@dataclass(slots=True)
class StatementRegistry:
    """Statements and portals by name."""

    statements: dict[bytes, Statement | None] = field(default_factory=dict)
    portals: dict[bytes, Portal] = field(default_factory=dict)
    fresh: list[bytes] = field(default_factory=list)  # parsed in the open cycle, not confirmed yet
    special: int = 0

    def parsed(self, name: bytes, statement: Statement) -> None:
        """The client sent Parse. A name that is taken will be refused by the server, or we lost track:
        unknown. What is answered here takes a name of which nothing is known: the server has a placeholder.
        """
        is_taken = name in self.statements
        if is_taken and statement.answer is not None and self.statements[name] is None:
            is_taken = False
        # The unnamed statement alone may be parsed again without a Close ("Extended Query").
        if name and (is_taken or len(self.statements) >= MAX_STATEMENTS):
            self.statements[name] = None
            return
        self.statements[name] = statement
        self.fresh.append(name)

    def confirmed(self) -> None:
        """A cycle ended without an error."""
        self.fresh.clear()

    def failed(self) -> None:
        """An error came: which of the fresh statements exist is not known."""
        for name in self.fresh:
            if name:
                self.statements[name] = None
            else:
                self.statements.pop(name, None)
        self.fresh.clear()

    def closed(self, name: bytes) -> None:
        self.statements.pop(name, None)

    def forget(self) -> None:
        """DISCARD ALL, DEALLOCATE ALL."""
        self.statements.clear()
        self.portals.clear()
        self.fresh.clear()

    def doubt(self, text: bytes = b"") -> None:
        """Names changed by SQL: what each means is not known any more.

        The server has a placeholder for what is answered here, whose rows nobody may see: that stays known,
        unless ``text`` (in lower case) names it.
        """
        self.statements = {
            name: statement
            if statement is not None and statement.answer is not None and not _names(text, name)
            else None
            for name, statement in self.statements.items()
        }
        self.fresh.clear()

    def runs(self, executed: bytes | None) -> None:
        """The portal ``executed`` is run, or (None) a text: it may read from other portals by name, or make a
        savepoint that they are older than.
        """
        for name, portal in self.portals.items():
            if name != executed:
                portal.moved = True

    def known(self) -> Iterator[Statement]:
        """What names or portals stand for; a portal outlives the name of its
        statement. Some may come twice.
        """
        yield from (statement for statement in self.statements.values() if statement is not None)
        yield from (portal.statement for portal in self.portals.values())

    def any_special(self) -> bool:
        return any(portal.private for portal in self.portals.values()) or any(
            statement.special for statement in self.known()
        )


def _names(text: bytes, name: bytes) -> bool:
    """Whether the name is one of a text's words; that of the unnamed statement is in all."""
    return re.search(rb"(?<!\w)%b(?!\w)" % re.escape(name.lower()), text) is not None if name else True


def split_parse(data: bytes, start: int, end: int) -> tuple[bytes, bytes, tuple[int, ...]] | None:
    """Name, text and declared types of a Parse payload; None when it is malformed."""
    name_end = data.find(b"\0", start, end)
    text_end = data.find(b"\0", name_end + 1, end)
    if name_end < 0 or text_end < 0 or end - text_end < 3:
        return None
    (count,) = struct.unpack_from("!H", data, text_end + 1)
    # More or fewer bytes than the count says: the server refuses the message, and names mean what they did.
    if text_end + 3 + 4 * count != end:
        return None
    types = struct.unpack_from(f"!{count}I", data, text_end + 3) if count else ()
    return data[start:name_end], data[name_end + 1 : text_end], types


def bind_of(message: bytes) -> Bind | None:
    """A Bind message, decoded; None when it is malformed."""
    try:
        decoded = decode(b"B", message[HEADER.size :])
    except ProtocolViolation:
        return None
    return decoded if isinstance(decoded, Bind) else None


def split_names(data: bytes, start: int, end: int) -> tuple[bytes, bytes] | None:
    """Portal and statement name at the beginning of a Bind payload."""
    first = data.find(b"\0", start, end)
    second = data.find(b"\0", first + 1, end)
    if first < 0 or second < 0:
        return None
    return data[start:first], data[first + 1 : second]


def formats_of(codes: tuple[int, ...], values: int) -> tuple[int, ...]:
    """One format for each value: none given means text, one given counts for all."""
    if not codes:
        return (0,) * values
    return codes * values if len(codes) == 1 else codes
