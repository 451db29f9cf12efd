"""The one way in which a pair is proved, whoever asks: by the parts that differ, or as a whole.

Owns which of the two proofs is taken: the one that leaves less open. `Checker.check` and the rewriter's
proofs of steps both ask here, so that they prove the same pairs. Must not know servers, nor how a pair came
about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from rewright.engines import clock
from rewright.equivalence.decomposition.refinement import RefinementProof
from rewright.equivalence.decomposition.search import PartsSearch, at_once, rounds
from rewright.equivalence.laws.fuller import REFINEMENT, fuller
from rewright.equivalence.proof import Composite, Proof
from rewright.equivalence.prover.remembered import Memory
from rewright.equivalence.proving import Attempt, Binding, prove_both
from rewright.equivalence.verdicts import Proved
from rewright.sql.catalog import Catalog

# how long the whole is looked at where the parts are proved with reservations
_BETTER_SECONDS = 0.5
# and how much longer than those that were found the attempts may take that ran out of time before them
_LONGER_FOR_BETTER = 4.0
_TIES = "tie-order"


def prove_pair(
    binding: Binding,
    catalog: Catalog,
    seconds: float,
    between: Callable[[], None] = at_once,
    memory: Memory | None = None,
) -> Attempt:
    """A proof of the pair within ``seconds``, or the reason why there is none; never raises for what is in
    the queries.

    Where the candidate's order is fuller than the original's and the two are not proved to be the same, that
    its answers are among the original's is proved instead: with the reservation `refinement`. ``between``:
    called before each single proof, where others may go first. ``memory``: what was found out about other
    pairs over the catalog, and is added to.
    """
    memory = memory or Memory()
    ordered = _in_fuller_order(binding)
    found = _prove_both_ways(binding, catalog, seconds if ordered is None else seconds / 2, between, memory)
    if ordered is None or (found.proved is not None and _TIES not in found.proved.modulo):
        return found
    refining = _prove_both_ways(ordered, catalog, seconds / 2, between, memory).proved
    if refining is None or _TIES in refining.modulo:
        return found
    return Attempt(_refined(refining), "", binding)


def _refined(proved: Proved) -> Proved:
    """The verdict on the original, from that on the original in the candidate's order."""
    proof = cast("Proof | Composite", proved.proof)
    return replace(
        proved,
        method=f"{REFINEMENT}: {proved.method}",
        modulo=tuple(sorted({*proved.modulo, REFINEMENT})),
        proof=RefinementProof(proof),
    )


def _in_fuller_order(binding: Binding) -> Binding | None:
    try:
        ordered = fuller(binding.original, binding.candidate, binding.catalog)
    except RecursionError:
        return None
    return None if ordered is None else replace(binding, original=ordered)


def _prove_both_ways(
    binding: Binding, catalog: Catalog, seconds: float, between: Callable[[], None], memory: Memory
) -> Attempt:
    """A proof of the pair by its parts, or of the whole: they take turns, each turn for longer."""
    deadline = clock.now() + seconds
    parts = PartsSearch(binding.original, binding.candidate, catalog, between, memory)
    # what was said of the whole, without positions and with them
    said: dict[bool, Attempt] = {}
    # a proof with reservations, and how long other attempts may take to do without
    kept: Proved | None = None
    most_for_better = 0.0
    for limit, positions in rounds(deadline):
        found = _by_parts(parts, limit, deadline, positions=positions)
        if found is not None and not found.modulo:
            return Attempt(found, "", binding)
        if positions not in said or said[positions].late:
            between()
            most = limit if found is None else _BETTER_SECONDS
            if parts.settled and found is None and positions in said:
                most = deadline - clock.now()  # nothing else is left to be tried
            left = max(min(deadline - clock.now(), most), 0.0)
            said[positions] = prove_both(binding, catalog, left, positions=positions, memory=memory)
        whole = said[positions].proved
        if found is not None:
            if whole is not None and set(whole.modulo) < set(found.modulo):
                return said[positions]
            if kept is None:
                kept, most_for_better = found, limit * _LONGER_FOR_BETTER
            if limit >= most_for_better or parts.settled:
                return Attempt(found, "", binding)
            continue
        if whole is not None:
            return said[positions]
        if parts.settled and len(said) > 1 and not any(a.late for a in said.values()):
            break
    if kept is not None:
        return Attempt(kept, "", binding)
    return next((said[p] for p in (False, True) if p in said), Attempt(None, "no proof: timeout", binding))


def _by_parts(search: PartsSearch, limit: float, deadline: float, *, positions: bool) -> Proved | None:
    try:
        return search.round(limit, deadline, positions=positions)
    except RecursionError:
        return None
