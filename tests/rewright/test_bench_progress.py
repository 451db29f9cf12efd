"""Benchmarks show how far they are on a terminal, and only there; what they print is not mixed with it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
CODE = """
from bench.bars import bar, say
for number in bar(range(3), "queries"):
    say("result", number)
"""
OUTPUT = b"result 0\nresult 1\nresult 2\n"


@pytest.mark.parametrize("terminal", [True, False])
def test_a_bar_is_for_terminals(terminal: bool) -> None:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    try:
        stderr = theirs if terminal else subprocess.PIPE
        done = subprocess.run(
            [sys.executable, "-c", CODE], cwd=TREE, stdout=subprocess.PIPE, stderr=stderr, check=True
        )
        assert done.stdout == OUTPUT
        if terminal:
            assert b"queries" in os.read(ours, 10_000)
        else:
            assert done.stderr == b""
    finally:
        os.close(ours)
        os.close(theirs)
