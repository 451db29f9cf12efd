"""A primary and its hot standby behind one dsn: who gets which, and what happens when the standby is
promoted.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from rewright.engines.postgres.scratch import free_port
from rewright.proxy.config import Limits
from tests.proxy.debian import DebianServer, programs
from tests.proxy.openssl import Authority
from tests.proxy.running import RunningProxy, config
from tests.proxy.waiting import Stopwatch, until

pytestmark = [pytest.mark.server, pytest.mark.timeout(280)]
HBA = "local all all trust\nlocal replication all trust\nhost all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n"


@dataclass(slots=True)
class Standby:
    """A copy of a primary that follows it."""

    primary: DebianServer
    home: Path
    port: int
    server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        account = self.primary._account
        copy = [programs() / "pg_basebackup", "-D", self.home / "data", "-R", "-X", "stream", "-c", "fast"]
        source = ["-h", str(self.primary.home), "-p", str(self.primary.port), "-U", "postgres"]
        subprocess.run([*copy, *source], check=True, capture_output=True, cwd=self.home, **account)
        options = {"port": self.port, "unix_socket_directories": self.home, "listen_addresses": "127.0.0.1"}
        command = [str(programs() / "postgres"), "-D", str(self.home / "data")]
        command += [f"--{name}={value}" for name, value in options.items()]
        with (self.home / "log").open("wb") as log:
            self.server = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.home, **account)
        until(lambda: kind(self.port) == "standby")

    def stop(self) -> None:
        if self.server is not None:
            self.server.terminate()
            self.server.wait(20)


def kind(port: int, host: str = "127.0.0.1") -> str:
    try:
        with psycopg.connect(
            host=host, port=port, user="postgres", dbname="postgres", connect_timeout=5
        ) as connection:
            row = connection.execute("select pg_is_in_recovery()").fetchone()
    except psycopg.OperationalError:
        return "gone"
    assert row is not None
    return "standby" if row[0] else "primary"


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[DebianServer, Standby]]:
    pair = Authority(tmp_path / "tls").issue("server", "/CN=localhost", server=True)
    primary = DebianServer(pair.certificate, pair.key, hba=HBA, settings={"wal_level": "replica"})
    with primary:
        home = primary.home / "standby"
        home.mkdir()
        if primary._account:
            shutil.chown(home, "postgres", "postgres")
        standby = Standby(primary, home, free_port())
        try:
            standby.start()
            yield primary, standby
        finally:
            standby.stop()


def dsn(*ports: int, wanted: str) -> str:
    hosts, numbers = ",".join(["127.0.0.1"] * len(ports)), ",".join(map(str, ports))
    return f"host={hosts} port={numbers} user=postgres dbname=postgres target_session_attrs={wanted}"


def test_who_gets_which_and_a_promotion(servers: tuple[DebianServer, Standby]) -> None:
    primary, standby = servers
    both, wrong_way = (primary.port, standby.port), (standby.port, primary.port)
    limits = Limits(connect_timeout=5)
    for wanted, expected in (
        ("any", "standby"),  # the first that answers
        ("read-write", "primary"),
        ("read-only", "standby"),
        ("primary", "primary"),
        ("standby", "standby"),
        ("prefer-standby", "standby"),
    ):
        for ports in (both, wrong_way):
            if wanted == "any" and ports is both:
                continue
            with RunningProxy(config(dsn(*ports, wanted=wanted), limits=limits)) as proxy:
                assert (wanted, kind(proxy.port)) == (wanted, expected)
    with RunningProxy(config(dsn(primary.port, wanted="prefer-standby"), limits=limits)) as proxy:
        assert kind(proxy.port) == "primary"
    with (
        RunningProxy(config(dsn(*both, wanted="primary"), limits=limits)) as writing,
        RunningProxy(config(dsn(*both, wanted="standby"), limits=limits)) as reading,
    ):
        assert kind(writing.port) == "primary"
        assert primary._server is not None
        primary._server.send_signal(3)  # at once, as a crash
        primary._server.wait(20)
        until(lambda: kind(writing.port) == "gone")
        assert kind(reading.port) == "standby"
        with psycopg.connect(
            host=str(standby.home), port=standby.port, user="postgres", autocommit=True
        ) as direct:
            direct.execute("select pg_promote()")
        with Stopwatch() as watch:
            until(lambda: kind(writing.port) == "primary")
        assert watch.seconds < 20  # two seconds by the clock of the proxy
        with psycopg.connect(
            host="127.0.0.1", port=writing.port, user="postgres", dbname="postgres"
        ) as session:
            session.execute("create table after (n integer)")
        until(lambda: kind(reading.port) == "gone")  # there is no standby any more
