"""The first packet of a connection, which has no type byte: requests for encryption, cancel, startup.

Owns their codes and layouts (protocol manual, "Message Formats"). Must not know what is answered.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TypeAlias

from rewright.proxy.wire.framing import LENGTH, ProtocolViolation

# protocol manual, "Message Formats": numbers where others have their protocol version
CANCEL_CODE = 80877102
SSL_CODE = 80877103
GSSENC_CODE = 80877104
# the server's limit for a startup packet (MAX_STARTUP_PACKET_LENGTH)
MAX_STARTUP = 10000
# protocol 3.2 allows so many bytes; before, a key had four
MAX_CANCEL_KEY = 256
# first byte of a ClientHello: direct TLS (PostgreSQL 17, sslnegotiation=direct)
TLS_HANDSHAKE = 0x16


@dataclass(frozen=True, slots=True)
class SslRequest:
    def encode(self) -> bytes:
        return struct.pack("!II", 8, SSL_CODE)


@dataclass(frozen=True, slots=True)
class GssEncRequest:
    def encode(self) -> bytes:
        return struct.pack("!II", 8, GSSENC_CODE)


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """``key``: 4 bytes in protocol 3.0, up to 256 in 3.2."""

    pid: int
    key: bytes

    def encode(self) -> bytes:
        return struct.pack("!III", 12 + len(self.key), CANCEL_CODE, self.pid) + self.key


@dataclass(frozen=True, slots=True)
class StartupMessage:
    """``parameters`` in the order sent; names and values are bytes in no known encoding."""

    major: int
    minor: int
    parameters: tuple[tuple[bytes, bytes], ...]

    def get(self, name: bytes) -> bytes | None:
        """The last value wins, as in the server."""
        found = None
        for key, item in self.parameters:
            if key == name:
                found = item
        return found

    @property
    def is_replication(self) -> bool:
        """A walsender connection: physical, or logical (``database``)."""
        wanted = self.get(b"replication")
        return wanted is not None and wanted.lower() not in {b"false", b"off", b"no", b"0", b"f", b"n"}

    def encode(self) -> bytes:
        body = b"".join(key + b"\0" + item + b"\0" for key, item in self.parameters) + b"\0"
        return struct.pack("!IHH", len(body) + 8, self.major, self.minor) + body


FirstPacket: TypeAlias = SslRequest | GssEncRequest | CancelRequest | StartupMessage


def packet_length(data: bytes) -> int | None:
    """How long the packet at the beginning of ``data`` is; None: fewer than 4 bytes there.

    Raises ProtocolViolation as the server does for an impossible length.
    """
    if len(data) < 4:
        return None
    (length,) = LENGTH.unpack_from(data)
    if not 8 <= length <= MAX_STARTUP:
        raise ProtocolViolation("invalid length of startup packet")
    return int(length)


def decode_first(packet: bytes) -> FirstPacket:
    """One whole packet, its length word included. Raises ProtocolViolation."""
    (code,) = LENGTH.unpack_from(packet, 4)
    if code == SSL_CODE:
        return SslRequest()
    if code == GSSENC_CODE:
        return GssEncRequest()
    if code == CANCEL_CODE:
        return _cancel(packet)
    return StartupMessage(code >> 16, code & 0xFFFF, _parameters(packet[8:]))


def _cancel(packet: bytes) -> CancelRequest:
    key = packet[12:]
    if len(packet) < 13 or len(key) > MAX_CANCEL_KEY:
        raise ProtocolViolation("invalid length of query cancel packet")
    (pid,) = LENGTH.unpack_from(packet, 8)
    return CancelRequest(pid, key)


def _parameters(body: bytes) -> tuple[tuple[bytes, bytes], ...]:
    if not body.endswith(b"\0"):
        raise ProtocolViolation("invalid startup packet layout: expected terminator as last byte")
    if body == b"\0":
        return ()
    fields = body[:-1].split(b"\0")
    if fields.pop() != b"" or len(fields) % 2 or any(not name for name in fields[::2]):
        raise ProtocolViolation("invalid startup packet layout")
    return tuple(zip(fields[::2], fields[1::2], strict=True))
