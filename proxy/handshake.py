"""A client's way in: who it is, the server it gets, and the login of both ends.

Owns the phases before a session is established. What is said in them is decided by
``rewright.proxy.client_auth`` and the login machines; must not know what becomes of the session.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rewright.proxy.admin.login import admin_view, authenticate, is_admin_database, welcome
from rewright.proxy.admin.protocol import AdminProtocol
from rewright.proxy.admin.session import converse
from rewright.proxy.auth.scram import ScramError, ScramServer, end_point_binding, mock_verifier
from rewright.proxy.auth.upstream_login import UpstreamLogin
from rewright.proxy.client_auth import (
    ParameterRefused,
    Refused,
    Who,
    check_certificate,
    is_refused_parameter,
    negotiation,
    scram_exchange,
    upstream_startup,
    verifier_of,
    who_of,
)
from rewright.proxy.config import UserConfig
from rewright.proxy.inbox import Gone, Inbox
from rewright.proxy.interceptor import SessionInterceptor
from rewright.proxy.login import PassthroughLogin
from rewright.proxy.ports import Answer, SqlError
from rewright.proxy.relay import LINGER_SECONDS, Side
from rewright.proxy.session import Session
from rewright.proxy.tls_negotiation import ClientGone
from rewright.proxy.upstream import Connected, DsnError, Target, UpstreamUnavailable, parse_dsn
from rewright.proxy.wire.framing import ProtocolViolation
from rewright.proxy.wire.startup import StartupMessage

if TYPE_CHECKING:
    from rewright.proxy.server import Proxy

# the kind and name of everybody's places
TOTAL = ("all", "")
# at once in one worker, those that are still logging in among them
ADMIN_SESSIONS = 16


class Handshake:
    """A client until its session is established. Raises Refused where it is turned away."""

    def __init__(self, proxy: Proxy, client: socket.socket, address: str) -> None:
        self.proxy = proxy
        self.socket = client
        self.address = address
        self.loopback = _is_loopback(client)
        self.client: Side | None = None
        self.server: Side | None = None
        self.session: Session | None = None
        self.interceptor: SessionInterceptor | None = None
        self.target: Target | None = None
        self.key: tuple[int, bytes] | None = None
        self.effect: asyncio.Task[None] | None = None
        self.marked: asyncio.Task[None] | None = None  # the effect that a cancel on its way means
        self.ended = asyncio.Event()
        self.idle_since = 0.0
        self.counted = False
        self.places: list[tuple[str, str, int]] = []
        self.client_ended = False
        self.named = False  # its startup packet is here
        self.admin: Coroutine[Any, Any, None] | None = (
            None  # its session, if the admin database is what it wants
        )
        self.counted_admin = False
        self.awaiting_server = False  # before its first word
        self.relayed: Side | None = None  # the server, once it gets the client's bytes as they come

    async def _login(self, client: Side, first: object) -> None:
        if not isinstance(first, StartupMessage):
            raise ProtocolViolation("encryption asked for twice")
        who = who_of(first, self.address, client)
        if is_admin_database(self.proxy.config, who.database):
            await self._enter_admin_database(client, who)
            return
        self._count()
        self._check_options(who)
        self._check_certificate(who)
        method = self.proxy.config.auth.method
        if method not in {"file", "cert"}:
            client.on_eof = self._ended_early
        if method == "passthrough":
            await self._with_settings(who, lambda startup: self._pass_through(client, who, startup))
            return
        user = await self._admitted(client, who)
        await self._with_settings(who, lambda startup: self._as_upstream_user(client, who, user, startup))

    async def _enter_admin_database(self, client: Side, who: Who) -> None:
        """Takes no place from other sessions: an admin gets in even when there is none left."""
        proxy = self.proxy
        if proxy.ports.admin is None:
            raise Refused("3D000", f'database "{who.database}" does not exist')
        if proxy.draining:
            raise Refused("57P03", "the proxy is shutting down")
        if proxy.admin_sessions >= ADMIN_SESSIONS:
            raise Refused("53300", "too many sessions of the admin database")
        proxy.admin_sessions += 1
        self.counted_admin = True
        self._check_certificate(who)
        client.write(negotiation(who.startup))
        inbox = Inbox(client)
        try:
            await authenticate(
                client, inbox, who, proxy.config, proxy.certificate, proxy.mock_secret, local=self.loopback
            )
        except Gone as error:
            raise ClientGone(str(error)) from error
        except Refused:
            proxy.metrics.login_failures += 1
            raise
        client.write(welcome(proxy.ports.admin.actions.version))
        protocol = AdminProtocol(
            self._admin_command,
            lambda: admin_view(who, proxy.config),
            self._admin_fault,
        )
        self.admin = converse(client, inbox, protocol)
        proxy.event("admin.started", client=who.address, user=who.user, tls=who.tls)

    def _admin_command(self, text: str) -> Answer | None:
        """Of the ports of now: a reload brings new ones."""
        found: Answer | None = self.proxy.ports.admin.match(text)
        return found

    def _admin_fault(self, fault: Exception) -> None:
        self.proxy.metrics.faults += 1
        self.proxy.event("admin.fault", client=self.address, reason=type(fault).__name__, exc_info=fault)

    async def _with_settings(self, who: Who, log_in: Callable[[StartupMessage], Awaitable[None]]) -> None:
        """Log in with the client's parameters; without our settings where a pooler refuses them: the session
        keeps those itself.
        """
        try:
            await log_in(who.startup)
        except ParameterRefused:
            settings = self.proxy.settings_of(self.proxy.config.database(who.database))
            await log_in(replace(who.startup, parameters=settings.without_ours(who.startup.parameters)))

    async def _pass_through(self, client: Side, who: Who, startup: StartupMessage) -> None:
        connected = await self._reach(who)
        login = PassthroughLogin(keep_binding=self.proxy.same_certificate(who.tls, connected))
        await self._log_in(client, connected, who, login.from_server, login, startup)

    async def _reach(self, who: Who) -> Connected:
        self.awaiting_server = True
        connected = await self._upstream(who)
        self.server = connected.side
        assert self.target is not None
        self.target = replace(self.target, hosts=(connected.host,)).for_client(tls=who.tls)
        return connected

    async def _admitted(self, client: Side, who: Who) -> UserConfig:
        """The client proves who it is (or is on this machine, for ``trust``; its certificate did, for
        ``cert``). Raises Refused.
        """
        auth = self.proxy.config.auth
        negotiated = negotiation(who.startup)
        client.write(negotiated)
        user = auth.users.get(who.user)
        allowed = user is not None and (not user.databases or who.database in user.databases)
        if auth.method == "trust":
            if not self.loopback:
                raise Refused("28000", "trust authentication is for connections from this machine only")
            return user or UserConfig(upstream_user=who.user)
        if auth.method == "cert":
            if user is None or not allowed:
                raise Refused("28000", f'certificate authentication failed for user "{who.user}"')
            return user
        binding = end_point_binding(self.proxy.certificate) if who.tls else b""
        # An unknown user goes through the whole exchange with a made-up verifier, as in PostgreSQL: how it is
        # refused does not tell whether the name exists.
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

    async def _as_upstream_user(
        self, client: Side, who: Who, user: UserConfig, parameters: StartupMessage
    ) -> None:
        connected = await self._reach(who)
        assert self.target is not None
        name = user.upstream_user or self.target.user or who.user
        password = user.upstream_password or self.target.password
        database = self.proxy.config.database(who.database)
        if database is not None and database.engine == "duckdb":
            name, password = await self._lake_account(who), ""
        login = UpstreamLogin(name, password, certificate=connected.certificate)
        server = connected.side

        def step(data: bytes) -> bytes:
            for_server, for_client = login.from_server(data)
            server.write(for_server)
            return for_client

        startup = upstream_startup(parameters, name, self.target.dbname or who.database)
        await self._log_in(client, connected, who, step, login, startup)

    async def _lake_account(self, who: Who) -> str:
        """The shadow behind a lake knows a role for each user that the client may have proved to be."""
        lakes = self.proxy.ports.lakes
        if lakes is None:
            raise Refused("0A000", f'the lake "{who.database}" is not being served')
        try:
            role: str = await lakes.account(who.database, who.user)
        except SqlError as error:
            raise Refused(error.sqlstate, error.message, error.hint) from error
        return role

    def _ended_early(self) -> bool:
        """All that the client will ever send is here, before it has logged in: it
        may still read the answers.
        """
        self.client_ended = True
        if self.relayed is not None:
            self.relayed.write_end()
        return True

    def _too_late(self) -> Refused:
        """What is said when the login took too long: whose fault it is."""
        if self.awaiting_server:
            return Refused("57P03", "the PostgreSQL server behind this proxy does not answer")
        return Refused("57014", "canceling authentication due to timeout")

    def _check_options(self, who: Who) -> None:
        settings = self.proxy.settings_of(self.proxy.config.database(who.database))
        try:
            settings.check_options(who.startup.parameters)
        except SqlError as error:
            raise Refused(error.sqlstate, error.message, error.hint) from error

    def _check_certificate(self, who: Who) -> None:
        try:
            check_certificate(who, self.proxy.config.auth)
        except Refused:
            self.proxy.metrics.login_failures += 1
            raise

    def _count(self) -> None:
        if self.proxy.draining:
            raise Refused("57P03", "the proxy is shutting down")
        if not self._take_place(*TOTAL, self.proxy.config.limits.max_connections):
            raise Refused("53300", "sorry, too many clients already")
        self.proxy.metrics.connections += 1
        self.counted = True

    def _admit(self, who: Who) -> None:
        """Logged in: a session of its user and database, unless there are enough. Raises Refused.

        Not counted earlier: a client that only claims to be a user takes no place of that user.
        """
        for kind, name in (("role", who.user), ("database", who.database)):
            if not self._take_place(kind, name, self.proxy.config.sessions_of(kind, name)):
                raise Refused("53300", f'too many connections for {kind} "{name}"')

    def _take_place(self, kind: str, name: str, limit: int) -> bool:
        number = self.proxy.places.take(kind, name, limit)
        if number is not None:
            self.places.append((kind, name, number))
        return number is not None

    async def _upstream(self, who: Who) -> Connected:
        limits = self.proxy.config.limits
        self.target = target = self._target(who)
        try:
            database = self.proxy.config.database(who.database)
            dsn = database.dsn if database is not None else ""
            target = await self.proxy.hosts.pick(dsn, target, limits.connect_timeout)
            target = target.for_client(tls=who.tls)
            return await self.proxy.gate(target).connect(
                target, patience=limits.connect_timeout, keepalive_idle=limits.keepalive_idle
            )
        except UpstreamUnavailable as error:
            self.proxy.event("upstream.unavailable", database=who.database, reason=str(error))
            # the code at which libpq and others try the next of their hosts
            raise Refused("57P03", "could not connect to the PostgreSQL server behind this proxy") from error

    def _target(self, who: Who) -> Target:
        database = self.proxy.config.database(who.database)
        if database is None:
            raise Refused("3D000", f'database "{who.database}" does not exist')
        if not database.dsn and database.engine == "duckdb":
            raise Refused("0A000", f'the lake "{who.database}" is not being served')
        try:
            return parse_dsn(database.dsn)
        except DsnError as error:
            # libpq quotes what it cannot read, which may be a piece of the password
            self.proxy.event("upstream.unavailable", database=who.database, reason="its dsn cannot be read")
            raise Refused("08001", "the dsn of the PostgreSQL server behind this proxy is wrong") from error

    async def _log_in(
        self,
        client: Side,
        connected: Connected,
        who: Who,
        step: Callable[[bytes], bytes],
        login: PassthroughLogin | UpstreamLogin,
        startup: StartupMessage,
    ) -> None:
        """Drive the login until the session is established, or both ends are closed. Raises ClientGone,
        Refused.
        """
        server = connected.side
        _require_both(client, server)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def either_lost(_exc: BaseException | None) -> None:
            if not done.done():
                done.set_result(None)

        client.on_lost = server.on_lost = either_lost
        client.opposite, server.opposite = server, client
        server.write(startup.encode())
        names_ours = bool(self.proxy.settings_of(None).startup_texts(startup.parameters))
        server.receive(self._stepping(client, connected, who, step, login, done, names_ours=names_ours))
        if isinstance(login, PassthroughLogin):
            client.receive(server.write)
            self.relayed = server
            if self.client_ended:
                server.write_end()
        try:
            await done
        except ParameterRefused:
            self._disconnect(client, server)
            if client.lost:
                raise ClientGone("closed during the login") from None
            raise
        if not login.ready:
            self._login_failed(client, server, login)

    def _stepping(
        self,
        client: Side,
        connected: Connected,
        who: Who,
        step: Callable[[bytes], bytes],
        login: PassthroughLogin | UpstreamLogin,
        done: asyncio.Future[None],
        *,
        names_ours: bool,
    ) -> Callable[[bytes], None]:
        """What is done with each piece of bytes from the server, until ``done``. ``names_ours``: the startup
        message holds settings of ours, which a server may refuse.
        """

        def from_server(data: bytes) -> None:
            self.awaiting_server = False
            try:
                answer = step(data)
                if names_ours and is_refused_parameter(login.failed):
                    raise ParameterRefused
                if login.ready and not done.done():
                    # before the client is told that it is logged in
                    self._admit(who)
            except (ProtocolViolation, ScramError, ParameterRefused, Refused) as error:
                if not done.done():
                    done.set_exception(_refusal(error))
                return
            client.write(answer)
            if login.ready and not done.done():
                self._establish(client, connected, login, who)
                done.set_result(None)

        return from_server

    def _disconnect(self, client: Side, server: Side) -> None:
        """Close the server's side only: the same client is connected again, without settings of ours."""
        client.opposite, client.on_lost, self.relayed = None, None, None
        # What it sends meanwhile is stored for the second attempt.
        client.keep(b"")
        server.on_lost = None
        server.close()

    def _login_failed(self, client: Side, server: Side, login: PassthroughLogin | UpstreamLogin) -> None:
        """Close both ends, after the server's error was relayed. Raises Refused where it gave none."""
        self.proxy.metrics.login_failures += login.failed is not None
        if login.failed is None and not client.lost:
            raise Refused("08006", "the server closed the connection during the login")
        client.close()
        server.close(LINGER_SECONDS)
        self.ended.set()

    def _establish(
        self, client: Side, connected: Connected, login: PassthroughLogin | UpstreamLogin, who: Who
    ) -> None:
        raise NotImplementedError


def _require_both(client: Side, server: Side) -> None:
    """Raises ClientGone, Refused."""
    if client.lost:
        # it left while the server was reached: nobody would tell again
        raise ClientGone("closed during the login")
    if server.lost:
        raise Refused("08006", "the server closed the connection during the login")


def _refusal(error: Exception) -> Exception:
    """What ends a login for the client. A server that violates the protocol is named as the cause."""
    if isinstance(error, ProtocolViolation | ScramError):
        return Refused("08006", f"the server's answer violates the protocol: {error}")
    return error


def _is_loopback(client: socket.socket) -> bool:
    try:
        return ipaddress.ip_address(client.getpeername()[0]).is_loopback
    except (OSError, ValueError, IndexError):
        return False
