"""Processes of a worker to which a client's session is lent for one piece of work at a time, and what one
user may have of them.

Owns starting, lending and killing them, and the conversation that the proxy has with one. Must not know the
wire, or what the work is. docs/decisions/0392-questions-are-read-through-the-clients-session.md.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import socket
import tempfile
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from rewright.config.model import Config
from rewright.proxy.ports import SqlError
from rewright.proxy.serving.asking_ports import Conversation, Lent, Step
from rewright.wiring.children import new_child, reason_of
from rewright.wiring.lending import PORT, Lender
from rewright.wiring.lent_process import LentProcess, Setup
from rewright.wiring.lent_work import Work

T = TypeVar("T")


_PATIENCE = 30.0
"""Seconds that a piece of work waits for a process."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many processes there are at most, how many one user may have, and for how many seconds (0: no
    limit). The errors: for a user who has as many, for one who waited too long, for work that took too long.
    """

    processes: int
    per_user: int
    seconds: float
    too_many: SqlError
    none_free: SqlError
    too_late: SqlError


class LentProcesses(ABC):
    """Processes are started when they are first needed, and with another configuration anew.

    ``name``: what such a process is, in lists of processes and in the log; ``keeps``: whether one may work
    for another user when it is done; ``preloaded``: modules whose import takes long, so that processes are
    forked from one that has done it; none: each is started from nothing.
    """

    name: str
    keeps: bool
    preloaded: Sequence[str] = ()

    def __init__(self, config: Config) -> None:
        self._config = config
        # spawn where nothing is preloaded: a fork server would only be another process
        self._context: Any = multiprocessing.get_context("forkserver" if self.preloaded else "spawn")
        if self.preloaded:
            self._context.set_forkserver_preload(list(self.preloaded))
        self._idle: list[LentProcess] = []
        self._all: set[LentProcess] = set()
        self._held: Counter[tuple[str, str]] = Counter()
        self._free = asyncio.Condition()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False
        self._starting = 0

    @property
    @abstractmethod
    def bounds(self) -> Bounds: ...

    @abstractmethod
    def main(self) -> Callable[[Setup, socket.socket], None]:
        """What a process runs; a function of a module, which is imported for it."""

    @abstractmethod
    def started(self, pid: int | None) -> None:
        """Tell of a process that has started."""

    @abstractmethod
    def failed(self) -> SqlError:
        """A process has ended unexpectedly."""

    def reload(self, config: Config) -> None:
        """What is being worked on goes on as it began."""
        self._config = config
        for process in self._idle:
            self._forget(process)
        self._idle.clear()

    # pieces of work in progress end with their process
    def close(self) -> None:
        self._closed = True
        for process in list(self._all):
            self._forget(process)

    def converse(
        self,
        user: tuple[str, str],
        request: Callable[[], object],
        step_of: Callable[[Any], Step],
        lent: Lent | None,
    ) -> Conversation:
        """``request`` is made when a process is there, its answer is what ``step_of`` tells. Raises SqlError:
        this user has as many as one may.
        """
        # by user, so that one cannot take all processes
        if self._held[user] >= self.bounds.per_user:
            raise self.bounds.too_many
        self._held[user] += 1
        return Work(self, user, request, step_of, lent)

    # --- lending --------------------------------------------------------------------------------------

    async def take(self) -> LentProcess:
        """A process for one piece of work. Raises SqlError when none gets free."""
        try:
            async with asyncio.timeout(_PATIENCE), self._free:
                # notified by whoever gives one back
                await self._free.wait_for(self._is_room)
                if self._idle:
                    return self._idle.pop()
                # counted before it exists: others would start one for the same place
                self._starting += 1
        except TimeoutError:
            raise self.bounds.none_free from None
        starting = self._task(self._start(), "started")
        try:
            # shielded: a client that goes must not leave a process half started
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(self._unwanted)
            raise
        except (OSError, EOFError) as error:  # EOFError: the fork server is gone
            raise SqlError("58030", f"no {self.name} can be started: {reason_of(error)}") from error

    # those that start take a place, too
    def _is_room(self) -> bool:
        return bool(self._idle) or len(self._all) + self._starting < self.bounds.processes

    async def _start(self) -> LentProcess:
        """Raises OSError, EOFError."""
        try:
            return await self._opened()
        except BaseException:
            # its place is free again, and somebody may wait for one
            self._task(self._wake(), "free")
            raise

    async def _opened(self) -> LentProcess:
        """Raises OSError, EOFError."""
        try:
            # mkdtemp: mode 0700, so nobody else can enter
            directory = Path(tempfile.mkdtemp(prefix="rewright-"))  # for this user alone
            ours, theirs = socket.socketpair()
            setup = Setup(self._config, str(directory), PORT)
            process = new_child(self._context, self.main(), setup, theirs, name=self.name)
            # the first one may wait for what is preloaded
            await asyncio.to_thread(process.start)
            theirs.close()
            ours.setblocking(False)
            started = LentProcess(process, ours, Lender(directory), self._config, self.failed())
            self._all.add(started)
            self.started(process.pid)
        finally:
            self._starting -= 1
        try:
            await started.lender.open()
        except OSError:
            self._forget(started)
            raise
        return started

    def _unwanted(self, starting: asyncio.Task[LentProcess]) -> None:
        """Whoever waited for it has gone."""
        if not starting.cancelled() and starting.exception() is None:
            self._forget(starting.result())
            self._task(self._wake(), "free")

    def over(self, user: tuple[str, str], process: LentProcess | None, *, usable: bool) -> None:
        """A piece of work is done, or not wanted any more; then what its process does is not wanted, too."""
        self._held[user] -= 1
        if self._held[user] <= 0:
            del self._held[user]
        # it ended before a process was found
        if process is None:
            return
        process.lender.take_back()
        # of an earlier configuration: not for new work
        kept = usable and self.keeps and process.config is self._config
        if kept and not (process.ended or self._closed):
            self._idle.append(process)
        else:
            self._forget(process)
        self._task(self._wake(), "free")

    def _task(self, work: Coroutine[Any, Any, T], what: str) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work, name=f"{self.name} {what}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _wake(self) -> None:
        async with self._free:
            self._free.notify()

    def _forget(self, process: LentProcess) -> None:
        self._all.discard(process)
        process.end()
