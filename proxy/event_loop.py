"""The event loop of a relay: asyncio's own, except that the bytes of plain sessions are read without asyncio.

asyncio asks a selector what is ready. This loop tells asyncio only of what is asyncio's: the bytes of a
socket that a ``Side`` relays are read and passed to the side's handler within ``select``, by the compiled
core, which goes on waiting there as long as nothing else is ready, due or asked for. Transports stay
asyncio's: they know when a socket is read from, buffer what it does not take, notice its end and its errors,
and close it. docs/decisions/0770.

Owns reading. Must not know messages or sessions, or when it is used (``rewright.proxy.loops``).
"""

from __future__ import annotations

import asyncio
import math
import select
import selectors
import sys
from collections.abc import Callable
from contextvars import Context
from typing import Any, TypeVarTuple

from rewright.proxy.machine import core

Ts = TypeVarTuple("Ts")
Handler = Callable[[bytes], None]
Failed = Callable[[BaseException], None]


class _Selector(selectors.EpollSelector):
    """``direct``: by descriptor, who gets its bytes while it is read from, and who is told of mistakes."""

    def __init__(self) -> None:
        super().__init__()
        self.direct: dict[int, tuple[Handler, Failed]] = {}
        self.poller = core.Poller(self._failed)

    def take(self, number: int, handler: Handler, failed: Failed) -> None:
        self.direct[number] = handler, failed
        self._settle(number)

    def give_back(self, number: int) -> None:
        if self.direct.pop(number, None) is not None:
            self.poller.hand(number, None)

    def _settle(self, number: int) -> None:
        known = self.direct.get(number)
        if known is not None:
            key = self.get_map().get(number)
            reads = key is not None and key.events & selectors.EVENT_READ
            self.poller.hand(number, known[0] if reads else None)

    def _failed(self, number: int, fault: BaseException) -> None:
        known = self.direct.get(number)
        if known is not None:
            known[1](fault)

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        key = super().register(fileobj, events, data)
        self._settle(key.fd)
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        key = super().unregister(fileobj)
        self._settle(key.fd)
        return key

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        key = super().modify(fileobj, events, data)
        self._settle(key.fd)
        return key

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """As asyncio's own selector, but early and empty where the loop has something to run."""
        ready = []
        keys = self.get_map()
        for number, found in self.poller.wait(self.fileno(), math.inf if timeout is None else timeout):
            key = keys.get(number)
            # A handler before it may have closed the socket of an event that was found with it.
            if key is not None:
                # an error or a hang-up is neither: whoever waits for either meets it
                events = selectors.EVENT_WRITE if found & ~select.EPOLLIN else 0
                events |= selectors.EVENT_READ if found & ~select.EPOLLOUT else 0
                ready.append((key, events & key.events))
        return ready


class RelayLoop(asyncio.SelectorEventLoop):
    """asyncio's loop, of which ``read_straight`` takes the reading of a transport's socket."""

    def __init__(self) -> None:
        self._straight = _Selector()
        super().__init__(self._straight)

    def read_straight(self, number: int, handler: Handler, failed: Failed) -> None:
        """While the transport of the descriptor reads, ``handler`` gets the bytes and not its protocol;
        ``failed`` is told what it raises. Ends with ``read_no_more``.
        """
        self._straight.take(number, handler, failed)

    def read_no_more(self, number: int) -> None:
        self._straight.give_back(number)

    # what is due now or first may have changed: select must come back

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        self._straight.poller.wanted = True
        return super().call_soon(callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        self._straight.poller.wanted = True
        return super().call_at(when, callback, *args, context=context)

    def stop(self) -> None:
        self._straight.poller.wanted = True
        super().stop()


def has_own() -> bool:
    """Whether the loop above can run: it needs the compiled core and epoll."""
    return not core.PURE and sys.platform == "linux"
