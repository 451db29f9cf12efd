"""Inner joins written as a nest to a product with conjuncts, so that the planner may order them freely.

    SELECT * FROM a JOIN b ON a.x = b.x JOIN c ON b.y = c.y
    -->
    SELECT * FROM a, b, c WHERE a.x = b.x AND b.y = c.y

Beyond join_collapse_limit (8) explicit joins are planned in the order they are written; a FROM list is one
problem whatever its length. Outer joins stay whole and move to the end. Calcite: FilterJoinRule (into WHERE).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.walk import as_product, conjoin, conjuncts, free_rels, from_rels


@rule(SELECT, known_as="FilterJoinRule", priority=60, category="join")
def join_as_product(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    del ctx
    if not any(isinstance(i, a.Join) for i in block.from_):
        return
    items, preds = as_product(block)
    # FROM's own list already holds them all otherwise
    if len(items) > len(block.from_):
        yield Rewrite(
            replace(block, from_=tuple(items), where=conjoin(preds)),
            "inner joins are listed as one product, which the planner may order freely",
        )
    lifted, conditions = lift(block.from_)
    # lifted out of the nest below LEFT JOINs there are more items than the server would flatten
    if len(lifted) > len(items):
        yield Rewrite(
            replace(block, from_=tuple(lifted), where=conjoin((*conditions, *conjuncts(block.where)))),
            "inner joins are taken out of the nest below outer joins and listed as one product",
        )


def lift(items: Iterable[a.FromItem]) -> tuple[list[a.FromItem], list[a.Expr]]:
    """Inner joins taken apart, also on the preserved side of left joins.

    ``(X join Y on p) left join Z on q`` is ``Y, X left join Z on q where p`` when q reads X and Z: a product
    on the preserved side commutes with the left join, and so does a filter there (7c).
    """
    made: list[a.FromItem] = []
    preds: list[a.Expr] = []
    for item in items:
        if isinstance(item, a.Join) and item.kind == "inner":
            inner, more = lift((item.left, item.right))
            made += inner
            preds += [*more, *conjuncts(item.on)]
        elif isinstance(item, a.Join) and item.kind == "left":
            inner, more = lift((item.left,))
            needed = (free_rels(item.on) if item.on is not None else frozenset()) | free_rels(item.right)
            # ON reads at least one of the kept items, or none (`ON true`): then any one carries the padding
            stay = [i for i in inner if from_rels((i,)) & needed] or inner[:1]
            left = stay[0]
            for other in stay[1:]:
                left = a.Join("inner", left, other, None)
            made += [*(i for i in inner if i not in stay), a.Join("left", left, item.right, item.on)]
            preds += more
        else:
            made.append(item)
    return made, preds
