"""``rewright serve``: starts the relay workers, the optimiser and the pages, and starts again what dies.

Owns processes, signals and the private directory of their sockets. Must not know what the children do.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import structlog

from rewright.config.loading import ConfigError
from rewright.config.model import Config
from rewright.processes import channel, interrupts
from rewright.processes.channel import Failed, Figures, Message, Ready, Reload, tell
from rewright.processes.exporting import Figureboard

START_SECONDS = 90.0
# a child that dies again and again is started ever less often
BACKOFF = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
STEADY_SECONDS = 60.0


class ServeFailed(Exception):
    """Serving can't begin; the message says why."""


def _worker_main(config: Config, number: int, job_path: str, pipe: Connection) -> None:
    interrupts.ignore()
    from rewright.processes.worker import run

    run(config, number, job_path, pipe)


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
    """``start`` returns once clients can connect; ``run`` stays until SIGTERM or SIGINT, then drains."""

    def __init__(self, config: Config, reread: Callable[[], Config] | None = None) -> None:
        self.config = config
        self.board = Figureboard()
        self.address: tuple[str, int] = ("", 0)
        self.restarts: dict[str, int] = {}
        self._reread = reread
        self._context = multiprocessing.get_context("spawn")
        self._directory = tempfile.TemporaryDirectory(prefix="rewright-run-")
        self._children: list[_Child] = []
        self._stopping = False
        self._wake_out, self._wake_in = socket.socketpair()
        self.log: Any = structlog.get_logger()

    # -- beginning

    def start(self) -> None:
        """Raises ServeFailed."""
        job_path = str(Path(self._directory.name) / "jobs") if self._optimises() else ""
        if job_path:
            self._add("optimiser", lambda pipe: self._spawn(_optimiser_main, self.config, job_path, pipe))
        for number in range(self.config.listen.workers):
            self._add(f"worker {number}", partial(self._start_worker, number, job_path))
        deadline = time.monotonic() + START_SECONDS
        for child in self._children:
            self._launch(child)
            if child.name == "worker 0":
                # where the kernel chooses the port, the other workers share this one's
                self._await(child, deadline)
        for child in self._workers():
            self._await(child, deadline)

    def _await(self, child: _Child, deadline: float) -> None:
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
        config = self.config
        if self.address[1]:
            # the same address as long as we live, also for a worker that is started again
            config = replace(config, listen=replace(config.listen, address=self.address))
        return self._spawn(_worker_main, config, number, job_path, pipe)

    def _spawn(self, main: Callable[..., None], *arguments: object) -> BaseProcess:
        process = self._context.Process(target=main, args=arguments)
        with interrupts.held_back():
            process.start()
        return process

    def _launch(self, child: _Child) -> None:
        ours, theirs = self._context.Pipe()
        child.pipe, child.began = ours, time.monotonic()
        child.process = child.start(theirs)
        theirs.close()
        channel.listen(ours, lambda message: self._hear(child, message), lambda: None)

    def _hear(self, child: _Child, message: Message) -> None:
        match message:
            case Ready():
                self.address = message.address
                child.ready.set()
            case Failed():
                child.problem = message.reason
                child.ready.set()
            case Figures():
                self.board.put(child.name, message.values)
            case Reload():
                pass

    # -- meanwhile

    def run(self) -> None:
        """Until SIGTERM or SIGINT; to be called in the main thread."""
        stop = {signal.SIGTERM, signal.SIGINT}
        for number in (*stop, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        while not self._stopping:
            self._wait(0.5)
            self._revive()
        self.stop()

    def _on_signal(self, number: int, _frame: object) -> None:
        self._wake_in.send(bytes([number]))

    def _wait(self, seconds: float) -> None:
        """Until a signal comes or a child ends."""
        sentinels = [child.process.sentinel for child in self._children if child.alive and child.process]
        found = multiprocessing.connection.wait([self._wake_out, *sentinels], seconds)
        if self._wake_out in found:
            for number in self._wake_out.recv(64):
                if number == signal.SIGHUP:
                    self.reload()
                else:
                    self._stopping = True

    def reload(self) -> None:
        """Read the configuration again; a wrong one changes nothing."""
        if self._reread is None:
            return
        before = self.config
        try:
            self.config = self._reread()
        except ConfigError as error:
            self.log.warning("config.reload_failed", reason=str(error))
            return
        if _of_optimiser(before) != _of_optimiser(self.config):
            self._restart_optimiser()
        for child in self._workers():
            if child.pipe is not None:
                tell(child.pipe, Reload(self.config))

    def _restart_optimiser(self) -> None:
        """It reads its configuration once, and is missed by nobody for the moment that it takes."""
        for child in self._children:
            if child.name == "optimiser" and child.alive and child.process is not None:
                self.log.info("process.restarted", child=child.name, reason="the configuration has changed")
                child.process.terminate()

    def _revive(self) -> None:
        for child in self._children:
            if child.alive:
                continue
            now = time.monotonic()
            if child.process is not None:
                self._bury(child, now)
            elif now >= child.again_at and not self._stopping:
                self._launch(child)

    def _bury(self, child: _Child, now: float) -> None:
        assert child.process is not None
        self.log.warning(
            "process.ended", child=child.name, exit_code=child.process.exitcode, reason=child.problem
        )
        child.failures = 0 if now - child.began > STEADY_SECONDS else child.failures + 1
        child.again_at = now + BACKOFF[min(child.failures, len(BACKOFF) - 1)]
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
        for child in self._children:
            if child.alive and child.process is not None:
                child.process.terminate()
        deadline = time.monotonic() + self.config.limits.drain_grace + 10
        for child in self._children:
            if child.process is not None:
                child.process.join(max(deadline - time.monotonic(), 0.1))
                if child.process.is_alive():
                    child.process.kill()
                    child.process.join()
        self._directory.cleanup()

    def health(self) -> tuple[bool, dict[str, Any]]:
        """Whether clients can connect, and what runs."""
        states = {child.name: "running" if child.alive else "starting" for child in self._children}
        healthy = any(child.alive for child in self._workers())
        return healthy, {"status": "ok" if healthy else "failing", "processes": states, "pid": os.getpid()}

    def metrics(self) -> bytes:
        for child in self._children:
            values: dict[Any, float] = {("up", (("process", child.name),)): float(child.alive)}
            values["restarts_total", (("process", child.name),)] = self.restarts.get(child.name, 0)
            self.board.put(f"supervisor of {child.name}", values)
        return self.board.render()


def _of_optimiser(config: Config) -> tuple[object, ...]:
    """What the optimiser goes by."""
    return config.optimiser, config.verify, config.models, config.databases, config.defaults
