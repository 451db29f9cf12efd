"""``rewright serve``: starts the relay workers, the optimiser and the pages, and starts again what dies.

Owns processes, signals and the private directory of their sockets. Must not know what the children do.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from rewright import interrupts, logs
from rewright.config.loading import ConfigError
from rewright.config.model import Config
from rewright.processes import channel, copies
from rewright.processes.channel import (
    Failed,
    Figures,
    Message,
    Pausing,
    Ready,
    Reload,
    Reloaded,
    ReloadWanted,
    Retire,
    tell,
)
from rewright.processes.exporting import Figureboard
from rewright.processes.optimiser_state import optimiser_told
from rewright.proxy.listening import listening_socket
from rewright.proxy.private_directory import has_temporary_directory, runtime_directory
from rewright.reaching import address_remedy
from rewright.store.outcomes import NO_OPTIMISER
from rewright.wiring import pausing
from rewright.wiring.children import new_child
from rewright.wiring.proxies import proxy_config

# loading everything on a slow disk takes most of a minute
START_SECONDS = 90.0
# a child that dies is started again at once; one that dies again and again ever less often
BACKOFF = (0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
# a child that lived for a minute had no fault of configuration
STEADY_SECONDS = 60.0


class ServeFailed(Exception):
    """Serving can't begin; the message says why."""


def _worker_main(
    config: Config, number: int, job_path: str, listeners: Sequence[socket.socket], pipe: Connection
) -> None:
    # Ctrl-C at a terminal reaches all processes of the group; the supervisor alone decides
    interrupts.ignore()
    from rewright.processes.worker import run

    run(config, number, job_path, listeners, pipe)


def _optimiser_main(config: Config, job_path: str, pipe: Connection) -> None:
    interrupts.ignore()
    from rewright.processes.optimiser import run

    run(config, job_path, pipe)


@dataclass(slots=True)
class _Child:
    name: str
    start: Callable[[Connection], BaseProcess]
    process: BaseProcess | None = None
    pipe: Connection | None = None
    began: float = 0.0
    failures: int = 0
    again_at: float = 0.0
    problem: str = ""
    ready: threading.Event = field(default_factory=threading.Event)

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.is_alive()


class Supervisor:
    """``start`` returns once clients can connect; ``run`` stays until SIGTERM or SIGINT, then drains.

    The listening sockets are the supervisor's: a client that connects while a worker is being restarted waits
    for it.
    """

    def __init__(
        self,
        config: Config,
        reread: Callable[[], Config] | None = None,
        listeners: Sequence[socket.socket] = (),
    ) -> None:
        """``listeners``: sockets taken from another process, or given by the service manager."""
        # without any place for files clients are served all the same: no rewrites are looked for, workers
        # start more slowly
        self._has_files = has_temporary_directory()
        self._run_dir = str(runtime_directory(config.serve.run_dir)) if self._has_files else ""
        self.config = self._settled(config)
        self.paused = False  # by a signal
        self.board = Figureboard()
        self.address: tuple[str, int] = ("", 0)
        self.restarts: dict[str, int] = {}
        self._reread = reread
        # a worker is a copy of a process that has loaded all it needs: it listens again within a moment
        # without files there is no place for the fork server's socket
        self._context: Any = copies.context() if self._has_files else multiprocessing.get_context("spawn")
        self._listeners = list(listeners)
        self._retiring = threading.Event()
        self.on_retire: Callable[[], None] = lambda: None
        self._directory = interrupts.temporary_directory("rewright-run-") if self._has_files else None
        # told to workers also while there is no optimiser: a reload may start one
        self._job_path = str(Path(self._directory.name) / "jobs") if self._directory is not None else ""
        self._children: list[_Child] = []
        self._stopping = False
        # a pair of sockets wakes the main thread's wait from signal handlers and threads
        self._wake_out, self._wake_in = socket.socketpair()
        self.log: Any = logs.logger()

    # -- beginning

    def start(self) -> None:
        """Raises ServeFailed."""
        if self._job_path and self._optimises():
            self._add("optimiser", self._start_optimiser)
        self._listen()
        for number in range(self.config.listen.workers):
            self._add(f"worker {number}", partial(self._start_worker, number, self._job_path))
        # one deadline for all: they load beside each other
        deadline = time.monotonic() + START_SECONDS
        for child in self._children:
            self._launch(child)
        for child in self._workers():
            self._await(child, deadline)

    def _listen(self) -> None:
        """One socket a worker. Raises ServeFailed."""
        (host, port), workers = self.config.listen.address, self.config.listen.workers
        try:
            for _ in range(0 if self._listeners else workers):
                # SO_REUSEPORT, where the kernel spreads connections over workers
                self._listeners.append(listening_socket(host, port, share=workers > 1))
                # where the kernel chooses the port, the other workers share the first one's
                port = self._listeners[0].getsockname()[1]
        except OSError as error:
            self.stop()
            raise ServeFailed(f"{error}{address_remedy(error, '--listen')}") from error
        self.address = self._listeners[0].getsockname()[:2]

    def _settled(self, config: Config) -> Config:
        """With the runtime directory that was found, for all children."""
        return replace(config, serve=replace(config.serve, run_dir=self._run_dir))

    def _await(self, child: _Child, deadline: float) -> None:
        # not ready in time, or ready with a problem
        if not child.ready.wait(max(deadline - time.monotonic(), 0.1)) or child.problem:
            self.stop()
            raise ServeFailed(child.problem or f"{child.name} does not start")

    def _optimises(self) -> bool:
        return self.config.optimiser.concurrency > 0 and any(
            database.optimiser_dsn for database in self.config.databases.values()
        )

    def _workers(self) -> list[_Child]:
        return [child for child in self._children if child.name.startswith("worker")]

    def _add(self, name: str, start: Callable[[Connection], BaseProcess]) -> None:
        self._children.append(_Child(name, start))

    def _start_worker(self, number: int, job_path: str, pipe: Connection) -> BaseProcess:
        # the same address as long as we live, also for a worker that is started again
        config = replace(self.config, listen=replace(self.config.listen, address=self.address))
        # of another process there may be more sockets than workers, or fewer
        every = max(config.listen.workers, 1)
        listeners = self._listeners[number::every] or [self._listeners[number % len(self._listeners)]]
        return self._spawn(_worker_main, config, number, job_path, listeners, pipe)

    def _start_optimiser(self, pipe: Connection) -> BaseProcess:
        return self._spawn(_optimiser_main, self.config, self._job_path, pipe)

    def _spawn(self, main: Callable[..., None], *arguments: object) -> BaseProcess:
        process = new_child(self._context, main, *arguments)
        # no signal between fork and the child's own handlers
        with interrupts.held_back():
            process.start()
        return process

    def _launch(self, child: _Child) -> None:
        ours, theirs = self._context.Pipe()
        child.pipe, child.began = ours, time.monotonic()
        child.process = child.start(theirs)
        # the child has its copy; with ours open its end would never be noticed
        theirs.close()
        # what was wrong with the process before it says nothing of this one
        child.problem = ""
        channel.listen(ours, lambda message: self._hear(child, message), lambda: _ended_early(child))
        # told before the first client: a restart must not resume serving
        if self.paused:
            tell(ours, Pausing(True))

    def _hear(self, child: _Child, message: Message) -> None:
        match message:
            case Ready():
                child.ready.set()
            case Failed():
                child.problem = message.reason
                child.ready.set()
            case Figures():
                self.board.put(child.name, message.values)
            case ReloadWanted():
                self._wake_in.send(bytes([signal.SIGHUP]))
            # these go from us to children, never back
            case Reload() | Reloaded() | Pausing() | Retire():
                pass

    # -- meanwhile

    @property
    def run_dir(self) -> str:
        return self._run_dir

    @property
    def listeners(self) -> Sequence[socket.socket]:
        """Those for clients."""
        return self._listeners

    def retire(self) -> None:
        """Another process accepts clients now: ``run`` ends with the last session. From any thread."""
        self._retiring.set()
        # SIGQUIT stands for "retire" in the queue of signals
        self._wake_in.send(bytes([signal.SIGQUIT]))

    def _retire(self) -> None:
        self._retiring.set()
        self.log.info("serving.retiring")
        self.on_retire()
        # the other process has the sockets: here nothing is accepted any more
        for listener in self._listeners:
            listener.close()
        for child in self._children:
            if child.name == "optimiser" and child.alive and child.process is not None:
                # the new process has an optimiser of its own
                child.process.terminate()
            elif child.pipe is not None:
                tell(child.pipe, Retire())

    def run(self) -> None:
        """Until SIGTERM or SIGINT, or until the last session has ended after SIGQUIT; to be called in the
        main thread.
        """
        stop = {signal.SIGTERM, signal.SIGINT}
        for number in (*stop, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT):
            signal.signal(number, self._on_signal)
        while not self._stopping:
            self._wait(self._patience())
            self._revive()
        self.stop()

    def _on_signal(self, number: int, _frame: object) -> None:
        # a handler only writes a byte: all else happens in the main loop
        self._wake_in.send(bytes([number]))

    def _patience(self) -> float:
        """Until the next child is to be started again."""
        now = time.monotonic()
        # a child that runs is waited for by its sentinel
        waits = (child.again_at - now for child in self._children if child.process is None)
        # half a second is also how long a dead child goes unnoticed where sentinels fail
        return min(0.5, max(0.0, min(waits, default=0.5)))

    def _wait(self, seconds: float) -> None:
        """Until a signal comes or a child ends."""
        sentinels = [child.process.sentinel for child in self._children if child.alive and child.process]
        found = multiprocessing.connection.wait([self._wake_out, *sentinels], seconds)
        # several signals may have come together
        if self._wake_out in found:
            for number in self._wake_out.recv(64):
                if number == signal.SIGHUP:
                    self.reload()
                elif number == signal.SIGQUIT:
                    self._retire()
                elif number in {signal.SIGUSR1, signal.SIGUSR2}:
                    self.pause(number == signal.SIGUSR1)
                else:
                    self._stopping = True

    def pause(self, paused: bool) -> None:
        """Told by a signal (SIGUSR1, SIGUSR2): at once for the workers, and in a file where one can be made,
        for the next start.
        """
        self.paused = paused
        self._tell_workers(Pausing(paused))
        files = pausing.files_of(self.config)
        # files that could not be removed would pause the next start
        _, problems = (None, ()) if paused else pausing.remove_files(files)
        file = pausing.write_files(files, pausing.ALONE) if paused else None
        self.log.warning(
            "serving.paused" if paused else "serving.resumed",
            by="signal",
            file=str(file or ""),
            left=problems,
        )

    def reload(self) -> None:
        """Read the configuration again; a wrong one changes nothing."""
        if self._reread is None:
            return
        before = self.config
        try:
            found = self._settled(self._reread())
            # as a worker would read it, so that an error shows here
            proxy_config(found)  # what it names can be used, too
        except ConfigError as error:
            self.log.warning("config.reload_failed", reason=str(error))
            self._tell_workers(Reloaded(str(error)))
            return
        # whatever is wrong with what was read, those that are served stay
        except Exception as error:
            self.log.warning("config.reload_failed", exc_info=error)
            # the text of an unexpected error may hold values
            self._tell_workers(Reloaded(f"it cannot be read: {type(error).__name__}"))
            return
        self.config = found
        logs.set_up(self.config.log.format, self.config.log.level, "supervisor")
        self.log = logs.logger()
        # workers reload in place; the optimiser reads its configuration once
        if _of_optimiser(before) != _of_optimiser(self.config):
            self._restart_optimiser()
        self._tell_workers(Reload(self.config))
        self._tell_workers(Reloaded(""))

    def _tell_workers(self, message: Message) -> None:
        for child in self._workers():
            if child.pipe is not None:
                tell(child.pipe, message)

    def _restart_optimiser(self) -> None:
        """It reads its configuration once, and nobody misses it for the moment that takes. The first one may
        be wanted now.
        """
        if not any(child.name == "optimiser" for child in self._children):
            # a database with an optimiser's account was added
            if self._job_path and self._optimises():
                self._add("optimiser", self._start_optimiser)
                self._launch(self._children[-1])
            return
        for child in self._children:
            if child.name == "optimiser" and child.alive and child.process is not None:
                self.log.info("process.restarted", child=child.name, reason="the configuration has changed")
                child.process.terminate()

    def _revive(self) -> None:
        for child in self._children:
            if child.alive:
                continue
            now = time.monotonic()
            # retiring: workers end with their last session, and nothing is started again
            if self._retiring.is_set():
                self._stopping = self._stopping or not any(one.alive for one in self._workers())
                continue
            if child.process is not None:
                self._bury(child, now)
            if child.process is None and now >= child.again_at and not self._stopping:
                self._launch(child)

    def _bury(self, child: _Child, now: float) -> None:
        assert child.process is not None
        self.log.warning(
            "process.ended", child=child.name, exit_code=child.process.exitcode, reason=child.problem
        )
        steady = now - child.began > STEADY_SECONDS
        # one that ran for a minute begins with no delay again
        child.failures = 0 if steady else child.failures
        # seven steps, the last for all further failures
        child.again_at = now + BACKOFF[min(child.failures, len(BACKOFF) - 1)]
        child.failures += 1
        child.process.close()
        child.process = None
        if child.pipe is not None:
            child.pipe.close()
        self.board.end(child.name)
        self.restarts[child.name] = self.restarts.get(child.name, 0) + 1

    # -- the end

    def stop(self) -> None:
        """Drain the workers, end the optimiser; safe to call twice."""
        self._stopping = True
        # closed first: clients go elsewhere, or are refused, while sessions are drained
        for listener in self._listeners:
            listener.close()
        for child in self._children:
            if child.alive and child.process is not None:
                child.process.terminate()
        # ten seconds more than sessions are given, for the processes themselves
        deadline = time.monotonic() + self.config.limits.drain_grace + 10
        for child in self._children:
            if child.process is not None:
                child.process.join(max(deadline - time.monotonic(), 0.1))
                if child.process.is_alive():
                    child.process.kill()
                    child.process.join()
        if self._directory is not None:
            self._directory.cleanup()

    def health(self) -> tuple[bool, dict[str, Any]]:
        """Whether clients can connect, and what runs."""
        states = {child.name: "running" if child.alive else "starting" for child in self._children}
        # one worker is enough for clients to connect
        healthy = any(child.alive for child in self._workers())
        # the state that workers tell of, not ours: a file may pause them, too
        paused = any(name == "paused" and value for (name, _), value in self.board.values().items())
        status = "ok" if healthy else "failing"
        return healthy, {"status": status, "processes": states, "pid": os.getpid(), "paused": paused}

    def optimiser(self) -> dict[str, str]:
        """What the optimiser does, for people: a word (``state``) and a sentence (``told``)."""
        child = next((one for one in self._children if one.name == "optimiser"), None)
        if child is None:
            return {"state": "none", "told": NO_OPTIMISER.removeprefix("not optimised: ")}
        figures, age = self.board.of(child.name)
        return optimiser_told(child.alive, child.problem, self.restarts.get(child.name, 0), figures, age)

    def metrics(self) -> bytes:
        for child in self._children:
            values: dict[Any, float] = {("up", (("process", child.name),)): float(child.alive)}
            values["restarts_total", (("process", child.name),)] = self.restarts.get(child.name, 0)
            self.board.put(f"supervisor of {child.name}", values)
        return self.board.render()


def _ended_early(child: _Child) -> None:
    """Its end of the pipe is gone. Before it was ready nobody need wait for a word of it any more."""
    if not child.ready.is_set():
        child.problem = child.problem or f"{child.name} ended before it was ready; the log says why"
        child.ready.set()


def _of_optimiser(config: Config) -> tuple[object, ...]:
    """What the optimiser goes by."""
    return config.optimiser, config.verify, config.models, config.databases, config.defaults
