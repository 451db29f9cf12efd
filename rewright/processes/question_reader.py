"""One process that reads questions, one at a time, until it is told to end or is killed.

Owns the process's side of the conversation. What it asks of a database goes through the client's session,
which is lent to it over a Unix socket, so it holds no rights of its own; what reading costs (memory, time,
Python's lock) is this process's. Must not know sessions.
docs/decisions/0392-questions-are-read-through-the-clients-session.md.
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psycopg

from rewright.ask.execution import Limits
from rewright.ask.sessions import Asked, Before, Learned, Session, Wanted
from rewright.ask.sources.postgres import KnownDatabases, PostgresSource
from rewright.ask.sources.state import state_of
from rewright.processes.framed import Failed, receive, send
from rewright.wiring.asking_adapters import StoreQuestionLog, assistance_of, state_with
from rewright.wiring.lake_questions import LakeSources
from rewright.wiring.lent_process import Setup, lent_session
from rewright.wiring.stores import reach_configured

_NICENESS = 5
"""Behind the relay for the processor."""


@dataclass(frozen=True, slots=True)
class Read:
    """One question. ``database``: as the client named it; ``is_lake``: it is a lake's, and no session is
    lent.

    ``role``: who asks, for lakes; ``model``: whether a model may be asked.
    """

    wanted: Wanted
    database: str
    role: str
    application_name: str
    client_address: str
    is_lake: bool
    model: bool
    before: Before


def main(setup: Setup, requests: socket.socket) -> None:
    """The process's main function."""
    with suppress(OSError):
        os.nice(_NICENESS)
    reader = _Reader(setup)
    with suppress(OSError):
        while (request := receive(requests)) is not None:
            assert isinstance(request, Read)
            send(requests, reader.answer(request))


class _Reader:
    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._config = setup.config
        self._known = KnownDatabases()
        self._store = reach_configured(setup.config)
        self._lakes = LakeSources(setup.config)
        ask = setup.config.ask
        self._limits = Limits(seconds=ask.run_timeout or 1e6, rows=ask.rows, cost=ask.cost)

    def answer(self, request: Read) -> Asked | Learned | Failed:
        """Never raises: whatever goes wrong is in the answer."""
        try:
            if request.is_lake:
                return self._on_lake(request)
            with lent_session(self._setup) as connection:
                return self._on_postgres(request, connection)
        except psycopg.Error as error:
            said = error.diag.message_primary or str(error).strip() or type(error).__name__
            return Failed(error.sqlstate or "58000", said)
        except MemoryError:
            return Failed("53200", "out of memory")
        except Exception as error:  # noqa: BLE001 - told to the worker
            # errors of ours are meant for the client; of others only the class is told
            state = getattr(error, "sqlstate", "") or "XX000"
            told = str(error) if state != "XX000" else f"internal error: {type(error).__name__}"
            return Failed(state, told, getattr(error, "hint", ""))

    def _on_postgres(self, request: Read, connection: psycopg.Connection[Any]) -> Asked | Learned:
        state = state_of(connection)
        made: list[PostgresSource] = []

        def source() -> PostgresSource:
            # made when it is first needed: a remembered answer needs no catalog
            if not made:
                made.append(
                    PostgresSource(connection, self._limits, self._known, state, name=request.database)
                )
            return made[0]

        return self._session(request, source, state.key(), state.role)

    def _on_lake(self, request: Read) -> Asked | Learned:
        lake = self._lakes.of(request.database)
        return self._session(request, lambda: lake, lake.state, request.role)

    def _session(self, request: Read, source: Any, state: str, role: str) -> Asked | Learned:
        # what a question's reading may cost is told per role: so are its lessons
        assistance = assistance_of(self._config, self._store, role) if request.model else None
        log = StoreQuestionLog(
            self._store,
            request.database,
            role,
            request.application_name,
            request.client_address,
            self._config.ask.remember,
        )
        session = Session(
            source,
            state_with(state, request.database, self._config, assistance),
            role,
            log,
            self._config.ask.confidence,
            assistance,
        )
        if request.wanted.learn:
            return session.learn(request.before)
        return session.ask(request.wanted, request.before)
