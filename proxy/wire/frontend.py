"""Messages a client sends, as values: ``decode(type, payload)`` and ``.encode()``.

Owns their layouts (protocol manual, "Message Formats"). Must not know what a session does with them.
Texts and names stay bytes: their encoding is the session's business.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rewright.proxy.wire.framing import ProtocolViolation, Reader, message, value


@dataclass(frozen=True, slots=True)
class Query:
    text: bytes

    def encode(self) -> bytes:
        return message(b"Q", self.text + b"\0")


@dataclass(frozen=True, slots=True)
class Parse:
    name: bytes
    text: bytes
    param_types: tuple[int, ...] = ()

    def encode(self) -> bytes:
        count = len(self.param_types)
        return message(
            b"P", self.name + b"\0" + self.text + b"\0" + struct.pack(f"!H{count}I", count, *self.param_types)
        )


@dataclass(frozen=True, slots=True)
class Bind:
    portal: bytes
    statement: bytes
    formats: tuple[int, ...] = ()
    values: tuple[bytes | None, ...] = ()
    result_formats: tuple[int, ...] = ()

    def encode(self) -> bytes:
        return message(
            b"B",
            self.portal
            + b"\0"
            + self.statement
            + b"\0"
            + _formats(self.formats)
            + struct.pack("!H", len(self.values))
            + b"".join(map(value, self.values))
            + _formats(self.result_formats),
        )


@dataclass(frozen=True, slots=True)
class Describe:
    """``kind``: b"S" a statement, b"P" a portal."""

    kind: bytes
    name: bytes

    def encode(self) -> bytes:
        return message(b"D", self.kind + self.name + b"\0")


@dataclass(frozen=True, slots=True)
class Close:
    kind: bytes
    name: bytes

    def encode(self) -> bytes:
        return message(b"C", self.kind + self.name + b"\0")


@dataclass(frozen=True, slots=True)
class Execute:
    portal: bytes
    max_rows: int = 0

    def encode(self) -> bytes:
        return message(b"E", self.portal + b"\0" + struct.pack("!i", self.max_rows))


@dataclass(frozen=True, slots=True)
class Sync:
    def encode(self) -> bytes:
        return SYNC


@dataclass(frozen=True, slots=True)
class Flush:
    def encode(self) -> bytes:
        return FLUSH


@dataclass(frozen=True, slots=True)
class Terminate:
    def encode(self) -> bytes:
        return TERMINATE


@dataclass(frozen=True, slots=True)
class CopyData:
    data: bytes

    def encode(self) -> bytes:
        return message(b"d", self.data)


@dataclass(frozen=True, slots=True)
class CopyDone:
    def encode(self) -> bytes:
        return message(b"c")


@dataclass(frozen=True, slots=True)
class CopyFail:
    reason: bytes

    def encode(self) -> bytes:
        return message(b"f", self.reason + b"\0")


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """The legacy fast-path call, kept opaque."""

    body: bytes

    def encode(self) -> bytes:
        return message(b"F", self.body)


@dataclass(frozen=True, slots=True)
class Password:
    """PasswordMessage, SASLInitialResponse, SASLResponse and GSSResponse share one type byte."""

    body: bytes

    def encode(self) -> bytes:
        return message(b"p", self.body)


FrontendMessage: TypeAlias = (
    Query
    | Parse
    | Bind
    | Describe
    | Close
    | Execute
    | Sync
    | Flush
    | Terminate
    | CopyData
    | CopyDone
    | CopyFail
    | FunctionCall
    | Password
)

SYNC = message(b"S")
FLUSH = message(b"H")
TERMINATE = message(b"X")


def _formats(codes: tuple[int, ...]) -> bytes:
    return struct.pack(f"!H{len(codes)}h", len(codes), *codes)


def sasl_initial(mechanism: bytes, data: bytes) -> bytes:
    return message(b"p", mechanism + b"\0" + value(data))


def _query(read: Reader) -> Query:
    return Query(read.cstring())


def _parse(read: Reader) -> Parse:
    name, text = read.cstring(), read.cstring()
    return Parse(name, text, tuple(read.oid() for _ in range(read.count())))


def _bind(read: Reader) -> Bind:
    portal, statement = read.cstring(), read.cstring()
    # none: all are text; one: it counts for all; else one for each value
    formats = tuple(read.int16() for _ in range(read.count()))
    values = tuple(read.value() for _ in range(read.count()))
    return Bind(portal, statement, formats, values, tuple(read.int16() for _ in range(read.count())))


def _describe(read: Reader) -> Describe:
    return Describe(_kind(read), read.cstring())


def _close(read: Reader) -> Close:
    return Close(_kind(read), read.cstring())


def _kind(read: Reader) -> bytes:
    kind = read.take(1)
    if kind not in {b"S", b"P"}:
        raise ProtocolViolation(f"invalid message subtype {kind[0]}")
    return kind


def _execute(read: Reader) -> Execute:
    return Execute(read.cstring(), read.int32())


_DECODERS: dict[bytes, Callable[[Reader], FrontendMessage]] = {
    b"Q": _query,
    b"P": _parse,
    b"B": _bind,
    b"D": _describe,
    b"C": _close,
    b"E": _execute,
    b"S": lambda _read: Sync(),
    b"H": lambda _read: Flush(),
    b"X": lambda _read: Terminate(),
    b"d": lambda read: CopyData(read.rest()),
    b"c": lambda _read: CopyDone(),
    b"f": lambda read: CopyFail(read.cstring()),
    b"F": lambda read: FunctionCall(read.rest()),
    b"p": lambda read: Password(read.rest()),
}


def decode(kind: bytes, payload: bytes) -> FrontendMessage:
    """Raises ProtocolViolation for an unknown type, a short payload and bytes left over."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise ProtocolViolation(f"invalid frontend message type {kind[0]}")
    read = Reader(payload)
    decoded = decoder(read)
    # bytes behind the last field: the sender meant another layout, so nothing that was read can be relied on
    read.end()
    return decoded
