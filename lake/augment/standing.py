"""What each of many tables would add beside those chosen, estimated for all of them at once.

Owns the standardised columns of all tables offered, and what the columns chosen so far leave of their sums of
products: what is chosen is eliminated once, for all tables (Goodnight 1979: the sweep operator, here by
blocks). A table may be worth more beside another than alone, so that all are looked at each time. Must not
know tables' names, keys or SQL, or what is made of the estimates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewright.lake.augment.base import Base
from rewright.lake.augment.blocks import Block, interleaved
from rewright.lake.augment.metric import CONSTANT

_ROWS = 8_000
"""Rows on which is estimated, where there are more and their keys are as many."""
_FEWEST_ROWS = 1_000
_CELLS = 8_000_000
"""Numbers that all columns on these rows have, about; of many columns fewer rows are looked at."""
_TELLS_NOTHING = 1e-12
SIZES = (1, 3, 8, 16)
"""How many of a table's features are tried; all of them where they are no more."""


@dataclass(frozen=True, slots=True)
class Worth:
    """A block's features `chosen`, and R² with them beside what was taken, less what the best so many explain
    by chance.
    """

    estimate: float
    chosen: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A table's features by key of one grouping of the rows. `of_row`: (rows,) each row's key, all from 0 on;
    `values`, `missing`: (keys, features), 0 where missing and 1 there.
    """

    grouping: int
    of_row: Any
    values: Any
    missing: Any


@dataclass(slots=True)
class _Side:
    """The columns of all blocks that are joined by one grouping.

    `order`, `first`: the rows sorted by key, and where each key begins; `x`: (keys, columns) standardised
    over the rows; `before`: (columns taken, columns) what those taken have in common with each.
    """

    order: Any
    first: Any
    of_row: Any
    x: Any
    before: Any

    def by_key(self, rows: Any) -> Any:
        """(keys, ...): sums over each key's rows."""
        return np.add.reduceat(rows[self.order], self.first, axis=0)


@dataclass(slots=True)
class _Held:
    """A block's columns: which of its side's they are, of which feature each is (twice the feature's
    number, and one more for the flag of missing values); `gram`, `products`: what the columns taken leave
    of them.
    """

    side: int
    at: slice
    places: Any
    gram: Any
    products: Any


class Standing:
    """Estimates of tables beside the base's own features and the tables taken."""

    def __init__(self, values: Any, own: int, parts: Sequence[Part]) -> None:
        """`values`: (rows, own + targets) the base's own features and flags, then the targets."""
        y = values[:, own:] - values[:, own:].mean(axis=0)
        self.rows = float(len(values))
        self.spread = (y**2).sum(axis=0)
        self.unexplained = self.spread.copy()
        self.freedom = self.rows - 1.0
        self._sides: list[_Side] = []
        self._held: list[_Held] = [None] * len(parts)  # type: ignore[list-item] # each is filled below
        for grouping in dict.fromkeys(part.grouping for part in parts):
            self._add({i: part for i, part in enumerate(parts) if part.grouping == grouping}, y)
        z = _standard(values[:, :own], np.ones(len(values)), self.rows)
        # Columns that are constant on these rows: nothing is left of them to eliminate.
        z = z[:, (z != 0).any(axis=0)]
        self._eliminate(z, z.T @ z, z.T @ y, [np.empty((0, z.shape[1])) for _ in self._sides])

    @classmethod
    def of(cls, base: Base, blocks: Sequence[Block]) -> Standing:
        """Of blocks beside a base's own features, on all of its rows or a sample."""
        width = sum(len(block.features) for block in blocks)
        rows = _rows_of(base, {block.grouping for block in blocks}, width)
        keys: dict[int, tuple[Any, Any]] = {}
        parts = []
        for block in blocks:
            if block.grouping not in keys:
                told, of_row = np.unique(base.row_groups(block.grouping)[rows], return_inverse=True)
                keys[block.grouping] = told, of_row.reshape(-1)
            told, of_row = keys[block.grouping]
            parts.append(Part(block.grouping, of_row, block.values[told], block.missing[told]))
        return cls(base.some_values(rows), 2 * len(base.features), parts)

    def _add(self, parts: Mapping[int, Part], y: Any) -> None:
        """The parts, by their numbers, that are joined by one grouping, as a side of columns."""
        of_row = next(iter(parts.values())).of_row
        counts = np.bincount(of_row).astype(float)
        first = np.cumsum(counts).astype(np.int64) - counts.astype(np.int64)
        told = [_columns(part, counts, self.rows) for part in parts.values()]
        x = np.hstack([columns for columns, _ in told])
        side = _Side(np.argsort(of_row, kind="stable"), first, of_row, x, np.empty((0, x.shape[1])))
        products = x.T @ side.by_key(y)
        start = 0
        for i, (columns, places) in zip(parts, told, strict=True):
            at = slice(start, start := start + columns.shape[1])
            gram = columns.T @ (columns * counts[:, None])
            self._held[i] = _Held(len(self._sides), at, places, gram, products[at])
        self._sides.append(side)

    def take(self, block: int, features: Sequence[int]) -> None:
        """Put these features of a block to what is chosen."""
        held = self._held[block]
        side = self._sides[held.side]
        mine = np.flatnonzero(np.isin(held.places // 2, list(features)))
        told = np.arange(held.at.start, held.at.stop)[mine]
        z = side.x[:, told][side.of_row]
        known = [side.before[:, told]] * len(self._sides)
        self._eliminate(z, held.gram[np.ix_(mine, mine)], held.products[mine], known)

    def _eliminate(self, z: Any, gram: Any, products: Any, known: Sequence[Any]) -> None:
        """Take columns out of all that is left, at a penalty of 1. `z`: (rows, columns); `gram`, `products`:
        theirs, as those before leave them; `known`: what those before have in common with them.
        """
        if not z.shape[1]:
            return
        root = np.linalg.cholesky(gram + np.eye(len(gram)))
        told = np.linalg.solve(root, products)
        self.unexplained = self.unexplained - (told**2).sum(axis=0)
        self.freedom -= float((1.0 - 1.0 / np.diagonal(root) ** 2).sum())
        common = []
        for side, before in zip(self._sides, known, strict=True):
            cross = side.by_key(z).T @ side.x - before.T @ side.before
            common.append(np.linalg.solve(root, cross))
            side.before = np.vstack([side.before, common[-1]])
        for held in self._held:
            mine = common[held.side][:, held.at]
            held.gram = held.gram - mine.T @ mine
            held.products = held.products - mine.T @ told

    def worth(self, blocks: Sequence[int], chances: Sequence[Any]) -> list[Worth]:
        """Of each of these blocks the features that fit best what is left to explain. `chances`: of each
        block, by how many are chosen, what the best so many explain by chance, as a share of what is left.
        """
        order, told = self._ordered([self._held[i] for i in blocks])
        left = 1.0 - max(self.now, 0.0)
        found = []
        for n, i in enumerate(blocks):
            steps = int(np.isfinite(told[n]).sum())
            features = len(np.unique(self._held[i].places // 2))
            sizes = {min(size, steps) for size in SIZES} - {0}
            taken = [(float(told[n][k - 1]) - left * chances[n](k), -k) for k in sizes]
            best, k = max(taken, default=(-math.inf, 0))
            if steps and features <= SIZES[-1] and float(told[n][steps - 1]) > best:
                # all of them that tell anything: nothing was chosen by the target
                best, k = float(told[n][steps - 1]), -steps
            found.append(Worth(best, tuple(int(f) for f in order[n][:-k])))
        return found

    @property
    def now(self) -> float:
        """R² with what is taken so far."""
        return float(self._r2(self.unexplained.sum(), self.freedom))

    def _r2(self, unexplained: Any, freedom: Any) -> Any:
        """By generalised cross-validation, at a penalty of 1."""
        return 1.0 - unexplained * (self.rows / freedom) ** 2 / self.spread.sum()

    def _ordered(self, held: Sequence[_Held]) -> tuple[Any, Any]:
        """Of each block its features in the order in which each fits best what those before it leave, and
        R² with each and those before it (-inf: there is none): orthogonal matching pursuit, of all blocks
        side by side.
        """
        gram, products, column_of = _side_by_side(held, len(self.spread))
        blocks, columns, features = len(held), gram.shape[1], column_of.shape[1] // 2
        every = np.arange(blocks)
        unexplained = np.tile(self.unexplained, (blocks, 1))
        freedom = np.full(blocks, self.freedom)
        open_: Any = np.ones((blocks, features), dtype=bool)
        most = min(SIZES[-1], features)
        factors, used = np.zeros((blocks, columns, 2 * most)), 0
        order: Any = np.zeros((blocks, most), dtype=np.int64)
        told = np.full((blocks, most), -np.inf)
        going: Any = np.ones(blocks, dtype=bool)
        for step in range(most):
            strength = np.take_along_axis((products**2).sum(axis=2), column_of, axis=1)
            scores = np.where(open_, np.maximum(strength[:, 0::2], strength[:, 1::2]), -1.0)
            best = scores.argmax(axis=1)
            going &= scores[every, best] >= _TELLS_NOTHING
            if not going.any():
                break
            order[:, step] = best
            open_[every, best] = False
            for column in (column_of[every, 2 * best], column_of[every, 2 * best + 1]):
                # what those before leave of the column: the others' are not worked out
                mine = gram[every, :, column]
                mine = mine - (factors[:, :, :used] @ factors[every, column, :used, None])[:, :, 0]
                pivot = mine[every, column] + 1.0
                factors[:, :, used] = mine / np.sqrt(pivot)[:, None]
                target = products[every, column]
                unexplained -= target**2 / pivot[:, None]
                freedom -= 1.0 - 1.0 / pivot
                products -= (mine / pivot[:, None])[:, :, None] * target[:, None, :]
                used += 1
            there = going & (freedom >= 1.0)
            told[there, step] = self._r2(unexplained[there].sum(axis=1), freedom[there])
        return order, told


def _side_by_side(held: Sequence[_Held], targets: int) -> tuple[Any, Any, Any]:
    """(blocks, columns, columns) Gram matrices, (blocks, columns, targets) products with the targets, and
    (blocks, 2 features) the column of each feature's value and flag. The last column is empty: it stands for
    a flag that is never set.
    """
    width = max((len(one.places) for one in held), default=0)
    features = max((int(one.places.max(initial=-1)) // 2 + 1 for one in held), default=0)
    gram = np.zeros((len(held), width + 1, width + 1))
    products = np.zeros((len(held), width + 1, targets))
    column_of = np.full((len(held), 2 * features), width)
    for n, one in enumerate(held):
        own = len(one.places)
        gram[n, :own, :own], products[n, :own] = one.gram, one.products
        column_of[n, one.places] = np.arange(own)
    return gram, products, column_of


def _rows_of(base: Base, groupings: set[int], width: int) -> Any:
    """The rows on which is estimated: all of them where they are held and of few keys, else some."""
    keys = max((base.groups(grouping) for grouping in groupings), default=0)
    most = max(_FEWEST_ROWS, min(_ROWS, _CELLS // max(width, 1)))
    if base.rows <= most or (base.held and keys <= most):
        return np.arange(base.rows)
    return np.sort(np.random.default_rng(0).choice(base.rows, most, replace=False))


def _columns(part: Part, counts: Any, rows: float) -> tuple[Any, Any]:
    """A part's columns that vary, standardised over the rows, and which they are (see `_Held`)."""
    columns = _standard(interleaved(part.values, part.missing), counts, rows)
    places = np.flatnonzero((columns != 0).any(axis=0))
    return columns[:, places], places


def _standard(columns: Any, counts: Any, rows: float) -> Any:
    """Values (0 where missing) and flags side by side: filled with the mean, centred and scaled over the
    rows, of which each line stands for `counts`; 0 where a column never varies.
    """
    missing = columns[:, 1::2]
    filled = np.maximum(rows - counts @ missing, 1.0)
    centred = columns.copy()
    centred[:, 0::2] -= (counts @ columns[:, 0::2]) / filled
    centred[:, 0::2] *= 1.0 - missing
    centred[:, 1::2] -= (counts @ missing) / rows
    variances = (counts @ centred**2) / rows
    varied = variances > CONSTANT
    return centred * np.where(varied, 1.0 / np.sqrt(np.where(varied, variances, 1.0)), 0.0)
