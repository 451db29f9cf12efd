"""Columns that say weeks or quarters: `2023-W05`, `W5 2023`, `Q1 2023`, `2023 Q1`.

Owns how they are written, and the SQL that makes the same of days. Months have more ways of their own, see
`months`. Must not know tables beyond a column, or scores.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from rewright.engines.duckdb.quoting import literal
from rewright.lake.catalog.model import Column, Family

Period = Literal["week", "quarter"]
PERIODS: tuple[Period, ...] = ("week", "quarter")
_FEWEST = 3
"""Weeks or quarters that a column must have, at least."""
_LONGEST = len("Quarter 1, 2023")
_YEAR, _BETWEEN = r"([12]\d{3})", "[-/ ,.]*"
_NUMBERS: dict[Period, str] = {
    "week": r"(?:w|kw|wk|week)[ .]?([0-5]?\d)",
    "quarter": r"(?:q|qtr|quarter)[ .]?([1-4])",
}
# which of the two numbers is the year
_ORDERS = {"year first": (1, 2), "year last": (2, 1)}
_OF_DAY: dict[Period, str] = {
    # ISO weeks, with the year that they belong to: 2021-01-01 is in 2020-53
    "week": "strftime({day}, '%G-%V')",
    "quarter": "strftime({day}, '%Y') || '-0' || quarter({day})",
}


@lru_cache(maxsize=8192)
def period_of(column: Column) -> Period | None:
    """What each value of a text says, all written in one way; None: neither weeks nor quarters."""
    told = _told(column)
    return told[0] if told is not None else None


def period_form(column: Column, text: str, period: Period, day: Callable[[], str]) -> str:
    """SQL of the week (`2023-05`) or quarter (`2023-01`) that a column says. `text`: the column; `day`: its
    days as dates.
    """
    told = _told(column)
    if told is None:
        return _OF_DAY[period].format(day=day())
    year, number = _ORDERS[told[1]]
    written = f"lower(trim(CAST({text} AS VARCHAR)))"
    pattern = literal(_pattern(*told))
    of_year, of_number = (f"regexp_extract({written}, {pattern}, {at})" for at in (year, number))
    said = f"{of_year} || '-' || lpad({of_number}, 2, '0')"
    return f"CASE WHEN regexp_matches({written}, {pattern}) THEN {said} END"


def _told(column: Column) -> tuple[Period, str] | None:
    if column.family is not Family.TEXT or column.distinct < _FEWEST or not column.samples:
        return None
    return _written(tuple(v for v in (column.minimum, column.maximum, *column.samples) if v and v.strip()))


@lru_cache(maxsize=4096)
def _written(values: tuple[str, ...]) -> tuple[Period, str] | None:
    if len(values) < _FEWEST or any(len(value.strip()) > _LONGEST for value in values):
        return None
    for period in PERIODS:
        for order in _ORDERS:
            if all(re.search(_pattern(period, order), value.strip().lower()) for value in values):
                return period, order
    return None


def _pattern(period: Period, order: str) -> str:
    number = _NUMBERS[period]
    both = (_YEAR, number) if order == "year first" else (number, _YEAR)
    return f"^{_BETWEEN.join(both)}$"
