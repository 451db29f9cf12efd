"""Inner joins written as a nest to a product with conjuncts, so that the planner may order them freely.

    SELECT * FROM a JOIN b ON a.x = b.x JOIN c ON b.y = c.y
    -->
    SELECT * FROM a, b, c WHERE a.x = b.x AND b.y = c.y

Beyond join_collapse_limit (8) explicit joins are planned in the order they are written; a FROM list is one
problem whatever its length. Outer joins stay whole and move to the end. Calcite: FilterJoinRule (into WHERE).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewrite.rules.base import Context, Rewrite, Rule
from rewrite.rules.tree import as_product, conjoin, free_rels, from_rels
from sql import algebra as a


def apply(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    if not isinstance(block, a.Select) or not any(isinstance(i, a.Join) for i in block.from_):
        return
    items, preds = as_product(block)
    if len(items) > len(block.from_):
        yield Rewrite(
            replace(block, from_=tuple(items), where=conjoin(preds)),
            "inner joins are listed as one product, which the planner may order freely",
        )
    lifted = _lift_left_joins(items)
    if lifted is not None:
        yield Rewrite(
            replace(block, from_=lifted[0], where=conjoin((*lifted[1], *preds))),
            "inner joins below outer joins are taken out of the nest",
        )


def _lift_left_joins(items: list[a.FromItem]) -> tuple[tuple[a.FromItem, ...], tuple[a.Expr, ...]] | None:
    """``(X join Y on p) left join Z on q`` to ``Y, X left join Z on q where p``.

    The preserved side's product commutes with the left join: only the items that q reads need stay below it.
    """
    made: list[a.FromItem] = []
    preds: list[a.Expr] = []
    changed = False
    for item in items:
        if not (isinstance(item, a.Join) and item.kind == "left" and isinstance(item.left, a.Join)):
            made.append(item)
            continue
        side = a.Select((), (item.left,))
        below, inner = as_product(side)
        needed = (free_rels(item.on) if item.on is not None else frozenset()) | free_rels(item.right)
        stay = [i for i in below if from_rels((i,)) & needed]
        go = [i for i in below if i not in stay]
        if len(stay) != 1 or (not go and len(below) < 2):
            made.append(item)
            continue
        changed = True
        made += [*go, a.Join("left", stay[0], item.right, item.on)]
        preds += inner
    if not changed:
        return None
    return tuple(made), tuple(preds)


RULE = Rule("join_as_product", apply, (), "FilterJoinRule", priority=60)
