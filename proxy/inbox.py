"""Awaiting one message after another from a side: for the client's half of a login.

Owns nothing but the waiting. Must not know what the messages mean.
"""

from __future__ import annotations

import asyncio
from collections import deque

from rewright.proxy.relay import Side
from rewright.proxy.wire.framing import Framer, ProtocolViolation

# nobody has logged in yet: strangers must not make the proxy hold more (PG_MAX_AUTH_TOKEN_LENGTH,
# libpq/auth.h)
LOGIN_LIMIT = 65536


class Gone(Exception):
    """The other end closed."""


class Inbox:
    """Takes over the side's bytes until ``release``."""

    def __init__(self, side: Side) -> None:
        self._framer = Framer(LOGIN_LIMIT)
        self._messages: deque[tuple[bytes, bytes]] = deque()
        self._problem: Exception | None = None
        self._news = asyncio.Event()
        self._side = side
        side.on_lost = self._lost
        side.receive(self._feed)

    async def message(self) -> tuple[bytes, bytes]:
        """Raises Gone or ProtocolViolation."""
        while not self._messages:
            if self._problem is not None:
                raise self._problem
            self._news.clear()
            await self._news.wait()
        return self._messages.popleft()

    def release(self) -> None:
        """Give back what was not consumed."""
        rest = b"".join(kind + (len(body) + 4).to_bytes(4, "big") + body for kind, body in self._messages)
        self._side.keep(rest + self._framer.take_rest())

    def _feed(self, data: bytes) -> None:
        try:
            self._messages.extend(self._framer.feed(data))
        except ProtocolViolation as error:
            self._problem = error
        self._news.set()

    def _lost(self, _exc: BaseException | None) -> None:
        self._problem = self._problem or Gone("the client closed the connection")
        self._news.set()
