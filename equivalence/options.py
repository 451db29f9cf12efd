"""How hard the checker tries. Plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """``seconds`` for one pair in all; ``databases`` without a difference that end the search early.

    ``search_path`` resolves unqualified names. ``prover`` and ``refuter`` switch the parts off, for
    measuring each alone.
    """

    seconds: float = 10.0
    databases: int = 4800
    first_databases: int = 124
    # run after a proof was found: the two parts know nothing of each other, so this catches a wrong proof
    confirm_databases: int = 120
    prover_seconds: float = 5.0
    seed: int = 0
    search_path: tuple[str, ...] = ("public",)
    prover: bool = True
    refuter: bool = True
    directed: bool = True
    # make counterexamples small: costs more than finding them
    shrink: bool = True
    # major version of the server the answer is for; 0: the scratch server's own
    server_major: int = 0
    # in a batch: whether proofs come with certificates
    certificates: bool = False
