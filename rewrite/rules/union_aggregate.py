"""An aggregate over UNION ALL is taken of each arm, and the arms' few rows are summed up.

    SELECT u.part, sum(u.qty) FROM (SELECT part, qty FROM sale UNION ALL SELECT part, qty FROM line) u GROUP BY u.part
    -->
    SELECT u.k1, sum(u.v2) FROM (SELECT part AS k1, sum(qty) AS v2 FROM sale GROUP BY part UNION ALL
                                 SELECT part, sum(qty) FROM line GROUP BY part) u GROUP BY u.k1

Aggregates as `eager_group` decomposes them; grouping by columns whose equal values are the same. Calcite: AggregateUnionTransposeRule.
SOUNDNESS 6b, 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, grouped, rule
from rewright.rewrite.rules.eager_group import aggregates, decomposes, outside, split
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.types import BOOL, equality_is_identity
from rewright.sql.walk import (
    QUERIES,
    columns_used,
    has_subquery,
    has_window,
    map_parts,
    references_whole,
    renumber,
    substitute,
)

MOST_ARMS = 6


@rule(SELECT.where(grouped), known_as="AggregateUnionTransposeRule", priority=62)
def union_aggregate(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    item = block.from_[0] if len(block.from_) == 1 else None
    if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
        return
    arms = list(_arms(item.query))
    found = aggregates(block)
    if not 2 <= len(arms) <= MOST_ARMS or not found or any(has_window(t.expr) for t in block.targets):
        return
    if not all(decomposes(g) for g in found) or is_volatile(block) or references_whole(block, item.rel):
        return
    keys = columns_used(outside(block), (item.rel,))
    # a group by constants alone has no row over no rows; the condition is copied, its subqueries would be too
    if (not keys and block.group_by != ((),)) or has_subquery(block.where or a.RowExpr((), BOOL)):
        return
    if all(equality_is_identity(k.type) for k in keys) and not any(_grouped(x) for x in arms):
        made = _pushed(block, item, arms, keys, found, ctx)
        if made is not None:
            yield Rewrite(made, "each arm of UNION ALL is aggregated by itself first")


def _arms(query: a.Query) -> Iterator[a.Query]:
    """The arms of a chain of UNION ALL; none for anything else."""
    if not isinstance(query, a.SetOp):
        return
    if (
        query.op != "union"
        or not query.all
        or query.limit is not None
        or query.offset is not None
        or query.ctes
    ):
        return
    for side in (query.left, query.right):
        nested = list(_arms(side))
        yield from nested or [side]


def _grouped(query: a.Query) -> bool:
    return isinstance(query, a.Select) and query.group_by is not None


def _pushed(
    block: a.Select,
    item: a.Derived,
    arms: Sequence[a.Query],
    keys: Sequence[a.Column],
    found: Sequence[a.Aggregate],
    ctx: Context,
) -> a.Select | None:
    rel = ctx.fresh()
    targets = [a.Target(f"k{i + 1}", k) for i, k in enumerate(keys)]
    values: dict[a.Aggregate, a.Expr] = {}
    for g in found:
        whole = split(g, rel, targets, zero=False, ctx=ctx)
        if whole is None:
            return None
        values[g] = whole
    union: a.Query | None = None
    for arm in arms:
        source = replace(item, query=arm)
        early = a.Select(tuple(targets), (source,), block.where, (tuple(keys),))
        part = renumber(early, {item.rel: ctx.fresh()})
        union = part if union is None else a.SetOp("union", True, union, part, a.output_columns(early))
    assert union is not None

    def visit(n: Any) -> Any:
        if isinstance(n, QUERIES):
            return n
        return values[n] if isinstance(n, a.Aggregate) else map_parts(n, visit)

    names = tuple(t.name for t in targets)
    mapping: dict[tuple[int, int], a.Expr] = {
        (k.rel, k.pos): a.Column(rel, i, k.type, names[i]) for i, k in enumerate(keys)
    }
    late: a.Select = substitute(map_parts(replace(block, from_=(), where=None), visit), mapping)
    return replace(late, from_=(a.Derived(rel, union, item.alias, names),))
