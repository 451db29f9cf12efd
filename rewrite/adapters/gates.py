"""Proofs of candidates that hold for the rows that are there, and the candidates behind a look at these rows.

What keeps many a candidate from being proved is that a date or a quotient computed of other rows might fail.
The proof is made of both texts as they are over rows that keep promises (`rewright.equivalence.settled`),
step by step where there are steps, and the candidate that is served looks first
(`rewright.equivalence.gates`). Must not know agents.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from rewright.engines import clock
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.decomposition.search import at_once
from rewright.equivalence.gates import behind_gate, gated, split
from rewright.equivalence.promises import Promise
from rewright.equivalence.proving import Binding, as_kept, bind_both
from rewright.equivalence.verdicts import Proved, to_json
from rewright.rewrite.model import Evidence
from rewright.rewrite.ports import Derives
from rewright.rewrite.search.chains import joined
from rewright.sql.catalog import Catalog

# the share of the time for a proof step by step
_STEPS = 0.5


@dataclass(frozen=True, slots=True)
class Gates:
    """The `Gating` port. ``between``: called before each single proof, where others may go first."""

    catalog: Catalog
    search_path: tuple[str, ...]
    derivations: Derives
    between: Callable[[], None] = at_once

    def gate(self, original: str, candidate: str, seconds: float) -> tuple[str, Evidence] | None:
        """The candidate behind a look at the rows, and the proof; None where there is none."""
        started = clock.now()
        via = self.derivations.via(candidate)
        # half of the time for the steps, where there are any, and the rest for the whole
        for share, texts in ((_STEPS, (original, *via, candidate)), (1.0, (original, candidate))):
            if share < 1.0 and not via:
                continue
            found = self._proved(texts, started + share * seconds)
            if found is None:
                continue
            evidence, promises = found
            text = gated(candidate, promises)
            # it is served for what others read off it
            looks = text is not None and split(text, self.catalog, self.search_path) is not None
            return (text, evidence) if text is not None and looks else None
        return None

    def _proved(self, texts: tuple[str, ...], deadline: float) -> tuple[Evidence, frozenset[Promise]] | None:
        pairs, promises = list[Binding](), frozenset[Promise]()
        for before, after in itertools.pairwise(texts):
            bound = bind_both(before, after, self.catalog, self.search_path)
            if isinstance(bound, str):
                return None
            pair, needed = as_kept(bound)
            pairs.append(pair)
            promises |= needed
        # there is nothing to look for: what is left open has another cause
        if not promises:
            return None
        links = list[Proved]()
        for number, pair in enumerate(pairs):
            left = (deadline - clock.now()) / (len(pairs) - number)
            proved = prove_pair(pair, self.catalog, left, self.between).proved if left > 0 else None
            if proved is None:
                return None
            links.append(behind_gate(proved, promises))
        return joined([Evidence.of(to_json(x)) for x in links]), promises
