"""One client's life: startup, login, relay, end.

Owns the order of the phases and their timeouts. What happens inside a phase is decided by machines without I/O
(``proxy.login``, ``proxy.session``); this is their shell.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proxy.doorstep import ClientGone, enter
from proxy.login import PassthroughLogin
from proxy.relay import Side
from proxy.session import Session
from proxy.upstream import Connected, DsnError, Target, UpstreamUnavailable, connect, parse_dsn
from proxy.wire import backend
from proxy.wire.framing import ProtocolViolation
from proxy.wire.startup import CancelRequest, StartupMessage, decode_first, packet_length

if TYPE_CHECKING:
    from proxy.server import Proxy


class Refused(Exception):
    """The client gets this FATAL error and is shown out."""

    def __init__(self, sqlstate: str, text: str) -> None:
        super().__init__(text)
        self.sqlstate = sqlstate


@dataclass(frozen=True, slots=True)
class Who:
    """Who connects, as the startup packet says."""

    startup: StartupMessage
    user: str
    database: str
    address: str
    tls: bool


class Connection:
    """``run`` returns when both ends are closed; it never raises but for cancellation."""

    def __init__(self, proxy: Proxy, client: socket.socket, address: str) -> None:
        self.proxy = proxy
        self.socket = client
        self.address = address
        self.client: Side | None = None
        self.server: Side | None = None
        self.session: Session | None = None
        self.ended = asyncio.Event()
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
            first = decode_first(await _first_packet(client))
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
        who = _who(first, self.address, client)
        self._count()
        connected = await self._upstream(who)
        self.server = connected.side
        await self._passthrough(client, connected, who)

    def _count(self) -> None:
        if self.proxy.metrics.connections >= self.proxy.config.limits.max_connections > 0:
            raise Refused("53300", "sorry, too many clients already")
        if self.proxy.draining:
            raise Refused("57P03", "the proxy is shutting down")
        self.proxy.metrics.connections += 1
        self.counted = True

    async def _upstream(self, who: Who) -> Connected:
        limits = self.proxy.config.limits
        target = self._target(who)
        try:
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
        if database.engine != "postgres":
            raise Refused("0A000", f'database "{who.database}" is not served by PostgreSQL')
        try:
            return parse_dsn(database.dsn)
        except DsnError as error:
            raise Refused("08001", str(error)) from error

    async def _passthrough(self, client: Side, connected: Connected, who: Who) -> None:
        server = connected.side
        login = PassthroughLogin(keep_binding=self.proxy.same_certificate(who.tls, connected))
        done = asyncio.get_running_loop().create_future()

        def from_server(data: bytes) -> None:
            client.write(login.from_server(data))
            if login.ready and not done.done():
                self._establish(client, connected, login, who)
                done.set_result(None)

        def either_lost(_exc: Exception | None) -> None:
            if not done.done():
                done.set_result(None)

        client.on_lost = server.on_lost = either_lost
        client.opposite, server.opposite = server, client
        server.write(who.startup.encode())
        server.receive(from_server)
        client.receive(server.write)
        await done
        if not login.ready:
            self.proxy.metrics.login_failures += login.failed is not None
            client.close()
            server.close()
            self.ended.set()

    def _establish(self, client: Side, connected: Connected, login: PassthroughLogin, who: Who) -> None:
        server = connected.side
        self.session = session = Session(server.write, client.write)
        session.parameters.update(login.parameters)
        client.on_lost = self._client_lost
        server.on_lost = self._server_lost
        client.receive(session.client_data)
        server.receive(session.server_data)
        self.proxy.event(
            "session.started", client=who.address, user=who.user, database=who.database, tls=who.tls
        )

    def _client_lost(self, _exc: Exception | None) -> None:
        if self.server is not None and not self.server.lost:
            self.server.close()
        else:
            self.ended.set()

    def _server_lost(self, _exc: Exception | None) -> None:
        if self.client is not None and not self.client.lost:
            self.client.close()
        else:
            self.ended.set()

    def shut(self, text: str) -> None:
        """Say why (57P01) and close both ends."""
        if self.client is not None and not self.client.lost:
            self.client.write(backend.error("57P01", text, severity="FATAL"))
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
            self.client.write(backend.error(refusal.sqlstate, str(refusal), severity="FATAL"))
            self.client.close()

    def _close(self) -> None:
        if self.counted:
            self.proxy.metrics.connections -= 1
        for side in (self.client, self.server):
            if side is not None:
                side.close()
        if self.client is None:
            self.socket.close()


async def _first_packet(client: Side) -> bytes:
    """One whole first packet; what follows it is kept for the next receiver."""
    collected = bytearray()
    complete = asyncio.get_running_loop().create_future()

    def receive(data: bytes) -> None:
        collected.extend(data)
        try:
            length = packet_length(bytes(collected[:4]))
        except ProtocolViolation as error:
            if not complete.done():
                complete.set_exception(error)
            return
        if length is not None and len(collected) >= length and not complete.done():
            complete.set_result(length)

    def lost(_exc: Exception | None) -> None:
        if not complete.done():
            complete.set_exception(ClientGone("closed before a startup packet"))

    client.on_lost = lost
    client.receive(receive)
    length = await complete
    client.keep(bytes(collected[length:]))
    return bytes(collected[:length])


def _who(startup: StartupMessage, address: str, client: Side) -> Who:
    if startup.major != 3:
        raise Refused(
            "0A000",
            f"unsupported frontend protocol {startup.major}.{startup.minor}: server supports 3.0 to 3.2",
        )
    user = startup.get(b"user")
    if not user:
        raise Refused("28000", "no PostgreSQL user name specified in startup packet")
    database = startup.get(b"database") or user
    tls = client.transport.get_extra_info("ssl_object") is not None
    return Who(startup, user.decode("utf-8", "replace"), database.decode("utf-8", "replace"), address, tls)
