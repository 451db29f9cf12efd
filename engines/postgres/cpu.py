"""CPU time that a server on this machine spends, from the kernel's accounting.

Owns /proc/PID/schedstat (nanoseconds; /proc/PID/stat only has ticks of 10 ms). A backend alone is not
the whole cost: its parallel workers and the server's I/O workers work for it. Must not know queries.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psycopg

from rewright.engines import clock

PROC = Path("/proc")


def cpu_seconds(pid: int, *, proc: Path = PROC) -> float | None:
    """Seconds on a CPU since the process began, all its threads; None when it can't be known."""
    return _scheduled(pid, 0, proc)


def waited_seconds(pid: int, *, proc: Path = PROC) -> float | None:
    """Seconds that the process was ready to run and had no CPU; None when it can't be known."""
    return _scheduled(pid, 1, proc)


def _scheduled(pid: int, figure: int, proc: Path) -> float | None:
    total = 0
    try:
        for task in (proc / str(pid) / "task").iterdir():
            total += int((task / "schedstat").read_text().split()[figure])
    except (OSError, ValueError, IndexError):
        return None
    return total / 1e9


def children_of(pid: int, *, proc: Path = PROC) -> Iterable[int]:
    """Processes whose parent is ``pid``, where the kernel says so."""
    try:
        text = (proc / str(pid) / "task" / str(pid) / "children").read_text()
    except OSError:
        return ()
    return tuple(int(word) for word in text.split())


def postmaster_of(backend: int, *, proc: Path = PROC) -> int | None:
    """The parent of a backend; None when the backend is not on this machine."""
    try:
        stat = (proc / str(backend) / "stat").read_text()
        return int(stat.rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None


def is_ours(backend: int, *, proc: Path = PROC) -> bool:
    """Whether ``backend`` is a PostgreSQL process of this machine (a remote one's
    number may be taken here).
    """
    try:
        return (proc / str(backend) / "comm").read_text().strip() in {"postgres", "postmaster"}
    except OSError:
        return False


def waited_for(connection: psycopg.Connection[Any]) -> AbstractContextManager[None]:
    """Inside, this thread's clock leaves out what the connection's backend is kept waiting, if it is on this
    machine.
    """
    pid = connection.info.backend_pid
    return clock.following(pid) if is_ours(pid) else nullcontext()


class Meter:
    """Adds up what a backend and its helpers use while a ``with`` block runs, in ``seconds``; ``waited``: how
    long the backend itself was ready to run and had no CPU meanwhile.

    Helpers are the backend's parallel workers, looked at every ``interval`` seconds (what they do after
    the last look is missed), and the server's I/O workers (PostgreSQL 18), which serve all backends: on a
    busy server their share is too high. ``seconds`` is None when the backend's CPU can't be seen from here
    (another machine, no permission).

    ``stop`` is called once, from another thread, after ``limit`` seconds in which the backend was not kept
    waiting for a processor: the server's own clock would stop a statement earlier the busier it is.
    """

    def __init__(
        self,
        backend: int,
        *,
        interval: float = 0.003,
        proc: Path = PROC,
        limit: float | None = None,
        stop: Callable[[], None] | None = None,
    ) -> None:
        self.seconds: float | None = None
        self.waited: float | None = None
        self._backend = backend
        self._interval = interval
        self._proc = proc
        self._parent = postmaster_of(backend, proc=proc) if is_ours(backend, proc=proc) else None
        self._kinds: dict[int, bool] = {}
        self._first: dict[int, float] = {}
        self._waited: float | None = None
        self._last: dict[int, float] = {}
        self._limit, self._at_limit = limit, stop
        self._began = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="cpu-meter", daemon=True)

    def __enter__(self) -> Self:
        if self._parent is not None:
            self._look()
            # helpers that are there already (I/O workers) count from here, later ones from their birth
            self._first = dict(self._last)
            self._waited = waited_seconds(self._backend, proc=self._proc)
            self._began = time.perf_counter()
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._parent is None:
            return
        self._stop.set()
        self._thread.join()
        self._look()
        if self._backend in self._first:
            used = sum(seconds - self._first.get(pid, 0.0) for pid, seconds in self._last.items())
            self.seconds = max(used, 0.0)
            waited = waited_seconds(self._backend, proc=self._proc)
            if waited is not None and self._waited is not None:
                self.waited = max(waited - self._waited, 0.0)

    def _watch(self) -> None:
        while not self._stop.wait(self._interval):
            self._look()
            if self._at_limit is not None and self._beyond():
                self._at_limit()
                self._at_limit = None

    def _beyond(self) -> bool:
        """Whether the backend had its time."""
        passed = time.perf_counter() - self._began
        # asked of the kernel only where it may be so
        if self._limit is None or passed < self._limit:
            return False
        now = waited_seconds(self._backend, proc=self._proc)
        waited = 0.0 if now is None or self._waited is None else now - self._waited
        return passed - waited >= self._limit

    def _look(self) -> None:
        assert self._parent is not None
        for pid in children_of(self._parent, proc=self._proc):
            if self._counts(pid):
                used = cpu_seconds(pid, proc=self._proc)
                if used is not None:
                    self._last[pid] = used

    def _counts(self, pid: int) -> bool:
        """Whether a child of the postmaster works for the backend, by the title the server gives it."""
        if pid == self._backend:
            return True
        known = self._kinds.get(pid)
        if known is None:
            try:
                command = (self._proc / str(pid) / "cmdline").read_bytes()
            except OSError:
                return False
            title = command.decode(errors="replace").replace("\0", " ") + " "
            known = "io worker" in title or f"parallel worker for PID {self._backend} " in title
            # a process just born has no title of its own yet
            if known or title.startswith("postgres: "):
                self._kinds[pid] = known
        return known
