"""Looks at candidates on a sample of the base's rows, before anything is built for all of its keys.

Owns the sample and what a candidate seems worth on it. Must not know how many looks there are, or what is
made of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from rewright.engines.duckdb.errors import LakeError
from rewright.lake.augment.base import Base
from rewright.lake.augment.blocks import FEWEST_MATCHES, by_chance, offered_features, scaled, strongest
from rewright.lake.augment.candidates import Candidate
from rewright.lake.augment.leakage import TargetByKey, clearly_suspected
from rewright.lake.augment.standing import Part, Standing
from rewright.lake.augment.tables import TableFeatures

AT_ONCE = 32
"""Candidates that are looked at together; between two such lots a budget may end."""
T = TypeVar("T")


def batched(things: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    """Lots of so many, one after the other."""
    rest = iter(things)
    while some := list(islice(rest, most)):
        yield some


@dataclass(frozen=True, slots=True)
class Look:
    """What a candidate seems worth. `gain`: estimated R² over that of the base alone, on the sample;
    `coverage`: the share of the sample's rows that find a partner; `suspect`: one of its columns may give
    the target away.
    """

    candidate: Candidate
    gain: float
    coverage: float
    suspect: bool


@dataclass(frozen=True, slots=True)
class _Keys:
    """The sample's keys by one grouping: their hashes, sorted; which of them each row has; their sums."""

    hashes: Any
    of_row: Any
    by_key: TargetByKey


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a candidate's features are on the sample: `values`, `missing` by key of a grouping (None: too
    few rows find a partner), of which `offered` features they were chosen from.
    """

    candidate: Candidate
    grouping: int
    coverage: float
    suspect: bool
    offered: int
    values: Any
    missing: Any


class Sample:
    """So many rows of a base table, chosen by chance."""

    def __init__(self, base: Base, tables: TableFeatures, rows: int) -> None:
        self.rows = min(rows, base.rows)
        self._base = base
        self._tables = tables
        # the same rows in every run, so that answers do not change
        chosen = np.random.default_rng(0).choice(base.rows, self.rows, replace=False)
        self._chosen = np.sort(chosen)
        self._values = base.some_values(self._chosen)
        self._keys: dict[int, _Keys] = {}

    def look(self, candidate: Candidate) -> Look | None:
        """None: one of its tables is too large to look at a few of its keys alone.

        :raises LakeError: one of its tables cannot be read.
        """
        (found,) = self.looks([candidate])
        if isinstance(found, LakeError):
            raise found
        return found

    def looks(self, candidates: Sequence[Candidate]) -> list[Look | LakeError | None]:
        """As `look`, of several at once; an error in the place of one that cannot be read."""
        seen = [self._seen(candidate) for candidate in candidates]
        told = [one for one in seen if isinstance(one, _Seen)]
        gains = iter(self._gains(told))
        return [
            Look(one.candidate, next(gains), one.coverage, one.suspect) if isinstance(one, _Seen) else one
            for one in seen
        ]

    def _seen(self, candidate: Candidate) -> _Seen | LakeError | None:
        grouping = self._base.grouping(tuple((a, kind) for a, _, kind in candidate.hops[0].pairs))
        keys = self._of(grouping)
        try:
            found = self._tables.of_keys(candidate, keys.hashes)
        except LakeError as error:
            return error
        if found is None:
            return None
        raw, matched = found
        coverage = float(keys.by_key.counts[matched].sum() / self.rows)
        if coverage < FEWEST_MATCHES:
            return _Seen(candidate, grouping, coverage, suspect=False, offered=0, values=None, missing=None)
        offered = offered_features(raw, ())
        values, missing = scaled(raw[:, strongest(raw, offered, keys.by_key)])
        suspect = clearly_suspected(raw, keys.by_key)
        return _Seen(candidate, grouping, coverage, suspect, len(offered), values, missing)

    def _gains(self, seen: Sequence[_Seen]) -> list[float]:
        """The estimated R² with each over that of the base alone; 0 where there is no feature."""
        base = self._base
        telling = [one for one in seen if one.values is not None and one.values.shape[1]]
        parts = [
            Part(one.grouping, self._keys[one.grouping].of_row, one.values, one.missing) for one in telling
        ]
        standing = Standing(self._values, 2 * len(base.features), parts)
        chances = [partial(by_chance, offered=one.offered, keys=len(one.values)) for one in telling]
        worths = iter(standing.worth(range(len(parts)), chances))
        told = {id(one) for one in telling}
        return [next(worths).estimate - standing.now if id(one) in told else 0.0 for one in seen]

    def _of(self, grouping: int) -> _Keys:
        if grouping not in self._keys:
            base = self._base
            told, of_row = np.unique(base.row_groups(grouping)[self._chosen], return_inverse=True)
            # what stands after the features' columns
            targets = self._values[:, 2 * len(base.features) :]
            counts = np.bincount(of_row, minlength=len(told)).astype(float)
            sums, squares = (
                np.column_stack([np.bincount(of_row, y, len(told)) for y in told_of.T])
                for told_of in (targets, targets**2)
            )
            by_key = TargetByKey(counts, sums, squares, np.full(len(told), np.nan))
            self._keys[grouping] = _Keys(base.hashes(grouping)[told], of_row.reshape(-1), by_key)
        return self._keys[grouping]
