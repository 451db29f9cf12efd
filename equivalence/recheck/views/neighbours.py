"""What windows tell of the row whose whole number comes right before or behind, as a lookup of that number.

    CASE WHEN lag(n) OVER (PARTITION BY g ORDER BY n) = n - 1 THEN lag(v) OVER (the same) END
    is   (SELECT v FROM the rows r WHERE r.g IS NOT DISTINCT FROM g AND r.n = n - 1)

No whole number lies between two that follow each other, so that the row with the one stands next to that with
the other in their order, if both are there; the partition and the number tell the rows apart. NULL is no
number's neighbour, and where there is none the lookup is NULL, or its EXISTS false. Must not know the other
forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.build import compare, operator
from rewright.sql.facts import is_equality, is_volatile
from rewright.sql.types import BOOL
from rewright.sql.walk import (
    QUERIES,
    Fresh,
    conjoin,
    copy_fresh,
    has_subquery,
    has_window,
    highest_number,
    map_parts,
    returns_set,
)

_WHOLE = frozenset({"int2", "int4", "int8"})


def neighbours(query: a.Query, changes: Changes) -> a.Query:
    fresh = Fresh(highest_number(query))

    def visit(node: Any) -> Any:
        node = map_parts(node, visit)
        return _block(node, changes, fresh) if isinstance(node, a.Select) else node

    made: a.Query = visit(query)
    return made


def _block(block: a.Select, changes: Changes, fresh: Fresh) -> a.Select:
    shown = [t.expr for t in block.targets]
    sets = block.group_by is not None and len(block.group_by) > 1
    if sets or block.ctes or is_volatile(block) or any(returns_set(e) for e in shown):
        return block
    if not any(has_window(e) for e in shown):
        return block

    def visit(node: Any) -> Any:
        if isinstance(node, QUERIES):
            return node
        match node:
            case a.Case(whens=((test, a.WindowCall() as value),), default=a.Const(value=None), type=type_):
                if isinstance(test, a.Op) and _reads_beside(value) and value.type == type_:
                    found = _row(block, test, value.window, value.args[0], changes, fresh)
                    if found is not None:
                        return a.ScalarSubquery(found, type_)
            case a.Coalesce(args=(a.Op() as test, a.Const("f", type_))) if type_ == BOOL:
                found = _row(block, test, None, None, changes, fresh)
                if found is not None:
                    return a.Exists(found)
        return map_parts(node, visit)

    return replace(block, targets=tuple(replace(t, expr=visit(t.expr)) for t in block.targets))


def _reads_beside(call: a.WindowCall) -> bool:
    one = call.func.is_builtin and call.func.name in {"lag", "lead"} and len(call.args) == 1
    return one and call.filter is None and not call.ignore_nulls and call.window.frame == a.Frame()


def _row(
    block: a.Select,
    test: a.Op,
    window: a.Window | None,
    value: a.Expr | None,
    changes: Changes,
    fresh: Fresh,
) -> a.Select | None:
    """The rows of the block with the number that the test asks the neighbour for; None where it asks for
    anything else. ``window``: in which the neighbour is shown.
    """
    told = _number(test)
    if told is None or (window is not None and told[0].window != window):
        return None
    call, at = told
    number, groups = call.args[0], call.window.partition_by
    read = (*groups, number) if value is None else (*groups, number, value)
    if any(has_subquery(e) or has_window(e) for e in read):
        return None
    rows = a.Select((), block.from_, block.where, block.group_by, block.having)
    alone = changes.known.exprs_determine(rows, [*groups, number])
    if alone is None:
        return None
    targets = tuple(a.Target(f"c{i}", e) for i, e in enumerate(read, 1))
    again, _ = copy_fresh(replace(rows, targets=targets), fresh)
    rel = fresh()
    item = a.Derived(rel, again, "others", tuple(t.name for t in targets))
    there = [a.Column(rel, i, t.expr.type, t.name) for i, t in enumerate(again.targets)]
    asked = _of_partition(groups, there, rows, changes)
    if asked is None:
        return None
    changes.rest_on(alone)
    # a window reads what it shows of every row, also of those that are no neighbours
    changes.ask_of_others(again)
    args = [*test.args]
    args[at] = there[len(groups)]
    asked.append(replace(test, args=tuple(args)))
    shown = a.Const("t", BOOL) if value is None else there[-1]
    return a.Select((a.Target("x", shown),), (item,), conjoin(asked))


def _of_partition(
    groups: Sequence[a.Expr], there: Sequence[a.Column], rows: a.Select, changes: Changes
) -> list[a.Expr] | None:
    """That another row is of the row's own partition."""
    filled = changes.known.nonnull_columns(rows)
    asked: list[a.Expr] = []
    for own, other in zip(groups, there, strict=False):
        op = operator("=", own.type, own.type)
        if op is None or own.type.collation not in {"", "default"}:
            return None
        never = changes.known.never_null(own, filled, rows)
        equal = compare("=", other, own)
        if never is not None and equal is not None:
            changes.rest_on(never)
            asked.append(equal)
        else:
            asked.append(a.IsDistinct(op, other, own, negated=True))
    return asked


def _number(test: a.Op) -> tuple[a.WindowCall, int] | None:
    """The neighbour's number that is compared with the next one to the row's own, and on which side."""
    if not is_equality(test):
        return None
    for at in (0, 1):
        call, other = test.args[at], test.args[1 - at]
        if not isinstance(call, a.WindowCall) or not _reads_beside(call) or len(call.window.order_by) != 1:
            continue
        number, key = call.args[0], call.window.order_by[0]
        if key.expr != number or not key.op.is_builtin or not number.type.is_builtin:
            continue
        way = {("<", False): 1, (">", True): -1}.get((key.op.name, key.descending))
        if way is None or number.type.name not in _WHOLE:
            continue
        towards = -way if call.func.name == "lag" else way
        if _next(other, number, towards):
            return call, at
    return None


def _next(expr: a.Expr, number: a.Expr, towards: int) -> bool:
    """Whether it is the number one above or below."""
    if not isinstance(expr, a.Op) or not expr.op.is_builtin or len(expr.args) != 2:
        return False
    left, by = expr.args
    if left != number or not isinstance(by, a.Const) or by.type.name not in _WHOLE:
        return False
    return (expr.op.name, by.value) in {
        1: {("+", "1"), ("-", "-1")},
        -1: {("-", "1"), ("+", "-1")},
    }[towards]
