"""Conditions of a block and constants in them, as rules on single comparisons see them.

Owns the places where only TRUE counts (conjuncts of WHERE, HAVING and ON, and the arms of AND and OR in
them), and comparisons turned so that the constant stands on the right. Must not know any rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

from rewright.sql import algebra as a
from rewright.sql.comparisons import FLIPPED
from rewright.sql.constants import Value, constant, value

Simplify = Callable[[a.Expr], a.Expr | None]


def in_conditions(block: a.Select, simplify: Simplify) -> a.Select | None:
    """``block`` with every condition for which ``simplify`` has another one; None when it has none.

    The other condition must be TRUE on the same rows; it may differ between FALSE and NULL.
    """
    where = _positive(block.where, simplify)
    having = _positive(block.having, simplify)
    from_ = tuple(_in_item(i, simplify) for i in block.from_)
    same = where is block.where and having is block.having
    if same and all(m is i for m, i in zip(from_, block.from_, strict=True)):
        return None
    return replace(block, where=where, having=having, from_=from_)


def _in_item(item: a.FromItem, simplify: Simplify) -> a.FromItem:
    if not isinstance(item, a.Join):
        return item
    left, right = _in_item(item.left, simplify), _in_item(item.right, simplify)
    on = _positive(item.on, simplify)
    if left is item.left and right is item.right and on is item.on:
        return item
    return replace(item, left=left, right=right, on=on)


def _positive(expr: a.Expr | None, simplify: Simplify) -> a.Expr | None:
    if expr is None:
        return None
    if isinstance(expr, a.And | a.Or):
        args = tuple(_positive(x, simplify) or x for x in expr.args)
        if all(m is x for m, x in zip(args, expr.args, strict=True)):
            return expr
        return a.And(tuple(_flat(args, a.And))) if isinstance(expr, a.And) else a.Or(tuple(_flat(args, a.Or)))
    found = simplify(expr)
    return expr if found is None else found


def _flat(args: tuple[a.Expr, ...], kind: type[a.And | a.Or]) -> Iterator[a.Expr]:
    for arg in args:
        if isinstance(arg, a.And | a.Or) and isinstance(arg, kind):
            yield from _flat(arg.args, kind)
        else:
            yield arg


def compares(name: str, left: Value, right: Value) -> bool | None:
    """``left name right`` for values of one kind; None for an order of texts."""
    if name in {"=", "<>"}:
        return (left == right) == (name == "=")
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        return _ordered(name, left < right, left == right)
    if isinstance(left, datetime) and isinstance(right, datetime):
        return _ordered(name, left < right, left == right)
    return None


def _ordered(name: str, less: bool, same: bool) -> bool:
    return {"<": less, "<=": less or same, ">": not less and not same, ">=": not less}[name]


def turned(expr: a.Expr) -> tuple[str, a.Expr, a.Const] | None:
    """A built-in comparison with a constant as (operator, the other side, constant)."""
    if (
        not isinstance(expr, a.Op)
        or len(expr.args) != 2
        or not expr.op.is_builtin
        or expr.op.name not in FLIPPED
    ):
        return None
    left, right = expr.args
    if (found := constant(right)) is not None:
        return expr.op.name, left, found
    if (found := constant(left)) is not None:
        return FLIPPED[expr.op.name], right, found
    return None


def is_column(expr: a.Expr) -> bool:
    """A column, or one under a conversion that changes nothing."""
    if isinstance(expr, a.Cast) and expr.implicit and expr.method == "binary":
        expr = expr.arg
    return isinstance(expr, a.Column)


def never(pred: a.Expr) -> bool:
    """Whether a condition on constants is never TRUE, whatever its columns: it is FALSE or NULL."""
    match pred:
        case a.Const():
            return pred.value is None
        case a.Or():
            return all(never(arg) for arg in pred.args)
        case a.InList():
            met = (never(a.Op(pred.op, (pred.left, item), pred.type)) for item in pred.items)
            return any(met) if pred.all else all(met)
        case a.Op() if _with_null(pred):
            return True
    compared = turned(pred)
    left = constant(compared[1]) if compared is not None else None
    if compared is None or left is None or left.type != compared[2].type:
        return False
    one, other = value(left), value(compared[2])
    return one is not None and other is not None and compares(compared[0], one, other) is False


def _with_null(op: a.Op) -> bool:
    """A built-in comparison with NULL is NULL."""
    return (
        op.op.is_builtin
        and op.op.name in FLIPPED
        and any(isinstance(arg, a.Const) and arg.value is None for arg in op.args)
    )
