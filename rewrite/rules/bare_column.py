"""A comparison that wraps a column to no effect becomes one of the column itself.

    SELECT * FROM sale s WHERE s.id::text = '5' AND coalesce(s.part, 0) = 3 AND (s.qty > 2) IS TRUE
    -->
    SELECT * FROM sale s WHERE s.id = 5 AND s.part = 3 AND s.qty > 2

Casts of integers to text and numeric, COALESCE and NULLIF with constants, ``IS NOT DISTINCT FROM`` a constant
or a column that is never NULL, IS TRUE, CASE that only says a condition, ``|| ''``, a prefix by substring or
left, ``numeric + constant``. Nothing whose evaluation could fail goes away: integers may overflow, numerics
may not. Calcite: ReduceExpressionsRule.FilterReduceExpressionsRule. Hazards 16, M4, M6.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, Inexact
from decimal import Context as Arithmetic

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.conditions import compares, in_conditions, is_column, turned
from rewright.sql import algebra as a
from rewright.sql.build import compare
from rewright.sql.constants import INTEGERS, constant, number, value
from rewright.sql.records import key_of
from rewright.sql.types import BOOL, TEXT

# the server adds numerics with as many digits as it takes: a sum that has more than these is none here
EXACT = Arithmetic(prec=50, traps=[Inexact])


@rule(
    SELECT,
    guards=("null-counts", "whole-number", "as-the-server-prints", "fills-the-prefix", "one-side-filled"),
    known_as="ReduceExpressionsRule",
    priority=83,
    category="predicate",
)
def bare_column(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    basis: set[str] = set()
    made = in_conditions(
        block,
        lambda e: _filled(e, block, basis, ctx) or _bare(e, ctx) or _equal(e, block, basis, ctx),
    )
    if made is not None:
        yield Rewrite(made, "the column itself is compared", frozenset(basis), literal=True)


def _filled(expr: a.Expr, block: a.Select, basis: set[str], ctx: Context) -> a.Expr | None:
    """``COALESCE(x, …) < 7`` of a column that is never NULL: what follows it is never asked."""
    found = turned(expr) if isinstance(expr, a.Op) else None
    if found is None:
        return None
    operator, side, const = found
    if not isinstance(side, a.Coalesce) or not is_column(side.args[0]):
        return None
    column = side.args[0]
    # the list's first argument decides only if it is never NULL; a NOT NULL column or a condition may say so
    names = ctx.filled(column, block.from_)
    # coalesce(int4, int8) is an int8: the bare column would be compared by another operator
    if names is None or column.type != side.type:
        return None
    basis |= names
    return compare(operator, column, const)


def _equal(expr: a.Expr, block: a.Select, basis: set[str], ctx: Context) -> a.Op | None:
    """``x IS NOT DISTINCT FROM y`` where one of the two is never NULL, as an equality, which can be joined
    by.
    """
    if not isinstance(expr, a.IsDistinct) or not expr.negated:
        return None
    # an operator that is not strict may be TRUE of NULL, which IS NOT DISTINCT FROM passes by
    if not expr.op.is_builtin or not expr.op.function.strict:
        return None
    found = (ctx.filled(x, block.from_) for x in (expr.left, expr.right))
    names = next((x for x in found if x is not None), None)
    # both NULL: not distinct, but `=` is NULL
    if not ctx.holds("one-side-filled", names is not None):
        return None
    basis |= names or frozenset()
    return a.Op(expr.op, (expr.left, expr.right), BOOL)


def _bare(expr: a.Expr, ctx: Context) -> a.Expr | None:
    match expr:
        case a.IsBool(arg=arg, test="true", negated=False):
            return arg
        case a.IsBool(arg=arg, test="false", negated=False):
            return a.Not(arg)
        # a CASE over a NULL test takes its ELSE, which is not TRUE either
        case a.Case(whens=((test, a.Const(value="t")),), default=a.Const(value=other)) if other != "t":
            return test
        # a constant that is NULL is none here (`constant`), so one side is filled
        case a.IsDistinct(op=op, left=left, right=right, negated=True) if constant(right) is not None:
            return a.Op(op, (left, right), BOOL) if op.is_builtin and op.function.strict else None
        case a.IsNull(arg=a.NullIf() as inner, negated=negated, row_form=False):
            return _nullif_is_null(inner, negated=negated)
        case a.InList():
            return _list_of_texts(expr, ctx)
        case a.Op():
            return _comparison(expr, ctx)
        case _:
            return None


def _comparison(expr: a.Op, ctx: Context) -> a.Expr | None:
    found = turned(expr)
    if found is None:
        return None
    # `3 < f(x)` is seen as `f(x) > 3`: below only the operator's side is left to tell apart
    operator, side, const = found
    match side:
        case a.Case(whens=((test, then),), default=default):
            return _case(operator, test, then, default, const)
        case a.Coalesce(args=(column, other)) if is_column(column):
            return _coalesce(operator, column, other, const, ctx)
        case a.NullIf(left=column, right=other) if is_column(column):
            return _nullif(operator, side, other, const)
        case a.Cast(arg=a.Column() as column) if column.type.name in INTEGERS and column.type.is_builtin:
            return _integer(operator, side, column, const, ctx)
        case a.Op() if side.op.is_builtin and len(side.args) == 2:
            return _shifted(operator, side, const)
        case a.Call():
            return _prefix(operator, side, const, ctx)
        case _:
            return None


def _case(operator: str, test: a.Expr, then: a.Expr, default: a.Expr, const: a.Const) -> a.Expr | None:
    """``CASE WHEN p THEN 1 ELSE 0 END = 1`` says p."""
    first, second = _says(operator, then, const), _says(operator, default, const)
    # where p is NULL the CASE says ELSE, which the comparison refuses as it does for FALSE
    if first is True and second is False:
        return test
    # the other way round rows with NULL are kept: `CASE WHEN p THEN 1 ELSE 0 END = 0` is p IS NOT TRUE
    return a.IsBool(test, "true", negated=True) if first is False and second is True else None


def _says(operator: str, result: a.Expr, const: a.Const) -> bool | None:
    if isinstance(result, a.Const) and result.value is None:
        return False
    shown = constant(result)
    # a comparison with NULL is never TRUE
    left, right = value(shown) if shown is not None else None, value(const)
    return None if left is None or right is None else compares(operator, left, right)


def _coalesce(operator: str, column: a.Expr, other: a.Expr, const: a.Const, ctx: Context) -> a.Expr | None:
    for_null = _says(operator, other, const) if constant(other) is not None else None
    bare = compare(operator, column, const)
    if for_null is None or bare is None:
        return None
    # `coalesce(x, 0) < 5` is met by NULL too
    if not ctx.holds("null-counts", for_null is False):
        return a.Or((bare, a.IsNull(column)))
    return bare


def _nullif(operator: str, side: a.NullIf, other: a.Expr, const: a.Const) -> a.Expr | None:
    for_equal = _says(operator, other, const) if constant(other) is not None else None
    bare = compare(operator, side.left, const)
    if bare is None or for_equal is None or not side.op.is_builtin:
        return None
    # the value that NULLIF takes away does not meet the comparison anyway: `nullif(x, 0) > 5`
    if for_equal is False:
        return bare
    differs = compare("<>", side.left, other)
    return None if differs is None else a.And((bare, differs))


def _nullif_is_null(side: a.NullIf, *, negated: bool) -> a.Expr | None:
    if not side.op.is_builtin or constant(side.right) is None or not is_column(side.left):
        return None
    if negated:
        return compare("<>", side.left, side.right)
    return a.Or((a.IsNull(side.left), a.Op(side.op, (side.left, side.right), BOOL)))


def _integer(operator: str, side: a.Cast, column: a.Column, const: a.Const, ctx: Context) -> a.Expr | None:
    if side.type.name == "text":
        return _digits(operator, column, const, ctx)
    found = value(const)
    # numeric(4,1) rounds: `x::numeric(4,1)` may fail or differ
    if side.type.name != "numeric" or side.type.typmod >= 0 or not isinstance(found, Decimal):
        return None
    # one less than the type's end, so that rounding up stays within it
    if abs(found) >= INTEGERS[column.type.name] - 1:
        return None
    if operator in {"=", "<>"} and not ctx.holds("whole-number", found == found.to_integral_value()):
        return None
    # `x >= 2.5` is `x >= 3`, `x < 2.5` is `x < 3`; > and <= are rounded down
    up = operator in {">=", "<"}
    whole = found.to_integral_value(ROUND_CEILING if up else ROUND_FLOOR)
    return compare(operator, column, a.Const(str(int(whole)), column.type))


def _digits(operator: str, column: a.Column, const: a.Const, ctx: Context) -> a.Expr | None:
    whole = _whole(column, const, ctx)
    if operator not in {"=", "<>"} or whole is None:
        return None
    return compare(operator, column, whole)


def _whole(column: a.Column, const: a.Const, ctx: Context) -> a.Const | None:
    """The integer whose text a constant is."""
    found = number(const.value or "")
    if found is None or found != found.to_integral_value() or abs(found) >= INTEGERS[column.type.name]:
        return None
    # `x::text = '05'` is never TRUE, `x = 5` may be
    if not ctx.holds("as-the-server-prints", str(int(found)) == const.value):
        return None
    return a.Const(str(int(found)), column.type)


def _list_of_texts(expr: a.InList, ctx: Context) -> a.Expr | None:
    side = expr.left
    if (
        not isinstance(side, a.Cast)
        or side.type.name != "text"
        or not isinstance(side.arg, a.Column)
        or side.arg.type.name not in INTEGERS
        or not expr.op.is_builtin
        or expr.op.name != ("<>" if expr.all else "=")
    ):
        return None
    column = side.arg
    items = [_whole(column, c, ctx) if (c := constant(i)) is not None else None for i in expr.items]
    shape = compare(expr.op.name, column, column)
    # one item that is no integer's text, or NULL, leaves the list as it is
    found = tuple(i for i in items if i is not None)
    if shape is None or len(found) != len(items):
        return None
    return replace(expr, op=shape.op, left=column, items=found)


# x + 1 of an integer may overflow where x alone does not: numerics only
def _shifted(operator: str, side: a.Op, const: a.Const) -> a.Expr | None:
    inner, other = side.args
    if not is_column(inner):
        return None
    added = constant(other)
    if side.op.name == "||" and added is not None and added.value == "" and key_of(inner.type) == "text":
        return compare(operator, inner, const) if key_of(const.type) == "text" else None
    if side.op.name not in {"+", "-"} or key_of(inner.type) != "numeric" or added is None:
        return None
    by, bound = value(added), value(const)
    if not isinstance(by, Decimal) or not isinstance(bound, Decimal) or key_of(const.type) != "numeric":
        return None
    try:
        moved = EXACT.subtract(bound, by) if side.op.name == "+" else EXACT.add(bound, by)
    except Inexact:
        return None
    return compare(operator, inner, a.Const(format(moved, "f"), const.type))


def _prefix(operator: str, side: a.Call, const: a.Const, ctx: Context) -> a.Expr | None:
    """``substring(x, 1, 3) = 'abc'`` and ``left(x, 3) = 'abc'`` say what x begins with."""
    if operator != "=" or not side.func.is_builtin or not isinstance(value(const), str) or not side.args:
        return None
    sizes = [value(c) if (c := constant(x)) is not None else None for x in side.args[1:]]
    # substring(x, 1, n) and left(x, n) are one; from elsewhere it is no prefix
    if side.func.name == "substring" and len(sizes) == 2 and sizes[0] == 1:
        size = sizes[1]
    elif side.func.name == "left" and len(sizes) == 1:
        size = sizes[0]
    else:
        return None
    text = const.value or ""
    column = side.args[0]
    if not isinstance(size, Decimal) or size < 1 or not is_column(column) or key_of(column.type) != "text":
        return None
    # longer than the prefix it is never equal; LIKE and = agree on bytes only in the default collation
    if len(text) > size or column.type.collation != "default":
        return None
    # left(x, 5) = 'abc' is met by 'abc' alone: the prefix is not filled
    if not ctx.holds("fills-the-prefix", len(text) == size):
        return compare("=", column, const)
    pattern = "".join(f"\\{c}" if c in "%_\\" else c for c in text) + "%"
    return compare("~~", column, a.Const(pattern, TEXT))
