"""An online restart, and a supervisor that dies: sessions go on, and clients are let in by the next one."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.processes.notifying import notify
from rewright.processes.takeover import TakeoverFailed, offered, take
from tests.proxy.waiting import cancelled
from tests.rewright.serving import MAIN, TREE, Running, children, connect, runs, wait

pytestmark = pytest.mark.long


@contextlib.contextmanager
def offering(run_dir: str) -> Iterator[tuple[socket.socket, threading.Event]]:
    left = threading.Event()
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        offered(run_dir, lambda: ([listener], None), left.set),
    ):
        yield listener, left


def test_sockets_are_handed_over(tmp_path: Path) -> None:
    run_dir = str(tmp_path / "run")
    with offering(run_dir) as (listener, left):
        # one that does not come up changes nothing
        abandoned = take(run_dir, [1, os.getpid()])
        abandoned.conversation.close()
        taken = take(run_dir, [os.getpid()])
        assert taken.http is None
        assert [one.getsockname() for one in taken.clients] == [listener.getsockname()]
        assert not left.is_set()
        taken.finish()
        assert left.wait(10)
        with pytest.raises(TakeoverFailed):
            take(run_dir, [os.getpid()])
        for one in (*abandoned.clients, *taken.clients):
            one.close()
    with pytest.raises(TakeoverFailed, match="no running proxy"):
        take(run_dir, [])


def test_systemd_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notify("READY=1")  # without systemd
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(tmp_path / "notify"))
        heard.settimeout(10)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        notify("READY=1")
        assert heard.recv(100) == b"READY=1"
    notify("STOPPING=1")  # nobody listens any more


def start(
    server: ScratchServer, tmp_path: Path, listen: str = "127.0.0.1:0", http: str = "127.0.0.1:0", *more: str
) -> Running:
    upstream = server.dsn().rsplit("/", 1)[0]
    arguments = ["--listen", listen, "--http", http, "--upstream", upstream, "--workers", "2"]
    arguments += ["--store", str(tmp_path / "store.db"), *more]
    return Running(arguments, {"REWRIGHT_SERVE__RUN_DIR": str(tmp_path / "run")})


def backend(connection: psycopg.Connection) -> tuple[object, ...] | None:
    return connection.execute("select pg_backend_pid()").fetchone()


@pytest.mark.server
@pytest.mark.timeout(280)
def test_an_online_restart(scratch_server: ScratchServer, tmp_path: Path) -> None:
    old = start(scratch_server, tmp_path)
    refused: list[Exception] = []
    over = threading.Event()

    def keep_connecting() -> None:
        while not over.is_set():
            try:
                connect(old, scratch_server, "postgres").close()
            except psycopg.Error as error:
                refused.append(error)

    try:
        with connect(old, scratch_server, "postgres") as session:
            began = backend(session)
            crowd = threading.Thread(target=keep_connecting)
            crowd.start()
            addresses = f"127.0.0.1:{old.port}", f"127.0.0.1:{old.http}"
            new = start(scratch_server, tmp_path, *addresses, "--takeover")
            try:
                assert (new.port, new.http) == (old.port, old.http)
                wait(lambda: "serving.retiring" in "".join(old.said))
                with connect(new, scratch_server, "postgres") as other:
                    wait(lambda: f'"pid":{new.process.pid}' in new.get("/healthz").replace(" ", ""))
                    over.set()
                    crowd.join()
                    assert not refused
                    # the session of before is still the same, and can be cancelled through the new process
                    assert backend(session) == began
                    with cancelled(session), pytest.raises(psycopg.errors.QueryCanceled):
                        session.execute("select pg_sleep(60)")
                    assert old.process.poll() is None
                    session.close()
                    assert old.ended() == 0, "".join(old.said)
                    assert backend(other) is not None
            finally:
                over.set()
                assert new.stop() == 0
    finally:
        over.set()
        old.stop()
    assert "Traceback" not in "".join(old.said + new.said)


@pytest.mark.server
@pytest.mark.timeout(280)
def test_sessions_survive_a_killed_supervisor(scratch_server: ScratchServer, tmp_path: Path) -> None:
    old = start(scratch_server, tmp_path)
    try:
        pids = children(old.process.pid)
        with connect(old, scratch_server, "postgres") as session:
            began = backend(session)
            old.process.send_signal(signal.SIGKILL)
            old.process.wait(20)
            # the worker without a session ends; the port is free for the next one
            wait(lambda: sum(map(runs, pids)) == 1)
            new = start(scratch_server, tmp_path, f"127.0.0.1:{old.port}")
            try:
                with connect(new, scratch_server, "postgres") as other:
                    assert backend(other) not in {None, began}
                assert backend(session) == began
            finally:
                assert new.stop() == 0
            assert backend(session) == began
        wait(lambda: not any(map(runs, pids)))
    finally:
        old.stop()


@pytest.mark.server
def test_nobody_to_take_over_from(scratch_server: ScratchServer, tmp_path: Path) -> None:
    upstream = scratch_server.dsn().rsplit("/", 1)[0]
    arguments = ["serve", "--takeover", "--listen", "127.0.0.1:1", "--upstream", upstream, "--http", ""]
    environment = {**os.environ, "PYTHONPATH": str(TREE), "REWRIGHT_SERVE__RUN_DIR": str(tmp_path / "run")}
    done = subprocess.run(
        [*MAIN, *arguments, "--store", str(tmp_path / "s.db")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "cannot take over 127.0.0.1:1: no running proxy listens at this address" in done.stderr
