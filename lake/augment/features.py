"""What is kept of tables as arrays, their rows and their features by key: they do not depend on what is to be
predicted.

Owns the arrays, the memory they take and the file beside the catalog in which they stay. What a base table
needs of a candidate is then an alignment of hashes, no statement. Must not know targets or scores. The idea
is Kitana's (Huang et al. 2023): aggregates of the lake's tables are made before anybody asks.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from rewright.lake.api import Lake

# part of each name: arrays of an earlier form are never found
_VERSION = 8
_MEMORY = 256 << 20
"""Bytes of arrays held at once."""
_KEPT_BYTES = 24 << 20
"""Arrays that take more are not kept in the file."""
_FILE_BYTES = 2 << 30
# SQLite's usual 4 kB would put an array of megabytes together from thousands of pages
_PAGE = 32 << 10


@dataclass(frozen=True, slots=True)
class Keyed:
    """One row per key: `hashes` (keys,) uint64, sorted; `values` (keys, features), NaN where missing."""

    hashes: Any
    values: Any

    def aligned(self, wanted: Any) -> tuple[Any, Any]:
        """The rows for `wanted` hashes (NaN where there is none), and which were found. The hash 0 is
        nobody's.
        """
        if not len(self.hashes):
            return np.full((len(wanted), self.values.shape[1]), np.nan), np.zeros(len(wanted), dtype=bool)
        # a hash above all others is looked for at the end, and not found there
        at = np.minimum(np.searchsorted(self.hashes, wanted), len(self.hashes) - 1)
        found = (self.hashes[at] == wanted) & (wanted != 0)
        values = np.where(found[:, None], self.values[at], np.nan)
        return values, found


@dataclass(frozen=True, slots=True)
class Links:
    """Which keys of one side of a table go with which of the other: `arriving`, `leaving` (pairs,) uint64, by
    `arriving`.
    """

    arriving: Any
    leaving: Any

    def among(self, wanted: Any) -> Links:
        """The pairs that arrive at one of these hashes, sorted."""
        if not len(wanted):
            return Links(self.arriving[:0], self.leaving[:0])
        near = np.minimum(np.searchsorted(wanted, self.arriving), len(wanted) - 1)
        at = np.flatnonzero(wanted[near] == self.arriving)
        return Links(self.arriving[at], self.leaving[at])

    def only(self, wanted: Any) -> Any:
        """(wanted,) the one leaving key of each of these arriving ones, 0 where there is none; None: one of
        them has several.
        """
        first: Any = np.searchsorted(self.arriving, wanted)
        # how many pairs each has
        many: Any = np.searchsorted(self.arriving, wanted, side="right") - first
        many[wanted == 0] = 0
        if (many > 1).any():
            return None
        found: Any = np.zeros(len(wanted), dtype=np.uint64)
        there = many > 0
        found[there] = self.leaving[first[there]]
        return found

    def carried(self, keyed: Keyed) -> Keyed:
        """Features of the leaving keys as features of the arriving ones: means over the pairs, so that rows
        never multiply.
        """
        values, found = keyed.aligned(self.leaving)
        arriving, values = self.arriving[found], values[found]
        hashes, first = np.unique(arriving, return_index=True)
        if not len(hashes):
            return Keyed(hashes, values)
        there = np.isfinite(values)
        # `arriving` is sorted: each key's pairs are neighbours
        filled = np.add.reduceat(there.astype(float), first, axis=0)
        sums = np.add.reduceat(np.where(there, values, 0.0), first, axis=0)
        means = np.divide(sums, filled, out=np.full_like(sums, np.nan), where=filled > 0)
        return Keyed(hashes, means)


Arrays = tuple[Any, ...]


class FeatureStore:
    """The arrays of one lake. Used by one thread at a time."""

    def __init__(self, file: Path | None) -> None:
        self._held: OrderedDict[str, Arrays] = OrderedDict()
        self._bytes = 0
        self._file = file
        self._connection: sqlite3.Connection | None = None

    def get(self, parts: Sequence[object], make: Callable[[], Arrays], *, in_file: bool = True) -> Arrays:
        """What `parts` (all that the arrays depend on) stand for; `make` gives them where they are not known
        yet. `in_file`: it is worth keeping for other processes.
        """
        # what stays in memory alone needs no name that a file could have
        name = _name(parts) if in_file else json.dumps([*map(str, parts)])
        found = self._held.get(name)
        if found is None:
            found = self._read(name) if in_file else None
            if found is None:
                found = make()
                if in_file:
                    self._write(name, found)
            self._hold(name, found)
        self._held.move_to_end(name)
        return found

    def has(self, parts: Sequence[object]) -> bool:
        """Is it in the file?"""
        try:
            asked = self._open().execute("SELECT 1 FROM features WHERE name = ?", [_name(parts)])
            return asked.fetchone() is not None
        except (sqlite3.Error, OSError):
            return False

    def put(self, parts: Sequence[object], arrays: Arrays) -> None:
        """Keep in the file alone; `kept` says how long."""
        self._write(_name(parts), arrays)

    def put_spellings(self, content: Sequence[str], found: Mapping[str, tuple[Any, int]]) -> None:
        """Keep the sketches of a table's columns whose values, cleaned as keys, are others than as they are
        written: column -> sketch and different values. `content`: the table, and what changes with its rows.
        """
        rows = [
            (content[0], column, _name(content), sketch.astype("<u8").tobytes(), distinct)
            for column, (sketch, distinct) in found.items()
        ]
        with suppress(sqlite3.Error, OSError):
            self._open().execute("DELETE FROM spellings WHERE table_name = ?", [content[0]])
            self._open().executemany("INSERT INTO spellings VALUES (?, ?, ?, ?, ?)", rows)

    def spellings(self, content: Callable[[str], Sequence[str]]) -> dict[tuple[str, str], tuple[Any, int]]:
        """(table, column) -> sketch and different values of those columns, where tables are as they were."""
        try:
            rows = self._open().execute("SELECT * FROM spellings").fetchall()
        except (sqlite3.Error, OSError):
            return {}
        current = {table: _name(content(table)) for table in {row[0] for row in rows}}
        return {
            (table, column): (np.frombuffer(sketch, dtype="<u8"), distinct)
            for table, column, name, sketch, distinct in rows
            if current[table] == name
        }

    @contextmanager
    def kept(self) -> Iterator[None]:
        """What is made meanwhile stays, however it ends."""
        try:
            yield
        finally:
            self.commit()

    def commit(self) -> None:
        """What was written is there for others."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.commit()

    def release(self) -> None:
        """Hold nothing in memory; the file keeps what it has."""
        self._held.clear()
        self._bytes = 0

    def forget(self) -> None:
        """Make everything anew when it is next asked for."""
        self.release()
        with suppress(sqlite3.Error, OSError):
            self._open().execute("DELETE FROM features")
            self._open().execute("DELETE FROM spellings")

    def _hold(self, name: str, arrays: Arrays) -> None:
        self._held[name] = arrays
        self._bytes += _bytes(arrays)
        # the one that was asked for last stays, however large it is
        while self._bytes > _MEMORY and len(self._held) > 1:
            self._bytes -= _bytes(self._held.popitem(last=False)[1])

    def _read(self, name: str) -> Arrays | None:
        """None: not kept, or what is kept cannot be read."""
        try:
            row = self._open().execute("SELECT data FROM features WHERE name = ?", [name]).fetchone()
            if row is None:
                return None
            return _unpacked(row[0])
        except (sqlite3.Error, OSError, ValueError):
            return None

    def _write(self, name: str, arrays: Arrays) -> None:
        """A file that cannot be written costs time only."""
        if _bytes(arrays) > _KEPT_BYTES:
            return
        with suppress(sqlite3.Error, OSError):
            self._open().execute("INSERT OR REPLACE INTO features VALUES (?, ?)", [name, _packed(arrays)])

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            place = ":memory:" if self._file is None else str(self._file)
            connection = sqlite3.connect(place, timeout=1.0, check_same_thread=False)
            # arrays of megabytes: of small pages each would be put together of thousands
            connection.execute(f"PRAGMA page_size = {_PAGE}")
            connection.execute(f"PRAGMA mmap_size = {_FILE_BYTES}")
            connection.execute("PRAGMA journal_mode = WAL")
            # what a crash of the machine loses is made again
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS features (name TEXT PRIMARY KEY, data BLOB NOT NULL)"
            )
            connection.execute(
                "CREATE TABLE IF NOT EXISTS spellings (table_name TEXT, column_name TEXT, content TEXT, "
                "sketch BLOB, different INTEGER, PRIMARY KEY (table_name, column_name))"
            )
            # begun anew when it has grown too large: which arrays are of use nobody knows
            if self._file is not None and self._file.stat().st_size > _FILE_BYTES:
                connection.execute("DELETE FROM features")
            self._connection = connection
        return self._connection


def _name(parts: Sequence[object]) -> str:
    told = json.dumps([_VERSION, duckdb.__version__, *map(str, parts)])
    return hashlib.blake2b(told.encode(), digest_size=20).hexdigest()


def _packed(arrays: Arrays) -> bytes:
    """The arrays' types, shapes and orders as JSON on a line of its own, then their bytes, one after the
    other.
    """
    told = json.dumps([(array.dtype.str, array.shape, _order(array)) for array in arrays])
    return b"".join([told.encode(), b"\n", *(array.tobytes(order="A") for array in arrays)])


def _order(array: Any) -> str:
    """Row by row (C) or column by column (F)?"""
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def _unpacked(data: bytes) -> Arrays:
    """What was packed, as arrays that are not to be written to. Raises ValueError: it is none, or not
    whole.
    """
    at = data.index(b"\n") + 1
    found = []
    for kind, shape, order in json.loads(data[: at - 1]):
        size = int(np.prod(shape))
        told = np.frombuffer(data, dtype=np.dtype(kind), count=size, offset=at)
        found.append(told.reshape(shape, order=order))
        at += found[-1].nbytes
    return tuple(found)


def _bytes(arrays: Arrays) -> int:
    return sum(int(array.nbytes) for array in arrays)


_stores: weakref.WeakKeyDictionary[Lake, FeatureStore] = weakref.WeakKeyDictionary()


def features_of(lake: Lake) -> FeatureStore:
    """The lake's store of features, beside its catalog."""
    if lake not in _stores:
        _stores[lake] = FeatureStore(
            lake.catalog.with_suffix(".features") if lake.catalog is not None else None
        )
    return _stores[lake]
