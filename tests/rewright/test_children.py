"""A child has the environment of who starts it, whatever it is copied from, and what is said before logs are set up
is no part of a command's answer.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from multiprocessing import forkserver
from multiprocessing.connection import Connection

import pytest

from rewright.wiring.children import new_child


def tell_environment(pipe: Connection) -> None:
    pipe.send(dict(os.environ))


@pytest.mark.parametrize("kind", ["forkserver", "spawn"])
def test_a_child_has_the_environment_of_its_start(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWRIGHT_TOLD_BEFORE", "yes")
    context = multiprocessing.get_context(kind)
    if kind == "forkserver":
        forkserver.ensure_running()
    monkeypatch.delenv("REWRIGHT_TOLD_BEFORE")
    monkeypatch.setenv("REWRIGHT_TOLD_LATER", "yes")
    ours, theirs = context.Pipe()
    process = new_child(context, tell_environment, theirs, name="teller")
    process.start()
    assert ours.poll(60)
    assert ours.recv() == dict(os.environ)
    process.join(60)
    assert process.name == "teller"


def test_what_is_said_before_logs_are_set_up_is_for_stderr() -> None:
    program = "from rewright import logs; logs.logger().warning('said'); logs.logger().info('not said'); print('answer')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "answer\n"
    assert "said" in done.stderr
    assert "not said" not in done.stderr
