"""Files of one family that are written under other headings: which column of the one is which of the other.

Owns this alignment, by values, names, kinds and units. Must not know queries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rewright.lake import names
from rewright.lake.catalog.model import Column, Family, Table
from rewright.lake.resolve.assignment import assign
from rewright.lake.resolve.units import held_unit

Contained = Callable[[Column, Column], float]
"""The share of the first column's values that the second holds."""
Aligned = Mapping[str, tuple[str, float]]
"""A family's column → what a table calls it, and what its numbers are multiplied by to be in its unit."""
_HELD = 0.5
_LEAST_TOLD = 2
"""Columns that values or names have to align, at least; of the others only one of each kind may be left."""
_NEVER = -100.0
_DIGITS_OF_A_YEAR = 4
_BEGINNING = 3
"""Letters of a word from which on they may be short for a longer one."""


def stem_of(table: str) -> str:
    """A table's name without its last number; a name without one is its own."""
    numbers = re.findall(r"\d+", table)
    return "#".join(table.rsplit(numbers[-1], 1)) if numbers else table


def is_of_its_number(table: Table) -> bool:
    """Whether the number in a table's name belongs to what its rows are of, since a heading has it, too:
    ``turbine_1_code`` of ``turbine_1_log``. A year only says when they were written down.
    """
    numbers = re.findall(r"\d+", table.name)
    if not numbers or len(numbers[-1]) == _DIGITS_OF_A_YEAR:
        return False
    return any(numbers[-1] in re.findall(r"\d+", c.name) for c in table.columns)


def aligned(table: Table, like: Sequence[Column], contained: Contained) -> Aligned | None:
    """Which of a table's columns is which of these, each of them one; None where that is not sure."""
    mine = list(table.columns)
    if len(mine) != len(like) or not mine:
        return None
    scores = [[_score(a, b, i == j, contained) for j, a in enumerate(mine)] for i, b in enumerate(like)]
    places = assign(np.array(scores))
    pairs = [(mine[at], b) for b, at in zip(like, places, strict=True)]
    if not all(_may_be(a, b) for a, b in pairs):
        return None
    rest = [b.meaning for a, b in pairs if not _told(a, b, contained)]
    # what is left over is told by its kind alone, or by its place where most are told and all in their order
    alone = len(set(rest)) == len(rest)
    in_order = places == sorted(places) and 2 * len(rest) <= len(pairs)
    if len(pairs) - len(rest) < min(_LEAST_TOLD, len(pairs)) or not (alone or in_order):
        return None
    return {b.name: (a.name, _factor(a, b)) for a, b in pairs}


def renamed(table: Table, called: Aligned) -> Table:
    """The table under a family's names."""
    of = {own: name for name, (own, _) in called.items()}
    return replace(table, columns=tuple(replace(c, name=of[c.name]) for c in table.columns if c.name in of))


def _score(a: Column, b: Column, in_place: bool, contained: Contained) -> float:
    if not _may_be(a, b):
        return _NEVER
    return 2.0 * _shared(a, b, contained) + _alike(a.name, b.name) + 0.3 * in_place


def _may_be(a: Column, b: Column) -> bool:
    """Could the two be one: of one kind, and measured alike?"""
    if a.family is not b.family and not (a.family.numeric and b.family.numeric):
        return False
    if a.meaning is not b.meaning and not (a.meaning.numeric and b.meaning.numeric):
        return False
    one, two = held_unit(a), held_unit(b)
    return one is None or two is None or one[0] == two[0]


def _told(a: Column, b: Column, contained: Contained) -> bool:
    """Do values or names say that they are one?"""
    return _shared(a, b, contained) >= _HELD or _alike(a.name, b.name)


def _shared(a: Column, b: Column, contained: Contained) -> float:
    # measures and days that are alike say nothing
    if a.meaning not in {Family.TEXT, Family.INTEGER} or min(a.distinct, b.distinct) < _LEAST_TOLD:
        return 0.0
    return contained(a, b)


def _alike(a: str, b: str) -> bool:
    one, two = (set(names.words(name)) - names.GENERIC for name in (a, b))
    return bool(one & two) or _shortened(one, two) or _shortened(two, one)


def _shortened(short: Collection[str], long: Collection[str]) -> bool:
    return any(
        names.skeleton_of(x, y) or (len(x) >= _BEGINNING and y.startswith(x)) for x in short for y in long
    )


def _factor(a: Column, b: Column) -> float:
    one, two = held_unit(a), held_unit(b)
    return one[1] / two[1] if one is not None and two is not None else 1.0
