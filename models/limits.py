"""How many calls may be under way at once, and how many may start in a minute.

Owns the gate through which every call passes. Waiting is bounded by the caller's deadline. Must not know what
is called.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from rewright.models.api import ModelTimeout


@dataclass(slots=True)
class Gate:
    """``concurrency`` calls at once, ``per_minute`` starts in any 60 s (None: no limit)."""

    concurrency: int = 2
    per_minute: int | None = None
    clock: Callable[[], float] = time.monotonic
    _free: threading.Condition = field(default_factory=threading.Condition)
    _running: int = 0
    _starts: deque[float] = field(default_factory=deque)

    def enter(self, seconds: float) -> None:
        """Wait for a place, at most ``seconds``; raises `ModelTimeout`."""
        deadline = self.clock() + seconds
        with self._free:
            while (wait := self._wait()) > 0:
                left = deadline - self.clock()
                if left <= 0:
                    raise ModelTimeout("no free place among the calls under way before the deadline")
                self._free.wait(min(wait, left))
            self._running += 1
            self._starts.append(self.clock())

    def leave(self) -> None:
        """Give the place back; called when the call has really ended, also after its deadline."""
        with self._free:
            self._running -= 1
            self._free.notify_all()

    def _wait(self) -> float:
        """Seconds until another look is worth while; 0: go."""
        if self._running >= self.concurrency:
            return 1.0
        if self.per_minute is None:
            return 0.0
        now = self.clock()
        while self._starts and self._starts[0] <= now - 60:
            self._starts.popleft()
        return 0.0 if len(self._starts) < self.per_minute else max(0.001, self._starts[0] + 60 - now)
