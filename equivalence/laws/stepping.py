"""A recursion that steps from each value to the next greater one is the different values, and one NULL.

    WITH RECURSIVE r(b) AS (SELECT min(e) FROM … WHERE P
                            UNION ALL
                            SELECT (SELECT min(e) FROM … WHERE P AND e > r.b) FROM r WHERE r.b IS NOT NULL)
    is  WITH r(b) AS (SELECT DISTINCT e FROM … WHERE P AND e IS NOT NULL UNION ALL SELECT NULL)

A reader that takes the NULL only where some row's value is NULL (``b IS NOT NULL OR EXISTS (SELECT 1 FROM …
WHERE P AND e IS NULL)``) reads SELECT DISTINCT e.

Each round has one row: the least value above the one of the round before, as min and > go by one order. They
rise, and there are finitely many, so that after the greatest comes the NULL of no rows, which is not stepped
from. Only for types whose equal values are the same: of others min and DISTINCT may keep different ones.
Where an index gives each minimum, P is not computed of rows behind it: what it may raise is a reservation.
Known as loose index scan, or index skip scan. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rewright.equivalence.laws.forms import Form
from rewright.sql import algebra as a
from rewright.sql.build import aggregate, null, operator
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts, is_volatile
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import (
    Fresh,
    canonical,
    conjoin,
    conjuncts,
    copy_fresh,
    free_rels,
    highest_number,
    is_plain,
    map_parts,
    walk,
)


def without_steps(query: a.Query, catalog: Catalog) -> Form:
    """The query with such recursions as what they give."""
    modulo: set[str] = set()
    known: dict[int, tuple[a.Select, a.Expr]] = {}

    def visit(node: Any) -> Any:
        node = map_parts(node, visit)
        found = _values(node) if isinstance(node, a.Cte) else None
        if found is None:
            return node
        block, value = known[node.cte] = found
        made = replace(node.query, left=_different(block, value), right=_no_value(value))
        # P is computed of all rows now, and of those up to the last minimum before
        if Facts(catalog, made).errors(made):
            modulo.add("errors")
        # no round is left: a plain CTE, which others may read as often as they like
        return replace(node, query=made, recursive=False)

    made = visit(query)
    fresh = Fresh(highest_number(made))

    def read(node: Any) -> Any:
        node = map_parts(node, read)
        return _with_null(node, known, fresh) if isinstance(node, a.Select) else node

    return Form(read(made) if known else made, frozenset(modulo))


def _different(block: a.Select, value: a.Expr) -> a.Select:
    """The different values of a block's rows, NULL aside."""
    where = conjoin((*conjuncts(block.where), a.IsNull(value, negated=True)))
    return replace(block, targets=(a.Target("value", value),), where=where, group_by=None, distinct=())


def _no_value(value: a.Expr) -> a.Select:
    return a.Select((a.Target("value", null(value.type)),))


def _with_null(block: a.Select, known: Mapping[int, tuple[a.Select, a.Expr]], fresh: Fresh) -> a.Select:
    """A block that reads the values and the NULL where there is one, reading the different values."""
    for item in block.from_:
        # only a comma's item: on the padded side of a join its NULL would be another one
        if not isinstance(item, a.CteScan) or item.cte not in known:
            continue
        source, value = known[item.cte]
        is_value = a.IsNull(a.Column(item.rel, 0, value.type), negated=True)
        for pred in conjuncts(block.where):
            # `b IS NOT NULL OR …`, in this order, as such queries are written
            if isinstance(pred, a.Or) and len(pred.args) == 2 and pred.args[0] == is_value:
                if not _asks_null(pred.args[1], source, value):
                    continue
                target = (a.Target("value", value),)
                values = replace(source, targets=target, group_by=None, distinct=())
                query, _ = copy_fresh(values, fresh)
                instead = a.Derived(item.rel, query, item.alias, ("value",))
                from_ = tuple(instead if i is item else i for i in block.from_)
                rest = conjoin(p for p in conjuncts(block.where) if p is not pred)
                # another recursion of the kind may be read by the same block
                return _with_null(replace(block, from_=from_, where=rest), known, fresh)
    return block


def _asks_null(expr: a.Expr, source: a.Select, value: a.Expr) -> bool:
    """Whether an expression is that some row of ``source`` has no value."""
    if not isinstance(expr, a.Exists) or not isinstance(expr.query, a.Select):
        return False
    asked = expr.query
    # LIMIT, OFFSET or GROUP BY in EXISTS change whether there is a row
    if asked != a.Select(asked.targets, asked.from_, asked.where) or not is_plain(asked):
        return False
    where = conjoin((*conjuncts(source.where), a.IsNull(value)))
    rows = a.Select((), source.from_, where)
    return canonical(replace(asked, targets=()), keep_names=False) == canonical(rows, keep_names=False)


def _values(cte: a.Cte) -> tuple[a.Select, a.Expr] | None:
    """The block that a recursion of this kind takes the least value of, and the value; None for others."""
    body = cte.query
    if not cte.recursive or len(cte.columns) != 1 or not isinstance(body, a.SetOp):
        return None
    if replace(body, columns=()) != a.SetOp("union", True, body.left, body.right, ()):
        return None  # ordered, cut, with CTEs of its own
    least = _least(body.left)
    # a first term that reads rows outside begins elsewhere for each of them
    if least is None or free_rels(body.left) or any(isinstance(n, a.CteScan) for n in walk(body.left)):
        return None
    block, value = least
    # a cast between the first minimum and the column might put values together
    if cte.columns[0].type != value.type or not _steps(body.right, cte, block, value):
        return None
    return block, value


def _least(query: a.Query) -> tuple[a.Select, a.Expr] | None:
    """A block that gives the least value of its rows, and that value, of a type whose equal values are the
    same.
    """
    if not isinstance(query, a.Select) or len(query.targets) != 1 or is_volatile(query):
        return None
    bare = a.Select(query.targets, query.from_, query.where, ((),))
    found = query.targets[0].expr
    # FILTER or DISTINCT in min(), HAVING and the rest are no plain minimum
    if query != bare or not isinstance(found, a.Aggregate) or len(found.args) != 1:
        return None
    value = found.args[0]
    # of numeric 1.0 and 1.00, min gives one of them, and DISTINCT the other
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
    # the step goes on from values alone: a NULL ends it
    if step != a.Select(step.targets, step.from_, asked):
        return False
    above = _least(shown.query)
    if above is None:
        return False
    inner, its = above
    greater = [p for p in conjuncts(inner.where) if _is_above(p, its, before)]
    # two conditions on the value before, or none, and it is no step to the next one
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
