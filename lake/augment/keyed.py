"""Columns as keys: whole numbers that are written with a decimal point (`104.0`) are integers.

Owns which columns of floating-point numbers may be keys. A spreadsheet or a data frame writes integers so
where one of them is missing. Must not know tables beyond a column, or scores.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from rewright.lake.catalog.model import Column, Family
from rewright.lake.joins.scores import joinable

_EXACT = 2.0**53
"""Larger whole numbers are not told apart as floating-point numbers."""
_FEWEST = 3
"""Samples that must be whole, at least."""
_FEWEST_MARKS = 12
"""Fewer different decimals are the same ones in many tables."""


def as_key(column: Column) -> Column:
    """The column as it is compared with keys: an integer where all that is known of its floating-point
    numbers is whole, else as it is.
    """
    if column.family is not Family.FLOAT or not (column.minimum or "").endswith(".0"):
        return column
    if _all_whole((column.minimum, column.maximum, *column.samples)):
        return replace(column, family=Family.INTEGER)
    return column


def keyable(column: Column) -> bool:
    """May the column be a key?"""
    return joinable(as_key(column))


def marks(column: Column) -> bool:
    """May its floating-point numbers, not all of them whole, name things, as distances along a road do? Only
    where another column that is called alike has the same ones.
    """
    return column.family is Family.FLOAT and column.distinct >= _FEWEST_MARKS and as_key(column) is column


@lru_cache(maxsize=4096)
def _all_whole(values: tuple[str | None, ...]) -> bool:
    return len(values) >= _FEWEST + 2 and all(map(_whole, values))


def _whole(value: str | None) -> bool:
    try:
        number = float(value or "")
    except ValueError:
        return False
    return number.is_integer() and abs(number) < _EXACT
