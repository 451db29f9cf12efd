"""Proofs of single rewrite steps, made small by taking out what both queries share.

Owns the call of the prover on a pair of trees; the verdict's document is the checker's own form. Must not know
how a step was found.
"""

from __future__ import annotations

from dataclasses import dataclass

from equivalence.proving import Binding, prove_both
from equivalence.verdicts import to_json
from rewrite.search.abstraction import abstracted
from rewrite.words import Evidence
from sql.binder import BindError, Unsupported, bind
from sql.catalog import Catalog


@dataclass(frozen=True, slots=True)
class LinkProver:
    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)

    def prove(self, before: str, after: str, seconds: float) -> Evidence | None:
        """A proof of the pair without its common parts; None when there is nothing to take out or no proof."""
        try:
            first = bind(before, self.catalog, search_path=self.search_path)
            second = bind(after, self.catalog, search_path=self.search_path)
        except (BindError, Unsupported):
            return None
        pair = abstracted(first, second, self.catalog)
        if pair is None:
            return None
        attempt = prove_both(Binding(pair.before, pair.after, pair.catalog), pair.catalog, seconds)
        return None if attempt.proved is None else Evidence.of(to_json(attempt.proved))
