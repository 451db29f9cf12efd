"""Which event loop a proxy runs on: its own where no session is encrypted, uvloop where some may be.

TLS is done by the loop's transports. asyncio's transports, which our own loop uses, take up to several times
as much CPU time for it as uvloop's (docs/decisions/0770). Owns the choice, and the question to a server on
which it depends. Must not know sessions.
"""

from __future__ import annotations

import asyncio
import socket

import uvloop

from rewright.proxy import event_loop
from rewright.proxy.config import ProxyConfig
from rewright.proxy.upstream import DsnError, Host, Target, parse_dsn
from rewright.proxy.wire.startup import SslRequest

# for each host, once at the start; who does not answer counts as one that encrypts
PATIENCE_SECONDS = 1.0


def new_event_loop(config: ProxyConfig) -> asyncio.AbstractEventLoop:
    """Asks servers that may encrypt (``sslmode=prefer``) whether they do, and waits for their answer."""
    if event_loop.has_own() and not may_encrypt(config):
        return event_loop.RelayLoop()
    fast: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return fast


def may_encrypt(config: ProxyConfig) -> bool:
    """Whether sessions of either side can be encrypted."""
    if config.listen.tls_cert:
        return True
    try:
        targets = [parse_dsn(one.dsn) for one in config.databases.values() if one.engine == "postgres"]
    except DsnError:  # whoever opens the database says so
        return True
    return any(map(_is_encrypted, targets))


def _is_encrypted(target: Target) -> bool:
    if target.as_client or target.sslmode in {"disable", "allow"}:
        return False
    if target.sslmode != "prefer" or target.direct_tls:
        return True
    return any(_encrypts(host) for host in target.hosts if not host.is_unix)


def _encrypts(host: Host) -> bool:
    """What the host answers to a request for encryption; the server's log has nothing of it."""
    try:
        with socket.create_connection((host.address, host.port), PATIENCE_SECONDS) as connection:
            connection.sendall(SslRequest().encode())
            return connection.recv(1) != b"N"
    except OSError:
        return True
