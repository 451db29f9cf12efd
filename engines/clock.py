"""Time as it would have passed on an idle machine: time in which a thread was ready to run and got no
processor does not count.

Owns the clock of deadlines. A search that may take two seconds gets two seconds of work, even where ten
others want the processor. Time that it spends waiting for a server or a lock counts in full, less the time
for which a server's process on this machine had to wait for a processor (`following`). Linux says how long a
thread was runnable without running (`/proc/*/schedstat`); elsewhere this is the plain monotonic clock. Must
not know what is timed.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_OWN = "/proc/thread-self/schedstat"
# a deadline is put off by this factor at most: a machine that gives us nothing must not keep a search going
# for ever
MOST = 8.0
# seconds after which processes that are followed are looked at again
_GLANCE = 0.005
# seconds of work after which the share of the processor that a thread gets is found out anew
_WINDOW = 0.1


class _Figures:
    """What the kernel says of one thread; zeros where it says nothing."""

    def __init__(self, path: str) -> None:
        try:
            self.file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self.file = -1
        self.waited = self.read()[1]

    def __del__(self) -> None:
        if self.file >= 0:
            os.close(self.file)

    def read(self) -> tuple[float, float]:
        """Seconds that the thread ran, and that it was ready to run and did not."""
        if self.file < 0:
            return 0.0, 0.0
        try:
            ran, waited, *_ = os.pread(self.file, 64, 0).split()
            return int(ran) / 1e9, int(waited) / 1e9
        except (OSError, ValueError):
            return 0.0, 0.0

    def lost(self) -> float:
        """Seconds that it waited since this was asked last."""
        before, self.waited = self.waited, self.read()[1]
        return max(self.waited - before, 0.0)


class _Thread:
    """One thread's clock. It is read by its own thread only."""

    def __init__(self) -> None:
        self.wall = self.value = self.glance = time.monotonic()
        self.own = _Figures(_OWN)
        self.window = self.own.read()
        self.followed: list[_Figures] = []
        self.share = 1.0
        self.discounted = 0.0
        self.on_the_wall = 0

    def now(self) -> float:
        wall = time.monotonic()
        if self.followed and wall - self.glance > _GLANCE:
            self.glance_at_others(wall)
        passed, lost = max(wall - self.wall, 0.0), self.own.lost() + self.discounted
        if self.on_the_wall:
            lost = 0.0
        # it never runs backwards, and never slower than allowed
        self.value += max(passed - lost, passed / MOST)
        self.wall, self.discounted = wall, 0.0
        return self.value

    def glance_at_others(self, wall: float) -> None:
        self.glance = wall
        self.discounted += sum(one.lost() for one in self.followed)

    def slowdown(self) -> float:
        ran, waited = self.own.read()
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
    """Of the time since the last look, this thread waited ``seconds`` for others who
    waited for a processor.
    """
    _clocks.mine.discounted += max(seconds, 0.0)


def stretched(seconds: float) -> float:
    """How long ``seconds`` of this thread's work take on the wall at the share of the processor that it gets
    lately.
    """
    mine = _clocks.mine
    return seconds if mine.on_the_wall else seconds * mine.slowdown()


@contextmanager
def following(pid: int) -> Iterator[None]:
    """Inside, what a process of this machine is kept waiting for a processor does not count either: this
    thread waits for it.
    """
    mine = _clocks.mine
    mine.now()
    mine.followed.append(_Figures(f"/proc/{pid}/schedstat"))
    try:
        yield
    finally:
        mine.glance_at_others(time.monotonic())
        mine.now()
        mine.followed.pop()


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
