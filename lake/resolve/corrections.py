"""Literals of a query corrected to what the columns hold: values, patterns, truth values, numbers in another
unit.

Owns the corrections and what is noted of them. Must not choose columns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from rewright.lake.catalog.model import Column, Family
from rewright.lake.index import LakeIndex
from rewright.lake.noise.values import plain_number, truth
from rewright.lake.resolve.imagined import ImaginedColumn, Test
from rewright.lake.resolve.marks import put
from rewright.lake.resolve.units import unit_factor
from rewright.lake.resolve.values import SURE, Match, ValueMatcher

# how like a value must be to be guessed, and how far ahead of the next one
_CLOSE = 0.33
_AHEAD = 0.06


@dataclass(slots=True)
class Written:
    """What was done while writing: value corrections, doubts, cleaned columns."""

    corrections: list[dict[str, Any]] = field(default_factory=list)
    missing_values: list[dict[str, Any]] = field(default_factory=list)
    missing_columns: list[str] = field(default_factory=list)
    cleaned: dict[str, dict[str, str]] = field(default_factory=dict)
    unions: list[str] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)
    once: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Tables that are joined by their different rows of these columns."""
    multiplied: list[tuple[str, str]] = field(default_factory=list)
    """Tables whose rows are summed or counted, each with one for each row of which that is done."""
    in_parts: list[str] = field(default_factory=list)
    """Columns whose percents are read as parts of one (`90 %` is 0.9), which nothing in the query says."""
    two_units: list[str] = field(default_factory=list)
    """Columns that are asked for in two units, and turned into the first."""
    outer_filtered: bool = False
    """Has a condition of an outer join become one of all rows?"""


class Corrector:
    """Corrects the tests of one statement. `closest`: where nothing is sure, to what is clearly closest."""

    def __init__(self, index: LakeIndex, matcher: ValueMatcher, written: Written, *, closest: bool) -> None:
        self._index = index
        self._matcher = matcher
        self._closest = closest
        self.written = written
        self.labels: dict[str, dict[str | int, str]] = {}
        """What the parts of unions are called: as the client calls them."""

    def correct(self, test: Test, imagined: ImaginedColumn, real: Column) -> None:
        """Put what is held instead of what was asked, where that is sure, and note it."""
        # It was cut out of the tree, with the condition that it stood in.
        if test.node.parent is None:
            return
        fixed = self._fixed(test, imagined, real)
        if fixed is not None:
            self.written.corrections.append(
                {
                    "column": f"{real.table}.{real.name}",
                    "from": _plain(test.value),
                    "to": fixed[1],
                    "how": fixed[2],
                }
            )
            put(test.node, fixed[0])

    def _fixed(
        self, test: Test, imagined: ImaginedColumn, real: Column
    ) -> tuple[exp.Expression, Any, str] | None:
        """The literal to put instead: (node, value, why), or None to leave it."""
        value = test.value
        if isinstance(value, bool):
            return self._fixed_truth(value, real)
        if isinstance(value, str):
            if test.op == "like":
                return self._fixed_pattern(test, value, real)
            if test.op in {"=", "<>"}:
                return self._fixed_text(value, imagined, real)
            # other comparisons take a text that need not be held anywhere
            return None
        if test.op in {"=", "<>"} and real.meaning is Family.TEXT:
            told = self._matcher.best(real, str(value))
            return (
                (exp.Literal.string(told.value), told.value, told.how)
                if told is not None and told.score >= SURE
                else None
            )
        if isinstance(value, (int, float)) and real.meaning is Family.BOOLEAN and value in {0, 1}:
            return exp.Boolean(this=bool(value)), bool(value), "truth value"
        return _fixed_number(test, float(value), imagined, real)

    def _fixed_truth(self, value: bool, real: Column) -> tuple[exp.Expression, Any, str] | None:
        if real.meaning is Family.BOOLEAN:
            return None
        # the first value that reads so, as it is written there
        for held, _ in self._index.cleaned(real):
            if truth(held) is value:
                node = exp.Literal.number(held) if real.meaning.numeric else exp.Literal.string(held)
                return node, held, "truth value"
        return None

    def _fixed_text(
        self, value: str, imagined: ImaginedColumn, real: Column
    ) -> tuple[exp.Expression, Any, str] | None:
        if real.meaning is Family.BOOLEAN:
            told = truth(value)
            return (exp.Boolean(this=told), told, "truth value") if told is not None else None
        if real.meaning.numeric and not plain_number(value):
            return self._fixed_number_word(value, real)
        if real.meaning.numeric or real.meaning is Family.DATE:
            return None
        match = self._matcher.best(real, value)
        if match is not None and match.score >= SURE:
            # the client's own word for a part of a union is no value to be corrected
            if match.value != value and self._relabelled(real, match.value, value):
                return None
            return (exp.Literal.string(match.value), match.value, match.how) if match.value != value else None
        ranked = self._matcher.ranked(real, value)
        closest = [m.value for m in ranked]
        self.written.missing_values.append(
            {
                "column": f"{real.table}.{real.name}",
                "imagined": imagined.name,
                "value": value,
                "closest": closest,
            }
        )
        if self._closest and _stands_out(ranked):
            # a guess, and told as one: nothing at all is surely not what was meant
            return exp.Literal.string(closest[0]), closest[0], "closest"
        return None

    def _relabelled(self, real: Column, mark: str, asked: str) -> bool:
        """A part of a union is called as the client calls it: its name is a file's,
        and no value of the lake.
        """
        united = self._index.unions.get(real.table)
        if united is None or united.mark != real.name or not any(m == mark for _, m in united.parts):
            return False
        labels = self.labels.setdefault(real.table, {})
        return labels.setdefault(mark, asked) == asked

    def _fixed_number_word(self, value: str, real: Column) -> tuple[exp.Expression, Any, str] | None:
        """`July` against 7, `yes` against 1, `overdue` against the 3 that a table of codes has for it."""
        told = self._matcher.translated(real, value)
        # a text, as which the digits are held; where they are cleaned, it is read as a number
        if told is not None:
            return exp.Literal.string(told.value), told.value, told.how
        match = self._matcher.best(real, value)
        if match is not None and match.score >= SURE and match.how in {"month", "number word", "truth value"}:
            return exp.Literal.number(match.value), match.value, match.how
        self.written.missing_values.append(
            {"column": f"{real.table}.{real.name}", "value": value, "closest": []}
        )
        return None

    def _fixed_pattern(
        self, test: Test, pattern: str, real: Column
    ) -> tuple[exp.Expression, Any, str] | None:
        # LIKE's pattern as a regular expression; a backslash is taken as it stands
        regex = "".join({"%": ".*", "_": "."}.get(ch, re.escape(ch)) for ch in pattern)
        values = [v for v, _ in self._index.cleaned(real)]
        # something matches the pattern as it is written
        if not values or any(re.fullmatch(regex, v, re.DOTALL) for v in values):
            return None
        # something is held in another case: LIKE becomes ILIKE, the pattern stays
        if any(re.fullmatch(regex, v, re.DOTALL | re.IGNORECASE) for v in values):
            like = test.node.parent
            if isinstance(like, exp.Like):
                put(like, exp.ILike(this=like.this, expression=like.expression))
                self.written.corrections.append(
                    {"column": f"{real.table}.{real.name}", "from": pattern, "to": pattern, "how": "case"}
                )
        else:
            self.written.missing_values.append(
                {"column": f"{real.table}.{real.name}", "value": pattern, "closest": []}
            )
        return None


def _stands_out(ranked: list[Match]) -> bool:
    """Is the first clearly closer than the second?"""
    if not ranked or ranked[0].score < _CLOSE:
        return False
    return len(ranked) == 1 or ranked[0].score - ranked[1].score >= _AHEAD


def _fixed_number(
    test: Test, value: float, imagined: ImaginedColumn, real: Column
) -> tuple[exp.Expression, Any, str] | None:
    """Numbers in another unit, years against dates."""
    # A number that is compared with a date is a year: the column gets EXTRACT, the number stays.
    if real.meaning is Family.DATE and 1000 <= value <= 2200 and float(value).is_integer():
        column = test.node.parent
        if isinstance(column, exp.Expression):
            for node in list(column.find_all(exp.Column)):
                if node.parent is column:
                    part_of("YEAR", node)
        return None
    bounds = real.bounds()
    if bounds is None or not real.meaning.numeric:
        return None
    # no unit told, a value that fits as it is, or a product far outside of what is held
    factor, stated = unit_factor(imagined.name, real, value)
    if factor == 1.0 or (_inside(value, bounds) and not stated) or not _near(value * factor, bounds):
        return None
    # The product of a decimal and a factor has digits that nobody wrote.
    scaled = round(value * factor, 9)
    text = f"{scaled:g}" if abs(scaled) < 1e15 else repr(scaled)
    return exp.Literal.number(text), scaled, "unit"


def part_of(part: str, node: exp.Column) -> None:
    """Put EXTRACT around a column, the column itself staying what it is."""
    wrapped = exp.Extract(this=exp.var(part), expression=exp.null())
    put(node, wrapped)
    node.meta.pop("leaf", None)
    wrapped.set("expression", node)


def _near(value: float, bounds: tuple[float, float]) -> bool:
    """Within the range, or not far outside it: a filter may well keep all or nothing."""
    low, high = bounds
    return low - abs(low) * 0.5 <= value <= high + abs(high) * 0.5


def _inside(value: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] <= value <= bounds[1]


def _plain(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, bool)) else str(value)
