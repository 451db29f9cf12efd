"""Scratch servers: they start, keep strangers out, and go away even when we are killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from rewright.engines.postgres.installation import ServerUnavailable
from rewright.engines.postgres.scratch import ScratchServer, free_port

pytestmark = pytest.mark.server


def _alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


def _postmaster(home: Path) -> int:
    return int((home / "data" / "postmaster.pid").read_text().splitlines()[0])


def test_both_roles_over_both_ways(scratch_server: ScratchServer, database: str) -> None:
    for unix in (False, True):
        with psycopg.connect(scratch_server.dsn(database, unix=unix)) as connection:
            assert connection.execute("select current_setting('is_superuser')").fetchone() == ("on",)
        with psycopg.connect(scratch_server.unprivileged_dsn(database, unix=unix)) as connection:
            assert connection.execute("select current_setting('is_superuser')").fetchone() == ("off",)
            connection.execute("create table public.t (a int primary key)")
            connection.rollback()


def test_without_its_password_nobody_gets_in(scratch_server: ScratchServer) -> None:
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(host="127.0.0.1", port=scratch_server.port, user="postgres", password="wrong")


def test_the_unprivileged_role_cannot_read_files(scratch_server: ScratchServer, database: str) -> None:
    with (
        psycopg.connect(scratch_server.unprivileged_dsn(database)) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("select pg_read_file('/etc/passwd')")


def test_stop_leaves_nothing() -> None:
    server = ScratchServer()
    server.start()
    home = server.address.socket_dir
    pid = _postmaster(home)
    assert _alive(pid)
    server.stop()
    server.stop()
    assert not _alive(pid)
    assert not home.exists()
    with pytest.raises(ServerUnavailable):
        server.dsn()


def test_a_signal_while_its_folder_is_made_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = os.mkdir

    def made_then_interrupted(path: str | Path, mode: int = 0o777) -> None:
        make(path, mode)
        if Path(path).parent == tmp_path:
            raise KeyboardInterrupt

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(os, "mkdir", made_then_interrupted)
    with pytest.raises(KeyboardInterrupt):
        ScratchServer().start()
    assert list(tmp_path.iterdir()) == []


def test_a_setting_the_server_refuses_is_reported() -> None:
    with pytest.raises(ServerUnavailable, match="no_such_setting"), ScratchServer({"no_such_setting": "1"}):
        pass


def test_data_may_be_kept(tmp_path_factory: pytest.TempPathFactory) -> None:
    # not below tmp_path: the server's account cannot enter it when we are root
    import shutil
    import tempfile

    kept = Path(tempfile.mkdtemp(prefix="rewright-kept-"))
    kept.chmod(0o711)
    try:
        with ScratchServer(directory=kept / "data") as server, psycopg.connect(server.dsn()) as connection:
            connection.execute("create table kept (a int)")
        with ScratchServer(directory=kept / "data") as server, psycopg.connect(server.dsn()) as connection:
            assert connection.execute("select count(*) from kept").fetchone() == (0,)
    finally:
        shutil.rmtree(kept)


# a process started in the background of a shell inherits an ignored SIGINT
CHILD = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from rewright.engines.postgres.scratch import ScratchServer, free_port
server = ScratchServer()
server.start()
print(server.address.socket_dir, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_server_dies_with_its_owner(how: signal.Signals) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert child.stdout is not None
    home = Path(child.stdout.readline().strip())
    pid = _postmaster(home)
    os.kill(child.pid, how)
    child.wait(timeout=30)
    child.stdout.close()
    deadline = time.monotonic() + 20
    while (_alive(pid) or home.exists()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _alive(pid)
    assert not home.exists()


def test_a_port_that_no_connection_is_given_before_it_is_listened_on() -> None:
    found = {free_port() for _ in range(50)}
    assert len(found) > 40
    assert all(port < 32_768 for port in found)
    taken = min(found)
    with socket.create_server(("127.0.0.1", taken)), pytest.MonkeyPatch.context() as patch:
        patch.setattr("rewright.engines.postgres.scratch.secrets.randbelow", lambda _: taken - 15_000)
        assert free_port() != taken
