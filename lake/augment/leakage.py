"""Columns that give the target away: found before any column is rewarded.

Owns the tests for copies and near-copies of the target, the same quantity under another name, unit or year,
and columns that exist only after it. Must not know how tables are joined or chosen.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rewright.lake import names
from rewright.lake.augment.encoding import Feature
from rewright.lake.catalog.model import Column
from rewright.lake.index import LakeIndex

COPY = 0.999
"""A column that correlates more with the target (as it is, or by rank) is a copy of it."""
SAME_QUANTITY = 0.97
"""From here on a column that is also called like the target is the same quantity of
another source or year.
"""
_LIKE = 0.6
_FEWEST = 6
"""Fewer rows with both values agree by chance."""
_FEWEST_VALUES = 3
_TOGETHER = 4
"""Columns that may make up the target, at most; more fit by themselves where rows are few."""
# with fewer keys columns decide a target together by chance
_FEWEST_TOGETHER = 30

_PAIRS = 64
_FEWEST_PAIRS = 10
_AGREEING = 0.85
_CLEARLY = 0.95
# instead of 0, so that a column that never varies is divided by something
_TINY = 1e-200
# relative to the values: what floating-point sums lose is no difference
_EXACT = 1e-9
_SURELY_LESS = 0.96
"""A column that correlates less with the target than this is none of the kinds that are reported."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A column that is reported and not rewarded, and why."""

    table: str
    column: str
    reason: str
    correlation: float | None = None


@dataclass(frozen=True)
class TargetByKey:
    """The target's sums per key value: rows, sum and sum of squares of each target; the base's own dates, if
    any.
    """

    counts: Any
    sums: Any
    squares: Any
    dates: Any

    @cached_property
    def classes(self) -> Any:
        """(keys, classes): how many of each key's rows are of each class; None: the target has none.

        A target of two values, low and high, has y² = (low + high) y - low high in each row, so that sums and
        sums of squares say how many rows have which.
        """
        share = []
        for y, yy in zip(self.sums.T, self.squares.T, strict=True):
            known = np.column_stack([y, self.counts])
            (total, product), *_ = np.linalg.lstsq(known, yy, rcond=None)
            off = np.abs(known @ (total, product) - yy).max(initial=0.0)
            width = math.sqrt(max(total**2 + 4 * product, 0.0))
            if off > _EXACT * max(float(yy.max(initial=0.0)), 1.0) or width <= _EXACT:
                return None
            share.append((y - self.counts * (total - width) / 2) / width)
        # of two classes one indicator says both
        return np.column_stack([share[0], self.counts - share[0]] if len(share) == 1 else share)


def leaks_of(
    index: LakeIndex,
    target: Column,
    features: Sequence[Feature],
    values: Any,
    matched: Any,
    by_key: TargetByKey,
) -> dict[int, Leak]:
    """Feature number → why it may not count."""
    found: dict[int, Leak] = {}
    for i in map(int, np.flatnonzero(suspected(values, matched, by_key))):
        feature = features[i]
        reason, strength = _reason(index, target, feature, values[:, i], matched, by_key)
        if reason:
            found[i] = Leak(feature.table, feature.column, reason, strength)
    return found


def suspected(values: Any, matched: Any, by_key: TargetByKey) -> Any:
    """(features,) which may give the target away: what none of the tests below can find is left out by a few
    passes over all columns at once, since nearly all columns of a lake are.

    A column that orders keys as the target does, but for one rank in a hundred, has at least _AGREEING of
    the pairs of keys that are half of all ranks apart in the target's order.
    """
    counted = (by_key.counts > 0)[:, None]
    there = np.isfinite(values) & counted
    found = _correlated(values, there, by_key)
    missing = matched[:, None] & counted & ~there
    gaps = np.flatnonzero(missing.any(axis=0))
    if len(gaps):
        # That a value is missing may say as much as the value: it is tested as a column of its own.
        found[gaps] |= _correlated(missing[:, gaps] * 1.0, matched[:, None] & counted, by_key)
    for t in range(by_key.sums.shape[1]):
        found |= _in_order(values, there, by_key.sums[:, t] / np.maximum(by_key.counts, 1.0))
    found |= separated(values, there, by_key)
    return found


def clearly_suspected(values: Any, by_key: TargetByKey) -> bool:
    """Does one of the columns go with the target so that all keys should be looked at? On few keys, where
    some columns agree with the target by chance: those that tell nothing are no suspects.
    """
    counted = (by_key.counts > 0)[:, None]
    there = np.isfinite(values) & counted
    if len(values) < _FEWEST_TOGETHER:
        return False
    found = _correlated(values, there, by_key) | separated(values, there, by_key)
    for t in range(by_key.sums.shape[1]):
        y = by_key.sums[:, t] / np.maximum(by_key.counts, 1.0)
        found |= _in_order(values, there, y, agreeing=_CLEARLY, undecided=False)
    return bool(found.any())


def _correlated(values: Any, there: Any, by_key: TargetByKey) -> Any:
    """(features,) which correlate with a target so that they may be one of the kinds that are reported."""
    n = by_key.counts
    rows = np.maximum(n @ there, 1.0)
    centred = np.where(there, values - (n @ np.where(there, values, 0.0)) / rows, 0.0)
    spread = n @ centred**2
    found = np.zeros(values.shape[1], dtype=bool)
    for t in range(by_key.sums.shape[1]):
        y, yy = by_key.sums[:, t], by_key.squares[:, t]
        of_y = yy @ there - (y @ there) ** 2 / rows
        # one that never varies correlates with nothing
        found |= (y @ centred) ** 2 > _SURELY_LESS**2 * np.maximum(spread * of_y, _TINY)
    return found


def _in_order(values: Any, there: Any, y: Any, *, agreeing: float = _AGREEING, undecided: bool = True) -> Any:
    """(features,) which order the keys as the target does or the other way round, as far as a few pairs of
    keys tell: that share of them. `undecided`: what is said of those of which too few pairs are there, if
    all pairs of keys do not decide.
    """
    some = np.flatnonzero(there.any(axis=1))
    order = some[np.argsort(y[some], kind="stable")]
    sampled = len(order) > 2 * _PAIRS
    few = order[np.linspace(0, len(order) - 1, 2 * _PAIRS).astype(int)] if sampled else order
    up, down = _agreeing_pairs(values, few)
    with np.errstate(invalid="ignore"):
        least = np.where(there, values, np.inf).min(axis=0)
        most = np.where(there, values, -np.inf).max(axis=0)
        # one of two values is neither classes nor an order
        more = (there & (values > least) & (values < most)).any(axis=0)
    decided = up + down >= _FEWEST_PAIRS
    if undecided:
        open_ = np.flatnonzero(more & ~decided)
        if sampled and len(open_):
            up[open_], down[open_] = _agreeing_pairs(values[:, open_], order)
        # a column that is constant over most of the keys has few pairs, but some
        decided |= up + down > 0
    return more & np.where(decided, np.maximum(up, down) >= agreeing * (up + down), undecided)


def _agreeing_pairs(values: Any, order: Any) -> tuple[Any, Any]:
    """(features,) how many pairs of keys, half of `order` apart, have the larger value later, and how many
    earlier.
    """
    half = len(order) // 2
    low, high = values[order[:half]], values[order[len(order) - half :]]
    with np.errstate(invalid="ignore"):
        return (high > low).sum(axis=0), (high < low).sum(axis=0)


def _reason(
    index: LakeIndex, target: Column, feature: Feature, x: Any, matched: Any, by_key: TargetByKey
) -> tuple[str, float | None]:
    there = np.isfinite(x) & (by_key.counts > 0)
    for t in range(by_key.sums.shape[1]):
        pearson = abs(_weighted(x, there, by_key, t))
        if pearson > COPY:
            return "a copy of the target, or the target in another unit", round(float(pearson), 4)
        ranked = abs(_by_rank(x, there, by_key, t))
        if ranked > COPY:
            return "the target under another scale: it orders the rows as the target does", round(
                float(ranked), 4
            )
        if _in_classes(x, there, by_key, t):
            return "the target in classes: those of each are all above those of the one before", round(
                float(ranked), 4
            )
        if max(pearson, ranked) >= SAME_QUANTITY and same_quantity(index, target, feature):
            return "the same quantity under another name, source or year", round(
                float(max(pearson, ranked)), 4
            )
        flag = (matched & ~np.isfinite(x)).astype(float)
        told = abs(_weighted(flag, matched & (by_key.counts > 0), by_key, t))
        if told > COPY:
            return "it is filled only once the target is known", round(float(told), 4)
    if separated(x[:, None], there[:, None], by_key)[0]:
        return "the target's classes are ranges of it", None
    return "", None


def separated(values: Any, there: Any, by_key: TargetByKey) -> Any:
    """(features,) of which the target's classes are ranges: a price, where the target says whether it is
    high. Of the pairs of rows of two classes all but a thousandth have one class above the other. `there`:
    (keys, features), where the feature is.
    """
    found = np.zeros(values.shape[1], dtype=bool)
    classes = by_key.classes
    if classes is None:
        return found
    for i in range(values.shape[1]):
        at = there[:, i]
        found[i] = _are_ranges(values[at, i], classes[at])
    return found


def _are_ranges(x: Any, classes: Any) -> bool:
    """`classes`: (keys, classes) rows. Classes of fewer than _FEWEST rows are ranges by chance."""
    if len(x) < _FEWEST_TOGETHER:
        return False
    rows = classes.sum(axis=0)
    told = classes[:, rows >= _FEWEST]
    rows = rows[rows >= _FEWEST]
    if len(rows) < 2:
        return False
    values, at = np.unique(x, return_inverse=True)
    by_value = np.zeros((len(values), len(rows)))
    np.add.at(by_value, at, told)
    below = np.cumsum(by_value, axis=0) - by_value / 2.0
    # of a pair of classes, one against the other: the area under the ROC curve
    above = (by_value.T @ below) / np.outer(rows, rows)
    weights = np.triu(np.outer(rows, rows), 1)
    ordered = (np.maximum(above, 1.0 - above) * weights).sum() / weights.sum()
    return bool(ordered > COPY)


def leaks_together(
    features: Sequence[Feature], values: Any, by_key: TargetByKey, without: Collection[int]
) -> dict[int, Leak]:
    """Columns of one table that give the target away together (its two halves, what it is the sum of): at
    most _TOGETHER of them, found one after the other by what they leave.
    """
    offered = [
        i
        for i, feature in enumerate(features)
        if i not in without
        and feature.column != "*"
        and not feature.how.startswith(("=", "most", "latest ="))
    ]
    found: dict[int, Leak] = {}
    for target in range(by_key.sums.shape[1]):
        chosen = _adding_up(values[:, offered], by_key, target) if len(offered) > 1 else []
        columns = [features[offered[i]].column for i in chosen]
        for i in chosen:
            others = ", ".join(dict.fromkeys(c for c in columns if c != features[offered[i]].column))
            if others:
                told = features[offered[i]]
                reason = f"together with {others} it gives the target"
                found[offered[i]] = Leak(told.table, told.column, reason)
    return found


def of_whole_columns(features: Sequence[Feature], leaks: Mapping[int, Leak]) -> dict[int, Leak]:
    """What else is made of a column that gives the target away gives it away, too: where the sum of a key's
    rows is the target, their mean and their number tell most of it.
    """
    by_column = {(leak.table, leak.column): leak for leak in leaks.values() if leak.column != "*"}
    found = dict(leaks)
    for i, feature in enumerate(features):
        if i not in found and (leak := by_column.get((feature.table, feature.column))) is not None:
            found[i] = leak
    return found


def _adding_up(values: Any, by_key: TargetByKey, target: int) -> list[int]:
    """The few columns whose sum, weighted as fits best, is the target; none: no few are."""
    there = np.isfinite(values)
    # A column that is mostly missing would leave too few rows on which all are there.
    usable = np.flatnonzero(there.sum(axis=0) >= 0.5 * max(int(there.any(axis=1).sum()), 1))
    rows = np.flatnonzero(there[:, usable].all(axis=1) & (by_key.counts > 0))
    if len(usable) < 2 or len(rows) < _FEWEST_TOGETHER or not decides(by_key, rows, target):
        return []
    weights = np.sqrt(by_key.counts[rows])
    x = values[np.ix_(rows, usable)]
    x = (x - np.average(x, axis=0, weights=weights**2)) * weights[:, None]
    y = by_key.sums[rows, target] / by_key.counts[rows]
    y = (y - np.average(y, weights=weights**2)) * weights
    spread = (x**2).sum(axis=0)
    whole, left = float(y @ y), y
    chosen: list[int] = []
    while len(chosen) < min(_TOGETHER, x.shape[1]) and whole > 0:
        products = (x.T @ left) ** 2 / np.where(spread > 0, spread, np.inf)
        products[chosen] = -1.0
        chosen.append(int(np.argmax(products)))
        fitted = x[:, chosen] @ np.linalg.lstsq(x[:, chosen], y, rcond=None)[0]
        left = y - fitted
        if float(left @ left) < (1.0 - COPY**2) * whole:
            return [int(usable[i]) for i in chosen] if len(chosen) > 1 else []
    return []


def _in_classes(x: Any, there: Any, by_key: TargetByKey, target: int) -> bool:
    """Is each of the column's values an interval of the target's, as deciles and price bands are?"""
    if there.sum() < _FEWEST_TOGETHER or not decides(by_key, there, target):
        return False
    x, y = x[there], by_key.sums[there, target] / by_key.counts[there]
    values, classes = np.unique(x, return_inverse=True)
    # With nearly as many values as keys every order is one of classes, and so is no finding.
    if not _FEWEST_VALUES <= len(values) <= len(x) // 2 or len(np.unique(y)) <= len(values):
        return False
    low, high = np.full(len(values), np.inf), np.full(len(values), -np.inf)
    np.minimum.at(low, classes, y)
    np.maximum.at(high, classes, y)
    return bool((high[:-1] <= low[1:]).all() or (low[:-1] >= high[1:]).all())


def decides(by_key: TargetByKey, there: Any, target: int) -> bool:
    """Has the target one value per key, of these keys?"""
    n, y, yy = by_key.counts[there], by_key.sums[there, target], by_key.squares[there, target]
    within = (yy - y**2 / n).sum()
    about = yy.sum() - y.sum() ** 2 / n.sum()
    return bool(about > 0 and within <= 1e-3 * about)


def _weighted(x: Any, there: Any, by_key: TargetByKey, target: int) -> float:
    """Pearson's r over the base's rows where the feature is there."""
    n, x = by_key.counts[there], x[there]
    rows = n.sum()
    if rows < _FEWEST or x.min() == x.max():
        return 0.0
    y, yy = by_key.sums[there, target], by_key.squares[there, target]
    centred = x - (n * x).sum() / rows
    vx = (n * centred**2).sum()
    vy = yy.sum() - y.sum() ** 2 / rows
    if vx <= 0 or vy <= 1e-12 * rows:
        return 0.0
    # A flag correlates perfectly with two key values' means only by chance of there being two.
    if _has_two_values(x) and not _has_two_values(y / n):
        return 0.0
    return float((centred * y).sum() / np.sqrt(vx * vy))


def _has_two_values(x: Any) -> bool:
    """Two at most."""
    return bool(((x == x.min()) | (x == x.max())).all())


def _by_rank(x: Any, there: Any, by_key: TargetByKey, target: int) -> float:
    """Spearman's ρ over the key values, where the key decides the target."""
    n = by_key.counts[there]
    if len(n) < _FEWEST or not decides(by_key, there, target):
        return 0.0
    if len(np.unique(x[there])) < _FEWEST_VALUES:
        return 0.0
    a, b = ranks(x[there]), ranks(by_key.sums[there, target] / n)
    a, b = a - a.mean(), b - b.mean()
    spread = float(a @ a) * float(b @ b)
    return float(a @ b) / math.sqrt(spread) if spread > 0 else 0.0


def ranks(x: Any) -> Any:
    """Ranks from 1, ties by their mean."""
    values, at, counts = np.unique(x, return_inverse=True, return_counts=True)
    del values
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2.0)[at]


def same_quantity(index: LakeIndex, target: Column, feature: Feature) -> bool:
    """Is the column called like the target, apart from years, units and sources?"""
    mine, other = _subject(target.name), _subject(feature.column)
    if not other:
        other = _subject(feature.table)
    if not mine:
        mine = _subject(target.table)
    if mine == other or (mine and other and (set(mine) <= set(other) or set(other) <= set(mine))):
        return True
    return index.embedder.similarity(" ".join(mine), " ".join(other)) >= _LIKE


def _subject(name: str) -> tuple[str, ...]:
    return tuple(w for w in names.words(name) if not w.isdigit() and w not in _UNTELLING)


_UNTELLING = frozenset({"value", "values", "amount", "figure", "number", "total", "year", "latest", "current",
"rate", "index",
                        "score", "mean", "average", "the", "of", "in"})  # fmt: skip


def dated_after(values: Any, by_key: TargetByKey) -> bool:
    """Do all dates lie after the base rows' own?"""
    both = np.isfinite(values) & np.isfinite(by_key.dates)
    return bool(both.sum() >= _FEWEST and (values[both] > by_key.dates[both]).all())
