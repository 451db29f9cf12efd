"""Rewright in front of a pooler that gives each transaction another connection of the server.

What is prepared for one session is then met by another: names must never stand for two texts.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer, free_port
from rewright.proxy.ports import Ports, ServedStatement
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import (
    BY_ID,
    FROM_ORIGINAL,
    FROM_REPLACEMENT,
    ORIGINAL,
    SCHEMA,
    Reports,
    index_for,
)
from tests.proxy.waiting import until

pytestmark = pytest.mark.server
CONFIGURATION = """
[databases]
* = host=127.0.0.1 port={port} user=postgres password={password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
auth_type = any
pool_mode = transaction
default_pool_size = 3
unix_socket_dir =
logfile = {home}/log
ignore_startup_parameters = extra_float_digits
"""


@dataclass
class Pooled:
    """A proxy before PgBouncer before a database with rewrites."""

    dsn: str
    reports: Reports

    def served(self) -> int:
        return sum(isinstance(r, ServedStatement) and r.route == "replacement" for r in self.reports.all)


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder that PgBouncer reaches as nobody: it refuses to be root, and pytest's own folders are closed to others."""
    with tempfile.TemporaryDirectory(prefix="rewright-bouncer-") as made:
        Path(made).chmod(0o777)
        yield Path(made)


@pytest.fixture
def bouncer(scratch_server: ScratchServer, home: Path) -> Iterator[int]:
    listen = free_port()
    (home / "bouncer.ini").write_text(
        CONFIGURATION.format(
            port=scratch_server.port,
            password=scratch_server.address.passwords["postgres"],
            listen=listen,
            home=home,
        )
    )
    account: dict[str, Any] = {"user": "nobody"} if os.geteuid() == 0 else {}
    process = subprocess.Popen([_program(), "-q", str(home / "bouncer.ini")], **account)

    def answers() -> bool:
        try:
            psycopg.connect(f"host=127.0.0.1 port={listen} user=postgres dbname=postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    try:
        until(answers)
        yield listen
    finally:
        process.terminate()
        process.wait(30)


def _program() -> Path:
    path = Path("/usr/sbin/pgbouncer")
    if not path.exists():
        raise RuntimeError("PgBouncer is missing: run tests/install_system.sh")
    return path


@pytest.fixture
def pooled(scratch_server: ScratchServer, database: str, bouncer: int) -> Iterator[Pooled]:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(SCHEMA)
    reports = Reports()
    ports = Ports(lookup=index_for(scratch_server.dsn(database), database), reporter=reports, settings=RULES)
    with RunningProxy(config(f"host=127.0.0.1 port={bouncer}"), ports) as proxy:
        yield Pooled(f"host=127.0.0.1 port={proxy.port} user=postgres dbname={database}", reports)
    assert not proxy.problems


def test_sessions_that_share_connections_get_their_own_answers(pooled: Pooled) -> None:
    wrong: list[object] = []

    def ask(number: int) -> None:
        with psycopg.connect(pooled.dsn, autocommit=True, prepare_threshold=None) as connection:
            for turn in range(25):
                key = 1 + (number + turn) % 9
                try:
                    one = psycopg.ClientCursor(connection).execute(ORIGINAL).fetchall()
                    other = psycopg.RawCursor(connection).execute(BY_ID, [key]).fetchall()
                    connection.execute("begin")
                    connection.execute("select 1")
                    connection.execute("commit")
                except psycopg.Error as error:
                    wrong.append((number, turn, error))
                    continue
                if one not in (FROM_ORIGINAL, FROM_REPLACEMENT):
                    wrong.append((number, turn, one))
                if other not in ([(key, key * 10)], [(key, 1_000_000 + key * 10)]):
                    wrong.append((number, turn, key, other))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong[:3]
    assert pooled.served()
