"""Cross-validated ridge regression from sums and sums of products alone.

Owns the metric: folds, imputation by the training folds' mean, missing flags, standardisation, the choice of
alpha and the pooled out-of-fold R². Must not know tables, keys or SQL. Ridge regression: Hoerl and Kennard
1970; generalised cross-validation: Golub, Heath and Wahba 1979; the interval's variance: Nadeau and Bengio
2003.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

FOLDS = 5
SEEDS = (0, 1, 2)
ALPHAS = np.array([0.1, 1.0, 10.0, 100.0, 1000.0])
_PAIRS = list(itertools.combinations(range(FOLDS), 2))
FITS = len(SEEDS) * (len(_PAIRS) + FOLDS)
"""Regressions that one full evaluation solves: each fold, and each pair of folds, left out, for each seed."""
_T_975 = 2.145
"""The 97.5 % point of Student's t with 14 degrees of freedom: 15 folds less one."""
_CONSTANT = 1e-12


def fold_numbers(rows: int, seed: int) -> Any:
    """Each row's fold: a permutation by the seed, cut into five parts of nearly equal size."""
    order = np.arange(rows)
    np.random.RandomState(seed).shuffle(order)
    found: Any = np.empty(rows, dtype=np.int64)
    sizes = np.full(FOLDS, rows // FOLDS)
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
    best = inner_losses.argmin(axis=2)
    outer = _residual_vectors(moments, total - sums)
    chosen = np.take_along_axis(outer, best[:, :, None, None, :], axis=2)
    losses = _losses(chosen, sums)[:, :, 0].sum(axis=-1)
    share = losses / _spread(moments, total[:, 0]).sum(axis=-1)[:, None]
    return Evaluation(float(1.0 - share.sum(axis=1).mean()), share, chosen[:, :, 0])


def estimate(moments: Moments) -> float:
    """R² by generalised cross-validation over all rows: one regression, for ranking only."""
    total = moments.sums[:1].sum(axis=1, keepdims=True)
    gram, products, _, scale = _standardised(moments, total)
    varied = np.flatnonzero(scale[0, 0])
    values, vectors = np.linalg.eigh(gram[0, 0][varied[:, None], varied])
    rows = float(total[0, 0, 0, 0])
    spread = _spread(moments, total[:, 0])[0]
    turned = vectors.T @ products[0, 0][varied]
    values = np.maximum(values, 0.0)
    best = np.full(moments.targets, np.inf)
    for alpha in ALPHAS:
        kept = values / (values + alpha)
        freedom = rows - 1.0 - kept.sum()
        if freedom < 1.0:
            continue
        explained = ((2 - kept) / (values + alpha))[:, None] * turned**2
        best = np.minimum(best, rows * (spread - explained.sum(axis=0)) / freedom**2)
    if not np.isfinite(best).all():
        return -math.inf
    return float(1.0 - (best * rows).sum() / spread.sum())


def ordered_features(moments: Moments, given: Sequence[int], offered: Sequence[int], most: int) -> list[int]:
    """Offered features in the order in which each fits best what those before it leave (orthogonal matching
    pursuit).

    What is chosen is eliminated from the Gram matrix, with a penalty of 1 on each pivot (Goodnight 1979: the
    sweep operator).
    """
    total = moments.sums[:1].sum(axis=1, keepdims=True)
    gram, products, _, scale = _standardised(moments, total)
    left, target, varied = gram[0, 0].copy(), products[0, 0].copy(), scale[0, 0] > 0
    for i in given:
        _eliminate(left, target, varied, i)
    found: list[int] = []
    rest = list(offered)
    while rest and len(found) < most:
        at = 2 * np.asarray(rest)
        strength = (target**2).sum(axis=1)
        scores = np.maximum(strength[at], strength[at + 1])
        best = int(np.argmax(scores))
        if scores[best] < _CONSTANT:
            break
        found.append(rest.pop(best))
        _eliminate(left, target, varied, found[-1])
    return found


def _eliminate(left: Any, target: Any, varied: Any, feature: int) -> None:
    """Take a feature's two columns out of what is left of the Gram matrix and of the products with the
    targets.
    """
    for column in (2 * feature, 2 * feature + 1):
        if varied[column]:
            share = left[:, column] / (left[column, column] + 1.0)
            target -= np.outer(share, target[column])
            left -= np.outer(share, left[column])


def _standardised(moments: Moments, train: Any) -> tuple[Any, Any, Any, Any]:
    """Gram matrix and products with y of the imputed, standardised features; the imputation's map and the
    scales.
    """
    k = 1 + 2 * moments.features
    rows = train[..., 0, 0]
    x, m = slice(1, k, 2), slice(2, k, 2)
    filled = rows[..., None] - train[..., 0, m]
    means = np.divide(train[..., 0, x], filled, out=np.zeros_like(filled), where=filled > 0.5)
    # imputed = value + mean * flag, centred: a linear map of the moments
    d = train.shape[-1]
    mapped = np.broadcast_to(np.eye(d), train.shape).copy()
    at = np.arange(1, k, 2)
    mapped[..., at, at + 1] = means
    moved = mapped @ train @ np.swapaxes(mapped, -1, -2)
    centre = moved[..., 0, :] / rows[..., None]
    mapped[..., 1:, 0] -= centre[..., 1:]
    moved = mapped @ train @ np.swapaxes(mapped, -1, -2)
    variances = np.diagonal(moved, axis1=-2, axis2=-1)[..., 1:k] / rows[..., None]
    varied = variances > _CONSTANT
    scale = np.where(varied, 1.0 / np.sqrt(np.where(varied, variances, 1.0)), 0.0)
    gram = moved[..., 1:k, 1:k] * scale[..., :, None] * scale[..., None, :]
    return gram, moved[..., 1:k, k:] * scale[..., None], mapped, scale


def _residual_vectors(moments: Moments, train: Any) -> Any:
    """(..., alphas, d, targets): what a moment vector is multiplied by to give its residual."""
    k = 1 + 2 * moments.features
    gram, products, mapped, scale = _standardised(moments, train)
    if k == 1:
        weights = np.zeros((*train.shape[:-2], len(ALPHAS), 0, moments.targets))
    else:
        # a column that never varies (no value is missing) has no weight
        kept = np.flatnonzero(scale.reshape(-1, k - 1).any(axis=0))
        values, vectors = np.linalg.eigh(gram[..., kept[:, None], kept])
        turned = np.swapaxes(vectors, -1, -2) @ products[..., kept, :]
        shrunk = turned[..., None, :, :] / (
            np.maximum(values, 0.0)[..., None, :, None] + ALPHAS[:, None, None]
        )
        weights = np.zeros((*shrunk.shape[:-2], k - 1, moments.targets))
        weights[..., kept, :] = vectors[..., None, :, :] @ shrunk
    combination = np.zeros((*weights.shape[:-2], train.shape[-1], moments.targets))
    combination[..., 1:k, :] = -weights * scale[..., None, :, None]
    combination[..., k:, :] = np.eye(moments.targets)
    return np.swapaxes(mapped, -1, -2)[..., None, :, :] @ combination


def _losses(vectors: Any, test: Any) -> Any:
    """(..., alphas, targets): sums of squared residuals."""
    return np.maximum((vectors * (test[..., None, :, :] @ vectors)).sum(axis=-2), 0.0)


def _spread(moments: Moments, total: Any) -> Any:
    """(seeds, targets): sums of squares of the targets about their means."""
    at = np.arange(1 + 2 * moments.features, total.shape[-1])
    return total[..., at, at] - total[..., 0, at] ** 2 / total[..., 0, :1]
