"""A new cluster for a scratch server: initdb, roles with passwords, a port.

Must not know the server's life.
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from rewright.engines.postgres.installation import Installation, ServerUnavailable

SUPERUSER = "postgres"
UNPRIVILEGED = "scratch"
# the low bound keeps clear of well-known services
# Linux gives 32768 and above to connections that go out, other systems 49152 and above
_LOWEST_PORT, _OUTGOING_PORTS = 15_000, 32_768
# then the system chooses
_TRIES = 20


def creating(
    connection: psycopg.Connection[Any], name: str, owner: str, template: str, rest: str = ""
) -> sql.Composed:
    """CREATE DATABASE for a server whose data may vanish.

    Its files are copied, where PostgreSQL 15 and later would rather write each page to the log, at four times
    the work. A server that matters must not be asked this: it takes two checkpoints.
    """
    copied = "strategy file_copy" if connection.info.server_version >= 150000 else ""
    return sql.SQL("create database {} owner {} template {} " + copied + " " + rest).format(
        sql.Identifier(name), sql.Identifier(owner), sql.Identifier(template)
    )


def initialise(data: Path, installation: Installation) -> None:
    """initdb: UTF8, and a collation that is the same on every machine (builtin C.UTF-8)."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    installation.give(data)
    account = installation.account
    command = [str(installation.program("initdb")), "-D", str(data), "-U", SUPERUSER]
    # built-in C.UTF-8 (PostgreSQL 17): order by code points, without a library whose version could change it
    command += ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    # trust by the socket, whose directory only this account may enter
    command += ["--auth-local=trust", "--auth-host=scram-sha-256"]
    # small segments: an empty cluster takes a quarter of the space
    command += ["--no-sync", "--no-instructions", "--wal-segsize=4"]
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=data,
        user=account.uid if account else None,
        # without extra_groups the root's groups would stay
        group=account.gid if account else None,
        extra_groups=[] if account else None,
    )
    if done.returncode != 0:
        raise ServerUnavailable(f"initdb failed: {done.stderr.strip()[-2000:]}")


def set_up_roles(socket_dir: Path, port: int, passwords: Mapping[str, str]) -> None:
    """New passwords for both roles, through the socket that only we can enter."""
    with psycopg.connect(
        host=str(socket_dir), port=port, user=SUPERUSER, dbname="postgres", autocommit=True
    ) as connection:
        found = connection.execute("select 1 from pg_roles where rolname = %s", [UNPRIVILEGED]).fetchone()
        if found is None:
            connection.execute(sql.SQL("create role {} login").format(sql.Identifier(UNPRIVILEGED)))
        # PostgreSQL's own default of 4096 iterations protects bad passwords; these are random
        connection.execute("set scram_iterations = 64")
        for role, password in passwords.items():
            connection.execute(
                sql.SQL("alter role {} password {}").format(sql.Identifier(role), sql.Literal(password))
            )


def free_port() -> int:
    """A loopback port nobody listens on at the moment. It is below those that systems give to outgoing
    connections: one of these could have it before it is listened on.
    """
    for _ in range(_TRIES):
        port = _LOWEST_PORT + secrets.randbelow(_OUTGOING_PORTS - _LOWEST_PORT)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    # all tries taken: a port that the system gives, though it might be reused
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
