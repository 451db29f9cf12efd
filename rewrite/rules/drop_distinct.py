"""DISTINCT, or GROUP BY without aggregates, over rows that differ anyway is left out.

    SELECT DISTINCT o.id, o.total, c.name FROM ord o JOIN cust c ON c.id = o.cust
    -->
    SELECT o.id, o.total, c.name FROM ord o JOIN cust c ON c.id = o.cust

The outputs hold a key of the joined rows, closed under the equalities of the block. Calcite:
AggregateRemoveRule. Hazards 8.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.facts import labels
from rewright.sql.walk import conjoin, conjuncts, has_aggregate, has_window


@rule(
    SELECT,
    guards=("outputs-hold-a-key", "groups-are-single-rows"),
    known_as="AggregateRemoveRule",
    priority=81,
)
def drop_distinct(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # DISTINCT without ON
    if block.distinct == ():
        plain = replace(block, distinct=None)
        basis = ctx.facts.is_unique(plain)
        if ctx.holds("outputs-hold-a-key", basis is not None):
            names = labels(basis or ())
            yield Rewrite(plain, "the rows differ without DISTINCT", names)
    # GROUP BY () makes a row of no rows: it is no duplicate elimination
    elif block.group_by is not None and len(block.group_by) == 1 and block.group_by[0]:
        yield from _ungrouped(block, block.group_by[0], ctx)


def _ungrouped(block: a.Select, keys: tuple[a.Expr, ...], ctx: Context) -> Iterator[Rewrite]:
    parts = [*(t.expr for t in block.targets), *(k.expr for k in block.order_by)]
    parts += [block.having] if block.having is not None else []
    # an aggregate over one row is another expression, which is not written here
    if any(has_aggregate(p) or has_window(p) for p in parts):
        return
    # HAVING without aggregates asks the same of the row that WHERE asks
    where = conjoin((*conjuncts(block.where), *conjuncts(block.having)))
    plain = replace(block, group_by=None, having=None, where=where)
    start = [(k.rel, k.pos) for k in keys if isinstance(k, a.Column)]
    # HAVING is of groups: what it says must not be used to find that rows are groups
    basis = ctx.facts.determines_rows(replace(block, having=None), start)
    if ctx.holds("groups-are-single-rows", basis is not None):
        names = labels(basis or ())
        yield Rewrite(plain, "every group is one row", names)
