"""What the planner orders conditions by, as far as their wording tells: of two that mean the same, one may be
asked before a condition that fails, the other behind it.

Conditions that cost the same are asked as they are written, and what costs less is asked first; equations of
columns stand apart, as they are put together again from what they make equal (`order_qual_clauses`,
`generate_base_implied_equalities`). Must not know terms.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.facts import is_equality
from rewright.sql.walk import walk_block

# what costs nothing, or is told by what it stands in
_FREE = (a.Column, a.Const, a.Param, a.And)
_JOINED = (a.Exists, a.Quantified)


def worded(condition: a.Expr) -> str:
    """What a condition is made of, without columns and constants, however its sides stand. Subqueries that
    are conditions are joined.
    """
    if isinstance(condition.arg if isinstance(condition, a.Not) else condition, _JOINED):
        return "join"
    found = Counter(kind for n in walk_block(condition) if (kind := _kind(n)))
    return f"{_kind(condition)} of {sorted(found.items())}"


def _kind(node: Any) -> str:
    match node:
        # a conversion that changes no value is not computed
        case a.Cast(method="binary" | "typmod") | a.Cast(arg=a.Const()):
            return ""
        case a.Op():
            return "equation" if is_equality(node) else "operator"
        # x IN (1) is x = 1, and a list is an array
        case a.InList(items=(_,)):
            return (
                "equation" if is_equality(a.Op(node.op, (node.left, *node.items), node.type)) else "operator"
            )
        case a.InList() | a.ArrayOp():
            return "array"
        case _ if isinstance(node, _FREE):
            return ""
    return type(node).__name__
