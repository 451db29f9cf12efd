"""[NOT] EXISTS over a disjunction that ties the rows: one EXISTS for each arm.

    SELECT p.id FROM product p WHERE NOT EXISTS (SELECT 1 FROM move m WHERE m.product = p.id OR m.place =
    p.home AND m.delta > 19) -->
    SELECT p.id FROM product p WHERE NOT EXISTS (SELECT 1 FROM move m WHERE m.product = p.id)
       AND NOT EXISTS (SELECT 1 FROM move m WHERE m.place = p.home AND m.delta > 19)

Each arm has ties of its own, so that each can be hashed or look into an index. EXISTS is never NULL, and a
row meets one of the arms or none. Known as OR-expansion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, filtered, rule
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import (
    conjoin,
    conjuncts,
    copy_fresh,
    disjuncts,
    free_rels,
    from_rels,
    has_aggregate,
    map_kind,
    replace_node,
    walk_block,
)

MOST_ARMS = 4


@rule(SELECT.where(filtered), known_as="OR-expansion", priority=78, category="predicate")
def split_exists(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    assert block.where is not None
    for node in dict.fromkeys(n for n in walk_block(block.where) if isinstance(n, a.Exists)):
        arms = _arms(node, ctx)
        if not arms:
            continue
        neither = a.And(tuple(a.Not(x) for x in arms))
        either = a.Or(arms)
        # NOT EXISTS first, as an AND: within an OR of ANDs other rules would not see the arms
        where = replace_node(replace_node(block.where, a.Not(node), neither), node, either)
        # an OR within an OR is one list of arms
        where = map_kind(where, a.Or, lambda n: a.Or(disjuncts(n)))
        yield Rewrite(
            replace(block, where=conjoin(conjuncts(where))),
            "each arm of a disjunction in EXISTS is asked by itself",
        )


def _arms(node: a.Exists, ctx: Context) -> tuple[a.Exists, ...]:
    query = node.query
    # LIMIT 0 is no EXISTS; OFFSET asks for more rows than one
    if not isinstance(query, a.Select) or query.limit is not None or query.offset is not None:
        return ()
    grouped = query.group_by is not None or query.having is not None
    if grouped or query.ctes or may_differ(query) or any(has_aggregate(t.expr) for t in query.targets):
        return ()
    inside = from_rels(query.from_)
    preds = conjuncts(query.where)
    # an OR over the subquery's own columns is a filter, and no tie
    split = next((p for p in preds if isinstance(p, a.Or) and free_rels(p) - inside), None)
    if split is None or len(disjuncts(split)) > MOST_ARMS:
        return ()
    made = (
        # an arm's own conjuncts take its place among the others
        replace(query, where=conjoin(x for p in preds for x in (conjuncts(arm) if p is split else (p,))))
        for arm in disjuncts(split)
    )
    return tuple(a.Exists(copy_fresh(q, ctx.fresh)[0]) for q in made)
