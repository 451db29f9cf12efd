"""ORDER BY inside a subquery whose order nobody sees is left out, so that the subquery can be merged.

    SELECT x.cust, count(*) FROM (SELECT * FROM sale ORDER BY day) x GROUP BY x.cust
    -->
    SELECT x.cust, count(*) FROM (SELECT * FROM sale) x GROUP BY x.cust

Kept under LIMIT and DISTINCT ON, below aggregates and windows that depend on the order of their input, and
where the outer block passes the rows on as they come. Calcite: SortRemoveRule. Hazards 13, M9, M10.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.facts import order_sensitive
from rewright.sql.walk import walk_block


@rule(SELECT, known_as="SortRemoveRule", priority=77)
def drop_inner_order(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    del ctx
    if not any(_ordered(i) for i in block.from_):
        return
    # with LIMIT or DISTINCT ON the order of the subquery decides which rows are seen
    if block.limit is not None or block.offset is not None or block.distinct:
        return
    # rows shown as they come: no promise of the server's, and yet what people see
    mixed = bool(block.order_by) or block.group_by is not None or block.distinct == () or len(block.from_) > 1
    # a plain `SELECT * FROM (… ORDER BY x) s` shows the order, though SQL promises none
    if not mixed and not any(isinstance(i, a.Join) for i in block.from_):
        return
    if not _sees_order(block):
        made = replace(block, from_=tuple(_without(i) for i in block.from_))
        yield Rewrite(made, "nobody sees the order of a subquery's rows")


def _ordered(item: a.FromItem) -> bool:
    if isinstance(item, a.Join):
        return _ordered(item.left) or _ordered(item.right)
    return (
        isinstance(item, a.Derived)
        and bool(item.query.order_by)
        # under LIMIT the order chooses rows
        and item.query.limit is None
        and item.query.offset is None
        # DISTINCT ON takes the first row by it
        and not (isinstance(item.query, a.Select) and item.query.distinct)
        and not item.security_barrier
    )


def _without(item: a.FromItem) -> a.FromItem:
    if isinstance(item, a.Join):
        return replace(item, left=_without(item.left), right=_without(item.right))
    if not _ordered(item):
        return item
    assert isinstance(item, a.Derived)
    query = item.query
    # twice the same, for their sort keys are of different types
    if isinstance(query, a.Select):
        return replace(item, query=replace(query, order_by=()))
    return replace(item, query=replace(query, order_by=()))


def _sees_order(block: a.Select) -> bool:
    parts = [*(t.expr for t in block.targets), *(k.expr for k in block.order_by)]
    parts += [block.having] if block.having is not None else []
    return any(
        # row_number() OVER () and array_agg(x) show the order in which rows arrive
        isinstance(n, a.WindowCall) or (isinstance(n, a.Aggregate) and order_sensitive(n))
        for p in parts
        for n in walk_block(p)
    )
