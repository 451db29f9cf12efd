"""Rows of the day, month or hour that a calendar's row begins, found by equality.

    FROM generate_series(timestamp '2024-01-01', …, interval '1 day') d(day) LEFT JOIN t
      ON t.at >= d.day AND t.at < d.day + interval '1 day'     -->     ON t.at::date = d.day::date

Each value of such a series is the beginning of a unit where its first one is and its steps are whole ones:
the moments from it to the next unit are those that are cut down to it. A moment before the first value is
cut down to nothing, since its month might begin before the first moment that there is. Must not know rules or
provers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from rewright.equivalence.laws.instants import Length, interval_of, later, moment_of
from rewright.sql import algebra as a
from rewright.sql.build import compare, function
from rewright.sql.facts import is_volatile
from rewright.sql.types import TEXT, SqlType
from rewright.sql.walk import bottom_up, conjoin, conjuncts, has_subquery, walk

_DATE, _MOMENT = SqlType("date"), SqlType("timestamp")
_DAY, _HOUR = 86400, 3600
_UNITS: Mapping[Length, str] = {
    (0, 0, _HOUR): "hour",
    (0, 0, _DAY): "day",
    (0, 1, 0): "day",
    (0, 7, 0): "week",
    (1, 0, 0): "month",
    (12, 0, 0): "year",
}


@dataclass(frozen=True, slots=True)
class Calendar:
    """A series of moments: its bounds and its step."""

    first: datetime
    last: datetime
    step: Length

    def begins(self, unit: str) -> bool:
        """Whether each of its moments is the beginning of a unit."""
        months, days, seconds = self.step
        at, midnight = self.first, self.first.time() == datetime.min.time()
        match unit:
            case "hour":
                return (at.minute, at.second, at.microsecond) == (0, 0, 0) and seconds % _HOUR == 0
            case "day":
                return midnight and seconds % _DAY == 0
            case "week":
                whole = months == 0 and seconds % _DAY == 0 and (days + seconds // _DAY) % 7 == 0
                return midnight and whole and at.weekday() == 0
            case "month":
                return midnight and at.day == 1 and (days, seconds) == (0, 0)
        return midnight and (at.month, at.day) == (1, 1) and months % 12 == 0 and (days, seconds) == (0, 0)


def by_calendar(query: a.Query) -> a.Query:
    """A query whose conditions ask for the unit of a calendar's row by equality."""
    known = calendars(query)
    if not known:
        return query

    def changed(node: a.Node) -> a.Node:
        match node:
            case a.Select(where=where) if where is not None:
                return replace(node, where=_met(where, known))
            case a.Join(on=on) if on is not None:
                return replace(node, on=_met(on, known))
        return node

    return bottom_up(query, changed)


def _met(condition: a.Expr, known: Mapping[int, Calendar]) -> a.Expr | None:
    preds = list(conjuncts(condition))
    found = unit_asked(preds, known)
    if found is None:
        return condition
    while found is not None:
        *pair, asked = found
        preds = [asked if p is pair[0] else p for p in preds if p is not pair[1]]
        found = unit_asked(preds, known)
    return conjoin(preds)


def calendars(query: a.Query) -> dict[int, Calendar]:
    """The series of moments in a query, by their range variables."""
    found = {}
    for n in walk(query):
        if isinstance(n, a.FunctionScan) and not n.ordinality and isinstance(n.call, a.Call):
            calendar = _calendar(n.call)
            if calendar is not None:
                found[n.rel] = calendar
    return found


def _calendar(call: a.Call) -> Calendar | None:
    if not call.func.is_builtin or call.func.name != "generate_series" or call.type != _MOMENT:
        return None
    if len(call.args) != 3:
        return None
    first, last, step = moment_of(call.args[0]), moment_of(call.args[1]), interval_of(call.args[2])
    return (
        None
        if first is None or last is None or step is None or not any(step)
        else Calendar(first, last, step)
    )


def unit_asked(
    preds: Sequence[a.Expr], known: Mapping[int, Calendar]
) -> tuple[a.Expr, a.Expr, a.Expr] | None:
    """Two conditions that say that a value lies in the unit that a calendar's row begins, and the equality
    that says the same.
    """
    bounds = [(p, b) for p in preds if (b := _bound(p)) is not None]
    for since, (x, op, start) in bounds:
        calendar = known.get(start.rel) if isinstance(start, a.Column) else None
        if calendar is None or op != ">=":
            continue
        for until, (y, op, end) in bounds:
            unit = _unit_to(end, start) if op == "<" and y == x else None
            made = None if unit is None or not calendar.begins(unit) else _equal(x, start, unit, calendar)
            if made is not None:
                return since, until, made
    return None


def _bound(pred: a.Expr) -> tuple[a.Expr, str, a.Expr] | None:
    """What is compared with a moment, how, and with which."""
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or len(pred.args) != 2:
        return None
    if has_subquery(pred) or is_volatile(pred):
        return None
    (left, right), kind = pred.args, pred.op.btree
    if kind in {"<=", ">"}:
        left, right, kind = right, left, {"<=": ">=", ">": "<"}[kind]
    return (left, kind, right) if left.type in {_DATE, _MOMENT} and right.type == _MOMENT else None


def _unit_to(end: a.Expr, start: a.Expr) -> str | None:
    """The unit by which a moment is later than another."""
    if not isinstance(end, a.Op) or not end.op.is_builtin or end.op.name != "+" or len(end.args) != 2:
        return None
    length = interval_of(end.args[1]) if end.args[0] == start else None
    return None if length is None else _UNITS.get(length)


def _equal(x: a.Expr, start: a.Expr, unit: str, calendar: Calendar) -> a.Expr | None:
    if unit == "day":
        days = [e if e.type == _DATE else _as_date(e) for e in (x, start)]
        return None if None in days else compare("=", *(d for d in days if d is not None))
    at = x if x.type == _MOMENT else _as_moment(x)
    func = function("date_trunc", "text", "timestamp")
    if func is None or at is None:
        return None
    cut: a.Expr | None = a.Call(func, (a.Const(unit, TEXT), at), _MOMENT)
    if x.type == _DATE or unit != "hour":
        cut = _among(x, cut, calendar)
    return None if cut is None else compare("=", cut, start)


def _among(x: a.Expr, cut: a.Expr | None, calendar: Calendar) -> a.Expr | None:
    """The cut of values that the calendar reaches; NULL for others, of which the cut might fail."""
    first: a.Expr = a.Const(calendar.first.isoformat(" "), _MOMENT)
    asked: list[a.Expr | None] = [compare(">=", x, first)]
    if x.type == _DATE:
        first = a.Const(calendar.first.date().isoformat(), _DATE)
        # no unit is longer than a year
        end = later(calendar.last, 12) + timedelta(days=1)
        asked = [compare(">=", x, first), compare("<=", x, a.Const(end.date().isoformat(), _DATE))]
    if cut is None or None in asked:
        return None
    condition = conjoin(p for p in asked if p is not None)
    return None if condition is None else a.Case(((condition, cut),), a.Const(None, _MOMENT), _MOMENT)


def _as_date(x: a.Expr) -> a.Expr | None:
    func = function("date", "timestamp")
    return None if func is None else a.Cast(x, _DATE, method="func", func=func)


def _as_moment(x: a.Expr) -> a.Expr | None:
    func = function("timestamp", "date")
    return None if func is None else a.Cast(x, _MOMENT, method="func", func=func)
