"""One relay worker: the proxy with its ports filled, in a process of its own.

Owns the event loop and the threads beside it. Must not know how rewrites are found.
"""

from __future__ import annotations

import asyncio
import gc
import math
import socket
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from rewright import logs
from rewright.config.loading import ConfigError
from rewright.config.model import Config
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
    listen,
    tell,
)
from rewright.processes.descriptors import allow
from rewright.processes.exporting import histogram_figures
from rewright.processes.jobs import JobSender
from rewright.proxy import loops
from rewright.proxy.ports import Lookup, Ports, Reporter, ServedRewrite
from rewright.proxy.server import Proxy, serve
from rewright.store.api import Store
from rewright.store.errors import StoreDamaged, StoreError
from rewright.store.writer import BufferedWriter
from rewright.wiring import administering, answers, lookups, pausing, templates
from rewright.wiring.feed import StoreFeed
from rewright.wiring.inlining import SocketInline
from rewright.wiring.opening import lakes_of
from rewright.wiring.pausing import PauseWatch
from rewright.wiring.proxies import optimises, proxy_config, settings_rules
from rewright.wiring.questions import Questions
from rewright.wiring.reporting import SessionReporter, StoreReporter
from rewright.wiring.searches import Searches
from rewright.wiring.stores import reach_configured, repair
from rewright.wiring.tracing import send_rest, traced

FIGURES_SECONDS = 1.0
RELOAD_SECONDS = 30.0


def run(
    config: Config, number: int, job_path: str, listeners: Sequence[socket.socket], pipe: Connection
) -> None:
    """The process's main function; returns when the supervisor is gone or has said so (SIGTERM)."""
    logs.set_up(config.log.format, config.log.level, f"worker {number}")
    allow(config.listen.max_connections)
    try:
        on = proxy_config(config)
        with asyncio.Runner(loop_factory=lambda: loops.new_event_loop(on)) as runner:
            runner.run(_Worker(config, number, job_path, listeners, pipe).run())
    except (OSError, ConfigError, ValueError) as error:
        # told to the supervisor, which gives up or tries again
        tell(pipe, Failed(str(error)))
        raise SystemExit(3) from error


@dataclass(frozen=True, slots=True)
class _StoreParts:
    """What reads and writes the store."""

    store: Store
    writer: BufferedWriter
    reporter: StoreReporter
    feed: StoreFeed
    pause: PauseWatch


class _Worker:
    def __init__(
        self,
        config: Config,
        number: int,
        job_path: str,
        listeners: Sequence[socket.socket],
        pipe: Connection,
    ) -> None:
        self.config = config
        self.listeners = listeners
        self.number = number
        self.pipe = pipe
        self.job_path = job_path
        self.jobs = JobSender(job_path, capacity=config.optimiser.queue) if job_path else None
        self.stop = asyncio.Event()
        self.proxy: Proxy | None = None
        self.log: Any = logs.logger()
        self.lookup = lookups.make()
        self.lakes: Any = None
        self.questions: Questions | None = None
        self.searches: Searches | None = None
        self.awaited: list[asyncio.Future[str]] = []
        self.store = reach_configured(config)
        self.parts: _StoreParts
        self.reporter: Reporter
        # the same for a worker that is started again, so that its old sessions are replaced
        name = f"{socket.gethostname()}:{config.listen.address[1]}/{number}"
        self.sessions = SessionReporter(name)

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        self.parts = self._open_parts(self.store, loop)
        self.reporter = traced(self.parts.reporter, self.config)
        self.questions = Questions(self.config)
        self.searches = Searches(self.config) if lakes_of(self.config) else None
        self.lakes = _lakes(self.config, self.store)
        if self.lakes is not None:
            # a first process, before the first statement
            self.lakes.begin()
        # the supervisor's end of the pipe: its death is noticed, too
        listen(self.pipe, lambda message: self._hear(loop, message), lambda: self._end(loop))
        tasks = [loop.create_task(self._tell_figures(), name="figures")]
        try:
            await serve(
                proxy_config(self.config),
                self._ports(),
                on_ready=self._ready,
                stop=self.stop,
                listeners=self.listeners,
            )
        finally:
            for task in tasks:
                task.cancel()
            self._close()

    def _open_parts(self, store: Store, loop: asyncio.AbstractEventLoop) -> _StoreParts:
        writer = BufferedWriter(store, on_error=self._store_failed)
        feed = StoreFeed(
            store,
            lambda rewrites: _publish(loop, self.lookup, rewrites),
            accept=frozenset(self.config.verify.accept),
            on_error=self._store_failed,
            on_recovery=lambda: self.log.info("store.opened"),
        )
        feed.start()
        # pausing is looked at by files and in the store, whichever is reached
        pause = PauseWatch(pausing.files_of(self.config), feed, self._pause_changed)
        pause.start()
        return _StoreParts(
            store,
            writer,
            StoreReporter(
                writer,
                self.jobs,
                run_timeout=self.config.optimiser.run_timeout,
                optimises=lambda database: optimises(self.config, database),
            ),
            feed,
            pause,
        )

    def _ports(self) -> Ports:
        parts = self.parts
        settings = settings_rules(self.config)
        job_path = (
            # without an optimiser there is nobody to hold queries for
            self.job_path if any(optimises(self.config, name) for name in self.config.databases) else ""
        )
        ours = answers.make(
            parts.store, self.config, job_path, self.lakes, self._kill, self.questions, self.searches
        )
        return Ports(
            lookup=self.lookup,
            reporter=self.reporter,
            answers=ours,
            admin=administering.make(parts.store, self.config, ours, self._kill, self._ask_reload),
            inline=self._inline(parts.store, job_path),
            pause=parts.pause,
            lakes=self.lakes,
            settings=settings,
            event=logs.event,
        )

    async def _kill(self, pid: int, database: str) -> bool:
        return self.proxy is not None and await self.proxy.kill(pid, database)

    async def _ask_reload(self) -> str:
        """The supervisor reads the configuration again for everybody; what is wrong with it, or nothing."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.awaited.append(answer)
        tell(self.pipe, ReloadWanted())
        # the supervisor reads files, and tells all workers
        async with asyncio.timeout(RELOAD_SECONDS):
            return await answer

    def _reloaded(self, problem: str) -> None:
        awaited, self.awaited = self.awaited, []
        for answer in awaited:
            if not answer.done():
                answer.set_result(problem)

    def _inline(self, store: Store, job_path: str) -> SocketInline | None:
        # no optimiser: no query is held
        if not job_path:
            return None
        accept = frozenset(self.config.verify.accept)
        return SocketInline(job_path, store, templates.make(), accept, logs.event)

    def _ready(self, proxy: Proxy) -> None:
        self.proxy = proxy
        # what the modules are made of stays: the collector need not walk over it again while traffic waits
        gc.collect()
        # collected before: garbage must not be frozen with the rest
        gc.freeze()
        tell(self.pipe, Ready(proxy.address))

    def _end(self, loop: asyncio.AbstractEventLoop) -> None:
        """The supervisor is gone: new clients must find the next one, and those that are here stay."""
        if not loop.is_closed():
            asyncio.run_coroutine_threadsafe(self._retire(), loop)

    async def _retire(self) -> None:
        if self.proxy is not None:
            await self.proxy.retire()
        self.stop.set()

    def _hear(self, loop: asyncio.AbstractEventLoop, message: Message) -> None:
        if isinstance(message, Reload):
            asyncio.run_coroutine_threadsafe(self._reload(message.config), loop)
        elif isinstance(message, Reloaded):
            loop.call_soon_threadsafe(self._reloaded, message.problem)
        elif isinstance(message, Pausing):
            self.parts.pause.signalled = message.paused
        elif isinstance(message, Retire):
            asyncio.run_coroutine_threadsafe(self._retire(), loop)

    async def _reload(self, config: Config) -> None:
        try:
            await self._go_by(config)
        # the supervisor has checked it already: files may have changed since
        except ConfigError as error:
            self.log.warning("config.reload_failed", reason=str(error))
        # nobody waits for what becomes of this, so that it would be lost without a word
        except Exception as error:
            self.log.warning("config.reload_failed", exc_info=error)

    async def _go_by(self, config: Config) -> None:
        """Raises ConfigError."""
        # before anything is changed: a wrong configuration raises here
        changed = proxy_config(config)
        self.config = config
        logs.set_up(config.log.format, config.log.level, f"worker {self.number}")
        self.log = logs.logger()
        self.parts.reporter.run_timeout = config.optimiser.run_timeout
        if self.questions is not None:
            self.questions.reload(config)
        if self.searches is not None:
            self.searches.reload(config)
        self.parts.feed.reload(frozenset(config.verify.accept))
        if self.proxy is not None:
            # sessions that are open keep what they began with
            self.proxy.ports = self._ports()
            await self.proxy.reload(changed)
            self.log.info("config.reloaded")

    async def _tell_figures(self) -> None:
        while True:
            await asyncio.sleep(FIGURES_SECONDS)
            parts = self.parts
            parts.reporter.flush()
            if self.proxy is not None:
                tell(self.pipe, Figures(self._figures(self.proxy, parts)))
                self.sessions.report(self.proxy.sessions(), parts.writer)

    def _figures(self, proxy: Proxy, parts: _StoreParts) -> dict[Any, float]:
        metrics = proxy.metrics
        worker = (("worker", str(self.number)),)
        found: dict[Any, float] = {
            ("connections", worker): metrics.connections,
            ("connections_accepted_total", ()): metrics.accepted,
            ("login_failures_total", ()): metrics.login_failures,
            ("cancels_total", ()): metrics.cancels,
            ("session_faults_total", ()): metrics.faults,
            ("overhead_seconds_total", ()): metrics.overhead_seconds,
            ("reports_total", ()): metrics.reports,
            # what the queue of jobs could not take counts as a dropped report
            ("reports_dropped_total", ()): metrics.reports_dropped + (self.jobs.dropped if self.jobs else 0),
            ("cpu_seconds_total", worker): time.process_time(),
            ("store_up", worker): float(parts.feed.healthy),
            ("paused", worker): float(parts.pause.paused),
            ("store_records_dropped_total", ()): parts.writer.dropped,
            ("store_batches_failed_total", ()): parts.writer.failed,
        }
        for name, label, counter in (
            ("statements_total", "route", metrics.routes),
            ("originals_total", "reason", metrics.reasons),
            ("connections_refused_total", "reason", metrics.refused),
            ("sessions_relayed_only_total", "reason", metrics.relay_only),
        ):
            for value, count in counter.items():
                found[name, ((label, value),)] = count
        for route, histogram in metrics.seconds.items():
            found |= histogram_figures("query_seconds", route, histogram)
        return found

    def _store_failed(self, error: StoreError) -> None:
        """In a thread of the feed's or the writer's."""
        self.log.warning("store.failed", reason=str(error))
        if isinstance(error, StoreDamaged):
            repair(self.store, error, self.log)

    def _pause_changed(self, paused: bool) -> None:
        self.log.warning("serving.paused" if paused else "serving.resumed", worker=self.number)

    def _close(self) -> None:
        parts = self.parts
        # in the order in which they depend on each other: the store last
        if self.lakes is not None:
            self.lakes.close()
        if self.questions is not None:
            self.questions.close()
        if self.searches is not None:
            self.searches.close()
        parts.pause.stop()
        parts.feed.stop()
        parts.reporter.flush()
        send_rest(self.reporter)
        self.sessions.report((), parts.writer)
        # waits a few seconds at most for what is queued
        parts.writer.close()
        if self.jobs is not None:
            self.jobs.close()
        parts.store.close()


def _publish(
    loop: asyncio.AbstractEventLoop, lookup: Lookup | None, rewrites: Iterable[ServedRewrite]
) -> None:
    """From the feed's thread into the loop's."""
    if lookup is not None and not loop.is_closed():
        # the lookup belongs to the loop's thread
        loop.call_soon_threadsafe(lookups.replace, lookup, tuple(rewrites))


def _lakes(config: Config, store: Store | None) -> Any:
    """The configured lakes, or None; DuckDB is only imported where there is one."""
    homes = lakes_of(config)
    if not homes:
        return None
    from rewright.wiring.lake_runner_limits import RunnerLimits
    from rewright.wiring.lakes import Lakes

    limits = config.limits
    bounds = RunnerLimits(
        memory=limits.lake_memory,
        total=limits.lake_total_memory,
        seconds=limits.lake_timeout or math.inf,
        processes=limits.lake_processes,
    )
    shadows = {name: config.databases[name].dsn for name in homes}
    return Lakes(homes, shadows, store, bounds, config.models)
