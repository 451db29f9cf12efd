"""The prover: the same query on every database that satisfies the schema, or no answer.

Owns the calculus (`terms`), the translation into it (`translate`), the kernel rules (`kernel`), the search
for proofs (`normal`, `match`) and `prove`. Must not know how counterexamples are found.
"""

from .prove import Reason, prove

__all__ = ["Reason", "prove"]
