"""What gives the target away by being there: claims of those alone that were hit, gifts to those who left.

Owns the test of which keys have rows, or a column's values, against the target. Must not know how tables are
joined or chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rewright.lake.augment.encoding import Feature
from rewright.lake.augment.leakage import Leak, TargetByKey, decides

_FEWEST_EACH = 10
"""Fewer keys on one side are apart from the others by chance."""


def given_by_presence(
    features: Sequence[Feature], values: Any, matched: Any, by_key: TargetByKey
) -> dict[int, Leak]:
    """Feature number → why it may not count. Of a table with rows for all keys above some value of a target
    and for no others, or for all below it, everything; else the columns that are filled so.
    """
    counted = by_key.counts > 0
    if _parting((matched & counted)[:, None], counted, by_key)[0]:
        reason = "the table has rows only for some of the target's range: they exist once the target is known"
        return {i: Leak(feature.table, feature.column, reason) for i, feature in enumerate(features)}
    among = matched & counted
    filled = _parting(np.isfinite(values) & among[:, None], among, by_key)
    reason = "it is filled only for some of the target's range: it is known once the target is"
    return {i: Leak(features[i].table, features[i].column, reason) for i in map(int, np.flatnonzero(filled))}


def _parting(there: Any, among: Any, by_key: TargetByKey) -> Any:
    """(columns,) which part the keys `among` into those with the larger and those with the smaller values."""
    present = there.sum(axis=0)
    some = np.flatnonzero((present >= _FEWEST_EACH) & (among.sum() - present >= _FEWEST_EACH))
    found = np.zeros(there.shape[1], dtype=bool)
    if not len(some):
        return found
    at = there[np.ix_(among, some)]
    for target in range(by_key.sums.shape[1]):
        if not decides(by_key, among, target):
            continue
        y = (by_key.sums[among, target] / by_key.counts[among])[:, None]
        low, high = np.where(at, y, np.inf).min(axis=0), np.where(at, y, -np.inf).max(axis=0)
        other_low, other_high = np.where(at, np.inf, y).min(axis=0), np.where(at, -np.inf, y).max(axis=0)
        found[some] |= (low > other_high) | (high < other_low)
    return found
