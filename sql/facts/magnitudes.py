"""Which arithmetic cannot overflow its type, by how large its operands may be.

A numeric holds 131072 digits before the point (manual, 8.1.2). Values of columns numeric(p, s), constants,
and sums, products and averages of such are nowhere near, so adding or multiplying them raises nothing.
Integers are bounded by their types and constants. That sums of many such stay in range is taken for granted,
as by the checker (docs/equivalence.md); those of floats, intervals, money and numerics of any size may not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from rewright.sql.algebra import Aggregate, Call, Cast, Coalesce, Const, Expr, Op, Query, Select, WindowCall
from rewright.sql.facts.aggregates import ONE_OF_ROWS
from rewright.sql.facts.effects import ANY, OVERFLOW, SPREADS, SURE, own_errors
from rewright.sql.facts.guards import Known, division, is_division, is_moderate, of_block
from rewright.sql.facts.looks import is_whole_field
from rewright.sql.facts.outputs import OutputFacts
from rewright.sql.facts.strictness import Col
from rewright.sql.intervals import Bounds, combined
from rewright.sql.walk import all_queries

# bits without the sign
_INTEGERS = {"int2": 15, "int4": 31, "int8": 63}
# digits of int8's largest value
_INTEGER_DIGITS = 19
# whole fields of days and moments: years from 4713 BC to 5874897 (manual, table 8.9)
_FIELDS: Bounds = (-10_000, 6_000_000)
# numbers of rows: far more than there are, and far from the end of int8 (docs/equivalence.md)
_COUNTS = frozenset({"count", "row_number", "rank", "dense_rank"})
_MOST_ROWS = 2**61
_ROWS = 19  # digits of how many rows there may be
_MOST = 100_000  # far below 131072
_DECLARED = 1000  # digits of the largest declared precision, and of the largest declared scale
_DECIMALS = 16383  # after the point, at most


class Digits(OutputFacts[int]):
    """An upper bound of a numeric's digits before the point."""

    def of_type(self, expr: Expr) -> int | None:
        type_ = expr.type
        if isinstance(expr, Const) and expr.value is None:
            return 0
        if not type_.is_builtin:
            return None
        if type_.name in _INTEGERS:
            return _INTEGER_DIGITS
        if type_.name != "numeric":
            return None
        # digits, a point and a sign: no exponent, no NaN
        if isinstance(expr, Const) and expr.value is not None:
            return len(expr.value) if expr.value.replace(".", "").lstrip("-").isdigit() else None
        # a precision of up to 1000, and up to 1000 zeros more by a negative scale
        return 2 * _DECLARED if type_.typmod >= 0 else None

    def of_other(self, expr: Expr, columns: Mapping[Col, int]) -> int | None:
        match expr:
            case Cast():
                # a typmod raises by itself where the value does not fit
                plain = expr.type.is_builtin and expr.type.name == "numeric" and expr.type.typmod < 0
                return self.of(expr.arg, columns) if plain else None
            case Op() if expr.op.is_builtin and expr.type.name == "numeric":
                return self._of_arithmetic(expr, columns)
            case Call() if expr.func.is_builtin and expr.func.name in {"abs", "round", "trunc"}:
                found = self.of(expr.args[0], columns)
                # round(9.9) is 10: one digit more
                return None if found is None or expr.type.name != "numeric" else found + 1
            case Aggregate() if expr.func.is_builtin and len(expr.args) == 1 and expr.type.name == "numeric":
                found = self.of(expr.args[0], columns)
                if found is None or expr.func.name not in {"sum", "avg", "min", "max", *SPREADS}:
                    return None
                return 2 * found + _ROWS  # a variance is made of squares
            case _:
                return None

    def _of_arithmetic(self, expr: Op, columns: Mapping[Col, int]) -> int | None:
        # no divisor but 0 is smaller than its last decimal
        # dividing by 0.0…1 multiplies by as many tens as the divisor has decimals, at most 16383
        measured = expr.args[:1] if expr.op.name == "/" else expr.args
        known = [self.of(x, columns) for x in measured]
        sizes = [k for k in known if k is not None]
        if len(sizes) < len(known):
            return None
        match expr.op.name:
            case "+" | "-":
                # 9 + 9 is 18: one digit more
                found = max(sizes) + 1
            case "*":
                found = sum(sizes)
            case "/":
                found = sizes[0] + _DECIMALS
            case _:
                return None
        return found if found <= _MOST else None

    def common(self, known: Iterable[int | None]) -> int | None:
        found = list(known)
        sizes = [k for k in found if k is not None]
        return max(sizes, default=0) if len(sizes) == len(found) else None


class Wholes(OutputFacts[Bounds]):
    """The least and the largest value of a whole number, where more is known than its type. Raised errors
    have no value, and NULLs bound nothing.
    """

    def within(self, expr: Expr, columns: Mapping[Col, Bounds]) -> Bounds | None:
        """As far as anything is known, its type's range at least; None: no whole number."""
        if not _is_whole(expr):
            return None
        # two's complement: one more negative than positive
        limit = 2 ** _INTEGERS[expr.type.name]
        least, most = self.of(expr, columns) or (-limit, limit - 1)
        return max(least, -limit), min(most, limit - 1)

    def of_type(self, expr: Expr) -> Bounds | None:
        if not isinstance(expr, Const) or not _is_whole(expr):
            return None
        # no operator is called with NULL: any bounds are true of it
        value = 0 if expr.value is None else int(expr.value)
        return value, value

    def of_other(self, expr: Expr, columns: Mapping[Col, Bounds]) -> Bounds | None:
        match expr:
            case Aggregate() | WindowCall() if expr.func.is_builtin and expr.func.name in _COUNTS:
                return 0, _MOST_ROWS
            case Aggregate() | WindowCall() if expr.func.is_builtin and expr.func.name in ONE_OF_ROWS:
                return self.within(expr.args[0], columns) if len(expr.args) == 1 else None
            case Cast() if _is_whole(expr):
                # a cast from another integer keeps the value, or raises
                return _FIELDS if _is_field(expr.arg) else self.within(expr.arg, columns)
            # such a cast that cannot raise (`settled` of the checker)
            case Call() if expr.func.schema == SURE and _is_whole(expr) and len(expr.args) == 1:
                return _FIELDS if _is_field(expr.args[0]) else None
            case Op() if _is_computed(expr) and _is_whole(expr):
                return combined(expr.op.name, [self.within(x, columns) for x in expr.args])
            case _:
                return None

    def common(self, known: Iterable[Bounds | None]) -> Bounds | None:
        found = list(known)
        sizes = [k for k in found if k is not None]
        # NULLs alone, or something nothing is known of
        if not sizes or len(sizes) < len(found):
            return None
        return min(low for low, _ in sizes), max(high for _, high in sizes)


@dataclass(frozen=True, slots=True)
class Magnitudes:
    """How large the numbers of one statement may be; ``cte_query`` finds the query of a CTE by number."""

    digits: Digits
    wholes: Wholes

    @classmethod
    def of(cls, cte_query: Callable[[int], Query | None]) -> Magnitudes:
        return cls(Digits(cte_query), Wholes(cte_query))

    def may_overflow(self, query: Query) -> bool:
        """Whether an expression of a statement may leave its type's range. What nothing is known of may."""
        columns: dict[Col, int] = {}
        wholes: dict[Col, Bounds] = {}
        for q in all_queries(query):
            if isinstance(q, Select):
                columns.update(self.digits.columns(q))
                wholes.update(self.wholes.columns(q))
        return any(
            own_errors(e, lambda _: True, known) & (OVERFLOW | ANY)
            and not self._fits(e, known, columns, wholes)
            for q in all_queries(query)
            for e, known in of_block(q)
        )

    def _fits(
        self, expr: Expr, known: Known, columns: Mapping[Col, int], wholes: Mapping[Col, Bounds]
    ) -> bool:
        match expr:
            case Op() | Cast() if _is_whole(expr):
                return self._whole_fits(expr, known, wholes)
            case _:
                return _fits(expr, known, columns, self.digits)

    def _whole_fits(self, expr: Op | Cast, known: Known, wholes: Mapping[Col, Bounds]) -> bool:
        limit = 2 ** _INTEGERS[expr.type.name]
        # unary minus and @ may overflow; & and | may not, and are not asked about
        if isinstance(expr, Op) and not _is_computed(expr):
            # the least integer has no opposite: it overflows by / -1 and by @
            if not is_division(expr):
                return False
            dividend = self.wholes.within(expr.args[0], wholes)
            return "fits" in division(expr, known) or (dividend is not None and dividend[0] > -limit)
        # as mathematics has it, before it is cut to what the type holds
        if isinstance(expr, Cast):
            found = self._of_counts(expr.arg, wholes) or self.wholes.within(expr.arg, wholes)
        else:
            found = combined(expr.op.name, [self.wholes.within(x, wholes) for x in expr.args])
        return found is not None and -limit <= found[0] and found[1] < limit

    def _of_counts(self, expr: Expr, wholes: Mapping[Col, Bounds]) -> Bounds | None:
        """What counts add up to, a numeric, is a number of rows itself; None for any other."""
        match expr:
            case Coalesce(args):
                parts = [self._of_counts(x, wholes) or self.wholes.of(_bare(x), wholes) for x in args]
                return self.wholes.common(parts)
            case Aggregate(func, (arg,)) | WindowCall(func, (arg,)) if func.is_builtin and func.name == "sum":
                found = self.wholes.of(arg, wholes) if _is_whole(arg) else None
                return found if found == (0, _MOST_ROWS) else None
            case _:
                return None


def _bare(expr: Expr) -> Expr:
    """A constant as it is written, whatever type it is given."""
    return expr.arg if isinstance(expr, Cast) and isinstance(expr.arg, Const) else expr


def _fits(expr: Expr, known: Known, columns: Mapping[Col, int], digits: Digits) -> bool:
    match expr:
        case Aggregate() | WindowCall():
            return _adds_up(expr, columns, digits)
        case Op() | Call() if expr.type.is_builtin and expr.type.name == "numeric":
            return digits.of_other(expr, columns) is not None
        case Op() if is_division(expr):
            return "fits" in division(expr, known)
        case Cast() if expr.type.is_builtin and expr.type.name == "float8":
            return is_moderate(expr.arg)
        case _:
            return False


def _adds_up(expr: Aggregate | WindowCall, columns: Mapping[Col, int], digits: Digits) -> bool:
    """Whether sums, averages and variances of many rows stay in range: of integers, and of numerics of known
    size.
    """
    if not (expr.func.is_builtin and expr.func.name in {"sum", "avg", *SPREADS}):
        return False
    (arg,) = expr.args
    # sum() of int2 and int4 is int8, of int8 numeric
    if arg.type.is_builtin and arg.type.name in _INTEGERS:
        return True
    return arg.type.is_builtin and arg.type.name == "numeric" and digits.of(arg, columns) is not None


def _is_computed(expr: Op) -> bool:
    return expr.op.is_builtin and expr.op.name in {"+", "-", "*"}


def _is_field(expr: Expr) -> bool:
    """A whole number that extract() takes from a moment, before it is an integer."""
    named = isinstance(expr, Call) and expr.func.is_builtin and expr.func.name == "extract"
    if not named or not isinstance(expr, Call) or len(expr.args) != 2:
        return False
    field, source = expr.args
    return isinstance(field, Const) and is_whole_field(field.value, source.type)


def _is_whole(expr: Expr) -> bool:
    return expr.type.is_builtin and expr.type.name in _INTEGERS
