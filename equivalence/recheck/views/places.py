"""Blocks that keep the rows with some numbers of row_number() and sort by it, as OFFSET and LIMIT.

All rows have a number, in one order without PARTITION BY: the first m are skipped and n are kept, in that
order. The block asks for nothing else and does not show the number. Ties in the order are left open, and what
may fail of the columns, which are computed for other rows. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.comparisons import FLIPPED
from rewright.sql.facts import is_volatile
from rewright.sql.walk import (
    bottom_up,
    conjuncts,
    has_aggregate,
    has_window,
    references_whole,
    returns_set,
    substitute,
    walk,
)

_EVERY = 2**62


def places(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        return (_page(node, changes) or node) if isinstance(node, a.Select) else node

    return bottom_up(query, change)


def _page(block: a.Select, changes: Changes) -> a.Select | None:
    item = block.from_[0] if len(block.from_) == 1 else None
    if not isinstance(item, a.Derived) or item.lateral or item.security_barrier or len(block.order_by) != 1:
        return None
    rows, (key,) = item.query, block.order_by
    number = key.expr
    rising = key.op.is_builtin and key.op.name == "<"
    if not isinstance(number, a.Column) or number.rel != item.rel or not rising or not _is_plain(block):
        return None
    if not isinstance(rows, a.Select) or not _is_plain(rows) or rows.order_by:
        return None
    if references_whole(block, item.rel) or any(has_window(t.expr) for t in block.targets):
        return None
    call = rows.targets[number.pos].expr
    windows = [n for t in rows.targets for n in walk(t) if isinstance(n, a.WindowCall)]
    if not isinstance(call, a.WindowCall) or windows != [call] or not _numbers_all(call):
        return None
    shown = [n for t in block.targets for n in walk(t) if isinstance(n, a.Column)]
    if any((n.rel, n.pos) == (number.rel, number.pos) for n in shown):
        return None
    kept = _kept(block, number)
    if kept is None:
        return None
    changes.modulo |= _left_open(block, rows, call, changes)
    columns = {(item.rel, i): t.expr for i, t in enumerate(rows.targets)}
    targets = tuple(replace(t, expr=substitute(t.expr, columns)) for t in block.targets)
    first, last = kept
    # the last row that is kept may be found before all are numbered
    if last < _EVERY:
        changes.ask_of_others(replace(rows, targets=()))
    return replace(
        rows,
        targets=targets,
        order_by=call.window.order_by,
        offset=a.Const(str(first - 1), a.COUNT_TYPE) if first > 1 else None,
        limit=a.Const(str(last - first + 1), a.COUNT_TYPE) if last < _EVERY else None,
    )


def _left_open(block: a.Select, rows: a.Select, call: a.WindowCall, changes: Changes) -> set[str]:
    found: set[str] = set()
    basis = changes.known.exprs_determine(replace(rows, targets=()), [k.expr for k in call.window.order_by])
    if basis is None:
        found.add("tie-order")
    else:
        changes.rest_on(basis)
    if any(changes.known.errors(t.expr) for t in (*block.targets, *rows.targets)):
        found.add("errors")
    return found


def _is_plain(block: a.Select) -> bool:
    if block.ctes or block.group_by is not None or block.distinct is not None or is_volatile(block):
        return False
    if block.limit is not None or block.offset is not None:
        return False
    return not any(returns_set(t.expr) or has_aggregate(t.expr) for t in block.targets)


def _numbers_all(call: a.WindowCall) -> bool:
    named = call.func.is_builtin and call.func.name == "row_number" and call.filter is None
    return named and bool(call.window.order_by) and not call.window.partition_by


def _kept(block: a.Select, number: a.Column) -> tuple[int, int] | None:
    """The numbers of the first and the last row that are kept; None where more is asked, or all are, or none
    is.
    """
    first, last = 1, _EVERY
    for pred in conjuncts(block.where):
        if not isinstance(pred, a.Op) or not pred.op.is_builtin or len(pred.args) != 2:
            return None
        one, other = pred.args
        name = pred.op.name
        if isinstance(other, a.Column):
            one, other, name = other, one, FLIPPED.get(name, "")
        other = other.arg if isinstance(other, a.Cast) and other.implicit else other
        whole = isinstance(other, a.Const) and other.type.name in {"int2", "int4", "int8"}
        if not isinstance(one, a.Column) or (one.rel, one.pos) != (number.rel, number.pos):
            return None
        if not whole or not isinstance(other, a.Const) or other.value is None:
            return None
        at = int(other.value)
        bounds = {
            "=": (at, at), "<": (1, at - 1), "<=": (1, at), ">": (at + 1, _EVERY), ">=": (at, _EVERY),
        }.get(name)  # fmt: skip
        if bounds is None:
            return None
        first, last = max(first, bounds[0]), min(last, bounds[1])
    return (first, last) if first <= last and (first, last) != (1, _EVERY) else None
