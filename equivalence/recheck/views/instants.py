"""Moments with a zone in UTC, intervals by their parts, and local times in UTC as the moments they are of.

A moment that is written with its distance from UTC is the same in every session, and an interval without
signs is read alike under every IntervalStyle. AT TIME ZONE 'UTC' shifts nothing, so that a comparison of its
result is one of the moment; its date is D from midnight to midnight. Must not know the other forms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import MAXYEAR, date, datetime, timedelta

from rewright.sql import algebra as a
from rewright.sql.build import compare, function
from rewright.sql.types import TIMESTAMPTZ, UNKNOWN, SqlType
from rewright.sql.walk import bottom_up

_MOMENT = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T](?P<time>[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)"
    r"(?: ?(?P<zone>[zZ]|[+-][0-9]{2}(?::?[0-9]{2})?))?)?"
)
# months, days and seconds of each unit
_UNITS: Mapping[str, tuple[int, int, int]] = {
    "year": (12, 0, 0),
    "month": (1, 0, 0),
    "week": (0, 7, 0),
    "day": (0, 1, 0),
    "hour": (0, 0, 3600),
    "minute": (0, 0, 60),
    "second": (0, 0, 1),
}
_SHORT = {"mon": "month", "min": "minute", "sec": "second"}
_TURNED = {"<": ">", "<=": ">=", "=": "=", "<>": "<>", ">=": "<=", ">": "<"}
_NEXT_DAY = {"<": False, "<=": True, ">": True, ">=": False}
_UTC = {"UTC", "GMT", "Etc/UTC", "Etc/GMT"}
_MOST = 100000
_YEARS = range(1000, MAXYEAR - 8)


def instants(query: a.Query) -> a.Query:
    return bottom_up(query, _seen)


def _seen(node: a.Node) -> a.Node:
    if isinstance(node, a.Cast) and isinstance(node.arg, a.Const) and node.arg.value is not None:
        return _constant(node, node.arg) or node
    # a prefix operator, or one of the user's
    if not isinstance(node, a.Op) or not node.op.is_builtin or len(node.args) != 2:
        return node
    left, right = node.args
    if node.op.name in _TURNED:
        # the constant may stand on either side
        told = _told(node.op.name, left, right) or _told(_TURNED[node.op.name], right, left)
        return told or _of_days(node.op.name, left, right) or node
    if node.op.name in {"+", "-"}:
        return _stepped(left, right, back=node.op.name == "-", to=node.type) or node
    return node


def _is(type_: SqlType, name: str) -> bool:
    return type_ == SqlType(name)


# --------------------------------------------------------------------------- constants


def _constant(cast: a.Cast, inner: a.Const) -> a.Expr | None:
    text = inner.value or ""
    if inner.type == UNKNOWN and cast.method == "io":
        spelled = None
        if _is(cast.type, "timestamp"):
            at = _read(text, zoned=False)
            # a timestamp's text is the constant it stands for; with a zone the text is only spelled in UTC
            return None if at is None else a.Const(_text(at), cast.type)
        if _is(cast.type, "timestamptz"):
            spelled = _utc_text(text)
        elif _is(cast.type, "interval") and (parts := _parts(text)) is not None:
            spelled = _parts_text(parts)
        return None if spelled is None else replace(cast, arg=a.Const(spelled, UNKNOWN))
    if (
        _is(inner.type, "timestamp")
        and _is(cast.type, "date")
        and (at := _read(text, zoned=False)) is not None
    ):
        return a.Const(f"{at:%Y-%m-%d}", cast.type)
    return None


def _read(text: str, *, zoned: bool) -> datetime | None:
    """A moment as the calendar has it, in UTC where it says its zone; only such a one, or none."""
    found = _MOMENT.fullmatch(text)
    # a zone where none belongs is ignored by the server, one that is missing is the session's
    if found is None or (found["zone"] is not None) != zoned:
        return None
    try:
        at = datetime.fromisoformat(f"{found['day']} {found['time'] or '00:00'}")
        if zoned and found["zone"] not in {"z", "Z"}:
            digits = found["zone"][1:].replace(":", "").ljust(4, "0")
            hours, minutes = int(digits[:2]), int(digits[2:])
            # zones of more than 15:59 are refused
            if hours > 15 or minutes > 59:
                return None
            ahead = timedelta(hours=hours, minutes=minutes)
            at += ahead if found["zone"][0] == "-" else -ahead
    except (ValueError, OverflowError):
        return None
    return at if at.year in _YEARS else None


def _text(at: datetime) -> str:
    fraction = f".{at.microsecond:06}" if at.microsecond else ""
    return f"{at:%Y-%m-%d %H:%M:%S}{fraction}"


def _utc_text(text: str) -> str | None:
    at = _read(text, zoned=True)
    return None if at is None else f"{_text(at)}+00"


def _parts(text: str) -> tuple[int, int, int] | None:
    """Months, days and seconds: numbers with units, each once, and a time of day at the end."""
    words = re.sub(r"(?<=[0-9])(?=[a-z])", " ", text.strip().lower()).split()
    total, met = [0, 0, 0], set()
    if words and ":" in words[-1]:
        clock = re.fullmatch(r"([0-9]{1,3}):([0-5][0-9])(?::([0-5][0-9]))?", words.pop())
        if clock is None:
            # '1:75' is no time of day
            return None
        total[2] = sum(int(n or 0) * s for n, s in zip(clock.groups(), (3600, 60, 1), strict=True))
        met = {"hour", "minute", "second"}
    elif not words:
        return None
    # a number without its unit would be seconds, or whatever the fields say
    if len(words) % 2:
        return None
    for number, word in zip(words[::2], words[1::2], strict=True):
        unit = word.removesuffix("s")
        unit = _SHORT.get(unit, unit)
        # '1 day 2 days' is an error
        if unit not in _UNITS or unit in met or not re.fullmatch("[0-9]{1,9}", number):
            return None
        met.add(unit)
        total = [t + int(number) * u for t, u in zip(total, _UNITS[unit], strict=True)]
    # the spans of intervals close to their ends may overflow when compared
    if total[0] > _MOST or total[1] > _MOST or total[2] > 86400 * _MOST + 86400 * 50:
        return None  # it may not fit
    return total[0], total[1], total[2]


def _parts_text(parts: tuple[int, int, int]) -> str:
    said = [f"{n} {u}" for n, u in zip(parts, ("months", "days", "seconds"), strict=True) if n > 0]
    return " ".join(said) if said else "0 seconds"


def constant_moment(x: a.Expr) -> datetime | None:
    """A constant moment without a zone, as this form writes it."""
    moment = isinstance(x, a.Const) and x.value is not None and _is(x.type, "timestamp")
    return _read(x.value or "", zoned=False) if moment and isinstance(x, a.Const) else None


def constant_parts(x: a.Expr) -> tuple[int, int, int] | None:
    """Months, days and seconds of a constant interval, as this form writes it."""
    parts = _interval(x)
    written = x.arg if isinstance(x, a.Cast) else x
    # only as this form writes it: '1 day' there and '24 hours' here must not meet as one
    as_here = parts is not None and isinstance(written, a.Const) and written.value == _parts_text(parts)
    return parts if as_here else None


def _interval(x: a.Expr) -> tuple[int, int, int] | None:
    said = isinstance(x, a.Cast) and x.method == "io" and _is(x.type, "interval")
    if not said or not isinstance(x, a.Cast) or not isinstance(x.arg, a.Const) or x.arg.type != UNKNOWN:
        return None
    return None if x.arg.value is None else _parts(x.arg.value)


# --------------------------------------------------------------------------- comparisons and steps


def _told(name: str, x: a.Expr, constant: a.Expr) -> a.Expr | None:
    parts = _interval(constant) if _is(x.type, "interval") else None
    if parts is not None and isinstance(constant, a.Cast):
        # as they are compared, a month has 30 days and a day 24 hours
        days, seconds = divmod((30 * parts[0] + parts[1]) * 86400 + parts[2], 86400)
        span = replace(constant, arg=a.Const(_parts_text((0, days, seconds)), UNKNOWN))
        # the same comparison again would be made without end
        return None if span == constant else compare(name, x, span)
    if not isinstance(constant, a.Const) or constant.value is None:
        return None
    start = _read(constant.value, zoned=False)
    if start is None:
        return None
    if (moment := _unshifted(x)) is not None:
        return compare(name, moment, _said(start)) if _is(constant.type, "timestamp") else None
    # an implicit cast to date is none that the query wrote
    is_day = isinstance(x, a.Cast) and not x.implicit and _is(x.type, "date") and _is(constant.type, "date")
    moment = _unshifted(x.arg) if is_day and isinstance(x, a.Cast) else None
    # a day compared with a moment of a day is not midnight to midnight
    if moment is None or len(constant.value) != 10:
        return None
    midnight, next_midnight = _said(start), _said(start + timedelta(1))
    if name in _NEXT_DAY:
        end = next_midnight if _NEXT_DAY[name] else midnight
        return compare({"<=": "<", ">": ">="}.get(name, name), moment, end)
    since, until = (">=", "<") if name == "=" else ("<", ">=")
    ends = compare(since, moment, midnight), compare(until, moment, next_midnight)
    if ends[0] is None or ends[1] is None:
        return None
    return a.And((ends[0], ends[1])) if name == "=" else a.Or((ends[0], ends[1]))


def _of_days(name: str, x: a.Expr, y: a.Expr) -> a.Expr | None:
    """Whether a day has begun at a moment, by that moment's own day. Whether it has ended, which the other
    comparisons ask, its day does not tell.
    """
    # day < at holds in the middle of the day and not at its midnight: both are one date
    day_first = _is(x.type, "date") and _is(y.type, "timestamp") and name in {"<=", ">"}
    day_last = _is(x.type, "timestamp") and _is(y.type, "date") and name in {"<", ">="}
    moment, cast = (y if day_first else x), function("date", "timestamp")
    if not (day_first or day_last) or isinstance(moment, a.Const) or cast is None:
        return None
    its_day = a.Cast(moment, SqlType("date"), method="func", func=cast)
    return compare(name, x, its_day) if day_first else compare(name, its_day, y)


def _unshifted(x: a.Expr) -> a.Expr | None:
    """The moment of which this is the time in UTC."""
    if not isinstance(x, a.Call) or not x.func.is_builtin or x.func.name != "timezone" or len(x.args) != 2:
        return None
    zone, moment = x.args
    # a TimeZone of the session that calls another offset UTC is assumed away (docs/equivalence.md)
    named = isinstance(zone, a.Const) and zone.value in _UTC
    return moment if named and _is(moment.type, "timestamptz") else None


def _said(at: datetime) -> a.Expr:
    return a.Cast(a.Const(f"{_text(at)}+00", UNKNOWN), TIMESTAMPTZ, implicit=True, method="io")


def _stepped(x: a.Expr, by: a.Expr, *, back: bool, to: SqlType) -> a.Const | None:
    """A day or a moment without a zone moved by an interval, by its months first."""
    parts = _interval(by)
    if parts is None or not isinstance(x, a.Const) or x.value is None or not _is(to, "timestamp"):
        return None
    at = _read(x.value, zoned=False) if _is(x.type, "timestamp") or _is(x.type, "date") else None
    if at is None:
        return None
    sign = -1 if back else 1
    number = at.year * 12 + at.month - 1 + sign * parts[0]
    year, month = number // 12, number % 12 + 1
    # years of four figures before and after
    if year not in _YEARS:
        return None
    last = (date(year + month // 12, month % 12 + 1, 1) - timedelta(1)).day
    try:
        moved = at.replace(year=year, month=month, day=min(at.day, last))
        moved += sign * timedelta(days=parts[1], seconds=parts[2])
    except (ValueError, OverflowError):
        return None
    return a.Const(_text(moved), to) if moved.year in _YEARS else None
