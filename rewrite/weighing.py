"""What decides between two candidates that both gain: how near two times are, and whose evidence is stronger.

Verification, Decision and the machine ask the same here, so that what one of them holds to be as good as
another is not lost in the next. Must not know agents or how anything was run.
"""

from __future__ import annotations

from rewright.rewrite.model import TRUST, Evidence, Weighed

# times the fastest: nearer than that, the stronger evidence decides
_ABOUT = 1.15
# the share of what the fastest saves that is nearly all of it
_NEARLY_ALL = 0.95
# seconds that a busy machine may put on top of a run, or a session's first plan
TICK = 0.01


def about_as_fast(one: float, fastest: float, before: float | None) -> bool:
    """Whether ``one`` is within a small share of the fastest, slower by no more than a busy machine may add,
    or saves nearly all that the fastest saves. In seconds; ``before``: of the original, None where unknown.
    """
    if one <= _ABOUT * fastest or one - fastest <= TICK:
        return True
    return before is not None and before - one >= _NEARLY_ALL * (before - fastest)


def as_good(one: Weighed, best: Weighed) -> bool:
    """The same of two that were weighed, by their runs or, where there are none of both, by estimates."""
    seconds = one.seconds_after, best.seconds_after
    if one.measured and best.measured and seconds[0] is not None and seconds[1] is not None:
        return about_as_fast(seconds[0], seconds[1], best.seconds_before)
    ratios = (1.0 if w.ratio is None else w.ratio for w in (one, best))
    share, least = ratios
    return share <= _ABOUT * least or 1.0 - share >= _NEARLY_ALL * (1.0 - least)


def standing(evidence: Evidence, accepted: frozenset[str] = frozenset()) -> tuple[int, bool, int]:
    """Less is stronger: the level that the evidence counts as; a proof, whatever it leaves open, before a
    test; and how many reservations are not among the ``accepted``.
    """
    level = evidence.counts_as(accepted)
    place = TRUST.index(level) if level in TRUST else len(TRUST)
    return place, evidence.level != "proved", len(evidence.reserved(accepted))
