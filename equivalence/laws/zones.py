"""Between which moments a condition on a part of a moment holds, whatever the session's time zone is.

    at::date = D      date_trunc('day', at, 'Europe/Paris') = T      (at AT TIME ZONE 'UTC')::date = D
    to_char(at, 'YYYY-MM') = '2023-07'      date_trunc('month', day) = T

A zone's local time is less than seven days from UTC (PostgreSQL takes POSIX zones up to 167:59:59), so what
is known of a local date is known of the moment up to seven days; without a time zone it is known exactly.
A date becomes a moment by the session's zone, and may show as another day where clocks skip its midnight:
it is known up to seven days twice. Dates of which no moment can be made stay, for what they raise.
Must not know any rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

from rewright.equivalence.laws.formats import named_period
from rewright.sql import algebra as a
from rewright.sql.build import compare
from rewright.sql.comparisons import FLIPPED
from rewright.sql.constants import DATE, constant, value
from rewright.sql.facts.taken import ZONES
from rewright.sql.types import UNKNOWN, SqlType

SAME = {name: name for name in FLIPPED}
FARTHEST = timedelta(days=7)
MOMENTS = frozenset({"timestamp", "timestamptz"})
# the longest unit a moment is cut to, by name, in days; the local day around a change of clocks is longer
UNITS = {"year": 366, "quarter": 92, "month": 31, "week": 7, "day": 1, "hour": 1, "moment": 0}
_DAY = timedelta(days=1)
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?(?:[+-]\d\d(?::\d\d)?)?")
_FIRST, _LAST = datetime.fromisoformat("1000-01-01"), datetime.fromisoformat("9900-01-01")
_YEAR_ONE = datetime.fromisoformat("0001-01-01")


@dataclass(frozen=True, slots=True)
class Span:
    """Moments around all values of ``column`` for which a condition is TRUE, in UTC where it has a time zone;
    None: open.
    ``ancient``: years before Christ are written the same, so that it may hold of moments before ``ANCIENT``,
    too; or the column is a date, of which the earliest and the latest are left alone.
    """

    column: a.Column
    low: datetime | None
    high: datetime | None
    ancient: bool = False


ANCIENT = _YEAR_ONE + FARTHEST
"""What is written as a year before Christ ended by then in every time zone."""
_ANCIENT_DAY = ANCIENT + FARTHEST
_LATE_DAY = "9999-01-01"
"""No period that is looked for begins as late; dates of which no moment can be made come far behind it."""


def span(pred: a.Expr) -> Span | None:
    """``at::date op D``, ``date(at) op D``, ``date_trunc(unit, at[, zone]) op T``, ``extract(year FROM at) op
    n``, ``to_char(at, format) = 'T'``, also of ``at AT TIME ZONE zone``, which may be compared itself, and IN
    lists of these, for a column of a moment. Without a time zone only what date_trunc and to_char give: the
    rest is a range of the column.
    """
    if isinstance(pred, a.InList):
        if pred.all or pred.op.name != "=" or not pred.op.is_builtin or not pred.items:
            return None
        spans = [_of(pred.left, "=", c) if (c := literal(i)) is not None else None for i in pred.items]
        found = [s for s in spans if s is not None and s.low is not None and s.high is not None]
        # one value that is open, or not understood, leaves the whole list without bounds
        if len(found) < len(spans):
            return None
        low, high = min(s.low for s in found if s.low), max(s.high for s in found if s.high)
        return replace(found[0], low=low, high=high)
    if not isinstance(pred, a.Op) or len(pred.args) != 2 or not pred.op.is_builtin:
        return None
    for (one, other), names in ((pred.args, SAME), (pred.args[::-1], FLIPPED)):
        const = literal(other)
        if const is not None and pred.op.name in names:
            return _of(one, names[pred.op.name], const)
    return None


def literal(expr: a.Expr) -> a.Const | None:
    """A constant that is not NULL; a moment as its text, which is read in the session's zone."""
    if isinstance(expr, a.Cast) and isinstance(expr.arg, a.Const) and expr.type.name in MOMENTS:
        text = expr.arg.type.name == "unknown" and expr.type.is_builtin and expr.arg.value is not None
        # timestamptz(0) rounds what its text says, perhaps to the next second
        return a.Const(expr.arg.value, expr.type) if text and expr.type.typmod < 0 else None
    return constant(expr)


def _of(cut: a.Expr, operator: str, const: a.Const) -> Span | None:
    part = _part(cut)
    if part is None or operator not in {"=", "<", "<=", ">", ">="}:
        return None
    column, unit, type_ = part
    if const.type.name == "timestamptz" and cut.type.name != "timestamptz" and not _is_session_local(cut):
        return None  # a second zone, by which the two are compared
    written = unit.startswith(_WRITTEN)
    # a written period is a text: only equality says something of the moments behind it
    if written:
        bounds = named_period(unit.removeprefix(_WRITTEN), const.value or "") if operator == "=" else None
    else:
        bounds = _year(const) if unit == "number" else _moment(const, unit, exact=type_ == "timestamp")
    if bounds is None:
        return None
    of_date = column.type.name == "date"
    apart = FARTHEST * (1 + of_date) if type_ == "timestamptz" else timedelta(0)
    low, high = bounds[0] - apart, bounds[1] + apart
    low_known, high_known = operator not in {"<", "<="}, operator not in {">", ">="}
    # a date becomes a moment at its local midnight, and an open range would reach dates that have none
    if of_date and not (low_known and high_known):
        return None
    return Span(column, low if low_known else None, high if high_known else None, ancient=written or of_date)


_WRITTEN = "as "


def _part(expr: a.Expr) -> tuple[a.Column, str, str] | None:
    """The column that is cut, the unit or the format, and the type of moment that is cut."""
    arg, unit = _cut(expr)
    shifted = _elsewhere(expr if arg is None else arg)
    if arg is None:
        arg, unit = shifted, "moment"
    elif shifted is not None:
        arg = shifted
    if arg is None or not arg.type.is_builtin or arg.type.name not in MOMENTS:
        return None
    column = _of_day(arg) if shifted is None and _in_sessions_zone(expr, unit) else None
    if not isinstance(arg, a.Column) and column is None:
        return None
    # at::date = D of a timestamp is a range of the column already, and is read as one elsewhere
    exact = arg.type.name == "timestamp" and not (_is_call(expr, "date_trunc") or unit.startswith(_WRITTEN))
    found = column if column is not None else arg
    return None if exact or not isinstance(found, a.Column) else (found, unit, arg.type.name)


def _of_day(expr: a.Expr) -> a.Column | None:
    """The column of dates that is made a moment."""
    if not isinstance(expr, a.Cast) or expr.type.typmod >= 0 or not isinstance(expr.arg, a.Column):
        return None
    day = expr.arg.type
    return expr.arg if day.is_builtin and day.name == "date" else None


def _in_sessions_zone(cut: a.Expr, unit: str) -> bool:
    """What is cut or written without a zone of its own; a year is asked of the date itself."""
    return (
        isinstance(cut, a.Call)
        and len(cut.args) == 2
        and cut.func.name in {"date_trunc", "to_char"}
        and bool(unit)
    )


def _is_session_local(cut: a.Expr) -> bool:
    """Whether it is the local date in the session's zone, by which it is compared with a moment."""
    arg, _ = _cut(cut)
    return isinstance(arg, a.Column) and arg.type.name == "timestamptz"


def _is_call(expr: a.Expr, name: str) -> bool:
    return isinstance(expr, a.Call) and expr.func.is_builtin and expr.func.name == name


def _cut(expr: a.Expr) -> tuple[a.Expr | None, str]:
    """What a part is taken of, and which."""
    if isinstance(expr, a.Cast) and not expr.implicit and expr.type.is_builtin and expr.type.name == "date":
        return expr.arg, "day"
    if not isinstance(expr, a.Call) or not expr.func.is_builtin:
        return None, ""
    name, args = expr.func.name, expr.args
    first = _text(args[0]) if args else None
    if name == "date" and len(args) == 1:
        return args[0], "day"
    # date_trunc('decade', …) and the like are longer than any unit here
    if name == "date_trunc" and first in UNITS and (len(args) == 2 or (len(args) == 3 and _is_zone(args[2]))):
        return args[1], str(first)
    if name in {"extract", "date_part"} and len(args) == 2 and first == "year":
        return args[1], "number"
    if name == "to_char" and len(args) == 2 and (form := _text(args[1])) is not None:
        return args[0], f"{_WRITTEN}{form}"
    return None, ""


def _elsewhere(expr: a.Expr) -> a.Expr | None:
    """The moment of which ``expr`` is the local time in a zone."""
    if not _is_call(expr, "timezone") or not isinstance(expr, a.Call) or len(expr.args) != 2:
        return None
    zone, moment_ = expr.args
    return moment_ if _is_zone(zone) and moment_.type.name == "timestamptz" else None


def _is_zone(expr: a.Expr) -> bool:
    return _text(expr) in ZONES


def _text(expr: a.Expr) -> str | None:
    return expr.value if isinstance(expr, a.Const) and expr.type.name == "text" else None


def _year(const: a.Const) -> tuple[datetime, datetime] | None:
    number = value(const)
    if not isinstance(number, Decimal) or number != number.to_integral_value():
        return None
    # outside of these years the bounds, seven days off, would leave what Python can write
    if not _FIRST.year <= number <= _LAST.year:
        return None
    start = _FIRST.replace(year=int(number))
    return start, start.replace(year=start.year + 1)


def _moment(const: a.Const, unit: str, *, exact: bool) -> tuple[datetime, datetime] | None:
    """The local day of the constant's text, and a day after the unit that starts there must have ended;
    exactly without a time zone, where the constant may start no unit.
    """
    text = const.value or ""
    found = DATE.fullmatch(text) if const.type.name == "date" else _MOMENT.fullmatch(text)
    if found is None or const.type.name not in {*MOMENTS, "date"}:
        return None
    try:
        day = datetime.fromisoformat(text[:10])
    except ValueError:
        return None
    if not _FIRST <= day <= _LAST:
        return None
    # a constant within the unit, as in `date_trunc('month', t) <= '2024-01-15'`, leaves out the unit of its
    # end
    if exact:
        return day, day + timedelta(days=UNITS[unit] + (unit == "moment" or text[11:] not in {"", _MIDNIGHT}))
    # the constant's own zone, written out, is less than a day from UTC as well, and so is what a change of
    # clocks skips
    return day - _DAY, day + timedelta(days=UNITS[unit] + 1) + _DAY


_MIDNIGHT = "00:00:00"


def around(found: Span) -> tuple[a.Expr, ...]:
    """What a span says of its column, as conditions."""
    parts = [
        compare(name, found.column, moment(at, found.column.type))
        for name, at in ((">=", found.low), ("<", found.high))
        if at is not None
    ]
    kept = tuple(p for p in parts if p is not None)
    if not found.ancient:
        return kept
    of_date = found.column.type.name == "date"
    others = [compare("<", found.column, moment(_ANCIENT_DAY if of_date else ANCIENT, found.column.type))]
    if of_date:
        others.append(compare(">=", found.column, a.Const(_LATE_DAY, found.column.type)))
    arms = [p for p in others if p is not None]
    return () if len(arms) < len(others) or len(kept) < len(parts) else (a.Or((a.And(kept), *arms)),)


def utc(const: a.Expr) -> datetime | None:
    """A timestamptz constant written in UTC, or one without a time zone."""
    found = literal(const)
    if found is None or found.type.name not in MOMENTS:
        return None
    text = found.value or ""
    if found.type.name == "timestamptz" and not text.endswith("+00"):
        return None
    try:
        return datetime.fromisoformat(text.removesuffix("+00"))
    except ValueError:
        return None


def moment(at: datetime, type_: SqlType) -> a.Expr:
    """A UTC moment as a constant beside a column of ``type_``, as its text binds; without a time zone the
    moment itself.
    """
    if type_.name == "date":
        return a.Const(f"{at.year:04}-{at:%m-%d}", type_)
    text = f"{at:%m-%d %H:%M:%S}"
    if type_.name == "timestamp":
        return a.Const(f"{at.year:04}-{text}", type_.without_typmod())
    return a.Cast(a.Const(f"{at.year:04}-{text}+00", UNKNOWN), type_, implicit=True, method="io")
