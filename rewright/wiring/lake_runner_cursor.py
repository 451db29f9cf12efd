"""A query that is being read from a lake's process, in portions, within its time. Must not know how
processes are lent.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from rewright.proxy.duckdb_backend.ports import Encode, Portion
from rewright.proxy.ports import SqlError
from rewright.wiring.lake_runner_process import Runner


class RunnerCursor:
    """A query that is being read from a process of its own. ``over``: told once when it is read no more."""

    def __init__(
        self, over: Callable[[Runner, str], None], runner: Runner, user: str, seconds: float
    ) -> None:
        self._over = over
        self._runner = runner
        self._user = user
        self._left = seconds
        self._open = True
        self._loop = asyncio.get_running_loop()
        # what running it answered, where that is more than its rows
        self.found: Any = None
        self.notices: tuple[str, ...] = ()

    async def ask(self, request: object) -> Any:
        """Raises SqlError; then, as when it is cancelled, the query is over."""
        if not self._open:
            raise SqlError("34000", "the query is no longer being read")
        began = time.monotonic()
        try:
            return await self._runner.ask(request, self._left)
        except BaseException:
            self._release()
            raise
        finally:
            # the client's time between portions does not count
            self._left -= time.monotonic() - began

    async def fetch(self, rows: int, encode: Encode) -> Portion:
        from rewright.processes.lake_runner import Fetch

        if not self._open:
            return Portion(0, b"", ended=True)
        count, data, ended = await self.ask(Fetch(rows, encode))
        if ended:
            self._release()
        return Portion(count, data, ended=ended)

    def close(self) -> None:
        if self._open and self._runner.busy:
            self._runner.interrupt()
        self._release()

    def _release(self) -> None:
        if self._open:
            self._open = False
            self._over(self._runner, self._user)

    def __del__(self) -> None:
        # a cursor that was dropped unread; the loop may run in another thread than the collector
        if self._open and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._over, self._runner, self._user)
