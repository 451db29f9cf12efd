"""Databases on which selective queries return rows: predicates solved, not guessed.

Owns collecting the conjuncts of bound queries, translating them for the solver, and making seed rows
out of its models. Must not know servers beyond the refuter it serves.
"""

from __future__ import annotations

from equivalence.generator.databases import Database
from equivalence.proving import Binding
from equivalence.refuter.search import Refuter


def directed_databases(refuter: Refuter, binding: Binding, *, seconds: float) -> list[Database]:
    """Seeds for ``refuter``: databases that make the queries' conjuncts true together, or all but one."""
    del refuter, binding, seconds
    return []
