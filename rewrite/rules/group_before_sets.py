"""Rows under several grouping sets are grouped by all keys first, and the sets are made of these groups.

    SELECT c.state, s.channel, sum(s.amount) FROM sale s JOIN cust c ON c.id = s.cust
     GROUP BY CUBE (c.state, s.channel)
    -->
    SELECT g.k1, g.k2, sum(g.v3)
      FROM (SELECT c.state AS k1, s.channel AS k2, sum(s.amount) AS v3
              FROM sale s JOIN cust c ON c.id = s.cust GROUP BY c.state, s.channel) g
     GROUP BY CUBE (g.k1, g.k2)

The server sorts or hashes all rows again for sets that are no prefix of one another; groups are few. One
group shows one of its equal keys, which have to look alike. The set without keys has a row over no rows, too,
whose counts are 0. Known as computing a cuboid of its smallest parent (Gray et al. 1997). Hazards 6a-6e.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, aggregated, rule, stable
from rewright.rewrite.rules.partial import TwoSteps, aggregates, decomposes, with_values
from rewright.sql import algebra as a
from rewright.sql.walk import (
    columns_used,
    free_rels,
    from_rels,
    references_whole,
    replace_node,
    substitute,
    walk,
)


@rule(
    SELECT.where(aggregated, stable),
    guards=("nothing-counts-zero",),
    known_as="smallest parent (Gray et al. 1997)",
    priority=63,
)
def group_before_sets(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    sets, own = block.group_by or (), from_rels(block.from_)
    keys = tuple(dict.fromkeys(k for one in sets for k in one))
    if len(sets) < 2 or not keys or _of_groups(block):
        return
    # a constant or an outer column is no key of these rows
    if not all(free_rels(k) & own for k in keys) or any(references_whole(block, rel) for rel in own):
        return
    found = aggregates(block)
    if not all(decomposes(g) for g in found):
        return
    # of keys that look different (1.0, 1.00) another one might be shown
    if not ctx.alike(keys, block.from_):
        return
    steps = TwoSteps(ctx.fresh(), keys)
    if not steps.split(found, ctx, zero=() in sets):
        return
    above = _above(block, steps)
    # what else is shown of a row, by a key's dependency, the groups do not have
    if not columns_used((above,), own):
        groups = a.Derived(steps.rel, steps.below(block.from_, block.where), "grouped", steps.names)
        yield Rewrite(
            replace(above, from_=(groups,)), "the grouping sets are made of groups by all their keys"
        )


def _above(block: a.Select, steps: TwoSteps) -> a.Select:
    """The block over the groups, with their columns for its keys."""
    made = with_values(replace(block, from_=(), where=None), steps.values)
    named = [(k, a.Column(steps.rel, i, k.type, steps.names[i])) for i, k in enumerate(steps.keys)]
    # the larger first: a key may be a part of another
    for key, column in sorted(named, key=lambda x: -sum(1 for _ in walk(x[0]))):
        if not isinstance(key, a.Column):
            made = replace_node(made, key, column)
    return substitute(made, steps.moved)


def _of_groups(block: a.Select) -> bool:
    """Whether what is grouped are groups already: there is little to be saved."""
    (item, *others) = block.from_ or (None,)
    query = item.query if isinstance(item, a.Derived) else None
    return not others and isinstance(query, a.Select) and query.group_by is not None
