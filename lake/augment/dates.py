"""Rows of a table that are dated after the base's row: not known by its day, so not joined to it.

Owns the choice, where both sides have dates, between a table's rows as they are, its rows as of each base
row's day, and none of them. Must not know scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rewright.lake.augment.base import Base, KeyTuple
from rewright.lake.augment.candidates import Candidate
from rewright.lake.augment.encoding import Encoded
from rewright.lake.augment.leakage import Leak
from rewright.lake.augment.tables import TableFeatures
from rewright.lake.catalog.model import Column, Family

_FEW = 0.05
"""A chain's table may be dated after the base's row in this share of the rows."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """A candidate's features for the base's key values of `grouping`: `raw` (keys, features), NaN where
    missing; `matched`: which keys have any; `leaks`: features that are dated too late to count.
    """

    made: Encoded
    grouping: int
    raw: Any
    matched: Any
    leaks: dict[int, Leak]


def in_time(base: Base, tables: TableFeatures, candidate: Candidate) -> Aligned:
    """The candidate's features, of each base row those that were there by its day; a note tells what was
    dropped.

    :raises LakeError: a table cannot be read.
    """
    grouping = base.grouping(_keys(candidate))
    made = tables.encoded(candidate)
    columns = [f"v{i}" for i in range(len(made.features))]
    raw, matched = tables.aligned(candidate, made, grouping, columns)
    found = Aligned(made, grouping, raw, matched, {})
    time = _time_of(base, candidate, made)
    if time is None or base.date is None:
        return found
    at = next(i for i, f in enumerate(made.features) if f.column == time.name and f.how in {"", "latest"})
    joined, later = _later(base, grouping, raw[:, at])
    if not later:
        return found
    if len(candidate.hops) > 1:
        return replace(found, leaks=_leaks(made, later / joined) if later > _FEW * joined else {})
    by_day = base.grouping((*_keys(candidate), (base.date.name, "date")))
    # one row stands for each key and day
    first = np.unique(base.row_groups(by_day), return_index=True)[1]
    hashes = base.hashes(grouping)[base.row_groups(grouping)[first]]
    found_by_day = tables.as_of(candidate, time.name, hashes, base.days()[first])
    if found_by_day is None or not found_by_day[2].any():
        # no row is early enough, or the table is too large to be held: all of it is reported as too late
        return replace(found, leaks=_leaks(made, later / joined))
    base.notes.append(
        f"{candidate.table}: {later} of {joined} rows would get values dated after their own "
        f"{base.date.name}: the latest that is not after it is joined instead"
    )
    made, raw, matched = found_by_day
    return Aligned(made, by_day, raw, matched, {})


def _keys(candidate: Candidate) -> KeyTuple:
    return tuple((a, kind) for a, _, kind in candidate.hops[0].pairs)


def _time_of(base: Base, candidate: Candidate, made: Encoded) -> Column | None:
    """The date of the table's rows, where it clearly has one. Years are too coarse to be compared."""
    table = base.lake.index.tables[candidate.table]
    dates = [c for c in made.offered if c.meaning is Family.DATE]
    if made.time is not None:
        found = table.column(made.time)
        return found if found in dates else None
    return dates[0] if len(dates) == 1 and made.how == "row" else None


def _later(base: Base, grouping: int, days: Any) -> tuple[int, int]:
    """How many of the base's rows are joined to a dated row, and to one dated after their own day."""
    # times of one day count as that day
    theirs, own = np.floor(days)[base.row_groups(grouping)], base.days()
    both = np.isfinite(theirs) & np.isfinite(own)
    return int(both.sum()), int((theirs[both] > own[both]).sum())


def _leaks(made: Encoded, share: float) -> dict[int, Leak]:
    reason = "it is dated after the row it would be joined to: it exists only after the target"
    if share < 1:
        reason = f"in {share:.0%} of the rows {reason}"
    return {i: Leak(f.table, f.column, reason) for i, f in enumerate(made.features)}
