"""Constants made of constants: plain dates, moments and intervals that every session reads alike.

Only ISO forms with four digits of the year are read (DateStyle does not matter to them), only intervals of
one number and one unit. Must not know rows or contexts.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import datetime, timedelta

from rewright.sql.types import TIMESTAMP, SqlType

from .inverse import moment
from .terms import App, Lit, Term

_INTERVAL = re.compile(r"([+-]?\d{1,4}) ?(day|week|month|mon|year|hour|minute|second)s?\Z")
# the fields that a typmod such as that of INTERVAL '3' MONTH keeps (PostgreSQL's INTERVAL_MASK)
_FIELDS = {
    1 << 1: "month",
    1 << 2: "year",
    1 << 3: "day",
    1 << 10: "hour",
    1 << 11: "minute",
    1 << 12: "second",
}
_MONTHS = {"month": 1, "mon": 1, "year": 12}


def constant(text: str, target: SqlType) -> Lit | None:
    """A quoted constant read as a date or timestamp, where its form is plain."""
    if not target.is_builtin or target.typmod != -1 or target.name not in {"date", "timestamp"}:
        return None
    try:
        at = moment(text)
    except ValueError:
        return None
    return Lit(at.date().isoformat() if target.name == "date" else at.isoformat(" "), target)


def as_float(x: Lit, target: SqlType) -> Lit | None:
    """An integer constant as float8, where nothing is rounded."""
    small = x.value is not None and abs(int(x.value)) < 2**53
    return Lit(x.value, target) if small and target.is_builtin and target.name == "float8" else None


def moved(name: str, x: Term, y: Term) -> Lit | None:
    """A constant date or timestamp and a constant interval, added or subtracted."""
    if name not in {"+", "-"} or not isinstance(x, Lit) or x.value is None:
        return None
    span = _span(y)
    if span is None or x.type.name not in {"date", "timestamp"} or not x.type.is_builtin:
        return None
    number, unit = span
    try:
        return Lit(
            _moved(moment(x.value), number if name == "+" else -number, unit).isoformat(" "), TIMESTAMP
        )
    except (ValueError, OverflowError):
        return None


def _span(y: Term) -> tuple[int, str] | None:
    """The number and the unit of a plain interval."""
    if not (isinstance(y, App) and y.sym.name.startswith("cast pg_catalog.unknown to pg_catalog.interval(")):
        return None
    (text,) = y.args
    if not isinstance(text, Lit) or text.value is None:
        return None
    value, typmod = text.value.strip().lower(), y.type.typmod
    if typmod != -1:
        field = _FIELDS.get(typmod >> 16)
        return (
            (int(value), field)
            if field and typmod & 0xFFFF == 0xFFFF and re.fullmatch(r"-?\d{1,4}", value)
            else None
        )
    found = _INTERVAL.match(value)
    return (int(found[1]), found[2]) if found else None


def _moved(at: datetime, number: int, unit: str) -> datetime:
    months = _MONTHS.get(unit)
    if months is None:
        return at + number * timedelta(**{f"{unit}s": 1})
    count = at.year * 12 + at.month - 1 + number * months
    year, month = count // 12, count % 12 + 1
    return at.replace(year=year, month=month, day=min(at.day, monthrange(year, month)[1]))
