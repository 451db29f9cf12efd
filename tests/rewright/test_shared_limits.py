"""Limits of connections over the workers of one proxy, as clients meet them."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from tests.rewright.serving import Running, children, connect, wait

pytestmark = [pytest.mark.server, pytest.mark.timeout(280)]
LIMIT = 5


def alive(session: psycopg.Connection[Any]) -> bool:
    try:
        session.execute("select 1")
    except psycopg.Error:
        return False
    return True


def fill(running: Running, server: ScratchServer, sessions: list[psycopg.Connection[Any]]) -> None:
    """Until nobody else is let in, which must be so at every worker."""
    refused = 0
    while refused < 12:
        try:
            sessions.append(connect(running, server, "postgres"))
        except psycopg.OperationalError as error:
            if 'too many connections for role "postgres"' not in str(error):
                raise
            refused += 1


def test_as_many_as_it_says(scratch_server: ScratchServer, tmp_path: Path) -> None:
    upstream = scratch_server.dsn().rsplit("/", 1)[0]
    kept = ["--store", str(tmp_path / "store.db")]
    running = Running(
        ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--upstream", upstream, "--workers", "3", *kept],
        {
            "REWRIGHT_SERVE__RUN_DIR": str(tmp_path / "run"),
            "REWRIGHT_LIMITS__MAX_USER_CONNECTIONS": str(LIMIT),
        },
    )
    sessions: list[psycopg.Connection[Any]] = []
    try:
        fill(running, scratch_server, sessions)
        assert len(sessions) == LIMIT
        os.kill(children(running.process.pid)[0], signal.SIGKILL)
        wait(lambda: len(children(running.process.pid)) == 3)
        sessions = [session for session in sessions if alive(session)]
        fill(running, scratch_server, sessions)
        assert len(sessions) == LIMIT
        sessions.pop().close()
        wait(lambda: _gets_in(running, scratch_server, sessions))
        assert all(map(alive, sessions))
    finally:
        for session in sessions:
            session.close()
        running.stop()


def _gets_in(running: Running, server: ScratchServer, sessions: list[psycopg.Connection[Any]]) -> bool:
    try:
        sessions.append(connect(running, server, "postgres"))
    except psycopg.OperationalError:
        return False
    return True
