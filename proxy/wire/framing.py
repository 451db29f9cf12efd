"""Cutting a byte stream into typed messages, whatever the pieces it arrives in.

Owns lengths and limits. Must not know what messages mean. The relay's hot path has its own walk over
headers (``rewright.proxy.relay``); this one serves logins, private conversations and tests.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

HEADER = struct.Struct("!cI")
LENGTH = struct.Struct("!I")
# PostgreSQL's own limit for a message (MaxAllocSize)
MAX_MESSAGE = 0x3FFFFFFF


class ProtocolViolation(Exception):
    """The peer sent what the protocol does not allow (08P01)."""

    sqlstate = "08P01"


def message(kind: bytes, payload: bytes = b"") -> bytes:
    """A typed message ready to send."""
    return HEADER.pack(kind, len(payload) + 4) + payload


class Framer:
    """Collects bytes and yields whole messages as (type, payload).

    ``limit`` bounds one message (its length word included). Raises ProtocolViolation on a length
    below 4 or above the limit.
    """

    __slots__ = ("_buffer", "limit")

    def __init__(self, limit: int = MAX_MESSAGE) -> None:
        self._buffer = bytearray()
        self.limit = limit

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        self._buffer += data
        return self._messages()

    def _messages(self) -> Iterator[tuple[bytes, bytes]]:
        while len(self._buffer) >= 5:
            kind, length = HEADER.unpack_from(self._buffer)
            if not 4 <= length <= self.limit:
                raise ProtocolViolation(f"invalid message length {length} for message type {kind!r}")
            if len(self._buffer) <= length:
                return
            payload = bytes(self._buffer[5 : length + 1])
            del self._buffer[: length + 1]
            yield kind, payload

    @property
    def rest(self) -> bytes:
        """Bytes of a message that is not complete yet."""
        return bytes(self._buffer)

    def take_rest(self) -> bytes:
        """Hand the incomplete bytes to somebody else."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        return rest


class Reader:
    """Fields out of one payload. Every read raises ProtocolViolation where the payload is too short."""

    __slots__ = ("data", "position")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def take(self, size: int) -> bytes:
        end = self.position + size
        if size < 0 or end > len(self.data):
            raise ProtocolViolation("insufficient data left in message")
        piece = self.data[self.position : end]
        self.position = end
        return piece

    def int16(self) -> int:
        return int.from_bytes(self.take(2), "big", signed=True)

    def count(self) -> int:
        """A 16-bit count, unsigned as PostgreSQL reads it."""
        return int.from_bytes(self.take(2), "big")

    def int32(self) -> int:
        return int.from_bytes(self.take(4), "big", signed=True)

    def oid(self) -> int:
        return int.from_bytes(self.take(4), "big")

    def cstring(self) -> bytes:
        end = self.data.find(b"\0", self.position)
        if end < 0:
            raise ProtocolViolation("invalid string in message")
        piece = self.data[self.position : end]
        self.position = end + 1
        return piece

    def value(self) -> bytes | None:
        """A length-prefixed value; -1 is NULL."""
        size = self.int32()
        if size == -1:
            return None
        return self.take(size)

    def rest(self) -> bytes:
        return self.take(len(self.data) - self.position)

    def end(self) -> None:
        if self.position != len(self.data):
            raise ProtocolViolation("invalid message format")


def value(data: bytes | None) -> bytes:
    """The wire form of ``Reader.value``."""
    return b"\xff\xff\xff\xff" if data is None else LENGTH.pack(len(data)) + data
