"""Whether equal values of an expression can be told apart.

``1.0 = 1.00`` and ``'a'::char(2) = 'a'::char(3)``, and clients see which of the two they got. Values of most
types are equal only when they are the same; those of a column numeric(p, s) all show s decimals and those of
char(n) n characters, so that equal ones look alike too. PostgreSQL computes the decimals of sums and products
from those of their operands (numeric.c: the greater of both for + and -, their sum for *; sum() keeps the
greatest of its inputs), so they are known for these as well. Must not know what is asked of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rewright.sql.algebra import Aggregate, Call, Cast, Const, Expr, Op, WindowCall
from rewright.sql.facts.aggregates import ONE_OF_ROWS
from rewright.sql.facts.effects import SURE
from rewright.sql.facts.outputs import OutputFacts
from rewright.sql.facts.strictness import Col
from rewright.sql.types import DETERMINISTIC_COLLATIONS, INTERVAL, NUMERIC, SqlType, equality_is_identity

# What all values of an expression have in common: decimals shown, or characters of a char(n). IDENTICAL:
# equal values are the same whatever they are; ANYTHING: an expression that is always NULL. None: nothing is
# known.
Look = tuple[str, int]
IDENTICAL: Look = ("identical", 0)
ANYTHING: Look = ("null", 0)

# collations that CREATE COLLATION made may be nondeterministic: 'a' = 'A' there
DETERMINISTIC = DETERMINISTIC_COLLATIONS | {""}
_HEADER = 4  # of a typmod: VARHDRSZ
_MOST_DECIMALS = 1000  # of a declared scale; products beyond it are left alone
_INTEGERS = {"int2", "int4", "int8"}
# extract() makes numbers without decimals of these (timestamp.c, date.c: int64_to_numeric); infinite dates
# are infinite, which looks like nothing else
_WHOLE_FIELDS = {
    *("century", "day", "decade", "dow", "doy", "hour", "isodow", "isoyear", "millennium", "minute", "month"),
    *("quarter", "week", "year"),
}
_WITH_FIELDS = {"date", "timestamp", "timestamptz"}
# a type whose values look as those numbers do; it says nothing of how large they are. Nobody can declare it:
# precisions end at 1000
WHOLE_NUMBER = replace(NUMERIC, typmod=((_MOST_DECIMALS + 1) << 16) + _HEADER)
# a type whose values are days and less than a day, both of one sign, as differences of moments are
# (timestamp_mi in timestamp.c ends with justify_hours): 1 day there, never 24:00:00. Nobody can declare it: a
# modifier says fields in its upper half
DAYS_AND_TIME = replace(INTERVAL, typmod=1)
_MOMENTS = {"timestamp", "timestamptz"}
# a type whose values look as seconds do that extract() gives: six decimals (int64_div_fast_to_numeric); of an
# infinite moment they are infinite, which looks like nothing else
SECONDS = replace(NUMERIC, typmod=(((_MOST_DECIMALS + 1) << 16) | 6) + _HEADER)
_WITH_SECONDS = _MOMENTS | {"interval"}
# how a settled function (`SURE`) is named that subtracts
SETTLED_DIFFERENCE = "Op - to "
_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.(\d*))?")


def look_of_type(type_: SqlType) -> Look | None:
    """What the type alone says."""
    # no other value equals such a one: integers, text, uuid
    if equality_is_identity(type_) or type_ == DAYS_AND_TIME:
        return IDENTICAL
    # no typmod: values may show any number of decimals, or be of any length
    if not type_.is_builtin or type_.typmod < _HEADER:
        return None
    # bpchar compares without trailing blanks, and char(n) pads each value to n
    if type_.name == "bpchar" and type_.collation in DETERMINISTIC:
        return "characters", type_.typmod - _HEADER
    if type_.name == "numeric":
        return "decimals", _scale(type_.typmod)
    return None


def _scale(typmod: int) -> int:
    """numeric_typmod_scale: eleven bits with a sign; a negative scale shows no decimals."""
    scale = (((typmod - _HEADER) & 0x7FF) ^ 1024) - 1024
    return max(scale, 0)


def look_alone(expr: Expr) -> Look | None:
    """What the expression says by itself, whatever its columns are: a year of a date, a column's type."""
    return Looks(lambda _: None).of(expr, {})


class Looks(OutputFacts[Look]):
    """What equal values of an expression have in common; None where they may look different."""

    def of_type(self, expr: Expr) -> Look | None:
        return _of_constant(expr) if isinstance(expr, Const) else look_of_type(expr.type)

    def of_other(self, expr: Expr, columns: Mapping[Col, Look]) -> Look | None:
        match expr:
            # a relabelled value is the same; bpchar read as text, however, is another comparison
            case Cast(method="binary"):
                return self.of(expr.arg, columns) if expr.arg.type.name == expr.type.name else None
            case Cast():
                # numeric(integer) makes numbers without decimals
                whole = expr.type.is_builtin and expr.type.name == "numeric" and expr.type.typmod < 0
                exact = expr.arg.type.is_builtin and expr.arg.type.name in _INTEGERS
                return ("decimals", 0) if whole and exact else None
            case Op():
                return self._of_arithmetic(expr, columns)
            case Aggregate() | WindowCall():
                return self._of_aggregate(expr, columns)
            case Call():
                return IDENTICAL if is_span(expr) else _of_call(expr)
            case _:
                return None

    def common(self, known: Iterable[Look | None]) -> Look | None:
        """NULLs look like anything."""
        kinds = set(known) - {ANYTHING}
        if not kinds:
            return ANYTHING
        # branches of CASE may show 1.0 and 1.00
        return kinds.pop() if len(kinds) == 1 else None

    def _of_arithmetic(self, expr: Op, columns: Mapping[Col, Look]) -> Look | None:
        op = expr.op
        if is_span(expr):
            return IDENTICAL
        if not op.is_builtin or {op.left or op.right, op.right} != {"numeric"}:
            return None
        looks = [self.of(x, columns) for x in expr.args]
        decimals = [look[1] for look in looks if look is not None and look[0] == "decimals"]
        # the operands must be known, all of them
        if len(decimals) < len(looks):
            return None
        if op.name in {"+", "-"}:
            return "decimals", max(decimals)
        if op.name == "*" and sum(decimals) <= _MOST_DECIMALS:
            return "decimals", sum(decimals)
        return None

    def _of_aggregate(self, expr: Aggregate | WindowCall, columns: Mapping[Col, Look]) -> Look | None:
        if not expr.func.is_builtin or len(expr.args) != 1:
            return None
        (arg,) = expr.args
        if expr.func.name in ONE_OF_ROWS:
            return self.of(arg, columns)
        # the sum shows the greatest scale among its inputs, which all have the same here
        if expr.func.name == "sum" and expr.func.arg_types == ("numeric",):
            return self.of(arg, columns)
        return None


def _of_call(expr: Call) -> Look | None:
    if not expr.func.is_builtin or expr.func.name != "extract" or len(expr.args) != 2:
        return None
    field, source = expr.args
    shown = shown_as(field.value, source.type) if isinstance(field, Const) else None
    return None if shown is None else look_of_type(shown)


def shown_as(field: str | None, source: SqlType) -> SqlType | None:
    """The type whose values look as the field does that extract() gives of values of the type."""
    if is_whole_field(field, source):
        return WHOLE_NUMBER
    seconds = field in {"epoch", "second"} and source.is_builtin and source.name in _WITH_SECONDS
    return SECONDS if seconds else None


def is_whole_field(field: str | None, source: SqlType) -> bool:
    """Whether extract() gives numbers without decimals for this field of values of the type."""
    return field in _WHOLE_FIELDS and source.is_builtin and source.name in _WITH_FIELDS


def is_span(expr: Expr) -> bool:
    """Whether an expression is what passed between two moments, settled or not (`settled` of the checker):
    its values look alike where they are equal.
    """
    match expr:
        case Op(op, args):
            subtracts = op.is_builtin and op.name == "-"
        case Call(func, args):
            subtracts = func.schema == SURE and func.name.startswith(SETTLED_DIFFERENCE)
        case _:
            return False
    return subtracts and are_two_moments([x.type for x in args])


def are_two_moments(types: Sequence[SqlType]) -> bool:
    """Whether they are two timestamps, with a zone both or both without."""
    return len(types) == 2 and len({t.name for t in types}) == 1 and all(_is_moment(t) for t in types)


def _is_moment(type_: SqlType) -> bool:
    return type_.is_builtin and type_.name in _MOMENTS


def _of_constant(expr: Const) -> Look | None:
    if expr.value is None:
        return ANYTHING
    by_type = look_of_type(expr.type)
    if by_type is not None:
        return by_type
    if expr.type.is_builtin and expr.type.name == "numeric":
        # 1e5 and the like are left alone
        number = _PLAIN_NUMBER.fullmatch(expr.value)
        return None if number is None else ("decimals", len(number[1] or ""))
    return None
