"""Keys that are the same only once they are cleaned: `PU-000123` and `pu 000123`, `5 Mar 2021` and a date.

Owns the comparison of a base table's cleaned keys with the sketches that indexing kept of other columns'. The
join graph, which compares values as they are written, cannot see these joins. Must not know targets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rewright.lake.augment.encoding import Kind, key_kind
from rewright.lake.augment.kept import key_sketch
from rewright.lake.catalog.model import Column, Family
from rewright.lake.index import LakeIndex
from rewright.lake.joins.scores import PairScore, joinable, overlap

Sketches = Mapping[tuple[str, str], tuple[Any, int]]
"""(table, column) -> bottom-k sketch and how many different values."""
Pairs = Mapping[tuple[str, str], PairScore]
"""(the base's column, the other's) -> how well they join."""
_SHARED = 0.3
"""The share of the smaller side's values that both have, cleaned."""


def respelled(
    index: LakeIndex,
    columns: Sequence[Column],
    hashes: Callable[[str, Kind], Any],
    spelled: Sketches,
    parts: Mapping[str, str],
) -> dict[str, dict[tuple[str, str], PairScore]]:
    """Tables that hold some of the base's keys in another spelling, with the pairs of columns.

    `columns`: the base's that may be keys; `hashes`: those of such a column's values as a key of a kind;
    `spelled`: sketches of cleaned keys that differ from what is written; `parts`: part of a union -> union.
    """
    found: dict[str, dict[tuple[str, str], PairScore]] = {}
    for a in columns:
        kind = key_kind(a, a)
        if kind == "number":
            continue
        mine, distinct = key_sketch(hashes(a.name, kind))
        written = np.array_equal(mine, index.sketch(a))
        # what is itself written in its own way may meet columns that are written plainly
        offered = spelled if written else {**_plain(index), **spelled}
        for part, column in _meeting(mine, offered):
            name = parts.get(part, part)
            b = index.tables[name].column(column)
            if b is None or name == a.table or not joinable(b) or key_kind(a, b) != kind:
                continue
            sketch, different = offered[part, column]
            shared = overlap(mine, sketch, distinct, different)
            if max(shared.a_in_b, shared.b_in_a) >= _SHARED:
                pair = index.scored(a, b, shared)
                pairs = found.setdefault(name, {})
                if (a.name, b.name) not in pairs or _share(pair) > _share(pairs[a.name, b.name]):
                    pairs[a.name, b.name] = pair
    return found


def better(pairs: Sequence[PairScore], spelled: Pairs) -> list[PairScore]:
    """Each pair of columns as it shares more, written or cleaned."""
    found = {(p.a.name, p.b.name): p for p in pairs}
    for at, pair in spelled.items():
        if at not in found or _share(pair) > _share(found[at]):
            found[at] = pair
    return list(found.values())


def _meeting(mine: Any, offered: Sketches) -> list[tuple[str, str]]:
    """The columns whose sketches share a value with `mine`: one look at all of them."""
    held = [(key, sketch) for key, (sketch, _) in offered.items() if len(sketch)]
    if not held or not len(mine):
        return []
    sizes = np.asarray([len(sketch) for _, sketch in held])
    hits = np.isin(np.concatenate([sketch for _, sketch in held]), mine)
    some = np.add.reduceat(hits, np.cumsum(sizes) - sizes) > 0
    return [key for (key, _), hit in zip(held, some, strict=True) if hit]


def _plain(index: LakeIndex) -> dict[tuple[str, str], tuple[Any, int]]:
    """All columns' sketches as they are written."""
    told: dict[tuple[str, str], tuple[Any, int]] = {}
    for (name, column_name), sketch in index.storage.sketches():
        table = index.tables.get(name)
        column = table.column(column_name) if table is not None else None
        if column is not None and column.family in {Family.TEXT, Family.DATE}:
            told[name, column_name] = (sketch, column.distinct)
    return told


def _share(pair: PairScore) -> float:
    return max(pair.overlap.a_in_b, pair.overlap.b_in_a)
