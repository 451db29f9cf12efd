"""The running total of the last row that a condition lets through, as the total of all that it lets through.

    (SELECT s.total FROM (SELECT k, sum(x) OVER (PARTITION BY g ORDER BY k) AS total FROM t) s
     WHERE s.g = … AND s.k <= … ORDER BY s.k DESC LIMIT 1)
    is   (SELECT sum(x) FROM t WHERE g = … AND k <= …)

A frame holds the rows up to the current one in the window's order, and its peers. Rows that come before one
that is let through are let through: they are of its partition, and smaller where it must be small. NULLs are
let through by no comparison, so that they must not come first. By ROWS, no two rows may tie. Sums of numbers
without rounding, and extremes of values that look one way, are those of the set, NULL where it is empty; so
rows are counted by adding ones. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.build import function
from rewright.sql.builtins import builtins
from rewright.sql.facts import is_equality, is_volatile
from rewright.sql.types import INT4, SqlType, equality_is_identity
from rewright.sql.walk import (
    bottom_up,
    conjuncts,
    has_subquery,
    has_window,
    references_whole,
    returns_set,
    walk,
)

_INTS = ("int2", "int4", "int8")
_ORDERED = {*_INTS, "numeric", "date", "time", "timestamp", "timestamptz"}
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}


def totals(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        if isinstance(node, a.ScalarSubquery) and isinstance(node.query, a.Select):
            made = _total(node.query, changes)
            return node if made is None else replace(node, query=made)
        return node

    return bottom_up(query, change)


def _total(query: a.Select, changes: Changes) -> a.Select | None:
    item = query.from_[0] if len(query.from_) == 1 else None
    if not isinstance(item, a.Derived) or item.lateral or item.security_barrier or is_volatile(query):
        return None
    said = a.Select(query.targets, (item,), query.where, order_by=query.order_by, limit=query.limit)
    first = isinstance(query.limit, a.Const) and query.limit.value == "1"
    if query != said or not first or len(query.targets) != 1 or references_whole(query, item.rel):
        return None
    rows, shown = item.query, query.targets[0].expr
    if not isinstance(rows, a.Select) or not _shows_all(rows):
        return None
    if not isinstance(shown, a.Column) or shown.rel != item.rel:
        return None
    call = rows.targets[shown.pos].expr
    if isinstance(call, a.WindowCall) and _is_number(call):
        # how many rows there are up to the row, which no other row shares its place with
        counts = next(f for f in builtins().functions("count") if f.args == ()).to_ref()
        rows_upto = a.Window(call.window.partition_by, call.window.order_by, a.Frame("rows"))
        call = a.WindowCall(counts, (), rows_upto, call.type, star=True)
    beside = [t.expr for n, t in enumerate(rows.targets) if n != shown.pos]
    if not isinstance(call, a.WindowCall) or any(has_window(e) or has_subquery(e) for e in beside):
        return None
    added = _added(call)
    if added is None or not _ends_the_frame(query, item, rows, call, changes):
        return None
    func = function("sum", "int4") if call.star else call.func
    if func is None:
        return None
    changes.ask_of_others(rows)
    asked = [*conjuncts(query.where), *(k.expr for k in query.order_by)]
    if any(changes.known.errors(p) for p in asked):
        changes.modulo.add("errors")
    column = a.Column(item.rel, shown.pos, added.type, item.names[shown.pos])
    targets = (*rows.targets[: shown.pos], replace(rows.targets[shown.pos], expr=added))
    bare = replace(rows, targets=(*targets, *rows.targets[shown.pos + 1 :]), distinct=None, order_by=())
    total = replace(query.targets[0], expr=a.Aggregate(func, (column,), call.type))
    return a.Select((total,), (replace(item, query=bare),), query.where, ((),))


def _is_number(call: a.WindowCall) -> bool:
    plain = call.window.frame == a.Frame() and call.filter is None
    return plain and call.func.is_builtin and call.func.name == "row_number"


def _shows_all(rows: a.Select) -> bool:
    """Whether what it shows are all of its rows or groups, the same ones once or more often."""
    cut = rows.limit is not None or rows.offset is not None or bool(rows.distinct)
    sets = rows.group_by is not None and len(rows.group_by) != 1
    return not cut and not sets and not rows.ctes and not any(returns_set(t.expr) for t in rows.targets)


def _added(call: a.WindowCall) -> a.Expr | None:
    """What is put together of each row up to the current one, whatever the order."""
    frame = call.window.frame
    whole = frame in {a.Frame(), a.Frame("rows"), a.Frame("groups")}
    if not whole or call.filter is not None or not call.func.is_builtin or call.ignore_nulls:
        return None
    if call.star:
        return a.Const("1", INT4) if call.func.name == "count" else None
    if len(call.args) != 1 or has_subquery(call):
        return None
    value, name = call.args[0], call.func.name
    if name in {"sum", "avg"}:
        return value if value.type.is_builtin and value.type.name in (*_INTS, "numeric") else None
    one = equality_is_identity(value.type) and value.type == call.type
    return value if name in {"min", "max"} and one else None


def _ends_the_frame(
    query: a.Select, item: a.Derived, rows: a.Select, call: a.WindowCall, changes: Changes
) -> bool:
    """Whether the row that is shown has all rows that are let through in its frame, and no others."""
    of = {n: t.expr for n, t in enumerate(rows.targets)}
    window, order = call.window, query.order_by
    compared = [_compared(p, item.rel) for p in conjuncts(query.where)]
    if not window.order_by or len(order) < len(window.order_by) or None in compared:
        return False
    told = [c for c in compared if c is not None]
    bounds = [(pos, sign) for pos, sign in told if sign != "="]
    if len(bounds) != 1 or {of[pos] for pos, sign in told if sign == "="} != set(window.partition_by):
        return False
    ((bound, sign),) = bounds
    for n, key in enumerate(window.order_by):
        by = order[n]
        if not isinstance(by.expr, a.Column) or by.expr.rel != item.rel or of[by.expr.pos] != key.expr:
            return False
        if not _is_ordered(key.expr.type) or not key.op.is_builtin or not by.op.is_builtin:
            return False
        rising = key.op.name == "<" and not key.descending
        falling = key.op.name == ">" and key.descending
        turned = (by.op.name, by.descending) == ((">", True) if rising else ("<", False))
        if not (rising or falling) or not turned:
            return False
        if n == 0 and (by.expr.pos != bound or (sign[0] == "<") != rising):
            return False
        if n > 0 and by.expr.pos != bound and by.nulls_first == key.nulls_first:
            return False
    return _is_told(rows, window, changes)


def _is_told(rows: a.Select, window: a.Window, changes: Changes) -> bool:
    """Whether no NULL comes first, and no row shares its place where that matters."""
    if window.order_by[0].nulls_first:
        never = changes.known.never_null(window.order_by[0].expr, changes.known.nonnull_columns(rows), rows)
        if never is None:
            return False
        changes.rest_on(never)
    if window.frame.mode == "rows":
        keys = [*window.partition_by, *(k.expr for k in window.order_by)]
        alone = changes.known.exprs_determine(replace(rows, targets=(), distinct=None, order_by=()), keys)
        if alone is None:
            return False
        changes.rest_on(alone)
    return True


def _compared(pred: a.Expr, rel: int) -> tuple[int, str] | None:
    """The column of ``rel`` that a condition compares with what is no column of it, and the sign between."""
    if not isinstance(pred, a.Op) or len(pred.args) != 2 or pred.op.name not in _TURNED:
        return None
    if not pred.op.is_builtin or pred.op.function.volatility is not a.Volatility.IMMUTABLE:
        return None
    left, right = pred.args
    sign = pred.op.name
    if not (isinstance(left, a.Column) and left.rel == rel):
        left, right, sign = right, left, _TURNED[sign]
    if not isinstance(left, a.Column) or left.rel != rel:
        return None
    if any(isinstance(n, a.Column) and n.rel == rel for n in walk(right)):
        return None
    if sign == "=":
        one = left.type.without_typmod() == right.type.without_typmod()
        plain = equality_is_identity(left.type) or (left.type.is_builtin and not left.type.collation)
        return (left.pos, sign) if one and plain and is_equality(pred) else None
    return (left.pos, sign) if _is_ordered(left.type) else None


def _is_ordered(type_: SqlType) -> bool:
    return type_.is_builtin and not type_.is_array and type_.name in _ORDERED
