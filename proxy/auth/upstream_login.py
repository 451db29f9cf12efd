"""Logging in at the server on behalf of a client, without I/O.

Owns the answers to whatever the server asks for: SCRAM (with channel binding where it offers it), md5,
cleartext. Must not know how the client was authenticated.
"""

from __future__ import annotations

import hashlib

from rewright.proxy.auth.scram import PLAIN, PLUS, ScramClient, ScramError, end_point_binding
from rewright.proxy.login import LOGIN_MESSAGE_LIMIT
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import (
    AUTH_CLEARTEXT,
    AUTH_MD5,
    AUTH_OK,
    AUTH_SASL,
    AUTH_SASL_CONTINUE,
    AUTH_SASL_FINAL,
    Authentication,
    BackendKeyData,
    Fields,
    ParameterStatus,
    ReadyForQuery,
)
from rewright.proxy.wire.framing import Framer, ProtocolViolation, message
from rewright.proxy.wire.frontend import Password, sasl_initial


class UpstreamLogin:
    """Feed it what the server sends: it returns (for the server, for the client) until ``ready`` or
    ``failed``.
    """

    def __init__(self, user: str, password: str, *, certificate: bytes = b"") -> None:
        self._framer = Framer(LOGIN_MESSAGE_LIMIT)
        self.user = user
        self._password = password
        self._certificate = certificate
        self._scram: ScramClient | None = None
        self._verified = False
        self.parameters: dict[bytes, bytes] = {}
        self.key: BackendKeyData | None = None
        self.failed: Fields | None = None
        self.ready = False

    def from_server(self, data: bytes) -> tuple[bytes, bytes]:
        """Raises ProtocolViolation or ScramError when the server is not to be trusted or understood."""
        server, client = bytearray(), bytearray()
        for kind, payload in self._framer.feed(data):
            match backend.decode(kind, payload):
                case Authentication() as request:
                    answer = self._answer(request)
                    server += answer
                    if request.code == AUTH_OK:
                        client += message(kind, payload)
                    continue
                case ParameterStatus(name, value):
                    self.parameters[name] = value
                case BackendKeyData() as key:
                    self.key = key
                case Fields(kind=b"E") as failure:
                    self.failed = failure
                case ReadyForQuery():
                    self.ready = True
                case backend.Opaque(kind=b"v"):
                    continue  # what was negotiated with the client stands
                case _:
                    pass
            client += message(kind, payload)
            if self.ready:
                client += self._framer.take_rest()
                break
        return bytes(server), bytes(client)

    def _answer(self, request: Authentication) -> bytes:
        code = request.code
        if code == AUTH_OK:
            # AuthenticationOk without the signature: who does not know the verifier could answer so.
            if self._scram is not None and not self._verified:
                raise ScramError("the server skipped its part of the SCRAM exchange")
            return b""
        if code == AUTH_CLEARTEXT:
            return Password(self._password.encode() + b"\0").encode()
        if code == AUTH_MD5:
            return Password(md5_response(self.user, self._password, request.data[:4]) + b"\0").encode()
        if code == AUTH_SASL:
            return self._start_scram(request.mechanisms)
        if code == AUTH_SASL_CONTINUE and self._scram is not None:
            return Password(self._scram.proof(request.data)).encode()
        if code == AUTH_SASL_FINAL and self._scram is not None:
            self._scram.check(request.data)
            self._verified = True
            return b""
        raise ProtocolViolation(f"the server asks for an authentication (code {code}) that is not supported")

    def _start_scram(self, offered: tuple[bytes, ...]) -> bytes:
        tls = bool(self._certificate)
        if tls and PLUS in offered:
            self._scram = ScramClient(self._password, binding=end_point_binding(self._certificate), tls=True)
        elif PLAIN in offered:
            self._scram = ScramClient(self._password, tls=tls)
        else:
            raise ProtocolViolation("the server offers no SASL mechanism that is supported")
        return sasl_initial(self._scram.mechanism, self._scram.first())


def md5_response(user: str, password: str, salt: bytes) -> bytes:
    """As the protocol manual defines it for AuthenticationMD5Password."""
    inner = hashlib.md5(password.encode() + user.encode(), usedforsecurity=False).hexdigest()
    outer = hashlib.md5(inner.encode() + salt, usedforsecurity=False).hexdigest()
    return b"md5" + outer.encode()
