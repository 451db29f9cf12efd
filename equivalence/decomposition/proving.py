"""The one way in which a pair is proved, whoever asks: by the parts that differ, or as a whole.

Owns which of the two proofs is taken: the one that leaves less open. `Checker.check` and the rewriter's proofs of steps both ask here,
so that they prove the same pairs. Must not know servers, nor how a pair came about.
"""

from __future__ import annotations

from collections.abc import Callable

from rewright.engines import clock
from rewright.equivalence.decomposition.search import at_once, proved_by_parts
from rewright.equivalence.proving import Attempt, Binding, prove_both
from rewright.equivalence.verdicts import Proved
from rewright.sql.catalog import Catalog

# the share of the time that goes into proofs of parts; the rest is for the whole
_PARTS = 0.5
# how long the whole is looked at where the parts are proved with reservations
_BETTER_SECONDS = 0.5


def prove_pair(
    binding: Binding, catalog: Catalog, seconds: float, between: Callable[[], None] = at_once
) -> Attempt:
    """A proof of the pair within ``seconds``, or the reason why there is none; never raises for what is in the queries.

    ``between``: called before each single proof, where others may go first.
    """
    deadline = clock.now() + seconds
    parts = _by_parts(binding, catalog, seconds * _PARTS, between)
    if parts is not None and not parts.modulo:
        return Attempt(parts, "", binding)
    between()
    left = max(deadline - clock.now(), 0.0)
    whole = prove_both(binding, catalog, left if parts is None else min(left, _BETTER_SECONDS))
    if parts is None or (whole.proved is not None and set(whole.proved.modulo) < set(parts.modulo)):
        return whole
    return Attempt(parts, "", binding)


def _by_parts(
    binding: Binding, catalog: Catalog, seconds: float, between: Callable[[], None]
) -> Proved | None:
    try:
        return proved_by_parts(binding.original, binding.candidate, catalog, seconds, between)
    except RecursionError:
        return None
