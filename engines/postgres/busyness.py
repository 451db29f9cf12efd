"""How much slower a server is now than when it is idle, and what a run would have taken then.

Two ways, the better one where it is there. On this machine the kernel says how long a backend was ready to
run and had no processor: that part of a run's time is not the query's. Anywhere else a constant piece of work
of ours (`Session.yardstick`) is timed beside the runs, and compared with the quickest that this process has
seen of the server: all that is asked of it is SQL, and what it can't see (waiting for disks) it leaves in.
Owns these two figures. Must not know what is run, nor why.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rewright.engines.clock import MOST
from rewright.engines.postgres.session import Run, Session

# seconds for which a look at the server is good
_FRESH = 2.0
# below this factor a server is idle: runs of the same work differ that much
_NOISE = 1.3

# the quickest yardstick seen of each server, by host and port
_quickest: dict[tuple[str, int], float] = {}


@dataclass(slots=True)
class Busyness:
    """Of the server of one session; as that, not for several threads."""

    session: Session
    clock: Callable[[], float] = time.monotonic
    _factor: float = 1.0
    _looked: float = field(default=float("-inf"))

    def factor(self) -> float:
        """How many times as long as on an idle server a run takes; between 1 and
        `MOST`. Raises SessionError.
        """
        if self.clock() - self._looked > _FRESH:
            self._factor = self._look()
            self._looked = self.clock()
        return self._factor

    def _look(self) -> float:
        run = self.session.yardstick()
        info = self.session.connection.info
        server = (info.host, info.port)
        alone = run.duration if run.waited is None else max(run.duration - run.waited, 1e-6)
        _quickest[server] = min(_quickest.get(server, alone), alone)
        factor = run.duration / max(_quickest[server], 1e-6)
        return 1.0 if factor < _NOISE else min(factor, MOST)

    def kept_waiting(self, run: Run) -> float:
        """Seconds of a run's duration in which the server was busy with others, as
        far as that can be known.
        """
        if run.waited is not None:
            return min(run.waited, run.duration * (1.0 - 1.0 / MOST))
        return run.duration * (1.0 - 1.0 / self._factor)
