"""Columns that say months: `2022-03`, `Mar 2022`, `Mar-22`, `202203`, or the first day of each.

Owns how a column's months are written, and the SQL that makes the same of days and months. Must not know
tables beyond a column, or scores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from functools import lru_cache

from rewright.engines.duckdb.quoting import literal
from rewright.lake.catalog.model import Column, Family
from rewright.lake.joins.scores import Overlap

_FORMATS = (
    "%Y-%m", "%Y/%m", "%Y.%m", "%m/%Y", "%m-%Y", "%m.%Y",
    "%b %Y", "%B %Y", "%Y %b", "%Y %B", "%b-%Y", "%B-%Y", "%b-%y", "%b %y",
)  # fmt: skip
_NUMERAL = "%Y%m"
_SHAPE = re.compile(
    r"\d{4}[-/.]\d{1,2}|\d{1,2}[-/.]\d{4}|[^\W\d_]{3,9}(?:\s+|-)\d{2,4}|\d{4}\s+[^\W\d_]{3,9}"
)
"""What texts of all these formats look like: who tries to read a text by each of them takes long."""
_SHORTEST, _LONGEST = len("Mar-22"), len("September 2022")
_FEWEST = 3
"""Months that a column must have, at least."""


@lru_cache(maxsize=8192)
def is_monthly(column: Column) -> bool:
    """Does each value say a month, and no day of it?"""
    return month_format(column) is not None or (
        column.family is Family.DATE
        and column.distinct >= _FEWEST
        and (column.minimum or "")[7:10] == "-01"
        and _first_days(_told(column))
    )


def month_format(column: Column) -> str | None:
    """How a text, or an integer of six digits, writes its months, all in one way; None: it does not."""
    if column.distinct < _FEWEST or not column.samples:
        return None
    if column.family is Family.INTEGER:
        six = len(column.minimum or "") == len("202203") == len(column.maximum or "")
        return _NUMERAL if six and _numeral(_told(column)) else None
    if column.family is not Family.TEXT or not _may_say_month(column.samples[0]):
        return None
    return _format_of(_told(column))


def month_form(column: Column, text: str, date: Callable[[], str]) -> str:
    """SQL of the month (`2022-03`) that a column says. `text`: the column; `date`: its days as dates."""
    form = month_format(column)
    day = date() if form is None else f"try_strptime(trim(CAST({text} AS VARCHAR)), {literal(form)})"
    return f"strftime({day}, '%Y-%m')"


def months_of(column: Column, values: Iterable[str]) -> set[str]:
    """The months (`2022-03`) that a monthly column's values say."""
    form = month_format(column)
    if form is None:
        return {value[:7] for value in values}
    told = (value.strip() for value in values)
    return {datetime.strptime(v, form).strftime("%Y-%m") for v in told if _is(v, form)}  # noqa: DTZ007 - as below


def shared_months(months: Collection[str], days: Column) -> Overlap | None:
    """How many of some months are between the first and the last of a column's days; None: none is, or it is
    not known when its days are.
    """
    # days are written as 2022-03-17: seven characters are the month
    least, most = (days.minimum or "")[:7], (days.maximum or "")[:7]
    if not (_is(least, "%Y-%m") and _is(most, "%Y-%m")):
        return None
    # all months from the first to the last, both included
    whole = 12 * (int(most[:4]) - int(least[:4])) + int(most[5:]) - int(least[5:]) + 1
    both = sum(least <= month <= most for month in months)
    return Overlap(both / (len(months) + whole - both), both / len(months), both / whole) if both else None


def _told(column: Column) -> tuple[str, ...]:
    return tuple(
        value for value in (column.minimum, column.maximum, *column.samples) if value and value.strip()
    )


@lru_cache(maxsize=4096)
def _may_say_month(value: str) -> bool:
    """Most texts say none by their first value already."""
    value = value.strip()
    if not _SHORTEST <= len(value) <= _LONGEST or not value[-1:].isalnum():
        return False
    shaped = _SHAPE.fullmatch(value) is not None
    return _numeral((value,)) or (shaped and any(_is(value, form) for form in _FORMATS))


@lru_cache(maxsize=4096)
def _format_of(values: tuple[str, ...]) -> str | None:
    if len(values) < _FEWEST or not all(len(value.strip()) <= _LONGEST for value in values):
        return None
    if _numeral(values):
        return _NUMERAL
    return next((form for form in _FORMATS if all(_is(value.strip(), form) for value in values)), None)


@lru_cache(maxsize=4096)
def _numeral(values: tuple[str, ...]) -> bool:
    """Are all six digits, a year and a month of it?"""
    six = (len(value) == len("202203") and value.isascii() and value.isdigit() for value in values)
    return all(six) and all(1000 <= int(v[:4]) <= 2200 and 1 <= int(v[4:]) <= 12 for v in values)


def _is(value: str, form: str) -> bool:
    try:
        return 1000 <= datetime.strptime(value, form).year <= 2200  # noqa: DTZ007 - a month has no time zone
    except ValueError:
        return False


@lru_cache(maxsize=4096)
def _first_days(values: tuple[str, ...]) -> bool:
    return len(set(values)) >= _FEWEST and all(value[4:5] == "-" and value[7:10] == "-01" for value in values)
