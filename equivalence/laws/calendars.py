"""Rows of the day, month or hour that a calendar's row begins, found by equality.

    FROM generate_series(timestamp '2024-01-01', …, interval '1 day') d(day) LEFT JOIN t
      ON t.at >= d.day AND t.at < d.day + interval '1 day'     -->     ON t.at::date = d.day::date

Each value of such a series is the beginning of a unit where its first one is and its steps are whole ones:
the moments from it to the next unit are those that are cut down to it. A moment before the first value is
cut down to nothing, since its month might begin before the first moment that there is. What equals a unit of
the series lies between its first moment and the end of its last unit: bounds that say no more are dropped
where queries are compared, and may be added where an index is to be used. Must not know rules or
provers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from rewright.equivalence.laws.instants import Length, interval_of, later, moment_of
from rewright.sql import algebra as a
from rewright.sql.build import compare, function
from rewright.sql.facts import is_volatile
from rewright.sql.types import TEXT, UNKNOWN, SqlType
from rewright.sql.walk import bottom_up, conjoin, conjuncts, has_subquery, walk

_DATE, _MOMENT = SqlType("date"), SqlType("timestamp")
_DAY, _HOUR = 86400, 3600
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
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
        # a step that is no whole number of units leaves the beginnings: 36 hours from midnight are a noon
        months, days, seconds = self.step
        at, midnight = self.first, self.first.time() == datetime.min.time()
        match unit:
            case "hour":
                return (at.minute, at.second, at.microsecond) == (0, 0, 0) and seconds % _HOUR == 0
            case "day":
                return midnight and seconds % _DAY == 0
            case "week":
                # a month later is another weekday
                whole = months == 0 and seconds % _DAY == 0 and (days + seconds // _DAY) % 7 == 0
                return midnight and whole and at.weekday() == 0
            case "month":
                # a day more of the step, as in '1 month 1 day', would leave the first of the month
                return midnight and at.day == 1 and (days, seconds) == (0, 0)
        return midnight and (at.month, at.day) == (1, 1) and months % 12 == 0 and (days, seconds) == (0, 0)

    def reach(self, unit: str) -> tuple[datetime, datetime] | None:
        """Its first moment, and the end of the unit of its last one; None where no year is so late."""
        # a series that runs backwards has its first moment last
        if min(self.step) < 0:
            return None
        try:
            match unit:
                case "month" | "year":
                    return self.first, later(self.last, 1 if unit == "month" else 12)
            return self.first, self.last + {"hour": timedelta(hours=1), "week": timedelta(7)}.get(
                unit, timedelta(1)
            )
        except (ValueError, OverflowError):
            # Python's years end with 9999, where no bound is stated then
            return None


Bounds = Literal["added", "kept", "dropped"]


def by_calendar(query: a.Query, bounds: Bounds = "dropped") -> a.Query:
    """A query whose conditions ask for the unit of a calendar's row by equality. ``bounds``: what is done
    with constant bounds beside these that say no more than that a row is of the series.
    """
    known = calendars(query)
    if not known:
        return query

    def changed(node: a.Node) -> a.Node:
        match node:
            case a.Select(where=where) if where is not None:
                return replace(node, where=_met(where, known, bounds))
            case a.Join(on=on) if on is not None:
                return replace(node, on=_met(on, known, bounds))
        return node

    return bottom_up(query, changed)


def _met(condition: a.Expr, known: Mapping[int, Calendar], bounds: Bounds) -> a.Expr | None:
    preds = list(conjuncts(condition))
    found = unit_asked(preds, known)
    # one pair at a time, since the equality that takes a pair's place is a condition for the next search
    while found is not None:
        since, until, asked = found
        more = _bounds(since, until, known) if bounds == "added" else ()
        preds = [x for p in preds if p is not until for x in ((asked, *more) if p is since else (p,))]
        found = unit_asked(preds, known)
    if bounds == "dropped":
        preds = [p for p in preds if not _reached(p, preds, known)]
    return condition if tuple(preds) == conjuncts(condition) else conjoin(preds)


def calendars(query: a.Query) -> dict[int, Calendar]:
    """The series of moments in a query, by their range variables."""
    found = {}
    # WITH ORDINALITY has a second column, and ROWS FROM two series side by side
    for n in walk(query):
        if isinstance(n, a.FunctionScan) and not n.ordinality and isinstance(n.call, a.Call):
            calendar = _calendar(n.call)
            if calendar is not None:
                found[n.rel] = calendar
    return found


def _calendar(call: a.Call) -> Calendar | None:
    # with a time zone a day may have 23 hours, so that its steps are no equal units
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
        # `at > d.day` leaves out the beginning itself, which equality would let in
        if calendar is None or op != ">=":
            continue
        for until, (y, op, end) in bounds:
            # both bounds are of one row of the calendar: the end is this start plus a unit, not another one's
            unit = _unit_to(end, start) if op == "<" and y == x else None
            made = None if unit is None or not calendar.begins(unit) else _equal(x, start, unit, calendar)
            if made is not None:
                return since, until, made
    return None


def _bounds(since: a.Expr, until: a.Expr, known: Mapping[int, Calendar]) -> tuple[a.Expr, ...]:
    """The bounds of the whole series, as conditions on what lies in one of its units."""
    low, high = _bound(since), _bound(until)
    if low is None or high is None:
        return ()
    x, _, start = low
    if not isinstance(start, a.Column):
        return ()
    unit = _unit_to(high[2], start)
    reach = None if unit is None else known[start.rel].reach(unit)
    # a date is compared with whole hours, where no whole day says the same
    if reach is None or (x.type == _DATE and unit == "hour"):
        return ()
    shown = (m.date().isoformat() if x.type == _DATE else m.isoformat(" ") for m in reach)
    first, end = (a.Const(text, x.type) for text in shown)
    made = compare(">=", x, first), compare("<", x, end)
    return tuple(p for p in made if p is not None)


def _reached(pred: a.Expr, preds: Sequence[a.Expr], known: Mapping[int, Calendar]) -> bool:
    """Whether a condition bounds what equals a unit of a series by a constant that the whole series keeps."""
    found = _constant_bound(pred)
    if found is None:
        return False
    x, kind, at = found
    starts = [
        n for p in preds if p is not pred for n in walk(p) if isinstance(n, a.Column) and n.rel in known
    ]
    # any unit by which the condition's value may equal the row's: which one it was made with is not kept
    for start in dict.fromkeys(starts):
        for unit in dict.fromkeys(_UNITS.values()):
            calendar = known[start.rel]
            reach = calendar.reach(unit) if calendar.begins(unit) else None
            if reach is None or _equal(x, start, unit, calendar) not in preds:
                continue
            first, end = reach
            # at the bound itself `>=` lets the first moment in as the series does, `>` would not
            if {">=": at <= first, ">": at < first, "<": at >= end, "<=": at >= end}[kind]:
                return True
    return False


def _constant_bound(pred: a.Expr) -> tuple[a.Expr, str, datetime] | None:
    """What is compared with a constant moment or day, how, and with which."""
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or len(pred.args) != 2:
        return None
    (left, right), kind = pred.args, pred.op.btree
    if kind not in _TURNED or left.type not in {_DATE, _MOMENT} or right.type not in {_DATE, _MOMENT}:
        return None
    if _moment(left) is not None:
        left, right, kind = right, left, _TURNED[kind]
    at = _moment(right)
    return None if at is None else (left, kind, at)


def _moment(x: a.Expr) -> datetime | None:
    """A constant moment without a zone; a day is its beginning."""
    match x:
        case a.Cast(a.Const(str(text), source), target, method="io") if source == UNKNOWN and target == _DATE:
            return moment_of(a.Const(f"{text} 00:00:00", _MOMENT))
        case a.Const(str(text), type_) if type_ == _DATE:
            return moment_of(a.Const(f"{text} 00:00:00", _MOMENT))
    return moment_of(x)


def _bound(pred: a.Expr) -> tuple[a.Expr, str, a.Expr] | None:
    """What is compared with a moment, how, and with which."""
    if not isinstance(pred, a.Op) or not pred.op.is_builtin or len(pred.args) != 2:
        return None
    # a volatile value asked once is not the value asked twice
    if has_subquery(pred) or is_volatile(pred):
        return None
    (left, right), kind = pred.args, pred.op.btree
    if kind in {"<=", ">"}:
        left, right, kind = right, left, {"<=": ">=", ">": "<"}[kind]
    # the column of the calendar is the moment; what is compared with it may be a day
    return (left, kind, right) if left.type in {_DATE, _MOMENT} and right.type == _MOMENT else None


def _unit_to(end: a.Expr, start: a.Expr) -> str | None:
    """The unit by which a moment is later than another."""
    if not isinstance(end, a.Op) or not end.op.is_builtin or end.op.name != "+" or len(end.args) != 2:
        return None
    # the sum must be of this very row: d.day + '1 day', not e.day + '1 day'
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
    # the beginning of an hour is never before the first moment that there is, as that of a month may be
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
