"""Judging candidates: features per key value, leaks taken out, sums of products put together for any set of
tables.

Owns the blocks (a candidate's features aligned with the base's key values), the joint moments of several, and
the count of what was computed. Must not know how sets are searched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rewright.lake.augment.base import Base, Grouped
from rewright.lake.augment.blocks import (
    FEWEST_MATCHES,
    Block,
    interleaved,
    offered_features,
    scaled,
    strongest,
)
from rewright.lake.augment.candidates import Candidate
from rewright.lake.augment.carrying import Carrying
from rewright.lake.augment.dates import in_time
from rewright.lake.augment.encoding import Aggregates, Encoded
from rewright.lake.augment.estimating import Pooled, pooled
from rewright.lake.augment.leakage import (
    Leak,
    TargetByKey,
    dated_after,
    leaks_of,
    leaks_together,
    of_whole_columns,
    ranks,
)
from rewright.lake.augment.metric import SEEDS, Evaluation, Moments, evaluate
from rewright.lake.augment.presence import given_by_presence
from rewright.lake.augment.sampling import Sample
from rewright.lake.augment.tables import TableFeatures
from rewright.lake.augment.text_leaks import named_classes
from rewright.lake.catalog.model import Family

_SAMPLE = 4_000
"""Key values on which an estimate is made, at most."""


class Evaluator:
    """Evaluates sets of candidates for one base table; counts full evaluations and estimates."""

    def __init__(self, base: Base, aggregates: Aggregates = "all") -> None:
        self.base = base
        self._blocks: dict[str, Block] = {}
        self._targets: dict[int, TargetByKey] = {}
        self._tables = TableFeatures(base, aggregates)
        self.evaluations = 0
        self.estimates = 0

    def block(self, candidate: Candidate) -> Block:
        """The candidate's features by key: one aggregation."""
        if candidate.path not in self._blocks:
            self._blocks[candidate.path] = self._made(candidate)
        return self._blocks[candidate.path]

    def sample(self, rows: int) -> Sample:
        """So many rows of the base, on which candidates are looked at before they are built."""
        return Sample(self.base, self._tables, rows)

    def carrying(self) -> Carrying:
        """Which keys of further tables can carry anything to the base."""
        return Carrying(self.base, self._tables)

    def evaluate(self, blocks: Sequence[Block]) -> Evaluation:
        """The full metric for the base joined with all blocks."""
        self.evaluations += 1
        return evaluate(self.moments(blocks))

    def estimate(self, blocks: Sequence[Block]) -> float:
        """R² by generalised cross-validation, on a sample of key values where there are many."""
        return self.estimated(self.pooled(blocks))

    def estimated(self, sums: Pooled, features: Sequence[int] | None = None) -> float:
        """R² by generalised cross-validation with these features (None: all) of what `pooled` gave."""
        self.estimates += 1
        return sums.estimate(features)

    def pooled(self, blocks: Sequence[Block]) -> Pooled:
        """The base's features, then each block's, for estimates of any of them."""
        return pooled(self._totals(blocks))

    def moments(self, blocks: Sequence[Block]) -> Moments:
        """The moments of the base's features, then each block's, then the targets."""
        base = self.base
        if not blocks:
            return Moments(base.moments, len(base.features), base.targets)
        groupings = tuple(sorted({b.grouping for b in blocks}))
        told = base.grouped(groupings)
        found = [self._sums(one, groupings, blocks, base.moments[s]) for s, one in enumerate(told)]
        return Moments(np.stack(found), self._width(blocks), base.targets)

    def _totals(self, blocks: Sequence[Block]) -> Moments:
        """As `moments`, over all rows at once, and on a sample of key values where there are many: enough for
        an estimate.
        """
        base = self.base
        own = base.moments[0].sum(axis=0, keepdims=True)
        if not blocks:
            return Moments(own[None], len(base.features), base.targets)
        groupings = tuple(sorted({b.grouping for b in blocks}))
        found = self._sums(base.totals(groupings), groupings, blocks, own, sample=True)
        return Moments(found[None], self._width(blocks), base.targets)

    def _width(self, blocks: Sequence[Block]) -> int:
        return len(self.base.features) + sum(len(b.features) for b in blocks)

    def auc(self, blocks: Sequence[Block], evaluation: Evaluation) -> float | None:
        """Area under the ROC curve of the out-of-fold predictions; of classes the mean. None for a number."""
        base = self.base
        if not base.classes:
            return None
        rows = base.row_values()
        at, q = [base.row_groups(b.grouping) for b in blocks], 2 * len(base.features)
        x = [np.ones((base.rows, 1)), rows[:, :q]]
        # values by key, spread over the rows that have the key
        for block, groups in zip(blocks, at, strict=True):
            x.append(interleaved(block.values, block.missing)[groups])
        features = np.hstack(x)
        found = []
        for s in range(len(SEEDS)):
            folds = base.folds(SEEDS[s])
            for t in range(base.targets):
                # a residual is the target less its prediction: without the target's own column, and with the
                # sign turned, the prediction is left
                vectors = evaluation.residuals[s, folds, :, t]
                score = -(features * vectors[:, : features.shape[1]]).sum(axis=1)
                found.append(_auc(score, rows[:, q + t] > 0))
        return float(np.mean(found))

    def _sums(
        self,
        grouped: Grouped,
        groupings: tuple[int, ...],
        blocks: Sequence[Block],
        own: Any,
        *,
        sample: bool = False,
    ) -> Any:
        """(folds, d, d); `own`: (folds, ...) the base's own moments."""
        q, t = 2 * len(self.base.features), self.base.targets
        # each feature has two columns: its value, and whether it is missing
        width = 2 * sum(len(b.features) for b in blocks)
        found = np.zeros((len(own), 1 + q + width + t, 1 + q + width + t))
        parts, varied = zip(*(_varied(b) for b in blocks), strict=True)
        # columns that never vary stay 0 and need no products
        added: Any = 1 + q + np.flatnonzero(np.concatenate(varied))
        # the constant, the base's own features, and the targets: their products are known
        outside = np.r_[0 : 1 + q, 1 + q + width : 1 + q + width + t]
        used: Any = np.ones(len(grouped.folds), dtype=bool)
        if sample and len(used) > 2 * _SAMPLE:
            used = np.random.default_rng(0).random(len(used)) < _SAMPLE / len(used)
        share = float(grouped.counts[used].sum() / grouped.counts.sum())
        for f in range(len(own)):
            at = np.flatnonzero((grouped.folds == f) & used)
            told = [grouped.groups[at, groupings.index(b.grouping)] for b in blocks]
            x = np.hstack([part[groups] for part, groups in zip(parts, told, strict=True)])
            n = grouped.counts[at]
            found[f][np.ix_(outside, outside)] = own[f] * share
            found[f][np.ix_(added, added)] = (x * n[:, None]).T @ x
            # sums of rows by key are enough: a block's values are the same for all rows of a key
            cross = x.T @ np.column_stack([n, grouped.sums[at]])
            found[f][np.ix_(added, outside)] = cross
            found[f][np.ix_(outside, added)] = cross.T
        return found

    def _made(self, candidate: Candidate) -> Block:
        base = self.base
        found = in_time(base, self._tables, candidate)
        made, grouping, raw, matched = found.made, found.grouping, found.raw, found.matched
        columns = [f"v{i}" for i in range(len(made.features))]
        by_key = self._target_by_key(grouping)
        leaks = leaks_of(base.lake.index, base.target, made.features, raw, matched, by_key)
        leaks.update(named_classes(made.features, raw, by_key))
        leaks = given_by_presence(made.features, raw, matched, by_key) | leaks
        leaks.update(leaks_together(made.features, raw, by_key, leaks))
        leaks.update(self._later(made, raw, by_key))
        leaks.update(found.leaks)
        # a column is left out as a whole, with everything that was made of it
        leaks = of_whole_columns(made.features, leaks)
        coverage = float(by_key.counts[matched].sum() / base.rows)
        # of a table that hardly matches only the leaks are told
        offered = offered_features(raw, set(leaks)) if coverage >= FEWEST_MATCHES else []
        kept = strongest(raw, offered, by_key)
        values, missing = scaled(raw[:, kept])
        told = {(x.table, x.column): x for x in leaks.values()}
        return Block(
            candidate, grouping, made, tuple(made.features[i] for i in kept),
            tuple(columns[i] for i in kept),
            values, missing, tuple(told.values()), coverage, made.left_out, made.time,
            len(offered),
        )  # fmt: skip

    def _target_by_key(self, grouping: int) -> TargetByKey:
        if grouping not in self._targets:
            self._targets[grouping] = TargetByKey(*self.base.by_group(grouping))
        return self._targets[grouping]

    def _later(self, made: Encoded, raw: Any, by_key: TargetByKey) -> dict[int, Leak]:
        """Date columns after the base's own date; where they date the rows, all columns of the table."""
        index = self.base.lake.index
        found: dict[int, Leak] = {}
        for i, feature in enumerate(made.features):
            column = index.tables[feature.table].column(feature.column)
            if column is None or column.meaning is not Family.DATE or not dated_after(raw[:, i], by_key):
                continue
            dates = [c for c in index.tables[feature.table].columns if c.meaning is Family.DATE]
            # the only date of a table dates its rows; one of several may be said of something else
            whole = feature.column == made.time or len(dates) == 1
            reason = "it is dated after the row it would be joined to: it exists only after the target"
            for j, other in enumerate(made.features):
                if j == i or whole:
                    found[j] = Leak(other.table, other.column, reason)
        return found


def _varied(block: Block) -> tuple[Any, Any]:
    """The block's moment columns without the flags that are never set, whose products are 0; and which those
    are, (2 features,).
    """
    varied = interleaved(np.ones((1, len(block.features))), block.missing.any(axis=0)[None])[0] > 0
    return interleaved(block.values, block.missing)[:, varied], varied


def _auc(score: Any, positive: Any) -> float:
    """The share of pairs of a positive and a negative that the score orders rightly, ties half
    (Mann-Whitney).
    """
    n, m = int(positive.sum()), int((~positive).sum())
    if n == 0 or m == 0:
        return 0.5
    return float((ranks(score)[positive].sum() - n * (n + 1) / 2) / (n * m))
