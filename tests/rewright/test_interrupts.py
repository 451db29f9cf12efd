"""Ctrl-C while children still load: they never see it."""

from __future__ import annotations

import multiprocessing
import os
import signal
from multiprocessing.connection import Connection

from rewright.processes import interrupts


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
