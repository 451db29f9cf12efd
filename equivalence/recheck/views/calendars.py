"""Conditions that bound a value by a row of a calendar and by the next one, as equality with that row.

A calendar is generate_series of moments without a zone, from one constant to another by a constant step.
Where it begins with a unit (hour, day, ISO week, month, year) and steps by whole ones, all its rows begin
one; then ``row <= x < row + unit`` is that x cut down to the unit is the row. A date is its own day, and the
cast of a moment to its day never fails; the cut to a longer unit may begin before the first moment that there
is, and is made only of what is not before the calendar (and, of a date, not far after it, as there are dates
for which there is no moment). A constant bound of x beside such an equality is left out where all rows of the
calendar, and the units that they begin, are within it. Must not know the other forms.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta

from rewright.equivalence.recheck.views.instants import constant_moment, constant_parts
from rewright.sql import algebra as a
from rewright.sql.build import compare, function
from rewright.sql.facts import is_volatile
from rewright.sql.types import TEXT, SqlType
from rewright.sql.walk import bottom_up, conjoin, conjuncts, has_subquery, walk

_DATE, _MOMENT = SqlType("date"), SqlType("timestamp")
_SIDES = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_LENGTHS = ((0, 0, 3600), (0, 1, 0), (0, 7, 0), (1, 0, 0), (12, 0, 0))
Series = tuple[datetime, datetime, tuple[int, int, int]]


def calendars(query: a.Query) -> a.Query:
    series = {
        n.rel: s for n in walk(query) if isinstance(n, a.FunctionScan) and (s := _series(n)) is not None
    }

    def seen(node: a.Node) -> a.Node:
        if isinstance(node, a.Select) and node.where is not None:
            return replace(node, where=_cut(node.where, series))
        if isinstance(node, a.Join) and node.on is not None:
            return replace(node, on=_cut(node.on, series))
        return node

    return bottom_up(query, seen) if series else query


def _series(item: a.FunctionScan) -> Series | None:
    call = item.call
    # ORDINALITY counts rows in a column of its own
    if item.ordinality or not isinstance(call, a.Call) or len(call.args) != 3 or call.type != _MOMENT:
        return None
    if not call.func.is_builtin or call.func.name != "generate_series":
        return None
    since, until, step = (
        constant_moment(call.args[0]),
        constant_moment(call.args[1]),
        constant_parts(call.args[2]),
    )
    # a step of nothing is an error
    if since is None or until is None or step is None or step == (0, 0, 0):
        return None
    return since, until, step


def _cut(condition: a.Expr, series: Mapping[int, Series]) -> a.Expr | None:
    parts = list(conjuncts(condition))
    # one pair after another: what was a bound may stand in two pairs
    while (found := _pair(parts, series)) is not None:
        low, high, same = found
        parts[low] = same
        del parts[high]
    # a bound that a longer unit keeps as well
    parts = [p for p in parts if not _idle(p, parts, series)]
    return condition if len(parts) == len(list(conjuncts(condition))) else conjoin(parts)


def _pair(parts: list[a.Expr], series: Mapping[int, Series]) -> tuple[int, int, a.Expr] | None:
    for low, one in enumerate(parts):
        row, x = _at_least(one)
        # the row is a column of the calendar, what it bounds is something else
        if not isinstance(row, a.Column) or x is None or row.rel not in series:
            continue
        for high, other in enumerate(parts):
            y, end = _below(other)
            # both bounds are of the same value, the second of the same row
            if y != x or not isinstance(end, a.Op) or (end.op.name, end.op.is_builtin) != ("+", True):
                continue
            if len(end.args) == 2 and end.args[0] == row:
                same = _same(x, row, constant_parts(end.args[1]), series[row.rel])
                if same is not None:
                    return low, high, same
    return None


def _idle(pred: a.Expr, parts: list[a.Expr], series: Mapping[int, Series]) -> bool:
    """Whether a condition is a constant bound that everything keeps which equals a unit of a calendar."""
    if not _plain(pred) or not isinstance(pred, a.Op) or pred.op.name not in _SIDES:
        return False
    left, right = pred.args
    for x, other, name in ((left, right, pred.op.name), (right, left, _SIDES[pred.op.name])):
        at = _constant(other)
        # two constants bound nothing of a row
        if at is None or x.type not in {_DATE, _MOMENT} or _constant(x) is not None:
            continue
        rows = {n for p in parts if p is not pred for n in walk(p) if isinstance(n, a.Column)}
        for row in (r for r in rows if r.rel in series):
            for length in _LENGTHS:
                same, reach = _same(x, row, length, series[row.rel]), _reach(series[row.rel], length)
                if same is not None and same in parts and reach is not None and _keeps(name, at, *reach):
                    return True
    return False


def _keeps(name: str, at: datetime, first: datetime, end: datetime) -> bool:
    """Whether all moments from the first to before the end are on this side of one."""
    if name in {">", ">="}:
        # before the end of the last unit each moment is at or before this one
        return first > at or (name == ">=" and first == at)
    return end <= at


def _constant(x: a.Expr) -> datetime | None:
    inner = x.arg if isinstance(x, a.Cast) and x.method == "io" else x
    if x.type == _DATE and isinstance(inner, a.Const):
        return constant_moment(a.Const(f"{inner.value} 00:00:00", _MOMENT))
    return constant_moment(x)


def _reach(series: Series, length: tuple[int, int, int]) -> tuple[datetime, datetime] | None:
    """The first moment of a calendar, and one that no unit of its rows reaches beyond."""
    first, last, step = series
    months, days, seconds = length
    year, month = divmod(last.year * 12 + last.month - 1 + months, 12)
    # a calendar that runs backwards, or into years that need five figures
    if min(step) < 0 or year > 9000:
        return None
    at = last.replace(year=year, month=month + 1, day=min(last.day, monthrange(year, month + 1)[1]))
    return first, at + timedelta(days, seconds)


def _at_least(pred: a.Expr) -> tuple[a.Expr | None, a.Expr | None]:
    """The moment, and what is not before it."""
    if not _plain(pred) or not isinstance(pred, a.Op):
        return None, None
    moment, x = pred.args if pred.op.name == "<=" else pred.args[::-1]
    # <= with the row on the left is >= with it on the right
    fits = pred.op.name in {"<=", ">="} and moment.type == _MOMENT and x.type in {_DATE, _MOMENT}
    return (moment, x) if fits else (None, None)


def _below(pred: a.Expr) -> tuple[a.Expr | None, a.Expr | None]:
    """What is before a moment, and the moment."""
    if not _plain(pred) or not isinstance(pred, a.Op):
        return None, None
    x, moment = pred.args if pred.op.name == "<" else pred.args[::-1]
    return (x, moment) if pred.op.name in {"<", ">"} and moment.type == _MOMENT else (None, None)


def _plain(pred: a.Expr) -> bool:
    # a volatile value asked twice may be in two units
    single = isinstance(pred, a.Op) and pred.op.is_builtin and len(pred.args) == 2
    return single and not has_subquery(pred) and not is_volatile(pred)


def _same(x: a.Expr, row: a.Expr, length: tuple[int, int, int] | None, series: Series) -> a.Expr | None:
    since, until, (months, days, seconds) = series
    clock = seconds % 86400 == 0 and (since.hour, since.minute, since.second, since.microsecond) == (
        0,
        0,
        0,
        0,
    )
    unmoved = (days, seconds) == (0, 0)
    match length:
        # a day that begins at midnight, by steps of whole days
        case (0, 1, 0) | (0, 0, 86400):
            return compare("=", _day(x), _day(row)) if clock else None
        case (0, 0, 3600):
            on_hour = seconds % 3600 == 0 and (since.minute, since.second, since.microsecond) == (0, 0, 0)
            unit = "hour" if on_hour else None
        case (0, 7, 0):
            # Monday, and steps of whole weeks: a step of months would leave the weekday
            weeks = months == 0 and (days + seconds // 86400) % 7 == 0 and since.isoweekday() == 1
            unit = "week" if clock and weeks else None
        case (1, 0, 0):
            # a step with days in it leaves the first of the month
            unit = "month" if clock and unmoved and since.day == 1 else None
        case (12, 0, 0):
            new_year = (since.month, since.day) == (1, 1) and months % 12 == 0
            unit = "year" if clock and unmoved and new_year else None
        case _:
            return None
    return None if unit is None else _truncated(x, row, unit, since, until)


def _truncated(x: a.Expr, row: a.Expr, unit: str, since: datetime, until: datetime) -> a.Expr | None:
    trunc, moment = function("date_trunc", "text", "timestamp"), function("timestamp", "date")
    if trunc is None or moment is None:
        return None
    if x.type == _MOMENT:
        cut = a.Call(trunc, (a.Const(unit, TEXT), x), _MOMENT)
        reached = [compare(">=", x, a.Const(since.isoformat(" "), _MOMENT))]
    else:
        at = a.Cast(x, _MOMENT, method="func", func=moment)
        cut = a.Call(trunc, (a.Const(unit, TEXT), at), _MOMENT)
        ends = (">=", since.date()), ("<=", _year_later(until))
        reached = [compare(kind, x, a.Const(day.isoformat(), _DATE)) for kind, day in ends]
    condition = conjoin(p for p in reached if p is not None)
    if condition is None or None in reached:
        return None
    # an hour's beginning is never out of range; a month's may be
    if unit == "hour" and x.type == _MOMENT:
        return compare("=", cut, row)
    return compare("=", a.Case(((condition, cut),), a.Const(None, _MOMENT), _MOMENT), row)


def _year_later(at: datetime) -> date:
    """The day after the same day of the next year, or after that February's last."""
    # the 29th of February is the last of its month in the year after, too
    leap = (at.month, at.day) == (2, 29)
    return date.fromordinal(date(at.year + 1, at.month, 28 if leap else at.day).toordinal() + 1)


def _day(x: a.Expr) -> a.Expr:
    cast = function("date", "timestamp")
    return x if x.type == _DATE or cast is None else a.Cast(x, _DATE, method="func", func=cast)
