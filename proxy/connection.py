"""One client's life: startup, login, relay, end.

Owns the order of the phases and their timeouts. What happens inside a phase is decided by machines without I/O
(``proxy.login``, ``proxy.session``); this is their shell.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from proxy.admission import (
    Refused,
    Who,
    first_packet,
    negotiation,
    scram_exchange,
    upstream_startup,
    verifier_of,
    who_of,
)
from proxy.auth.scram import ScramError, ScramServer, end_point_binding, mock_verifier
from proxy.auth.upstream_login import UpstreamLogin
from proxy.config import UserConfig
from proxy.desk import Identity, SessionDesk
from proxy.doorstep import ClientGone, enter
from proxy.inbox import Gone, Inbox
from proxy.login import PassthroughLogin
from proxy.ports import SqlError
from proxy.relay import Side
from proxy.session import Session
from proxy.upstream import Connected, DsnError, Target, UpstreamUnavailable, connect, parse_dsn
from proxy.wire import backend
from proxy.wire.backend import (
    BackendKeyData,
)
from proxy.wire.framing import ProtocolViolation
from proxy.wire.startup import CancelRequest, StartupMessage, decode_first

if TYPE_CHECKING:
    from proxy.server import Proxy


class Connection:
    """``run`` returns when both ends are closed; it never raises but for cancellation."""

    def __init__(self, proxy: Proxy, client: socket.socket, address: str) -> None:
        self.proxy = proxy
        self.socket = client
        self.address = address
        self.loopback = _is_loopback(client)
        self.client: Side | None = None
        self.server: Side | None = None
        self.session: Session | None = None
        self.desk: SessionDesk | None = None
        self.target: Target | None = None
        self.key: tuple[int, bytes] | None = None
        self.effect: asyncio.Task[None] | None = None
        self.ended = asyncio.Event()
        self.idle_since = 0.0
        self.counted = False

    async def run(self) -> None:
        try:
            await self._run()
        except (ClientGone, OSError, ssl.SSLError, TimeoutError, ProtocolViolation) as error:
            self.proxy.event("connection.dropped", client=self.address, reason=str(error) or repr(error))
        finally:
            self._close()

    async def _run(self) -> None:
        limits = self.proxy.config.limits
        async with asyncio.timeout(limits.login_timeout or None):
            self.client = client = await enter(
                self.socket, self.proxy.tls, handshake_timeout=limits.login_timeout
            )
            first = decode_first(await first_packet(client))
            if isinstance(first, CancelRequest):
                await self.proxy.cancel(first)
                return
            try:
                await self._login(client, first)
            except Refused as refusal:
                self._refuse(refusal)
                return
            except ProtocolViolation as error:
                self._refuse(Refused("08P01", str(error)))
                return
        await self.ended.wait()

    async def _login(self, client: Side, first: object) -> None:
        if not isinstance(first, StartupMessage):
            raise ProtocolViolation("encryption asked for twice")
        who = who_of(first, self.address, client)
        self._count()
        self._check_options(who)
        method = self.proxy.config.auth.method
        if method == "passthrough":
            connected = await self._reach(who)
            login = PassthroughLogin(keep_binding=self.proxy.same_certificate(who.tls, connected))
            await self._log_in(client, connected, who, login.from_server, login, who.startup)
            return
        user = await self._admitted(client, who)
        connected = await self._reach(who)
        await self._as_upstream_user(client, connected, who, user)

    async def _reach(self, who: Who) -> Connected:
        connected = await self._upstream(who)
        self.server = connected.side
        assert self.target is not None
        self.target = replace(self.target, hosts=(connected.host,))
        return connected

    async def _admitted(self, client: Side, who: Who) -> UserConfig:
        """The client proves who it is (or is on this machine, for ``trust``). Raises Refused."""
        auth = self.proxy.config.auth
        negotiated = negotiation(who.startup)
        client.write(negotiated)
        user = auth.users.get(who.user)
        allowed = user is not None and (not user.databases or who.database in user.databases)
        if auth.method == "trust":
            if not self.loopback:
                raise Refused("28000", "trust authentication is for connections from this machine only")
            return user or UserConfig(upstream_user=who.user)
        binding = end_point_binding(self.proxy.certificate) if who.tls else b""
        verifier = verifier_of(user) if allowed else None
        scram = ScramServer(verifier or mock_verifier(who.user, self.proxy.mock_secret), binding=binding)
        inbox = Inbox(client)
        try:
            await scram_exchange(client, inbox, scram)
        except ScramError as error:
            self.proxy.metrics.login_failures += 1
            text = (
                f'password authentication failed for user "{who.user}"'
                if error.sqlstate == "28P01"
                else str(error)
            )
            raise Refused(error.sqlstate, text) from error
        except Gone as error:
            raise ClientGone(str(error)) from error
        inbox.release()
        if user is None or verifier is None:
            raise Refused("28P01", f'password authentication failed for user "{who.user}"')
        return user

    async def _as_upstream_user(self, client: Side, connected: Connected, who: Who, user: UserConfig) -> None:
        assert self.target is not None
        name = user.upstream_user or self.target.user or who.user
        password = user.upstream_password or self.target.password
        database = self.proxy.config.database(who.database)
        if database is not None and database.engine == "duckdb":
            # the shadow behind a lake knows one role, whoever the client has proved to be
            name, password = self.target.user, self.target.password
        login = UpstreamLogin(name, password, certificate=connected.certificate)
        server = connected.side

        def step(data: bytes) -> bytes:
            for_server, for_client = login.from_server(data)
            server.write(for_server)
            return for_client

        startup = upstream_startup(who.startup, name, self.target.dbname or who.database)
        await self._log_in(client, connected, who, step, login, startup)

    def _check_options(self, who: Who) -> None:
        settings = self.proxy.settings_of(self.proxy.config.database(who.database))
        try:
            settings.check_options(who.startup.parameters)
        except SqlError as error:
            raise Refused(error.sqlstate, error.message, error.hint) from error

    def _count(self) -> None:
        if self.proxy.metrics.connections >= self.proxy.config.limits.max_connections > 0:
            raise Refused("53300", "sorry, too many clients already")
        if self.proxy.draining:
            raise Refused("57P03", "the proxy is shutting down")
        self.proxy.metrics.connections += 1
        self.counted = True

    async def _upstream(self, who: Who) -> Connected:
        limits = self.proxy.config.limits
        self.target = target = self._target(who)
        try:
            database = self.proxy.config.database(who.database)
            dsn = database.dsn if database is not None else ""
            target = await self.proxy.hosts.pick(dsn, target, limits.connect_timeout)
            return await connect(
                target, patience=limits.connect_timeout, keepalive_idle=limits.keepalive_idle
            )
        except UpstreamUnavailable as error:
            self.proxy.event("upstream.unavailable", database=who.database, reason=str(error))
            raise Refused("08006", "could not connect to the PostgreSQL server behind this proxy") from error

    def _target(self, who: Who) -> Target:
        database = self.proxy.config.database(who.database)
        if database is None:
            raise Refused("3D000", f'database "{who.database}" does not exist')
        if not database.dsn and database.engine == "duckdb":
            raise Refused("0A000", f'the lake "{who.database}" is not being served')
        try:
            return parse_dsn(database.dsn)
        except DsnError as error:
            raise Refused("08001", str(error)) from error

    async def _log_in(
        self,
        client: Side,
        connected: Connected,
        who: Who,
        step: Callable[[bytes], bytes],
        login: PassthroughLogin | UpstreamLogin,
        startup: StartupMessage,
    ) -> None:
        """Drive the login until the session is established, or both ends are closed."""
        server = connected.side
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def from_server(data: bytes) -> None:
            try:
                client.write(step(data))
            except (ProtocolViolation, ScramError) as error:
                if not done.done():
                    done.set_exception(Refused("08006", f"the server's answer can't be understood: {error}"))
                return
            if login.ready and not done.done():
                self._establish(client, connected, login, who)
                done.set_result(None)

        def either_lost(_exc: Exception | None) -> None:
            if not done.done():
                done.set_result(None)

        client.on_lost = server.on_lost = either_lost
        client.opposite, server.opposite = server, client
        server.write(startup.encode())
        server.receive(from_server)
        if isinstance(login, PassthroughLogin):
            client.receive(server.write)
        await done
        if not login.ready:
            self.proxy.metrics.login_failures += login.failed is not None
            if login.failed is None and not client.lost:
                raise Refused("08006", "the server closed the connection during the login")
            client.close()
            server.close()
            self.ended.set()

    def _establish(
        self, client: Side, connected: Connected, login: PassthroughLogin | UpstreamLogin, who: Who
    ) -> None:
        server = connected.side
        limits = self.proxy.config.limits
        self.session = session = Session(
            server.write,
            client.write,
            pause=lambda paused: client.valve.close("held") if paused else client.valve.open("held"),
            effect=self._start_effect,
            buffer_limit=limits.client_buffer,
            text_limit=limits.max_text,
        )
        self.idle_since = session.clock()
        session.parameters.update(login.parameters)
        session.on_broken = self._broken
        if login.key is not None:
            self._register(login.key, session)
        if who.startup.is_replication:
            session.give_up("replication")
        else:
            self._attach_desk(session, login, who)
        client.on_lost = self._client_lost
        server.on_lost = self._server_lost
        client.on_eof = server.transport.write_eof if server.transport.can_write_eof() else None
        client.receive(session.client_data)
        server.receive(session.server_data)
        self.proxy.event(
            "session.started", client=who.address, user=who.user, database=who.database, tls=who.tls
        )

    def _register(self, key: BackendKeyData, session: Session) -> None:
        assert self.target is not None
        self.key = (key.pid, key.key)
        self.proxy.cancels.add(self.key, self.target, lambda: self._cancelled(session))

    def _cancelled(self, session: Session) -> None:
        session.cancel()
        if self.effect is not None:
            self.effect.cancel()

    def _attach_desk(self, session: Session, login: PassthroughLogin | UpstreamLogin, who: Who) -> None:
        proxy = self.proxy
        ports = proxy.ports
        database = proxy.config.database(who.database)
        if (
            ports.lookup is None
            and ports.answers is None
            and ports.lakes is None
            and ports.reporter is None
            and not ports.settings.rules
        ):
            return
        identity = Identity(
            database=who.database,
            user=who.user,
            client_address=who.address,
            backend_pid=login.key.pid if login.key is not None else 0,
            is_admin=who.user in proxy.config.admins,
            tag=proxy.config.tag,
        )
        settings = proxy.settings_of(database)
        self.desk = SessionDesk(session, ports, identity, proxy.metrics, settings, session.clock)
        session.attach(self.desk)

    def _start_effect(self, factory: Callable[[], Awaitable[object]], limit: float | None) -> None:
        self.effect = asyncio.get_running_loop().create_task(
            self._effect(factory, limit), name=f"effect {self.address}"
        )

    async def _effect(self, factory: Callable[[], Awaitable[object]], limit: float | None) -> None:
        assert self.session is not None
        result: object
        try:
            async with asyncio.timeout(limit):
                if self.client is not None:
                    await self.client.drained()
                result = await factory()
        except TimeoutError:
            result = None
        except SqlError as error:
            result = error
        except asyncio.CancelledError:
            if self.session.cancelled:
                self.session.effect_done(SqlError("57014", "canceling statement due to user request"))
            raise
        except Exception as error:  # noqa: BLE001 -- a port of ours failed: the client gets an error, not a hang
            self.proxy.event("answer.failed", client=self.address, reason=repr(error))
            result = SqlError("XX000", "internal error, see the log of the proxy")
        self.effect = None
        self.session.effect_done(result)

    def _broken(self) -> None:
        """The session has told the client why."""
        assert self.session is not None
        self.proxy.event("session.broken", client=self.address, reason=self.session.relay_only)
        for side in (self.client, self.server):
            if side is not None:
                side.close()

    def _client_lost(self, _exc: Exception | None) -> None:
        if self.server is not None and not self.server.lost:
            self.server.close()
        else:
            self.ended.set()

    def _server_lost(self, _exc: Exception | None) -> None:
        if self.client is not None and not self.client.lost:
            if self.session is not None:
                self.client.write(self.session.farewell())
            self.client.close()
        else:
            self.ended.set()

    def tick(self, now: float) -> None:
        """Called about twenty times a second."""
        if self.desk is not None:
            self.desk.look_again()
            self.desk.slow.tick(now)
        limit = self.proxy.config.limits.idle_timeout
        session = self.session
        if not limit or session is None:
            return
        if not session.is_idle or session.started > self.idle_since:
            self.idle_since = now  # busy now, or since the last look
        elif now - self.idle_since > limit:
            self.shut("terminating connection due to idle-session timeout", "57P05")

    def shut(self, text: str, sqlstate: str = "57P01") -> None:
        """Say why and close both ends."""
        if self.client is not None and not self.client.lost:
            self.client.write(backend.error(sqlstate, text, severity="FATAL"))
            self.client.close()
        if self.server is not None:
            self.server.close()

    def shut_when_idle(self) -> None:
        """End now if no transaction is open, else as soon as it is over."""
        if self.session is None:
            return
        self.session.end_when_idle(lambda: self.shut("terminating connection due to administrator command"))

    def _refuse(self, refusal: Refused) -> None:
        self.proxy.metrics.refused[refusal.sqlstate] += 1
        self.proxy.event(
            "connection.refused", client=self.address, sqlstate=refusal.sqlstate, reason=str(refusal)
        )
        if self.client is not None:
            self.client.write(
                backend.error(refusal.sqlstate, str(refusal), severity="FATAL", hint=refusal.hint)
            )
            self.client.close()

    def _close(self) -> None:
        if self.counted:
            self.proxy.metrics.connections -= 1
        if self.key is not None:
            self.proxy.cancels.discard(self.key)
        if self.effect is not None:
            self.effect.cancel()
        if self.session is not None and self.session.relay_only:
            reason = self.session.relay_only
            self.proxy.metrics.relay_only[reason.partition(":")[0]] += 1
            self.proxy.event("session.relayed", client=self.address, reason=reason)
        for side in (self.client, self.server):
            if side is not None:
                side.close()
        if self.client is None:
            self.socket.close()


def _is_loopback(client: socket.socket) -> bool:
    try:
        return ipaddress.ip_address(client.getpeername()[0]).is_loopback
    except (OSError, ValueError, IndexError):
        return False
