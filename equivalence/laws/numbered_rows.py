"""What a join asks of rows that are numbered within groups: one of them, by its number.

    LEFT JOIN (SELECT cust, day, row_number() OVER (PARTITION BY cust ORDER BY day, id) AS n FROM ord) o
    ON o.cust = c.id AND o.n = 2
        asks for the second row of a group in the order of day and id: OFFSET 1 LIMIT 1

The number may be asked for in ON, or in a subquery around that filters by it and picks columns. No two rows
of a group have one number, so that at most one is met. Must not know what is made of it, rules or provers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.numbered_pages import numbers_asked
from rewright.sql import algebra as a
from rewright.sql.walk import (
    conjuncts,
    has_aggregate,
    has_window,
    references_whole,
    returns_set,
    substitute,
    walk,
)


@dataclass(frozen=True, slots=True)
class Place:
    """The row that stands at ``offset`` (from 0) in an ``order``, among the ``rows`` that agree on ``keys``.
    ``on``: what else the join asks. ``rows`` shows what the join's right side does, at the same positions.
    """

    rows: a.Select
    keys: tuple[a.Expr, ...]
    order: tuple[a.SortKey, ...]
    offset: int
    on: tuple[a.Expr, ...]

    def row(self, target: a.Target, where: a.Expr | None) -> a.Select:
        """The one row of those that meet ``where``."""
        offset = a.Const(str(self.offset), a.COUNT_TYPE) if self.offset else None
        one = a.Const("1", a.COUNT_TYPE)
        return replace(
            self.rows, targets=(target,), where=where, order_by=self.order, limit=one, offset=offset
        )


def place_of(item: a.Derived, on: Sequence[a.Expr]) -> Place | None:
    """The row that a join on ``on`` asks for by its number; None where it asks for none, or for several."""
    query, asked = item.query, [p for p in on if _is_by_number(p, item)]
    rest = tuple(p for p in on if p not in asked)
    if not isinstance(query, a.Select) or not _is_bare(query):
        return None
    inner = query.from_[0] if len(query.from_) == 1 else None
    if not asked and isinstance(inner, a.Derived) and _only_filters(query, inner):
        assert isinstance(inner.query, a.Select)
        shown = {(inner.rel, i): t.expr for i, t in enumerate(inner.query.targets)}
        asked, rows = list(conjuncts(query.where)), inner.query
        # a condition on anything but the number would take away the row that has it
        if not all(_is_by_number(p, inner) for p in asked):
            return None
        query = replace(rows, targets=substitute(replace(query, from_=(), where=None), shown).targets)
    else:
        rows = query
    return _place(rows, query, asked, rest)


def _place(rows: a.Select, shown: a.Select, asked: Sequence[a.Expr], on: tuple[a.Expr, ...]) -> Place | None:
    """``rows``: as they are numbered; ``shown``: the same with what the join sees."""
    columns = {(n.rel, n.pos): n for p in asked for n in walk(p) if isinstance(n, a.Column)}
    if len(columns) != 1 or not _is_bare(rows) or any(returns_set(t.expr) for t in shown.targets):
        return None
    (number,) = columns.values()
    found, call = numbers_asked(asked, number), rows.targets[number.pos].expr
    if found is None or found[0] != found[1] or not _is_number(call):
        return None
    assert isinstance(call, a.WindowCall)
    keys = tuple(dict.fromkeys(call.window.partition_by))
    # of grouped rows those that agree on keys are the groups of the rows that do
    if rows.group_by is not None and (len(rows.group_by) != 1 or not set(keys) <= set(rows.group_by[0])):
        return None
    return Place(replace(shown, order_by=()), keys, call.window.order_by, found[0] - 1, on)


def _is_by_number(pred: a.Expr, item: a.Derived) -> bool:
    """Whether a condition asks about a number of the rows alone."""
    columns = [n for n in walk(pred) if isinstance(n, a.Column)]
    query = item.query
    if not isinstance(query, a.Select) or not columns or any(c.rel != item.rel for c in columns):
        return False
    return isinstance(pred, a.Op) and all(_is_number(query.targets[c.pos].expr) for c in columns)


def _is_number(expr: a.Expr) -> bool:
    """Whether this is the number of a row within its group, in a stated order."""
    if not isinstance(expr, a.WindowCall) or not expr.func.is_builtin or expr.func.name != "row_number":
        return False
    # the distances of a frame are checked though no number depends on them: a negative one fails
    frame = expr.window.frame
    if frame.start_offset is not None or frame.end_offset is not None or expr.filter is not None:
        return False
    return bool(expr.window.partition_by) and bool(expr.window.order_by)


def _is_bare(query: a.Select) -> bool:
    """Whether all rows of its FROM and WHERE, or all its groups, are there."""
    cut = query.limit is not None or query.offset is not None or query.with_ties
    return not cut and query.distinct is None and not query.ctes


def _only_filters(query: a.Select, inner: a.Derived) -> bool:
    """Whether a query shows what another one does, of some of its rows."""
    if inner.lateral or inner.security_barrier or not isinstance(inner.query, a.Select):
        return False
    grouped = query.group_by is not None or query.having is not None or references_whole(query, inner.rel)
    odd = any(has_window(t.expr) or has_aggregate(t.expr) or returns_set(t.expr) for t in query.targets)
    return not grouped and not odd and query.where is not None
