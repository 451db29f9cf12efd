"""Semi-joins that follow from a block's joins: ``x.k = r.k`` and a filter on r give ``x.k IN (SELECT r.k
…)``.

Shared by the rules that carry such restrictions to where they save work. Must not know those rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.equivalence.laws.correlation import as_tie
from rewright.rewrite.rules.base import Context
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.walk import (
    conjoin,
    copy_fresh,
    free_of_all,
    free_rels,
    from_rels,
    has_subquery,
    used_rels,
)


def implied_semijoins(
    items: Sequence[a.FromItem], preds: Sequence[a.Expr], target: a.FromItem, ctx: Context
) -> Iterator[a.Quantified]:
    """``columns of target IN (SELECT … FROM neighbour(s) WHERE their own filters)``, one a neighbour.

    ``items`` and ``preds`` are a product and its conjuncts, so that each conjunct holds for every row that
    counts. A neighbour takes its own filtered neighbours along (one step: snowflakes).
    """
    mine = from_rels((target,))
    scope = from_rels(items)
    for item in items:
        if item is target or isinstance(item, a.Join | a.FunctionScan):
            continue
        rels = from_rels((item,))
        ties = [
            t for p in preds if free_rels(p) & scope <= rels | mine and (t := as_tie(p, mine)) is not None
        ]
        ties = [
            t for t in ties if used_rels(t.outer) == rels and isinstance(t.inner, a.Column) and t.symmetric
        ]
        if not ties:
            continue
        near, own = _with_filters(item, items, preds, mine)
        if not own or free_of_all(near) or is_volatile(a.Select((), tuple(near), conjoin(own))):
            continue
        block = a.Select(
            tuple(a.Target(f"k{i}", t.outer) for i, t in enumerate(ties)), tuple(near), conjoin(own)
        )
        copied, _ = copy_fresh(block, ctx.fresh)
        yield a.Quantified("=", tuple(t.op.op for t in ties), tuple(t.inner for t in ties), copied)


def _with_filters(
    item: a.FromItem, items: Sequence[a.FromItem], preds: Sequence[a.Expr], mine: frozenset[int]
) -> tuple[list[a.FromItem], list[a.Expr]]:
    scope = from_rels(items)
    rels = from_rels((item,))
    near = [item]
    for other in items:
        theirs = from_rels((other,))
        if other is item or theirs & mine or isinstance(other, a.Join) or not isinstance(other, a.Scan):
            continue
        filtered = any(free_rels(p) & scope == theirs and not has_subquery(p) for p in preds)
        joined = any(
            as_tie(p, theirs) is not None and free_rels(p) & scope <= theirs | rels and free_rels(p) & rels
            for p in preds
        )
        if filtered and joined:
            near.append(other)
    reach = from_rels(near)
    own = [p for p in preds if free_rels(p) and free_rels(p) <= reach and not has_subquery(p)]
    return near, own
