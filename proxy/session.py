"""One established session, without I/O: bytes of both sides in, bytes for both sides out.

Owns the walk over message headers (the hot path), the count of open cycles, the transaction status, and what
is known of prepared statements. Forwards whole pieces; decodes only what ``proxy.wire.tables`` marks. Must not
know sockets, clocks other than the one it is given, or how rewrites are found and served.

The hot path's invariants, which every other method keeps:

- ``client_slow`` is false only where the client's stream stands at a message boundary and nothing is held;
- ``server_slow`` is false only where the server's stream stands at a message boundary and no reply is expected
  that the client must not see;
- ``pending`` counts the cycles sent (Sync, Query, FunctionCall) whose ReadyForQuery has not come yet.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from proxy.wire.tables import (
    BACKEND_PLAIN,
    CALL,
    ERROR,
    FRONTEND_PLAIN,
    HEADER,
    HEADER_SIZE,
    PARAMETER,
    READY,
    SYNC,
    Q,
)

unpack = HEADER.unpack_from
IDLE, IN_BLOCK, FAILED = b"ITE"
FRONTEND_CYCLES = bytes(a | (kind in b"SQF") for kind, a in enumerate(FRONTEND_PLAIN))


class Session:
    """``to_server`` / ``to_client`` take bytes to send; they must not call back into the session."""

    __slots__ = (
        "client_rest",
        "client_skip",
        "client_slow",
        "client_table",
        "on_idle",
        "parameters",
        "pending",
        "server_rest",
        "server_skip",
        "server_slow",
        "server_table",
        "status",
        "to_client",
        "to_server",
    )

    def __init__(self, to_server: Callable[[bytes], None], to_client: Callable[[bytes], None]) -> None:
        self.to_server = to_server
        self.to_client = to_client
        self.client_table = FRONTEND_CYCLES
        self.server_table = BACKEND_PLAIN
        self.client_slow = self.server_slow = False
        self.client_rest = self.server_rest = b""
        self.client_skip = self.server_skip = 0
        self.pending = 0
        self.status = IDLE
        self.parameters: dict[bytes, bytes] = {}
        self.on_idle: Callable[[], None] | None = None

    # --- from the client ---------------------------------------------------------------------------

    def client_data(self, data: bytes) -> None:
        if self.client_slow:
            data = self._client_continued(data)
        size = len(data)
        at = 0
        watched = self.client_table
        try:
            while at < size:
                kind, length = unpack(data, at)
                if watched[kind] and (kind == SYNC or kind in (Q, CALL)):
                    self.pending += 1
                at += length + 1
        except struct.error:
            self.client_rest = data[at:]
            self.client_slow = True
            data = data[:at]
        if at > size:
            self.client_skip = at - size
            self.client_slow = True
        if data:
            self.to_server(data)

    def _client_continued(self, data: bytes) -> bytes:
        """Join what was kept with what came; the part of a message already under way is sent at once."""
        if self.client_rest:
            data = self.client_rest + data
            self.client_rest = b""
        if self.client_skip:
            piece = data[: self.client_skip]
            self.client_skip -= len(piece)
            self.to_server(piece)
            data = data[len(piece) :]
        self.client_slow = bool(self.client_skip)
        return data

    # --- from the server ---------------------------------------------------------------------------

    def server_data(self, data: bytes) -> None:
        if self.server_slow:
            data = self._server_continued(data)
        size = len(data)
        at = 0
        watched = self.server_table
        try:
            while at < size:
                kind, length = unpack(data, at)
                if watched[kind]:
                    if at + length >= size:
                        break
                    self._server_event(kind, data, at + HEADER_SIZE, at + length + 1)
                at += length + 1
        except struct.error:
            pass
        if at > size:
            self.server_skip = at - size
            self.server_slow = True
        elif at < size:
            self.server_rest = data[at:]
            self.server_slow = True
            data = data[:at]
        if data:
            self.to_client(data)
        if self.on_idle is not None and self.is_idle:
            self.on_idle()

    @property
    def is_idle(self) -> bool:
        """No transaction, nothing under way."""
        return self.pending == 0 and self.status == IDLE and not (self.client_slow or self.server_slow)

    def end_when_idle(self, end: Callable[[], None]) -> None:
        """Call ``end`` once, now or when the session is idle."""
        if self.is_idle:
            end()
        else:
            self.on_idle = end

    def _server_continued(self, data: bytes) -> bytes:
        if self.server_rest:
            data = self.server_rest + data
            self.server_rest = b""
        if self.server_skip:
            piece = data[: self.server_skip]
            self.server_skip -= len(piece)
            self.to_client(piece)
            data = data[len(piece) :]
        self.server_slow = bool(self.server_skip)
        return data

    def _server_event(self, kind: int, data: bytes, start: int, end: int) -> None:
        if kind == READY:
            self.pending -= 1
            self.status = data[start]
        elif kind == PARAMETER:
            name, _, value = data[start : end - 1].partition(b"\0")
            self.parameters[name] = value
        elif kind == ERROR:
            pass
