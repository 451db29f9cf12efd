"""One relay worker: the proxy with its ports filled, in a process of its own.

Owns the event loop and the threads beside it. Must not know how rewrites are found.
"""

from __future__ import annotations

import asyncio
import gc
import math
import os
import socket
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import structlog
import uvloop

from proxy.ports import Lookup, Ports, ServedRewrite
from proxy.server import Proxy, serve
from rewright import logs
from rewright.config.loading import ConfigError
from rewright.config.model import Config
from rewright.processes.channel import Failed, Figures, Message, Ready, Reload, listen, tell
from rewright.processes.jobs import JobSender
from rewright.wiring import answers, lookups, templates
from rewright.wiring.feed import StoreFeed
from rewright.wiring.inlining import SocketInline
from rewright.wiring.proxies import proxy_config, settings_rules
from rewright.wiring.reporting import SessionReporter, StoreReporter
from rewright.wiring.stores import open_configured
from store.api import Store
from store.errors import StoreError
from store.writer import BufferedWriter

FIGURES_SECONDS = 1.0
# how often a store that could not be opened is tried again
STORE_SECONDS = 5.0


def run(config: Config, number: int, job_path: str, pipe: Connection) -> None:
    """The process's main function; returns when the supervisor is gone or has said so (SIGTERM)."""
    logs.set_up(config.log.format, config.log.level, f"worker {number}")
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_Worker(config, number, job_path, pipe).run())
    except (OSError, ConfigError, ValueError) as error:
        tell(pipe, Failed(str(error)))
        raise SystemExit(3) from error


@dataclass(frozen=True, slots=True)
class _Books:
    """What stands on the store."""

    store: Store
    writer: BufferedWriter
    reporter: StoreReporter
    feed: StoreFeed


class _Worker:
    def __init__(self, config: Config, number: int, job_path: str, pipe: Connection) -> None:
        self.config = config
        self.number = number
        self.pipe = pipe
        self.job_path = job_path
        self.jobs = JobSender(job_path, capacity=config.optimiser.queue) if job_path else None
        self.stop = asyncio.Event()
        self.proxy: Proxy | None = None
        self.log: Any = structlog.get_logger()
        self.lookup = lookups.make()
        self.lakes: Any = None
        self.books: _Books | None = None
        # the same for a worker that is started again, so that its old sessions are replaced
        name = f"{socket.gethostname()}:{config.listen.address[1]}/{number}"
        self.sessions = SessionReporter(name)

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        store = _open(self.config, self.log)
        if store is not None:
            self.books = self._open_books(store, loop)
        self.lakes = _lakes(self.config, store)
        if self.lakes is not None:
            self.lakes.begin()
        listen(self.pipe, lambda message: self._hear(loop, message), lambda: self._end(loop))
        tasks = [loop.create_task(self._tell_figures(), name="figures")]
        if store is None:
            tasks.append(loop.create_task(self._open_later(loop), name="store"))
        try:
            await serve(proxy_config(self.config), self._ports(), on_ready=self._ready, stop=self.stop)
        finally:
            for task in tasks:
                task.cancel()
            self._close()

    def _open_books(self, store: Store, loop: asyncio.AbstractEventLoop) -> _Books:
        writer = BufferedWriter(store, on_error=self._store_failed)
        feed = StoreFeed(
            store,
            lambda rewrites: _publish(loop, self.lookup, rewrites),
            accept=frozenset(self.config.verify.accept),
            on_error=self._store_failed,
        )
        feed.start()
        return _Books(
            store,
            writer,
            StoreReporter(writer, self.jobs, run_timeout=self.config.optimiser.run_timeout),
            feed,
        )

    async def _open_later(self, loop: asyncio.AbstractEventLoop) -> None:
        """Sessions that begin after the store could be opened have all of Rewright; those before were relayed."""
        while self.books is None:
            await asyncio.sleep(STORE_SECONDS)
            with suppress(StoreError):
                store = await asyncio.to_thread(open_configured, self.config)
                self.books = self._open_books(store, loop)
        if self.proxy is not None:
            self.proxy.ports = self._ports()
        self.log.info("store.opened")

    def _ports(self) -> Ports:
        books = self.books
        settings = settings_rules(self.config)
        if books is None:
            return Ports(lookup=self.lookup, lakes=self.lakes, settings=settings, event=logs.event)
        return Ports(
            lookup=self.lookup,
            reporter=books.reporter,
            answers=answers.make(books.store, self.config, self.job_path, self.lakes),
            inline=self._inline(books.store),
            pause=books.feed,
            lakes=self.lakes,
            settings=settings,
            event=logs.event,
        )

    def _inline(self, store: Store) -> SocketInline | None:
        if not self.job_path:
            return None
        accept = frozenset(self.config.verify.accept)
        return SocketInline(self.job_path, store, templates.make(), accept, logs.event)

    def _ready(self, proxy: Proxy) -> None:
        self.proxy = proxy
        proxy.ports = self._ports()  # the store may have come meanwhile
        # what the modules are made of stays: the collector need not walk over it again while traffic waits
        gc.collect()
        gc.freeze()
        tell(self.pipe, Ready(proxy.address))

    def _end(self, loop: asyncio.AbstractEventLoop) -> None:
        """The supervisor is gone."""
        if not loop.is_closed():
            loop.call_soon_threadsafe(self.stop.set)

    def _hear(self, loop: asyncio.AbstractEventLoop, message: Message) -> None:
        if isinstance(message, Reload):
            asyncio.run_coroutine_threadsafe(self._reload(message.config), loop)

    async def _reload(self, config: Config) -> None:
        try:
            changed = proxy_config(config)
        except ConfigError as error:
            self.log.warning("config.reload_failed", reason=str(error))
            return
        self.config = config
        if self.books is not None:
            self.books.reporter.run_timeout = config.optimiser.run_timeout
            self.books.feed.reload(frozenset(config.verify.accept))
        if self.proxy is not None:
            self.proxy.ports = self._ports()
            await self.proxy.reload(changed)
            self.log.info("config.reloaded")

    async def _tell_figures(self) -> None:
        while True:
            await asyncio.sleep(FIGURES_SECONDS)
            books = self.books
            if books is not None:
                books.reporter.flush()
            if self.proxy is not None:
                tell(self.pipe, Figures(self._figures(self.proxy, None if books is None else books.writer)))
                if books is not None:
                    self.sessions.report(self.proxy.sessions(), books.writer)

    def _figures(self, proxy: Proxy, writer: BufferedWriter | None) -> dict[Any, float]:
        metrics = proxy.metrics
        worker = (("worker", str(self.number)),)
        found: dict[Any, float] = {
            ("connections", worker): metrics.connections,
            ("connections_accepted_total", ()): metrics.accepted,
            ("login_failures_total", ()): metrics.login_failures,
            ("cancels_total", ()): metrics.cancels,
            ("overhead_seconds_total", ()): metrics.overhead_seconds,
            ("reports_total", ()): metrics.reports,
            ("reports_dropped_total", ()): metrics.reports_dropped + (self.jobs.dropped if self.jobs else 0),
            ("cpu_seconds_total", worker): time.process_time(),
        }
        if writer is not None:
            found["store_records_dropped_total", ()] = writer.dropped
            found["store_batches_failed_total", ()] = writer.failed
        for name, label, counter in (
            ("statements_total", "route", metrics.routes),
            ("originals_total", "reason", metrics.reasons),
            ("connections_refused_total", "reason", metrics.refused),
            ("sessions_relayed_only_total", "reason", metrics.relay_only),
        ):
            for value, count in counter.items():
                found[name, ((label, value),)] = count
        return found

    def _store_failed(self, error: StoreError) -> None:
        self.log.warning("store.failed", reason=str(error))

    def _close(self) -> None:
        books = self.books
        if self.lakes is not None:
            self.lakes.close()
        if books is not None:
            books.feed.stop()
            books.reporter.flush()
            self.sessions.report((), books.writer)
            books.writer.close()
        if self.jobs is not None:
            self.jobs.close()
        if books is not None:
            books.store.close()


def _open(config: Config, log: Any) -> Store | None:
    """Without a store traffic passes, and nothing else."""
    try:
        return open_configured(config)
    except StoreError as error:
        log.warning("store.failed", reason=str(error), pid=os.getpid())
        return None


def _publish(
    loop: asyncio.AbstractEventLoop, lookup: Lookup | None, rewrites: Iterable[ServedRewrite]
) -> None:
    """From the feed's thread into the loop's."""
    if lookup is not None and not loop.is_closed():
        loop.call_soon_threadsafe(lookups.replace, lookup, tuple(rewrites))


def _lakes(config: Config, store: Store | None) -> Any:
    """The configured lakes, or None; DuckDB is only imported where there is one."""
    from rewright.wiring.opening import lakes_of

    homes = lakes_of(config)
    if not homes:
        return None
    from rewright.wiring.lake_runners import RunnerLimits
    from rewright.wiring.lakes import Lakes

    limits = config.limits
    bounds = RunnerLimits(
        memory=limits.lake_memory,
        total=limits.lake_total_memory,
        seconds=limits.lake_timeout or math.inf,
        processes=limits.lake_processes,
    )
    return Lakes(homes, {name: config.databases[name].dsn for name in homes}, store, bounds)
