"""Keys that are the same only once they are cleaned: `PU-000123` and `pu 000123`, `5 Mar 2021` and a date.

Owns the comparison of a base table's cleaned keys with the sketches that indexing kept of other columns'. The
join graph, which compares values as they are written, cannot see these joins. Must not know targets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewright.lake import names
from rewright.lake.augment.encoding import Kind, key_kind, key_kinds
from rewright.lake.augment.kept import MARKS, key_sketch
from rewright.lake.augment.parts import PARTS, PartKind, is_cut, is_whole
from rewright.lake.catalog.model import Column, Family
from rewright.lake.index import LakeIndex
from rewright.lake.joins.meeting import Meeting
from rewright.lake.joins.scores import Overlap, PairScore, joinable, overlap

Sketches = Mapping[tuple[str, str], tuple[Any, int]]
"""(table, column) -> bottom-k sketch and how many different values."""
Pairs = Mapping[tuple[str, str], PairScore]
"""(the base's column, the other's) -> how well they join."""
_SMALL = 5000
_SHARED = 0.3
"""The share of the smaller side's values that both have, cleaned."""
_PARTS_SHARED = 0.8
"""The share of the first parts of a column's codes that the other must have: some are there by chance."""
_FEW_KINDS = 12
"""Fewer different first parts are the same in many columns."""
_KINDS = {mark: kind for kind, mark in MARKS.items()}


@dataclass(frozen=True, slots=True)
class PartPair(PairScore):
    """A pair of columns, of one of which the first parts are compared."""

    kind: PartKind

    @classmethod
    def of(cls, pair: PairScore, kind: PartKind) -> PartPair:
        return cls(pair.a, pair.b, pair.schema, pair.overlap, pair.s, pair.quality, kind)


def kind_of(pair: PairScore) -> Kind:
    """As what the two columns are compared."""
    return pair.kind if isinstance(pair, PartPair) else key_kind(pair.a, pair.b)


class Spelled:
    """Sketches of the lake's keys, to be asked again and again which share a value with others."""

    def __init__(self, index: LakeIndex, spelled: Sketches) -> None:
        """`spelled`: of cleaned keys that differ from what is written."""
        self._index = index
        self._cleaned = _Values(spelled)
        self._all: _Values | None = None
        self._labelled: _Values | None = None
        self._numbers: _Values | None = None

    def meeting(self, mine: Any, *, written: bool) -> dict[tuple[str, str], tuple[Any, int]]:
        """The columns whose sketches share a value with `mine`. `written`: those alone that are spelled in
        their own way; what is itself spelled in its own way may meet columns that are written plainly.
        """
        if written:
            return self._cleaned.meeting(mine)
        if self._all is None:
            self._all = _Values({**_plain(self._index), **self._cleaned.sketches})
        return self._all.meeting(mine)

    def labelled(self, mine: Any) -> dict[tuple[str, str], tuple[Any, int]]:
        """The columns whose values without their label share one with `mine`."""
        if self._labelled is None:
            told = self._cleaned.sketches
            self._labelled = _Values({key: told[key] for key in told if key[1].startswith(MARKS["bare"])})
        return self._labelled.meeting(mine)

    def numbers(self, mine: Any) -> dict[tuple[str, str], tuple[Any, int]]:
        """The columns of integers that share a value, as it is written, with `mine`."""
        if self._numbers is None:
            sketches = self._index.sketches()
            whole = (c for c in self._index.columns if c.family is Family.INTEGER)
            self._numbers = _Values(
                {c.key: (sketches[c.key], c.distinct) for c in whole if c.key in sketches}
            )
        return self._numbers.meeting(mine)


class _Values:
    """Sketches with the columns that they are of, to be asked which share a value."""

    def __init__(self, sketches: Sketches) -> None:
        self.sketches = sketches
        self._meeting = Meeting({key: sketch for key, (sketch, _) in sketches.items()})

    def meeting(self, mine: Any) -> dict[tuple[str, str], tuple[Any, int]]:
        return {key: self.sketches[key] for key in self._meeting.of(mine)}


def respelled(
    index: LakeIndex,
    columns: Sequence[Column],
    hashes: Callable[[str, Kind], Any],
    spelled: Spelled,
    parts: Mapping[str, str],
) -> dict[str, dict[tuple[str, str], PairScore]]:
    """Tables that hold some of a table's keys in another spelling, with the pairs of columns.

    `columns`: the table's that may be keys; `hashes`: those of such a column's values as a key of a kind;
    `parts`: part of a union -> union. Raises LakeError: the table cannot be read.
    """
    found: dict[str, dict[tuple[str, str], PairScore]] = {}
    for a, kind in ((column, kind) for column in columns for kind in key_kinds(column)):
        mine, distinct, offered = _meeting(index, a, kind, hashes, spelled)
        for part, column in offered:
            name = parts.get(part, part)
            # a column cleaned in another way than usual is sketched under a marked name
            mark, plain = _unmarked(column)
            b = index.tables[name].column(plain)
            if b is None or name == a.table or not joinable(b):
                continue
            compared = _compared(a, b, kind, mark)
            if compared is None:
                continue
            sketch, different = offered[part, column]
            shared = overlap(mine, sketch, distinct, different)
            if _is_shared(a, b, shared, compared, (distinct, different)):
                pair = index.scored(a, b, shared)
                for cut in (one for one in PARTS if one == compared):
                    pair = PartPair.of(pair, cut)
                pairs = found.setdefault(name, {})
                # compared in several ways: the one that shares most
                if (a.name, b.name) not in pairs or _share(pair) > _share(pairs[a.name, b.name]):
                    pairs[a.name, b.name] = pair
    return found


def _meeting(
    index: LakeIndex, a: Column, kind: Kind, hashes: Callable[[str, Kind], Any], spelled: Spelled
) -> tuple[Any, int, Mapping[tuple[str, str], tuple[Any, int]]]:
    """The sketch of a column's values as a key of a kind, how many there are, and the sketches that share one
    with it. Raises LakeError: the column's table cannot be read.
    """
    if kind == "number":
        # numbers are written in one way, but with a label
        return index.sketch(a), a.distinct, spelled.labelled(index.sketch(a))
    mine, distinct = key_sketch(hashes(a.name, kind))
    written = kind not in PARTS and np.array_equal(mine, index.sketch(a))
    offered = spelled.numbers(mine) if kind == "bare" or kind in PARTS else {}
    return mine, distinct, offered | spelled.meeting(mine, written=written)


def _unmarked(column: str) -> tuple[Kind | None, str]:
    """As what a column is sketched (None: as it is), and its name."""
    kind = _KINDS.get(column[:1])
    return kind, column if kind is None else column[1:]


def _compared(a: Column, b: Column, kind: Kind, mark: Kind | None) -> Kind | None:
    """As what two columns are compared of which one is looked at as a key of a kind and the other was
    sketched as `mark`; None: these are not to be compared so.
    """
    for part in PARTS:
        if kind == part:
            whole = mark is None and not is_cut(b, part) and (b.numeral or is_whole(b, part))
            return part if whole else None
        if mark == part:
            return part if kind == "text" and not is_cut(a, part) and is_whole(a, part) else None
    # what was looked at as a number meets bare codes, or texts
    expected = kind if kind not in {"number", "text"} else "bare" if mark == "bare" else "text"
    if key_kind(a, b) != expected:
        return None
    if expected == "bare" and (a.numeral or b.numeral) and not _same_subject(a, b):
        return None
    return expected


def _is_shared(a: Column, b: Column, shared: Overlap, kind: Kind, different: tuple[int, int]) -> bool:
    """Do the columns share enough of their values? `different`: how many each has as such a key."""
    for part in PARTS:
        if kind == part:
            of_a = is_cut(a, part)
            contained, parts = (shared.a_in_b, different[0]) if of_a else (shared.b_in_a, different[1])
            telling = _same_subject(a, b) or not (parts < _FEW_KINDS or a.numeral or b.numeral)
            return telling and contained >= _PARTS_SHARED
    return max(shared.a_in_b, shared.b_in_a) >= _SHARED


def better(pairs: Sequence[PairScore], spelled: Pairs) -> list[PairScore]:
    """Each pair of columns as it shares more, written or cleaned."""
    found = {(p.a.name, p.b.name): p for p in pairs}
    for at, pair in spelled.items():
        if at not in found or _share(pair) > _share(found[at]):
            found[at] = pair
    return list(found.values())


def _plain(index: LakeIndex) -> dict[tuple[str, str], tuple[Any, int]]:
    """All columns' sketches as they are written."""
    sketches = index.sketches()
    texts = (c for c in index.columns if c.family in {Family.TEXT, Family.DATE})
    return {c.key: (sketches[c.key], c.distinct) for c in texts if c.key in sketches}


def _same_subject(a: Column, b: Column) -> bool:
    """Numbers are the same by chance: are these called alike, or too large for that?"""
    one, two = (set(names.words(c.name)) - names.KEY_WORDS for c in (a, b))
    large = ((c.bounds() or (0, 0))[1] > _SMALL for c in (a, b) if c.numeral)
    return one == two or any(large)


def _share(pair: PairScore) -> float:
    return max(pair.overlap.a_in_b, pair.overlap.b_in_a)
