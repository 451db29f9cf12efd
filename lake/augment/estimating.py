"""Quick estimates of what features are worth: one regression over all rows, for ranking only.

Owns the standardised sums of a set of features, R² by generalised cross-validation of any of them, and the
order in which they fit best. Must not know tables, keys or SQL. Generalised cross-validation: Golub, Heath
and Wahba 1979.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewright.lake.augment.metric import ALPHAS, Moments, spread_of, standardised

_TELLS_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Pooled:
    """Sums over all rows, standardised once for all subsets; a feature is two columns, its value and its
    flag.

    `gram`: (columns, columns); `products`: (columns, targets); `varied`: (columns,); `spread`: (targets,)
    sums of squares about the mean.
    """

    gram: Any
    products: Any
    varied: Any
    rows: float
    spread: Any

    @property
    def features(self) -> int:
        return len(self.varied) // 2

    def estimate(self, features: Sequence[int] | None = None) -> float:
        """R² with these features (None: all of them)."""
        wanted = np.arange(self.features) if features is None else np.asarray(features, dtype=np.int64)
        columns = np.column_stack([2 * wanted, 2 * wanted + 1]).ravel()
        columns = columns[self.varied[columns]]
        values, vectors = np.linalg.eigh(self.gram[columns[:, None], columns])
        turned = (vectors.T @ self.products[columns]) ** 2
        values = np.maximum(values, 0.0)
        best = np.full(len(self.spread), np.inf)
        for alpha in ALPHAS:
            freedom = self.rows - 1.0 - (values / (values + alpha)).sum()
            if freedom < 1.0:
                continue
            shrunk = (2 - values / (values + alpha)) / (values + alpha)
            explained = shrunk @ turned
            best = np.minimum(best, self.rows * (self.spread - explained) / freedom**2)
        if not np.isfinite(best).all():
            return -math.inf
        return float(1.0 - (best * self.rows).sum() / self.spread.sum())

    def ordered(self, given: Sequence[int], offered: Sequence[int], most: int) -> list[int]:
        """Offered features in the order in which each fits best what those before it leave (orthogonal
        matching pursuit).

        What is chosen is eliminated from the Gram matrix, with a penalty of 1 on each pivot (Goodnight 1979:
        the sweep operator).
        """
        left, target = self.gram.copy(), self.products.copy()
        for i in given:
            self._eliminate(left, target, i)
        found: list[int] = []
        rest = list(offered)
        while rest and len(found) < most:
            at = 2 * np.asarray(rest)
            strength = (target**2).sum(axis=1)
            scores = np.maximum(strength[at], strength[at + 1])
            best = int(np.argmax(scores))
            if scores[best] < _TELLS_NOTHING:
                break
            found.append(rest.pop(best))
            self._eliminate(left, target, found[-1])
        return found

    def _eliminate(self, left: Any, target: Any, feature: int) -> None:
        """Take a feature's two columns out of what is left of the Gram matrix and of the products with the
        targets.
        """
        for column in (2 * feature, 2 * feature + 1):
            if self.varied[column]:
                share = left[:, column] / (left[column, column] + 1.0)
                target -= np.outer(share, target[column])
                left -= np.outer(share, left[column])


def pooled(moments: Moments) -> Pooled:
    """Of the first seed's folds together."""
    total = moments.sums[0].sum(axis=0)
    found = standardised(moments.features, total)
    spread = spread_of(moments, total[None])[0]
    return Pooled(found.gram, found.products, found.scale > 0, float(total[0, 0]), spread)
