"""Between which moments a condition on a cut timestamptz holds, whatever the session's time zone is.

A zone's local time is less than seven days from UTC (PostgreSQL takes POSIX zones up to 167:59:59), so what is known of a local date is
known of the moment up to seven days. Must not know any rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from rewright.sql import algebra as a
from rewright.sql.comparisons import FLIPPED
from rewright.sql.constants import DATE, constant, value
from rewright.sql.types import UNKNOWN, SqlType

SAME = {name: name for name in FLIPPED}
FARTHEST = timedelta(days=7)
# the longest unit a moment is cut to, by name, in days; the local day around a change of clocks is longer
UNITS = {"year": 366, "quarter": 92, "month": 31, "week": 7, "day": 1, "hour": 1}
_DAY = timedelta(days=1)
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?: \d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?(?:[+-]\d\d(?::\d\d)?)?")
_FIRST, _LAST = datetime.fromisoformat("1000-01-01"), datetime.fromisoformat("9900-01-01")


@dataclass(frozen=True, slots=True)
class Span:
    """UTC moments around all values of ``column`` for which a condition is TRUE; None: open."""

    column: a.Column
    low: datetime | None
    high: datetime | None


def span(pred: a.Expr) -> Span | None:
    """``at::date op D``, ``date(at) op D``, ``date_trunc(unit, at) op T``, ``extract(year FROM at) op n``, and IN lists of
    these, for a timestamptz column.
    """
    if isinstance(pred, a.InList):
        if pred.all or pred.op.name != "=" or not pred.op.is_builtin or not pred.items:
            return None
        spans = [_of(pred.left, "=", c) if (c := literal(i)) is not None else None for i in pred.items]
        found = [s for s in spans if s is not None and s.low is not None and s.high is not None]
        if len(found) < len(spans):
            return None
        return Span(found[0].column, min(s.low for s in found if s.low), max(s.high for s in found if s.high))
    if not isinstance(pred, a.Op) or len(pred.args) != 2 or not pred.op.is_builtin:
        return None
    for (one, other), names in ((pred.args, SAME), (pred.args[::-1], FLIPPED)):
        const = literal(other)
        if const is not None and pred.op.name in names:
            return _of(one, names[pred.op.name], const)
    return None


def literal(expr: a.Expr) -> a.Const | None:
    """A constant that is not NULL; a moment as its text, which is read in the session's zone."""
    if isinstance(expr, a.Cast) and isinstance(expr.arg, a.Const) and expr.type.name == "timestamptz":
        text = expr.arg.type.name == "unknown" and expr.type.is_builtin and expr.arg.value is not None
        return a.Const(expr.arg.value, expr.type) if text and expr.type.typmod < 0 else None
    return constant(expr)


def _of(cut: a.Expr, operator: str, const: a.Const) -> Span | None:
    part = _part(cut)
    if part is None or operator not in {"=", "<", "<=", ">", ">="}:
        return None
    column, unit = part
    bounds = _year(const) if unit == "number" else _moment(const, unit)
    if bounds is None:
        return None
    low, high = bounds[0] - FARTHEST, bounds[1] + FARTHEST
    return Span(column, None if operator in {"<", "<="} else low, None if operator in {">", ">="} else high)


def _part(expr: a.Expr) -> tuple[a.Column, str] | None:
    arg, unit = None, ""
    if isinstance(expr, a.Cast) and not expr.implicit and expr.type.is_builtin and expr.type.name == "date":
        arg, unit = expr.arg, "day"
    elif isinstance(expr, a.Call) and expr.func.is_builtin:
        name, args = expr.func.name, expr.args
        first = args[0].value if args and isinstance(args[0], a.Const) else None
        if name == "date" and len(args) == 1:
            arg, unit = args[0], "day"
        elif name == "date_trunc" and len(args) == 2 and first in UNITS:
            arg, unit = args[1], str(first)
        elif name in {"extract", "date_part"} and len(args) == 2 and first == "year":
            arg, unit = args[1], "number"
    if not isinstance(arg, a.Column) or not arg.type.is_builtin or arg.type.name != "timestamptz":
        return None
    return arg, unit


def _year(const: a.Const) -> tuple[datetime, datetime] | None:
    number = value(const)
    if not isinstance(number, Decimal) or number != number.to_integral_value():
        return None
    if not _FIRST.year <= number <= _LAST.year:
        return None
    start = _FIRST.replace(year=int(number))
    return start, start.replace(year=start.year + 1)


def _moment(const: a.Const, unit: str) -> tuple[datetime, datetime] | None:
    """The local day of the constant's text, and a day after the unit that starts there must have ended."""
    text = const.value or ""
    found = _MOMENT.fullmatch(text) if const.type.name == "timestamptz" else DATE.fullmatch(text)
    if found is None or const.type.name not in {"timestamptz", "date"}:
        return None
    try:
        day = datetime.fromisoformat(text[:10])
    except ValueError:
        return None
    if not _FIRST <= day <= _LAST:
        return None
    # the constant's own zone, written out, is less than a day from UTC as well
    return day - _DAY, day + timedelta(days=UNITS[unit] + 1) + _DAY


def utc(const: a.Expr) -> datetime | None:
    """A timestamptz constant written in UTC."""
    found = literal(const)
    if found is None or found.type.name != "timestamptz" or not (found.value or "").endswith("+00"):
        return None
    text = found.value or ""
    try:
        return datetime.fromisoformat(text.removesuffix("+00"))
    except ValueError:
        return None


def moment(at: datetime, type_: SqlType) -> a.Expr:
    """A UTC moment as a constant beside a column of ``type_``, as its text binds."""
    return a.Cast(a.Const(f"{at:%Y-%m-%d %H:%M:%S}+00", UNKNOWN), type_, implicit=True, method="io")
