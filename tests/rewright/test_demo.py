"""The demo's tour, as a newcomer runs it: it shows what it promises, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]


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
    assert "Traceback" not in done.stderr
    assert "resource_tracker" not in done.stderr, "something is left behind"
