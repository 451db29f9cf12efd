"""What helped for which target in earlier searches: kept by whoever asks, used as a prior and as examples.

Owns the record of one table's gain and how alike two targets are. Must not know where records are kept. Paper
3.3, 5.3.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rewright.lake import names
from rewright.lake.index import LakeIndex

if TYPE_CHECKING:
    from rewright.lake.augment.api import Report

_ALIKE = 0.5
"""Targets less alike than this say nothing about each other."""
# what a search for another target of the same rows says, compared with one for the same target
_SAME_THINGS = 0.5


@dataclass(frozen=True, slots=True)
class Helped:
    """One table in one search: `gain` in R² for predicting `target` of `base`, 0 or less where it was of no
    help.
    """

    base: str
    target: str
    table: str
    join_path: str
    columns: tuple[str, ...]
    gain: float
    low: float
    high: float
    recommended: bool
    selector: str


def helped_by(report: Report) -> tuple[Helped, ...]:
    """What a search learned: of the tables it chose, and of those it looked at closely and left."""
    chosen = [
        Helped(
            report.table,
            report.target,
            added.table,
            added.join_path,
            added.columns,
            added.r2_after - added.r2_before,
            added.low,
            added.high,
            added.recommended,
            report.selector,
        )
        for added in report.added
    ]
    seen = {one.table for one in chosen}
    left = [
        Helped(report.table, report.target, table, path, (), gain, gain, gain, False, report.selector)
        for table, path, gain in report.rejected
        if table not in seen
    ]
    return (*chosen, *left)


class History:
    """Earlier searches as seen from one target."""

    def __init__(self, index: LakeIndex, base: str, target: str, earlier: Sequence[Helped]) -> None:
        self._weighted = [
            (weight, one)
            for one in earlier
            if (weight := alike(index, (base, target), (one.base, one.target))) > 0
        ]

    def prior(self, table: str) -> float:
        """The gain that earlier searches for alike targets speak of, 0 without any: the mean by likeness, the
        nearer to 0 the less there is of it (one search for the same target: half).
        """
        mean, evidence = self.evidence(table)
        return mean * evidence / (evidence + 1.0)

    def evidence(self, table: str) -> tuple[float, float]:
        """The mean gain by likeness, and of how many searches for the same target it is worth."""
        told = [(weight, one.gain) for weight, one in self._weighted if one.table == table]
        total = sum(weight for weight, _ in told)
        return (sum(weight * gain for weight, gain in told) / total if total else 0.0), total

    def examples(self, most: int) -> tuple[list[Helped], list[Helped]]:
        """Those that helped most, and those that helped least, of alike targets."""
        ranked = [one for _, one in sorted(self._weighted, key=lambda x: -x[0] * x[1].gain)]
        best = [one for one in ranked if one.gain > 0][:most]
        worst = [one for one in reversed(ranked) if one not in best][:most]
        return best, worst


def alike(index: LakeIndex, one: tuple[str, str], other: tuple[str, str]) -> float:
    """0 to 1: how much a search for one (table, target) says about another: by what they are called, or, half
    as much, because their rows are of the same things, so that the same tables join with both.
    """
    if one == other:
        return 1.0
    a, b = (f"{names.expanded(table)} {names.expanded(target)}" for table, target in (one, other))
    # names that are not alike enough count for nothing, rather than for a little
    near = float(index.embedder.similarity(a, b))
    return max(0.0, (near - _ALIKE) / (1 - _ALIKE), _SAME_THINGS * _joined(index, one[0], other[0]))


def _joined(index: LakeIndex, one: str, other: str) -> float:
    """0 to 1: how surely two tables of the lake have keys in common."""
    if one == other:
        return 1.0
    if one not in index.tables or other not in index.tables:
        return 0.0
    return min(1.0, max((pair.quality for pair in index.pairs(one, other)), default=0.0))
