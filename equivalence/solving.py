"""One thread at a time with the solver, in a process that has several.

z3 keeps one context for all, which is not for concurrent use: two proofs at once end the process. Its objects go back to it when
Python frees them, and a collection of cycles frees them in whatever thread it happens to run; so none runs while the
solver is in use. Owns that lock. Must not know what is solved.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.RLock()


class Busy(Exception):
    """Another thread had the solver all the time."""


@contextmanager
def solver_alone(seconds: float) -> Iterator[None]:
    """The solver for this thread; may be entered again inside. Raises Busy after waiting ``seconds``.

    Whatever holds objects of the solver must be dropped inside.
    """
    if not _LOCK.acquire(timeout=max(seconds, 0.0)):
        raise Busy
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
        _LOCK.release()
