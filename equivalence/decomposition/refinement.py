"""Proofs in one direction: that each answer of the candidate is one that the original may give.

Owns the proof as an object and its replay: the original with a fuller order
(`rewright.equivalence.laws.fuller`), and a proof that this and the candidate are the same. Must not know how
that is found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rewright.equivalence.laws.fuller import REFINEMENT, fuller
from rewright.equivalence.proof import Composite, Flaw, Proof, check_proof
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog


@dataclass(frozen=True, slots=True)
class RefinementProof:
    """``proof``: that the original in the candidate's fuller order is the candidate."""

    proof: Proof | Composite

    def to_json(self) -> dict[str, Any]:
        inner = self.proof
        return {REFINEMENT: inner.to_json() if hasattr(inner, "to_json") else {}}

    def replay(self, q1: a.Query, q2: a.Query, catalog: Catalog) -> Flaw | None:
        """See `rewright.equivalence.proof.check_proof`."""
        ordered = fuller(q1, q2, catalog)
        if ordered is None:
            return Flaw("the candidate's order is not fuller")
        return check_proof(self.proof, ordered, q2, catalog)
