"""Looks at candidates on a sample of the base's rows, before anything is built for all of its keys.

Owns the sample and what a candidate seems worth on it. Must not know how many looks there are, or what is
made of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rewright.lake.augment.base import Base
from rewright.lake.augment.blocks import (
    FEWEST_MATCHES,
    by_chance,
    interleaved,
    offered_features,
    scaled,
    strongest,
)
from rewright.lake.augment.candidates import Candidate
from rewright.lake.augment.estimating import Pooled, pooled
from rewright.lake.augment.leakage import TargetByKey, clearly_suspected
from rewright.lake.augment.metric import Moments
from rewright.lake.augment.tables import TableFeatures


@dataclass(frozen=True, slots=True)
class Look:
    """What a candidate seems worth. `gain`: estimated R² over that of the base alone, on the sample;
    `coverage`: the share of the sample's rows that find a partner; `suspect`: one of its columns may give
    the target away.
    """

    candidate: Candidate
    gain: float
    coverage: float
    suspect: bool


@dataclass(frozen=True, slots=True)
class _Keys:
    """The sample's keys by one grouping: their hashes, sorted; which of them each row has; their sums."""

    hashes: Any
    of_row: Any
    by_key: TargetByKey


class Sample:
    """So many rows of a base table, chosen by chance."""

    def __init__(self, base: Base, tables: TableFeatures, rows: int) -> None:
        self.rows = min(rows, base.rows)
        self._base = base
        self._tables = tables
        chosen = np.random.default_rng(0).choice(base.rows, self.rows, replace=False)
        self._chosen = np.sort(chosen)
        self._values = base.some_values(self._chosen)
        self._keys: dict[int, _Keys] = {}
        self._alone = self._sums(np.empty((self.rows, 0))).estimate()

    def look(self, candidate: Candidate) -> Look | None:
        """None: one of its tables is too large to look at a few of its keys alone.

        :raises LakeError: one of its tables cannot be read.
        """
        grouping = self._base.grouping(tuple((a, kind) for a, _, kind in candidate.hops[0].pairs))
        keys = self._of(grouping)
        found = self._tables.of_keys(candidate, keys.hashes)
        if found is None:
            return None
        raw, matched = found
        coverage = float(keys.by_key.counts[matched].sum() / self.rows)
        if coverage < FEWEST_MATCHES:
            return Look(candidate, 0.0, coverage, suspect=False)
        suspect = clearly_suspected(raw, keys.by_key)
        return Look(candidate, self._gain(raw, keys), coverage, suspect)

    def _gain(self, raw: Any, keys: _Keys) -> float:
        offered = offered_features(raw, ())
        kept = strongest(raw, offered, keys.by_key)
        if not kept:
            return 0.0
        sums = self._sums(interleaved(*scaled(raw[:, kept]))[keys.of_row])
        left = 1.0 - max(self._alone, 0.0)
        chance = [left * by_chance(k, len(offered), len(raw)) for k in range(len(kept) + 1)]
        given = len(self._base.features)
        return max(estimated for estimated, _ in sums.best_of(given, chance.__getitem__)) - self._alone

    def _sums(self, added: Any) -> Pooled:
        """`added`: (rows, 2 features)."""
        base = self._base
        own = 2 * len(base.features)
        x = np.hstack([np.ones((self.rows, 1)), self._values[:, :own], added, self._values[:, own:]])
        return pooled(Moments((x.T @ x)[None, None], len(base.features) + added.shape[1] // 2, base.targets))

    def _of(self, grouping: int) -> _Keys:
        if grouping not in self._keys:
            base = self._base
            told, of_row = np.unique(base.row_groups(grouping)[self._chosen], return_inverse=True)
            targets = self._values[:, 2 * len(base.features) :]
            counts = np.bincount(of_row, minlength=len(told)).astype(float)
            sums, squares = (
                np.column_stack([np.bincount(of_row, y, len(told)) for y in told_of.T])
                for told_of in (targets, targets**2)
            )
            by_key = TargetByKey(counts, sums, squares, np.full(len(told), np.nan))
            self._keys[grouping] = _Keys(base.hashes(grouping)[told], of_row.reshape(-1), by_key)
        return self._keys[grouping]
