"""The nearest of the rows that come before the outer one, or the farthest: a value of a growing frame.

    (SELECT p.cost FROM sale p WHERE p.cust = s.cust AND p.day < s.day ORDER BY p.day DESC LIMIT 1)
    -->
    last_value(s.cost) OVER (PARTITION BY s.cust ORDER BY s.day
                             GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)

Shared by the rules of running windows, which see it as one more aggregate. Which of tied rows it is stays
open as before. Must not know where the subquery stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rewright.equivalence.laws.correlation import Inner, take_apart
from rewright.sql import algebra as a
from rewright.sql.build import function
from rewright.sql.facts import may_differ
from rewright.sql.walk import has_aggregate, has_subquery, has_window, renumber, returns_set


def first_row_block(query: a.Query) -> Inner | None:
    """The parts of a subquery that shows the first row of a correlated product."""
    # OFFSET 1 takes the second row, WITH TIES several
    if not isinstance(query, a.Select) or query.ctes or query.offset is not None or query.with_ties:
        return None
    if query.group_by is not None or query.distinct is not None or not query.order_by or may_differ(query):
        return None
    if not isinstance(query.limit, a.Const) or query.limit.value != "1" or len(query.targets) != 1:
        return None
    value = query.targets[0].expr
    # a window or an aggregate sees the rows that LIMIT leaves out
    if has_window(value) or has_aggregate(value) or has_subquery(value) or returns_set(value):
        return None
    inner = take_apart(replace(query, order_by=(), limit=None))
    return None if inner is None else replace(inner, select=query)


def picked(query: a.Select, order: Sequence[tuple[a.Expr, bool]], twins: Mapping[int, int]) -> a.Expr | None:
    """The value as an aggregate of the rows before the outer one, in their ``order``; None where the subquery
    sorts by something else. A window function gives a type without its modifier.
    """
    keys = [(renumber(k.expr, twins), k.descending) for k in query.order_by]
    # another order than that of the frame has another first row
    if [e for e, _ in keys] != [e for e, _ in order] or not all(k.op.is_builtin for k in query.order_by):
        return None
    turned = {descending != falling for (_, descending), (_, falling) in zip(keys, order, strict=True)}
    # one key rising and one falling against the frame: neither of its ends
    if len(turned) != 1:
        return None
    # against the frame's order the first row is its last value
    func = function("last_value" if turned == {True} else "first_value", "anyelement")
    value = renumber(query.targets[0].expr, twins)
    if func is None:
        return None
    found = a.Aggregate(func, (value,), value.type.without_typmod())
    # varchar(5) out of last_value is a plain varchar
    return found if found.type == value.type else a.Cast(found, value.type, method="typmod")
