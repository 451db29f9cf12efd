"""Whether a scalar subquery cut to one row is NULL, as whether it has a row: where what it shows never is.

What it shows and is sorted by is computed no more: it must not fail. A sort asks all rows, a cut and EXISTS
as many as it takes: whether their conditions fail is open. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.types import INT4
from rewright.sql.walk import bottom_up, has_aggregate, has_window, returns_set


def presence(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        if isinstance(node, a.IsNull) and not node.row_form and isinstance(node.arg, a.ScalarSubquery):
            rows = _rows(node.arg.query, changes)
            if rows is not None:
                return a.Exists(rows) if node.negated else a.Not(a.Exists(rows))
        return node

    return bottom_up(query, change)


def _rows(query: a.Query, changes: Changes) -> a.Select | None:
    """The rows of which the subquery shows one, without what it shows."""
    if (
        not isinstance(query, a.Select)
        or query.ctes
        or query.group_by is not None
        or query.having is not None
    ):
        return None
    if not _is_one(query.limit) or query.offset is not None or query.with_ties or len(query.targets) != 1:
        return None
    computed = (query.targets[0].expr, *(k.expr for k in query.order_by))
    if any(has_window(e) or has_aggregate(e) or returns_set(e) for e in computed):
        return None
    if not all(changes.known.cannot_fail(e) for e in (*computed, *(query.distinct or ()))):
        return None
    rows = replace(query, limit=None, order_by=(), distinct=None)
    (basis,) = changes.known.nonnull_outputs(rows)
    if basis is None:
        return None
    changes.rest_on(basis)
    found = replace(rows, targets=(a.Target("one", a.Const("1", INT4)),))
    changes.ask_of_others(found)
    return found


def _is_one(limit: a.Expr | None) -> bool:
    if isinstance(limit, a.Cast) and limit.implicit:
        limit = limit.arg
    return isinstance(limit, a.Const) and limit.value == "1"
