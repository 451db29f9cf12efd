"""Who a client's certificate says it is, and which users of the proxy that name may be.

Owns the names in a certificate's subject and the map from them to users, both as in PostgreSQL
(``clientcert``, ``clientname``, pg_ident.conf). Whether a certificate is to be believed is TLS's business
(``rewright.proxy.tls_negotiation``). Pure.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Level = Literal["off", "verify-ca", "verify-full"]
Naming = Literal["cn", "dn"]

# as RFC 4514 and OpenSSL write them; Python's ssl spells them out
_SHORT = {
    "commonName": "CN",
    "countryName": "C",
    "domainComponent": "DC",
    "localityName": "L",
    "organizationName": "O",
    "organizationalUnitName": "OU",
    "stateOrProvinceName": "ST",
    "streetAddress": "street",
    "surname": "SN",
    "givenName": "GN",
    "userId": "UID",
}
_SPECIAL = frozenset(',+"\\<>;')


class MapError(ValueError):
    """A file of maps can't be understood; the message names the line."""


@dataclass(frozen=True, slots=True)
class MapLine:
    r"""``pattern``: a name, or a regular expression where it was written with a slash; ``user`` may hold
    ``\1``.
    """

    pattern: str | re.Pattern[str]
    user: str

    def allows(self, name: str, user: str) -> bool:
        if isinstance(self.pattern, str):
            return name == self.pattern and user == self.user
        found = self.pattern.search(name)
        if found is None:
            return False
        captured = found[1] or "" if self.pattern.groups else ""
        return user == self.user.replace("\\1", captured)


@dataclass(frozen=True, slots=True)
class NameMap:
    """Which user a certificate's name may log in as; without lines only the one of the same name."""

    lines: tuple[MapLine, ...] | None = None

    def allows(self, name: str, user: str) -> bool:
        if self.lines is None:
            return name == user
        return any(line.allows(name, user) for line in self.lines)


def parse_map(text: str, wanted: str) -> NameMap:
    r"""The lines of the map ``wanted`` in a file like pg_ident.conf. Raises MapError, also when there is none
    of that name.

    >>> parse_map("staff /^(.*)@example[.]org$ \\1", "staff").allows("joe@example.org", "joe")
    True
    """
    lines = []
    for number, written in enumerate(text.splitlines(), 1):
        fields = _fields(written, number)
        if not fields:
            continue
        if len(fields) != 3:
            raise MapError(f"line {number}: a map's name, a certificate's name and a user")
        if fields[0] == wanted:
            lines.append(_line(fields[1], fields[2], number))
    if not lines:
        raise MapError(f"there is no map {wanted}")
    return NameMap(tuple(lines))


def _fields(written: str, number: int) -> list[str]:
    try:
        reader = shlex.shlex(written, posix=True)
        reader.whitespace_split, reader.commenters, reader.quotes, reader.escape = True, "#", '"', ""
        return list(reader)
    except ValueError as error:
        raise MapError(f"line {number}: {error}") from error


def _line(name: str, user: str, number: int) -> MapLine:
    if not name.startswith("/"):
        return MapLine(name, user)
    try:
        pattern = re.compile(name[1:])
    except re.error as error:
        raise MapError(f"line {number}: {name}: {error}") from error
    if "\\1" in user and not pattern.groups:
        raise MapError(f"line {number}: {name} has no parentheses for the \\1 in {user}")
    return MapLine(pattern, user)


def name_of(certificate: Mapping[str, Any] | None, naming: Naming) -> str | None:
    """The name by which a verified certificate (as ``SSLObject.getpeercert`` gives it) is known; None: it has
    none.

    A subject with several common names, or with a NUL in one, has no name: another reader could take it for
    somebody else's.
    """
    subject = certificate.get("subject", ()) if certificate else ()
    if any("\0" in value for parts in subject for _, value in parts):
        return None
    if naming == "dn":
        return distinguished_name(subject) or None
    found = [value for parts in subject for kind, value in parts if kind == "commonName"]
    return found[0] if len(found) == 1 and found[0] else None


def distinguished_name(subject: tuple[tuple[tuple[str, str], ...], ...]) -> str:
    r"""As RFC 2253 and PostgreSQL's ``clientname=DN`` have it: the last part first.

    >>> distinguished_name(((("organizationName", "A, B"),), (("commonName", "joe"),)))
    'CN=joe,O=A\\, B'
    """
    return ",".join(
        "+".join(f"{_SHORT.get(kind, kind)}={_escaped(value)}" for kind, value in reversed(parts))
        for parts in reversed(subject)
    )


def _escaped(value: str) -> str:
    last = len(value) - 1
    return "".join(
        _escaped_sign(sign, edge=(at == 0 and sign in " #") or (at == last and sign == " "))
        for at, sign in enumerate(value)
    )


def _escaped_sign(sign: str, *, edge: bool) -> str:
    if edge or sign in _SPECIAL:
        return f"\\{sign}"
    if sign < " " or sign > "~":
        return "".join(f"\\{byte:02X}" for byte in sign.encode())
    return sign
