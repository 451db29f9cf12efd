"""One client's life: startup, login, relay, end.

Owns the order of the phases and their timeouts. What happens inside a phase is decided by machines without
I/O (``rewright.proxy.login``, ``rewright.proxy.session``); this is their shell.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable

from rewright.proxy.auth.upstream_login import UpstreamLogin
from rewright.proxy.cancel import forward
from rewright.proxy.client_auth import (
    Refused,
    Who,
    first_packet,
)
from rewright.proxy.handshake import Handshake
from rewright.proxy.interceptor import Identity, SessionInterceptor
from rewright.proxy.login import PassthroughLogin
from rewright.proxy.ports import SqlError
from rewright.proxy.relay import LINGER_SECONDS, Side
from rewright.proxy.serving.identity import Login
from rewright.proxy.session import Session
from rewright.proxy.tls_negotiation import ClientGone, enter
from rewright.proxy.upstream import Connected
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import (
    BackendKeyData,
)
from rewright.proxy.wire.framing import ProtocolViolation
from rewright.proxy.wire.startup import CancelRequest, decode_first


class Connection(Handshake):
    """``run`` returns when both ends are closed; it raises nothing except for cancellation."""

    async def run(self) -> None:
        try:
            await self._run()
        except (ClientGone, OSError, ssl.SSLError, TimeoutError, ProtocolViolation) as error:
            self.proxy.event("connection.dropped", client=self.address, reason=_why(error))
        finally:
            self._close()

    async def _run(self) -> None:
        try:
            # One limit for the whole login, as authentication_timeout is: single bytes do not extend it.
            async with asyncio.timeout(self.proxy.config.limits.login_timeout or None):
                admitted = await self._come_in()
        except TimeoutError:
            # Without a startup packet it may speak another protocol: nothing is said to it.
            if not self.named:
                raise
            self._refuse(self._too_late())
            return
        if admitted:
            await (self.admin or self.ended.wait())

    async def _come_in(self) -> bool:
        """Whether a session is established (or both ends are closing); False: it was a cancel, or is shown
        out.
        """
        handshake = self.proxy.config.limits.login_timeout
        self.client = client = await enter(self.socket, self.proxy.tls, handshake_timeout=handshake)
        first = decode_first(await first_packet(client))
        # It has a connection of its own and gets no answer ("Canceling Requests in Progress").
        if isinstance(first, CancelRequest):
            await self.proxy.cancel(first)
            return False
        self.named = True
        try:
            await self._login(client, first)
        except Refused as refusal:
            self._refuse(refusal)
        except ProtocolViolation as error:
            self._refuse(Refused("08P01", str(error)))
        else:
            return True
        return False

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
            end_server=server.write_end,
            buffer_limit=limits.client_buffer,
            text_limit=limits.max_text,
        )
        self.idle_since = session.clock()
        session.server.parameters.update(login.parameters)
        session.on_broken = self._broken
        session.on_fault = self._fault
        if login.key is not None:
            self._register(login.key)
        if who.startup.is_replication:
            # The walsender's protocol: CopyBoth and commands that are not SQL.
            session.pass_through("replication")
        else:
            self._attach_interceptor(session, login, who)
        # Handlers before ``receive``: bytes that came early are handled at once, and may end the session.
        client.on_lost = self._client_lost
        server.on_lost = self._server_lost
        client.on_eof = session.client_eof
        client.receive(session.client_data)
        server.receive(session.server_data)
        if self.client_ended:
            session.client_eof()
        self.proxy.event(
            "session.started", client=who.address, user=who.user, database=who.database, tls=who.tls
        )

    def _register(self, key: BackendKeyData) -> None:
        assert self.target is not None
        self.key = (key.pid, key.key)
        self.proxy.cancels.add(self.key, self.target, self)

    def mark(self) -> None:
        """A cancel is on its way to the server (``rewright.proxy.cancel.Cancellable``)."""
        if self.session is not None:
            self.session.cancel()
        # The one that runs now: another may have begun before the server has got the cancel.
        self.marked = self.effect

    def stop(self) -> None:
        """The server has got the cancel: what this session itself waited for ends, too, if it still waits for
        it.
        """
        if self.effect is not None and self.effect is self.marked:
            self.effect.add_done_callback(self._effect_cancelled)
            self.effect.cancel()

    def _attach_interceptor(
        self, session: Session, login: PassthroughLogin | UpstreamLogin, who: Who
    ) -> None:
        proxy = self.proxy
        ports = proxy.ports
        database = proxy.config.database(who.database)
        if (
            # Nobody would look at anything: without an interceptor the session costs no more than a relay.
            ports.lookup is None
            and ports.answers is None
            and ports.lakes is None
            and ports.reporter is None
            and not ports.settings.rules
        ):
            return
        settings = proxy.settings_of(database)
        identity = Identity(
            database=who.database,
            user=who.user,
            client_address=who.address,
            backend_pid=login.key.pid if login.key is not None else 0,
            login=Login(
                who.user,
                login.user if isinstance(login, UpstreamLogin) else "",
                lambda: proxy.admins(who.database),
            ),
            tag=proxy.config.tag,
            startup_settings=settings.startup_texts(who.startup.parameters),
            server=self._server_name(),
        )
        self.interceptor = SessionInterceptor(
            session, ports, identity, proxy.metrics, settings, session.clock, proxy.holding
        )
        session.attach(self.interceptor)

    def _server_name(self) -> str:
        host = self.target.hosts[0] if self.target is not None else None
        return "" if host is None else f"{host.name}:{host.port}"

    def _start_effect(self, factory: Callable[[], Awaitable[object]], limit: float | None) -> None:
        self.effect = asyncio.get_running_loop().create_task(
            self._effect(factory, limit), name=f"effect {self.address}"
        )

    def _effect_cancelled(self, effect: asyncio.Task[None]) -> None:
        """What the client cancelled has ended. A task that had not begun to run cannot tell that itself."""
        if effect.cancelled() and effect is self.effect and self.session is not None:
            self.effect = None
            self.session.effect_done(SqlError("57014", "canceling statement due to user request"))

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
        except Exception as error:  # noqa: BLE001 -- a port of ours failed: the client gets an error, not a hang
            self.proxy.event("answer.failed", client=self.address, reason=type(error).__name__)
            result = SqlError("XX000", "internal error, see the log of the proxy")
        # Before the session goes on, which may start the next one.
        self.effect = None
        self.session.effect_done(result)

    def _broken(self) -> None:
        """The session has told the client why."""
        assert self.session is not None
        self.proxy.event("session.broken", client=self.address, reason=self.session.relay_only)
        if self.client is not None:
            self.client.close()
        if self.server is not None:
            self.server.close(LINGER_SECONDS)

    def _fault(self, fault: BaseException) -> None:
        """A mistake of ours in a session: counted and logged with its cause, and only this session is
        affected.
        """
        self.proxy.metrics.faults += 1
        self.proxy.event("session.fault", client=self.address, reason=type(fault).__name__, exc_info=fault)

    def _note(self, error: BaseException | None) -> None:
        """What event loops close a connection for: the network's errors, or one that our walk over its bytes
        has raised.
        """
        if error is not None and not isinstance(error, OSError):
            self._fault(error)

    def _client_lost(self, error: BaseException | None) -> None:
        self._note(error)
        if self.server is not None and not self.server.lost:
            # its backend may be waiting for us to read: then it takes nothing more, and must see the
            # connection end
            self.server.close(LINGER_SECONDS)
        else:
            self.ended.set()

    def _server_lost(self, error: BaseException | None) -> None:
        self._note(error)
        if self.client is not None and not self.client.lost:
            if self.session is not None:
                self.client.write(self.session.farewell())
            self.client.finish()
        else:
            self.ended.set()

    def tick(self, now: float, version: int) -> None:
        """Called about twenty times a second, also for a thousand idle sessions: nothing is called for those.

        ``version``: of the set of rewrites.
        """
        session, client, interceptor = self.session, self.client, self.interceptor
        if session is None:
            return
        if client is not None and (client.valve.reasons or client.peer_ended):
            self._look_for_reset(client)
        if interceptor is not None:
            if interceptor.lookups.seen != version:
                interceptor.look_again()
            if session.cycles.pending:
                interceptor.slow.tick(now)
        limit = self.proxy.config.limits.idle_timeout
        if not limit:
            return
        if not session.is_idle or session.cycles.started > self.idle_since:
            self.idle_since = now  # busy now, or since the last look
        elif now - self.idle_since > limit:
            self.shut("terminating connection due to idle-session timeout", "57P05")

    @staticmethod
    def _look_for_reset(client: Side) -> None:
        """A client that is not read from is gone without a word of its transport's."""
        if not client.lost and client.is_reset():
            client.abort()

    def shut(self, text: str, sqlstate: str = "57P01") -> None:
        """Say why and close both ends."""
        if self.client is not None and not self.client.lost:
            self.client.write(backend.error(sqlstate, text, severity="FATAL"))
            self.client.close()
        if self.server is not None:
            self.server.close(LINGER_SECONDS)

    async def kill(self) -> None:
        """End now, whatever runs: the server is told to stop, because otherwise it may notice only when it
        has rows to send.
        """
        key, target = self.key, self.target
        self.shut("terminating connection due to administrator command")
        if key is not None and target is not None and self.session is not None and not self.session.is_idle:
            # After ``shut``: the client is told first, whatever becomes of the server.
            await forward(CancelRequest(*key), target)

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
        self.proxy.admin_sessions -= self.counted_admin
        if self.admin is not None:
            self.admin.close()
        for place in self.places:
            self.proxy.places.give(*place)
        if self.key is not None:
            self.proxy.cancels.discard(self.key)
        if self.effect is not None:
            self.effect.cancel()
        if self.interceptor is not None:
            self.interceptor.close_lake()
        if self.session is not None and self.session.relay_only:
            reason = self.session.relay_only
            # What follows a colon differs each time: a label's values must be few.
            self.proxy.metrics.relay_only[reason.partition(":")[0]] += 1
            self.proxy.event("session.relayed", client=self.address, reason=reason)
        if self.client is not None:
            self.client.close()
        if self.server is not None:
            self.server.close(LINGER_SECONDS)
        if self.client is None:
            self.socket.close()


def _why(error: Exception) -> str:
    """The system's word for it, which holds nothing that was sent."""
    name = type(error).__name__
    return f"{name}: {error.strerror}" if isinstance(error, OSError) and error.strerror else name
