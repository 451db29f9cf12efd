"""A PostgreSQL server that belongs to us and goes away.

Owns starting and stopping the embedded server, its passwords, and creating databases in it. The
data lie in a private directory under the temporary directory, never in a home directory. Must not
know what is done in the databases.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

import psycopg
from psycopg import sql

from rewright.engines.postgres import locales, watchdog
from rewright.engines.postgres.cluster import (
    SUPERUSER,
    UNPRIVILEGED,
    creating,
    free_port,
    initialise,
    set_up_roles,
)
from rewright.engines.postgres.clusters import new_cluster
from rewright.engines.postgres.installation import Installation, ServerUnavailable, find_installation

__all__ = ["SUPERUSER", "THROW_AWAY", "UNPRIVILEGED", "Address", "ScratchServer", "free_port"]

# a start takes a tenth of a second, on an overloaded machine many seconds
START_SECONDS = 30.0

# Durability is bought with time, and what is in here may vanish at any moment.
THROW_AWAY: Mapping[str, str] = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    # sync: no I/O workers, which would cost processes for each server
    "io_method": "sync",
    "shared_buffers": "32MB",
    "max_connections": "60",
    # jit compiles for longer than statements on small scratch data run
    "jit": "off",
    # autovacuum would change statistics, and with them plans, at times of its own
    "autovacuum": "off",
}


@dataclass(frozen=True, slots=True)
class Address:
    """How one server is reached: a port on the loopback, or a Unix socket that only we can enter."""

    port: int
    socket_dir: Path
    passwords: Mapping[str, str]

    def uri(self, user: str, database: str, *, unix: bool) -> str:
        who = f"{quote(user)}:{self.passwords[user]}"
        name = quote(database, safe="")
        if unix:
            return f"postgresql://{who}@/{name}?host={quote(str(self.socket_dir), safe='')}&port={self.port}"
        return f"postgresql://{who}@127.0.0.1:{self.port}/{name}"


class ScratchServer:
    """An embedded PostgreSQL in a directory of its own, for the length of a ``with`` block.

    ``settings`` are added to (and win over) those of a throw-away server; with ``listen_addresses`` empty it
    is reached through its Unix socket alone. ``memory``: bytes that each of its processes may have for itself
    (0: any number; Linux). ``directory``: keep the data there across runs instead of throwing them away. The
    server ends when the block ends, when this process ends and when it is killed. Raises ServerUnavailable
    when none can be started.

    Over TCP every role needs its password (which the URIs contain); nobody else on the machine can
    log in. Roles: ``postgres`` (superuser) and ``scratch`` (login only, owner of the databases
    that ``create_database`` makes).
    """

    def __init__(
        self, settings: Mapping[str, str] | None = None, *, directory: Path | None = None, memory: int = 0
    ) -> None:
        self._settings = dict(THROW_AWAY) | dict(settings or {})
        self._keep = directory
        self._memory = memory
        self._home: Path | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        self._address: Address | None = None
        self._names = itertools.count(1)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # -- addresses

    @property
    def address(self) -> Address:
        if self._address is None:
            raise ServerUnavailable("the scratch server is not running")
        return self._address

    @property
    def port(self) -> int:
        return self.address.port

    def dsn(self, database: str = "postgres", *, unix: bool = False) -> str:
        """A URI for the superuser; over the loopback, or the Unix socket (a little faster)."""
        return self.address.uri(SUPERUSER, database, unix=unix)

    def unprivileged_dsn(self, database: str = "postgres", *, unix: bool = False) -> str:
        """A URI for a role that may only log in (and owns the databases made here)."""
        return self.address.uri(UNPRIVILEGED, database, unix=unix)

    def create_database(
        self, name: str | None = None, *, template: str = "template0", locale: str = ""
    ) -> str:
        """A new, empty database owned by the unprivileged role; its name is returned.

        ``locale``: one of `locales.LINGUISTIC`, or empty for the order of code points.
        """
        # the number of the process keeps names apart where several share a kept directory
        name = name or f"scratch_{os.getpid()}_{next(self._names)}"
        with psycopg.connect(self.dsn(unix=True), autocommit=True) as connection:
            connection.execute(creating(connection, name, UNPRIVILEGED, template, locale))
        return name

    def drop_database(self, name: str) -> None:
        """Drop it, whoever is still connected."""
        with psycopg.connect(self.dsn(unix=True), autocommit=True) as connection:
            connection.execute(
                # force ends sessions (PostgreSQL 13)
                sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))
            )

    # -- life

    def start(self) -> None:
        installation = find_installation()
        # named before it is made: a signal between the two that ends this process finds what to remove
        self._home = Path(tempfile.gettempdir()) / f"rewright-pg-{secrets.token_hex(8)}"
        try:
            self._home.mkdir(mode=0o700)
            self._start_in(self._home, installation)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server and remove its data; safe to call twice."""
        guard, self._guard = self._guard, None
        if guard is not None:
            # the watchdog stops the server once the pipe closes
            assert guard.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                guard.stdin.close()
            try:
                guard.wait(timeout=20)
            # 20 s: the watchdog itself tries three signals for 5 s each
            except subprocess.TimeoutExpired:
                guard.kill()
                guard.wait()
        if self._home is not None:
            shutil.rmtree(self._home, ignore_errors=True)
        self._home = None
        self._address = None

    def log_tail(self, size: int = 4000) -> str:
        """The end of the server's own log."""
        assert self._home is not None
        log = self._home / "log"
        return log.read_text(errors="replace")[-size:] if log.exists() else ""

    def _start_in(self, home: Path, installation: Installation) -> None:
        # the server's programs run as another account where we are root
        installation.give(home)
        data = self._keep or home / "data"
        if not (data / "PG_VERSION").exists():
            if self._keep:
                initialise(data, installation)
            else:
                new_cluster(data, installation)
        locales.compile_locale(home / "locale")
        _open_to_owner(home / "locale", installation)
        # a port that was free may be taken before the server listens: five tries
        for _ in range(5):
            port = free_port()
            self._launch(home, data, port, installation)
            if self._wait_until_ready(home):
                break
        else:
            raise ServerUnavailable(f"the scratch server does not start: {self.log_tail()}")
        passwords = {SUPERUSER: secrets.token_hex(16), UNPRIVILEGED: secrets.token_hex(16)}
        set_up_roles(home, port, passwords)
        self._address = Address(port, home, passwords)

    def _launch(self, home: Path, data: Path, port: int, installation: Installation) -> None:
        settings = (
            {"listen_addresses": "127.0.0.1"}
            | self._settings
            | {
                "port": str(port),
                "unix_socket_directories": str(home),
                "unix_socket_permissions": "0700",
            }
        )
        options = [f"--{name}={value}" for name, value in settings.items()]
        account = installation.account
        owner = [str(account.uid), str(account.gid)] if account else ["-1", "-1"]
        mode = "kept" if self._keep else "throw-away"
        server = [str(installation.program("postgres")), "-D", str(data), *options]
        with (home / "log").open("ab") as log:
            # -I and -S: no site packages or PYTHON... variables, so it starts at once and as intended
            self._guard = subprocess.Popen(
                [
                    sys.executable,
                    "-I",
                    "-S",
                    watchdog.__file__,
                    str(home),
                    mode,
                    *owner,
                    str(self._memory),
                    *server,
                ],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                # a Ctrl-C at the terminal is for us; the server is stopped in order
                start_new_session=True,
                env=os.environ | {"LOCPATH": str(home / "locale")},
            )

    def _wait_until_ready(self, home: Path) -> bool:
        """False when the port was taken in the meantime; raises ServerUnavailable for all else."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            log = self.log_tail()
            # the address is in use, by the server's own words
            if "could not bind" in log or "could not create any TCP" in log:
                self._abandon(home)
                return False
            # any other FATAL ends the start
            if "FATAL" in log or (self._guard is not None and self._guard.poll() is not None):
                break
            if "ready to accept connections" in log:
                return True
            time.sleep(0.01)
        raise ServerUnavailable(f"the scratch server does not start: {self.log_tail()}")

    def _abandon(self, home: Path) -> None:
        assert self._guard is not None
        self._guard.kill()
        self._guard.wait()
        self._guard = None
        (home / "log").unlink(missing_ok=True)


def _open_to_owner(directory: Path, installation: Installation) -> None:
    for path in (directory, *directory.rglob("*")) if directory.exists() else ():
        installation.give(path)
