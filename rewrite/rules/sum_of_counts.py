"""The sum over groups of count times key is the sum of the key over the rows.

    SELECT sum(g.n * g.sal) FROM (SELECT sal, count(*) AS n FROM emp GROUP BY sal) g WHERE g.sal IS NOT NULL
    -->
    SELECT sum(e.sal) FROM emp e WHERE e.sal IS NOT NULL

For numeric keys, whose sums are exact whatever their order (QUITE, Figure 2), that have a scale: 1.0 and 1.00
are one group, whose key is either, and the sum shows as many digits as the key. The other conjuncts read
keys only.

Calcite: AggregateMergeRule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, one_source, rule
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import columns_used, conjoin, conjuncts, has_subquery, substitute


@rule(
    SELECT.where(one_source),
    guards=("no-having", "counts-rows", "key-has-a-scale"),
    known_as="AggregateMergeRule",
    priority=74,
    category="others",
)
def sum_of_counts(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # in groups of its own the block sums parts of the rows: the same law, not written here
    if block.group_by != ((),) or len(block.targets) != 1:
        return
    item, target = block.from_[0], block.targets[0].expr
    if not isinstance(item, a.Derived) or not isinstance(target, a.Aggregate) or block.having is not None:
        return
    source = item.query
    if not isinstance(source, a.Select) or not _is_counted(source, ctx) or may_differ(source):
        return
    key = _key_of(target, item.rel, source, ctx)
    if key is None or block.order_by or block.distinct is not None:
        return
    keys = (source.group_by or ((),))[0]
    used = columns_used(conjuncts(block.where), (item.rel,))
    # a condition on the count is one on groups, not on rows
    if any(source.targets[c.pos].expr not in keys for c in used) or any(
        has_subquery(c) for c in conjuncts(block.where)
    ):
        return
    mapping = {(item.rel, i): t.expr for i, t in enumerate(source.targets)}
    where = conjoin((*conjuncts(source.where), *(substitute(c, mapping) for c in conjuncts(block.where))))
    made = replace(target, args=(key,))
    yield Rewrite(
        replace(block, targets=(replace(block.targets[0], expr=made),), from_=source.from_, where=where),
        "count times key, summed over the groups, is the sum of the key over the rows",
    )


def _is_counted(source: a.Select, ctx: Context) -> bool:
    plain = source.limit is None and source.offset is None and source.distinct is None and not source.ctes
    grouped = source.group_by is not None and len(source.group_by) == 1 and bool(source.group_by[0])
    return plain and grouped and ctx.holds("no-having", source.having is None)


def _key_of(target: a.Aggregate, rel: int, source: a.Select, ctx: Context) -> a.Expr | None:
    """The grouping expression k of ``sum(count(*) * k)``."""
    # DISTINCT adds up equal products once
    if target.func.name != "sum" or target.distinct or target.filter is not None or len(target.args) != 1:
        return None
    product = _bare(target.args[0])
    # sums of numerics are exact in any order; floats are not, integers overflow elsewhere
    if not isinstance(product, a.Op) or product.op.name != "*" or product.type.name != "numeric":
        return None
    parts = [_bare(x) for x in product.args]
    if not all(isinstance(p, a.Column) and p.rel == rel for p in parts):
        return None
    places = [p.pos for p in parts if isinstance(p, a.Column)]
    exprs = [source.targets[pos].expr for pos in places]
    counts = [e for e in exprs if isinstance(e, a.Aggregate) and e.func.name == "count" and e.filter is None]
    grouped, looks = (source.group_by or ((),))[0], ctx.facts.looks(source)
    alike = [e for p, e in zip(places, exprs, strict=True) if ctx.holds("key-has-a-scale", bool(looks[p]))]
    keys = [e for e in alike if e in grouped and e.type.name == "numeric"]
    # n * n or k * k is no count times key; without a scale the group's key is any of its rows'
    if len(counts) != 1 or len(keys) != 1 or counts[0].distinct:
        return None
    # count(x) leaves out rows whose x is NULL; sum(k) does not
    return keys[0] if ctx.holds("counts-rows", counts[0].star) else None


def _bare(expr: a.Expr) -> a.Expr:
    """Without conversions between numbers that keep the value: integer to numeric, numeric to numeric."""
    while isinstance(expr, a.Cast) and expr.type.name == "numeric" and expr.type.typmod == -1:
        if expr.arg.type.name not in {"int4", "int8", "numeric"}:
            return expr
        expr = expr.arg
    return expr
