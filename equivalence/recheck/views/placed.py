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
    replace_node,
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
    if item.lateral or item.security_barrier or free_rels(item.query) or is_volatile(item.query):
        return None
    others = [p for p, tie in zip(conjuncts(join.on), ties, strict=True) if tie is None]
    found = _asked(item, others)
    if found is None:
        return None
    rows, call, number = found
    tied = _of_partition(rows, call, [t for t in ties if t is not None])
    rest = replace(block, from_=tuple(replace_item(i, join, join.left) for i in block.from_))
    read = {n.pos for n in walk(rest) if isinstance(n, a.Column) and n.rel == item.rel}
    if tied is None or any(has_window(rows.targets[pos].expr) for pos in read):
        return None
    if references_whole(block, item.rel) or not _is_one_row(rows, call, len(read), changes):
        return None
    changes.compute_again(item.query)
    cut = replace(
        tied,
        order_by=call.window.order_by,
        limit=a.Const("1", INT8),
        offset=None if number == 1 else a.Const(str(number - 1), INT8),
    )
    made = {pos: _alone(cut, pos, fresh) for pos in sorted(read)}

    def visit(n: Any) -> Any:
        return made[n.pos] if isinstance(n, a.Column) and n.rel == item.rel else map_parts(n, visit)

    whole: a.Select = visit(rest)
    return whole


def _of_partition(rows: a.Select, call: a.WindowCall, ties: Sequence[Pair]) -> a.Select | None:
    """The rows that equal a value in all that they are partitioned by, where these are a whole partition:
    also where they are groups, if each of those keys is one that the groups are made by.
    """
    keys = set(call.window.partition_by)
    own = [(rows.targets[column.pos].expr, column, pred) for column, pred in ties]
    grouped = rows.group_by
    if {key for key, _, _ in own} != keys or not all(equality_is_identity(k.type) for k in keys):
        return None
    if grouped is not None and (len(grouped) != 1 or not keys <= set(grouped[0])):
        return None
    equated = [replace_node(pred, column, key) for key, column, pred in own]
    return replace(rows, where=conjoin((*conjuncts(rows.where), *equated)))


def _is_one_row(rows: a.Select, call: a.WindowCall, read: int, changes: Changes) -> bool:
    """Whether all columns that are read are of one row: of rows that tie in the order two may be of two."""
    sorted_by = [*call.window.partition_by, *(k.expr for k in call.window.order_by)]
    total = changes.known.exprs_determine(replace(rows, targets=()), sorted_by)
    if total is not None:
        changes.rest_on(total)
    elif read < 2:
        changes.modulo.add("tie-order")
    return total is not None or read < 2


def _alone(cut: a.Select, pos: int, fresh: Fresh) -> a.ScalarSubquery:
    copied, _ = copy_fresh(replace(cut, targets=(cut.targets[pos],)), fresh)
    return a.ScalarSubquery(copied, cut.targets[pos].expr.type)


def _asked(item: a.Derived, asked: Sequence[a.Expr]) -> tuple[a.Select, a.WindowCall, int] | None:
    """The rows that are numbered, showing what the item does, by what, and the one number that is asked for:
    by ``asked``, or by a block around them.
    """
    rows, rel = item.query, item.rel
    if not isinstance(rows, a.Select) or not _is_whole(rows):
        return None
    shown = rows.targets
    if not asked:
        inner = _filtered(rows)
        if inner is None or not isinstance(inner.query, a.Select):
            return None
        asked, rel = conjuncts(rows.where), inner.rel
        given = {(rel, i): t.expr for i, t in enumerate(inner.query.targets)}
        shown = substitute(replace(rows, from_=(), where=None), given).targets
        rows = inner.query
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


def _filtered(block: a.Select) -> a.Derived | None:
    """What a block shows some rows of, each by itself."""
    item = block.from_[0] if len(block.from_) == 1 else None
    if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
        return None
    odd = any(f(t.expr) for t in block.targets for f in (has_window, has_aggregate, returns_set))
    grouped = block.group_by is not None or block.having is not None
    return None if odd or grouped or references_whole(block, item.rel) else item


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
