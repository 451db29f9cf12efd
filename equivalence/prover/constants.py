"""Constant expressions that may fail: PostgreSQL folds them when it plans, wherever they stand.

``select 1/0 from t where false`` raises an error although no row is ever made, so a pair whose sides hold
different failing constants is not the same without the reservation ``errors`` (M7). Judged on the trees as
bound, before anything is simplified away. Must not know forms or rules.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal, Inexact, InvalidOperation, localcontext

from rewright.sql.algebra import (
    Aggregate,
    Call,
    Cast,
    Column,
    Const,
    Expr,
    Op,
    Param,
    Query,
    SystemColumn,
    Volatility,
    WholeRow,
    WindowCall,
)
from rewright.sql.facts.effects import NO_ERRORS, errors_of_expr, own_volatility
from rewright.sql.walk import all_exprs, all_exprs_of_query, has_subquery

from .json_texts import NotPlain, read
from .range_values import is_written_range

# what would be rounded is not known: the server keeps other digits
_EXACTLY = Context(prec=500, traps=[Inexact, InvalidOperation])
_RANGES = {"int2": 1 << 15, "int4": 1 << 31, "int8": 1 << 63}
_CALENDAR = {"date", "timestamp", "timestamptz"}
_PLAIN_DATE = re.compile(r"[12]\d{3}-\d\d-\d\d")
# timestamps begin in 4714 BC: less than a thousand years before any plain date
_PLAIN_INTERVAL = re.compile(
    r"-?(?:\d{1,3} ?years?|\d{1,4} ?(?:days?|mons?|months?|weeks?|hours?|minutes?|seconds?)?)\Z"
)
# no elements, of whatever type, and words that need no quotes
_NO_ELEMENTS = "{}"
_WORDS = re.compile(r"\{\w+(?:,\w+)*\}", re.ASCII)
_NOT_CONSTANT = (Column, SystemColumn, WholeRow, Param, Aggregate, WindowCall)


def failing_constants(query: Query) -> frozenset[Expr]:
    """The constant parts of a query that may raise an error when they are folded."""
    return frozenset(filter(is_failing_constant, all_exprs_of_query(query)))


def is_failing_constant(expr: Expr) -> bool:
    """Whether an expression is constant and may raise an error when it is folded."""
    if not is_computed_constant(expr):
        return False
    if isinstance(expr, Cast) and isinstance(expr.arg, Const) and expr.arg.type.name == "unknown":
        # read when the statement is parsed; moments are taken for granted, as numbers and texts are
        # moments depend on settings, and both queries read them in the same session
        return expr.type.name not in _CALENDAR and not _is_safe(expr)
    return bool(errors_of_expr(expr, lambda _query: False, lambda _column: NO_ERRORS)) and not _is_safe(expr)


def is_computed_constant(expr: Expr) -> bool:
    """Whether an expression is computed of constants alone when the query is planned."""
    # a constant subquery is no constant expression: it is computed when the query runs
    if not isinstance(expr, Op | Call | Cast) or has_subquery(expr):
        return False
    return all(not isinstance(e, _NOT_CONSTANT) and _is_folded(e) for e in all_exprs(expr))


def is_stable_and_may_fail(expr: Expr) -> bool:
    """Whether an expression of no column is the same throughout a statement, but not always, and may raise an
    error.
    """
    if not isinstance(expr, Op | Call | Cast) or has_subquery(expr):
        return False
    parts = list(all_exprs(expr))
    if any(isinstance(e, _NOT_CONSTANT) for e in parts):
        return False
    # '2024-01-01'::date is stable, as DateStyle decides
    stable = any(not _is_folded(e) or (isinstance(e, Cast) and e.method == "io") for e in parts)
    return stable and bool(errors_of_expr(expr, lambda _query: False, lambda _column: NO_ERRORS))


def _is_folded(expr: Expr) -> bool:
    """Only what is immutable is evaluated when the query is planned: no cast by the session's zone, no
    CHECK of a domain, and not today's date.
    """
    return own_volatility(None, expr) is Volatility.IMMUTABLE


def is_plain_moment(expr: Expr) -> bool:
    """Whether an expression is a plain date, moved by a plain interval or not, as a type of moments."""
    return isinstance(expr, Cast) and expr.type.name in _CALENDAR and _is_safe(expr)


def _is_safe(expr: Expr) -> bool:
    """Whether folding surely succeeds: small arithmetic, plain dates; in doubt not."""
    match expr:
        case Op(op=op, args=(left, right)) if op.is_builtin and op.name in {"+", "-"}:
            # a plain date of these years and a plain interval stay within all types of moments
            if left.type.name in _CALENDAR and right.type.name == "interval":
                return _is_plain(left, _PLAIN_DATE) and _is_plain(right, _PLAIN_INTERVAL)
        case Cast(arg=arg) if {expr.type.name, arg.type.name} <= _CALENDAR and expr.type.is_builtin:
            return _is_plain(arg, _PLAIN_DATE) or _is_safe(arg)
        case Cast(arg=Const(value=str(text))) if expr.type.is_builtin and expr.type.name == "interval":
            return _PLAIN_INTERVAL.match(text) is not None
        case Cast(arg=Const(value=str(text))) if expr.type.is_builtin and expr.type.is_array:
            # one dimension, no quotes, no NULL: read alike everywhere
            words = expr.type.name == "_text" and _WORDS.fullmatch(text) is not None
            return words or text == _NO_ELEMENTS
        case Cast(arg=Const(value=str(text))) if expr.type.is_builtin and expr.type.name in {"json", "jsonb"}:
            return _is_json(text)
    return _is_null(expr) or _value(expr) is not None or is_written_range(expr)


def _is_json(text: str) -> bool:
    try:
        read(text)
    except NotPlain:
        return False
    return True


def _is_null(expr: Expr) -> bool:
    """Whether folding gives NULL without a call: a strict operator's argument is NULL."""
    match expr:
        case Const(value=None):
            return True
        case Cast(arg=arg, method=method) if expr.type.is_builtin and method != "domain":
            return _is_null(arg)
        # NULL + 1 / 0: the strict operator is not called, but its other argument is folded before it
        case Op(op=op, args=args) if op.is_builtin and op.function.strict:
            return any(_is_null(arg) for arg in args)
    return False


def _is_plain(expr: Expr, pattern: re.Pattern[str]) -> bool:
    while isinstance(expr, Cast):
        expr = expr.arg
    return isinstance(expr, Const) and expr.value is not None and pattern.fullmatch(expr.value) is not None


def _value(expr: Expr) -> Decimal | None:
    """The number a constant expression has, where it has one and gets there without an error."""
    match expr:
        case Const(value=str(text)) if expr.type.name in {*_RANGES, "numeric"}:
            try:
                found = Decimal(text)
            except InvalidOperation:
                return None
            # a very long number is not followed further
            return found if found.is_finite() and len(text) < 100 else None
        case Cast(arg=arg) if expr.type.name in {*_RANGES, "numeric"} and expr.type.typmod == -1:
            return _cast(_value(arg), expr.type.name) if arg.type.name in {*_RANGES, "numeric"} else None
        case Op(op=op, args=args) if op.is_builtin and expr.type.name in {*_RANGES, "numeric"}:
            values = [_value(arg) for arg in args]
            known = [value for value in values if value is not None]
            # one operand unknown, and so is the result
            if len(known) < len(values):
                return None
            try:
                with localcontext(_EXACTLY):
                    return _in_range(_applied(op.name, known, expr.type.name), expr.type.name)
            except ArithmeticError:
                # a quotient that does not come out even is left in doubt
                return None
    return None


def _cast(value: Decimal | None, type_: str) -> Decimal | None:
    """Whole numbers are made by rounding half away from zero."""
    if value is not None and type_ != "numeric":
        # numeric to integer rounds half away from zero
        value = value.to_integral_value(ROUND_HALF_UP)
    return _in_range(value, type_)


def _applied(name: str, values: list[Decimal], type_: str) -> Decimal | None:
    match name, values:
        case "-", [one]:
            return -one
        case "+", [one, two]:
            return one + two
        case "-", [one, two]:
            return one - two
        case "*", [one, two]:
            return one * two
        case ("/", [one, two]) if two != 0:
            # of whole numbers a whole number; other quotients are known where they need no rounding
            # Decimal's // cuts towards zero, as the server does with integers
            return one // two if type_ != "numeric" else one / two
        case ("%", [one, two]) if two != 0:
            return one % two
    return None


def _in_range(value: Decimal | None, type_: str) -> Decimal | None:
    if value is None or type_ == "numeric":
        return value
    bound = _RANGES[type_]
    return value if -bound <= value < bound else None
