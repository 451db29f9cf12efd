"""Ctrl-C goes to a whole group of processes; the one that started the others alone decides what it means.

Owns how children never see it: it is blocked while they are started, which they inherit, and ignored before
they load anything. Otherwise one that comes while they still import would end them with a traceback on the
terminal.
"""

from __future__ import annotations

import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import NoReturn


@contextmanager
def held_back() -> Iterator[None]:
    """SIGINT waits, for this thread and for what it starts meanwhile."""
    # starting it, which the first child does otherwise, unblocks SIGINT
    resource_tracker.ensure_running()
    # blocked, not ignored: what is started inherits it, and it is delivered afterwards
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore() -> None:
    """To be called first in a child's main thread. What it starts itself ignores SIGINT as well, and has it
    unblocked.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def temporary_directory(prefix: str) -> tempfile.TemporaryDirectory[str]:
    """A signal that ends this process comes before the folder is made, or when something is there that
    removes it.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        return tempfile.TemporaryDirectory(prefix=prefix)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_quietly() -> None:
    """From now on SIGTERM and Ctrl-C end this process with exit code 0 by way of every ``finally``, which a
    second one does not disturb.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)


def _end(_number: int, _frame: object) -> NoReturn:
    for number in (signal.SIGTERM, signal.SIGINT):
        # a second signal must not interrupt the clean-up
        signal.signal(number, signal.SIG_IGN)
    sys.exit(0)
