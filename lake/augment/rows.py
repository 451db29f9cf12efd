"""A table's rows as arrays: its possible keys and its texts as hashes, its numbers as they are.

Owns the one statement by which a table is read, and the aggregation of the rows by whatever key: what
`encoded` says in SQL, without a statement for each key. The arrays depend on the table alone, so they are
made when the lake is indexed. Must not know targets, scores, or where arrays are kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from rewright.engines.duckdb.quoting import quoted
from rewright.lake.augment.encoding import (
    MOST_COLUMNS,
    Encoded,
    Kind,
    further_aggregates,
    hash_form,
    held_kinds,
    indicated,
    is_number,
    key_form,
    key_kind,
    level_values,
    number_form,
    usable,
)
from rewright.lake.augment.keyed import keyable
from rewright.lake.augment.parts import PARTS
from rewright.lake.catalog.model import Column
from rewright.lake.index import LakeIndex

MOST_BYTES = 16 << 20
"""Larger tables are aggregated by DuckDB, each time for one key."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Layout:
    """Which columns of a table are read, and how.

    `write` gives a SELECT of k0, ... (hashes, 0 for NULL), v0, ... (DOUBLE) and t0, ... (hashes, 0 for NULL).
    """

    keys: tuple[tuple[str, Kind], ...]
    numbers: tuple[Column, ...]
    texts: tuple[Column, ...]
    write: Callable[[], str]

    @property
    def shape(self) -> tuple[str, ...]:
        """What the arrays depend on besides the table's content: the columns, as what they are taken, and
        the noise that is cleaned from them. Told without writing the SQL, which asks the catalog for values.
        """
        keys = (f"{name} {kind}" for name, kind in self.keys)
        noise = ((c.name, c.family, c.meaning, c.noise) for c in (*self.numbers, *self.texts))
        return (*keys, *map(repr, noise))

    def at(self, key: tuple[str, Kind]) -> int | None:
        """Which of the arrays of keys is the column as a key of a kind; None: it is not read so. A text that
        has no more parts than are asked for is its own first parts.
        """
        name, kind = key
        if key in self.keys:
            return self.keys.index(key)
        return self.at((name, "text")) if kind in PARTS else None

    def read(self, run: Callable[..., Any], index: LakeIndex) -> tuple[Any, ...]:
        """Run it where the table is (`run`: a statement with parameters): (rows, keys) uint64, (rows,
        numbers) float64, (rows, texts) uint64; of the values that encode texts, one text after the other,
        the hashes and the counts (0: such a value becomes a 0/1 column); and, as JSON in bytes, how many
        each text has and the values that become columns. Those that only count are not read again.
        """
        found = run(self.write()).fetchnumpy()
        parts = (
            _columns(found, "k", len(self.keys), np.uint64),
            _columns(found, "v", len(self.numbers), np.float64),
            _columns(found, "t", len(self.texts), np.uint64),
        )
        levels = [level_values(index, column) for column in self.texts]
        told = [value for one in levels for value in one]
        hashes: Any = np.zeros(0, dtype=np.uint64)
        if told:
            listed = run("SELECT hash(unnest(?::VARCHAR[])) AS h", [told]).fetchnumpy()
            hashes = np.asarray(listed["h"], dtype=np.uint64)
        counts: Any = np.array([n for one in levels for n in one.values()], dtype=np.int64)
        written = json.dumps([(len(one), indicated(one)) for one in levels]).encode()
        return (*parts, hashes, counts, np.frombuffer(written, dtype=np.uint8))


def layout_of(index: LakeIndex, table: str) -> Layout | None:
    """How a table is read; None: it is too large or has no column to read."""
    found = index.tables[table]
    keys: list[tuple[Column, Kind]] = [(c, key_kind(c, c)) for c in found.columns if keyable(c)]
    keys += [(c, more) for c, kind in keys if kind == "text" for more in held_kinds(c)]
    offered, _ = usable(index, table, ())
    width = len(keys) + len(offered)
    if not keys or len(offered) >= MOST_COLUMNS or 8 * found.rows * width > MOST_BYTES:
        return None
    numbers = [c for c in offered if is_number(c)]
    texts = [c for c in offered if not is_number(c)]

    @cache
    def write() -> str:
        inner = [f"{key_form(index, c, kind)} AS k{i}" for i, (c, kind) in enumerate(keys)]
        inner += [f"CAST({number_form(index, c)} AS DOUBLE) AS v{i}" for i, c in enumerate(numbers)]
        inner += [f"CAST({quoted(c.name)} AS VARCHAR) AS t{i}" for i, c in enumerate(texts)]
        hashed = [*(f"k{i}" for i in range(len(keys))), *(f"t{i}" for i in range(len(texts)))]
        shown = [f"{hash_form([name])} AS {name}" for name in hashed]
        shown += [f"v{i}" for i in range(len(numbers))]
        return f"SELECT {', '.join(shown)} FROM (SELECT {', '.join(inner)} FROM {quoted(table)})"

    return Layout(tuple((c.name, kind) for c, kind in keys), tuple(numbers), tuple(texts), write)


@dataclass(frozen=True, slots=True)
class Rows:
    """A table's rows, as `Layout.read` gives them."""

    layout: Layout
    told: tuple[tuple[int, tuple[str, ...] | None], ...]
    """Of each text, by how many values it is encoded, and which become a 0/1 column each (None: their counts
    are used).
    """
    keys: Any
    numbers: Any
    texts: Any
    levels: Any
    counts: Any

    @classmethod
    def of(cls, layout: Layout, arrays: tuple[Any, ...]) -> Rows:
        """What `Layout.read` gave."""
        *rows, written = arrays
        told = ((n, None if names is None else tuple(names)) for n, names in json.loads(written.tobytes()))
        return cls(layout, tuple(told), *rows)

    def told_by(self, column: Column) -> tuple[str, ...] | None:
        """The values of a text that become a 0/1 column each; None: their counts are used.

        :raises KeyError: it was not read as a text.
        """
        known = {one.name: names for one, (_, names) in zip(self.layout.texts, self.told, strict=True)}
        return known[column.name]

    def has(self, keys: Sequence[tuple[str, Kind]]) -> bool:
        """Were these columns read as keys of these kinds?"""
        return all(self.layout.at(key) is not None for key in keys)

    def numbered(self, name: str | None) -> bool:
        """Was this column read as a number?"""
        return any(column.name == name for column in self.layout.numbers)

    def hashes(self, keys: Sequence[tuple[str, Kind]]) -> Any:
        """(rows,) uint64: the hash of each row's key, 0 where a part of it is NULL."""
        return joint([self.keys[:, self.layout.at(key)] for key in keys])

    def grouped(self, made: Encoded, keys: Sequence[tuple[str, Kind]], wanted: Any = None) -> tuple[Any, Any]:
        """What `made.sql` gives: sorted hashes of the keys, and a row of features for each; `wanted`: of
        these keys alone (sorted hashes).
        """
        hashes = self.hashes(keys)
        order = np.flatnonzero(hashes if wanted is None else _among(hashes, wanted) & (hashes != 0))
        if made.how == "latest":
            time = self._number(next(c for c in made.offered if c.name == made.time))[order]
            # By key, then the latest first, rows without a time last: the first of each key is the one that
            # counts.
            order = order[np.lexsort((np.where(np.isnan(time), np.inf, -time), hashes[order]))]
        else:
            order = order[np.argsort(hashes[order], kind="stable")]
        first = _firsts(hashes[order])
        by_key = _ByKey(order, first, np.diff(np.r_[first, len(order)]))
        columns = self._all_features(made, by_key)
        if made.counted:
            columns.append(by_key.counts[:, None].astype(float))
        if made.further:
            columns.append(self._further(made, by_key))
        values = np.hstack(columns) if columns else np.empty((len(first), 0))
        return hashes[order[first]], values

    def as_of(
        self, made: Encoded, keys: Sequence[tuple[str, Kind]], hashes: Any, days: Any
    ) -> tuple[Any, Any]:
        """Features of each wanted key's latest row that is not after its day (NaN where there is none), and
        which were found. `hashes`, `days`: (wanted,) keys, 0 for none, and whole days, NaN where unknown.
        """
        time = np.floor(self._number(next(c for c in made.offered if c.name == made.time)))
        # Both sides' keys as numbers of one list, so that they can be compared and sorted together.
        known, code = np.unique(np.concatenate([self.hashes(keys), hashes]), return_inverse=True)
        usable = (known[code] != 0) & np.isfinite(np.concatenate([time, days]))
        rows = np.flatnonzero(usable[: len(time)])
        # of a day's rows the first of the table counts: it is the last of those sorted
        rows = rows[np.lexsort((-rows, time[rows], code[rows]))]
        place = _merged(code[rows], time[rows], code[len(time) :], days)
        at = np.maximum(place - 1, 0)
        found = usable[len(time) :] & (place > 0)
        if not len(rows):
            return np.full((len(hashes), len(made.features)), np.nan), np.zeros(len(hashes), dtype=bool)
        found &= code[rows][at] == code[len(time) :]
        chosen = _ByKey(rows, at, np.ones(len(at)))
        columns = self._all_features(made, chosen)
        values = np.hstack(columns) if columns else np.empty((len(hashes), 0))
        return np.where(found[:, None], values, np.nan), found

    def _number(self, column: Column) -> Any:
        return self.numbers[:, [c.name for c in self.layout.numbers].index(column.name)]

    def _all_features(self, made: Encoded, by_key: _ByKey) -> list[Any]:
        """(keys, features) of each of the columns that are offered: all numbers are reduced at once."""
        at = {column.name: i for i, column in enumerate(self.layout.numbers)}
        texts = {column.name: i for i, column in enumerate(self.layout.texts)}
        numbers = self.numbers[:, [at[c.name] for c in made.offered if c.name in at]]
        reduced = by_key.means(numbers) if made.how == "mean" else numbers[by_key.rows]
        each = iter(reduced.T)
        found = []
        for column in made.offered:
            if column.name in at:
                found.append(next(each)[:, None])
                continue
            codes = self.texts[:, texts[column.name]]
            told = by_key.modes(codes) if made.how == "mean" else codes[by_key.rows]
            found.append(self._encoded(texts[column.name], told))
        return found

    def _encoded(self, at: int, codes: Any) -> Any:
        """A text's encodings: a 0/1 column for each of its levels, else its value's frequency."""
        start = sum(n for n, _ in self.told[:at])
        n, names = self.told[at]
        hashes = self.levels[start : start + n]
        missing = codes == 0
        if names is None:
            order = np.argsort(hashes)
            counts = self.counts[start : start + n][order].astype(float)
            # ``searchsorted`` may give the place behind the last one.
            near = np.minimum(np.searchsorted(hashes[order], codes), len(counts) - 1)
            known = hashes[order][near] == codes
            values = np.log(1.0 + np.where(known, counts[near], 1.0))[:, None]
        else:
            values = (codes[:, None] == hashes[None, :]).astype(float)
        values[missing] = np.nan
        return values

    def _further(self, made: Encoded, by_key: _ByKey) -> Any:
        """The further aggregates, in the order of their features."""
        wanted = further_aggregates(made.offered, dated=made.how == "latest")
        at = {column.name: i for i, column in enumerate(self.layout.numbers)}
        columns = [at[c.name] for c in dict.fromkeys(column for column, _ in wanted)]
        if not columns:
            return np.empty((len(by_key.first), 0))
        numbers = self.numbers[:, columns]
        found = [by_key.reduced(numbers, how) for how in dict.fromkeys(how for _, how in wanted)]
        return np.stack(found, axis=2).reshape(len(by_key.first), len(wanted))


@dataclass(frozen=True, slots=True)
class _ByKey:
    """`order`: rows sorted by key; `first`: where in it each key begins; `counts`: each key's rows."""

    order: Any
    first: Any
    counts: Any

    @property
    def rows(self) -> Any:
        """Each key's first row."""
        return self.order[self.first]

    def means(self, values: Any) -> Any:
        return self.reduced(values, "mean")

    def reduced(self, values: Any, how: str) -> Any:
        """Minimum, maximum, sum or mean of what is there for each key; NaN where nothing is. `values`:
        (rows,) or (rows, columns).
        """
        if not len(self.first):
            return np.empty((0, *values.shape[1:]))
        values = values[self.order]
        there = ~np.isnan(values)
        filled = np.add.reduceat(there.astype(float), self.first)
        match how:
            case "minimum":
                found = np.minimum.reduceat(np.where(there, values, np.inf), self.first)
            case "maximum":
                found = np.maximum.reduceat(np.where(there, values, -np.inf), self.first)
            case _:
                found = np.add.reduceat(np.where(there, values, 0.0), self.first)
                if how == "mean":
                    found = found / np.maximum(filled, 1.0)
        return np.where(filled > 0, found, np.nan)

    def modes(self, codes: Any) -> Any:
        """Each key's most frequent value, of equals the one that comes first; 0 where there is none."""
        found: Any = np.zeros(len(self.first), dtype=np.uint64)
        group: Any = np.repeat(np.arange(len(self.first)), self.counts)
        codes = codes[self.order]
        there = np.flatnonzero(codes)
        if not len(there):
            return found
        at = there[np.lexsort((codes[there], group[there]))]
        start = np.flatnonzero(np.r_[True, (np.diff(group[at]) != 0) | (codes[at][1:] != codes[at][:-1])])
        many = np.diff(np.r_[start, len(at)])
        # a stable sort: the first of each run is the first in the table
        rank = np.lexsort((at[start], -many, group[at[start]]))
        best = start[rank][_firsts(group[at[start]][rank])]
        found[group[at[best]]] = codes[at[best]]
        return found


def joint(parts: Sequence[Any]) -> Any:
    """One hash of the hashes of a key's parts, 0 where one of them is 0 (Boost's hash_combine)."""
    found = np.asarray(parts[0], dtype=np.uint64)
    for part in parts[1:]:
        with np.errstate(over="ignore"):
            mixed = found ^ (part + _GOLDEN + (found << np.uint64(6)) + (found >> np.uint64(2)))
        found = np.where((found == 0) | (part == 0), np.uint64(0), mixed)
    return found


def _among(hashes: Any, wanted: Any) -> Any:
    """Which of the hashes are in `wanted`, sorted."""
    if not len(wanted):
        return np.zeros(len(hashes), dtype=bool)
    at = np.minimum(np.searchsorted(wanted, hashes), len(wanted) - 1)
    return wanted[at] == hashes


def _merged(code: Any, time: Any, codes: Any, times: Any) -> Any:
    """How many of the pairs (code, time), sorted, are not after each of (codes, times)."""
    both = np.concatenate([code, codes])
    when = np.concatenate([time, np.where(np.isfinite(times), times, -np.inf)])
    # Rows before questions of the same day: a row of the day itself is not after it.
    asked = np.r_[np.zeros(len(code)), np.ones(len(codes))]
    order = np.lexsort((asked, when, both))
    before = np.cumsum(asked[order] == 0)
    found: Any = np.empty(len(both), dtype=np.int64)
    found[order] = before
    return found[len(code) :]


def _firsts(ordered: Any) -> Any:
    """Where in sorted values each begins."""
    return (
        np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        if len(ordered)
        else np.zeros(0, dtype=np.int64)
    )


def _columns(found: Any, letter: str, n: int, kind: Any) -> Any:
    rows = len(next(iter(found.values())))
    # column by column: a search reads some of them
    out = np.empty((rows, n), dtype=kind, order="F")
    for i in range(n):
        column = found[f"{letter}{i}"]
        out[:, i] = np.ma.filled(np.ma.asarray(column, dtype=kind), np.nan if kind is np.float64 else 0)
    return out
