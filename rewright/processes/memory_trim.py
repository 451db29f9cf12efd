"""Giving memory back between jobs: an optimiser lives for weeks, and each job's memory is needed for seconds.

Owns the moment. Must not be called while somebody waits for an answer: it takes a tenth of a second.
"""

from __future__ import annotations

import ctypes
import gc
from functools import cache
from typing import Any


def tidy() -> None:
    """Forget the prover's shapes of a job's terms, collect cycles, and return free pages to the system."""
    from rewright.equivalence.prover.shapes import shape
    from rewright.equivalence.solving import Busy, solver_alone

    try:
        # a collection gives the solver's objects back: never beside another thread's proof, whose own job
        # tidies after it
        with solver_alone(0.0):
            shape.cache_clear()
            gc.collect()
    except Busy:
        return
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Any:
    """What glibc has for it; None elsewhere."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
