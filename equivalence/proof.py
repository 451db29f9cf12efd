"""Proofs as objects (`rewright.equivalence.records`), and `check_proof`, which replays one without any
search.

Must not know how proofs are found.
"""

from __future__ import annotations

from rewright.equivalence.records import (
    RESERVATIONS,
    Assumption,
    Composite,
    Flaw,
    Matching,
    Proof,
    Step,
)
from rewright.sql.algebra import Query
from rewright.sql.catalog import Catalog

from .prover.replay import replay

__all__ = [
    "RESERVATIONS",
    "Assumption",
    "Composite",
    "Flaw",
    "Matching",
    "Proof",
    "Step",
    "check_proof",
]


def check_proof(proof: Proof | Composite, q1: Query, q2: Query, catalog: Catalog) -> Flaw | None:
    """Replay ``proof`` on the two queries: None when every step leads where it says, the final correspondence
    stands, and what the proof states beside it (facts, reservations, scope) is neither less nor more than
    that needs.
    """
    if not isinstance(proof, Proof):
        return proof.replay(q1, q2, catalog)
    return replay(proof, q1, q2, catalog)
