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
# relation numbers begin at 0, so that no column has this one
_MARK: Col = (-1, 0)


# an empty set means "nothing known"; a constant NULL is strict in everything
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
    """Whether ``condition`` is not TRUE when ``part``, an expression in it, is NULL (hazards 4a)."""
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
        # a column is NULL exactly where it is
        case Column():
            return frozenset({(expr.rel, expr.pos)})
        case Const():
            return _ALL if expr.value is None else NONE
        case Op():
            # strict functions are not called where an argument is NULL (manual, CREATE FUNCTION)
            return _union(map(_strict, expr.args)) if expr.op.function.strict else NONE
        case Call():
            # a strict function of sets gives no row instead of a NULL
            strict = expr.func.strict and not expr.func.returns_set
            return _union(map(_strict, expr.args)) if strict else NONE
        case Cast():
            # the domain's CHECK or a cast function that is not strict may see the NULL
            safe = expr.method != "domain" and (expr.func is None or expr.func.strict)
            return _strict(expr.arg) if safe else NONE
        case Collate() | FieldSelect() | Not():
            return _strict(expr.arg)
        # FALSE AND NULL is FALSE: only what makes all parts NULL makes the whole NULL
        case And() | Or() | Coalesce() | MinMax():
            return _meet(map(_strict, expr.args))
        case Case():
            return _meet([_strict(expr.default), *(_strict(r) for _, r in expr.whens)])
        # NULLIF(NULL, x) is NULL; NULLIF(x, NULL) is x
        case NullIf():
            return _strict(expr.left)
        # x IN () of no items is FALSE even for NULL; with items NULL = anything is NULL
        case InList():
            return _strict(expr.left) if expr.op.function.strict and expr.items else NONE
        # x = ANY (NULL) is NULL; but x = ANY ('{}') is FALSE, so the left side alone decides nothing
        case ArrayOp():
            return _strict(expr.array) if expr.op.function.strict else NONE
        # array[NULL] and NULL[i] are both NULL
        case Subscript():
            parts = [expr.arg, *(u for u in (*expr.lower, *expr.upper) if u is not None)]
            return _union(map(_strict, parts))
        case _:
            return NONE


def _rejected(expr: Expr) -> _Answer:
    match expr:
        # WHERE NULL and WHERE FALSE keep no row: everything is rejected in no rows
        case Const():
            return NONE if expr.value == "t" else _ALL
        case And():
            return _union(map(_rejected, expr.args))
        case Or():
            return _meet(map(_rejected, expr.args))
        # IS NOT NULL of a row is another test: ROW(1, NULL) is neither NULL nor NOT NULL
        case IsNull():
            return _strict(expr.arg) if expr.negated and not expr.row_form else NONE
        case IsBool():
            return _rejected_test(expr)
        case IsDistinct():
            return _rejected_distinct(expr)
        # = ALL ('{}') is TRUE, also for a NULL on the left
        case ArrayOp():
            left = _strict(expr.left) if expr.op.function.strict and not expr.all else NONE
            return _union([left, _strict(expr)])
        # NOT IN and <> ALL of a subquery without rows are TRUE
        case Quantified():
            strict = all(o.function.strict for o in expr.ops) and expr.kind in {"=", "op"}
            return _union(map(_strict, expr.left)) if strict and not expr.all else NONE
        case RowCompare(kind="<>"):
            # true where any pair differs
            pairs = zip(expr.ops, expr.left, expr.right, strict=True)
            return _meet(
                _union([_strict(x), _strict(y)]) if op.function.strict else NONE for op, x, y in pairs
            )
        # (a, b) < (c, d) looks at b only where a = c: the first pair must be known
        case RowCompare():
            first = expr.ops[0].function.strict
            return _union([_strict(expr.left[0]), _strict(expr.right[0])]) if first else NONE
        case _:
            return _strict(expr)


def _rejected_test(expr: IsBool) -> _Answer:
    match expr.test, expr.negated:
        case "true", False:
            # x IS TRUE rejects what x rejects
            return _rejected(expr.arg)
        # NULL IS FALSE is FALSE, NULL IS NOT UNKNOWN too
        case ("false", False) | ("unknown", True):
            return _strict(expr.arg)
        # IS NOT TRUE, IS NOT FALSE and IS UNKNOWN are TRUE of NULL
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
