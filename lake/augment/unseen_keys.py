"""Whether what a table gains holds for keys that were not seen, where many rows have the same key.

Owns the test of a table's features on its keys, each counted once, and the folds that keep neighbours in time
together. Folds of rows do not show that a table only tells its keys apart: another row of each is among those
that were learned from, and so is the day before and the day after. Must not know how tables are searched.
Quantile of a chi-squared variable: Wilson and Hilferty 1931; folds by blocks of time: Roberts et al. 2017.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from rewright.lake.augment.base import Base
from rewright.lake.augment.blocks import Block, interleaved
from rewright.lake.augment.encoding import TIMES
from rewright.lake.augment.metric import FOLDS, SEEDS, Evaluation, Moments, evaluate

_FEWEST_KEYS = 30
"""Of fewer keys nothing can be said: what is told of them is told of nearly all that there are."""
_REPEATED = 0.8
"""From fewer keys a row than this on a row's key is mostly among the others."""
_BY_CHANCE = 0.01
"""How often one of all tables tried may pass by chance."""
# enough to see whether a gain holds; the test fits several regressions
_MOST_ROWS = 20_000
_BLOCKS = (10, 15, 20)
"""Into so many blocks of neighbours time is cut, by seed; each fold has several."""


def holds(
    base: Base, given: Sequence[Block], block: Block, before: Evaluation, tables: int
) -> tuple[bool, int]:
    """Does the gain of a block beside those given (`before`: their evaluation) hold for keys that were not
    seen? It is one of so many `tables` that were tried. True, too, where each row has a key of its own, or
    keys are few. And how many evaluations that took.
    """
    rows = _some_rows(base)
    of_row = np.unique(base.row_groups(block.grouping)[rows], return_inverse=True)[1].reshape(-1)
    keys = int(of_row.max()) + 1
    dated = _dated(block)
    if keys < _FEWEST_KEYS or (keys > _REPEATED * len(rows) and dated is None):
        return True, 0
    columns = _columns(base, given, rows)
    own = columns.shape[1] - base.targets
    left = _residuals(base, columns, before, rows)
    added = interleaved(block.values, block.missing)[base.row_groups(block.grouping)[rows]]
    if not _tells_keys(left, added, of_row, tables):
        return False, 0
    if dated is None:
        return True, 0
    moments = np.hstack([columns[:, :own], added, columns[:, own:]])
    return _over_time(base.key_texts(*dated)[rows], moments, (own - 1) // 2, base.targets), 2


def _tells_keys(left: Any, added: Any, of_row: Any, tables: int) -> bool:
    """Do the columns `added` explain what is left of the keys' means beyond what the best of so many tables
    would by chance?
    """
    counts = np.bincount(of_row).astype(float)
    first = np.unique(of_row, return_index=True)[1]
    sums = np.column_stack([np.bincount(of_row, column) for column in left.T])
    x, weights = added[first], np.sqrt(counts)[:, None]
    x = (x - np.average(x, axis=0, weights=counts)) * weights
    y = sums / counts[:, None]
    y = (y - np.average(y, axis=0, weights=counts)) * weights
    fitted, _, rank, _ = np.linalg.lstsq(x, y, rcond=None)
    whole, rest = float((y**2).sum()), float(((y - x @ fitted) ** 2).sum())
    freedom = len(counts) - int(rank) - 1
    if freedom < 1 or whole <= 0:
        return False
    told = -freedom * math.log(max(rest / whole, 1e-300))
    # the quantile of a chi-squared variable
    z = NormalDist().inv_cdf(1.0 - _BY_CHANCE / max(tables, 1))
    ninth = 2.0 / (9.0 * max(int(rank), 1))
    return bool(told > rank * (1.0 - ninth + z * math.sqrt(ninth)) ** 3)


def _over_time(times: Any, columns: Any, own: int, targets: int) -> bool:
    """Is there a gain where whole blocks of neighbours in time are left out?"""
    told, at = np.unique(times, return_inverse=True)
    if len(told) < _FEWEST_KEYS:
        return True
    sums = []
    for many in _BLOCKS:
        folds = (at.reshape(-1) * many // len(told)) % FOLDS
        sums.append([(part := columns[folds == f]).T @ part for f in range(FOLDS)])
    moments = Moments(np.asarray(sums), (columns.shape[1] - 1 - targets) // 2, targets)
    return evaluate(moments).gain_over(evaluate(moments.of(range(own))))[1] > 0


def _columns(base: Base, given: Sequence[Block], rows: Any) -> Any:
    """The rows' moment vectors with the blocks given."""
    values, q = base.some_values(rows), 2 * len(base.features)
    told = [interleaved(b.values, b.missing)[base.row_groups(b.grouping)[rows]] for b in given]
    return np.hstack([np.ones((len(rows), 1)), values[:, :q], *told, values[:, q:]])


def _residuals(base: Base, columns: Any, before: Evaluation, rows: Any) -> Any:
    """(rows, targets): what is left to explain, out of fold, by the first seed."""
    vectors = before.residuals[0]
    folds = base.folds(SEEDS[0])[rows]
    left = np.empty((len(rows), base.targets))
    for fold in range(FOLDS):
        left[folds == fold] = columns[folds == fold] @ vectors[fold]
    return left


def _some_rows(base: Base) -> Any:
    if base.rows <= _MOST_ROWS:
        return np.arange(base.rows)
    return np.sort(np.random.default_rng(0).choice(base.rows, _MOST_ROWS, replace=False))


def _dated(block: Block) -> tuple[str, Any] | None:
    """The base's column of days, or of longer times, that the block is joined on, and as which."""
    pairs = block.candidate.hops[0].pairs
    return next(((a, kind) for a, _, kind in pairs if kind in TIMES), None)
