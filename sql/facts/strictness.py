"""Strictness: which columns, when NULL, make an expression NULL or a condition not TRUE.

Purely structural; nothing here rests on the schema. A column is named (rel, position).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from rewright.sql.algebra import (
    And,
    ArrayOp,
    Call,
    Case,
    Cast,
    Coalesce,
    Collate,
    Column,
    Const,
    Expr,
    FieldSelect,
    InList,
    IsBool,
    IsDistinct,
    IsNull,
    MinMax,
    Not,
    NullIf,
    Op,
    Or,
    Quantified,
    RowCompare,
    Subscript,
)
from rewright.sql.walk import replace_node

Col = tuple[int, int]
NONE: frozenset[Col] = frozenset()
# a column of no range variable
_MARK: Col = (-1, 0)


class _Everything:
    """The answer for an expression that is NULL anyway."""


_ALL = _Everything()
_Answer = frozenset[Col] | _Everything


def strict_columns(expr: Expr) -> frozenset[Col]:
    """Columns whose being NULL makes ``expr`` NULL, whatever else holds."""
    found = _strict(expr)
    return NONE if isinstance(found, _Everything) else found


def rejected_columns(condition: Expr | None) -> frozenset[Col]:
    """Columns that can't be NULL where the condition is TRUE."""
    if condition is None:
        return NONE
    found = _rejected(condition)
    return NONE if isinstance(found, _Everything) else found


def is_strict_in(expr: Expr, part: Expr) -> bool:
    """Whether ``expr`` is NULL whenever ``part``, an expression in it, is."""
    return _MARK in strict_columns(_marked(expr, part))


def rejects_null_of(condition: Expr, part: Expr) -> bool:
    """Whether ``condition`` is not TRUE when ``part``, an expression in it, is NULL (SOUNDNESS 4a)."""
    return _MARK in rejected_columns(_marked(condition, part))


def _marked(expr: Expr, part: Expr) -> Expr:
    """With a column that stands for the part, so that what is known of columns holds of any expression."""
    return replace_node(expr, part, Column(*_MARK, part.type))


def _union(answers: Iterable[_Answer]) -> _Answer:
    found: frozenset[Col] = NONE
    for a in answers:
        if isinstance(a, _Everything):
            return _ALL
        found |= a
    return found


def _meet(answers: Iterable[_Answer]) -> _Answer:
    def both(a: _Answer, b: _Answer) -> _Answer:
        if isinstance(a, _Everything):
            return b
        return a if isinstance(b, _Everything) else a & b

    start: _Answer = _ALL
    return reduce(both, answers, start)


def _strict(expr: Expr) -> _Answer:
    match expr:
        case Column():
            return frozenset({(expr.rel, expr.pos)})
        case Const():
            return _ALL if expr.value is None else NONE
        case Op():
            return _union(map(_strict, expr.args)) if expr.op.function.strict else NONE
        case Call():
            strict = expr.func.strict and not expr.func.returns_set
            return _union(map(_strict, expr.args)) if strict else NONE
        case Cast():
            safe = expr.method != "domain" and (expr.func is None or expr.func.strict)
            return _strict(expr.arg) if safe else NONE
        case Collate() | FieldSelect() | Not():
            return _strict(expr.arg)
        case And() | Or() | Coalesce() | MinMax():
            return _meet(map(_strict, expr.args))
        case Case():
            return _meet([_strict(expr.default), *(_strict(r) for _, r in expr.whens)])
        case NullIf():
            return _strict(expr.left)
        case InList():
            return _strict(expr.left) if expr.op.function.strict and expr.items else NONE
        case ArrayOp():
            return _strict(expr.array) if expr.op.function.strict else NONE
        case Subscript():
            parts = [expr.arg, *(u for u in (*expr.lower, *expr.upper) if u is not None)]
            return _union(map(_strict, parts))
        case _:
            return NONE


def _rejected(expr: Expr) -> _Answer:
    match expr:
        case Const():
            return NONE if expr.value == "t" else _ALL
        case And():
            return _union(map(_rejected, expr.args))
        case Or():
            return _meet(map(_rejected, expr.args))
        case IsNull():
            return _strict(expr.arg) if expr.negated and not expr.row_form else NONE
        case IsBool():
            return _rejected_test(expr)
        case IsDistinct():
            return _rejected_distinct(expr)
        case ArrayOp():
            left = _strict(expr.left) if expr.op.function.strict and not expr.all else NONE
            return _union([left, _strict(expr)])
        case Quantified():
            strict = all(o.function.strict for o in expr.ops) and expr.kind in {"=", "op"}
            return _union(map(_strict, expr.left)) if strict and not expr.all else NONE
        case RowCompare(kind="<>"):
            # true where any pair differs
            pairs = zip(expr.ops, expr.left, expr.right, strict=True)
            return _meet(
                _union([_strict(x), _strict(y)]) if op.function.strict else NONE for op, x, y in pairs
            )
        case RowCompare():
            first = expr.ops[0].function.strict
            return _union([_strict(expr.left[0]), _strict(expr.right[0])]) if first else NONE
        case _:
            return _strict(expr)


def _rejected_test(expr: IsBool) -> _Answer:
    match expr.test, expr.negated:
        case "true", False:
            return _rejected(expr.arg)
        case ("false", False) | ("unknown", True):
            return _strict(expr.arg)
        case _:
            return NONE


def _rejected_distinct(expr: IsDistinct) -> _Answer:
    """``x IS NOT DISTINCT FROM constant`` rejects NULL unless the constant is NULL."""
    if not expr.negated or not expr.op.function.strict:
        return NONE
    for side, other in ((expr.left, expr.right), (expr.right, expr.left)):
        if isinstance(other, Const) and other.value is not None:
            return _strict(side)
    return NONE
