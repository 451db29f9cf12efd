"""Connecting to a server for many clients at once: a few at a time, the others wait while it goes on.

Owns the queue for one server and which of its hosts did not answer lately. Must not know clients or logins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from rewright.proxy.upstream import Connected, Host, Target, UpstreamUnavailable, connect

# connections to one server that are being made at a time, TLS included
AT_ONCE = 16
# for how long a host that did not answer is tried after the others
AVOID_SECONDS = 5.0


class Gate:
    """``connect`` as ``rewright.proxy.upstream.connect``. More at once would only wait for each other, until
    all are too late.

    A client in the queue is refused only when no client has been connected for longer than one attempt may
    take.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._free = asyncio.Semaphore(AT_ONCE)
        self._succeeded = float("-inf")
        self._silent: dict[Host, float] = {}

    async def connect(self, target: Target, *, patience: float, keepalive_idle: int) -> Connected:
        """Raises UpstreamUnavailable."""
        # an attempt may take so long at each host, and somebody else's is under way
        await self._turn(patience * (len(target.hosts) + 1))
        try:
            connected = await connect(
                replace(target, hosts=self._in_order(target.hosts)),
                patience=patience,
                keepalive_idle=keepalive_idle,
                on_silence=self._note_silence,
            )
        finally:
            self._free.release()
        self._succeeded = self._clock()
        self._silent.pop(connected.host, None)
        return connected

    async def _turn(self, patience: float) -> None:
        while True:
            began = self._clock()
            try:
                async with asyncio.timeout(patience or None):
                    await self._free.acquire()
                return
            except TimeoutError:
                if self._succeeded < began:
                    raise UpstreamUnavailable(f"nobody could be connected for {patience:g} s") from None

    def _note_silence(self, host: Host) -> None:
        self._silent[host] = self._clock()

    def _in_order(self, hosts: tuple[Host, ...]) -> tuple[Host, ...]:
        """As the dsn has them, those that did not answer a moment ago last."""
        limit = self._clock() - AVOID_SECONDS
        return tuple(sorted(hosts, key=lambda host: self._silent.get(host, limit) > limit))
