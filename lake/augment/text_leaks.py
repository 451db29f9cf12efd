"""Texts that are the target in classes: bands, grades and deciles that are named, not numbered.

Owns the test of a text's classes against the target. Must not know how tables are joined or chosen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from rewright.lake.augment.encoding import Feature
from rewright.lake.augment.leakage import Leak, TargetByKey, decides

_FEWEST = 30
"""Fewer keys fall into intervals by chance."""
_FEWEST_CLASSES = 3
_COVERED = 0.5
"""The share of the keys that must be in the classes that are compared."""


def named_classes(features: Sequence[Feature], values: Any, by_key: TargetByKey) -> dict[int, Leak]:
    """Feature number → why it may not count: of texts each of whose values is an interval of the target's,
    all 0/1 columns. `values`: (keys, features), NaN where missing.
    """
    found: dict[int, Leak] = {}
    for columns in _indicators(features).values():
        if _are_intervals(values[:, columns], by_key):
            reason = "the target in classes: each of its values is a range of the target's"
            found |= {i: Leak(features[i].table, features[i].column, reason) for i in columns}
    return found


def _indicators(features: Sequence[Feature]) -> dict[tuple[str, str], list[int]]:
    """The numbers of each text's 0/1 columns, of texts of three classes or more."""
    found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for i, feature in enumerate(features):
        if feature.how.startswith("=") or " = " in feature.how:
            found[feature.table, feature.column].append(i)
    return {column: told for column, told in found.items() if len(told) >= _FEWEST_CLASSES - 1}


def _are_intervals(shown: Any, by_key: TargetByKey) -> bool:
    """Are the keys of each class all above those of another, or all below? What has no column of its own is
    one class more, or the rest of many: it counts where it is an interval, too.
    """
    there = np.flatnonzero(np.isfinite(shown).all(axis=1) & (by_key.counts > 0))
    if len(there) < _FEWEST:
        return False
    shown = shown[there] > 0
    # what no column shows gets a number of its own, the highest
    classes = np.where(shown.any(axis=1), shown.argmax(axis=1), shown.shape[1])
    for t in range(by_key.sums.shape[1]):
        y = by_key.sums[there, t] / by_key.counts[there]
        every: Any = np.ones(len(y), dtype=bool)
        # all keys, and, where that fails, those alone whose class has a column
        for some in (every, classes < shown.shape[1]):
            if some.sum() >= _COVERED * len(y) and _apart(classes[some], y[some]):
                return decides(by_key, there, t)
    return False


def _apart(classes: Any, y: Any) -> bool:
    """Does each class have a range of its own, of several values?"""
    told, at = np.unique(classes, return_inverse=True)
    if not _FEWEST_CLASSES <= len(told) <= len(y) // 2 or len(np.unique(y)) <= len(told):
        return False
    low, high = np.full(len(told), np.inf), np.full(len(told), -np.inf)
    np.minimum.at(low, at, y)
    np.maximum.at(high, at, y)
    # ranges in order: none may begin before the one below it ends
    order = np.argsort(low)
    return bool((high[order][:-1] <= low[order][1:]).all())
