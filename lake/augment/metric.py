"""Cross-validated ridge regression from sums and sums of products alone.

Owns the metric: folds, imputation by the training folds' mean, missing flags, standardisation, the choice of
alpha and the pooled out-of-fold R². Must not know tables, keys or SQL. Ridge regression: Hoerl and Kennard
1970; the interval's variance: Nadeau and Bengio 2003.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# three seeds of five folds each, so that what one split happens to give is averaged out
FOLDS = 5
SEEDS = (0, 1, 2)
ALPHAS = np.array([0.1, 1.0, 10.0, 100.0, 1000.0])
_PAIRS = list(itertools.combinations(range(FOLDS), 2))
FITS = len(SEEDS) * (len(_PAIRS) + FOLDS)
"""Regressions that one full evaluation solves: each fold, and each pair of folds, left out, for each seed."""
_T_975 = 2.145
"""The 97.5 % point of Student's t with 14 degrees of freedom: 15 folds less one."""
# a variance below is rounding, and would make a feature of it
CONSTANT = 1e-12


def fold_numbers(rows: int, seed: int) -> Any:
    """Each row's fold: a permutation by the seed, cut into five parts of nearly equal size."""
    order = np.arange(rows)
    np.random.RandomState(seed).shuffle(order)
    found: Any = np.empty(rows, dtype=np.int64)
    sizes = np.full(FOLDS, rows // FOLDS)
    # the first folds take one row more, as scikit-learn's KFold does
    sizes[: rows % FOLDS] += 1
    found[order] = np.repeat(np.arange(FOLDS), sizes)
    return found


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums of products per seed and fold over `[1, x1, m1, x2, m2, ..., y1, y2, ...]`.

    `sums`: (seeds, folds, d, d). A feature is two columns: its value, 0 where missing, and its missing flag.
    """

    sums: Any
    features: int
    targets: int

    def of(self, features: Sequence[int]) -> Moments:
        """Only these features."""
        at = [0]
        for i in features:
            at += [1 + 2 * i, 2 + 2 * i]
        at += range(1 + 2 * self.features, self.sums.shape[-1])
        return Moments(self.sums[..., at, :][..., at], len(features), self.targets)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Pooled out-of-fold R², averaged over the seeds; `losses`: each seed's and fold's share of the total sum
    of squares.

    `residuals`: (seeds, folds, d, targets): a row's residual is its moment vector times this.
    """

    r2: float
    losses: Any
    residuals: Any

    def gain_over(self, before: Evaluation) -> tuple[float, float, float]:
        """The gain in R² with a 95 % interval over folds and seeds (Nadeau and
        Bengio's corrected variance).
        """
        gains = (before.losses - self.losses) * FOLDS
        mean, spread = float(gains.mean()), float(gains.std(ddof=1))
        half = _T_975 * spread * math.sqrt(1 / gains.size + 1 / (FOLDS - 1))
        return mean, mean - half, mean + half


def evaluate(moments: Moments) -> Evaluation:
    """The metric: alpha is chosen by cross-validation among the four training folds of each test fold."""
    sums = moments.sums
    seeds = sums.shape[0]
    total = sums.sum(axis=1, keepdims=True)
    left, right = (np.array(side) for side in zip(*_PAIRS, strict=True))
    inner = _residual_vectors(moments, total - sums[:, left] - sums[:, right])
    # a pair left out tests each of its two folds on behalf of the other
    inner_losses = np.zeros((seeds, FOLDS, len(ALPHAS), moments.targets))
    for side, other in ((left, right), (right, left)):
        told = _losses(inner, sums[:, other])
        for i, fold in enumerate(side):
            inner_losses[:, fold] += told[:, i]
    # an alpha of its own for each seed, test fold and target
    best = inner_losses.argmin(axis=2)
    outer = _residual_vectors(moments, total - sums)
    chosen = np.take_along_axis(outer, best[:, :, None, None, :], axis=2)
    losses = _losses(chosen, sums)[:, :, 0].sum(axis=-1)
    share = losses / spread_of(moments, total[:, 0]).sum(axis=-1)[:, None]
    return Evaluation(float(1.0 - share.sum(axis=1).mean()), share, chosen[:, :, 0])


@dataclass(frozen=True, slots=True)
class Standardised:
    """Sums of products of imputed, standardised features, each array with the leading axes of what it was
    made of.

    `gram`: (..., 2 features, 2 features); `products`: with the targets; `means`: what a missing value became;
    `centre`: (..., d) of the imputed moment columns; `scale`: 0 where a column never varies.
    """

    gram: Any
    products: Any
    means: Any
    centre: Any
    scale: Any

    def on_moments(self, combination: Any) -> Any:
        """(..., alphas, d, targets): weights of imputed, centred columns as weights of the moments."""
        found = combination.copy()
        k = 1 + 2 * self.means.shape[-1]
        found[..., 2:k:2, :] += self.means[..., None, :, None] * combination[..., 1:k:2, :]
        found[..., 0, :] -= (self.centre[..., None, 1:, None] * combination[..., 1:, :]).sum(axis=-2)
        return found


def standardised(features: int, train: Any) -> Standardised:
    """`train`: (..., d, d) moments of the rows that may be learned from.

    Imputing adds a multiple of each flag to its value, centring a multiple of the constant to each column:
    rows and columns of the sums are added, no matrix is multiplied.
    """
    k = 1 + 2 * features
    rows = train[..., 0, 0]
    x, m = slice(1, k, 2), slice(2, k, 2)
    # column 0 is the constant: its products are sums, of a flag's the number of missing values
    filled = rows[..., None] - train[..., 0, m]
    means = np.divide(train[..., 0, x], filled, out=np.zeros_like(filled), where=filled > 0.5)
    moved = train.copy()
    moved[..., x, :] += means[..., :, None] * moved[..., m, :]
    moved[..., :, x] += means[..., None, :] * moved[..., :, m]
    centre = moved[..., 0, :] / rows[..., None]
    moved -= (rows[..., None, None] * centre[..., :, None]) * centre[..., None, :]
    variances = np.diagonal(moved, axis1=-2, axis2=-1)[..., 1:k] / rows[..., None]
    varied = variances > CONSTANT
    scale = np.where(varied, 1.0 / np.sqrt(np.where(varied, variances, 1.0)), 0.0)
    gram = moved[..., 1:k, 1:k] * scale[..., :, None] * scale[..., None, :]
    return Standardised(gram, moved[..., 1:k, k:] * scale[..., None], means, centre, scale)


def _residual_vectors(moments: Moments, train: Any) -> Any:
    """(..., alphas, d, targets): what a moment vector is multiplied by to give its residual."""
    k = 1 + 2 * moments.features
    found = standardised(moments.features, train)
    scale = found.scale
    if k == 1:
        weights = np.zeros((*train.shape[:-2], len(ALPHAS), 0, moments.targets))
    else:
        # a column that never varies (no value is missing) has no weight
        kept = np.flatnonzero(scale.reshape(-1, k - 1).any(axis=0))
        # one decomposition serves all alphas: each only shrinks the directions differently
        values, vectors = np.linalg.eigh(found.gram[..., kept[:, None], kept])
        turned = np.swapaxes(vectors, -1, -2) @ found.products[..., kept, :]
        shrunk = turned[..., None, :, :] / (
            np.maximum(values, 0.0)[..., None, :, None] + ALPHAS[:, None, None]
        )
        weights = np.zeros((*shrunk.shape[:-2], k - 1, moments.targets))
        weights[..., kept, :] = vectors[..., None, :, :] @ shrunk
    combination = np.zeros((*weights.shape[:-2], train.shape[-1], moments.targets))
    combination[..., 1:k, :] = -weights * scale[..., None, :, None]
    # a residual: the target itself, less what the features say of it
    combination[..., k:, :] = np.eye(moments.targets)
    return found.on_moments(combination)


def _losses(vectors: Any, test: Any) -> Any:
    """(..., alphas, targets): sums of squared residuals."""
    # a sum of squares cannot be negative; what is below is rounding
    return np.maximum((vectors * (test[..., None, :, :] @ vectors)).sum(axis=-2), 0.0)


def spread_of(moments: Moments, total: Any) -> Any:
    """(seeds, targets): sums of squares of the targets about their means."""
    at = np.arange(1 + 2 * moments.features, total.shape[-1])
    return total[..., at, at] - total[..., 0, at] ** 2 / total[..., 0, :1]
