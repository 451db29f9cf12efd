"""What the solver is told of days, months, quarters and prefixes: facts between the terms and constants met.

A day of the month, a month or a quarter is known inside the years of which some constant speaks. Each fact
holds for every value (infinite moments are in no year). Must not know contexts.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .logic import Encoder


class Facts:
    """Gives each fact once, as terms are met."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._given: set[tuple[object, ...]] = set()
        # for each prefix of how many texts it is told what they begin with
        self._told: list[int] = []

    def new(self) -> Iterator[Any]:
        yield from self._months()
        yield from self._prefixes()

    def _once(self, *key: object) -> bool:
        if key in self._given:
            return False
        self._given.add(key)
        return True

    def _months(self) -> Iterator[Any]:
        z3 = self.encoder.z3
        for i, ((is_null, value), scale, span, part_null, part) in enumerate(self.encoder.months):
            for year in sorted(self.encoder.years):
                if not 1 < year < 9998 or not self._once("month", i, year):
                    continue
                starts = [date(year, m, 1).toordinal() * scale for m in range(1, 13, span or 1)]
                starts.append(date(year + 1, 1, 1).toordinal() * scale)
                inside = [z3.And(value >= a, value < b) for a, b in pairwise(starts)]
                if span:
                    known = [i == (part == m) for m, i in enumerate(inside, start=1)]
                else:  # the day that the moment is in, counted from where its month began
                    day = z3.FreshInt("day")
                    since = [value - first for first in starts[:-1]]
                    days = [z3.And(s >= scale * (day - 1), s < scale * day) for s in since]
                    known = [part == z3.ToReal(day)]
                    known += [z3.Implies(i, is_day) for i, is_day in zip(inside, days, strict=True)]
                within = z3.And(z3.Not(is_null), value >= starts[0], value < starts[-1])
                yield z3.Implies(within, z3.And(z3.Not(part_null), *known))

    def _prefixes(self) -> Iterator[Any]:
        z3, met, literals = self.encoder.z3, self.encoder.prefixes, self.encoder.literals
        for i, (text, prefix, starts) in enumerate(met):
            # both lists only grow, and are looked at for each question
            before = met[:i] if i == len(self._told) else []
            self._told += [0] * (i == len(self._told))
            told, self._told[i] = self._told[i], len(literals)
            for value, constant in literals[told:]:
                if constant.sort() == text.sort():
                    yield z3.Implies(text == constant, starts == value.startswith(prefix))
            for other, longer, deeper in before:
                if other.sort() != text.sort():
                    continue
                same = other == text
                if longer.startswith(prefix):
                    yield z3.Implies(z3.And(same, deeper), starts)
                elif prefix.startswith(longer):
                    yield z3.Implies(z3.And(same, starts), deeper)
                else:
                    yield z3.Implies(same, z3.Not(z3.And(starts, deeper)))
