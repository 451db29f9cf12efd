"""The first bytes of a client, before a transport exists: requests for encryption, direct TLS.

Owns the answers to SSLRequest and GSSENCRequest. Reads exactly those requests and leaves all else in the
socket, so that nothing sent early can slip past the encryption. Must not know startup packets.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from typing import Any

from rewright.proxy.config import ListenConfig
from rewright.proxy.relay import LINGER_SECONDS, Side
from rewright.proxy.upstream import ALPN
from rewright.proxy.wire.startup import TLS_HANDSHAKE, GssEncRequest, SslRequest

SSL_PACKET = SslRequest().encode()
GSS_PACKET = GssEncRequest().encode()


class ClientGone(Exception):
    """The client left, or speaks something else."""


# as in PostgreSQL's ssl_min_protocol_version
TLS_VERSIONS = {"tlsv1.2": ssl.TLSVersion.TLSv1_2, "tlsv1.3": ssl.TLSVersion.TLSv1_3}


class _Handshaking(ssl.SSLObject):
    """Keeps what OpenSSL says last when it refuses a client: a transport drops it."""

    outgoing: ssl.MemoryBIO

    def do_handshake(self) -> None:
        try:
            super().do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError as error:
            error.alert = self.outgoing.read()  # type: ignore[attr-defined] # an attribute of ours, read by ``alert_of``
            raise


class ServerContext(ssl.SSLContext):
    """TLS towards clients, whose failures say why (``alert_of``)."""

    sslobject_class = _Handshaking

    def wrap_bio(self, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO, *args: Any, **more: Any) -> Any:
        made = super().wrap_bio(incoming, outgoing, *args, **more)
        made.outgoing = outgoing  # type: ignore[attr-defined] # an attribute of ours, read in do_handshake
        return made


def alert_of(error: ssl.SSLError) -> bytes:
    """What to tell the client, encrypted already where it has to be."""
    return bytes(getattr(error, "alert", b""))


def server_context(listen: ListenConfig) -> ssl.SSLContext:
    """TLS towards clients. Raises OSError or ssl.SSLError for files that can't be used."""
    context = ServerContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = TLS_VERSIONS[listen.tls_min_version]
    newest = listen.tls_max_version
    context.maximum_version = TLS_VERSIONS[newest] if newest else ssl.TLSVersion.MAXIMUM_SUPPORTED
    context.load_cert_chain(listen.tls_cert, listen.tls_key or None)
    context.set_alpn_protocols([ALPN])
    if listen.tls_client_ca:
        _ask_for_certificates(context, listen.tls_client_ca, listen.tls_client_crl)
    return context


def _ask_for_certificates(context: ssl.SSLContext, authorities: str, revoked: str) -> None:
    """As PostgreSQL with ssl_ca_file and ssl_crl_file: none is taken, a bad one is refused."""
    context.load_verify_locations(authorities)
    context.verify_mode = ssl.CERT_OPTIONAL
    # a resumed session would not be verified again
    context.options |= ssl.OP_NO_TICKET
    context.num_tickets = 0
    if revoked:
        context.load_verify_locations(revoked)
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_CHAIN


async def enter(client: socket.socket, tls: ssl.SSLContext | None, *, handshake_timeout: float) -> Side:
    """Answer requests for encryption, then hand the socket to a transport. Raises ClientGone, OSError."""
    loop = asyncio.get_running_loop()
    asked: set[bytes] = set()
    while True:
        first = await _peek(client)
        # A TLS record's type: PostgreSQL 17's direct TLS. Behind an SSLRequest that was refused it is
        # nonsense.
        if first[0] == TLS_HANDSHAKE and not asked & {SSL_PACKET}:
            return await _direct(client, tls, handshake_timeout)
        if first not in {SSL_PACKET, GSS_PACKET} or first in asked:
            return await _plain(client)
        asked.add(first)
        await loop.sock_recv(client, 8)
        accept = first == SSL_PACKET and tls is not None
        await loop.sock_sendall(client, b"S" if accept else b"N")
        if accept:
            return await _encrypted(client, tls, handshake_timeout)


async def _plain(client: socket.socket) -> Side:
    side = Side()
    await asyncio.get_running_loop().connect_accepted_socket(lambda: side, client)
    side.write_through(client)
    return side


async def _direct(client: socket.socket, tls: ssl.SSLContext | None, handshake: float) -> Side:
    if tls is None:
        raise ClientGone("direct TLS asked for, but no certificate is configured")
    side = await _encrypted(client, tls, handshake)
    if side.transport.get_extra_info("ssl_object").selected_alpn_protocol() != ALPN:
        # As PostgreSQL 17: without ALPN, TLS meant for another protocol could be carried to this port.
        side.abort()
        raise ClientGone("direct TLS without the ALPN protocol postgresql")
    return side


async def _encrypted(client: socket.socket, tls: ssl.SSLContext | None, handshake: float) -> Side:
    assert tls is not None
    side = Side()
    loop = asyncio.get_running_loop()
    # The transport closes its own descriptor when the handshake fails, before the alert is sent.
    with client.dup() as spare:
        try:
            await loop.connect_accepted_socket(
                lambda: side, client, ssl=tls, ssl_handshake_timeout=handshake or None
            )
        except ssl.SSLError as error:
            await _say_why(spare, alert_of(error))
            raise
    return side


async def _say_why(client: socket.socket, alert: bytes) -> None:
    """Past the transport, which has closed its end; a reset would take from the client what it has not read
    yet.
    """
    if not alert:
        return
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        await loop.sock_sendall(client, alert)
        client.shutdown(socket.SHUT_WR)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                while await loop.sock_recv(client, 16_384):
                    pass


async def _peek(client: socket.socket) -> bytes:
    """The first 8 bytes without taking them (fewer when the first one already tells TLS)."""
    while True:
        await _readable(client)
        try:
            first = client.recv(8, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            continue
        if not first:
            raise ClientGone("closed before a startup packet")
        if len(first) == 8 or first[0] == TLS_HANDSHAKE:
            return first
        # the rest of the packet is on its way; level-triggered readiness would spin without a pause
        await asyncio.sleep(0.01)


async def _readable(client: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    fd = client.fileno()
    loop.add_reader(fd, _resolve, ready)
    try:
        await ready
    finally:
        loop.remove_reader(fd)


def _resolve(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
