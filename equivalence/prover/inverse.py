"""Comparisons of a rising function of a value with a constant, as comparisons of the value itself.

``at::date = '2000-01-15'`` holds from midnight to midnight, ``extract(year from d) < 2000`` before a first of
January. For a function f that never falls, ``f(x) >= c`` holds from some point on (`_Steps.from_`), ``f(x) >
c`` from another (`beyond`); that is all it takes. Moments with a time zone depend on the session's and are
left alone; infinite ones stand where the order puts them (PostgreSQL manual, 9.9 Date/Time Functions:
truncation and year keep infinity). Must not know terms' context.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation, localcontext
from math import ceil, floor

from rewright.sql.types import DATE, TIMESTAMP

from .terms import INTEGER, App, Lit, Term

_PLAIN_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?\Z")
_FIXED = {
    "microseconds": timedelta(microseconds=1),
    "milliseconds": timedelta(milliseconds=1),
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_DIGITS = 200
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_MONDAY = datetime(1, 1, 1)  # noqa: DTZ001 - the calendar has no zone; 0001-01-01 is a Monday


@dataclass(frozen=True, slots=True)
class Points:
    """``f(x) >= c`` is ``x >= from_``, ``f(x) > c`` is ``x >= beyond``; constants of x's type."""

    from_: Lit
    beyond: Lit
    # the one value of x with f(x) = c, where x is of a type without values between neighbours
    only: Lit | None = None


def points(term: App, constant: Lit) -> tuple[Term, Points] | None:
    """The argument x of the rising function that ``term`` applies, and where it reaches and passes the
    constant.
    """
    if constant.value is None:
        # a comparison with NULL is NULL on both sides of the inversion
        return None
    found = _function(term)
    if found is None:
        return None
    x, steps = found
    try:
        return x, steps(constant.value)
    except (ValueError, OverflowError, InvalidOperation):
        # a constant beyond what Python's calendar has: the comparison stays as it is
        return None


def shifted(term: App, constant: Lit) -> tuple[Term, Lit] | None:
    """``x + d`` against c, both numeric constants, as x against ``c - d``: exact, and NaN and infinity stay
    themselves.
    """
    if term.sym.name not in {"+ numeric", "- numeric"} or constant.value is None or len(term.args) != 2:
        return None
    x, y = term.args
    # 1.5 + x is x + 1.5; 1.5 - x falls where x rises
    if isinstance(x, Lit) and term.sym.name == "+ numeric":
        x, y = y, x
    if not isinstance(y, Lit) or y.value is None or isinstance(x, Lit):
        return None
    try:
        c, d = Decimal(constant.value), Decimal(y.value)
    except InvalidOperation:
        return None
    # more digits than are kept would round the difference
    if not (c.is_finite() and d.is_finite()) or max(len(constant.value), len(y.value)) > _DIGITS // 4:
        return None
    with localcontext(prec=_DIGITS):
        # x + d >= c is x >= c - d; x - d >= c is x >= c + d
        moved = c - d if term.sym.name == "+ numeric" else c + d
    return x, Lit(format(moved, "f"), replace(constant.type, typmod=-1))


def moment(text: str) -> datetime:
    """A constant date or timestamp in plain ISO form. ValueError for any other."""
    # '2024-1-1', 'yesterday' and moments with a zone are read by other rules than ISO's
    if not _PLAIN_MOMENT.match(text):
        raise ValueError(text)
    return datetime.fromisoformat(text)


def _function(term: App) -> tuple[Term, Callable[[str], Points]] | None:
    name, args = term.sym.name, term.args
    if name == "integer to numeric":
        return args[0], _of_integer
    if (
        # date_trunc of a timestamptz, and its date, depend on the session's zone
        name.startswith("cast pg_catalog.timestamp to pg_catalog.date(")
        or name == "pg_catalog.date(timestamp)"
    ):
        return args[0], _of_day
    if name == "moment of date" or name.startswith("cast pg_catalog.date to pg_catalog.timestamp(-1)"):
        return args[0], _of_midnight
    if len(args) == 2 and isinstance(args[0], Lit) and args[0].value is not None:
        unit = args[0].value.lower()
        if name == "pg_catalog.date_trunc(text,timestamp)" and unit in {**_FIXED, **_MONTHS}:
            return args[1], lambda text: _of_unit(unit, text)
        # only the year never falls: month and day begin anew
        match = re.fullmatch(r"pg_catalog\.(?:extract|date_part)\(text,(date|timestamp)\)", name)
        if match and unit == "year":
            made = _date if match[1] == "date" else _timestamp
            return args[1], lambda text: _of_year(made, text)
    return None


def _date(day: datetime) -> Lit:
    return Lit(day.date().isoformat(), DATE)


def _timestamp(at: datetime) -> Lit:
    return Lit(at.isoformat(" "), TIMESTAMP)


def _of_integer(text: str) -> Points:
    number = Decimal(text)
    # 2.5 <= n is 3 <= n; a number beyond any integer is left to the server's comparison
    if not number.is_finite() or abs(number) >= 2**70:
        raise ValueError(text)
    from_, beyond = ceil(number), floor(number) + 1
    # n = 2.5 has no integer: there is no such value, and `only` says so by being None
    only = Lit(str(from_), INTEGER) if beyond == from_ + 1 else None
    return Points(Lit(str(from_), INTEGER), Lit(str(beyond), INTEGER), only)


def _of_day(text: str) -> Points:
    day = moment(text)
    # a date is compared as its midnight: at::date >= '2024-01-01 10:00' can't be inverted by day
    if day != _midnight(day):
        raise ValueError(text)
    return Points(_timestamp(day), _timestamp(day + timedelta(days=1)))


def _of_midnight(text: str) -> Points:
    at = moment(text)
    day = _midnight(at)
    # a moment after midnight is passed by the next day only
    from_, beyond = (day if at == day else day + timedelta(days=1)), day + timedelta(days=1)
    return Points(_date(from_), _date(beyond), _date(day) if at == day else None)


def _of_unit(unit: str, text: str) -> Points:
    at = moment(text)
    start = _truncated(unit, at)
    following = _next(unit, start)
    # date_trunc('month', x) >= '2024-01-15' begins with February
    aligned = at == start
    return Points(_timestamp(start if aligned else following), _timestamp(following))


def _of_year(made: Callable[[datetime], Lit], text: str) -> Points:
    number = Decimal(text)
    # years of the other era count backwards, and 10000 is no datetime
    if not number.is_finite() or not 1 < number < 9998:
        raise ValueError(text)
    first = ceil(number)
    return Points(made(datetime(first, 1, 1)), made(datetime(floor(number) + 1, 1, 1)))  # noqa: DTZ001 - timestamps without time zone


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def _truncated(unit: str, at: datetime) -> datetime:
    if unit in _FIXED:
        return at - (at - _MONDAY) % _FIXED[unit]
    months = _MONTHS[unit]
    # decades begin with years divisible by ten, the others with January of each year
    count = at.year * 12 + at.month - 1
    count -= count % months
    return _midnight(at).replace(year=count // 12, month=count % 12 + 1, day=1)


def _next(unit: str, start: datetime) -> datetime:
    if unit in _FIXED:
        return start + _FIXED[unit]
    count = start.year * 12 + start.month - 1 + _MONTHS[unit]
    return start.replace(year=count // 12, month=count % 12 + 1)
