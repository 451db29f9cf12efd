"""Ctrl-C while children still load: they never see it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from rewright import interrupts


def _child(pipe: Connection) -> None:
    blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set())
    os.kill(os.getpid(), signal.SIGINT)
    interrupts.ignore()
    os.kill(os.getpid(), signal.SIGINT)
    pipe.send((blocked, signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set())))


def test_an_interrupt_is_for_the_parent_alone() -> None:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_child, args=(theirs,))
    with interrupts.held_back():
        process.start()
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())
    assert ours.poll(60)
    assert ours.recv() == (True, False)
    process.join(60)
    assert process.exitcode == 0


ENDED = """
import os, signal, sys, tempfile
from rewright import interrupts
interrupts.end_quietly()
made = tempfile.mkdtemp

def interrupted(*arguments, **options):
    folder = made(*arguments, **options)
    print(folder, flush=True)
    os.kill(os.getpid(), getattr(signal, sys.argv[1]))
    return folder

tempfile.mkdtemp = interrupted
with interrupts.temporary_directory("rewright-test-"):
    print("not reached")
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_folder_that_is_being_made_is_removed(tmp_path: Path, number: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDED, number], env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip().startswith(str(tmp_path))
    assert "not reached" not in done.stdout
    assert list(tmp_path.iterdir()) == []
