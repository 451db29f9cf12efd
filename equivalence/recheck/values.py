"""What is known of values by their constants: prefixes of texts, months of the years that constants name.

Each fact holds for all values. Must not know rows or contexts.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import combinations, pairwise, product
from typing import Any

_DAY = 86_400_000_000  # microseconds

# the first and the last day that PostgreSQL has, where 1 is 0001-01-01
_DAYS = (-1_721_425, 2_145_762_068)

Prefix = tuple[Any, str, Any]  # a text, a prefix, whether the text begins with it
Month = tuple[
    Any, Any, int, int, Any, Any
]  # a moment is NULL, the moment, its units a day, the part's months (0: a day), the part is NULL, the part


def of_prefixes(z3: Any, met: list[Prefix], literals: list[tuple[str, Any]]) -> Iterator[Any]:
    """A text is told by its constant whether it begins so; of two prefixes of one
    text one begins the other.
    """
    for (text, prefix, begins), (value, constant) in product(met, literals):
        if constant.sort() == text.sort():
            yield z3.Implies(text == constant, begins == value.startswith(prefix))
    for (text, one, begins), (other, two, too) in combinations(met, 2):
        if text.sort() != other.sort():
            continue
        same = text == other
        if one.startswith(two):
            yield z3.Implies(z3.And(same, begins), too)
        if two.startswith(one):
            yield z3.Implies(z3.And(same, too), begins)
        if not one.startswith(two) and not two.startswith(one):
            yield z3.Implies(same, z3.Not(z3.And(begins, too)))


def of_months(z3: Any, met: list[Month], years: set[int]) -> Iterator[Any]:
    """Inside a year the month, the quarter or the day of each month says between which moments, and the
    other way round.
    """
    for (is_null, moment, units, span, part_null, part), year in product(met, sorted(years)):
        if not 1 < year < 9998:
            continue
        first = [date(year, m, 1).toordinal() * units for m in range(1, 13, span or 1)]
        first.append(date(year + 1, 1, 1).toordinal() * units)
        inside = z3.And(z3.Not(is_null), moment >= first[0], moment < first[-1])
        within = [z3.And(moment >= start, moment < end) for start, end in pairwise(first)]
        if span:
            told = [(part == m) == w for m, w in enumerate(within, start=1)]
        else:
            day = z3.FreshInt("day")
            told = [
                z3.Implies(w, z3.And(moment - start >= units * (day - 1), moment - start < units * day))
                for w, start in zip(within, first[:-1], strict=True)
            ]
            told.append(part == z3.ToReal(day))
        yield z3.Implies(inside, z3.And(z3.Not(part_null), *told))


def units_a_day(type_name: str) -> int:
    """How a date and a timestamp are counted."""
    return 1 if type_name == "date" else _DAY


def is_day(z3: Any, number: Any) -> Any:
    """Whether the number of a date is a day's: the infinite ones have those beyond."""
    first, last = _DAYS
    return z3.And(number >= first, number <= last)
