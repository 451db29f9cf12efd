"""A candidate for a site: real tables joined in a tree with an assignment of all imagined columns; and what
its parts are worth.

Owns the record and the weights. Must not search.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from rewright.lake.catalog.model import Column
from rewright.lake.joins.keys import JoinKey
from rewright.lake.resolve.evidence import Evidence
from rewright.lake.resolve.imagined import ImaginedColumn

# for a column that is found in another table than its relation's, and more in one that is another relation's
_SPLIT = 0.10
_MERGED = 0.06
_GOOD = 0.75
# how much the tables' names count beside the columns; where rows are counted only they say of what
_TABLE_WEIGHT = 1.2
_COUNTED_WEIGHT = 1.8
# a column that is tested counts more: its values can be compared with what is held
_TEST_WEIGHT = 1.25


Halves = Mapping[str, Mapping[str, tuple[Column, Column]]]
"""A table and its other halves, with the columns that are a row's number in both (docs/decisions/0376)."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Real tables in join order, the keys that join each to an earlier one, and the columns' assignment."""

    tables: tuple[str, ...]
    joins: tuple[JoinKey, ...]
    columns: dict[int, Column]
    scores: dict[int, float]
    score: float
    homes: dict[str, str] = field(default_factory=dict)
    table_fit: float = 0.0

    def column_of(self, imagined: ImaginedColumn) -> Column | None:
        return self.columns.get(id(imagined))


def weight_of(imagined: ImaginedColumn) -> float:
    """How much an imagined column counts among the others."""
    return _TEST_WEIGHT if imagined.tests else 1.0


def table_weight(evidence: Evidence) -> float:
    """How much it counts that a relation is the table of its name: more where rows are counted."""
    return _COUNTED_WEIGHT if evidence.site.counted else _TABLE_WEIGHT


def scale_of(evidence: Evidence) -> float:
    """What a candidate's evidence is divided by, so that scores of queries of any size compare."""
    return sum(weight_of(c) for c in evidence.columns) + table_weight(evidence) * len(evidence.site.relations)


def away_cost(table: str, home: str | None, taken: Collection[str]) -> float:
    """What it costs to find a column of a relation elsewhere than in its home; in another relation's home
    more.
    """
    return 0.0 if table == home else _SPLIT + (_MERGED if table in taken else 0.0)


def worth(score: float) -> float:
    """What a column's score adds: poor ones hurt more than good ones help."""
    # beyond good, more likeness says little: one very good column must not outweigh two poor ones
    return min(score, 1.2) - 0.5 * max(0.0, 0.6 - score) - 0.4 * max(0.0, min(score, 1.2) - _GOOD)
