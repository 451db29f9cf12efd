"""Debian's PostgreSQL with TLS, for what the embedded server can't do. Missing: a loud failure that names the
script.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psycopg

from rewright.engines.postgres.scratch import free_port

# names the directory of another server's programs (tests/conformance/versions.py)
PROGRAMS = "REWRIGHT_POSTGRES"


def programs() -> Path:
    """The newest installed server's directory."""
    if given := os.environ.get(PROGRAMS):
        return Path(given)
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda p: float(p.parts[4]))
    if not found:
        raise RuntimeError("Debian's PostgreSQL server is missing: run tests/install_system.sh")
    return found[-1].parent


PASSWORDS = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"


class DebianServer:
    """A throw-away cluster with ``ssl = on`` and one role, ``tester`` with the password ``secret``.

    ``hba``: who may log in how; ``settings`` are added to the server's.
    """

    def __init__(
        self, certificate: Path, key: Path, *, hba: str = PASSWORDS, settings: Mapping[str, str] | None = None
    ) -> None:
        self.hba = hba
        self.settings = dict(settings or {})
        self.home = Path(tempfile.mkdtemp(prefix="rewright-debian-"))
        self.port = free_port()
        self._account: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        for source, name in ((certificate, "cert.pem"), (key, "key.pem")):
            shutil.copy(source, self.home / name)
            (self.home / name).chmod(0o600)
        if self._account:
            for path in (self.home, *self.home.iterdir()):
                shutil.chown(path, "postgres", "postgres")
        self._server: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _start(self) -> None:
        binaries, data = programs(), self.home / "data"
        subprocess.run(
            [binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-N"],
            check=True,
            capture_output=True,
            cwd=self.home,
            **self._account,
        )
        (data / "pg_hba.conf").write_text(self.hba)
        options = {
            "port": self.port,
            "unix_socket_directories": self.home,
            "listen_addresses": "127.0.0.1",
            "ssl": "on",
            "ssl_cert_file": self.home / "cert.pem",
            "ssl_key_file": self.home / "key.pem",
            "fsync": "off",
            **self.settings,
        }
        command = [str(binaries / "postgres"), "-D", str(data), *(f"--{k}={v}" for k, v in options.items())]
        with (self.home / "log").open("wb") as log:
            self._server = subprocess.Popen(command, stderr=log, stdout=log, cwd=self.home, **self._account)
        for _ in range(200):
            try:
                with psycopg.connect(
                    host=str(self.home), port=self.port, user="postgres", dbname="postgres", autocommit=True
                ) as connection:
                    connection.execute("create role tester login password 'secret'")
                return
            except psycopg.OperationalError:
                time.sleep(0.1)
        raise RuntimeError((self.home / "log").read_text())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.terminate()
            self._server.wait(20)
        shutil.rmtree(self.home, ignore_errors=True)
