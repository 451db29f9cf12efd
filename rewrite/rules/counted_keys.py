"""Tables that are joined only to be counted by their keys, or for their extremes, are grouped before the
join: weights in place of rows.

    SELECT o.region, count(DISTINCT t.id), count(DISTINCT c.id) FROM org o LEFT JOIN ticket t ON t.org = o.id
      LEFT JOIN comment c ON c.ticket = t.id LEFT JOIN event e ON e.ticket = t.id GROUP BY o.region
    -->
    SELECT o.region, count(t.id), sum(coalesce(n.v1, 0))::bigint FROM org o LEFT JOIN ticket t ON t.org = o.id
      LEFT JOIN (SELECT ticket AS key1, count(id) AS v1 FROM comment GROUP BY ticket) n ON n.key1 = t.id GROUP
      BY o.region

Unlike fan_out for any grouping of the other rows. Each row of such a table has one partner, so no key is
counted for two of them. A LEFT JOINed table that nobody reads goes. Calcite: AggregateJoinTransposeRule.
Hazards 5d, 6d, 6f.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.correlation import Inner
from rewright.equivalence.laws.fans import Leaf, fan_of, put_together
from rewright.rewrite.rules.base import (
    SELECT,
    Context,
    Rewrite,
    grouped,
    no_windows,
    one_source,
    rule,
    stable,
)
from rewright.rewrite.rules.correlation import once_a_key
from rewright.rewrite.rules.partial import aggregates, with_values
from rewright.sql import algebra as a
from rewright.sql.build import numbered, or_zero
from rewright.sql.facts import labels
from rewright.sql.walk import conjoin


@rule(
    SELECT.where(grouped, one_source, no_windows, stable),
    guards=("empty-counts-zero",),
    known_as="AggregateJoinTransposeRule",
    priority=83,
    category="join",
)
def counted_keys(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    fan = fan_of(block, ctx.facts)
    if fan is None:
        return
    tree, values = fan.tree, dict[a.Aggregate, a.Expr]()
    for leaf in fan.leaves:
        if not leaf.parts and leaf.kind == "left":
            continue  # it neither adds nor takes away a group
        parts = tuple(dict.fromkeys(leaf.parts.values()))
        inner = Inner(a.Select(()), (leaf.item,), leaf.where, leaf.ties, ())
        known = once_a_key(inner, numbered("v", parts), "pre", ctx)
        tree = a.Join(leaf.kind, tree, known.item, conjoin(known.on))
        read = dict(zip(parts, known.values, strict=True))
        values |= {g: put_together(g, leaf, _read(p, read[p], leaf, ctx)) for g, p in leaf.parts.items()}
    rows = a.Select((), (tree,), conjoin(fan.where))
    basis = fan.basis
    for g in aggregates(block):
        # the DISTINCT count of a key: once its rows are not multiplied any more each value comes once
        made = values.setdefault(g, g)
        if isinstance(made, a.Aggregate) and made.distinct and made.func.name == "count":
            one = ctx.facts.exprs_determine(rows, made.args)
            basis |= one or frozenset()
            values[g] = made if one is None else replace(made, distinct=False)
    rest = with_values(replace(block, from_=(), where=None), values)
    why = "tables joined to be counted are grouped by key before the join"
    yield Rewrite(replace(rest, from_=rows.from_, where=rows.where), why, labels(basis))


def _read(part: a.Aggregate, column: a.Expr, leaf: Leaf, ctx: Context) -> a.Expr:
    # no partner means no group: its weight would be NULL, and count is never NULL
    zero = leaf.kind == "left" and part.func.name == "count" and not ctx.holds("empty-counts-zero", False)
    return or_zero(column) if zero else column
