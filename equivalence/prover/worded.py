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
from rewright.sql.walk import SUBQUERIES, walk, walk_block

from .pulling import semi_joins

# what costs nothing, or is told by what it stands in
_FREE = (a.Column, a.Const, a.Param, a.And)


def is_joined(condition: a.Expr) -> bool:
    """Whether a condition is a subquery that the planner joins; NOT IN, and EXISTS of nothing outside, are
    asked like others.
    """
    return next(semi_joins(condition), None) is not None


def worded(condition: a.Expr) -> str:
    """What a condition is made of, without columns and constants, however its sides stand. Subqueries that
    are conditions are joined; what others are made of costs, too.
    """
    if is_joined(condition):
        return "join"
    asks = any(isinstance(n, SUBQUERIES) for n in walk_block(condition))
    found = Counter(kind for n in (walk if asks else walk_block)(condition) if (kind := _kind(n)))
    return f"{_kind(condition)} of {sorted(found.items())}"


def _kind(node: Any) -> str:
    match node:
        # a conversion that changes no value is not computed
        case a.Cast(method="binary" | "typmod") | a.Cast(arg=a.Const()):
            return ""
        case a.Op():
            return "equation" if is_equality(node) else "operator"
        # x IN (1) is x = 1, and a list is an array, which costs by its length
        case a.InList(items=(_,)):
            return (
                "equation" if is_equality(a.Op(node.op, (node.left, *node.items), node.type)) else "operator"
            )
        case a.InList(items=items):
            return f"array of {len(items)}"
        case a.ArrayOp(array=array):
            return f"array of {_length(array)}"
        case _ if isinstance(node, _FREE):
            return ""
    return type(node).__name__


def _length(array: a.Expr) -> int | None:
    """How many elements are written out."""
    match array:
        case a.ArrayExpr(args):
            return len(args)
        case a.Cast(a.Const(str(text))):
            return text.count(",") + 1
        case _:
            return None
