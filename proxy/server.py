"""The listening end: accepting clients, reloading, draining.

Owns the sockets that listen and the set of connections. Must not know messages.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from time import monotonic, thread_time

from rewright.proxy.accepting import Acceptor
from rewright.proxy.cancel import CancelTable, EndRequest, WorkerMail, forward
from rewright.proxy.config import DatabaseConfig, ProxyConfig
from rewright.proxy.connection import Connection
from rewright.proxy.gate import Gate
from rewright.proxy.hosts import HostChooser
from rewright.proxy.listening import listening_socket
from rewright.proxy.machine import core
from rewright.proxy.metrics import Metrics
from rewright.proxy.places import Places
from rewright.proxy.ports import Ports, SessionView
from rewright.proxy.private_directory import runtime_directory
from rewright.proxy.serving.holding import Holding
from rewright.proxy.serving.identity import Admins
from rewright.proxy.serving.settings import Settings
from rewright.proxy.tls_negotiation import server_context
from rewright.proxy.upstream import Connected, DsnError, Target, parse_dsn, tune
from rewright.proxy.wire.startup import CancelRequest

# how often running statements are looked at; less often where that takes long
TICK = 0.05
# what looking after idle sessions may take of a core, and the longest time between two looks
TICK_SHARE, SLOWEST_TICK = 0.01, 0.25
# clients that are given up at once where there is no descriptor for another
ROOM = 16


UNKNOWN_CANCELS = 16
"""Cancel requests with keys that no worker knows which are on their way to servers at once."""


class Proxy:
    """One worker. ``start`` listens, ``drain`` ends it; ``address`` is where it listens.

    ``name`` tells it from the other workers of the port (default: by process). ``listeners``: sockets that
    listen already.
    """

    def __init__(
        self,
        config: ProxyConfig,
        ports: Ports | None = None,
        *,
        name: str = "",
        listeners: Sequence[socket.socket] = (),
    ) -> None:
        self.name = name or f"worker-{os.getpid()}"
        self.config = config
        self.ports = ports or Ports()
        self.metrics = Metrics()
        self.holding = Holding(lambda: self.config.limits.hold)
        self.cancels = CancelTable()
        # anybody may send keys that nobody has, and each is a connection to every server
        self._unknown_cancels = asyncio.Semaphore(UNKNOWN_CANCELS)
        self.places = Places()
        self.admin_sessions = 0
        self.hosts = HostChooser()
        self.tls: ssl.SSLContext | None = None
        self.certificate = b""
        self.mock_secret = secrets.token_bytes(32)
        self.draining = False
        self.address: tuple[str, int] = ("", 0)
        self._listeners = tuple(listeners)
        self._acceptor = Acceptor(self._welcome, self._make_room, self._not_accepted)
        self._mail: WorkerMail | None = None
        self._gates: dict[tuple[object, ...], Gate] = {}
        self._settings: dict[str, Settings] = {}
        self._full = False  # clients' bytes take more memory than they may
        self._ticker: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Future[None]] = set()
        self._connections: dict[asyncio.Task[None], Connection] = {}

    def event(self, name: str, **fields: object) -> None:
        self.ports.event(name, fields)

    # --- listening ---------------------------------------------------------------------------------

    async def start(self) -> None:
        """Raises OSError when the address is taken or the certificate can't be used."""
        self.load_certificate()
        listen = self.config.listen
        if not self._listeners:
            self._listeners = (listening_socket(listen.host, listen.port, share=listen.workers > 1),)
        self.address = self._listeners[0].getsockname()[:2]
        if listen.workers > 1 or listen.run_dir:
            await self._meet_workers(listen.run_dir)
        self._acceptor.start(self._listeners)
        self._ticker = asyncio.get_running_loop().create_task(self._tick(), name="tick")
        self.event(
            "proxy.listening",
            host=self.address[0],
            port=self.address[1],
            relay=core.described(),
            loop=type(asyncio.get_running_loop()).__name__,
        )

    async def _meet_workers(self, run_dir: str) -> None:
        """Without a directory a cancel that comes to the wrong worker is forwarded to every server, and each
        counts for itself.
        """
        try:
            directory = runtime_directory(run_dir) / str(self.address[1])
            mail = WorkerMail(directory, self.name, self.cancels.cancel, self._end)
            await mail.open()
            self._mail = mail
            self.places.open(directory)
        except OSError as error:
            self.event("proxy.no_mail", reason=str(error))

    def load_certificate(self) -> None:
        """That of the configuration, or none. Raises OSError, ssl.SSLError, ValueError: nothing changed."""
        listen = self.config.listen
        if listen.tls_cert:
            self.tls, self.certificate = server_context(listen), _first_der(listen.tls_cert)
        else:
            self.tls, self.certificate = None, b""

    def _make_room(self) -> None:
        """There is no descriptor left: the oldest of those that have not said who they are give theirs up."""
        # Those that have said who they are may have work under way.
        silent = [task for task, connection in self._connections.items() if not connection.named]
        for task in silent[:ROOM]:
            task.cancel()

    def _not_accepted(self, reason: str) -> None:
        self.event("proxy.accept_failed", reason=reason)

    def _welcome(self, client: socket.socket, peer: object) -> None:
        client.setblocking(False)
        tune(client, self.config.limits.keepalive_idle)
        self.metrics.accepted += 1
        name = f"{peer[0]}:{peer[1]}" if isinstance(peer, tuple) else "local"
        connection = Connection(self, client, name)
        task = asyncio.get_running_loop().create_task(connection.run(), name=f"client {name}")
        self._connections[task] = connection
        task.add_done_callback(self._connections.pop)

    def admins(self, name: str) -> Admins:
        """The roles that may decide on rewrites of a database, by the current configuration."""
        database = self.config.database(name)
        return Admins(database.admins if database is not None else frozenset(), self.config.admins)

    def gate(self, target: Target) -> Gate:
        """Where clients queue for a server."""
        return self._gates.setdefault(target.hosts, Gate())

    def settings_of(self, database: DatabaseConfig | None) -> Settings:
        """The settings' rules with the defaults of a database."""
        name = database.name if database is not None else ""
        found = self._settings.get(name)
        if found is None:
            found = Settings(self.ports.settings, database.defaults if database is not None else {})
            self._settings[name] = found
        return found

    async def _tick(self) -> None:
        """Look for queries that have been running for long, and for sessions idle for too long."""
        took = 0.0
        while True:
            await asyncio.sleep(until_next_tick(took))
            now, before = monotonic(), thread_time()
            lookup = self.ports.lookup
            version = -1 if lookup is None else lookup.version
            self._bound_memory()
            self.places.settle()
            for connection in list(self._connections.values()):
                connection.tick(now, version)
            # CPU time and not the clock's: what other processes take of the core must not make the ticks
            # rare.
            took = thread_time() - before

    def sessions(self) -> list[SessionView]:
        """Those that are logged in."""
        interceptors = [connection.interceptor for connection in self._connections.values()]
        return [interceptor.session_view() for interceptor in interceptors if interceptor is not None]

    def _bound_memory(self) -> None:
        """What is held of clients, of all of them: above the limit no client's messages are looked at any
        more until it shrinks.
        """
        sessions = [c.session for c in self._connections.values() if c.session is not None]
        # one whose client's stream is not slow holds nothing
        held = sum(session.held_bytes for session in sessions if session.client.slow)
        full = held > self.config.limits.total_buffer
        if full or self._full:
            for session in sessions:
                session.client.looking = not full
        self._full = full

    # --- cancel ------------------------------------------------------------------------------------

    async def cancel(self, request: CancelRequest) -> None:
        """Forward a cancel request: to the server of its session, or to each server
        when no worker knows it. Of those only a few are under way at once.
        """
        self.metrics.cancels += 1
        if await self.cancels.cancel(request) or (
            self._mail is not None and await self._mail.pass_on(request)
        ):
            return
        async with self._unknown_cancels:
            for target in self._targets():
                await forward(request, target)

    async def kill(self, pid: int, database: str) -> bool:
        """End the session of a database (empty: of any) whose backend has the number ``pid``, at whichever
        worker.

        False: there is none.
        """
        request = EndRequest(pid, database)
        return await self._end(request) or (self._mail is not None and await self._mail.pass_on(request))

    async def _end(self, request: EndRequest) -> bool:
        for connection in list(self._connections.values()):
            interceptor = connection.interceptor
            if interceptor is None or request.database not in {"", interceptor.identity.database}:
                continue
            if interceptor.identity.backend_pid == request.pid:
                await connection.kill()
                return True
        return False

    def _background(self, coroutine: Awaitable[None]) -> None:
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _targets(self) -> list[Target]:
        found: dict[tuple[object, ...], Target] = {}
        for database in self.config.databases.values():
            if database.dsn:
                with contextlib.suppress(DsnError):
                    target = parse_dsn(database.dsn)
                    # Databases of one server get the request once.
                    found[target.hosts] = target
        return list(found.values())

    def same_certificate(self, client_tls: bool, connected: Connected) -> bool:
        """Whether channel binding works through us: one certificate on both sides,
        or no encryption at all.
        """
        if not client_tls and not connected.tls:
            return True
        return client_tls and connected.tls and connected.certificate == self.certificate

    # --- the end -----------------------------------------------------------------------------------

    async def retire(self) -> None:
        """Stop accepting; returns when the last session has ended by itself. Clients that are logging in
        still get in.
        """
        self._stop_accepting()
        self.event("proxy.retiring", connections=len(self._connections))
        for connection in list(self._connections.values()):
            if connection.admin is not None:  # nothing of its own would be lost, and it may stay for days
                connection.shut("terminating connection due to administrator command")
        while self._connections:
            await asyncio.wait(list(self._connections))

    def _stop_accepting(self) -> None:
        self._acceptor.stop()

    async def reload(self, config: ProxyConfig) -> None:
        """New settings for new connections; a certificate that can't be loaded leaves the old one."""
        old = self.config
        self.config = config
        # Defaults of databases may have changed; sessions keep the settings they began with.
        self._settings.clear()
        try:
            self.load_certificate()
        except (OSError, ssl.SSLError, ValueError) as error:
            self.config = old
            self.event("proxy.reload_failed", reason=str(error))
        self.places.relimit(self.config.sessions_of)

    def ask_for_reload(self) -> None:
        """SIGHUP: the composition root reads its configuration again and calls ``reload``."""
        if self.ports.on_reload is not None:
            self._background(self.ports.on_reload())

    async def drain(self, grace: float) -> None:
        """Stop accepting; clients that have not logged in yet (57P03) and idle sessions (57P01) end at once,
        busy ones when done or after ``grace`` seconds.
        """
        self.draining = True
        self._stop_accepting()
        for task, connection in list(self._connections.items()):
            if connection.admin is not None:
                connection.shut("terminating connection due to administrator command")
            elif connection.session is None:
                connection.shut("the proxy is shutting down", "57P03")
                task.cancel()
            else:
                connection.shut_when_idle()
        if self._connections:
            await asyncio.wait(list(self._connections), timeout=grace)
        for task, connection in list(self._connections.items()):
            connection.shut("terminating connection due to administrator command")
            task.cancel()
        if self._connections:
            await asyncio.wait(list(self._connections), timeout=5)
        if self._ticker is not None:
            self._ticker.cancel()
        if self._mail is not None:
            await self._mail.close()
        self.places.close()
        self.event("proxy.stopped")


def until_next_tick(took: float) -> float:
    """Seconds to wait. ``took``: the CPU time of the last one."""
    return min(max(TICK, took / TICK_SHARE), SLOWEST_TICK)


def _first_der(path: str) -> bytes:
    text = Path(path).read_text(encoding="ascii", errors="replace")
    begin = text.index("-----BEGIN CERTIFICATE-----")
    end = text.index("-----END CERTIFICATE-----", begin) + len("-----END CERTIFICATE-----")
    return ssl.PEM_cert_to_DER_cert(text[begin:end])


async def serve(
    config: ProxyConfig,
    ports: Ports | None = None,
    *,
    on_ready: Callable[[Proxy], None] | None = None,
    stop: asyncio.Event | None = None,
    listeners: Sequence[socket.socket] = (),
) -> None:
    """Serve until SIGTERM or SIGINT (or ``stop``), then drain. SIGHUP calls ``ports.on_reload``."""
    proxy = Proxy(config, ports, listeners=listeners)
    stop = stop or asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(ValueError, NotImplementedError, RuntimeError):
            loop.add_signal_handler(number, stop.set)
    if proxy.ports.on_reload is not None:
        with contextlib.suppress(ValueError, NotImplementedError, RuntimeError):
            loop.add_signal_handler(signal.SIGHUP, proxy.ask_for_reload)
    await proxy.start()
    if on_ready is not None:
        on_ready(proxy)
    try:
        await stop.wait()
    finally:
        # of the configuration as it is now: a reload may have changed it
        await proxy.drain(proxy.config.limits.drain_grace)
