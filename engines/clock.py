"""Time as it would have passed on an idle machine: what the kernel kept a thread waiting for a processor does not count.

Owns the clock of deadlines. A search that may take two seconds gets two seconds of work, also where ten others want the
processor; what it waits for of its own accord (a server, a lock) counts as it does on the wall. Linux tells how long a thread was
runnable without running (`/proc/thread-self/schedstat`); elsewhere this is the plain monotonic clock. Must not know what is timed.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_SCHEDSTAT = "/proc/thread-self/schedstat"
# a deadline is put off by this factor at most: a machine that gives us nothing must not keep a search going for ever
MOST = 8.0
# seconds of work after which the share of the processor that a thread gets is found out anew
_WINDOW = 0.1


class _Thread:
    """One thread's clock. It is read by its own thread only."""

    def __init__(self) -> None:
        try:
            self.file = os.open(_SCHEDSTAT, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self.file = -1
        self.wall = self.value = time.monotonic()
        self.ran, self.waited = self.window = self.figures()
        self.share = 1.0
        self.discounted = 0.0
        self.on_the_wall = 0

    def __del__(self) -> None:
        if self.file >= 0:
            os.close(self.file)

    def figures(self) -> tuple[float, float]:
        """Seconds that the thread ran, and that it waited to run; zeros where the kernel does not say."""
        if self.file < 0:
            return 0.0, 0.0
        try:
            ran, waited, *_ = os.pread(self.file, 64, 0).split()
            return int(ran) / 1e9, int(waited) / 1e9
        except (OSError, ValueError):
            return 0.0, 0.0

    def now(self) -> float:
        wall, (ran, waited) = time.monotonic(), self.figures()
        passed = max(wall - self.wall, 0.0)
        lost = 0.0 if self.on_the_wall else max(waited - self.waited + self.discounted, 0.0)
        # it never runs backwards, and never slower than allowed
        self.value += max(passed - lost, passed / MOST)
        self.wall, self.ran, self.waited, self.discounted = wall, ran, waited, 0.0
        return self.value

    def slowdown(self) -> float:
        ran, waited = self.figures()
        worked, kept = ran - self.window[0], waited - self.window[1]
        if worked >= _WINDOW:
            self.window, self.share = (ran, waited), worked / max(worked + kept, worked)
        return min(1.0 / self.share, MOST)


class _Clocks(threading.local):
    """The clock of each thread, made when it is first read."""

    def __init__(self) -> None:
        self.mine = _Thread()


_clocks = _Clocks()


def now() -> float:
    """Seconds on this thread's clock; only differences within one thread mean something."""
    return _clocks.mine.now()


def discount(seconds: float) -> None:
    """Of the time since the last look, this thread waited ``seconds`` for others who waited for a processor."""
    _clocks.mine.discounted += max(seconds, 0.0)


def stretched(seconds: float) -> float:
    """How long ``seconds`` of this thread's work take on the wall at the share of the processor that it gets lately."""
    mine = _clocks.mine
    return seconds if mine.on_the_wall else seconds * mine.slowdown()


@contextmanager
def on_the_wall() -> Iterator[None]:
    """Inside, this thread's clock is the wall's: somebody waits for what it does."""
    mine = _clocks.mine
    mine.now()
    mine.on_the_wall += 1
    try:
        yield
    finally:
        mine.now()
        mine.on_the_wall -= 1


def _after_fork() -> None:
    # the descriptor of the parent's thread tells of the parent
    _clocks.mine = _Thread()


os.register_at_fork(after_in_child=_after_fork)
