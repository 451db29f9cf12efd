"""A base table's rows as arrays: targets, own features and date, and the sums that the metric needs of them.

Owns scaling, missing values and sums by fold of a table that is held in memory. Must not know SQL or which
table it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewright.lake.augment.metric import FOLDS, SEEDS, fold_numbers


@dataclass(frozen=True, slots=True)
class RowValues:
    """`targets`: (rows, targets); `features`: (rows, offered); `dated`: (rows,) days. NaN where missing."""

    targets: Any
    features: Any
    dated: Any

    @classmethod
    def of(cls, found: Mapping[str, Any], targets: int, features: int) -> RowValues:
        """What DuckDB gives of the columns y0, ..., v0, ... and `dated`, row by row."""
        return cls(
            _numbers(found, [f"y{i}" for i in range(targets)]),
            _numbers(found, [f"v{i}" for i in range(features)]),
            _numbers(found, ["dated"])[:, 0],
        )

    def strength(self, offered: Sequence[int]) -> list[float]:
        """How much each of these features correlates with the first target, whichever way; 0 where one of
        the two never varies.
        """
        return [_correlation(self.features[:, i], self.targets[:, 0]) for i in offered]

    def scaled(self, kept: Sequence[int]) -> tuple[Any, Any]:
        """(rows, 2 kept + targets): each kept feature's value, 0 where missing, and its flag, then the
        targets; and (rows, targets + 1): the targets and the date.
        """
        chosen = self.features[:, list(kept)]
        missing = np.isnan(chosen)
        y = _standard(self.targets)
        rows = np.empty((len(y), 2 * len(kept) + y.shape[1]))
        # values and flags in turn, as the moments have them
        rows[:, 0 : 2 * len(kept) : 2] = np.where(missing, 0.0, _standard(chosen))
        rows[:, 1 : 2 * len(kept) : 2] = missing
        rows[:, 2 * len(kept) :] = y
        return rows, np.column_stack([y, self.dated])

    @staticmethod
    def moments(rows: Any) -> Any:
        """(seeds, folds, d, d): sums of products over 1 and the columns of `rows`."""
        columns = np.column_stack([np.ones(len(rows)), rows])
        found = np.empty((len(SEEDS), FOLDS, columns.shape[1], columns.shape[1]))
        for s, seed in enumerate(SEEDS):
            folds = fold_numbers(len(rows), seed)
            for fold in range(FOLDS):
                of_fold = columns[folds == fold]
                found[s, fold] = of_fold.T @ of_fold
        return found


def _standard(values: Any) -> Any:
    """Each column less its mean, by its standard deviation; what is missing stays so."""
    there = ~np.isnan(values)
    filled = np.maximum(there.sum(axis=0), 1)
    centred = values - np.where(there, values, 0.0).sum(axis=0) / filled
    scale = np.sqrt((np.where(there, centred, 0.0) ** 2).sum(axis=0) / filled)
    return centred / np.where(scale > 0, scale, 1.0)


def _correlation(x: Any, y: Any) -> float:
    both = np.isfinite(x) & np.isfinite(y)
    if not both.any():
        return 0.0
    x, y = x[both] - x[both].mean(), y[both] - y[both].mean()
    spread = float(x @ x) * float(y @ y)
    return abs(float(x @ y)) / float(np.sqrt(spread)) if spread > 0 else 0.0


def _numbers(found: Mapping[str, Any], columns: Sequence[str]) -> Any:
    rows = len(found["dated"])
    out = np.empty((rows, len(columns)))
    for i, name in enumerate(columns):
        out[:, i] = np.ma.filled(np.ma.asarray(found[name], dtype=np.float64), np.nan)
    return out
