"""Proofs of single rewrite steps, from texts to the rewriter's evidence.

Owns binding both texts and what becomes of the proof. Must not know how it is found
(`rewright.equivalence.decomposition`), nor how a step was found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.decomposition.search import at_once
from rewright.equivalence.prover.remembered import Memory
from rewright.equivalence.proving import bind_both
from rewright.equivalence.verdicts import to_json
from rewright.rewrite.model import Evidence
from rewright.sql.catalog import Catalog


@dataclass(frozen=True, slots=True)
class LinkProver:
    """``between``: called before each single proof, where others may go first. ``memory``: what proofs over
    the catalog found out; a checker of the same pairs shares it.
    """

    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)
    between: Callable[[], None] = at_once
    memory: Memory = field(default_factory=Memory, compare=False, repr=False)

    def prove(self, before: str, after: str, seconds: float) -> Evidence | None:
        """A proof of the pair, as the checker itself would make it; None when there is none."""
        bound = bind_both(before, after, self.catalog, self.search_path)
        if isinstance(bound, str):
            return None
        proved = prove_pair(bound, self.catalog, seconds, self.between, self.memory).proved
        return None if proved is None else Evidence.of(to_json(proved))
