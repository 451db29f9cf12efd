"""One thread at a time with the solver, in a process that has several.

z3 keeps one context for all, which is not for concurrent use: two proofs at once end the process. Its objects
go back to it when Python frees them, and a collection of cycles frees them in whatever thread it happens to
run; so none runs while the solver is in use. A thread in a hurry goes first: others let go of the solver and
come back to it. Owns that lock. Must not know what is solved.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rewright.engines import clock

_LOCK = threading.RLock()
_HURRIED: ContextVar[bool] = ContextVar("hurried", default=False)
_PAUSE_SECONDS = 0.005


class _Waiting:
    """How many threads in a hurry wait for the solver."""

    def __init__(self) -> None:
        self.number = 0
        self.lock = threading.Lock()

    def change(self, by: int) -> None:
        with self.lock:
            self.number += by


_WAITING = _Waiting()


class Busy(Exception):
    """Another thread had the solver all the time."""


@contextmanager
def solver_alone(seconds: float) -> Iterator[None]:
    """The solver for this thread; may be entered again inside. Raises Busy after waiting ``seconds``.

    Whatever holds objects of the solver must be dropped inside.
    """
    hurried = _HURRIED.get()
    if hurried:
        _WAITING.change(1)
    try:
        if not _LOCK.acquire(timeout=max(seconds, 0.0)):
            raise Busy
    finally:
        if hurried:
            _WAITING.change(-1)
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
        _LOCK.release()


@contextmanager
def in_a_hurry() -> Iterator[None]:
    """Work for which somebody waits: this thread gets the solver before others, and its deadlines are the
    wall's.
    """
    token = _HURRIED.set(True)
    try:
        with clock.on_the_wall():
            yield
    finally:
        _HURRIED.reset(token)


def must_let_go() -> bool:
    """Whether another thread in a hurry waits for the solver, and this one is in none."""
    return _WAITING.number > 0 and not _HURRIED.get()


def let_others_go_first(deadline: float) -> None:
    """Wait, at most until ``deadline`` (`rewright.engines.clock`), while this thread would have to let go of
    the solver.
    """
    while must_let_go() and clock.now() < deadline:
        time.sleep(_PAUSE_SECONDS)
