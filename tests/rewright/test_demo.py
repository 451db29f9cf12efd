"""The demo's tour, as a newcomer runs it: it shows what it promises, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.proxy.waiting import until

TREE = Path(__file__).resolve().parents[2]
# what runs of a user share
SHARED = ("rewright-postgres-", "rewright-clusters-")


@pytest.mark.long
@pytest.mark.server
@pytest.mark.timeout(290)
def test_the_tour() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from rewright.cli import main; main()", "demo", "--once"],
        env={**os.environ, "PYTHONPATH": str(TREE)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"psql 'postgresql://demo:demo@127\.0\.0\.1:\d+/tpch'", done.stdout)
    assert len(set(re.findall(r"avg_yearly = ([\d,.]+)", done.stdout))) == 1
    faster = re.search(r"([\d,]+) times faster", done.stdout)
    assert faster is not None
    assert int(faster[1].replace(",", "")) >= 2
    assert "rewritten" in done.stdout
    # with its values, or with places for them where there was time to show that it holds for others, too
    assert re.search(r"^ {5}(SELECT|WITH) ", done.stdout, re.MULTILINE)
    assert "⟦" not in done.stdout
    assert "Traceback" not in done.stderr
    assert "resource_tracker" not in done.stderr, "something is left behind"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Where a server under another account gets in, too."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o711)
        yield Path(made)


@pytest.mark.sampled(3)
@pytest.mark.server
@pytest.mark.parametrize(
    ("moment", "number"),
    [
        ("starting PostgreSQL", signal.SIGINT),
        ("psql ", signal.SIGTERM),
        ("1. A slow query", signal.SIGTERM),
        ("1. A slow query", signal.SIGINT),
    ],
)
def test_it_ends_quietly_at_any_moment(open_folder: Path, moment: str, number: signal.Signals) -> None:
    """A signal to all of it, as a terminal sends one: nothing is said, and no process and no folder is left."""
    demo = subprocess.Popen(
        [sys.executable, "-c", "from rewright.cli import main; main()", "demo", "--once"],
        env={**os.environ, "PYTHONPATH": str(TREE), "PYTHONUNBUFFERED": "1", "TMPDIR": str(open_folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert demo.stdout is not None
    for line in demo.stdout:
        if moment in line:
            break
    os.killpg(demo.pid, number)
    _, said = demo.communicate(timeout=120)
    assert demo.returncode == 0, said
    assert said == ""
    until(lambda: not processes_of(demo.pid))
    # what all runs share stays: the server's programs, for an account that may run them, and an empty cluster
    left = [one.name for one in open_folder.iterdir() if one.is_dir()]
    assert [name for name in left if not name.startswith(SHARED)] == []


def processes_of(session: int) -> list[str]:
    """What still runs of a session and of its folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            stat = (process / "stat").read_text().rpartition(")")[2].split()
            if stat[0] != "Z" and int(stat[3]) == session:
                found.append((process / "cmdline").read_text())
    return found
