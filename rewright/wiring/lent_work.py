"""One piece of work that a process does with a client's session: the conversation that the proxy has with it.

Owns whose turn it is, and how the work ends. Must not know how processes are started or shared.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rewright.proxy.serving.asking_ports import Lent, Step, ToServer

if TYPE_CHECKING:
    from rewright.wiring.lent_process import LentProcess
    from rewright.wiring.lent_processes import LentProcesses


class Work:
    """One piece of work (``rewright.proxy.serving.asking_ports.Conversation``)."""

    def __init__(
        self,
        processes: LentProcesses,
        user: tuple[str, str],
        request: Callable[[], object],
        step_of: Callable[[Any], Step],
        lent: Lent | None,
    ) -> None:
        self._processes = processes
        self._user = user
        self._request = request
        self._step_of = step_of
        self._lent = lent
        self._process: LentProcess | None = None
        self._answer: asyncio.Task[Any] | None = None
        self._cycles: asyncio.Queue[tuple[bytes, asyncio.Future[bytes]]] = asyncio.Queue()
        self._waiting: asyncio.Future[bytes] | None = None
        self._unanswered: set[asyncio.Future[bytes]] = set()
        # no limit: some thirty years
        self._until = asyncio.get_running_loop().time() + (processes.bounds.seconds or 1e9)
        self._open = True

    async def next(self, reply: bytes | None = None) -> Step:
        try:
            async with asyncio.timeout_at(self._until):
                return await self._next(reply)
        except TimeoutError:
            raise self._processes.bounds.too_late from None

    async def _next(self, reply: bytes | None) -> Step:
        if self._answer is None:
            await self._begin()
        # what the server answered to what was asked last
        elif self._waiting is not None and reply is not None and not self._waiting.done():
            self._waiting.set_result(reply)
        assert self._answer is not None
        # whichever comes first: a request for the server, or the end of the work
        cycle = asyncio.ensure_future(self._cycles.get())
        try:
            await asyncio.wait({cycle, self._answer}, return_when=asyncio.FIRST_COMPLETED)
            if cycle.done():
                data, self._waiting = cycle.result()
                return ToServer(data)
        finally:
            cycle.cancel()
        # the result, or its exception
        return self._step_of(self._answer.result())

    async def _begin(self) -> None:
        self._process = await self._processes.take()
        if self._lent is not None:
            self._process.lender.lend(self._lent, self._exchange)
        self._answer = asyncio.get_running_loop().create_task(
            self._process.ask(self._request()), name=f"{self._processes.name} at work"
        )

    async def _exchange(self, data: bytes) -> bytes:
        """What the process wants of the server, by way of the client's session."""
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._unanswered.add(answer)
        answer.add_done_callback(self._unanswered.discard)
        await self._cycles.put((data, answer))
        return await answer

    def close(self) -> None:
        if not self._open:
            return
        self._open = False
        # an exception means that the state of the process is not known
        usable = self._answer is not None and self._answer.done() and not self._answer.cancelled()
        if self._answer is not None and not self._answer.done():
            self._answer.cancel()
        if usable and self._answer is not None:
            usable = self._answer.exception() is None
        # the process waits for the server's answer: it gets an error, and ends
        for answer in list(self._unanswered):
            # one that has just been answered is taken out in a moment
            if not answer.done():
                answer.set_exception(OSError("the work is over"))
        # the loop may be closed already
        with suppress(RuntimeError):
            self._processes.over(self._user, self._process, usable=usable)
