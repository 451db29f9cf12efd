"""A row by its number among those of a group, which another row is left-joined with: a subquery that skips
the rows before it.

Of the rows that equal a value in all that they are partitioned by, which are one partition, at most one has
the number n: the one behind n - 1 others in the order. So the join keeps each row once, and shows NULLs where
there is no such row, as a subquery without rows is NULL. Where the order leaves ties the two may choose
otherwise. What is computed of other partitions must not fail. Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.types import INT2, INT4, INT8, equality_is_identity
from rewright.sql.walk import (
    Fresh,
    conjoin,
    conjuncts,
    copy_fresh,
    free_rels,
    has_aggregate,
    has_window,
    map_parts,
    references_whole,
    replace_item,
    returns_set,
    substitute,
    walk,
)

Pair = tuple[a.Column, a.Expr]


def placed(
    block: a.Select, join: a.Join, ties: Sequence[Pair | None], fresh: Fresh, changes: Changes
) -> a.Select | None:
    """The block without the join. ``ties``: of each conjunct of ON, the column of the right side that it
    equates with one of the left, and the equation; None for another one.
    """
    item = join.right
    assert isinstance(item, a.Derived)
    on = list(conjuncts(join.on))
    if item.lateral or item.security_barrier or free_rels(item.query) or is_volatile(item.query):
        return None
    others = [p for p, tie in zip(on, ties, strict=True) if tie is None]
    found = _asked(item, others)
    if found is None:
        return None
    rows, call, number = found
    own = [(rows.targets[t[0].pos].expr, t) for t in ties if t is not None]
    keys = set(call.window.partition_by)
    if {key for key, _ in own} != keys or not _has_whole_groups(rows, keys):
        return None
    equated = [map_parts(pred, lambda x, c=column, k=key: k if x == c else x) for key, (column, pred) in own]
    where = conjoin((*conjuncts(rows.where), *equated))
    rest = replace(block, from_=tuple(replace_item(i, join, join.left) for i in block.from_))
    read = {n.pos for n in walk(rest) if isinstance(n, a.Column) and n.rel == item.rel}
    if any(has_window(rows.targets[pos].expr) for pos in read) or references_whole(block, item.rel):
        return None
    sorted_by = [*keys, *(k.expr for k in call.window.order_by)]
    total = changes.known.exprs_determine(replace(rows, targets=()), sorted_by)
    # of rows that tie two columns may be of two rows
    if total is None and len(read) > 1:
        return None
    changes.compute_again(item.query)
    if total is None:
        changes.modulo.add("tie-order")
    else:
        changes.rest_on(total)
    one, skipped = a.Const("1", INT8), a.Const(str(number - 1), INT8)
    cut = replace(
        rows, where=where, order_by=call.window.order_by, limit=one, offset=None if number == 1 else skipped
    )
    made = {pos: _alone(cut, pos, fresh) for pos in sorted(read)}

    def visit(n: Any) -> Any:
        return made[n.pos] if isinstance(n, a.Column) and n.rel == item.rel else map_parts(n, visit)

    whole: a.Select = visit(rest)
    return whole


def _alone(cut: a.Select, pos: int, fresh: Fresh) -> a.ScalarSubquery:
    copied, _ = copy_fresh(replace(cut, targets=(cut.targets[pos],)), fresh)
    return a.ScalarSubquery(copied, cut.targets[pos].expr.type)


def _asked(item: a.Derived, asked: Sequence[a.Expr]) -> tuple[a.Select, a.WindowCall, int] | None:
    """The rows that are numbered, showing what the item does, by what, and the one number that is asked for:
    by ``asked``, or by a block around them.
    """
    rows, rel = item.query, item.rel
    if not isinstance(rows, a.Select):
        return None
    shown = rows.targets
    if not asked:
        if len(rows.from_) != 1 or not isinstance(rows.from_[0], a.Derived) or not _is_whole(rows):
            return None
        inner = rows.from_[0]
        around = replace(rows, from_=(), where=None)
        odd = any(f(t.expr) for t in shown for f in (has_window, has_aggregate, returns_set))
        if odd or rows.group_by is not None or rows.having is not None or references_whole(rows, inner.rel):
            return None
        if inner.lateral or inner.security_barrier or not isinstance(inner.query, a.Select):
            return None
        asked, rel, rows = conjuncts(rows.where), inner.rel, inner.query
        given = {(rel, i): t.expr for i, t in enumerate(rows.targets)}
        shown = substitute(around, given).targets
    numbers = [_number(p, rel) for p in asked]
    # of several conditions one may refuse the row that another asks for
    if len(numbers) != 1 or numbers[0] is None or not _is_whole(rows):
        return None
    pos, number = numbers[0]
    call = rows.targets[pos].expr
    if any(returns_set(t.expr) for t in (*rows.targets, *shown)) or not _numbers_within(call):
        return None
    assert isinstance(call, a.WindowCall)
    return replace(rows, targets=shown, order_by=()), call, number


def _is_whole(block: a.Select) -> bool:
    cut = block.limit is not None or block.offset is not None or block.with_ties
    return not cut and block.distinct is None and not block.ctes


def _number(pred: a.Expr, rel: int) -> tuple[int, int] | None:
    """Which column a condition compares with a number, where it leaves one of 1, 2, 3 … only."""
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or len(pred.args) != 2:
        return None
    one, other = pred.args
    name = pred.op.name
    if isinstance(other, a.Column):
        one, other, name = other, one, {"=": "=", ">=": "<=", ">": "<"}.get(name, "")
    if isinstance(other, a.Cast) and other.implicit:
        other = other.arg
    plain = isinstance(other, a.Const) and other.type in {INT2, INT4, INT8}
    if not isinstance(one, a.Column) or one.rel != rel or one.type != INT8 or not plain:
        return None
    assert isinstance(other, a.Const)
    if not (other.value or "").isdecimal():
        return None
    bound = int(other.value or 0)
    meant = {"=": bound, "<=": 1 if bound == 1 else 0, "<": 1 if bound == 2 else 0}.get(name, 0)
    return (one.pos, meant) if meant > 0 else None


def _numbers_within(call: a.Expr) -> bool:
    if not isinstance(call, a.WindowCall) or not call.func.is_builtin or call.func.name != "row_number":
        return False
    frame, window = call.window.frame, call.window
    plain = frame.start_offset is None and frame.end_offset is None and call.filter is None
    return plain and bool(window.partition_by) and bool(window.order_by)


def _has_whole_groups(rows: a.Select, keys: set[a.Expr]) -> bool:
    """Whether the rows that equal values in the keys are those of whole partitions, also where they are
    groups: then each key is one of those that they are made by.
    """
    alike = all(equality_is_identity(k.type) for k in keys)
    grouped = rows.group_by
    return alike and (grouped is None or (len(grouped) == 1 and keys <= set(grouped[0])))
