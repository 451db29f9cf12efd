"""The one way in which a pair is proved, whoever asks: by the parts that differ, or as a whole.

Owns which of the two proofs is taken: the one that leaves less open. `Checker.check` and the rewriter's proofs of steps both ask here,
so that they prove the same pairs. Must not know servers, nor how a pair came about.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from rewright.equivalence.decomposition.search import PartsSearch, at_once, rounds
from rewright.equivalence.proving import Attempt, Binding, prove_both
from rewright.equivalence.verdicts import Proved
from rewright.sql.catalog import Catalog

# how long the whole is looked at where the parts are proved with reservations
_BETTER_SECONDS = 0.5


def prove_pair(
    binding: Binding, catalog: Catalog, seconds: float, between: Callable[[], None] = at_once
) -> Attempt:
    """A proof of the pair within ``seconds``, or the reason why there is none; never raises for what is in the queries.

    The parts and the whole take turns, each turn for longer. ``between``: called before each single proof, where others may go first.
    """
    deadline = time.monotonic() + seconds
    parts = PartsSearch(binding.original, binding.candidate, catalog, between)
    # what was said of the whole, without positions and with them
    said: dict[bool, Attempt] = {}
    for limit, positions in rounds(deadline):
        found = _by_parts(parts, limit, deadline, positions=positions)
        if found is not None and not found.modulo:
            return Attempt(found, "", binding)
        if positions not in said or said[positions].late:
            between()
            left = max(min(deadline - time.monotonic(), limit if found is None else _BETTER_SECONDS), 0.0)
            said[positions] = prove_both(binding, catalog, left, positions=positions)
        whole = said[positions].proved
        if found is not None:
            better = whole is not None and set(whole.modulo) < set(found.modulo)
            return said[positions] if better else Attempt(found, "", binding)
        if whole is not None:
            return said[positions]
        if parts.settled and len(said) > 1 and not any(a.late for a in said.values()):
            break
    return next((said[p] for p in (False, True) if p in said), Attempt(None, "no proof: timeout", binding))


def _by_parts(search: PartsSearch, limit: float, deadline: float, *, positions: bool) -> Proved | None:
    try:
        return search.round(limit, deadline, positions=positions)
    except RecursionError:
        return None
