"""The order in which rows reach a block's aggregates: that of a sorted subquery, read alone.

    SELECT jsonb_agg(x) FROM (SELECT x FROM t ORDER BY day, id LIMIT 3) s

The manual (9.21) says so of a query without further processing. The planner pulls up no subquery that sorts
(is_simple_subquery) and scans it in its order. One without a LIMIT might be sorted by parts, in parallel,
and array_agg and string_agg made of these (from version 16): such are left open. Must not know what is asked
of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rewright.sql.algebra import Aggregate, Derived, Expr, Select, WindowCall
from rewright.sql.facts.assumptions import Assumptions
from rewright.sql.walk import returns_set, walk_block

Determines = Callable[[Select, Sequence[Expr]], Assumptions | None]


def arrives_in_order(block: Select, determine: Determines) -> Assumptions | None:
    """What shows that a block's rows reach its aggregates in one order; None: they may come in several.
    ``determine``: what shows that rows of a block which agree on expressions are one row.
    """
    calls = [n for n in walk_block(block) if isinstance(n, Aggregate)]
    # one that sorts its own rows may sort those of the others
    if block.group_by != ((),) or any(c.order_by or c.distinct or c.direct for c in calls):
        return None
    rows = _sorted_rows(block)
    if rows is None or rows.limit is None:
        return None
    return determine(rows, [k.expr for k in rows.order_by])


def _sorted_rows(block: Select) -> Select | None:
    """The sorted subquery whose rows, and nothing else, the block reads: past such as only choose columns."""
    if len(block.from_) != 1 or block.where is not None or not isinstance(block.from_[0], Derived):
        return None
    rows = block.from_[0].query
    if (
        not isinstance(rows, Select)
        or rows.distinct is not None
        or any(returns_set(t.expr) for t in rows.targets)
    ):
        return None
    if rows.order_by:
        return rows
    # what groups, numbers or cuts its rows may put them in another order
    plain = rows.group_by is None and rows.limit is None and rows.offset is None
    numbers = any(isinstance(n, WindowCall) for n in walk_block(rows))
    return _sorted_rows(rows) if plain and not numbers else None
