"""PgBouncer for tests: Debian's, on this machine only, started and stopped in a ``with``.

``REWRIGHT_PGBOUNCER`` names another program than the installed one, to try a newer version.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import psycopg

from rewright.engines.postgres.scratch import free_port
from tests.proxy.waiting import until

# max_prepared_statements came with it
PREPARES = (1, 21)
CONFIGURATION = """
[databases]
* = host=127.0.0.1 port={upstream} user={user} {secret} {database_options}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
auth_type = any
admin_users = postgres
pool_mode = {mode}
default_pool_size = {size}
unix_socket_dir =
logfile = {home}/log
server_login_retry = 1
{options}
"""


@dataclass(frozen=True)
class Bouncer:
    """A PgBouncer that is running."""

    port: int

    def dsn(self, database: str) -> str:
        return f"host=127.0.0.1 port={self.port} user=postgres dbname={database}"

    def command(self, text: str) -> list[tuple[Any, ...]]:
        """Run a command of the administration's console; its rows."""
        with psycopg.connect(self.dsn("pgbouncer"), autocommit=True) as connection:
            cursor = psycopg.ClientCursor(connection).execute(text)
            return cursor.fetchall() if cursor.description else []


@contextmanager
def running_bouncer(
    upstream: int,
    password: str,
    *,
    mode: str,
    user: str = "postgres",
    size: int = 3,
    database_options: str = "",
    **options: object,
) -> Iterator[Bouncer]:
    """Pools ``size`` connections of the server at the port ``upstream`` for each database, all of ``user``."""
    listen = free_port()
    with tempfile.TemporaryDirectory(prefix="rewright-bouncer-") as made:
        home = Path(made)
        home.chmod(0o777)  # PgBouncer refuses to be root, and pytest's own folders are closed to others
        file = home / "bouncer.ini"
        file.write_text(
            CONFIGURATION.format(
                upstream=upstream,
                user=user,
                # nothing behind the sign is a mistake to PgBouncer, found at the first login
                secret=f"password={password}" if password else "",
                listen=listen,
                mode=mode,
                size=size,
                home=home,
                database_options=database_options,
                options="\n".join(f"{name} = {value}" for name, value in options.items()),
            )
        )
        process = subprocess.Popen(
            [program(), "-q", str(file)],
            user="nobody" if os.geteuid() == 0 else None,
            stderr=subprocess.DEVNULL,
        )
        bouncer = Bouncer(listen)
        try:
            until(lambda: process.poll() is not None or _answers(bouncer))
            assert process.poll() is None, (
                (home / "log").read_text() if (home / "log").exists() else "it ended"
            )
            yield bouncer
        finally:
            process.terminate()
            process.wait(30)


def _answers(bouncer: Bouncer) -> bool:
    try:
        bouncer.command("show version")
    except psycopg.OperationalError:
        return False
    return True


def program() -> str:
    found = os.environ.get("REWRIGHT_PGBOUNCER") or shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")
    if found is None:
        raise RuntimeError("PgBouncer is missing: run tests/install_system.sh")
    return found


@cache
def version() -> tuple[int, int]:
    said = subprocess.run([program(), "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"PgBouncer (\d+)\.(\d+)", said)
    assert found is not None
    return int(found[1]), int(found[2])


def prepares() -> bool:
    """Whether this PgBouncer carries its clients' prepared statements from one connection to another."""
    return version() >= PREPARES
