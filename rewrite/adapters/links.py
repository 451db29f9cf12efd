"""Proofs of single rewrite steps, made small: only what differs is proved, without what both sides share.

Owns the order in which ways of looking at a pair are tried, and the call of the prover on each; the verdict's
document is the checker's own form. Must not know how a step was found.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from equivalence.proof import Proof
from equivalence.proving import Binding, prove_both
from equivalence.verdicts import Proved, to_json
from rewrite.adapters.parts import WIDEST, Part, PartsProof, View, has_parameters, parts_of, stated, views
from rewrite.search.abstraction import Pair, pairs
from rewrite.search.congruence import Difference
from rewrite.words import Evidence
from sql import algebra as a
from sql.binder import BindError, Unsupported, bind
from sql.catalog import Catalog

# the share of the time left that one way of looking at a pair may take
_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class LinkProver:
    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)

    def prove(self, before: str, after: str, seconds: float) -> Evidence | None:
        """A proof of the pair by its differing parts; None when there is none."""
        try:
            first = bind(before, self.catalog, search_path=self.search_path)
            second = bind(after, self.catalog, search_path=self.search_path)
        except (BindError, Unsupported):
            return None
        proved = proved_by_parts(first, second, self.catalog, seconds)
        return None if proved is None else Evidence.of(to_json(proved))


def proved_by_parts(before: a.Query, after: a.Query, catalog: Catalog, seconds: float) -> Proved | None:
    """A proof of two bound queries out of proofs of what differs in them; its ``proof`` is a `PartsProof`."""
    deadline = time.monotonic() + seconds
    if [c.type for c in a.output_columns(before)] != [c.type for c in a.output_columns(after)]:
        return None
    for number, view in enumerate(views(before, after, catalog)):
        found = _of_view(number, view, catalog, deadline)
        if found is not None:
            return Proved(
                method=found.method,
                assumptions=found.facts,
                scope="any" if has_parameters(before, after) else "these",
                modulo=found.modulo,
                steps=tuple(str(step) for part in found.parts for step in part.proof.steps),
                proof=found,
            )
    return None


def _of_view(number: int, view: View, catalog: Catalog, deadline: float) -> PartsProof | None:
    tried: list[list[Difference]] = []
    for wider in (*range(WIDEST + 1), None):
        parts = parts_of(view, wider, catalog)
        left = deadline - time.monotonic()
        if parts in tried or left <= 0:
            continue
        tried.append(parts)
        looks = _all(parts, catalog, deadline if wider is None else time.monotonic() + left * _SHARE)
        if looks is not None:
            facts, modulo = stated(view, [(d, pair, part.proof) for d, pair, part in looks], catalog)
            return PartsProof(number, wider, tuple(part for _, _, part in looks), facts, modulo)
    return None


_Look = tuple[Difference, Pair, Part]


def _all(parts: list[Difference], catalog: Catalog, deadline: float) -> list[_Look] | None:
    found: list[_Look] = []
    for difference in parts:
        look = _proved(difference, catalog, deadline)
        if look is None:
            return None
        found.append(look)
    return found


def _proved(difference: Difference, catalog: Catalog, deadline: float) -> _Look | None:
    ways = list(pairs(difference.before, difference.after, catalog))
    for number, pair in enumerate(ways):
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        seconds = left if number == len(ways) - 1 else left * _SHARE
        attempt = prove_both(Binding(pair.before, pair.after, pair.catalog), pair.catalog, seconds)
        if attempt.proved is not None and isinstance(attempt.proved.proof, Proof):
            return difference, pair, Part(number, attempt.proved.proof)
    return None
