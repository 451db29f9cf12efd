"""A subquery that is correlated by more than equalities, tied by keys to a copy of the outer tables: the
*domain* of Neumann and Kemper, "Unnesting Arbitrary Queries" (BTW 2015), with the outer tables' own filters.

Must not know where a subquery stands, nor what becomes of it.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.laws.correlation import Tie
from rewright.rewrite.rules.base import Context
from rewright.rewrite.rules.nested import Kind, Nested
from rewright.sql import algebra as a
from rewright.sql.build import compare
from rewright.sql.facts import may_differ
from rewright.sql.walk import as_product, free_of_all, free_rels, from_rels, has_subquery, renumber


def over_domain(found: Nested, block: a.Select, ctx: Context) -> Nested | None:
    """A subquery that is correlated by more than equalities, rewritten so that keys tie it to a copy of the
    outer tables.

    (SELECT count(*) FROM ord o WHERE o.cust = c.id AND o.day > c.since)
    -->
    (SELECT count(*) FROM ord o, cust d WHERE o.cust = d.id AND o.day > d.since AND d.id = c.id)
    """
    items, preds = as_product(block)
    conditions = (*(t.op for t in found.ties), *found.others)
    asked = free_of_all(conditions) - from_rels(found.items)
    holders = [i for i in items if from_rels((i,)) & asked]
    if not asked <= from_rels(holders) or found.kind is Kind.ROW or any(has_subquery(c) for c in conditions):
        return None
    rels = {r: ctx.fresh() for r in sorted(from_rels(holders))}
    ties: list[Tie] = []
    names: frozenset[str] = frozenset()
    for holder in holders:
        tied = _by_key(holder, rels, ctx)
        if tied is None:
            return None
        ties += tied[0]
        names |= tied[1]
    near = [p for p in preds if free_rels(p) and free_rels(p) <= from_rels(holders) and not has_subquery(p)]
    own = [renumber(p, rels) for p in (*conditions, *near) if not may_differ(p)]
    copies = tuple(renumber(h, rels) for h in holders)
    return replace(
        found,
        items=(*found.items, *copies),
        local=(*found.local, *own),
        ties=tuple(ties),
        others=(),
        assumptions=found.assumptions | names,
        over_domain=True,
    )


def _by_key(
    holder: a.FromItem, rels: dict[int, int], ctx: Context
) -> tuple[list[Tie], frozenset[str]] | None:
    """Equalities that find a row of a table in its copy, and what they rest on."""
    if not isinstance(holder, a.Scan):
        return None
    keys = (k for k in ctx.keys(holder) if all(ctx.column_filled(holder, p) for p in k[0]))
    key = next(keys, None)
    if key is None:
        return None
    ties = []
    for pos in sorted(key[0]):
        shown = holder.columns[pos]
        outer = a.Column(holder.rel, pos, shown.type, shown.name)
        inner = replace(outer, rel=rels[holder.rel])
        op = compare("=", inner, outer)
        if op is None:
            return None
        ties.append(Tie(inner, outer, op, True))
    return ties, key[1]
