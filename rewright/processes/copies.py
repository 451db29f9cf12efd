"""Children as copies of a process that has loaded what they share: a start costs once what each would cost.

Owns what is loaded before copying. Must not know what the children do. docs/decisions/0410.
"""

from __future__ import annotations

import multiprocessing
from multiprocessing import forkserver
from typing import Any

from rewright import interrupts
from rewright.proxy.private_directory import has_temporary_directory

# nothing that starts threads, which a copy would not have
PRELOADED = ("rewright.processes.worker", "uvloop")


def begin() -> None:
    """Start loading, in a process of its own, while this one does something else. Does nothing where there is
    no place for that process's socket.
    """
    if has_temporary_directory():
        context()
        with interrupts.held_back():
            forkserver.ensure_running()


def context() -> Any:
    """What children are started with; they are copies once a temporary directory is there for it."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(list(PRELOADED))
    return found
