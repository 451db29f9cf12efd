"""A cut to one row that every row is left-joined with: its columns, each looked up by itself.

    FROM a LEFT JOIN LATERAL (SELECT r.x, r.y FROM r WHERE r.a = a.id ORDER BY r.at, r.id LIMIT 1) l ON true
    -->   (SELECT r.x FROM r WHERE r.a = a.id ORDER BY r.at, r.id LIMIT 1) for l.x, likewise for l.y

The join keeps each row once and shows NULLs where the cut has no row, as a subquery without rows is NULL
(manual, 4.2.11). Two lookups are of one row where the order leaves no choice of it, or of what they show.
Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.walk import has_window, returns_set


def joins_that_keep(item: a.FromItem) -> Iterator[a.Join]:
    """Left joins, outermost first, whose rows no outer join pads: a subquery would find a row for NULLs."""
    if not isinstance(item, a.Join):
        return
    if item.kind == "left":
        yield item
    if item.kind in {"left", "inner", "cross"}:
        yield from joins_that_keep(item.left)
    if item.kind in {"inner", "cross"}:
        yield from joins_that_keep(item.right)


def first_row(join: a.Join) -> a.Select | None:
    """The cut to one row that is joined on nothing."""
    item = join.right
    if join.on is not None and not _is_true(join.on):
        return None
    if not isinstance(item, a.Derived) or item.security_barrier or not isinstance(item.query, a.Select):
        return None
    query = item.query
    # a count of no rows is a row
    bare = query.group_by != ((),) and query.distinct is None
    plain = bare and not query.ctes and not query.with_ties
    # LIMIT 0 has no row, and OFFSET -1 is an error
    one = isinstance(query.limit, a.Const) and query.limit.value == "1" and query.offset is None
    if not plain or not one or is_volatile(query):
        return None
    shown = (*(t.expr for t in query.targets), *(k.expr for k in query.order_by))
    return None if any(has_window(e) or returns_set(e) for e in shown) else query


def _is_true(on: a.Expr) -> bool:
    return isinstance(on, a.Const) and on.value == "t" and on.type.name == "bool"


def lookups_of(query: a.Select) -> dict[int, a.Select]:
    """Its columns, by position."""
    return {i: replace(query, targets=(t,)) for i, t in enumerate(query.targets)}
