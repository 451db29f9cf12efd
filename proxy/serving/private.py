"""Private statements and portals of one session, and private questions to the server.

Owns their names and what is known to exist; forgets everything when the client discards it. Must not know
which message of the client is being served.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from rewright.proxy.ports import PRIVATE_PREFIX, Guard
from rewright.proxy.serving.guard import PARAM_TYPES, GuardRow, arguments, guard_sql, settings_sql
from rewright.proxy.serving.kept_settings import WHO_SERVES
from rewright.proxy.session import Ask, Replies
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import Column, DataRow, Fields, ParameterDescription, RowDescription
from rewright.proxy.wire.framing import HEADER, ProtocolViolation
from rewright.proxy.wire.frontend import Bind, Close, Describe, Execute, Parse
from rewright.sql.own_words import servers_own

_PREFIX = PRIVATE_PREFIX.encode()
GUARD_PORTAL = _PREFIX + b"g"
VERIFIER_PORTAL = _PREFIX + b"v"
# PgBouncer calls the statements of its clients by names of its own (max_prepared_statements)
_VERIFIER_SQL = servers_own("""
select statement from pg_catalog.pg_prepared_statements where name = $1
union all
select statement from pg_catalog.pg_prepared_statements
 where pg_catalog.starts_with(name, 'PGBOUNCER_') and statement = $2
   and not exists (select from pg_catalog.pg_prepared_statements where name = $1)
limit 1
""").encode()
_TEXT = 25
# what fails of ours in a block must not end the client's transaction
_SAVEPOINT = b'savepoint "%ssafe"' % _PREFIX
_RELEASE = b'release savepoint "%ssafe"' % _PREFIX
_BACK = b'rollback to savepoint "%ssafe"' % _PREFIX


def statement_name(text: bytes, types: tuple[int, ...], kind: bytes = b"s") -> bytes:
    """A private statement is called by what it says; ``kind``: s stays, i is closed again at once.

    Behind a pooler that gives each transaction another connection a name may meet what another session has
    prepared.
    """
    said = text + b"\0" + b",".join(b"%d" % oid for oid in types)
    return _PREFIX + kind + hashlib.sha256(said).hexdigest()[:32].encode()


VERIFIER_STATEMENT = statement_name(_VERIFIER_SQL, (_TEXT, _TEXT))
NOWHERE = _PREFIX + b"none"
# statements that stay prepared on the client's connection: the server keeps a plan for each
MAX_PRIVATE = 32


class Broken(Exception):
    """A private message failed: the server now skips to the next Sync.

    ``of_replacement``: it was the replacement's own, no question of ours and nothing that the client sent.
    ``undone``: the client's block is as it was before ours.
    """

    def __init__(self, error: Fields) -> None:
        super().__init__(error.sqlstate)
        self.error = error
        self.of_replacement = False
        self.undone = False


class Skipped(Exception):
    """The client's own earlier message failed: the server skipped ours."""


@dataclass(frozen=True, slots=True)
class Private:
    """A parsed replacement. ``original``: the columns it must have, where they are not those of the client's
    statement.
    """

    name: bytes
    columns: tuple[Column, ...] | None
    original: tuple[Column, ...] | None = None


class Batch:
    """Messages of one private exchange, each with exactly one reply."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []

    def add(self, *messages: bytes) -> int:
        """The index of the first one's reply."""
        index = len(self.messages)
        self.messages += messages
        return index

    def ask(self) -> Ask:
        return Ask(b"".join(self.messages), len(self.messages))


def checked(replies: Replies) -> Replies:
    """Raises Broken or Skipped."""
    if replies.error is not None:
        raise Broken(replies.error)
    if replies.aborted:
        raise Skipped
    return replies


@dataclass(frozen=True, slots=True)
class _Texts:
    """What all sessions ask with. It is kilobytes: one for all of them."""

    guard: bytes
    guard_statement: bytes
    settings: bytes
    settings_and_who_serves: bytes


@lru_cache(maxsize=8)
def _texts_of(settings: tuple[str, ...]) -> _Texts:
    guard = guard_sql(settings).encode()
    columns = settings_sql(settings)
    return _Texts(
        guard, statement_name(guard, PARAM_TYPES), columns.encode(), f"{columns},{WHO_SERVES}".encode()
    )


class Privates:
    """What of ours exists in the session."""

    def __init__(self, settings: Sequence[str]) -> None:
        self._settings = len(settings)
        self._texts = texts = _texts_of(tuple(settings))
        self.guard_statement = texts.guard_statement
        self.guard_ready = False
        self.verifier_ready = False
        self.lasting = True  # what is prepared is there in the next transaction
        self.statements: OrderedDict[tuple[bytes, tuple[int, ...]], Private] = OrderedDict()
        self.dead_portals: list[bytes] = []
        self._closing: list[bytes] = []
        self.open_portals = False
        self._names = count(1)
        self._dead_statements: list[bytes] = []

    def forget(self) -> None:
        """Everything may be gone (DISCARD ALL, DEALLOCATE): it is closed by name before it is made again."""
        self._dead_statements += [p.name for p in self.statements.values()]
        self.statements.clear()
        if self.guard_ready:
            self._dead_statements.append(self.guard_statement)
        if self.verifier_ready:
            self._dead_statements.append(VERIFIER_STATEMENT)
        self.guard_ready = self.verifier_ready = False

    def lost(self) -> None:
        """What was prepared is not there: from now on each transaction may have another connection."""
        self.lasting = False

    def forget_portals(self) -> None:
        """The transaction is over."""
        self.dead_portals.clear()
        self.open_portals = False

    def new_portal(self) -> bytes:
        self.open_portals = True
        return _PREFIX + b"p%d" % next(self._names)

    # --- building -----------------------------------------------------------------------------------

    def add_cleaning(self, batch: Batch) -> None:
        """Close what is not needed any more; closing what does not exist is no error."""
        # Each transaction may be on another connection: what an earlier one prepared need not be on this one.
        if not self.lasting:
            self.statements.clear()
            self.guard_ready = self.verifier_ready = False
        dead = [Close(b"P", name) for name in self.dead_portals]
        dead += [Close(b"S", name) for name in self._dead_statements]
        batch.add(*(close.encode() for close in dead))
        self._closing, self.dead_portals = self.dead_portals, []
        self._dead_statements.clear()

    def not_cleaned(self) -> None:
        """A batch with cleaning in it was skipped, or a part of it."""
        # The server skips what stands behind an error, and which Close that was is not looked into.
        self.dead_portals += self._closing
        self._closing = []

    def portal_closed(self, name: bytes) -> None:
        """The server has said so."""
        if name in self.dead_portals:
            self.dead_portals.remove(name)

    def add_guard_parse(self, batch: Batch) -> None:
        if not self.guard_ready:
            self._add_parse(batch, self.guard_statement, self._texts.guard, PARAM_TYPES)

    def add_guard(self, batch: Batch, guard: Guard) -> int:
        """The index of the reply that holds the guard's row."""
        batch.add(Bind(GUARD_PORTAL, self.guard_statement, (), arguments(guard)).encode())
        index = batch.add(Execute(GUARD_PORTAL).encode())
        batch.add(Close(b"P", GUARD_PORTAL).encode())
        return index

    def add_verifier(self, batch: Batch, name: bytes, text: bytes) -> int:
        """The index of the reply that holds the text of the client's statement ``name``.

        SQL inside a function can deallocate a name and prepare it anew, which the wire does not show.
        """
        if not self.verifier_ready:
            self._add_parse(batch, VERIFIER_STATEMENT, _VERIFIER_SQL, (_TEXT, _TEXT))
        batch.add(Bind(VERIFIER_PORTAL, VERIFIER_STATEMENT, (), (name, text)).encode())
        index = batch.add(Execute(VERIFIER_PORTAL).encode())
        batch.add(Close(b"P", VERIFIER_PORTAL).encode())
        return index

    def verified(self, replies: Replies, index: int, text: bytes) -> bool:
        """Whether the client's statement still is the text it was parsed from."""
        self.verifier_ready = True
        return any(
            m == DataRow((text,)).encode() for kind, m in replies.pending_replies[index] if kind == ord("D")
        )

    def add_savepoint(self, batch: Batch) -> None:
        self.add_question(batch, _SAVEPOINT, ())

    def add_release(self, batch: Batch) -> None:
        self.add_question(batch, _RELEASE, ())

    def rolling_back(self) -> Batch:
        """Back to the savepoint, which is gone then."""
        batch = Batch()
        batch.add(Close(b"P", GUARD_PORTAL).encode())  # what failed may have left it open
        self.add_question(batch, _BACK, ())
        self.add_release(batch)
        return batch

    def close_later(self, name: bytes) -> None:
        """A statement that was to be closed at once, and was not: an error came before."""
        self._dead_statements.append(name)

    def add_private_parse(
        self, batch: Batch, text: bytes, types: tuple[int, ...], passing: bool = False
    ) -> tuple[bytes, int]:
        """Name of the new statement and the index of its description. ``passing``: it is for one execution
        only.
        """
        # The one that was used longest ago: executions move theirs to the end.
        while len(self.statements) >= MAX_PRIVATE and not passing:
            _, oldest = self.statements.popitem(last=False)
            batch.add(Close(b"S", oldest.name).encode())
        name = statement_name(text, types, b"i" if passing else b"s")
        self._add_parse(batch, name, text, types)
        return name, batch.add(Describe(b"S", name).encode())

    @staticmethod
    def _add_parse(batch: Batch, name: bytes, text: bytes, types: tuple[int, ...]) -> None:
        """Also where another session has prepared the same on a connection that it has left."""
        batch.add(Close(b"S", name).encode(), Parse(name, text, types).encode())

    def add_described(self, batch: Batch, text: bytes, types: tuple[int, ...]) -> int:
        """The index of the reply that describes ``text``; nothing is kept."""
        name = statement_name(text, types, b"i")
        self._add_parse(batch, name, text, types)
        index = batch.add(Describe(b"S", name).encode())
        batch.add(Close(b"S", name).encode())
        return index

    def add_settings(self, batch: Batch, pid: bytes) -> int:
        """The index of the reply that holds the session's settings; with ``pid``, the process that the login
        named, also whether another one serves it, and what the catalog says of the settings.

        Not the guard's work: planning that takes milliseconds, for each session that is opened.
        """
        if not pid:
            return self.add_question(batch, self._texts.settings, ())
        return self.add_question(batch, self._texts.settings_and_who_serves, (_TEXT,), pid)

    def settings_row(
        self, replies: Replies, index: int
    ) -> tuple[tuple[str | None, ...], str, tuple[str | None, ...]]:
        """The settings in the order asked for, None where unset; the search path; and the columns behind
        them. Raises ProtocolViolation when there is no row.
        """
        for kind, message in replies.pending_replies[index]:
            row = backend.decode(b"D", message[HEADER.size :]) if kind == ord("D") else None
            if isinstance(row, DataRow) and len(row.values) in {self._settings + 1, self._settings + 3}:
                texts = tuple(None if v is None else v.decode("utf-8", "replace") for v in row.values)
                return texts[: self._settings], texts[self._settings] or "", texts[self._settings + 1 :]
        raise ProtocolViolation("the settings could not be read")

    def add_question(self, batch: Batch, text: bytes, types: tuple[int, ...], *values: bytes) -> int:
        """The index of the reply to a query with the parameters ``values``, of which nothing is kept."""
        name = statement_name(text, types, b"i")
        self._add_parse(batch, name, text, types)
        batch.add(Bind(GUARD_PORTAL, name, (), values).encode())
        index = batch.add(Execute(GUARD_PORTAL).encode())
        batch.add(Close(b"P", GUARD_PORTAL).encode(), Close(b"S", name).encode())
        return index

    def guard_row(self, replies: Replies, index: int) -> GuardRow:
        """Raises ProtocolViolation when there is none."""
        self.guard_ready = True
        for kind, message in replies.pending_replies[index]:
            if kind == ord("D"):
                row = backend.decode(b"D", message[HEADER.size :])
                assert isinstance(row, DataRow)
                return GuardRow.read(row.values, self._settings)
        raise ProtocolViolation("the guard returned no row")


def says_yes(reply: list[tuple[int, bytes]]) -> bool:
    """Whether the one value of the reply is true."""
    return any(message == DataRow((b"t",)).encode() for kind, message in reply if kind == ord("D"))


def described(reply: list[tuple[int, bytes]]) -> tuple[tuple[int, ...] | None, tuple[Column, ...] | None]:
    """Parameter types and columns in the reply to a Describe; None where it has none."""
    types: tuple[int, ...] | None = None
    columns: tuple[Column, ...] | None = None
    for kind, message in reply:
        try:
            decoded = backend.decode(bytes((kind,)), message[HEADER.size :])
        except ProtocolViolation:
            continue
        if isinstance(decoded, ParameterDescription):
            types = decoded.type_oids
        elif isinstance(decoded, RowDescription):
            columns = decoded.columns
    return types, columns


def same_signature(one: tuple[Column, ...] | None, other: tuple[Column, ...] | None) -> bool:
    """Same names, types and modifiers in the same order; where the columns come from may differ."""
    if one is None or other is None:
        return False
    return [(c.name, c.type_oid, c.typmod) for c in one] == [(c.name, c.type_oid, c.typmod) for c in other]
