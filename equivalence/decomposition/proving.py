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
from rewright.equivalence.decomposition.search import AFTER_LATE, Idle, PartsSearch, Rounds, at_once
from rewright.equivalence.laws.fuller import REFINEMENT, fuller
from rewright.equivalence.laws.ordering import beyond_cuts
from rewright.equivalence.proof import Composite, Proof
from rewright.equivalence.prover.remembered import Memory
from rewright.equivalence.proving import Attempt, Binding, prove_both
from rewright.equivalence.verdicts import Proved
from rewright.sql.catalog import Catalog

# how long the whole is looked at, at the least, where the parts are proved with reservations
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
    """A proof of the pair within ``seconds``, or the reason why there is none: see `PairSearch`."""
    return PairSearch(binding, catalog, between, memory).go_on(seconds)


class PairSearch:
    """The search for a proof of one pair, which may be gone on with: what was found, ruled out or had its
    time in vain stays so. Never raises for what is in the queries.

    Where the candidate's order is fuller than the original's and the two are not proved to be the same, that
    its answers are among the original's is proved instead: with the reservation `refinement`. ``between``:
    called before each single proof, where others may go first. ``memory``: what was found out about other
    pairs over the catalog, and is added to.
    """

    def __init__(
        self,
        binding: Binding,
        catalog: Catalog,
        between: Callable[[], None] = at_once,
        memory: Memory | None = None,
    ) -> None:
        memory = memory or Memory()
        ordered = _in_fuller_order(binding)
        self._same = _BothWays(binding, catalog, between, memory)
        self._refining = None if ordered is None else _BothWays(ordered, catalog, between, memory)

    def go_on(self, seconds: float) -> Attempt:
        """A proof within ``seconds`` from now, or the reason why there is none yet."""
        if self._refining is None:
            return self._same.go_on(seconds)
        found = self._same.go_on(seconds / 2)
        if found.proved is not None and _TIES not in found.proved.modulo:
            return found
        refining = self._refining.go_on(seconds / 2).proved
        if refining is None or _TIES in refining.modulo:
            return found
        # an index that gives the original's order computes no row behind the cut, a sort by more keys does
        behind = beyond_cuts(self._same.binding.original, self._same.catalog)
        return Attempt(_refined(refining, behind), "", found.binding)


def _refined(proved: Proved, behind: frozenset[str]) -> Proved:
    """The verdict on the original, from that on the original in the candidate's order, with what that order
    leaves open.
    """
    proof = cast("Proof | Composite", proved.proof)
    return replace(
        proved,
        method=f"{REFINEMENT}: {proved.method}",
        modulo=tuple(sorted({*proved.modulo, *behind, REFINEMENT})),
        proof=RefinementProof(proof),
    )


def _in_fuller_order(binding: Binding) -> Binding | None:
    try:
        ordered = fuller(binding.original, binding.candidate, binding.catalog)
    except RecursionError:
        return None
    return None if ordered is None else replace(binding, original=ordered)


class _BothWays:
    """A search by the parts of a pair and of the whole: they take turns, each turn for longer."""

    def __init__(
        self, binding: Binding, catalog: Catalog, between: Callable[[], None], memory: Memory
    ) -> None:
        self.binding, self.catalog, self.between, self.memory = binding, catalog, between, memory
        self.parts = PartsSearch(binding.original, binding.candidate, catalog, between, memory)
        self.rounds = Rounds()
        # what was said of the whole, without positions and with them, and how long it was looked at
        self.said: dict[bool, Attempt] = {}
        self.asked: dict[bool, float] = {}
        self.looks = 0
        # a proof with reservations, and how long other attempts may take to do without
        self.kept: Proved | None = None
        self.most_for_better = 0.0
        # what no more time would better
        self.final: Attempt | None = None

    def go_on(self, seconds: float) -> Attempt:
        if self.final is None:
            found = self._within(seconds)
            if found is not None:
                self.final = found
        if self.final is not None:
            return self.final
        if self.kept is not None:
            return Attempt(self.kept, "", self.binding)
        late = Attempt(None, "no proof: timeout", self.binding)
        return next((self.said[p] for p in (False, True) if p in self.said), late)

    def _within(self, seconds: float) -> Attempt | None:
        """What is found within ``seconds`` and worth keeping."""
        deadline = clock.now() + seconds
        idle = Idle(deadline)
        for limit, positions in self.rounds.until(deadline):
            found = self._round(limit, deadline, positions=positions)
            if found is not None:
                return found
            if idle.after(limit, self.parts.looks + self.looks):
                break
            if self.parts.settled and len(self.said) > 1 and not any(a.late for a in self.said.values()):
                break
        return None

    def _round(self, limit: float, deadline: float, *, positions: bool) -> Attempt | None:
        """What is proved in one round, if it is worth keeping."""
        found = _by_parts(self.parts, limit, deadline, positions=positions)
        if found is not None and not found.modulo:
            return Attempt(found, "", self.binding)
        if positions not in self.said or self.said[positions].late:
            self._whole(limit, deadline, found, positions=positions)
        whole = self.said[positions].proved
        if found is None:
            return None if whole is None else self.said[positions]
        if whole is not None and set(whole.modulo) < set(found.modulo):
            return self.said[positions]
        if self.kept is None:
            self.kept, self.most_for_better = found, limit * _LONGER_FOR_BETTER
        if limit >= self.most_for_better or self.parts.settled:
            return Attempt(found, "", self.binding)
        return None

    def _whole(self, limit: float, deadline: float, found: Proved | None, *, positions: bool) -> None:
        self.between()
        most = limit if found is None else max(_BETTER_SECONDS, limit)
        if self.parts.settled and found is None and positions in self.said:
            most = deadline - clock.now()  # nothing else is left to be tried
        left = max(min(deadline - clock.now(), most), 0.0)
        if positions and False in self.said and self.said[False].late:
            # what ran out of time without positions takes longer with them
            left *= AFTER_LATE if found is None else 0.0
        if positions in self.said and left <= self.asked.get(positions, 0.0):
            return
        self.asked[positions] = left
        self.looks += 1
        self.said[positions] = prove_both(
            self.binding, self.catalog, left, positions=positions, memory=self.memory
        )


def _by_parts(search: PartsSearch, limit: float, deadline: float, *, positions: bool) -> Proved | None:
    try:
        return search.round(limit, deadline, positions=positions)
    except RecursionError:
        return None
