"""Correlated scalar subqueries in the select list to LEFT JOINs.

    SELECT o.id, (SELECT sum(l.price) FROM line l WHERE l.ord = o.id), (SELECT c.name FROM cust c WHERE c.id = o.cust) FROM ord o
    -->
    SELECT o.id, g.v, c.name FROM ord o LEFT JOIN (SELECT ord, sum(price) v FROM line GROUP BY ord) g ON g.ord = o.id
                                        LEFT JOIN cust c ON c.id = o.cust

Aggregates are grouped by their ties; the value over no rows is NULL, or 0 for count. A subquery that is no aggregate
must have at most one row: its ties cover a key. Calcite: SubQueryRemoveRule. SOUNDNESS 1b, 1c, 1f.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.correlation import Inner, take_apart
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule, ungrouped
from rewright.rewrite.rules.correlation import aggregate_block, once_a_key, with_join
from rewright.sql import algebra as a
from rewright.sql.build import or_zero
from rewright.sql.facts import divides, is_volatile, null_on_empty, simple_aggregates
from rewright.sql.walk import (
    conjoin,
    free_rels,
    from_rels,
    is_plain,
    outer_exprs,
    substitute,
    walk_block,
)


@rule(
    SELECT.where(ungrouped, reads_tables),
    guards=("ties-only", "empty-is-null", "at-most-one-row"),
    known_as="SubQueryRemoveRule",
    priority=88,
    category="join",
)
def decorrelate_target(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    mine = from_rels(block.from_)
    for expr in outer_exprs(block):
        for node in walk_block(expr):
            if not isinstance(node, a.ScalarSubquery) or not free_rels(node.query) & mine:
                continue
            joined = _aggregate(node, ctx) or _lookup(node, ctx)
            if joined is not None:
                item, on, value, basis = joined
                yield Rewrite(
                    with_join(block, {node: value}, item, on),
                    "a subquery of the select list becomes an outer join, computed for all rows at once",
                    basis,
                )


_Joined = tuple[a.FromItem, a.Expr | None, a.Expr, frozenset[str]]


def _aggregate(node: a.ScalarSubquery, ctx: Context) -> _Joined | None:
    inner = aggregate_block(node.query)
    if inner is None or not inner.ties or not ctx.holds("ties-only", not inner.others):
        return None
    target = inner.select.targets[0].expr
    if not simple_aggregates(target) or divides(target):
        return None
    count = isinstance(target, a.Aggregate) and target.func.name == "count"
    if not ctx.holds("empty-is-null", count or null_on_empty(target)):
        return None
    known = once_a_key(inner, (a.Target("value", target),), "agg", ctx)
    value = or_zero(known.values[0]) if count else known.values[0]
    return known.item, conjoin(known.on), value, frozenset()


def _lookup(node: a.ScalarSubquery, ctx: Context) -> _Joined | None:
    """One row found by key: the table itself is joined."""
    if not isinstance(node.query, a.Select) or not is_plain(node.query) or is_volatile(node.query):
        return None
    inner = take_apart(replace(node.query, order_by=()))
    if inner is None or len(inner.items) != 1 or len(inner.select.targets) != 1:
        return None
    item, target = inner.items[0], inner.select.targets[0].expr
    if not isinstance(item, a.Scan) or not isinstance(target, a.Column) or target.rel != item.rel:
        return None
    basis = _key_covered(inner, item, ctx)
    if not ctx.holds("at-most-one-row", basis is not None):
        return None
    on = conjoin((*(t.op for t in inner.ties), *inner.local, *inner.others))
    assert on is not None  # there is a tie
    rel = ctx.fresh()
    mapping = {(item.rel, i): a.Column(rel, i, c.type, c.name) for i, c in enumerate(item.columns)}
    value: a.Expr = substitute(target, mapping)
    return replace(item, rel=rel), substitute(on, mapping), value, basis or frozenset()


def _key_covered(inner: Inner, item: a.Scan, ctx: Context) -> frozenset[str] | None:
    tied = {k.pos for t in inner.ties if isinstance(k := t.key, a.Column)}
    return next((basis for columns, basis in ctx.keys(item) if columns <= tied), None)
