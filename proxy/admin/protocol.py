"""The server's half of the protocol for the admin database: a message in, its replies out.

Owns statements, portals and the skipping to Sync after an error. Every statement is its own transaction. Must
not do I/O, nor know what the answers say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rewright.proxy.answers import encoding
from rewright.proxy.duckdb_backend.values import BadValue
from rewright.proxy.duckdb_backend.values import decode as decoded
from rewright.proxy.ports import Answer, LocalRows, SessionView, SqlError
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import ParameterDescription, ReadyForQuery
from rewright.proxy.wire.framing import ProtocolViolation
from rewright.proxy.wire.frontend import (
    Bind,
    Close,
    Describe,
    Execute,
    Flush,
    FunctionCall,
    Parse,
    Query,
    Sync,
    Terminate,
    decode,
)

READY = ReadyForQuery().encode()
# None: there is nothing to answer in the text
Matcher = Callable[[str], Answer | None]
_UNDECLARED = frozenset({0, 705})
# statements and portals of one session
MOST_NAMES = 1000


@dataclass(slots=True)
class _Statement:
    answer: Answer | None
    types: tuple[int, ...]


@dataclass(slots=True)
class _Portal:
    statement: _Statement
    values: tuple[object, ...]
    formats: tuple[int, ...]
    rows: list[bytes] | None = None
    end: bytes = b""


@dataclass(slots=True)
class AdminProtocol:
    """``take`` each message; ``ended`` once the client has said goodbye.

    ``match`` raises SqlError for what it does not know, ``view`` when the client may not ask any more.
    """

    match: Matcher
    view: Callable[[], SessionView]
    on_fault: Callable[[Exception], None]
    ended: bool = False
    _skipping: bool = False
    _statements: dict[bytes, _Statement] = field(default_factory=dict)
    _portals: dict[bytes, _Portal] = field(default_factory=dict)

    async def take(self, kind: bytes, body: bytes) -> bytes:
        """The replies. Raises ProtocolViolation."""
        message = decode(kind, body)
        match message:
            case Terminate():
                self.ended = True
                return b""
            case Sync():
                self._skipping = False
                self._portals.clear()
                return READY
            case Query():
                self._skipping = False
                self._portals.clear()
                return await self._query(message.text) + READY
            case _ if self._skipping:
                return b""
            case FunctionCall():
                return encoding.error(SqlError("0A000", "the admin database has no functions")) + READY
            case Parse() | Bind() | Describe() | Execute() | Close() | Flush():
                return await self._extended(message)
            case _:
                raise ProtocolViolation(f"unexpected message type {kind!r}")

    async def _query(self, text: bytes) -> bytes:
        try:
            answer = self.match(_text(text))
            if answer is None:
                return backend.EMPTY_QUERY
            outcome = await self._run(answer, ())
            rows = encoding.data_rows(outcome)
        except SqlError as error:
            return encoding.error(error)
        described = encoding.description(outcome.columns) if outcome.columns else b""
        return encoding.notices(outcome.notices) + described + b"".join(rows) + encoding.completion(outcome)

    async def _extended(self, message: Parse | Bind | Describe | Execute | Close | Flush) -> bytes:
        try:
            match message:
                case Parse():
                    return self._parse(message)
                case Bind():
                    return self._bind(message)
                case Describe():
                    return self._describe(message)
                case Execute():
                    return await self._execute(message)
                case Close(kind=kind, name=name):
                    (self._statements if kind == b"S" else self._portals).pop(name, None)
                    return backend.CLOSE_COMPLETE
                case Flush():
                    return b""
        except SqlError as error:
            self._skipping = True
            return encoding.error(error)

    def _parse(self, message: Parse) -> bytes:
        if message.name and message.name in self._statements:
            raise SqlError("42P05", f'prepared statement "{_text(message.name)}" already exists')
        _room(self._statements)
        answer = self.match(_text(message.text))
        told = answer.parameters if answer is not None else ()
        self._statements[message.name] = _Statement(answer, _types(message.param_types, told))
        return backend.PARSE_COMPLETE

    def _bind(self, message: Bind) -> bytes:
        statement = self._statement(message.statement)
        if message.portal and message.portal in self._portals:
            raise SqlError("42P03", f'cursor "{_text(message.portal)}" already exists')
        _room(self._portals)
        self._portals[message.portal] = _Portal(
            statement, _values(message, statement.types), message.result_formats
        )
        return backend.BIND_COMPLETE

    def _describe(self, message: Describe) -> bytes:
        if message.kind == b"S":
            statement = self._statement(message.name)
            return ParameterDescription(statement.types).encode() + _columns(statement.answer, ())
        portal = self._portal(message.name)
        return _columns(portal.statement.answer, portal.formats)

    async def _execute(self, message: Execute) -> bytes:
        portal = self._portal(message.portal)
        said, answer = b"", portal.statement.answer
        if answer is None:
            return backend.EMPTY_QUERY
        if portal.rows is None:
            outcome = await self._run(answer, portal.values)
            portal.rows, portal.end = (
                encoding.data_rows(outcome, portal.formats),
                encoding.completion(outcome),
            )
            said = encoding.notices(outcome.notices)
        size = message.max_rows if message.max_rows > 0 else len(portal.rows)
        shown, portal.rows = portal.rows[:size], portal.rows[size:]
        return said + b"".join(shown) + (backend.PORTAL_SUSPENDED if portal.rows else portal.end)

    async def _run(self, answer: Answer, values: tuple[object, ...]) -> LocalRows:
        try:
            outcome = await answer.run(self.view(), values)
        except SqlError:
            raise
        except Exception as error:
            self.on_fault(error)
            raise SqlError("XX000", "internal error, see the log of the proxy") from error
        if not isinstance(outcome, LocalRows):
            raise SqlError("0A000", "available only in a session with a database")
        return outcome

    def _statement(self, name: bytes) -> _Statement:
        found = self._statements.get(name)
        if found is None:
            raise SqlError("26000", f'prepared statement "{_text(name)}" does not exist')
        return found

    def _portal(self, name: bytes) -> _Portal:
        found = self._portals.get(name)
        if found is None:
            raise SqlError("34000", f'portal "{_text(name)}" does not exist')
        return found


def _columns(answer: Answer | None, formats: tuple[int, ...]) -> bytes:
    return encoding.description_or_no_data(answer.columns if answer is not None else (), formats)


def _room(named: dict[bytes, _Statement] | dict[bytes, _Portal]) -> None:
    if len(named) >= MOST_NAMES:
        raise SqlError("53400", f"more than {MOST_NAMES} names in a session of the admin database")


def _types(declared: tuple[int, ...], told: tuple[int, ...]) -> tuple[int, ...]:
    """What the client declares counts, else what the text tells."""
    padded = declared + (0,) * (len(told) - len(declared))
    told += (25,) * (len(padded) - len(told))
    return tuple(own if own not in _UNDECLARED else other for own, other in zip(padded, told, strict=True))


def _values(message: Bind, types: tuple[int, ...]) -> tuple[object, ...]:
    if len(message.values) != len(types) or len(message.formats) not in {0, 1, len(types)}:
        raise SqlError("08P01", f"bind message supplies {len(message.values)} parameters, not {len(types)}")
    pairs = enumerate(zip(message.values, types, strict=True))
    try:
        return tuple(decoded(v, oid, encoding.format_of(message.formats, i)) for i, (v, oid) in pairs)
    except BadValue as error:
        raise SqlError(error.sqlstate, str(error)) from error


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
