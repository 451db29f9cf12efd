"""Scores how well a literal in a comparison fits the values of a real column.

Owns the scores of comparisons with numbers and truth values. Must not know names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rewright.lake.catalog.model import Column, Family
from rewright.lake.index import LakeIndex
from rewright.lake.noise.values import date_formats, plain_number, truth
from rewright.lake.resolve.imagined import Test
from rewright.lake.resolve.kinds import is_year
from rewright.lake.resolve.units import unit_factor
from rewright.lake.resolve.values import ValueMatcher

# numbers of four digits are years; one far from all years of a column is none of its years
_FIRST_YEAR, _NEAR_YEARS = 1000, 20


def truth_score(values: Sequence[tuple[str, int]], real: Column) -> float:
    if real.meaning is Family.BOOLEAN:
        return 0.25
    # the most frequent values tell
    told = {truth(value) for value, _ in values[:4]}
    if 1 <= real.distinct <= 3 and None not in told and True in told:
        return 0.2
    return -0.35


def in_digits(value: Any) -> bool:
    """Is it a number that is a day, 20230105?"""
    return isinstance(value, int) and not isinstance(value, bool) and date_formats(str(value)) == ("%Y%m%d",)


def of_other_years(test: Test, real: Column) -> bool:
    """Is a year compared with years so far from it that the table is of another time?

    `year >= 1931` leaves out nothing of 2001 to 2017, which nobody asks who knows of what years it is.
    """
    value, bounds = test.value, real.bounds() if is_year(real) else None
    if (
        bounds is None
        or isinstance(value, bool)
        or not isinstance(value, (int, float))
        or value < _FIRST_YEAR
    ):
        return False
    low, high = bounds
    return max(low - value, value - high) > max(high - low, _NEAR_YEARS)


def number_test(test: Test, name: str, real: Column, index: LakeIndex, matcher: ValueMatcher | None) -> float:
    """How well a comparison with a number fits; without a matcher, texts are not searched for what could be
    meant.

    `name`: the imagined column's, which may tell a unit that the real one's differs from.
    """
    value = float(test.value)
    factor, stated = unit_factor(name, real, value, index.noted(real.table))
    # the name says another unit than the column's: its number is turned before it is compared
    if stated:
        value *= factor
    if real.meaning is Family.DATE:
        as_held = real.family is Family.INTEGER and in_digits(test.value)
        return 0.08 if as_held or 1000 <= value <= 2200 else -0.3
    bounds = real.bounds() if real.meaning.numeric else None
    if bounds is None:
        if matcher is not None and test.op in {"=", "<>"} and matcher.best(real, str(test.value)) is not None:
            return 0.15
        # a text column of digits could still be compared
        return 0.0 if real.samples and all(plain_number(s) for s in real.samples) else -0.35
    low, high = bounds
    if of_other_years(test, real):
        return -0.3
    if not value.is_integer() and real.family is Family.INTEGER:
        # nobody asks for more than 7.9 of something counted
        return -0.12
    if 1.0 < abs(value) <= 100.0 and 0.0 <= low <= high <= 1.0:
        # a percentage against a fraction
        return 0.05
    if test.op in {"=", "<>"}:
        if not low <= value <= high:
            return -0.3
        held = {v for v, _ in index.values(real).counts}
        return 0.2 if str(test.value) in held or f"{value:.1f}" in held else 0.0
    # equal to the edge of the range still keeps rows of it
    selective = low < value < high or (value in {low, high} and "=" in test.op)
    if selective:
        return 0.15
    empty = (test.op.startswith(">") and value >= high) or (test.op.startswith("<") and value <= low)
    return -0.3 if empty else -0.05
