"""Which of a dsn's hosts is meant, where it asks for a kind of server (``target_session_attrs``).

A server says what it is only after a login, and a client's login can be relayed to one host only; so libpq
itself is asked, with the dsn's own account, which host it would take. The answer holds for a moment. Must not
know sessions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from time import monotonic

import psycopg
from psycopg.conninfo import make_conninfo

from rewright.proxy.upstream import Target, UpstreamUnavailable

# how long an answer holds: after a failover new clients reach the new primary within this many seconds
FRESH_SECONDS = 2.0


class HostChooser:
    """One a worker. ``pick`` is asked for each new client."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._known: dict[str, tuple[float, Target]] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    async def pick(self, dsn: str, target: Target, patience: float) -> Target:
        """``target`` with the one host that is of the wanted kind now. Raises UpstreamUnavailable."""
        if target.session_attrs in {"", "any"}:
            return target
        # A thousand clients that come at once ask once.
        async with self._asking.setdefault(dsn, asyncio.Lock()):
            known = self._known.get(dsn)
            if known is None or self._clock() - known[0] > FRESH_SECONDS:
                known = self._clock(), await self._ask(dsn, target, patience)
                self._known[dsn] = known
            return known[1]

    async def _ask(self, dsn: str, target: Target, patience: float) -> Target:
        wanted = make_conninfo(
            dsn, application_name="rewright", dbname=target.dbname or "postgres", sslmode=target.sslmode
        )
        try:
            async with asyncio.timeout(patience * len(target.hosts) or None):
                connection = await psycopg.AsyncConnection.connect(wanted)
        except (psycopg.Error, TimeoutError) as error:
            said = str(error) or "no answer in time"
            raise UpstreamUnavailable(f"no host is {target.session_attrs}: {said}") from error
        async with connection:
            place = connection.info.host, connection.info.port
        chosen = tuple(h for h in target.hosts if place in {(h.name, h.port), (h.address, h.port)})
        return replace(target, hosts=chosen[:1] or target.hosts)
