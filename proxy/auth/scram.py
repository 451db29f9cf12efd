"""SCRAM-SHA-256 (RFC 5802, RFC 7677) as PostgreSQL speaks it: server and client, with channel binding.

Owns the exchange and the verifier's form (``SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey``, as in
pg_authid). Must not know messages other than the SASL payloads. Comparisons of secrets take constant time.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import stringprep
import unicodedata
from dataclasses import dataclass

PLAIN, PLUS = b"SCRAM-SHA-256", b"SCRAM-SHA-256-PLUS"
_BINDING = b"p=tls-server-end-point"
# as PostgreSQL's scram_iterations by default
_ITERATIONS = 4096


class ScramError(Exception):
    """The exchange failed. ``sqlstate``: 28P01 for a wrong password, 08P01 for a malformed message."""

    def __init__(self, message: str, sqlstate: str = "08P01") -> None:
        super().__init__(message)
        self.sqlstate = sqlstate


@dataclass(frozen=True, slots=True)
class Verifier:
    iterations: int
    salt: bytes
    stored_key: bytes
    server_key: bytes

    @classmethod
    def parse(cls, text: str) -> Verifier:
        """Raises ValueError."""
        kind, _, rest = text.partition("$")
        parameters, _, keys = rest.partition("$")
        iterations, _, salt = parameters.partition(":")
        stored, _, server = keys.partition(":")
        try:
            found = cls(int(iterations), _decode64(salt), _decode64(stored), _decode64(server))
        except (ValueError, binascii.Error) as error:
            raise ValueError("invalid SCRAM verifier") from error
        if kind != "SCRAM-SHA-256" or len(found.stored_key) != 32 or len(found.server_key) != 32:
            raise ValueError("invalid SCRAM verifier")
        return found

    @classmethod
    def of_password(cls, password: str, salt: bytes | None = None) -> Verifier:
        salt = salt or secrets.token_bytes(16)
        salted = _salted(password, salt, _ITERATIONS)
        stored = hashlib.sha256(_hmac(salted, b"Client Key")).digest()
        return cls(_ITERATIONS, salt, stored, _hmac(salted, b"Server Key"))

    def __str__(self) -> str:
        salt, stored, server = map(_encode64, (self.salt, self.stored_key, self.server_key))
        return f"SCRAM-SHA-256${self.iterations}:{salt}${stored}:{server}"


def mock_verifier(user: str, secret: bytes) -> Verifier:
    """What an unknown user is asked for: always the same salt, and no password ever fits."""
    salt = hmac.digest(secret, user.encode("utf-8", "replace"), "sha256")[:16]
    return Verifier(_ITERATIONS, salt, secrets.token_bytes(32), secrets.token_bytes(32))


def end_point_binding(certificate: bytes) -> bytes:
    """tls-server-end-point (RFC 5929): the certificate's hash, by the hash of its signature but at least
    SHA-256.
    """
    return hashlib.new(_signature_hash(certificate), certificate).digest()


# DER of the signature algorithms' object identifiers that don't use SHA-256
_SIGNATURES = {
    bytes.fromhex("06092a864886f70d01010c"): "sha384",
    bytes.fromhex("06092a864886f70d01010d"): "sha512",
    bytes.fromhex("06082a8648ce3d040303"): "sha384",
    bytes.fromhex("06082a8648ce3d040304"): "sha512",
}


def _signature_hash(certificate: bytes) -> str:
    # the first algorithm identifier after the serial number is the signature's
    head = certificate[:80]
    found = [(head.find(oid), name) for oid, name in _SIGNATURES.items() if oid in head]
    return min(found)[1] if found else "sha256"


class ScramServer:
    """``first`` the client's first message, then ``final``; each returns what to answer. Raises ScramError.

    ``binding``: channel binding data of this connection, b"" where there is none to offer.
    """

    def __init__(self, verifier: Verifier, *, binding: bytes = b"", nonce: bytes | None = None) -> None:
        self.verifier = verifier
        self.binding = binding
        self._nonce = nonce or base64.b64encode(secrets.token_bytes(18))
        self._header = b""
        self._bare = self._answer = b""

    @property
    def mechanisms(self) -> tuple[bytes, ...]:
        return (PLUS, PLAIN) if self.binding else (PLAIN,)

    def first(self, mechanism: bytes, data: bytes) -> bytes:
        if mechanism not in self.mechanisms:
            raise ScramError("client selected an invalid SASL authentication mechanism")
        flag, comma, rest = data.partition(b",")
        _authzid, comma2, bare = rest.partition(b",")
        # An authorization identity of its own is refused, as by PostgreSQL: one logs in as oneself.
        if not comma or not comma2 or _authzid:
            raise ScramError("malformed SCRAM message")
        self._check_flag(mechanism, flag)
        self._header = flag + b",,"
        self._bare = bare
        fields = _fields(bare)
        nonce = fields.get(b"r")
        # "m" announces an extension that must be understood (RFC 5802, section 5.1).
        if not nonce or b"m" in fields:
            raise ScramError("malformed SCRAM message")
        self._nonce = nonce + self._nonce
        salt = base64.b64encode(self.verifier.salt)
        self._answer = b"r=%s,s=%s,i=%d" % (self._nonce, salt, self.verifier.iterations)
        return self._answer

    def _check_flag(self, mechanism: bytes, flag: bytes) -> None:
        if mechanism == PLUS:
            if flag != _BINDING:
                raise ScramError("unsupported SCRAM channel-binding type")
        # "y" says that we did not offer binding, and we did: somebody between may have taken the offer away.
        elif flag == b"y" and self.binding:
            raise ScramError("SCRAM channel binding negotiation error", "28000")
        elif flag not in {b"n", b"y"}:
            raise ScramError("malformed SCRAM message")

    def final(self, data: bytes) -> bytes:
        without_proof, comma, proof_field = data.rpartition(b",p=")
        fields = _fields(without_proof)
        bound = self._header + (self.binding if self._header.startswith(b"p=") else b"")
        if not comma or fields.get(b"r") != self._nonce:
            raise ScramError("invalid SCRAM response")
        if fields.get(b"c") != base64.b64encode(bound):
            raise ScramError("SCRAM channel binding check failed", "28000")
        message = b",".join((self._bare, self._answer, without_proof))
        signature = _hmac(self.verifier.stored_key, message)
        key = _xor(_decode64(proof_field.decode("ascii", "replace"), ScramError), signature)
        if not hmac.compare_digest(hashlib.sha256(key).digest(), self.verifier.stored_key):
            raise ScramError("password authentication failed", "28P01")
        return b"v=" + base64.b64encode(_hmac(self.verifier.server_key, message))


class ScramClient:
    """The other side: ``first``, ``proof`` for the server's challenge, ``check`` of its signature."""

    def __init__(self, password: str, *, binding: bytes = b"", tls: bool = False) -> None:
        self._password = password
        self._binding = binding
        # "y": we could bind, but the server did not offer it
        self._flag = _BINDING if binding else b"y" if tls else b"n"
        self._nonce = base64.b64encode(secrets.token_bytes(18))
        self._signature = b""

    @property
    def mechanism(self) -> bytes:
        return PLUS if self._binding else PLAIN

    @property
    def _bare(self) -> bytes:
        return b"n=,r=" + self._nonce

    def first(self) -> bytes:
        return self._flag + b",," + self._bare

    def proof(self, challenge: bytes) -> bytes:
        """Raises ScramError when the server is none we could trust."""
        fields = _fields(challenge)
        nonce, iterations = fields.get(b"r", b""), fields.get(b"i", b"")
        # The server must add to our nonce, or it replays an old exchange.
        if not nonce.startswith(self._nonce) or nonce == self._nonce or not iterations.isdigit():
            raise ScramError("malformed SCRAM challenge from the server")
        # A hostile server could keep the event loop hashing for minutes.
        if not 1 <= int(iterations) <= 10_000_000:
            raise ScramError("unreasonable SCRAM iteration count from the server")
        salt = _decode64(fields.get(b"s", b"").decode("ascii", "replace"), ScramError)
        salted = _salted(self._password, salt, int(iterations))
        bound = base64.b64encode(self._flag + b",," + self._binding)
        final = b"c=%s,r=%s" % (bound, nonce)
        message = b",".join((self._bare, challenge, final))
        client_key = _hmac(salted, b"Client Key")
        proof = _xor(client_key, _hmac(hashlib.sha256(client_key).digest(), message))
        self._signature = _hmac(_hmac(salted, b"Server Key"), message)
        return final + b",p=" + base64.b64encode(proof)

    def check(self, final: bytes) -> None:
        """Raises ScramError when the server does not know the password either."""
        signature = _decode64(_fields(final).get(b"v", b"").decode("ascii", "replace"), ScramError)
        if not self._signature or not hmac.compare_digest(signature, self._signature):
            raise ScramError("incorrect SCRAM server signature")


def _salted(password: str, salt: bytes, iterations: int) -> bytes:
    return hashlib.pbkdf2_hmac("sha256", _prepared(password).encode(), salt, iterations)


def _prepared(password: str) -> str:
    """SASLprep; a password it does not allow is used as it is, as PostgreSQL does."""
    mapped = "".join(
        " " if stringprep.in_table_c12(c) else c for c in password if not stringprep.in_table_b1(c)
    )
    normal = unicodedata.normalize("NFKC", mapped)
    prohibited = (
        stringprep.in_table_c12,
        stringprep.in_table_c21_c22,
        stringprep.in_table_c3,
        stringprep.in_table_c4,
        stringprep.in_table_c5,
        stringprep.in_table_c6,
        stringprep.in_table_c7,
        stringprep.in_table_c8,
        stringprep.in_table_c9,
        stringprep.in_table_a1,
    )
    if not normal or any(test(c) for c in normal for test in prohibited):
        return password
    right_to_left = any(map(stringprep.in_table_d1, normal))
    if right_to_left and (
        any(map(stringprep.in_table_d2, normal))
        or not (stringprep.in_table_d1(normal[0]) and stringprep.in_table_d1(normal[-1]))
    ):
        return password
    return normal


def _fields(data: bytes) -> dict[bytes, bytes]:
    return {part[:1]: part[2:] for part in data.split(b",") if part[1:2] == b"="}


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def _xor(one: bytes, other: bytes) -> bytes:
    if len(one) != len(other):
        raise ScramError("malformed SCRAM message")
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def _encode64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _decode64(text: str, error: type[Exception] = ValueError) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error) as problem:
        raise error("malformed base64") from problem
