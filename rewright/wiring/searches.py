"""The processes of a worker that search lakes for clients of PostgreSQL databases (AUGMENT), and which lakes
a client may use.

Owns what such a process is asked, and its rows for the proxy. Must not know the wire, or how tables are
found. docs/decisions/0440-augment-reads-the-base-through-the-clients-session.md.
"""

from __future__ import annotations

import socket
from collections.abc import Callable

from rewright import logs
from rewright.config.model import Config
from rewright.proxy.config import AuthConfig
from rewright.proxy.ports import LocalRows, SessionView, SqlError
from rewright.proxy.serving.asking_ports import Conversation, Lent, Told
from rewright.wiring.lake_runners import PRELOADED
from rewright.wiring.lent_process import Setup
from rewright.wiring.lent_processes import Bounds, LentProcesses
from rewright.wiring.opening import lakes_of
from rewright.wiring.proxies import auth_config

log = logs.logger()


def open_lakes(config: Config, auth: AuthConfig, user: str, database: str) -> tuple[str, ...]:
    """The lakes that a client of ``database`` may use, who has logged in as ``user``: those that the database
    names for all of its clients, and those to which this user may log in.

    With ``passthrough`` a server proves who its clients are, to itself: they are nobody's on a lake.
    """
    configured = config.databases.get(database) or config.databases.get("*")
    named = set() if configured is None else set(configured.lakes)
    return tuple(name for name in lakes_of(config) if name in named or _admits(auth, user, name))


def _admits(auth: AuthConfig, user: str, lake: str) -> bool:
    if auth.method == "trust":
        return True
    # a user without a list of databases may log in to all of them
    known = auth.users.get(user)
    if auth.method == "passthrough" or known is None:
        return False
    return not known.databases or lake in known.databases


class Searches(LentProcesses):
    """The proxy's ``Augmenter``. A process makes one search and ends: nothing that was read for one role is
    there when another asks.
    """

    name = "lake search"
    keeps = False
    preloaded = PRELOADED

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._auth = auth_config(config.auth)

    def reload(self, config: Config) -> None:
        """Raises ConfigError."""
        self._auth = auth_config(config.auth)
        super().reload(config)

    @property
    def bounds(self) -> Bounds:
        limits = self._config.limits
        # as many as their memory allows; one user leaves a quarter of them to the others
        processes = max(1, limits.lake_total_memory // limits.lake_memory)
        hint = "[limits] lake_total_memory, lake_memory"
        return Bounds(
            processes,
            max(1, processes * 3 // 4),
            limits.lake_timeout,
            SqlError("53400", "too many searches of this user are being made", hint=hint),
            SqlError("53300", "too many searches are being made", hint=hint),
            SqlError("57014", "canceling statement due to the time limit for statements on a lake"),
        )

    def main(self) -> Callable[[Setup, socket.socket], None]:
        from rewright.processes.lake_searcher import main

        return main

    def started(self, pid: int | None) -> None:
        log.info("lake.search_started", pid=pid)

    def failed(self) -> SqlError:
        return SqlError("58000", "the process that made the search ended unexpectedly")

    def begin(self, text: str, session: SessionView, user: str, lent: Lent) -> Conversation:
        """Raises SqlError: 42501, no lake is open to this user; or not now."""
        lakes = open_lakes(self._config, self._auth, user, session.database)
        if not lakes:
            raise SqlError(
                "42501",
                f'no lake is open to user "{user}" of database "{session.database}"',
                hint="[databases.x] lakes names lakes for all clients of a database.",
            )

        def request() -> object:
            from rewright.processes.lake_searcher import Search

            return Search(text, session.database, session.role, lakes, session.settings.model)

        return self.converse((session.database, session.role or user), request, _told, lent)


def _told(outcome: object) -> Told:
    """Raises SqlError."""
    from rewright.processes.framed import Failed
    from rewright.processes.lake_searcher import Searched

    match outcome:
        case Failed(sqlstate, message, hint):
            raise SqlError(sqlstate, message, hint=hint)
        case Searched(columns, rows, notices, explained):
            return Told(LocalRows(columns, rows, "EXPLAIN" if explained else "", notices))
    raise SqlError("XX000", "the process that made the search gave no answer")
