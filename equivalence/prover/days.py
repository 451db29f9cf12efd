"""Dates moved by days, and days between two dates, as the solver hears of them.

A date is the number of its day; the infinite ones stand beyond the first and the last that there are, and no
number of days moves them. Where PostgreSQL gives a value at all (of dates out of range, and between infinite
ones, it gives none) it is this one. Must not know contexts or rules.
"""

from __future__ import annotations

from typing import Any

# 4714-11-24 BC and 5874897-12-31, counted from 0001-01-01 as day 1 (PostgreSQL manual, 8.5 Date/Time Types)
FIRST, LAST = -1721425, 2145762068
_LATER, _SOONER, _BETWEEN = "op +(date,int4)", "op -(date,int4)", "op -(date,date)"
_LATER_TOO = "op +(int4,date)"
ADDS_DAYS = frozenset({_LATER, _LATER_TOO, _SOONER})


def moved_date(z3: Any, name: str, values: list[Any]) -> Any | None:
    """The value of a date with days added or taken away, or of the days between two; None for others."""
    if name == _BETWEEN:
        return values[0] - values[1]
    if name not in ADDS_DAYS:
        return None
    day, days = reversed(values) if name == _LATER_TOO else values
    moved = day - days if name == _SOONER else day + days
    return z3.If(z3.And(day >= FIRST, day <= LAST), moved, day)
