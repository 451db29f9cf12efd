"""count(DISTINCT x) is taken of groups by x: hashed once, where DISTINCT inside an aggregate sorts.

    SELECT s.part, count(DISTINCT s.cust), sum(s.amount) FROM sale s GROUP BY s.part
    -->
    SELECT g.k1, count(g.x), sum(g.v1) FROM (SELECT part AS k1, cust AS x, sum(amount) AS v1 FROM sale GROUP BY part, cust) g
      GROUP BY g.k1

All DISTINCT aggregates of the block have the same argument; the others can be put together from groups (sum, count, min, max;
no sums of floats). Only types whose equal values are the same value. Calcite: AggregateExpandDistinctAggregatesRule.
SOUNDNESS 6a, 6c.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, grouped, rule
from rewright.rewrite.rules.eager_group import aggregates, decomposes, split
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile, order_sensitive
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import (
    QUERIES,
    columns_used,
    from_rels,
    group_keys,
    has_window,
    map_parts,
    references_whole,
    substitute,
)

IGNORING_DUPLICATES = frozenset({"count", "sum", "min", "max"})


@rule(
    SELECT.where(grouped),
    guards=("one-subject",),
    known_as="AggregateExpandDistinctAggregatesRule",
    priority=46,
    category="others",
)
def distinct_aggregate(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    keys = group_keys(block)
    found = aggregates(block)
    distinct = [g for g in found if g.distinct]
    if not distinct or is_volatile(block) or any(has_window(t.expr) for t in block.targets):
        return
    if any(references_whole(block, rel) for rel in from_rels(block.from_)):
        return
    if not all(_plain(g) for g in distinct):
        return
    subject = distinct[0].args[0]
    if not ctx.holds("one-subject", all(g.args == (subject,) for g in distinct)):
        return
    if subject in keys or not all(isinstance(k, a.Column) and equality_is_identity(k.type) for k in keys):
        return
    # of equal values another one may be shown, but counts stay
    if not equality_is_identity(subject.type) and any(g.func.name != "count" for g in distinct):
        return
    if not all(decomposes(g) for g in found if not g.distinct):
        return
    made = _two_steps(block, keys, subject, found, ctx)
    if made is not None:
        yield Rewrite(made, "rows are grouped by what is counted first")


def _plain(g: a.Aggregate) -> bool:
    """A filtered one counts only some of a group's rows."""
    return (
        len(g.args) == 1
        and g.filter is None
        and not order_sensitive(g)
        and g.func.is_builtin
        and g.func.name in IGNORING_DUPLICATES
    )


def _two_steps(
    block: a.Select,
    keys: tuple[a.Expr, ...],
    subject: a.Expr,
    found: list[a.Aggregate],
    ctx: Context,
) -> a.Select | None:
    rel = ctx.fresh()
    targets = [a.Target(f"k{i}", k) for i, k in enumerate(keys, 1)]
    targets.append(a.Target("x", subject))
    shown = a.Column(rel, len(keys), subject.type, "x")
    values: dict[a.Aggregate, a.Expr] = {
        g: replace(g, distinct=False, args=(shown,)) for g in found if g.distinct
    }
    for g in found:
        if not g.distinct:
            whole = split(g, rel, targets, zero=block.group_by == ((),), ctx=ctx)
            if whole is None:
                return None
            values[g] = whole
    names = tuple(t.name for t in targets)
    inner = a.Select(tuple(targets), block.from_, block.where, ((*keys, subject),), ctes=())
    derived = a.Derived(rel, inner, "grouped", names)

    def visit(n: Any) -> Any:
        if isinstance(n, QUERIES):
            return n
        return values[n] if isinstance(n, a.Aggregate) else map_parts(n, visit)

    late = replace(block, from_=(), where=None)
    above = map_parts(late, visit)
    moved = {
        (k.rel, k.pos): a.Column(rel, i, k.type, f"k{i + 1}")
        for i, k in enumerate(keys)
        if isinstance(k, a.Column)
    }
    above = substitute(above, moved)
    if columns_used((above,), from_rels(block.from_)):
        return None  # something else of the tables is shown, by a key's dependency
    made: a.Select = replace(above, from_=(derived,))
    return made
