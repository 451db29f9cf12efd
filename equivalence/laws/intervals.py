"""Counts of rows less those among them that meet one more condition: counts of the rows that do not.

    (SELECT count(*) FROM t WHERE P) - (SELECT count(*) FROM t WHERE P AND Q)   -->
    (SELECT count(*) FROM t WHERE P AND Q IS NOT TRUE)
    x IS NOT NULL AND y IS NOT NULL AND greatest(x, y) < d   -->   … AND x < d AND y < d

Each row of the first count is in the second one or not; both are of one snapshot, and neither is ever NULL.
The greatest of values that are not NULL is below a bound where each of them is, under the collation that it
was chosen by. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.binder import Unsupported
from rewright.sql.binder.coerce import is_explicitly_collated, merge_derived
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_volatile
from rewright.sql.types import INT8
from rewright.sql.walk import (
    as_product,
    conjoin,
    conjuncts,
    from_rels,
    has_subquery,
    renumber,
    same_source,
)

_GREATEST, _LEAST = frozenset({"<", "<="}), frozenset({">", ">="})


def with_whole_counts(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, without such differences."""
    return _WholeCounts(catalog).form(query)


class _WholeCounts(Walk):
    def changed(self, node: a.Node) -> a.Node:
        if isinstance(node, a.Select):
            return self.block(node)
        if not isinstance(node, a.Op) or not node.op.is_builtin or node.op.name != "-":
            return node
        if len(node.args) != 2 or any(x.type != INT8 for x in (node, *node.args)):
            return node
        first, second = (counted(x) for x in node.args)
        # the first count must be of all rows that the second one is of
        if first is None or second is None:
            return node
        rest = _remaining(first, second)
        if rest is None:
            return node
        # the second count may ask first what is asked last here
        self.reserve_failures(*conjuncts(second.where))
        return a.ScalarSubquery(rest, INT8)

    def block(self, block: a.Select) -> a.Select:
        preds = conjuncts(block.where)
        filled = {p.arg for p in preds if isinstance(p, a.IsNull) and p.negated and not p.row_form}
        parts = [q for p in preds for q in _each(p, filled)]
        if parts == list(preds):
            return block
        # the greatest is found of all values; those behind one that is not below the bound are not asked
        self.reserve_failures(*preds)
        return replace(block, where=conjoin(dict.fromkeys(parts)))


def _each(pred: a.Expr, filled: set[a.Expr]) -> Iterator[a.Expr]:
    """A bound of the greatest or least of values that are not NULL as bounds of each."""
    if not isinstance(pred, a.Op) or len(pred.args) != 2 or not pred.op.is_builtin or is_volatile(pred):
        yield pred
        return
    extreme, bound = pred.args
    # below the greatest is below each only if `<`: `greatest(x, y) > d` holds if one is above
    kinds = _GREATEST if isinstance(extreme, a.MinMax) and extreme.greatest else _LEAST
    known = isinstance(extreme, a.MinMax) and pred.op.btree in kinds and pred.op.left == pred.op.right
    # GREATEST leaves NULLs out: with x NULL it is below d where only y is
    if not isinstance(extreme, a.MinMax) or not known or not set(extreme.args) <= filled:
        yield pred
    elif all(x.type == extreme.type for x in extreme.args) and _in_one_order(extreme, bound):
        # int4 parts of a bigint GREATEST would be compared by another operator
        yield from (replace(pred, args=(x, bound)) for x in extreme.args)
    else:
        yield pred


def _in_one_order(extreme: a.MinMax, bound: a.Expr) -> bool:
    """Whether the extreme is compared under the collation that it was chosen by (hazards M4)."""
    derived = [(x.type.collation, is_explicitly_collated(x)) for x in (extreme, bound)]
    try:
        return merge_derived(derived) == extreme.type.collation
    except Unsupported:
        return False


def counted(expr: a.Expr) -> a.Select | None:
    """The block of ``(SELECT count(*) FROM … WHERE …)``, which reads tables by plain conditions."""
    if not isinstance(expr, a.ScalarSubquery) or not isinstance(expr.query, a.Select):
        return None
    query = expr.query
    target = query.targets[0].expr if len(query.targets) == 1 else None
    # count(*) FILTER is taken elsewhere; here WHERE says it all
    if not isinstance(target, a.Aggregate) or not target.star or target.filter is not None:
        return None
    if not target.func.is_builtin or target.func.name != "count" or query.group_by != ((),):
        # HAVING, LIMIT 0 or OFFSET may leave no row: the count would be NULL
        return None
    idle = (query.having, query.distinct, query.limit, query.offset)
    if any(x is not None for x in idle) or query.ctes or query.order_by or is_volatile(query):
        return None
    items, preds = as_product(query)
    # an outer join would be more than tables and conditions
    plain = all(isinstance(i, a.Scan | a.CteScan) for i in items) and not any(map(has_subquery, preds))
    return replace(query, from_=tuple(items), where=conjoin(preds)) if plain else None


def _remaining(first: a.Select, second: a.Select) -> a.Select | None:
    """The count of the rows of the first block that are not in the second; None where that has others."""
    # the same tables in the same places, so that rows of the one are rows of the other
    if len(first.from_) != len(second.from_):
        return None
    pairs = list(zip(first.from_, second.from_, strict=True))
    if not all(same_source(x, y) for x, y in pairs):
        return None
    (ours, theirs) = ([r for i in block.from_ for r in from_rels((i,))] for block in (first, second))
    asked = [renumber(p, dict(zip(theirs, ours, strict=True))) for p in conjuncts(second.where)]
    own = conjuncts(first.where)
    # the second asks less than the first somewhere: it counts rows that the first does not have
    if not all(p in asked for p in own):
        return None
    more = conjoin(p for p in asked if p not in own)
    # the two count the same rows: 0, which is left to the prover
    if more is None:
        return None
    return replace(first, where=conjoin((*own, a.IsBool(more, "true", negated=True))))
