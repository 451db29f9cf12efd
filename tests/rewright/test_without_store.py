"""`rewright serve` whose store is not there, is damaged, or is full; and whose worker is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.store.api import open_store
from tests.proxy.waiting import Stopwatch
from tests.rewright.serving import MAIN, TREE, Running, children, connect, wait

pytestmark = [pytest.mark.server, pytest.mark.timeout(280), pytest.mark.long]


def started(server: ScratchServer, store: Path, tmp_path: Path) -> Running:
    upstream = server.dsn().rsplit("/", 1)[0]
    listen = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"]
    return Running([*listen, "--store", str(store), "--upstream", upstream], surroundings(tmp_path))


def surroundings(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home"), "REWRIGHT_SERVE__RUN_DIR": str(tmp_path / "run")}


def rewright(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(TREE), **surroundings(tmp_path)}
    return subprocess.run(
        [*MAIN, *arguments], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def passes(running: Running, server: ScratchServer) -> bool:
    with connect(running, server, "postgres") as connection:
        return connection.execute("select 40 + 2").fetchone() == (42,)


@pytest.fixture
def blocked(scratch_server: ScratchServer, tmp_path: Path) -> Iterator[tuple[Running, Path]]:
    """Its store's directory can't be made, whoever it runs as: a file stands there."""
    (tmp_path / "state").write_text("in the way")
    store = tmp_path / "state" / "store.db"
    running = started(scratch_server, store, tmp_path)
    yield running, store
    running.stop()


def test_traffic_passes_and_pausing_works(
    blocked: tuple[Running, Path], scratch_server: ScratchServer, tmp_path: Path
) -> None:
    running, store = blocked
    assert passes(running, scratch_server)
    assert "store.unavailable" in "".join(running.said)
    health = json.loads(running.get("/healthz"))
    assert "cannot open the store" in health["store"]
    wait(lambda: 'rewright_store_up{worker="0"} 0.0' in running.get("/metrics"))

    paused = rewright(tmp_path, "pause", "--store", str(store))
    assert (paused.returncode, "there is no store" in paused.stderr) == (0, True), repr(paused.stderr)
    assert f"process {running.process.pid}" in paused.stdout
    wait(lambda: 'rewright_paused{worker="0"} 1.0' in running.get("/metrics"))
    doctor = rewright(tmp_path, "doctor", "--config", "/dev/null")
    assert doctor.returncode in {0, 1}
    with connect(running, scratch_server, "postgres") as connection:
        connection.execute("call rewright.resume()")
        wait(lambda: 'rewright_paused{worker="0"} 0.0' in running.get("/metrics"))
        running.process.send_signal(signal.SIGUSR1)
        wait(lambda: 'rewright_paused{worker="0"} 1.0' in running.get("/metrics"))
        # also for a worker that is started again, which listens at once
        (worker,) = children(running.process.pid)
        os.kill(worker, signal.SIGKILL)
        with Stopwatch() as watch:
            assert passes(running, scratch_server)
        assert watch.seconds < 5
        wait(lambda: children(running.process.pid) not in ([], [worker]))
        wait(lambda: 'rewright_paused{worker="0"} 1.0' in running.get("/metrics"))
        running.process.send_signal(signal.SIGUSR2)
        wait(lambda: 'rewright_paused{worker="0"} 0.0' in running.get("/metrics"))

    # the store comes back
    store.parent.unlink()
    wait(lambda: "store.opened" in "".join(running.said))
    wait(lambda: 'rewright_store_up{worker="0"} 1.0' in running.get("/metrics"))
    with connect(running, scratch_server, "postgres") as connection:
        assert connection.execute("select count(*) from rewright.rewrites").fetchone() == (0,)
    assert passes(running, scratch_server)


def test_a_damaged_store_is_set_aside(scratch_server: ScratchServer, tmp_path: Path) -> None:
    store = tmp_path / "state" / "store.db"
    open_store(str(store)).close()
    noise = store.read_bytes()[:100] + os.urandom(50_000)
    store.write_bytes(noise)
    running = started(scratch_server, store, tmp_path)
    try:
        assert passes(running, scratch_server)
        wait(lambda: 'rewright_store_up{worker="0"} 1.0' in running.get("/metrics"))
        assert "store.set_aside" in "".join(running.said)
        (kept,) = store.parent.glob("store.db.damaged-*")
        assert kept.read_bytes() == noise
    finally:
        running.stop()


def test_a_store_that_may_not_grow(scratch_server: ScratchServer, tmp_path: Path) -> None:
    """As on a full disk: every write to it fails."""
    store = tmp_path / "full"
    store.symlink_to("/dev/full")
    running = started(scratch_server, store, tmp_path)
    try:
        assert passes(running, scratch_server)
        assert rewright(tmp_path, "pause", "--store", str(store)).returncode == 0
        wait(lambda: 'rewright_paused{worker="0"} 1.0' in running.get("/metrics"))
    finally:
        running.stop()


def test_a_pause_outlives_a_restart(scratch_server: ScratchServer, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    store = tmp_path / "state" / "store.db"
    assert rewright(tmp_path, "pause", "--store", str(store)).returncode == 1  # nobody runs
    running = started(scratch_server, store, tmp_path)
    try:
        wait(lambda: 'rewright_paused{worker="0"} 1.0' in running.get("/metrics"))
        assert passes(running, scratch_server)
    finally:
        assert running.stop() == 0


def test_a_store_that_is_down_holds_up_nobody(scratch_server: ScratchServer, tmp_path: Path) -> None:
    upstream = scratch_server.dsn().rsplit("/", 1)[0]
    listen = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--upstream", upstream]
    # nobody answers at this address
    running = Running([*listen, "--store", "postgresql://x@127.0.0.1:1/x"], surroundings(tmp_path))
    try:
        assert passes(running, scratch_server)
        with (
            pytest.raises(psycopg.errors.IoError),
            connect(running, scratch_server, "postgres") as connection,
        ):
            connection.execute("select * from rewright.log")
    finally:
        running.stop()
