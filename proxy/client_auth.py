"""Letting clients in: the startup packet, protocol versions, and the client's proof of who it is.

Owns the errors that rejected clients get. Must not know sessions or servers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rewright.proxy.auth.certificates import name_of
from rewright.proxy.auth.scram import ScramServer, Verifier
from rewright.proxy.config import AuthConfig, UserConfig
from rewright.proxy.inbox import Inbox
from rewright.proxy.relay import Side
from rewright.proxy.tls_negotiation import ClientGone
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import (
    AUTH_SASL,
    AUTH_SASL_CONTINUE,
    AUTH_SASL_FINAL,
    Authentication,
    Fields,
)
from rewright.proxy.wire.framing import ProtocolViolation, Reader
from rewright.proxy.wire.startup import StartupMessage, packet_length


class Refused(Exception):
    """The client gets this FATAL error and is disconnected."""

    def __init__(self, sqlstate: str, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.sqlstate = sqlstate
        self.hint = hint


class ParameterRefused(Exception):
    """What is behind the proxy takes no setting of ours in a startup packet, as poolers do."""


# how PgBouncer, Odyssey and others begin to say it
_UNSUPPORTED = b"unsupported startup parameter"


def is_refused_parameter(failure: Fields | None) -> bool:
    return failure is not None and failure.get(b"M").startswith(_UNSUPPORTED)


@dataclass(frozen=True, slots=True)
class Who:
    """Who connects, as the startup packet says."""

    startup: StartupMessage
    user: str
    database: str
    address: str
    tls: bool
    certificate: Mapping[str, Any] | None = None  # of the client, believed by TLS


async def first_packet(client: Side) -> bytes:
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

    def lost(_exc: BaseException | None) -> None:
        if not complete.done():
            complete.set_exception(ClientGone("closed before a startup packet"))

    client.on_lost = lost
    client.receive(receive)
    length = await complete
    client.keep(bytes(collected[length:]))
    return bytes(collected[:length])


async def scram_exchange(client: Side, inbox: Inbox, scram: ScramServer) -> None:
    """Raises ScramError, Gone or ProtocolViolation."""
    names = b"".join(name + b"\0" for name in scram.mechanisms)
    client.write(Authentication(AUTH_SASL, names + b"\0").encode())
    kind, body = await inbox.message()
    if kind != b"p":
        raise ProtocolViolation("expected SASL response")
    read = Reader(body)
    challenge = scram.first(read.cstring(), read.value() or b"")
    client.write(Authentication(AUTH_SASL_CONTINUE, challenge).encode())
    kind, body = await inbox.message()
    if kind != b"p":
        raise ProtocolViolation("expected SASL response")
    client.write(Authentication(AUTH_SASL_FINAL, scram.final(body)).encode())


def verifier_of(user: UserConfig | None) -> Verifier | None:
    try:
        return Verifier.parse(user.verifier) if user is not None else None
    except ValueError:
        return None


# protocol 3.2 is PostgreSQL 18's; a newer one is answered with NegotiateProtocolVersion
NEWEST_MINOR = 2


def negotiation(startup: StartupMessage) -> bytes:
    """NegotiateProtocolVersion, when the client asked for what we don't speak; b"" otherwise."""
    unknown = tuple(name for name, _ in startup.parameters if name.startswith(b"_pq_."))
    if startup.minor <= NEWEST_MINOR and not unknown:
        return b""
    return backend.negotiate(min(startup.minor, NEWEST_MINOR), unknown)


def upstream_startup(startup: StartupMessage, user: str, database: str) -> StartupMessage:
    """The client's parameters under another name."""
    kept = tuple(
        pair
        for pair in startup.parameters
        if pair[0] not in {b"user", b"database"} and not pair[0].startswith(b"_pq_.")
    )
    named = ((b"user", user.encode()), (b"database", database.encode()))
    return StartupMessage(3, min(startup.minor, NEWEST_MINOR), named + kept)


def who_of(startup: StartupMessage, address: str, client: Side) -> Who:
    if startup.major != 3:
        raise Refused(
            "0A000",
            f"unsupported frontend protocol {startup.major}.{startup.minor}: server supports 3.0 to 3.2",
        )
    user = startup.get(b"user")
    if not user:
        raise Refused("28000", "no PostgreSQL user name specified in startup packet")
    # The default of the protocol ("StartupMessage").
    database = startup.get(b"database") or user
    tls = client.transport.get_extra_info("ssl_object")
    certificate = tls.getpeercert() if tls is not None else None
    return Who(
        startup,
        user.decode("utf-8", "replace"),
        database.decode("utf-8", "replace"),
        address,
        tls is not None,
        certificate or None,
    )


def check_certificate(who: Who, auth: AuthConfig) -> None:
    """Whether the client's certificate is as good as is asked for. Raises Refused."""
    if auth.level == "off":
        return
    if who.certificate is None:
        raise Refused("28000", "connection requires a valid client certificate")
    if auth.level == "verify-full":
        name = name_of(who.certificate, auth.clientname)
        if name is None or not auth.names.allows(name, who.user):
            raise Refused("28000", f'certificate authentication failed for user "{who.user}"')
