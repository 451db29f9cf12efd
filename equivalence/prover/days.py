"""Dates moved by days, days between two dates, and dates beside local moments, as the solver hears of them.

A date is the number of its day, a moment that of its microseconds; the infinite ones stand beyond the first
and the last that there are, an infinite moment where the infinite day's first would be, and no number of days
moves them. Where PostgreSQL gives a value at all (of dates out of range, and between infinite ones, it gives
none) it is this one. Must not know contexts or rules.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from rewright.sql.facts.effects import SURE
from rewright.sql.types import SqlType

# 4714-11-24 BC and 5874897-12-31, counted from 0001-01-01 as day 1 (PostgreSQL manual, 8.5 Date/Time Types)
FIRST, LAST = -1721425, 2145762068
DAY = 86400 * 10**6
"""Microseconds."""
_LATER, _SOONER, _BETWEEN = "op +(date,int4)", "op -(date,int4)", "op -(date,date)"
_LATER_TOO = "op +(int4,date)"
_BEGINS = "cast pg_catalog.date to pg_catalog.timestamp(-1) func"
_IS_ON = "cast pg_catalog.timestamp to pg_catalog.date(-1) func"
ADDS_DAYS = frozenset({_LATER, _LATER_TOO, _SOONER})
_SETTLED = re.compile(rf"{re.escape(SURE)}\.(Op|Cast cast) (\S+) to (\S+) \((.*)\)")
_TYPE = re.compile(r"pg_catalog\.(\w+)\(-1\) ")


@lru_cache(maxsize=4096)
def unsettled(name: str) -> str:
    """The name of an operator or cast that was settled; every other name as it is."""
    found = _SETTLED.fullmatch(name)
    if found is None:
        return name
    kind, word, result, args = found.groups()
    types = [known[1] for x in args.split(",") if (known := _TYPE.fullmatch(x))]
    if len(types) != len(args.split(",")):
        return name
    if kind == "Op":
        return f"op {word}({','.join(types)})"
    return f"cast pg_catalog.{types[0]} to {result} {word}" if len(types) == 1 else name


def moved_date(z3: Any, name: str, values: list[Any]) -> Any | None:
    """The value of a date with days added or taken away, of the days between two, of the moment that a date
    begins with or of a moment's date; None for others.
    """
    match unsettled(name):
        case str(known) if known == _BETWEEN:
            return values[0] - values[1]
        case str(known) if known == _BEGINS:
            return values[0] * DAY
        case str(known) if known == _IS_ON:
            return values[0] / DAY  # of integers, and rounded down
        case str(known) if known in ADDS_DAYS:
            day, days = reversed(values) if known == _LATER_TOO else values
            moved = day - days if known == _SOONER else day + days
            return z3.If(z3.And(day >= FIRST, day <= LAST), moved, day)
        case _:
            return None


def on_one_line(a: Any, one: SqlType, b: Any, other: SqlType) -> tuple[Any, Any] | None:
    """Two values of a date and a local moment as moments: what comparisons of the two look at. None for
    other types.
    """
    if not (one.is_builtin and other.is_builtin) or {one.name, other.name} != {"date", "timestamp"}:
        return None
    return (a * DAY, b) if one.name == "date" else (a, b * DAY)
