"""How well two columns join: the thesis's S(c_a, c_b), and what its formula does not see.

Owns the scores of column pairs and the bottom-k sketch arithmetic. Must not know queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rewright.lake import names
from rewright.lake.catalog.model import SKETCH_SIZE, Column, Family, Table

USELESS = 0.1
"""Column pairs of no more quality are not made keys of."""
_LISTED = 4
_HELD, _NEARLY = 0.95, 0.9
"""Share of a reference's numbers that a key holds, and uniqueness of such a key, at least."""
_FEW = 24
"""Things that are numbered from 1 and have a name each, at most: months, hours, seasons."""
_COUNTED = frozenset({"count", "total", "amount", "value", "age", "size", "score", "rank", "percent"})
"""Words of numbers that are one another's only by chance."""
NO_KEYS = frozenset(
    {
        "first",
        "last",
        "given",
        "surname",
        "forename",
        "middle",
        "address",
        "street",
        "comment",
        "note",
        "description",
    }
)
"""Words of columns whose agreement means nothing: two people share a first name."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Value overlap of two columns, 0 to 1 each; exact while both have at most SKETCH_SIZE values."""

    jaccard: float
    a_in_b: float
    b_in_a: float


@dataclass(frozen=True, slots=True)
class PairScore:
    """A column pair. `s` is the thesis's S = (schema + instance) · K; `quality` (0 to 1) also weighs
    containment and whether the pair can be a reference.
    """

    a: Column
    b: Column
    schema: float
    overlap: Overlap
    s: float
    quality: float

    def flipped(self) -> PairScore:
        return PairScore(
            self.b,
            self.a,
            self.schema,
            Overlap(self.overlap.jaccard, self.overlap.b_in_a, self.overlap.a_in_b),
            self.s,
            self.quality,
        )


def overlap(a: Any, b: Any, distinct_a: int, distinct_b: int) -> Overlap:
    """Overlap from two bottom-k sketches (Beyer et al. 2007; containment from Jaccard and the sizes)."""
    if len(a) == 0 or len(b) == 0:
        return Overlap(0.0, 0.0, 0.0)
    shared = _shared(a, b)
    # both sketches hold all values, so this is exact
    if len(a) < SKETCH_SIZE and len(b) < SKETCH_SIZE:
        n = len(shared)
        return Overlap(n / (len(a) + len(b) - n), n / len(a), n / len(b))
    # what both have comes twice; of the union the smallest values count
    union = np.sort(np.concatenate([a, b]))
    union = union[np.r_[True, union[1:] != union[:-1]]][:SKETCH_SIZE]
    # of the smallest hashes of the union, those that both have
    jaccard = int(np.searchsorted(shared, union[-1], side="right")) / len(union)
    both = jaccard * (distinct_a + distinct_b) / (1 + jaccard)
    return Overlap(jaccard, min(1.0, both / max(distinct_a, 1)), min(1.0, both / max(distinct_b, 1)))


def _shared(a: Any, b: Any) -> Any:
    """What two sorted arrays without repetitions have in common."""
    few, many = (a, b) if len(a) <= len(b) else (b, a)
    at = np.minimum(np.searchsorted(many, few), len(many) - 1)
    return few[many[at] == few]


def joinable(column: Column) -> bool:
    """May the column be a key at all?"""
    if column.family in {Family.FLOAT, Family.BOOLEAN, Family.NESTED, Family.TIME} or column.distinct < 2:
        return False
    # long texts are prose
    return not (
        column.family is Family.TEXT
        and column.samples
        and sum(map(len, column.samples)) / len(column.samples) > 60
    )


def comparable(a: Column, b: Column) -> bool:
    if a.numeral is not b.numeral:
        return False
    if not a.numeral:
        return a.family is b.family
    # integers overlap by chance; only keys, years and namesakes are worth comparing
    return (
        (year_like(a) and year_like(b))
        or _keyed(a)
        or _keyed(b)
        or names.normal(a.name) == names.normal(b.name)
    )


def _keyed(column: Column) -> bool:
    return bool(set(names.words(column.name)) & names.KEY_WORDS) or (column.unique and column.position == 0)


def own_key(column: Column, table: Table) -> bool:
    """Is it the table's own serial number: an integer unique key, first or called after the table?"""
    if not (column.family is Family.INTEGER and column.unique):
        return False
    mine = set(names.words(table.name))
    parts = set(names.words(column.name)) - names.KEY_WORDS
    return column.position == 0 or bool(parts & mine) or not parts


def pair_score(
    a: Column, b: Column, tables: tuple[Table, Table], schema: float, found: Overlap, *, claimed: bool = False
) -> PairScore:
    """Score one pair; `schema` is the cosine of the two names; `claimed`: the reference's name belongs to a
    third table.
    """
    k = max(a.uniqueness, b.uniqueness)
    s = (max(schema, 0.0) + found.jaccard) * k
    name = max(0.0, min(1.0, (schema - 0.2) / 0.7))
    # a reference lies within the side that is more nearly unique
    inside = max(
        found.a_in_b if b.uniqueness >= a.uniqueness else 0.0,
        found.b_in_a if a.uniqueness >= b.uniqueness else 0.0,
    )
    if a.numeral:
        # Numbers agree by chance: names weigh more, but less where one is another table's serial number.
        weight, contained = (0.35 if _serves(a, b, tables) else 0.5), inside
    else:
        weight, contained = _of_texts(a, b, found, name, inside)
    quality = (weight * name + (1 - weight) * contained) * selective(k)
    # a name alone makes no join
    if contained == 0.0:
        quality *= 0.1
    if a.family is Family.DATE:
        # any two tables of one time share some days: a calendar or a series shares most of one side's
        quality *= min(1.0, 2.0 * max(found.a_in_b, found.b_in_a))
    if set(names.words(a.name)) & NO_KEYS and set(names.words(b.name)) & NO_KEYS:
        quality *= 0.5
    if _two_serials(a, b, tables):
        # two tables' serial numbers overlap whatever they count
        quality *= 0.25 if names.words(a.name) != names.words(b.name) else 0.1
    elif a.numeral:
        quality *= 0.15 if claimed else _integer_trust(a, b, tables, name, inside)
    if names.prefix(tables[0].name) and names.prefix(tables[0].name) == names.prefix(tables[1].name):
        # exported together
        quality = min(1.0, quality * 1.1)
    return PairScore(a, b, schema, found, s, quality)


def _of_texts(a: Column, b: Column, found: Overlap, name: float, inside: float) -> tuple[float, float]:
    """What the names of two texts weigh, and how much of one is held by the other."""
    # texts of many values do not agree by chance: a key found throughout the references counts, too
    many = min(a.distinct, b.distinct) >= 12
    by_b = b.uniqueness >= a.uniqueness
    reference, key = (found.a_in_b, found.b_in_a) if by_b else (found.b_in_a, found.a_in_b)
    contained = max(inside, 0.6 * reference**0.5 + 0.4 * key) if many else inside
    if key >= 0.9 and min(a.distinct, b.distinct) >= 20:
        contained = max(contained, 0.85)
    if not many and name < 0.3 and not _looked_up(a, b, found):
        # two columns of few short texts agree easily
        contained *= 0.5
    return 0.25 if many else 0.5, contained


def _looked_up(a: Column, b: Column, found: Overlap) -> bool:
    """Whether one column is a short list of codes and the other uses nearly all of them, and no others."""
    return (
        (a.unique or b.unique)
        and min(a.distinct, b.distinct) >= _LISTED
        and min(found.a_in_b, found.b_in_a) >= 0.8
        and max(found.a_in_b if b.unique else 0.0, found.b_in_a if a.unique else 0.0) >= 0.98
    )


def _two_serials(a: Column, b: Column, tables: tuple[Table, Table]) -> bool:
    """Do both number their own tables' rows, with nothing to say that they number the same things?

    `patient_id` of `patients` and of `patient_addresses` do: the name is one of the tables'. `entry_id` of
    two logs, or `id` of any two tables, need not: consecutive numbers from 0 or 1 agree by themselves.
    Numbers with gaps do not.
    """
    if not (own_key(a, tables[0]) and own_key(b, tables[1])):
        return False
    if names.words(a.name) != names.words(b.name):
        return True
    subject = set(names.referred(a.name).split())
    if subject and any(subject & set(names.words(t.name)) for t in tables):
        return False
    return consecutive(a) and consecutive(b)


def consecutive(column: Column) -> bool:
    """Are the integers those from 0 or 1 on, without a gap?"""
    bounds = column.bounds()
    return bounds is not None and bounds[0] in {0.0, 1.0} and bounds[1] - bounds[0] + 1 == column.distinct


def selective(k: float) -> float:
    """What uniqueness of the more unique side is worth: a key is unique, not nearly."""
    return 1.0 if k >= 0.98 else 0.35 + 0.5 * k * k


def year_like(column: Column) -> bool:
    """Does an integer column count years?"""
    bounds = column.bounds() if column.family is Family.INTEGER else None
    return bounds is not None and 1000 <= bounds[0] <= bounds[1] <= 2200


def _integer_trust(a: Column, b: Column, tables: tuple[Table, Table], name: float, inside: float) -> float:
    """Integers overlap by chance: only keys, or names that agree, make them a reference."""
    # years meet in any two tables, and other numbers meet years by chance
    if year_like(a) or year_like(b):
        return 0.35 if year_like(a) and year_like(b) else 0.05
    if _told_by_values(a, b, inside) or _namesakes(a, b, inside):
        return 1.0
    if _serves(a, b, tables):
        return 1.0 if name >= 0.35 else (0.45 + 1.5 * name) * _spread(a, b)
    keyed = any(set(names.words(c.name)) & names.KEY_WORDS for c in (a, b))
    if name < 0.35:
        return 0.2
    return 1.0 if keyed else 0.35


def _told_by_values(a: Column, b: Column, inside: float) -> bool:
    """Do the references' numbers themselves say so: all of them among a key's that are not just counted from
    0 or 1?
    """
    key, reference = (a, b) if a.uniqueness >= b.uniqueness else (b, a)
    bounds = reference.bounds()
    return (
        key.unique
        and inside >= 0.98
        and min(reference.distinct, key.distinct) >= 10
        and not consecutive(key)
        and bounds is not None
        and bounds[0] > 1
        and 3 * reference.distinct >= key.distinct
    )


def _namesakes(a: Column, b: Column, inside: float) -> bool:
    """Have both one name, and does the one that is nearly a key hold all of the other's numbers? A column
    of amounts is no key, whatever it is called; and numbers of many rows, counted from 1, are in every table.
    """
    same = names.normal(a.name) == names.normal(b.name)
    key, reference = (a, b) if a.uniqueness >= b.uniqueness else (b, a)
    return (
        same
        and inside >= _HELD
        and key.uniqueness >= _NEARLY
        and reference.uniqueness < _NEARLY
        and (key.distinct <= _FEW or not consecutive(key))
        and not set(names.words(a.name)) & (_COUNTED | names.KEY_WORDS)
    )


def _spread(a: Column, b: Column) -> float:
    """How much of the key's numbers the references use, 0.3 to 1: a few small numbers are in every serial
    key.
    """
    key, reference = (a, b) if a.uniqueness >= b.uniqueness else (b, a)
    return min(1.0, 0.3 + 2.0 * reference.distinct / max(key.distinct, 1))


def _serves(a: Column, b: Column, tables: tuple[Table, Table]) -> bool:
    """A reference to the other table's serial number, under any name ending like a key."""
    for key, table, other in ((a, tables[0], b), (b, tables[1], a)):
        parts = set(names.words(other.name))
        if own_key(key, table) and not other.unique and parts & names.KEY_WORDS and not year_like(other):
            return True
    return False
