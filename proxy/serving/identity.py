"""Who a session is: what its login said, and the rights of its current role (docs/decisions/0292).

Plain records. Must not know what is asked of a session, nor how its role is found out (``asking``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from rewright.proxy.machine.cycles import FAILED, IN_BLOCK, Cycles
from rewright.proxy.ports import SessionView

_STATES = {IN_BLOCK: "idle in transaction", FAILED: "idle in transaction (aborted)"}


@dataclass(frozen=True, slots=True)
class Admins:
    """Who decides: roles of the session's database, among them those of every database."""

    here: frozenset[str] = frozenset()
    everywhere: frozenset[str] = frozenset()


def nobody() -> Admins:
    return Admins()


@dataclass(slots=True)
class Login:
    """How the session came in. ``admins`` is asked each time: the configuration may be read again.

    ``upstream_user``: where Rewright logs in for the client (``auth = file``), the role it took; empty: the
    client's own.
    """

    user: str
    upstream_user: str = ""
    admins: Callable[[], Admins] = field(default=nobody)

    def seen_as(self, view: SessionView, current: str) -> SessionView:
        """The view with the rights of the role ``current``; empty: not known, nobody's.

        With a login of its own a client is its current role. Where several clients share a role of the server
        it is the user it has proved to be, and nobody once it has taken another role.
        """
        role = current
        if self.upstream_user:
            role = self.user if current == self.upstream_user else ""
        admins = self.admins()
        everywhere = role in admins.everywhere
        return replace(view, role=role, is_admin=everywhere or role in admins.here, may_pause=everywhere)


@dataclass(slots=True)
class Identity:
    """Who the session is, as far as its login says."""

    database: str
    user: str
    client_address: str
    backend_pid: int = 0
    application_name: str = ""
    defaults: Mapping[str, str] = field(default_factory=dict)
    login: Login = field(default_factory=lambda: Login(""))
    startup_settings: Mapping[str, str] = field(default_factory=dict)
    tag: bool = False
    server: str = ""  # host:port of the one behind it

    def name_of(self, parameters: Mapping[bytes, bytes]) -> str:
        """The application's, as the server last reported it."""
        name = parameters.get(b"application_name", b"")
        return name.decode("utf-8", "replace") or self.application_name


def state_of(cycles: Cycles) -> str:
    """What a session does, in pg_stat_activity's words."""
    if cycles.pending or cycles.since:
        return "active"
    return _STATES.get(cycles.status, "idle")
