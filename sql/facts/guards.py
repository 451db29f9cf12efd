"""What an expression's value cannot be where it is evaluated: which divisions never meet zero (hazards
M7).

CASE evaluates a result only where its condition is true and those before it are not (manual, 9.18.1), but
what stands inside an aggregate or a window call is evaluated before any CASE around that (manual, 4.2.14).
AND and OR promise no order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from rewright.sql.algebra import (
    Aggregate,
    And,
    Case,
    Cast,
    Coalesce,
    Column,
    Const,
    Expr,
    InList,
    IsBool,
    IsDistinct,
    MinMax,
    Not,
    NullIf,
    Op,
    Opaque,
    OperatorRef,
    Or,
    Query,
    Select,
    Volatility,
    WindowCall,
)
from rewright.sql.comparisons import DENIED, FLIPPED
from rewright.sql.facts.moments import bounds, may_come_first
from rewright.sql.walk import block_exprs, children, conjuncts, deep_exprs

_INTEGERS = frozenset({"int2", "int4", "int8"})
_NUMBERS = _INTEGERS | {"numeric", "float4", "float8"}
# aggregates of numbers that are NULL where no value is there, or no row
_NULL_OF_NONE = frozenset({"sum", "avg", "min", "max"})
# digits of a constant or precision: far fewer than the 100 that is_moderate allows
_FEW = 40


@dataclass(frozen=True, slots=True)
class Known:
    """What holds wherever an expression is evaluated: each condition is true, or (False) is not true.
    ``grouped``: it is evaluated once for each group of rows, and no group is empty. ``near``: moments far
    from the ends of their type; ``positive``: numbers above 0.
    """

    conditions: tuple[tuple[Expr, bool], ...] = ()
    grouped: bool = False
    near: frozenset[Expr] = frozenset()
    positive: frozenset[Expr] = frozenset()

    def where(self, *conditions: Expr, true: bool = True) -> Known:
        return replace(self, conditions=(*self.conditions, *((c, true) for c in conditions)))

    def and_known(self, other: Known) -> Known:
        return Known(
            (*self.conditions, *other.conditions),
            self.grouped or other.grouped,
            self.near | other.near,
            self.positive | other.positive,
        )


NOTHING = Known()


def is_division(expr: Expr) -> bool:
    """Whether an expression is a division or a remainder of numbers, by PostgreSQL's own operators."""
    return (
        isinstance(expr, Op)
        and expr.op.is_builtin
        and expr.op.name in {"/", "%"}
        and len(expr.args) == 2
        and {expr.op.left, expr.op.right} <= _NUMBERS
    )


def division(expr: Op, known: Known) -> frozenset[str]:
    """What is sure of a division where ``known`` holds: its divisor is ``nonzero``, its result ``fits`` its
    type.
    """
    dividend, divisor = expr.args
    # a strict operator is not evaluated for NULL
    sure = never(divisor, 0, known) or _null_where_none(dividend, divisor)
    found = {"nonzero"} if sure else set()
    # is_moderate would do for integers as well: only -1 makes their quotient leave the type
    if expr.type.name in _INTEGERS:
        fits = never(divisor, -1, known)  # the least integer has no opposite
    else:
        fits = is_moderate(dividend) and is_moderate(divisor)
    return frozenset(found | ({"fits"} if fits else set()))


def _null_where_none(dividend: Expr, divisor: Expr) -> bool:
    """Whether the divisor is a count that is 0 only where the dividend is NULL: `sum(x) / count(x)`, by the
    same values of the same rows, or of all the rows.
    """
    counted = _uncast(divisor)
    if not (isinstance(counted, Aggregate | WindowCall) and _is_of_pg(counted, {"count"})):
        return False
    return any(
        _of_same_rows(total, counted) and (counted.star or total.args == counted.args)
        for total in _deciding(dividend)
    )


def _uncast(expr: Expr) -> Expr:
    """What a number was before conversions that make a zero of zero alone."""
    while isinstance(expr, Cast) and (_keeps(expr) or _makes_no_zero(expr)):
        expr = expr.arg
    return expr


def _deciding(expr: Expr) -> Iterator[Aggregate | WindowCall]:
    """The aggregates without which a value is NULL, and that are NULL where they have no value to read."""
    match expr:
        case Aggregate() | WindowCall() if _is_of_pg(expr, _NULL_OF_NONE):
            yield expr
        case Cast() if expr.arg.type.is_builtin and {expr.arg.type.name, expr.type.name} <= _NUMBERS:
            yield from _deciding(expr.arg)
        case Op() if expr.op.is_builtin and expr.op.function.strict:
            for arg in expr.args:
                yield from _deciding(arg)


def _is_of_pg(call: Aggregate | WindowCall, names: Collection[str]) -> bool:
    return call.func.is_builtin and call.func.kind == "a" and call.func.name in names


def _of_same_rows(total: Aggregate | WindowCall, counted: Aggregate | WindowCall) -> bool:
    """Whether both read the same rows, by arguments and conditions that give the same twice."""
    one_kind = type(total) is type(counted) and total.filter == counted.filter
    if isinstance(total, WindowCall) and isinstance(counted, WindowCall):
        one_kind = one_kind and total.window == counted.window
    return one_kind and _fixed(total) and _fixed(counted)


def branches(expr: Case, known: Known) -> Iterator[tuple[Expr, Known]]:
    """The parts of a CASE in the order of their writing (condition, result, …, default), each with what is
    known there.
    """
    for condition, result in expr.whens:
        yield condition, known
        yield result, known.where(condition)
        # the next branch is reached only where no condition before it was true: false or NULL
        known = known.where(condition, true=False)
    yield expr.default, known


def evaluated(expr: Expr, known: Known, inside: Known = NOTHING) -> Iterator[tuple[Expr, Known]]:
    """The expression and all in it, subqueries not entered, each with what is known where it is evaluated.
    ``inside``: what is known of the rows that its aggregates read.
    """
    yield expr, known
    if isinstance(expr, Case):
        for part, there in branches(expr, known):
            yield from evaluated(part, there, inside)
        return
    there = known
    if isinstance(expr, Aggregate):
        # FILTER decides which rows the argument is evaluated for
        there = inside if expr.filter is None else inside.where(expr.filter)
    elif isinstance(expr, WindowCall):
        # a window call is computed before the block's targets, over rows that CASE does not know of
        there = NOTHING
    for child in children(expr):
        yield from evaluated(
            # FILTER itself is evaluated for every row
            child,
            NOTHING if isinstance(expr, Aggregate) and child is expr.filter else there,
            inside,
        )


def of_block(query: Query) -> Iterator[tuple[Expr, Known]]:
    """Every expression of a block and all in it, subqueries not entered, each with what is known where it is
    evaluated.

    A grouped SELECT is planned by itself, so that rows which do not pass its WHERE are not grouped, and
    groups which do not pass its HAVING are not shown; what a plain one computes may be computed anywhere
    below the query it stands in, but not before its rows are compared with constants.
    """
    first = NOTHING.where(*bounds(query))
    if not (isinstance(query, Select) and query.group_by is not None):
        for expr in block_exprs(query):
            yield from _after(expr, first)
        return
    rows, groups = of_groups(query)
    shown = {id(t.expr) for t in query.targets} | {id(k.expr) for k in query.order_by}
    keys = {id(k) for grouping in query.group_by for k in grouping}
    for expr in block_exprs(query):
        # grouping keys are computed for rows that passed WHERE
        if id(expr) in keys:
            yield from evaluated(expr, rows)
        # targets and ORDER BY are computed for groups that passed HAVING
        elif id(expr) in shown:
            yield from evaluated(expr, groups, rows)
        else:
            # HAVING knows that groups are not empty, and nothing of itself
            having = Known(grouped=groups.grouped)
            yield from evaluated(expr, having, rows) if expr is query.having else _after(expr, first, rows)


def _after(expr: Expr, first: Known, inside: Known = NOTHING) -> Iterator[tuple[Expr, Known]]:
    """As `evaluated`, an expression of a block whose rows are asked ``first`` what costs least."""
    if isinstance(expr, And):
        yield expr, first
        for part in expr.args:
            yield from _after(part, first, inside)
        return
    cheap = expr.type.name == "bool" and may_come_first(expr)
    yield from evaluated(expr, NOTHING if cheap else first, inside)


def of_groups(query: Select) -> tuple[Known, Known]:
    """What is known where a grouped SELECT evaluates its keys and the arguments of its aggregates, and where
    its outputs.
    """
    # GROUP BY () has a group even where no row is left
    nonempty = bool(query.group_by) and all(query.group_by or ())
    return NOTHING.where(*conjuncts(query.where)), Known(grouped=nonempty).where(*conjuncts(query.having))


def never(expr: Expr, value: int, known: Known = NOTHING) -> bool:
    """Whether a number is never ``value`` (it may be NULL)."""
    match expr:
        case Const(written):
            number = _number(expr)
            return written is None or (number is not None and number != value)
        # conversions of constants are looked at through; others may round to the value
        case Cast() if _keeps(expr) or (value == 0 and _makes_no_zero(expr)):
            return never(expr.arg, value, known)
        case Case():
            # conditions stand at even places, results at odd ones, the default last
            results = [
                part for i, part in enumerate(branches(expr, known)) if i % 2 or i == 2 * len(expr.whens)
            ]
            return all(never(x, value, there) for x, there in results)
        # NULLIF(x, 0) is x where x <> 0, and NULL elsewhere
        case NullIf(op, left, right):
            equal = Op(op, (left, right), expr.type)
            return never(left, value, known.where(equal, true=False))
        case Coalesce(args):
            return all(never(a, value, known) for a in args)
        # greatest(x, 1) is at least 1, whatever x is, and ignores NULLs
        case MinMax(greatest, args):
            bounds = [n for a in args if (n := _number(a)) is not None]
            beyond = any(n > value if greatest else n < value for n in bounds)
            return beyond or all(never(a, value, known) for a in args)
        case Aggregate() if expr.func.is_builtin and expr.func.name == "count":
            # count(*) of a group that has rows is at least 1; with FILTER it may be 0
            counted = known.grouped and expr.star and expr.filter is None
            return value < 0 or (value == 0 and (counted or _excluded(expr, value, known)))
        case _:
            return _excluded(expr, value, known)


def _excluded(expr: Expr, value: int, known: Known) -> bool:
    if value <= 0 and expr in known.positive:
        return True
    # random() <> 0 says nothing about the next random()
    return _fixed(expr) and any(_denies(c, true, expr, value) for c, true in known.conditions)


def _denies(condition: Expr, true: bool, expr: Expr, value: int) -> bool:
    """Whether the expression can not be ``value`` where the condition is true, or is not true."""
    match condition:
        # NOT c is true exactly where c is false, which is part of "not true"
        case Not(arg):
            return true and _denies(arg, False, expr, value)
        case And(args):
            # a conjunction that is true has all parts true; not true, one part at least, and which is open
            found = (_denies(a, true, expr, value) for a in args)
            return any(found) if true else all(found)
        case Or(args):
            found = (_denies(a, true, expr, value) for a in args)
            return all(found) if true else any(found)
        case IsBool(arg, "true", negated):
            return _denies(arg, true is not negated, expr, value)
        case Op(op, (left, right)):
            return _compared(op, left, right, true, expr, value)
        case InList(op, left, items, every):
            tests = [_compared(op, left, item, true, expr, value) for item in items]
            # IN (ANY): one comparison holds, so each has to exclude the value; NOT IN: all of them hold
            return any(tests) if every is true else all(tests)
        case IsDistinct(op, left, right, negated) if op.is_builtin and op.btree == "=":
            # IS DISTINCT FROM has no NULL result: negated or not, it is decided
            test = "=" if negated is true else "<>"
            return _apart(test, left, right, expr, value)
    return False


def _compared(op: OperatorRef, left: Expr, right: Expr, true: bool, expr: Expr, value: int) -> bool:
    """A comparison that is not true is false or has a NULL in it."""
    # other types' operators might compare otherwise
    if not op.is_builtin or op.name not in DENIED or {op.left, op.right} - _NUMBERS:
        return False
    return _apart(op.name if true else DENIED[op.name], left, right, expr, value)


def _apart(test: str, left: Expr, right: Expr, expr: Expr, value: int) -> bool:
    """Whether no expression that compares so with a constant is ``value``."""
    bare = _bare(expr)
    # the expression may stand on either side
    if _bare(right) == bare:
        left, right, test = right, left, FLIPPED[test]
    bound = _number(right)
    if bound is None or _bare(left) != bare:
        return False
    # left stands for any x with "x test bound"
    match test:
        case "=":
            return bound != value
        case "<>":
            return bound == value
        case "<":
            return value >= bound
        case "<=":
            return value > bound
        case ">":
            return value <= bound
        case _:
            return value < bound


def _number(expr: Expr) -> Decimal | None:
    """The value of a constant number."""
    expr = _bare(expr)
    if not isinstance(expr, Const) or expr.value is None or expr.type.name not in _NUMBERS:
        return None
    try:
        number = Decimal(expr.value)
    except InvalidOperation:
        # 'NaN' and 'Infinity' are constants of numeric
        return None
    return number if number.is_finite() else None


def _bare(expr: Expr) -> Expr:
    """What an exact conversion is made of."""
    while isinstance(expr, Cast) and _keeps(expr):
        expr = expr.arg
    return expr


def is_moderate(expr: Expr) -> bool:
    """Whether an expression is 0 or within 1e-100 and 1e100, so that a quotient of two such neither overflows
    nor underflows a double (1e-308, 1e308).
    """
    # an int8 is at most 9.2e18
    if expr.type.is_builtin and expr.type.name in _INTEGERS:
        return True
    match expr:
        case Const(value):
            # constants are written without exponents: 40 characters are at most 40 digits
            return value is None or (_number(expr) is not None and len(value) <= _FEW)
        case Cast(arg):
            numbers = (
                {arg.type.name, expr.type.name} <= _NUMBERS and arg.type.is_builtin and expr.type.is_builtin
            )
            # float4 overflows at 3.4e38; a typmod may raise
            return numbers and expr.type.name != "float4" and expr.type.typmod == -1 and is_moderate(arg)
        case Case(whens, default):
            return all(is_moderate(x) for x in (*(x for _, x in whens), default))
        case NullIf(_, left, _):
            return is_moderate(left)
        case Coalesce(args):
            return all(is_moderate(x) for x in args)
        # sums of floats may grow without bound; of 40 digits a sum stays below 1e100 for any number of rows
        case Aggregate(func, (arg,)) if func.is_builtin and func.name in {"sum", "min", "max"}:
            return is_moderate(arg) and arg.type.name in {*_INTEGERS, "numeric"}
        case Column():
            return expr.type.is_builtin and expr.type.name == "numeric" and _has_few_digits(expr.type.typmod)
    return False


def _has_few_digits(typmod: int) -> bool:
    """Whether a numeric with this type modifier has few digits on either side of the point (numeric.c:
    precision in the upper half, an 11-bit signed scale in the lower).
    """
    if typmod < 4:
        return False
    precision, scale = (typmod - 4) >> 16, (((typmod - 4) & 0x7FF) ^ 1024) - 1024
    return precision <= _FEW and abs(scale) <= _FEW


def _keeps(expr: Cast) -> bool:
    """Whether a conversion of a number neither makes nor hides a zero: to other whole numbers (or an error),
    to numeric without a scale, to the floats that every whole number has a neighbour in.
    """
    source, target = expr.arg.type, expr.type
    # a typmod rounds: numeric(1, 0) makes 0 of 0.4
    if not (source.is_builtin and target.is_builtin) or target.typmod != -1:
        return False
    if source.name in _INTEGERS:
        return target.name in _NUMBERS
    # rounding a numeric to an integer makes 0 of 0.4
    return source.name == target.name == "numeric" or (source.name, target.name) == ("float4", "float8")


def _makes_no_zero(expr: Cast) -> bool:
    """Whether a conversion to floating point raises an error for what is too small, instead of giving 0."""
    source, target = expr.arg.type, expr.type
    builtin = source.is_builtin and target.is_builtin
    # float8_numeric and dtof raise on underflow (22003)
    return builtin and source.name in {"numeric", "float8"} and target.name in {"float4", "float8"}


def _fixed(expr: Expr) -> bool:
    """Whether two evaluations for one row give the same."""
    return not any(_volatility(e) is Volatility.VOLATILE for e in deep_exprs(expr))


def _volatility(expr: Expr) -> Volatility:
    match expr:
        case Op() | IsDistinct() | NullIf() | InList():
            return expr.op.function.volatility
        case Opaque():
            return expr.volatility
        case _:
            func = getattr(expr, "func", None)
            return Volatility.IMMUTABLE if func is None else func.volatility
