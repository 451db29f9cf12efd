"""A recursion that steps from each value to the next greater one is the different values, and one NULL.

    WITH RECURSIVE r(b) AS (SELECT min(e) FROM … WHERE P
                            UNION ALL
                            SELECT (SELECT min(e) FROM … WHERE P AND e > r.b) FROM r WHERE r.b IS NOT NULL)
    is  WITH r(b) AS (SELECT DISTINCT e FROM … WHERE P AND e IS NOT NULL UNION ALL SELECT NULL)

Each round has one row: the least value above the one of the round before, as min and > go by one order. They
rise, and there are finitely many, so that after the greatest comes the NULL of no rows, which is not stepped
from. Only for types whose equal values are the same: of others min and DISTINCT may keep different ones.
Where an index gives each minimum, P is not computed of rows behind it: what it may raise is a reservation.
Known as loose index scan, or index skip scan. Must not know rules or provers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.equivalence.laws.forms import Form
from rewright.sql import algebra as a
from rewright.sql.build import aggregate, null, operator
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts, is_volatile
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import canonical, conjoin, conjuncts, free_rels, map_parts, walk


def without_steps(query: a.Query, catalog: Catalog) -> Form:
    """The query with such recursions as what they give."""
    modulo: set[str] = set()

    def visit(node: Any) -> Any:
        node = map_parts(node, visit)
        made = _values(node) if isinstance(node, a.Cte) else None
        if made is None:
            return node
        if Facts(catalog, made).errors(made):
            modulo.add("errors")
        return replace(node, query=made, recursive=False)

    return Form(visit(query), frozenset(modulo))


def _values(cte: a.Cte) -> a.Query | None:
    """What a recursion of this kind gives; None for others."""
    body = cte.query
    if not cte.recursive or len(cte.columns) != 1 or not isinstance(body, a.SetOp):
        return None
    if replace(body, columns=()) != a.SetOp("union", True, body.left, body.right, ()):
        return None  # ordered, cut, with CTEs of its own
    least = _least(body.left)
    if least is None or free_rels(body.left) or any(isinstance(n, a.CteScan) for n in walk(body.left)):
        return None
    block, value = least
    if cte.columns[0].type != value.type or not _steps(body.right, cte, block, value):
        return None
    asked = a.IsNull(value, negated=True)
    different = replace(
        block,
        targets=(a.Target("value", value),),
        where=conjoin((*conjuncts(block.where), asked)),
        group_by=None,
        distinct=(),
    )
    last = a.Select((a.Target("value", null(value.type)),))
    return replace(body, left=different, right=last)


def _least(query: a.Query) -> tuple[a.Select, a.Expr] | None:
    """A block that gives the least value of its rows, and that value, of a type whose equal values are the
    same.
    """
    if not isinstance(query, a.Select) or len(query.targets) != 1 or is_volatile(query):
        return None
    bare = a.Select(query.targets, query.from_, query.where, ((),))
    found = query.targets[0].expr
    if query != bare or not isinstance(found, a.Aggregate) or len(found.args) != 1:
        return None
    value = found.args[0]
    if found != aggregate("min", value) or not equality_is_identity(value.type):
        return None
    return query, value


def _steps(step: a.Query, cte: a.Cte, block: a.Select, value: a.Expr) -> bool:
    """Whether ``step`` is the least value of the same rows above that of the round before."""
    if not isinstance(step, a.Select) or len(step.from_) != 1 or len(step.targets) != 1:
        return False
    own, shown = step.from_[0], step.targets[0].expr
    if not isinstance(own, a.CteScan) or own.cte != cte.cte or not isinstance(shown, a.ScalarSubquery):
        return False
    before = a.Column(own.rel, 0, value.type)
    asked = a.IsNull(before, negated=True)
    if step != a.Select(step.targets, step.from_, asked):
        return False
    above = _least(shown.query)
    if above is None:
        return False
    inner, its = above
    greater = [p for p in conjuncts(inner.where) if _is_above(p, its, before)]
    if len(greater) != 1:
        return False
    rest = conjoin(p for p in conjuncts(inner.where) if p is not greater[0])
    first = replace(block, where=conjoin(conjuncts(block.where)))
    second = replace(inner, where=rest)
    return canonical(first, keep_names=False) == canonical(second, keep_names=False)


def _is_above(pred: a.Expr, value: a.Expr, before: a.Expr) -> bool:
    """``value > before``, either way round."""
    if not isinstance(pred, a.Op) or pred.args not in {(value, before), (before, value)}:
        return False
    return pred.op == operator(">" if pred.args[0] == value else "<", value.type, value.type)
