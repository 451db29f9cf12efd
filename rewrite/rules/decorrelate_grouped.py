"""Correlated scalar aggregate to a join with a grouped derived table.

    SELECT sum(l.price) FROM part p, line l WHERE l.part = p.id AND p.brand = 'b'
       AND l.qty < (SELECT 0.2 * avg(i.qty) FROM line i WHERE i.part = p.id)
    -->
    SELECT sum(l.price) FROM part p, line l,
           (SELECT i.part, 0.2 * avg(i.qty) AS v FROM line i
             WHERE i.part IN (SELECT id FROM part WHERE brand = 'b') GROUP BY i.part) d
     WHERE l.part = p.id AND p.brand = 'b' AND l.qty < d.v AND d.part = p.id

Forms: plain; aggregated only for the keys of the outer items that hold them (semi-join reduction); for the
keys of the whole outer block. Where the conjunct does not reject NULL, or the value over no rows is not
NULL, LEFT JOIN and COALESCE. SOUNDNESS 1a-1d; Kim 1982, Galindo-Legaria and Joshi 2001.

Calcite: SubQueryRemoveRule, RelDecorrelator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.correlation import Inner
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.correlation import once_a_key, reduction, scalar_aggregates
from rewright.sql import algebra as a
from rewright.sql.build import left_join, or_zero
from rewright.sql.facts import divides, null_on_empty, order_sensitive, rejects_null_of
from rewright.sql.walk import as_product, conjoin, replace_node, walk_block


@rule(
    SELECT,
    guards=("ties-only", "target-cannot-divide", "null-is-rejected"),
    known_as="SubQueryRemoveRule; RelDecorrelator",
    priority=90,
    category="join",
)
def decorrelate_grouped(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    for conjunct, node, inner in scalar_aggregates(block):
        if not ctx.holds("ties-only", not inner.others) or not _suitable(inner, ctx):
            continue
        plain = _joined(block, conjunct, node, inner, (), ctx)
        if plain is None:
            continue
        seen = set()
        for whole, why in (
            (False, "only for keys of the filtered outer side"),
            (True, "only for keys of the outer rows"),
        ):
            limit = reduction(block, inner.ties, conjunct, ctx, whole=whole)
            if limit is not None:
                assert isinstance(limit.query, a.Select)
                shape = len(limit.query.from_)
                if shape not in seen:
                    seen.add(shape)
                    made = _joined(block, conjunct, node, inner, (limit,), ctx)
                    if made is not None:
                        yield Rewrite(made, f"the correlated aggregate is computed once a key, {why}")
        yield Rewrite(plain, "the correlated aggregate is computed once a key in a grouped table and joined")


def _suitable(inner: Inner, ctx: Context) -> bool:
    target = inner.select.targets[0].expr
    aggregates = [n for n in walk_block(target) if isinstance(n, a.Aggregate)]
    return (
        bool(aggregates)
        and not any(order_sensitive(g) for g in aggregates)
        and ctx.holds("target-cannot-divide", not divides(target))
    )


def _joined(
    block: a.Select,
    conjunct: a.Expr,
    node: a.ScalarSubquery,
    inner: Inner,
    limits: tuple[a.Expr, ...],
    ctx: Context,
) -> a.Select | None:
    target = inner.select.targets[0].expr
    known = once_a_key(inner, (a.Target("value", target),), "agg", ctx, limits)
    value: a.Expr = known.values[0]
    empty_is_null = null_on_empty(target)
    if not empty_is_null:
        if not (isinstance(target, a.Aggregate) and target.func.name == "count") or limits:
            return None
        value = or_zero(value)
    items, preds = as_product(block)
    rest = [replace_node(p, node, value) if p == conjunct else p for p in preds]
    # a row without a partner has NULL there: where the condition refuses that, an inner join does
    if ctx.holds("null-is-rejected", empty_is_null and rejects_null_of(conjunct, node)):
        return replace(block, from_=(*items, known.item), where=conjoin((*rest, *known.on)))
    if limits:
        return None
    return replace(block, from_=left_join(items, known.item, conjoin(known.on)), where=conjoin(rest))
