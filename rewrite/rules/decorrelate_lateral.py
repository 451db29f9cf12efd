"""Correlated scalar aggregate to a LATERAL join, which the server can memoize.

    SELECT * FROM o WHERE o.x < (SELECT avg(i.x) FROM i WHERE i.k = o.k)
    -->
    SELECT o.* FROM o, LATERAL (SELECT avg(i.x) AS value FROM i WHERE i.k = o.k) l WHERE o.x < l.value

An aggregate without GROUP BY gives exactly one row, so the cross join neither adds nor loses rows.
Calcite: SubQueryRemoveRule (as LogicalCorrelate).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.correlation import scalar_aggregates
from rewright.sql import algebra as a
from rewright.sql.walk import as_product, conjoin, free_rels, from_rels, replace_node


@rule(SELECT, known_as="SubQueryRemoveRule", priority=40, category="join")
def decorrelate_lateral(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    for conjunct, node, _ in scalar_aggregates(block):
        if not free_rels(node.query) & from_rels(items):
            continue
        rel = ctx.fresh()
        derived = a.Derived(rel, node.query, "once", ("value",), lateral=True)
        value = a.Column(rel, 0, node.type, "value")
        rest = [replace_node(p, node, value) if p == conjunct else p for p in preds]
        yield Rewrite(
            replace(block, from_=(*items, derived), where=conjoin(rest)),
            "the subquery becomes a lateral join, whose results the server can remember by key",
        )
