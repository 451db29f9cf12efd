"""Who gets into the admin database: an admin of every database, proved to the proxy itself.

Owns the login. No server is asked, because the server may be what is down. So clients need a verifier in
``[auth] users`` or a certificate, whatever method the other databases use (``trust`` excepted). Must not know
commands.
"""

from __future__ import annotations

import os
import secrets

from rewright.proxy.auth.scram import ScramError, ScramServer, end_point_binding, mock_verifier
from rewright.proxy.client_auth import Refused, Who, scram_exchange, verifier_of
from rewright.proxy.config import ProxyConfig
from rewright.proxy.inbox import Inbox
from rewright.proxy.ports import LastQuery, SessionView, SettingsView, SqlError
from rewright.proxy.relay import Side
from rewright.proxy.wire.backend import (
    AUTH_OK,
    Authentication,
    BackendKeyData,
    ParameterStatus,
    ReadyForQuery,
)

_PARAMETERS = {
    "server_encoding": "UTF8",
    "client_encoding": "UTF8",
    "DateStyle": "ISO, MDY",
    "TimeZone": "UTC",
    "integer_datetimes": "on",
    "standard_conforming_strings": "on",
    "is_superuser": "off",
}


def is_admin_database(config: ProxyConfig, name: str) -> bool:
    """A database of that name in the configuration goes first; ``*`` does not."""
    return bool(config.admin_database) and name == config.admin_database and name not in config.databases


async def authenticate(
    client: Side,
    inbox: Inbox,
    who: Who,
    config: ProxyConfig,
    certificate: bytes,
    secret: bytes,
    *,
    local: bool,
) -> None:
    """``certificate``: the proxy's own; ``local``: from this machine. Raises Refused, Gone or
    ProtocolViolation.
    """
    auth = config.auth
    user = auth.users.get(who.user)
    if user is not None and user.databases and who.database not in user.databases:
        user = None
    if auth.method == "trust":
        if not local:
            raise Refused("28000", "trust authentication is for connections from this machine only")
    elif auth.method == "cert":
        if user is None:
            raise Refused("28000", f'certificate authentication failed for user "{who.user}"')
    else:
        binding = end_point_binding(certificate) if who.tls else b""
        verifier = verifier_of(user)
        scram = ScramServer(verifier or mock_verifier(who.user, secret), binding=binding)
        try:
            await scram_exchange(client, inbox, scram)
        except ScramError as error:
            raise _wrong_password(who, config) from error
        if verifier is None:
            raise _wrong_password(who, config)
    if who.user not in config.admins:
        raise Refused(
            "42501", f'role "{who.user}" is not an admin of every database', "[admins] roles lists them."
        )


def _wrong_password(who: Who, config: ProxyConfig) -> Refused:
    hint = "" if config.auth.users else "The admin database asks for a verifier of [auth] users."
    return Refused("28P01", f'password authentication failed for user "{who.user}"', hint)


def admin_view(who: Who, config: ProxyConfig) -> SessionView:
    """As which it asks now: the configuration may have been read again since the login. Raises SqlError."""
    if who.user not in config.admins:
        raise SqlError("42501", f'role "{who.user}" is not an admin of every database any more')
    return SessionView(
        who.database,
        who.user,
        (who.startup.get(b"application_name") or b"").decode("utf-8", "replace"),
        who.address,
        0,
        SettingsView(),
        LastQuery(),
        is_admin=True,
        may_pause=True,
        everywhere=True,
    )


def welcome(version: str) -> bytes:
    """What follows the login."""
    parameters = {"server_version": f"{version}/rewright", **_PARAMETERS}
    said = [Authentication(AUTH_OK).encode()]
    said += [ParameterStatus(name.encode(), value.encode()).encode() for name, value in parameters.items()]
    # nothing here can be cancelled
    said += [BackendKeyData(os.getpid(), secrets.token_bytes(4)).encode(), ReadyForQuery().encode()]
    return b"".join(said)
