"""Who may open the pages: sign-in, roles, sessions, CSRF tokens, and which Host headers are answered.

Sessions live in this process's memory and end with it. Must not know pages or the store.

A page that a browser was lured to must not read or change anything here: Host headers that are names are
refused unless they are known (DNS rebinding), cookies are SameSite=Strict, and every form carries its
session's token.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["viewer", "admin"]
COOKIE = "rewright_session"
# a working day
IDLE_SECONDS = 8 * 3600.0
# the least recently used go first
_MAX_SESSIONS = 1000
# failed sign-ins in a minute, whoever tried: beyond, nobody may try
_MAX_FAILURES = 20
_LOCAL_NAMES = frozenset({"localhost"})


class TooManyFailures(Exception):
    """Sign-in is closed for a while."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the configuration says. Without a password everybody who reaches the address is a viewer, and
    nobody an admin.

    ``hosts``: names besides ``localhost`` by which browsers may call; IP addresses always may. ``secure``:
    cookies only over TLS.
    """

    admin_password: str = ""
    viewer_password: str = ""
    token: str = ""
    hosts: tuple[str, ...] = ()
    secure: bool = False

    @property
    def sign_in(self) -> bool:
        return bool(self.admin_password or self.viewer_password)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks. ``csrf``: the token that forms must carry; empty where there is no session."""

    role: Role | None
    name: str = ""
    csrf: str = ""

    @property
    def admin(self) -> bool:
        return self.role == "admin"


@dataclass(slots=True)
class _Session:
    role: Role
    csrf: str
    used: float


@dataclass(slots=True)
class Gate:
    """The sessions of one console. Safe to be used by several threads. ``clock``: seconds that only grow."""

    rules: Rules
    clock: Callable[[], float] = time.monotonic
    _sessions: OrderedDict[bytes, _Session] = field(default_factory=OrderedDict)
    _failures: deque[float] = field(default_factory=lambda: deque(maxlen=_MAX_FAILURES))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def host_allowed(self, header: str) -> bool:
        """Whether a request with this Host header may be answered."""
        name = _host_name(header)
        if name is None:
            return False
        return (
            name in _LOCAL_NAMES or name in {host.lower() for host in self.rules.hosts} or _is_address(name)
        )

    def visitor(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> Visitor:
        """The user behind these headers and cookies."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        # a token is no session: it has no form to protect
        if kind.lower() == "bearer" and self.rules.token and _same(given.strip(), self.rules.token):
            return Visitor("admin", "token")
        session = self._session(cookies.get(COOKIE, ""))
        # a session's role wins over "everybody may look"
        if session is not None:
            return Visitor(session.role, session.role, session.csrf)
        # without passwords everybody is a viewer; with them nobody without a session
        return Visitor(None if self.rules.sign_in else "viewer")

    def sign_in(self, password: str) -> str | None:
        """A new session's cookie, or None where no role has this password. Raises TooManyFailures."""
        now = self.clock()
        with self._lock:
            # looked at before comparing, so that guessing stops
            if len(self._failures) == _MAX_FAILURES and now - self._failures[0] < 60:
                raise TooManyFailures
        role = self._role(password)
        with self._lock:
            if role is None:
                self._failures.append(now)
                return None
            # 256 bits from the system's generator
            cookie = secrets.token_urlsafe(32)
            # only the digest is kept: a dump of memory opens no session
            self._sessions[_digest(cookie)] = _Session(role, secrets.token_urlsafe(32), now)
            while len(self._sessions) > _MAX_SESSIONS:
                self._sessions.popitem(last=False)
        return cookie

    def sign_out(self, cookies: Mapping[str, str]) -> None:
        with self._lock:
            self._sessions.pop(_digest(cookies.get(COOKIE, "")), None)

    def sign_out_everybody(self) -> None:
        """Ends every session, whoever began it and wherever its cookie went; tokens stay good."""
        with self._lock:
            self._sessions.clear()

    def form_allowed(self, visitor: Visitor, headers: Mapping[str, str], given: str) -> bool:
        """Whether a change that ``visitor`` sends is what she meant: her session's
        token, from our own page.
        """
        site = headers.get("sec-fetch-site", "same-origin")
        # a token is sent on purpose, never by a browser on its own
        if visitor.name == "token":
            return True
        # an empty token equals an empty one: it must not count
        return site in {"same-origin", "none"} and bool(visitor.csrf) and _same(given, visitor.csrf)

    def _role(self, password: str) -> Role | None:
        # both are compared always, so that time tells nothing; an unset password matches nobody
        admin = _same(password, self.rules.admin_password) and bool(self.rules.admin_password)
        viewer = _same(password, self.rules.viewer_password) and bool(self.rules.viewer_password)
        return "admin" if admin else "viewer" if viewer else None

    def _session(self, cookie: str) -> _Session | None:
        key, now = _digest(cookie), self.clock()
        with self._lock:
            session = self._sessions.get(key)
            if session is None:
                return None
            if now - session.used > IDLE_SECONDS:
                del self._sessions[key]
                return None
            # use prolongs it
            session.used = now
            self._sessions.move_to_end(key)
            return session


def _host_name(header: str) -> str | None:
    """The name or address in a Host header, lower case; None for what is none."""
    text = header.strip().lower()
    # [::1]:8080
    if text.startswith("["):
        name, closed, rest = text[1:].partition("]")
        return name if closed and (not rest or rest.startswith(":")) else None
    name, _, port = text.partition(":")
    # a name may end with the root's dot
    return name.removesuffix(".") if name and (not port or port.isdigit()) else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _digest(text: str) -> bytes:
    # surrogates: headers may be any bytes
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _same(one: str, other: str) -> bool:
    """In a time that tells nothing about either."""
    # digests have one length, whatever the password's
    return hmac.compare_digest(_digest(one), _digest(other))
