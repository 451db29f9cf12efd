"""A candidate's features as numbers that sums of products are made of.

Owns the block (features aligned with the base's key values), which features of a table are taken into one,
and what as many of them explain by chance. Must not know how blocks are made or judged.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rewright.lake.augment.candidates import Candidate
from rewright.lake.augment.encoding import Encoded, Feature
from rewright.lake.augment.leakage import Leak, TargetByKey

MOST_FEATURES = 48
"""Features of one candidate that are looked at, those that correlate most with the target."""
FEWEST_MATCHES = 0.02
"""The share of the base's rows that must find a partner."""


@dataclass(frozen=True, slots=True)
class Block:
    """A candidate's features: `values` (key values of the base, features), centred and scaled, 0 where
    missing.
    """

    candidate: Candidate
    grouping: int
    made: Encoded
    features: tuple[Feature, ...]
    columns: tuple[str, ...]
    values: Any
    missing: Any
    leaks: tuple[Leak, ...]
    coverage: float
    left_out: tuple[tuple[str, str], ...]
    time: str | None
    offered: int
    """Features of the table that these were chosen from by the target."""

    @property
    def sql(self) -> str:
        """A SELECT of the features by key, see `Encoded.sql`."""
        return self.made.sql

    def by_chance(self, chosen: int) -> float:
        """What the best so many of the features explain by chance, on key values: see `by_chance`."""
        return by_chance(chosen, self.offered, len(self.values))

    def only(self, chosen: Sequence[int]) -> Block:
        """Only these features."""
        at = list(chosen)
        return replace(
            self,
            features=tuple(self.features[i] for i in at),
            columns=tuple(self.columns[i] for i in at),
            values=self.values[:, at],
            missing=self.missing[:, at],
        )


def by_chance(chosen: int, offered: int, keys: int) -> float:
    """The share of what is left to explain that the best `chosen` of the features offered explain by chance,
    if none of them tells anything: Foster and George 1994, the risk inflation criterion.
    """
    # nothing was chosen, so chance had no choice either
    if not chosen or chosen == offered:
        return 0.0
    return min(1.0, 2.0 * chosen * math.log(offered / chosen) / max(keys, 1))


def best_of_tables(tables: int, rows: int) -> float:
    """The share of what is left to explain, in so many rows, that the best of so many tables explains by
    chance beyond what any of them does: a choice among tables costs what one among features does (see
    `by_chance`).
    """
    return min(1.0, 2.0 * math.log(max(tables, 1)) / max(rows, 1))


def scaled(raw: Any) -> tuple[Any, Any]:
    """Features centred and scaled, 0 where missing; and 1 where missing."""
    missing = ~np.isfinite(raw)
    filled = np.maximum((~missing).sum(axis=0), 1)
    centre = np.where(missing, 0.0, raw).sum(axis=0) / filled
    values = np.where(missing, 0.0, raw - centre)
    scale = np.sqrt((values**2).sum(axis=0) / filled)
    return values / np.where(scale > 0, scale, 1.0), missing.astype(float)


def interleaved(values: Any, missing: Any) -> Any:
    """(rows, 2 features): each feature's value and flag side by side, as in the moments."""
    out = np.empty((values.shape[0], 2 * values.shape[1]))
    out[:, 0::2], out[:, 1::2] = values, missing
    return out


def offered_features(raw: Any, leaks: Collection[int]) -> list[int]:
    """Features that differ from row to row and from each other."""
    there = np.isfinite(raw)
    varies = ~there.all(axis=0) | (raw != raw[:1]).any(axis=0)
    # of what is missing any bits will do, but the same ones
    filled = np.ascontiguousarray(np.where(there, raw, np.nan).T)
    seen: set[bytes] = set()
    offered: list[int] = []
    for i in map(int, np.flatnonzero(there.any(axis=0) & varies)):
        if i not in leaks and (told := filled[i].tobytes()) not in seen:
            seen.add(told)
            offered.append(i)
    return offered


def strongest(raw: Any, offered: list[int], by_key: TargetByKey) -> list[int]:
    """Those that correlate most with the target, where there are many."""
    if len(offered) <= MOST_FEATURES:
        return offered
    strength = {i: _strength(raw[:, i], by_key) for i in offered}
    return sorted(sorted(offered, key=lambda i: (-strength[i], i))[:MOST_FEATURES])


def _strength(x: Any, by_key: TargetByKey) -> float:
    """Sum over the targets of the squared correlation with the imputed column."""
    there = np.isfinite(x)
    n = by_key.counts
    x = np.where(there, x, 0.0)
    rows = n[there].sum()
    centred = np.where(there, x - (n * x)[there].sum() / rows, 0.0)
    spread = (n * centred**2).sum()
    if spread <= 0:
        return 0.0
    # sums of the targets by key are enough: a feature is the same for all rows of a key
    return float(((centred[:, None] * by_key.sums).sum(axis=0) ** 2).sum() / spread)
