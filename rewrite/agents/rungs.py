"""How long candidates may run for the first time, and in which order.

Owns the growing limits of first runs and whose turn comes first where there is not the time for all. Must not
know the original, nor how anything is run.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.rewrite.model import Candidate

SLACK = 0.05
"""Seconds that a candidate may take beyond the best so far before it is stopped."""
_BEYOND_BEST = 1.5
# limits of first runs as shares of the original's time, where it takes this many seconds or more, or where
# there is not the time for all candidates: what is not far faster should cost little until the rest have had
# a chance, and short queries can do without
_RUNGS = (1 / 16, 1 / 4, 1.0)
_LONG = 4.0


def beside(best: float, limit: float) -> float:
    """How long a candidate may run beside one that took ``best``, in seconds."""
    return min(limit, _BEYOND_BEST * best + SLACK)


def ladder(limit: float, *, scarce: bool) -> list[float]:
    """Growing limits that end with ``limit``. None is so short that the noise of a busy machine decides;
    ``scarce``: there is no time to run every candidate up to the limit.
    """
    if limit < _LONG and not scarce:
        return [limit]
    return sorted({min(max(limit * share, SLACK), limit) for share in _RUNGS})


def shortened(limit: float) -> bool:
    """Whether the first of growing limits is the share of ``limit`` that it should be: below that, noise
    makes it longer, and runs up to it save little.
    """
    return limit * _RUNGS[0] >= SLACK


def varied(candidates: Sequence[Candidate]) -> list[Candidate]:
    """First what computes the fewest subqueries for each row, whatever its estimate. After that, always the
    one that shares least with any before it: what came by the same rules tends to take the same time, with a
    step more or less too.
    """
    first = sorted(candidates, key=lambda c: c.lookups)
    left = [(frozenset(step.name for step in c.steps), c) for c in first]
    nearest = [0.0] * len(left)
    placed: list[Candidate] = []
    while left:
        at = nearest.index(min(nearest))
        kind, candidate = left.pop(at)
        nearest.pop(at)
        placed.append(candidate)
        nearest = [max(near, _shared(kind, other)) for near, (other, _) in zip(nearest, left, strict=True)]
    return placed


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of rules that two candidates came by both."""
    return len(one & other) / len(one | other) if one | other else 1.0
