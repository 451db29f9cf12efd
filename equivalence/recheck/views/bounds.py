"""Bounds that say nothing: a column against the least or greatest value of rows one of which it equals.

The block joins the same table, under the conditions of the bound's own rows, on that value. Where these
conditions hold the joined row is among the bound's rows, so that the least of them is no greater; where they
do not, the row is gone anyway. Where the joined row's own column is the one that is bounded, it may be NULL:
the bound says that it is not. The bound's rows are then read no more: their conditions must not fail. Must
not know the other forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.build import aggregate
from rewright.sql.facts import is_equality, is_volatile
from rewright.sql.types import EXACT_INTEGERS
from rewright.sql.walk import (
    as_product,
    bottom_up,
    conjoin,
    conjuncts,
    free_rels,
    has_subquery,
    renumber,
)

# types of which each two values are in order, and equal ones the same
_IN_ORDER = EXACT_INTEGERS | {"date"}
_FURTHEST = {">=": "min", "<=": "max"}


def bounds(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        return _block(node, changes) if isinstance(node, a.Select) else node

    return bottom_up(query, change)


def _block(block: a.Select, changes: Changes) -> a.Select:
    items, preds = as_product(block)
    asked = conjuncts(block.where)
    kept = tuple(q for p in asked for q in _left_of(p, items, preds, changes))
    return block if kept == tuple(asked) else replace(block, where=conjoin(kept))


def _left_of(
    pred: a.Expr, items: Sequence[a.FromItem], preds: Sequence[a.Expr], changes: Changes
) -> tuple[a.Expr, ...]:
    """What is still to be asked of a condition: nothing, whether its column has a value, or itself."""
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or len(pred.args) != 2:
        return (pred,)
    key, bound = pred.args
    name = _FURTHEST.get(pred.op.btree)
    if name is None or not isinstance(key, a.Column) or not isinstance(bound, a.ScalarSubquery):
        return (pred,)
    found = _furthest(bound.query, name, changes)
    if found is None or found[1].type != key.type or pred.op.left != pred.op.right:
        return (pred,)
    scan, value, own = found
    values = [
        replace(value, rel=item.rel)
        for item in items
        if isinstance(item, a.Scan)
        and (item.table, item.only) == (scan.table, scan.only)
        and all(renumber(p, {scan.rel: item.rel}) in preds for p in own)
    ]
    if any(_equated(key, x, preds) for x in values):
        return ()
    return (a.IsNull(key, negated=True),) if key in values else (pred,)


def _furthest(
    query: a.Query, name: str, changes: Changes
) -> tuple[a.Scan, a.Column, tuple[a.Expr, ...]] | None:
    """The table and the column of whose rows a query gives the least or greatest value, and which rows."""
    if not isinstance(query, a.Select) or len(query.targets) != 1 or len(query.from_) != 1:
        return None
    (scan,), shown = query.from_, query.targets[0].expr
    if query != a.Select(query.targets, query.from_, query.where, ((),)) or not isinstance(scan, a.Scan):
        return None
    value = shown.args[0] if isinstance(shown, a.Aggregate) and len(shown.args) == 1 else None
    if not isinstance(value, a.Column) or value.rel != scan.rel or shown != aggregate(name, value):
        return None
    if not value.type.is_builtin or value.type.name not in _IN_ORDER:
        return None
    asked = tuple(conjuncts(query.where))
    alone = all(free_rels(p) == {scan.rel} and not has_subquery(p) and not is_volatile(p) for p in asked)
    safe = all(not changes.known.errors(p) and changes.known.cannot_fail(p) for p in asked)
    return (scan, value, asked) if alone and safe else None


def _equated(key: a.Column, value: a.Column, preds: Sequence[a.Expr]) -> bool:
    return any(is_equality(p) and isinstance(p, a.Op) and set(p.args) == {key, value} for p in preds)
