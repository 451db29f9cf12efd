"""The processes in which a lake's statements run, and their limits.

Owns starting, lending, interrupting and killing them: how many there are, how many one user may have, and the
memory and time of each and of all. Must not know the wire, or what a statement means.
docs/decisions/0312-lake-statements-run-in-processes-that-can-be-killed.md.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import socket
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rewright import logs
from rewright.proxy.ports import SqlError
from rewright.wiring.children import new_child, reason_of
from rewright.wiring.lake_runner_cursor import RunnerCursor
from rewright.wiring.lake_runner_limits import OVERHEAD, RunnerLimits
from rewright.wiring.lake_runner_process import Runner
from rewright.wiring.opening import Home

if TYPE_CHECKING:
    from rewright.config.model import Models
    from rewright.store.records import Resolution
    from rewright.wiring.lake_binding import Asked, Bound

log = logs.logger()
PRELOADED = (
    "rewright.processes.lake_runner",
    "rewright.processes.lake_searcher",
    # what a first resolution imports, which on a busy machine takes a second
    "sqlglot.dialects.postgres",
    "sqlglot.dialects.duckdb",
    "pglast.visitors",
    "tokenizers",
)
"""Modules that a process of a lake begins with; what one imports later, its client waits for."""
# 20 looks a second: a process may gain some hundred megabytes between two
_WATCH_SECONDS = 0.05
_RENEWAL_PATIENCE = 5.0
"""How long statements wait for a lake whose files changed; after that they get the one that was opened
before.
"""
# one process more than is lent
_SPARE = 1
_READY = 2
"""Processes that are kept ready: a second user may come while what the first one took is being replaced."""
# more would hold memory that nobody uses: each has the lake's catalog
_IDLE = 3
"""Processes that wait for a statement, at most."""
_BRISK_SECONDS = 0.5
"""Where more statements work than there are processors, those that have for longer than this go behind the
others.
"""
_PROCESSORS = os.cpu_count() or 1


class Runners:
    """The processes of one lake."""

    def __init__(self, home: Home, shadow: str, limits: RunnerLimits, models: Models | None = None) -> None:
        self._models = models
        self._home = home
        self._shadow = shadow
        self._limits = limits
        # forked from a process with all modules loaded and no threads
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(list(PRELOADED))
        self._idle: list[Runner] = []
        self._all: set[Runner] = set()
        self._starting = 0
        # who comes first takes one that is starting for nobody yet
        self._spares = 0  # of those that start, they are for whoever comes first
        self._held: Counter[str] = Counter()
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []
        self._generation = 0
        self._renewal: asyncio.Task[None] | None = None
        self._watched: Any = None
        self._watch: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    def begin(self) -> None:
        """Have a process ready when the first statement comes."""
        self._keep_spare()

    # --- what is asked of them ------------------------------------------------------------------------

    async def bind(self, asked: Asked, accepted: Sequence[Resolution], user: str) -> Bound:
        """Raises SqlError."""
        from rewright.processes.lake_runner import Bind

        runner = await self._lend(user)
        try:
            bound: Bound = await runner.ask(Bind(asked, accepted), self._limits.seconds)
        finally:
            self._give_back(runner, user)
        return bound

    async def run(self, query: Any, parameters: Sequence[object], user: str) -> RunnerCursor:
        """Raises SqlError."""
        from rewright.processes.lake_runner import Run

        runner = await self._lend(user)
        cursor = RunnerCursor(self.over, runner, user, self._limits.seconds)
        try:
            cursor.found = await cursor.ask(Run(query, parameters))
        # also where the client cancels: the process has to come back
        except BaseException:
            cursor.close()
            raise
        return cursor

    def close(self) -> None:
        self._closed = True
        for runner in list(self._all):
            runner.end()

    def over(self, runner: Runner, user: str) -> None:
        """A query is not read any more."""
        # a query that was not read to its end holds DuckDB's result: it is told to drop it
        if runner.lent and not runner.busy and not runner.ended and not self._closed:
            self._task(self._stopped(runner, user))
        else:
            self._give_back(runner, user)

    async def _stopped(self, runner: Runner, user: str) -> None:
        from rewright.processes.lake_runner import Stop

        # one second: dropping a result is no work
        with suppress(SqlError):
            await runner.ask(Stop(), 1.0)
        self._give_back(runner, user)

    # --- lending --------------------------------------------------------------------------------------

    async def _lend(self, user: str) -> Runner:
        """A process for one statement. Raises SqlError: none gets free, or the lake cannot be opened."""
        await self._renewed()
        # who waits for one counts as having it, so that what is ready goes to users who have none
        self._held[user] += 1
        until = time.monotonic() + self._limits.patience
        try:
            while (runner := await self._free(user, until)) is None:
                pass
        except BaseException:
            self._return_of(user)
            raise
        runner.lent = True
        self._keep_spare()
        return runner

    def _return_of(self, user: str) -> None:
        self._held[user] -= 1
        if self._held[user] <= 0:
            del self._held[user]

    async def _free(self, user: str, until: float) -> Runner | None:
        """None: look again. Raises SqlError: none gets free, or the lake cannot be opened."""
        self._idle = [runner for runner in self._idle if not runner.ended]
        # who has some already leaves the last one to others while another can be started
        # is_first counts the request itself, see _lend
        is_first = self._held[user] <= 1
        reserve = 0 if is_first or not self._room() else _SPARE
        allowed = is_first or self._lent(user) < self._limits.of_one_user
        if allowed and len(self._idle) > reserve:
            return self._idle.pop()
        # a spare that is starting anyway comes sooner than one begun now
        if allowed and self._room() and not (is_first and self._spares > len(self._waiting)):
            return await self._start()
        await self._turn(user, until)
        return None

    async def _turn(self, user: str, until: float) -> None:
        """Wait to be woken. Raises SqlError: not ``until`` then, when statements have all the processes; one
        that still starts, as it does for long on a busy machine, is waited for.
        """
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((user, waiting))
        try:
            while not (await asyncio.wait({waiting}, timeout=max(0.0, until - time.monotonic())))[0]:
                if not self._starting:
                    raise SqlError("53300", "too many statements run on this lake")
                until = time.monotonic() + self._limits.patience
        finally:
            # cancelled or woken: either way it waits no more
            self._waiting = [one for one in self._waiting if one[1] is not waiting]

    def _lent(self, user: str) -> int:
        """How many processes a user has, those that start for her included."""
        return self._held[user] - sum(one == user for one, _ in self._waiting) - 1

    def _room(self) -> bool:
        return len(self._all) + self._starting < self._limits.processes

    def _give_back(self, runner: Runner, user: str) -> None:
        """A statement is over; its process goes on when it is whole, of the present
        lake, and not too large.
        """
        if not runner.lent:
            return
        runner.lent = False
        self._return_of(user)
        # it still works on what was interrupted
        if runner.busy and not runner.ended:
            # it was interrupted, and has a moment to come to an end
            self._task(self._given_back_later(runner))
        else:
            self._take_back(runner)

    async def _given_back_later(self, runner: Runner) -> None:
        await runner.settled()
        self._take_back(runner)

    def _take_back(self, runner: Runner) -> None:
        usable = (
            not runner.ended
            and not runner.killed_for
            # files may have changed since it opened the lake
            and runner.generation == self._generation
            and len(self._idle) < _IDLE
            # a process that holds much beside the catalog would keep it
            and runner.held() < OVERHEAD
        )
        if usable and not self._closed:
            self._idle.append(runner)
        else:
            runner.end()
            self._all.discard(runner)
        self._wake()

    def _wake(self) -> None:
        """Whoever waits and has least gets on first."""
        # fewest held first, so that one user's queue does not go before another's single statement
        for _, waiting in sorted(self._waiting, key=lambda one: self._held[one[0]]):
            if not waiting.done():
                waiting.set_result(None)
                # one for each free place: the others would only queue again
                if not self._idle and not self._room():
                    return

    # --- starting -------------------------------------------------------------------------------------

    async def _start(self) -> Runner:
        """Raises SqlError."""
        began = time.monotonic()
        try:
            runner = await self._begun()
        except (OSError, EOFError) as error:  # no descriptor, no process, or the fork server is gone
            raise SqlError("58030", f"no process for the lake can be started: {reason_of(error)}") from error
        # a process that cannot open the lake is of no use
        try:
            await runner.open()
        except BaseException:
            runner.end()
            self._all.discard(runner)
            raise
        self._begin_watch()
        log.info("lake.runner_started", pid=runner.pid, seconds=round(time.monotonic() - began, 3))
        return runner

    async def _begun(self) -> Runner:
        """A process that opens the lake. Raises OSError, EOFError."""
        from rewright.processes.lake_runner import RunnerSetup, main

        self._starting += 1
        try:
            setup = RunnerSetup(
                self._home, self._shadow, self._limits.memory, self._limits.row_bytes, self._models
            )
            generation = self._generation
            ours, theirs = socket.socketpair()
            control, controlled = socket.socketpair()
            process = new_child(self._context, main, setup, theirs, controlled, name="lake runner")
            process.daemon = True
            # starting blocks on the fork server's pipe
            await asyncio.to_thread(process.start)
            theirs.close()
            controlled.close()
            ours.setblocking(False)
            runner = Runner(process, ours, control)
            runner.generation = generation
            self._all.add(runner)
            return runner
        finally:
            self._starting -= 1

    def _keep_spare(self) -> None:
        """The next statement need not wait for a process to start."""
        # one after the other, so that their starts do not hold up what is asked; while a renewal is under way
        # its process is the spare
        wanted = len(self._idle) < _READY and self._spares < _SPARE
        if wanted and self._room() and self._renewal is None and not self._closed:
            self._spares += 1
            self._task(self._add_spare())

    async def _add_spare(self) -> None:
        try:
            runner = await self._start()
        # nobody asked for this process, so nobody is told
        except SqlError:
            self._spares -= 1
            # whoever waited for it tries to start one, and is told why there is none
            self._wake()
        else:
            self._spares -= 1
            self._take_back(runner)
            # one that is of no use at once would be followed by others like it
            if runner in self._idle:
                self._keep_spare()

    def _task(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work, name="lake runners")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- files that change ----------------------------------------------------------------------------

    async def _renewed(self) -> None:
        """Where files changed, wait a little for a process that knows them; those who had the old ones keep
        them.
        """
        if self._watched is None:
            from rewright.wiring.lake_threads import Watched

            self._watched = watched = Watched(self._home)
            await asyncio.to_thread(_begin, watched)
        incomplete = any(runner.incomplete for runner in self._idle)
        is_due = self._renewal is None and self._watched.is_due()
        # looking at files takes a thread: a folder may be on a slow disk
        changed = is_due and await asyncio.to_thread(self._watched.changed, incomplete=incomplete)
        if changed and self._renewal is None:
            self._renewal = asyncio.get_running_loop().create_task(self._renew(), name="lake renewal")
        if self._renewal is not None:
            # after that the old state is good enough
            await asyncio.wait({self._renewal}, timeout=_RENEWAL_PATIENCE)

    async def _renew(self) -> None:
        try:
            runner = await self._start()
        except SqlError as error:
            log.warning("lake.renewal_failed", path=self._home.path, reason=error.message)
            self._watched.failed()
            return
        finally:
            self._renewal = None
        # processes of earlier generations end when they come back
        self._generation += 1
        runner.generation = self._generation
        old, self._idle = self._idle, [runner]
        for one in old:
            one.end()
            self._all.discard(one)
        self._wake()

    # --- memory ---------------------------------------------------------------------------------------

    def _begin_watch(self) -> None:
        if self._watch is None or self._watch.done():
            self._watch = asyncio.get_running_loop().create_task(self._watching(), name="lake memory")

    async def _watching(self) -> None:
        """While statements run, whose process is too large is killed; where all are, the largest."""
        while self._all and not self._closed:
            await asyncio.sleep(_WATCH_SECONDS)
            # idle ones hold what the catalog takes
            held = {runner: runner.held() for runner in self._all if runner.lent}
            for runner, size in held.items():
                if size > self._limits.each:
                    runner.kill("memory")
            self._make_way([runner for runner in held if runner.busy])
            alive = {runner: size for runner, size in held.items() if not runner.killed_for}
            if sum(alive.values()) > self._limits.total:
                # the largest alone: killing more would punish statements that are in bounds
                max(alive, key=alive.__getitem__).kill("memory")

    @staticmethod
    def _make_way(busy: Sequence[Runner]) -> None:
        # as many as there are processors disturb nobody
        if len(busy) > _PROCESSORS:
            for runner in busy:
                if not runner.is_behind and time.monotonic() - runner.since > _BRISK_SECONDS:
                    runner.go_behind()


def _begin(watched: Any) -> None:
    from rewright.engines.duckdb.errors import LakeError

    try:
        watched.begin()
    except LakeError as error:
        raise SqlError(error.sqlstate, str(error), hint=error.hint) from error
