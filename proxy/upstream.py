"""Reaching the server: what a dsn says, one socket to the first host that answers, TLS as sslmode asks.

Owns libpq's connection keywords as far as a proxy needs them. Must not know sessions or authentication.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from psycopg.conninfo import conninfo_to_dict

from rewright.proxy.relay import Side
from rewright.proxy.wire.startup import SslRequest

ALPN = "postgresql"
# unanswered ones after which a peer counts as gone
KEEPALIVE_PROBES = 6


class UpstreamUnavailable(Exception):
    """No host of the dsn could be reached; the message says why, host by host."""


class DsnError(ValueError):
    """The dsn can't be understood or asks for what the proxy can't do."""


@dataclass(frozen=True, slots=True)
class Host:
    """``name`` is what a certificate must say; ``address`` where to connect. A path is a Unix socket."""

    name: str
    address: str
    port: int

    @property
    def is_unix(self) -> bool:
        return self.address.startswith("/")


@dataclass(frozen=True, slots=True)
class Target:
    """A dsn, understood."""

    hosts: tuple[Host, ...]
    user: str = ""
    password: str = ""
    dbname: str = ""
    sslmode: str = "prefer"
    as_client: bool = False  # encrypted exactly where the client is, see ``for_client``
    direct_tls: bool = False
    sslrootcert: str = ""
    sslcert: str = ""
    sslkey: str = ""
    sslpassword: str = ""
    session_attrs: str = ""  # target_session_attrs, see ``rewright.proxy.hosts``

    def for_client(self, *, tls: bool) -> Target:
        """What to connect to for a client with or without TLS."""
        return replace(self, sslmode="require" if tls else "disable") if self.as_client else self


SESSION_ATTRS = ("", "any", "read-write", "read-only", "primary", "standby", "prefer-standby")
SSLMODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
# ours: the server's pg_hba.conf sees (hostssl, hostnossl) whether the client is encrypted
AS_CLIENT = "as-client"


def parse_dsn(dsn: str) -> Target:
    """Libpq's URL and keyword forms. Raises DsnError."""
    try:
        words = {key: str(item) for key, item in conninfo_to_dict(dsn).items() if item is not None}
    except Exception as error:
        raise DsnError(f"invalid dsn: {error}") from error
    sslmode = words.get("sslmode", "prefer")
    if sslmode not in {*SSLMODES, AS_CLIENT}:
        raise DsnError(f"invalid sslmode {sslmode!r}: use one of {', '.join(SSLMODES)}, {AS_CLIENT}")
    attrs = words.get("target_session_attrs", "")
    if attrs not in SESSION_ATTRS:
        raise DsnError(f"invalid target_session_attrs {attrs!r}: use one of {', '.join(SESSION_ATTRS[1:])}")
    if attrs not in {"", "any"} and not words.get("user"):
        raise DsnError(
            "target_session_attrs needs a user (and password) in the dsn, with whom hosts can be asked"
        )
    return Target(
        hosts=_hosts(words),
        session_attrs=attrs,
        user=words.get("user", ""),
        password=words.get("password", ""),
        dbname=words.get("dbname", ""),
        sslmode="prefer" if sslmode == AS_CLIENT else sslmode,
        as_client=sslmode == AS_CLIENT,
        direct_tls=words.get("sslnegotiation") == "direct",
        sslrootcert=words.get("sslrootcert", ""),
        sslcert=words.get("sslcert", ""),
        sslkey=words.get("sslkey", ""),
        sslpassword=words.get("sslpassword", ""),
    )


def _hosts(words: Mapping[str, str]) -> tuple[Host, ...]:
    names = (words.get("host") or "localhost").split(",")
    addresses = words.get("hostaddr", "").split(",") if words.get("hostaddr") else names
    ports = (words.get("port") or "5432").split(",")
    ports = ports * len(names) if len(ports) == 1 else ports
    if not len(names) == len(addresses) == len(ports):
        raise DsnError("host, hostaddr and port of a dsn must name the same number of hosts")
    try:
        return tuple(
            Host(name or "localhost", address or "localhost", int(port or 5432))
            for name, address, port in zip(names, addresses, ports, strict=True)
        )
    except ValueError as error:
        raise DsnError(f"invalid port in dsn: {error}") from error


@dataclass(frozen=True, slots=True)
class Connected:
    side: Side
    host: Host
    tls: bool
    certificate: bytes  # DER of the server's certificate, b"" without TLS


async def connect(
    target: Target,
    *,
    patience: float,
    keepalive_idle: int = 0,
    on_silence: Callable[[Host], None] = lambda _: None,
) -> Connected:
    """A connection to the first host that answers within ``patience`` seconds; ``on_silence`` is told of
    those that don't.

    Raises UpstreamUnavailable.
    """
    failures = []
    for host in target.hosts:
        try:
            async with asyncio.timeout(patience or None):
                return await _connect_host(target, host, keepalive_idle)
        except TimeoutError as error:
            on_silence(host)
            # of asyncio's own, without a word; one of the system's has a message
            failures.append(f"{host.name}:{host.port}: {str(error) or f'no answer within {patience:g} s'}")
        except (OSError, ssl.SSLError, UpstreamUnavailable) as error:
            failures.append(f"{host.name}:{host.port}: {str(error) or type(error).__name__}")
    raise UpstreamUnavailable("; ".join(failures))


async def open_socket(host: Host, keepalive_idle: int = 0) -> socket.socket:
    """A connected, non-blocking socket. Raises OSError."""
    loop = asyncio.get_running_loop()
    if host.is_unix:
        path = f"{host.address}/.s.PGSQL.{host.port}"
        return await _try_connect(loop, socket.AF_UNIX, path)
    found = await loop.getaddrinfo(host.address, host.port, type=socket.SOCK_STREAM)
    last: OSError = OSError("no address found")
    for family, _, _, _, address in found:
        try:
            connection = await _try_connect(loop, family, address)
        except OSError as error:
            last = error
            continue
        tune(connection, keepalive_idle)
        return connection
    raise last


async def _try_connect(
    loop: asyncio.AbstractEventLoop, family: int, address: str | tuple[object, ...]
) -> socket.socket:
    connection = socket.socket(family, socket.SOCK_STREAM)
    connection.setblocking(False)
    try:
        await loop.sock_connect(connection, address)
    except BaseException:
        connection.close()
        raise
    return connection


def tune(connection: socket.socket, keepalive_idle: int) -> None:
    """No delay for small packets; after ``keepalive_idle`` seconds of silence (0: never) probes, in as long
    again.
    """
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if keepalive_idle:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, keepalive_idle)
            connection.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, max(keepalive_idle // KEEPALIVE_PROBES, 1)
            )
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, KEEPALIVE_PROBES)


async def _connect_host(target: Target, host: Host, keepalive_idle: int) -> Connected:
    connection = await open_socket(host, keepalive_idle)
    try:
        context = await _negotiate(target, host, connection)
        loop = asyncio.get_running_loop()
        side = Side()
        if context is None:
            await loop.create_connection(lambda: side, sock=connection)
            side.write_through(connection)
            return Connected(side, host, tls=False, certificate=b"")
        await loop.create_connection(lambda: side, sock=connection, ssl=context, server_hostname=host.name)
    except BaseException:
        connection.close()
        raise
    tls = side.transport.get_extra_info("ssl_object")
    return Connected(side, host, tls=True, certificate=tls.getpeercert(True) or b"")


async def _negotiate(target: Target, host: Host, connection: socket.socket) -> ssl.SSLContext | None:
    # libpq never encrypts on a Unix socket. ``allow`` tries without TLS first; the second try is not made
    # here.
    if host.is_unix or target.sslmode in {"disable", "allow"}:
        return None
    if target.direct_tls:
        return client_context(target)
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(connection, SslRequest().encode())
    # One byte only: what comes behind it unencrypted must not be taken for a part of the session
    # (CVE-2021-23222).
    answer = await loop.sock_recv(connection, 1)
    if answer == b"S":
        return client_context(target)
    if answer == b"N" and target.sslmode == "prefer":
        return None
    if answer == b"":
        raise UpstreamUnavailable("server closed the connection unexpectedly")
    raise UpstreamUnavailable("server does not support SSL, but SSL was required")


def client_context(target: Target) -> ssl.SSLContext:
    """What libpq's sslmode means, for Python's ssl. Raises OSError for files that can't be read."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols([ALPN])
    # With a root certificate given, ``require`` verifies as ``verify-ca`` does, as in libpq.
    verify = target.sslmode in {"verify-ca", "verify-full"} or bool(target.sslrootcert)
    context.check_hostname = target.sslmode == "verify-full" or target.sslrootcert == "system"
    context.verify_mode = ssl.CERT_REQUIRED if verify else ssl.CERT_NONE
    if target.sslrootcert and target.sslrootcert != "system":
        context.load_verify_locations(target.sslrootcert)
    elif verify:
        context.load_default_certs()
    if target.sslcert:
        context.load_cert_chain(target.sslcert, target.sslkey or None, target.sslpassword or None)
    return context
