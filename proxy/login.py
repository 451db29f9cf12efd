"""Logging in by passing everything through, without I/O: the server decides, the proxy only listens.

Owns what must change on the way (channel binding that can't work through two encryptions) and what is
remembered (parameters, cancel key). Must not know sockets.
"""

from __future__ import annotations

from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import AUTH_SASL, Authentication, BackendKeyData, Fields, ParameterStatus
from rewright.proxy.wire.framing import Framer, message

# login messages are small; a server that sends more than this before it is ready is none
LOGIN_MESSAGE_LIMIT = 1 << 20
PLUS = b"SCRAM-SHA-256-PLUS"


class PassthroughLogin:
    """Feed it what the server sends; send what it returns to the client, until ``ready``.

    ``keep_binding``: both sides see the same certificate (or neither side is encrypted by us), so that a
    client's channel binding fits the server's. Otherwise the PLUS mechanism is not offered: a client on a
    plain connection could not take it, and one on TLS would bind to the wrong certificate.
    """

    def __init__(self, *, keep_binding: bool) -> None:
        self._framer = Framer(LOGIN_MESSAGE_LIMIT)
        self._keep_binding = keep_binding
        self.parameters: dict[bytes, bytes] = {}
        self.key: BackendKeyData | None = None
        self.failed: Fields | None = None
        self.ready = False

    def from_server(self, data: bytes) -> bytes:
        """Raises ProtocolViolation when this is no PostgreSQL server."""
        out = bytearray()
        for kind, payload in self._framer.feed(data):
            out += self._message(kind, payload)
            if self.ready:
                # What follows ReadyForQuery is the session's, and the framer is not used any more.
                out += self._framer.take_rest()
                break
        return bytes(out)

    def _message(self, kind: bytes, payload: bytes) -> bytes:
        match backend.decode(kind, payload):
            case Authentication(code=code) as offer if code == AUTH_SASL and not self._keep_binding:
                names = [name for name in offer.mechanisms if name != PLUS]
                return Authentication(AUTH_SASL, b"".join(n + b"\0" for n in names) + b"\0").encode()
            case ParameterStatus(name, value):
                self.parameters[name] = value
            case BackendKeyData() as key:
                self.key = key
            case Fields(kind=b"E") as failure:
                self.failed = failure
            case backend.ReadyForQuery():
                self.ready = True
            case _:
                pass
        return message(kind, payload)
