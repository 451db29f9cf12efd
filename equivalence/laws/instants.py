"""One spelling for moments whose zone is written with them, for intervals, and for dates in UTC.

    '2024-01-01T02:00:00+02'                        -->   '2024-01-01 00:00:00+00'
    interval '1 week'   dur = interval '24 hours'   -->   interval '7 days'   dur = interval '1 days'
    (at AT TIME ZONE 'UTC')::date = '2024-12-31'    -->   at >= '2024-12-31 00:00:00+00' AND at < '2025-…'
    timestamp '2024-01-31 10:00' + '1 month'        -->   timestamp '2024-02-29 10:00:00'
    day <= at   day > at                            -->   day <= at::date   day > at::date

Only what every session reads alike: dates as ISO writes them, signs of no interval (IntervalStyle has its own
way with those). UTC is the zone of that name in the server's own files. Must not know rules or provers.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from rewright.sql import algebra as a
from rewright.sql.build import compare, function
from rewright.sql.comparisons import FLIPPED
from rewright.sql.types import TIMESTAMPTZ, UNKNOWN, SqlType
from rewright.sql.walk import bottom_up

_TIME = r"\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?"
_INSTANT = re.compile(rf"\d{{4}}-\d\d-\d\d[ T]{_TIME} ?(?:[zZ]|[+-]\d\d(?::?\d\d)?)")
_LOCAL = re.compile(rf"\d{{4}}-\d\d-\d\d(?:[ T]{_TIME})?")
_PART = re.compile(r"(\d{1,9}) *(year|month|mon|week|day|hour|minute|min|second|sec)s?")
_CLOCK = re.compile(r"(?:(?<=^)|(?<= ))(\d{1,3}):(\d\d)(?::(\d\d))?$")
# by the first three letters of a unit
_MONTHS = {"yea": 12, "mon": 1}
_DAYS = {"wee": 7, "day": 1}
_SECONDS = {"hou": 3600, "min": 60, "sec": 1}
# the server takes no zone that is further from UTC
_FARTHEST = timedelta(hours=15, minutes=59)
_DAY = 86400
_ZERO_ZONES = frozenset({"UTC", "GMT", "Etc/UTC", "Etc/GMT"})
_FIRST, _LAST = 1000, 9990
# far below what an interval holds
_MOST_DAYS = 100_000
# months, days and seconds, which an interval keeps apart
Length = tuple[int, int, int]


def as_instants(query: a.Query) -> a.Query:
    """A query in these spellings."""
    return bottom_up(query, _changed)


def _changed(node: a.Node) -> a.Node:
    match node:
        case a.Cast(a.Const(str(text), source), target, method="io") if source == UNKNOWN:
            return _spelled(node, text, target)
        # a timestamp under a cast: the day of it, as '2024-01-01 10:00'::timestamp::date
        case a.Cast(a.Const(str(text), source), target) if _named(source, "timestamp"):
            return _day_of(text, target) or node
        case a.Op(op, (left, right)) if op.is_builtin and op.name in FLIPPED:
            told = _compared(op.name, left, right) or _compared(FLIPPED[op.name], right, left)
            return told or by_day(node) or node
        case a.Op(op, (left, right), type_) if op.is_builtin and op.name in {"+", "-"}:
            return _moved(left, op.name, right, type_) or node
        case _:
            return node


def _named(type_: SqlType, name: str) -> bool:
    # timestamptz(0) would round
    return type_.is_builtin and type_.name == name and type_.typmod == -1


# --------------------------------------------------------------------------- spellings


def _spelled(cast: a.Cast, text: str, target: SqlType) -> a.Expr:
    made: str | None = None
    if _named(target, "timestamp") and (moment := _local(text)) is not None:
        return a.Const(_written(moment), target)
    if _named(target, "timestamptz"):
        made = _instant(text)
    elif _named(target, "interval") and (length := _length(text)) is not None:
        made = _interval(length)
    return cast if made is None else replace(cast, arg=a.Const(made, UNKNOWN))


def _instant(text: str) -> str | None:
    """A moment with its zone, in UTC."""
    if not _INSTANT.fullmatch(text):
        return None
    try:
        found = datetime.fromisoformat(text.replace(" +", "+").replace(" -", "-").replace(" Z", "Z"))
        # +16:00 is an error on the server, whatever Python makes of it
        if abs(found.utcoffset() or timedelta()) > _FARTHEST:
            return None
        found = found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    # years of four figures, far from where moments end
    return f"{_written(found)}+00" if _FIRST <= found.year <= _LAST else None


def _written(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(
        " ", timespec="microseconds" if moment.microsecond else "seconds"
    )


def _length(text: str) -> Length | None:
    """An interval of whole parts without signs."""
    rest, clock = text.strip().lower(), 0
    if (found := _CLOCK.search(rest)) is not None:
        hours, minutes, seconds = (int(x or 0) for x in found.groups())
        # '00:75:00' is refused by the server
        if minutes > 59 or seconds > 59:
            return None
        rest, clock = rest[: found.start()].strip(), 3600 * hours + 60 * minutes + seconds
    parts: dict[str, int] = {}
    while rest:
        part = _PART.match(rest)
        # '1h' is not read here, and '2 days3' is no interval
        if part is None or rest[part.end() :][:1] not in {"", " "} or part[2][:3] in parts:
            return None  # a unit that is there twice is an error
        parts[part[2][:3]] = int(part[1])
        rest = rest[part.end() :].strip()
    # seconds twice, by '30 seconds' and by '00:00:30': the server refuses that
    if (found is not None and parts.keys() & _SECONDS.keys()) or not (parts or found):
        return None
    months, days, span = (sum(n * parts.get(u, 0) for u, n in x.items()) for x in (_MONTHS, _DAYS, _SECONDS))
    # far inside an interval: what is close to its ends may overflow when it is compared
    fits = max(months, days) <= _MOST_DAYS and span <= _MOST_DAYS * _DAY
    return (months, days, span + clock) if fits else None


def _interval(length: Length) -> str:
    parts = [f"{n} {unit}" for n, unit in zip(length, ("months", "days", "seconds"), strict=True) if n]
    # an interval of nothing must be written with some unit
    return " ".join(parts) or "0 seconds"


def interval_of(x: a.Expr) -> Length | None:
    """The parts of a constant interval."""
    match x:
        case a.Cast(a.Const(str(text), source), target, method="io") if source == UNKNOWN:
            return _length(text) if _named(target, "interval") else None
    return None


# --------------------------------------------------------------------------- comparisons


def _compared(name: str, left: a.Expr, right: a.Expr) -> a.Expr | None:
    """A comparison of something with a constant, of the left with the right."""
    length = interval_of(right)
    if length is not None and _named(left.type, "interval") and isinstance(right, a.Cast):
        months, days, seconds = length  # compared by their spans, in months of 30 days of 24 hours
        whole, seconds = divmod(seconds, _DAY)
        span = a.Const(_interval((0, 30 * months + days + whole, seconds)), UNKNOWN)
        # None where nothing changes, or the same comparison would be made anew without end
        return compare(name, left, replace(right, arg=span)) if span != right.arg else None
    # a constant that is bound as a text or computed later is not read here
    if not isinstance(right, a.Const) or right.value is None:
        return None
    if isinstance(left, a.Cast) and _named(left.type, "date") and _named(right.type, "date"):
        at = _in_utc(left.arg)
        # an implicit cast is one that the server may leave out by comparing the two types
        return None if at is None or left.implicit else _on_day(name, at, right.value)
    at = _in_utc(left)
    return None if at is None or not _named(right.type, "timestamp") else _at(name, at, right.value)


def _in_utc(x: a.Expr) -> a.Expr | None:
    """The moment of which this is the date and time in UTC."""
    match x:
        case a.Call(func, (a.Const(str(zone), _), at)) if func.is_builtin and func.name == "timezone":
            return at if zone in _ZERO_ZONES and _named(at.type, "timestamptz") else None
    return None


def _at(name: str, at: a.Expr, text: str) -> a.Expr | None:
    moment = _local(text)
    return None if moment is None else compare(name, at, _constant(moment))


def _on_day(name: str, at: a.Expr, text: str) -> a.Expr | None:
    """A date that is compared, as a range of moments: infinite ones stand beyond all."""
    start = _local(text)
    # a moment at which a day is compared (date = '2024-01-01 10:00') is no day
    if start is None or len(text) != 10:
        return None
    day, next_day = _constant(start), _constant(start + timedelta(days=1))
    match name:
        case "<" | ">=":
            return compare(name, at, day)
        case "<=" | ">":
            return compare({"<=": "<", ">": ">="}[name], at, next_day)
    # <> holds before the day and behind it, so that the two bounds are alternatives
    ends = ((">=", day), ("<", next_day)) if name == "=" else (("<", day), (">=", next_day))
    parts = tuple(p for n, c in ends if (p := compare(n, at, c)) is not None)
    return a.And(parts) if name == "=" else a.Or(parts) if name == "<>" else None


def moment_of(x: a.Expr) -> datetime | None:
    """A constant moment without a zone."""
    match x:
        case a.Cast(a.Const(str(text), source), target, method="io") if source == UNKNOWN:
            return _local(text) if _named(target, "timestamp") else None
        case a.Const(str(text), type_):
            return _local(text) if _named(type_, "timestamp") else None
    return None


def _local(text: str) -> datetime | None:
    if not _LOCAL.fullmatch(text):
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if _FIRST <= found.year <= _LAST else None


def _constant(moment: datetime) -> a.Expr:
    return a.Cast(a.Const(f"{_written(moment)}+00", UNKNOWN), TIMESTAMPTZ, implicit=True, method="io")


def by_day(pred: a.Op) -> a.Op | None:
    """A comparison of a date with a moment without a zone as one of dates, where that is the same: a day has
    begun by a moment where it is not later than that moment's day. No cast of a moment to its date fails.
    """
    left, right = pred.args
    day, at = (left, right) if _named(left.type, "date") else (right, left)
    # day < at holds in the middle of the day and not at its midnight: both are one date
    kinds = {"<=", ">"} if day is left else {">=", "<"}
    if not _named(day.type, "date") or not _named(at.type, "timestamp") or pred.op.btree not in kinds:
        return None
    known = function("date", "timestamp")
    # a constant moment is compared as it is; day and constant are another law's
    if isinstance(at, a.Const) or not pred.op.is_builtin or known is None:
        return None
    its_day = a.Cast(at, day.type, method="func", func=known)
    return compare(pred.op.btree, *((day, its_day) if day is left else (its_day, day)))


# --------------------------------------------------------------------------- arithmetic


def _moved(left: a.Expr, sign: str, right: a.Expr, type_: SqlType) -> a.Const | None:
    """A date or a moment without a zone, some time later or sooner."""
    length = interval_of(right)
    plain = isinstance(left, a.Const) and (_named(left.type, "timestamp") or _named(left.type, "date"))
    # a moment with a zone would be moved by the session's clocks
    if length is None or not plain or not isinstance(left, a.Const) or not _named(type_, "timestamp"):
        return None
    start = _local(left.value or "")
    months, days, seconds = length if sign == "+" else (-x for x in length)
    found = None if start is None else _try(lambda: later(start, months) + timedelta(days, seconds))
    # later than 9990 and before 1000 the result may have more figures or none
    return None if found is None or not _FIRST <= found.year <= _LAST else a.Const(_written(found), type_)


def later(start: datetime, months: int) -> datetime:
    """The same day so many months later, or the month's last."""
    years, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    # January 31 and a month is the last of February, as the server has it
    return start.replace(year=years, month=month + 1, day=min(start.day, monthrange(years, month + 1)[1]))


def _try(made: Callable[[], datetime]) -> datetime | None:
    try:
        return made()
    except (ValueError, OverflowError):
        return None


def _day_of(text: str, target: SqlType) -> a.Const | None:
    moment = _local(text) if _named(target, "date") else None
    return (
        None if moment is None else a.Const(date(moment.year, moment.month, moment.day).isoformat(), target)
    )
