"""Proofs of single rewrite steps, from texts to the rewriter's evidence.

Owns binding both texts and what becomes of the proof. Must not know how it is found (`rewright.equivalence.decomposition`), nor how a
step was found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rewright.equivalence.decomposition.search import at_once, proved_by_parts
from rewright.equivalence.verdicts import to_json
from rewright.rewrite.model import Evidence
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.catalog import Catalog


@dataclass(frozen=True, slots=True)
class LinkProver:
    """``between``: called before each single proof, where others may go first."""

    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)
    between: Callable[[], None] = at_once

    def prove(self, before: str, after: str, seconds: float) -> Evidence | None:
        """A proof of the pair by its differing parts; None when there is none."""
        try:
            first = bind(before, self.catalog, search_path=self.search_path)
            second = bind(after, self.catalog, search_path=self.search_path)
        except (BindError, Unsupported):
            return None
        proved = proved_by_parts(first, second, self.catalog, seconds, self.between)
        return None if proved is None else Evidence.of(to_json(proved))
