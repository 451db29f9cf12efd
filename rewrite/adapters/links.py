"""Proofs of single rewrite steps, from texts to the rewriter's evidence.

Owns binding both texts and what becomes of the proof. Must not know how it is found
(`rewright.equivalence.decomposition`), nor how a step was found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rewright.equivalence.decomposition.proving import PairSearch
from rewright.equivalence.decomposition.search import at_once
from rewright.equivalence.prover.remembered import Memory
from rewright.equivalence.proving import bind_both
from rewright.equivalence.verdicts import to_json
from rewright.rewrite.model import Evidence
from rewright.sql.catalog import Catalog

# searches for proofs that may be gone on with
_KEPT = 64


@dataclass(frozen=True, slots=True)
class LinkProver:
    """``between``: called before each single proof, where others may go first. ``memory``: what proofs over
    the catalog found out; a checker of the same pairs shares it.

    A pair that was not proved in its time, or with reservations only, is gone on with when it is asked of
    again: each candidate may be looked at briefly first, and what that took is not lost.
    """

    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)
    between: Callable[[], None] = at_once
    memory: Memory = field(default_factory=Memory, compare=False, repr=False)
    _begun: dict[tuple[str, str], PairSearch] = field(default_factory=dict, compare=False, repr=False)

    def prove(self, before: str, after: str, seconds: float) -> Evidence | None:
        """A proof of the pair, as the checker itself would make it; None when there is none."""
        # an earlier search of the pair is taken up where it stopped
        search = self._begun.pop((before, after), None) or self._search(before, after)
        if search is None:
            return None
        proved = search.go_on(seconds).proved
        if proved is None or proved.modulo:
            # the last one asked of stands last
            self._begun[before, after] = search
            if len(self._begun) > _KEPT:
                del self._begun[next(iter(self._begun))]
        return None if proved is None else Evidence.of(to_json(proved))

    def _search(self, before: str, after: str) -> PairSearch | None:
        bound = bind_both(before, after, self.catalog, self.search_path)
        if isinstance(bound, str):
            # what does not bind cannot be compared; the checker says so itself
            return None
        return PairSearch(bound, self.catalog, self.between, self.memory)
