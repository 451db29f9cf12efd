"""Columns that say months: `2022-03`, `Mar 2022`, or the first day of each.

Owns how a column's months are written, and the SQL that makes the same of days and months. Must not know
tables beyond a column, or scores.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache

from rewright.engines.duckdb.quoting import literal
from rewright.lake.catalog.model import Column, Family

_FORMATS = ("%Y-%m", "%Y/%m", "%Y.%m", "%m/%Y", "%b %Y", "%B %Y")
_LONGEST = len("September 2022")
_FEWEST = 3
"""Months that a column must have, at least."""


def is_monthly(column: Column) -> bool:
    """Does each value say a month, and no day of it?"""
    return month_format(column) is not None or (
        column.family is Family.DATE and column.distinct >= _FEWEST and _first_days(_told(column))
    )


def month_format(column: Column) -> str | None:
    """How a text writes its months, all in one way; None: it does not."""
    if column.family is not Family.TEXT or column.distinct < _FEWEST or not column.samples:
        return None
    if not len("2022-03") <= len(column.samples[0].strip()) <= _LONGEST:
        return None
    return _format_of(_told(column))


def month_form(column: Column, text: str, date: Callable[[], str]) -> str:
    """SQL of the month (`2022-03`) that a column says. `text`: the column; `date`: its days as dates."""
    form = month_format(column)
    day = date() if form is None else f"try_strptime(trim(CAST({text} AS VARCHAR)), {literal(form)})"
    return f"strftime({day}, '%Y-%m')"


def _told(column: Column) -> tuple[str, ...]:
    return tuple(
        value for value in (column.minimum, column.maximum, *column.samples) if value and value.strip()
    )


@lru_cache(maxsize=4096)
def _format_of(values: tuple[str, ...]) -> str | None:
    if len(values) < _FEWEST or not all(len(value.strip()) <= _LONGEST for value in values):
        return None
    return next((form for form in _FORMATS if all(_is(value.strip(), form) for value in values)), None)


def _is(value: str, form: str) -> bool:
    try:
        return 1000 <= datetime.strptime(value, form).year <= 2200  # noqa: DTZ007 - a month has no time zone
    except ValueError:
        return False


@lru_cache(maxsize=4096)
def _first_days(values: tuple[str, ...]) -> bool:
    return len(set(values)) >= _FEWEST and all(value[4:5] == "-" and value[7:10] == "-01" for value in values)
