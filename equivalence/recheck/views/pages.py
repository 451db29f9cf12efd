"""Pages of pages: rows are counted once where both are counted in the same order.

The rows numbered d + 1 to d + c among those numbered b + 1 to b + a of an order are those numbered from
b + d + 1 on, as many as both let through. Where rows tie, either may have counted them otherwise. What is
shown of a row is computed for other rows: it must not fail. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import NOTHING, is_volatile
from rewright.sql.types import INT8, equality_is_identity
from rewright.sql.walk import (
    bottom_up,
    has_aggregate,
    has_subquery,
    has_window,
    references_whole,
    returns_set,
    substitute,
)


def pages(query: a.Query, changes: Changes) -> a.Query:
    return bottom_up(query, lambda n: _once(n, changes) if isinstance(n, a.Select) else n)


def _once(outer: a.Select, changes: Changes) -> a.Select:
    item = outer.from_[0] if len(outer.from_) == 1 else None
    if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
        return outer
    inner = item.query
    if not isinstance(inner, a.Select):
        return outer
    if (outer.where, outer.group_by, outer.having) != (None, None, None) or is_volatile(outer):
        return outer
    exprs = [t.expr for t in (*outer.targets, *inner.targets)]
    if not (_ordered(outer) and _ordered(inner)) or any(returns_set(e) for e in exprs):
        return outer
    own = [*(t.expr for t in outer.targets), *(k.expr for k in outer.order_by)]
    if any(has_aggregate(e) or has_window(e) or has_subquery(e) for e in own):
        return outer
    spans = _span(inner), _span(outer)
    shown = {(item.rel, n): t.expr for n, t in enumerate(inner.targets)}
    same = tuple(substitute(k, shown) for k in outer.order_by) == inner.order_by
    if None in spans or not same or references_whole(outer, item.rel):
        return outer
    if not all(changes.known.cannot_fail(e) for e in exprs):
        return outer
    first, second = spans
    assert first is not None
    assert second is not None
    start = first[0] + second[0]
    ends = [x for x in (first[1], None if second[1] is None else first[0] + second[1]) if x is not None]
    if start.bit_length() > 63:
        return outer
    # the rows between the two ends may fail: how far the inner page looks is up to its own plan
    changes.ask_of_others(replace(inner, targets=(), order_by=(), limit=None, offset=None))
    _leave_ties(inner, changes)
    return replace(
        inner,
        targets=tuple(substitute(t, shown) for t in outer.targets),
        limit=a.Const(str(max(min(ends) - start, 0)), INT8) if ends else None,
        offset=a.Const(str(start), INT8) if start else None,
    )


def _ordered(query: a.Select) -> bool:
    """Whether the rows are sorted and then cut, and nothing else is done with them."""
    plain = query.distinct is None and not query.with_ties and not query.ctes
    return plain and bool(query.order_by) and (query.limit, query.offset) != (None, None)


def _span(query: a.Select) -> tuple[int, int | None] | None:
    """How many rows come before the first that is kept, and before the first that no longer is; None where
    that is not said in numbers.
    """
    found: list[int | None] = []
    for end in (query.offset, query.limit):
        if end is None:
            found.append(None)
        elif isinstance(end, a.Const) and end.value is not None and end.value.isdecimal():
            found.append(int(end.value))
        else:
            return None
    start, count = found
    return start or 0, None if count is None else (start or 0) + count


def _leave_ties(query: a.Select, changes: Changes) -> None:
    keys = [k.expr for k in query.order_by]
    if all(t.expr in keys and equality_is_identity(t.expr.type) for t in query.targets):
        return
    basis = changes.known.exprs_determine(query, keys)
    if basis is None:
        changes.modulo.add("tie-order")
    changes.rest_on(basis or NOTHING)
