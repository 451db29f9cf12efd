"""A reference to a CTE is a reference to its query: the same rows, by another plan.

Owns the substitution; whether it may be made (volatile queries, recursion) is its callers' to check. Must not
know rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.walk import copy_fresh, map_parts, walk

# far more than a query has that anything could be proved of
_MOST_NODES = 50_000


def inlined(block: a.Query, cte: a.Cte, fresh: Callable[[], int]) -> a.Query:
    """``block`` with each reference to one of its CTEs replaced by a copy of its query."""

    def visit(n: Any) -> Any:
        if isinstance(n, a.CteScan) and n.cte == cte.cte:
            copied, _ = copy_fresh(cte.query, fresh)
            return a.Derived(n.rel, copied, n.alias, tuple(c.name for c in n.columns))
        return map_parts(n, visit)

    rest = replace(block, ctes=tuple(c for c in block.ctes if c.cte != cte.cte))
    made: a.Query = visit(rest)
    return made


def doubles_too_often(query: a.Query, cte: a.Cte) -> bool:
    """Whether copies of a CTE for all that read it would be very large: a chain of CTEs, each of which reads
    the one before twice, doubles with each of them.
    """
    # one reader moves the text and doubles nothing, however large it is
    readers = sum(isinstance(n, a.CteScan) and n.cte == cte.cte for n in walk(query))
    return readers > 1 and readers * sum(1 for _ in walk(cte.query)) > _MOST_NODES
