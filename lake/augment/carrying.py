"""What a key of a table on a chain can carry to the base: a bound that needs no table beyond it.

Owns the test by which columns of a table are left out as ways to further tables. Whatever is joined by a
column comes back as a function of it, so that the column's own groups of base rows explain at least as much
(the one-way analysis of variance, Fisher 1925). Must not know scores of tables or budgets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from rewright.engines.duckdb.errors import LakeError
from rewright.lake.augment.base import Base
from rewright.lake.augment.candidates import Candidate, Candidates
from rewright.lake.augment.encoding import key_kind
from rewright.lake.augment.tables import TableFeatures
from rewright.lake.catalog.model import Column

_ABOVE_CHANCE = 1.0
"""Standard deviations that the ratio of variances must lie over what chance gives, for a column to carry
something. Of columns that carry nothing about one in six does.
"""
_FEWEST_FREE = 30
"""Rows more than groups, at least: of fewer the groups explain nearly everything, and nothing is told."""


class Carrying:
    """Tests columns of the tables that chains lead to, for one base table."""

    def __init__(self, base: Base, tables: TableFeatures) -> None:
        self._base = base
        self._tables = tables
        self._left: Any = None

    def nothing(self, candidate: Candidate, columns: Sequence[Column]) -> set[str]:
        """Those of the last table's columns that explain no more of what the base's own features leave than
        chance does. A column of which a base row reaches several values, or each row another, is none of
        them.

        :raises LakeError: a table cannot be read.
        """
        if not self._base.held:
            return set()
        reached = self._tables.reached_values(candidate, [(c.name, key_kind(c, c)) for c in columns])
        rows = self._base.row_groups(self._tables.grouping(candidate))
        return {
            column.name
            for column, values in zip(columns, reached, strict=True)
            if values is not None and not self._tells(values[rows])
        }

    def _tells(self, groups: Any) -> bool:
        """Do the groups' means differ more than by chance? (rows,) each row's group."""
        left, (n, targets) = self._residuals(), self._residuals().shape
        _, at, counts = np.unique(groups, return_inverse=True, return_counts=True)
        between_free, within_free = len(counts) - 1, n - len(counts)
        if within_free < _FEWEST_FREE:
            return True
        if not between_free:
            return False
        ratios = []
        for t in range(targets):
            between = float((np.bincount(at, left[:, t]) ** 2 / counts).sum())
            within = max(float((left[:, t] ** 2).sum()) - between, 0.0)
            ratios.append(math.inf if within <= 0 else between / between_free / (within / within_free))
        # of the ratio of two variances, about
        spread = math.sqrt(2.0 / between_free + 2.0 / within_free)
        return max(ratios) > 1.0 + _ABOVE_CHANCE * spread

    def _residuals(self) -> Any:
        """(rows, targets): what the base's own features leave of the targets, centred."""
        if self._left is None:
            values, width = self._base.row_values(), 2 * len(self._base.features)
            x, y = values[:, :width], values[:, width:]
            x, y = x - x.mean(axis=0), y - y.mean(axis=0)
            weights = (
                np.linalg.solve(x.T @ x + np.eye(width), x.T @ y) if width else np.zeros((0, y.shape[1]))
            )
            self._left = y - x @ weights
        return self._left


def further(candidates: Candidates, candidate: Candidate, carrying: Carrying | None) -> list[Candidate]:
    """The candidate's chain with one more join. `carrying`: by columns alone that may carry something."""
    arrived = {b for _, b, _ in candidate.hops[-1].pairs}
    nothing: set[str] = set()
    if carrying is not None:
        alone, together = candidates.ways(candidate.table, arrived)
        # what cannot be read is told when it is built
        with suppress(LakeError):
            nothing = carrying.nothing(candidate, alone)
        if not together and len(nothing) == len(alone):
            return []
    hops = candidates.hops(candidate.table, arrived=arrived | nothing)
    told = ((hop, {a for a, _, _ in hop.pairs}) for hop in hops)
    return [
        Candidate((*candidate.hops, hop))
        for hop, by in told
        if hop.right not in candidate.tables and by != arrived and not (by & nothing)
    ]
