"""What the planner orders conditions by, as far as their wording tells: of two that mean the same, one may be
asked before a condition that fails, the other behind it.

Conditions that cost the same are asked as they are written, and what costs less is asked first; equations of
columns stand apart, as they are put together again from what they make equal (`order_qual_clauses`,
`generate_base_implied_equalities`). Terms are told with it. Forms word conditions
anew, so that queries are compared by it before. Must not know terms or forms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts, is_equality
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.walk import conjuncts, map_kind, walk, walk_block

# what costs nothing, or is told by what it stands in
_FREE = (a.Column, a.Const, a.Param, a.And)
_JOINED = (a.Exists, a.Quantified)
_OF_MOMENTS = frozenset({"timezone", "date_trunc", "to_char"})


def worded_otherwise(first: a.Query, second: a.Query, catalog: Catalog) -> frozenset[str]:
    """The reservation of queries in which a condition may fail, and the others are worded otherwise."""
    told = [_told(q, catalog) for q in (first, second)]
    return frozenset() if told[0] == told[1] else frozenset({"errors"})


def _told(query: a.Query, catalog: Catalog) -> Counter[str]:
    """How the conditions are worded; nothing where none may fail, or one stands alone."""
    facts, found = Facts(catalog, query), list(_conditions(query))
    if len(found) < 2 or not any(facts.errors(map_kind(c, a.Call, _of_a_moment)) - OVERFLOW for c in found):
        return Counter()
    return Counter(map(worded, found))


def _of_a_moment(call: a.Call) -> a.Expr:
    """A moment in a zone, cut or written by constants, as one that can't fail: it fails of all values or of
    none, those at the ends of time aside.
    """
    moments = [x for x in call.args if not isinstance(x, a.Const)]
    plain = call.func.is_builtin and call.func.name in _OF_MOMENTS and len(moments) == 1
    known = (
        plain and isinstance(moments[0], a.Column) and moments[0].type.name in {"timestamp", "timestamptz"}
    )
    return a.Const(None, call.type) if known else call


def _conditions(query: a.Query) -> Iterator[a.Expr]:
    for node in walk(query):
        match node:
            case a.Select():
                yield from (*conjuncts(node.where), *conjuncts(node.having))
            case a.Join():
                yield from conjuncts(node.on)
            case _:
                pass


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
