"""SIGHUP for everything reloadable: the table is whole, and what it says of keys is
so in a proxy that runs.
"""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rewright.config.model import Config
from rewright.config.reloading import all_keys, moment_of
from rewright.config.showing import effective
from rewright.engines.postgres.scratch import ScratchServer
from tests.rewright.serving import Running, connect, wait


def test_every_key_has_its_moment() -> None:
    found = {f"{section}.{key}": moment for section, key, moment in all_keys()}
    for key, _, _ in effective(Config()):
        section, _, name = key.partition(".")
        told = found["defaults.all"] if section == "defaults" else found[key]
        assert moment_of(key) == told
        assert name
    assert moment_of("databases.app.defaults.mode") == found["defaults.all"]
    assert moment_of("databases.a.b.dsn") == "new connections"
    with pytest.raises(KeyError):
        moment_of("nothing.here")


def write(home: Path, server: ScratchServer, listen: str, *more: str) -> None:
    upstream = server.dsn().rsplit("/", 1)[0]
    given: dict[str, list[str]] = {
        "listen": [f'address = "{listen}"', "workers = 2"],
        "http": ['address = "127.0.0.1:0"'],
        "store": [f'url = "{home / "store.db"}"'],
        "serve": [f'run_dir = "{home / "run"}"'],
        'databases."*"': [f'dsn = "{upstream}"'],
    }
    for one in more:
        section, _, line = one.partition(": ")
        given.setdefault(section, []).append(line.replace("UPSTREAM", upstream))
    text = "".join(
        f"[{section}]\n" + "".join(f"{line}\n" for line in lines) for section, lines in given.items()
    )
    (home / "rewright.toml").write_text(text)


@pytest.mark.server
@pytest.mark.timeout(280)
def test_what_counts_when(scratch_server: ScratchServer, tmp_path: Path) -> None:
    write(tmp_path, scratch_server, "127.0.0.1:0")
    running = Running(["--config", str(tmp_path / "rewright.toml")], {})

    def reload(*more: str) -> None:
        before = "".join(running.said).count("config.reloaded")
        write(tmp_path, scratch_server, "127.0.0.1:0", *more)
        running.process.send_signal(signal.SIGHUP)
        wait(lambda: "".join(running.said).count("config.reloaded") >= before + 2)

    def one(session: psycopg.Connection[Any], text: str) -> object:
        row = session.execute(text.encode()).fetchone()
        assert row is not None
        return row[0]

    try:
        with connect(running, scratch_server, "postgres") as old:
            assert one(old, "show rewright.mode") == "apply"
            # new connections
            reload("defaults: mode = 'observe'", "limits: max_user_connections = 2")
            assert one(old, "show rewright.mode") == "apply"
            with connect(running, scratch_server, "postgres") as new:
                assert one(new, "show rewright.mode") == "observe"
                with pytest.raises(psycopg.OperationalError, match="too many connections for role"):
                    connect(running, scratch_server, "postgres")
            # at once
            reload("admins: roles = ['somebody']", "log: format = 'json'")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                old.execute("call rewright.pause()")
            wait(lambda: any('"event": "config.reloaded"' in line for line in running.said))
            reload("limits: idle_timeout = '1s'")
            wait(lambda: _is_over(old))
            # an optimiser where there was none
            assert "optimiser" not in running.get("/healthz")
            reload('databases."*": optimiser_dsn = "UPSTREAM"')
            wait(lambda: '"optimiser"' in running.get("/healthz"))
            wait(lambda: "optimiser_jobs_received_total 0.0" in running.get("/metrics"))
    finally:
        assert running.stop() == 0


def _is_over(session: psycopg.Connection[Any]) -> bool:
    """Without a word of the client's, which would make it busy."""
    with contextlib.suppress(psycopg.OperationalError):
        session.pgconn.consume_input()
    return session.pgconn.status != psycopg.pq.ConnStatus.OK
