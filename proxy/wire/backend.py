"""Messages a server sends, as values: ``decode(type, payload)`` and ``.encode()``.

Owns their layouts (protocol manual, "Message Formats" and "Error and Notice Message Fields"). Must not
know what a session does with them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rewright.proxy.wire.framing import ProtocolViolation, Reader, message, value


@dataclass(frozen=True, slots=True)
class Authentication:
    """``code``: 0 Ok, 3 cleartext, 5 md5 (``data``: salt), 10 SASL (mechanisms), 11 continue, 12 final."""

    code: int
    data: bytes = b""

    def encode(self) -> bytes:
        return message(b"R", struct.pack("!I", self.code) + self.data)

    @property
    def mechanisms(self) -> tuple[bytes, ...]:
        """Of AuthenticationSASL: the offered names, in the server's order of preference."""
        return tuple(name for name in self.data.split(b"\0") if name)


AUTH_OK, AUTH_CLEARTEXT, AUTH_MD5, AUTH_SASL, AUTH_SASL_CONTINUE, AUTH_SASL_FINAL = 0, 3, 5, 10, 11, 12


@dataclass(frozen=True, slots=True)
class BackendKeyData:
    """``key``: 4 bytes in protocol 3.0, up to 256 in 3.2."""

    pid: int
    key: bytes

    def encode(self) -> bytes:
        return message(b"K", struct.pack("!I", self.pid) + self.key)


@dataclass(frozen=True, slots=True)
class ParameterStatus:
    name: bytes
    value: bytes

    def encode(self) -> bytes:
        return message(b"S", self.name + b"\0" + self.value + b"\0")


@dataclass(frozen=True, slots=True)
class ReadyForQuery:
    """``status``: b"I" idle, b"T" in a transaction block, b"E" in a failed one."""

    status: bytes = b"I"

    def encode(self) -> bytes:
        return message(b"Z", self.status)


@dataclass(frozen=True, slots=True)
class Column:
    """One field of a RowDescription."""

    name: bytes
    type_oid: int
    type_size: int = -1
    typmod: int = -1
    table_oid: int = 0
    attribute: int = 0
    format: int = 0


@dataclass(frozen=True, slots=True)
class RowDescription:
    columns: tuple[Column, ...]

    def encode(self) -> bytes:
        return message(
            b"T", struct.pack("!H", len(self.columns)) + b"".join(_column_bytes(c) for c in self.columns)
        )


def _column_bytes(column: Column) -> bytes:
    return (
        column.name
        + b"\0"
        + struct.pack(
            "!IhIhih",
            column.table_oid,
            column.attribute,
            column.type_oid,
            column.type_size,
            column.typmod,
            column.format,
        )
    )


@dataclass(frozen=True, slots=True)
class DataRow:
    values: tuple[bytes | None, ...]

    def encode(self) -> bytes:
        return message(b"D", struct.pack("!H", len(self.values)) + b"".join(map(value, self.values)))


@dataclass(frozen=True, slots=True)
class ParameterDescription:
    type_oids: tuple[int, ...]

    def encode(self) -> bytes:
        count = len(self.type_oids)
        return message(b"t", struct.pack(f"!H{count}I", count, *self.type_oids))


@dataclass(frozen=True, slots=True)
class CommandComplete:
    tag: bytes

    def encode(self) -> bytes:
        return message(b"C", self.tag + b"\0")


@dataclass(frozen=True, slots=True)
class Fields:
    """ErrorResponse (``E``) or NoticeResponse (``N``): one-letter field codes and their texts, in order."""

    kind: bytes
    fields: tuple[tuple[bytes, bytes], ...]

    def get(self, code: bytes) -> bytes:
        """The field's text, b"" where it is missing."""
        return next((text for found, text in self.fields if found == code), b"")

    def without(self, *codes: bytes) -> Fields:
        return Fields(self.kind, tuple(f for f in self.fields if f[0] not in codes))

    @property
    def sqlstate(self) -> str:
        return self.get(b"C").decode("ascii", "replace")

    @property
    def is_fatal(self) -> bool:
        """After FATAL or PANIC the server closes the connection."""
        # V is never translated; S is, by lc_messages, and is all that servers before 9.6 send
        return (self.get(b"V") or self.get(b"S")) in {b"FATAL", b"PANIC"}

    def encode(self) -> bytes:
        return message(self.kind, b"".join(code + text + b"\0" for code, text in self.fields) + b"\0")


@dataclass(frozen=True, slots=True)
class Opaque:
    """A message whose content the proxy never needs: known type, payload as it came."""

    kind: bytes
    payload: bytes

    def encode(self) -> bytes:
        return message(self.kind, self.payload)


BackendMessage: TypeAlias = (
    Authentication
    | BackendKeyData
    | ParameterStatus
    | ReadyForQuery
    | RowDescription
    | DataRow
    | ParameterDescription
    | CommandComplete
    | Fields
    | Opaque
)

PARSE_COMPLETE = message(b"1")
BIND_COMPLETE = message(b"2")
CLOSE_COMPLETE = message(b"3")
NO_DATA = message(b"n")
EMPTY_QUERY = message(b"I")
PORTAL_SUSPENDED = message(b"s")


def error(
    sqlstate: str,
    text: str,
    *,
    severity: str = "ERROR",
    hint: str = "",
    detail: str = "",
    position: int = 0,
) -> bytes:
    """An ErrorResponse of ours."""
    return _report(b"E", severity, sqlstate, text, hint, detail, position)


def notice(text: str, *, severity: str = "NOTICE", sqlstate: str = "00000") -> bytes:
    """A NoticeResponse of ours."""
    return _report(b"N", severity, sqlstate, text, "", "", 0)


def _report(
    kind: bytes, severity: str, sqlstate: str, text: str, hint: str, detail: str, position: int
) -> bytes:
    # the four that every message has; the others are left out where they are empty
    fields = [(b"S", severity), (b"V", severity), (b"C", sqlstate), (b"M", text)]
    fields += [(b"D", detail)] * bool(detail) + [(b"H", hint)] * bool(hint)
    fields += [(b"P", str(position))] * bool(position)
    return Fields(kind, tuple((code, _clean(item)) for code, item in fields)).encode()


def _clean(text: str) -> bytes:
    """A NUL would end the field early."""
    return text.encode("utf-8", "replace").replace(b"\0", b"?")


def negotiate(newest_minor: int, unrecognised: tuple[bytes, ...]) -> bytes:
    """NegotiateProtocolVersion; ``newest_minor`` is 3.x's x."""
    body = struct.pack("!II", (3 << 16) | newest_minor, len(unrecognised))
    return message(b"v", body + b"".join(name + b"\0" for name in unrecognised))


def _authentication(read: Reader) -> Authentication:
    return Authentication(read.oid(), read.rest())


def _key_data(read: Reader) -> BackendKeyData:
    return BackendKeyData(read.oid(), read.rest())


def _parameter_status(read: Reader) -> ParameterStatus:
    return ParameterStatus(read.cstring(), read.cstring())


def _ready(read: Reader) -> ReadyForQuery:
    return ReadyForQuery(read.take(1))


def _column(read: Reader) -> Column:
    name, table, attribute = read.cstring(), read.oid(), read.int16()
    type_oid, size, typmod, form = read.oid(), read.int16(), read.int32(), read.int16()
    return Column(name, type_oid, size, typmod, table, attribute, form)


def _row_description(read: Reader) -> RowDescription:
    return RowDescription(tuple(_column(read) for _ in range(read.count())))


def _data_row(read: Reader) -> DataRow:
    return DataRow(tuple(read.value() for _ in range(read.count())))


def _parameter_description(read: Reader) -> ParameterDescription:
    return ParameterDescription(tuple(read.oid() for _ in range(read.count())))


def _fields(kind: bytes, read: Reader) -> Fields:
    found: list[tuple[bytes, bytes]] = []
    # fields in any order, also of codes that are not known yet
    while (code := read.take(1)) != b"\0":
        found.append((code, read.cstring()))
    return Fields(kind, tuple(found))


_DECODERS: dict[bytes, Callable[[Reader], BackendMessage]] = {
    b"R": _authentication,
    b"K": _key_data,
    b"S": _parameter_status,
    b"Z": _ready,
    b"T": _row_description,
    b"D": _data_row,
    b"t": _parameter_description,
    b"C": lambda read: CommandComplete(read.cstring()),
    b"E": lambda read: _fields(b"E", read),
    b"N": lambda read: _fields(b"N", read),
}
# ParseComplete, BindComplete, CloseComplete, NoData, EmptyQueryResponse, PortalSuspended, CopyIn-, CopyOut-,
# CopyBothResponse, CopyData, CopyDone, NotificationResponse, FunctionCallResponse, NegotiateProtocolVersion
_OPAQUE = frozenset(b"123nIsGHWdcAVv")


def decode(kind: bytes, payload: bytes) -> BackendMessage:
    """Raises ProtocolViolation for an unknown type, a short payload and bytes left over."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        if kind[0] not in _OPAQUE:
            raise ProtocolViolation(f"invalid backend message type {kind[0]}")
        return Opaque(kind, payload)
    read = Reader(payload)
    decoded = decoder(read)
    read.end()
    return decoded
