"""Quick estimates of what features are worth: one regression over all rows, for ranking only.

Owns the standardised sums of a set of features, R² by generalised cross-validation of any of them, and the
order in which they fit best. Must not know tables, keys or SQL. Generalised cross-validation: Golub, Heath
and Wahba 1979.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewright.lake.augment.metric import ALPHAS, Moments, spread_of, standardised

_TELLS_NOTHING = 1e-12
_SUBSETS = (1, 3, 8, 16)
"""How many of a table's features are tried; all of them where they are no more."""


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
        penalised = values + ALPHAS[:, None]
        kept = values / penalised
        # each direction takes as many degrees of freedom as the penalty leaves of it
        freedom = self.rows - 1.0 - kept.sum(axis=1)
        explained = ((2.0 - kept) / penalised) @ turned
        free = freedom >= 1.0
        # more features than rows can tell apart
        if not free.any():
            return -math.inf
        best = (self.rows * (self.spread - explained[free]) / freedom[free, None] ** 2).min(axis=0)
        return float(1.0 - (best * self.rows).sum() / self.spread.sum())

    def ordered(
        self, given: Sequence[int], offered: Sequence[int], most: int
    ) -> tuple[list[int], list[float]]:
        """Offered features in the order in which each fits best what those before it leave (orthogonal
        matching pursuit); and R² by generalised cross-validation, at a penalty of 1, with each and those
        before it.

        What is chosen is eliminated from the Gram matrix, with that penalty on each pivot (Goodnight 1979:
        the sweep operator): what is left of the target comes with it, and no further regression is solved.
        """
        left, target = self.gram.copy(), self.products.copy()
        unexplained = self.spread.astype(float)
        freedom = self.rows - 1.0
        for i in given:
            freedom -= self._eliminate(left, target, unexplained, i)
        found: list[int] = []
        told: list[float] = []
        rest = list(offered)
        while rest and len(found) < most:
            at = 2 * np.asarray(rest)
            strength = (target**2).sum(axis=1)
            # a feature is as strong as the stronger of its two columns
            scores = np.maximum(strength[at], strength[at + 1])
            best = int(np.argmax(scores))
            if scores[best] < _TELLS_NOTHING:
                break
            found.append(rest.pop(best))
            freedom -= self._eliminate(left, target, unexplained, found[-1])
            told.append(
                float(1.0 - (unexplained.sum() * (self.rows / freedom) ** 2) / self.spread.sum())
                if freedom >= 1.0
                else -math.inf
            )
        return found, told

    def best_of(self, given: int, chance: Callable[[int], float]) -> list[tuple[float, list[int]]]:
        """Which of the features after the first `given` to take beside those: the estimate with them, less
        `chance` (what the best so many explain by chance), and their numbers, for each choice that was
        estimated.
        """
        first = list(range(given))
        offered = list(range(given, self.features))
        if len(offered) == 1:
            return [(self.estimate(), offered)]
        order, told = self.ordered(first, offered, _SUBSETS[-1])
        sizes = sorted({min(size, len(order)) for size in _SUBSETS} - {0})
        # of equals the fewest
        k = max(sizes, key=lambda k: (told[k - 1] - chance(k), -k), default=0)
        found = [(self.estimate([*first, *order[:k]]) - chance(k), order[:k])]
        if len(offered) <= _SUBSETS[-1] and k < len(offered):
            # all of them, of which nothing was chosen by the target
            found.append((self.estimate(), offered))
        return found

    def _eliminate(self, left: Any, target: Any, unexplained: Any, feature: int) -> float:
        """Take a feature's two columns out of what is left of the Gram matrix, of the products with the
        targets and of the targets' spread; returns the degrees of freedom they take.
        """
        freedom = 0.0
        for column in (2 * feature, 2 * feature + 1):
            if self.varied[column]:
                pivot = left[column, column] + 1.0
                share = left[:, column] / pivot
                unexplained -= target[column] ** 2 / pivot
                freedom += 1.0 - 1.0 / pivot
                target -= np.outer(share, target[column])
                left -= np.outer(share, left[column])
        return freedom


def pooled(moments: Moments) -> Pooled:
    """Of the first seed's folds together."""
    total = moments.sums[0].sum(axis=0)
    found = standardised(moments.features, total)
    spread = spread_of(moments, total[None])[0]
    return Pooled(found.gram, found.products, found.scale > 0, float(total[0, 0]), spread)
