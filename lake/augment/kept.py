"""The rows of the lake's tables as arrays: from what is kept of them, else read once.

Owns where a table's arrays come from, and the pass over all tables when the lake is indexed. Must not know
base tables, targets or scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

import duckdb
import numpy as np

from rewright.engines.duckdb.locked import Limits, open_locked
from rewright.engines.duckdb.quoting import quoted
from rewright.lake.api import Lake
from rewright.lake.augment.encoding import Kind, hash_form, indicated, key_form, level_values
from rewright.lake.augment.features import Arrays, features_of
from rewright.lake.augment.rows import Layout, Rows, joint, layout_of
from rewright.lake.catalog.model import SKETCH_SIZE, Column
from rewright.lake.index import LakeIndex

MARKS: dict[Kind, str] = {"bare": "\x00", "part 1": "\x01", "part 2": "\x02", "part 3": "\x03"}
"""Before a column's name: the sketch is of its values as such a key, not as they are cleaned."""
# connections side by side, each with one thread and up to 1 GB
_AT_ONCE = 2
_PORTION = 200
"""Tables read between two commits."""


class TableRows:
    """Rows of the tables of one lake. `run`: runs a statement, with parameters, where the
    lake's tables are.
    """

    def __init__(self, lake: Lake, run: Callable[..., Any]) -> None:
        self._lake = lake
        self._run = run
        self._features = features_of(lake)
        self._known: dict[str, Rows | None] = {}

    def of(self, table: str, keys: Sequence[tuple[str, Kind]]) -> Rows | None:
        """The table's rows; None: it is too large, or these columns are not read as such keys.

        :raises LakeError: the table cannot be read.
        """
        if table not in self._known:
            index = self._lake.index
            layout = layout_of(index, table)
            self._known[table] = None if layout is None else self._read(table, layout)
        rows = self._known[table]
        return rows if rows is not None and rows.has(keys) else None

    def hashes(self, table: str, keys: Sequence[tuple[str, Kind]]) -> Any:
        """(rows,) uint64: the hash of each row's key, 0 where a part of it is NULL."""
        rows = self.of(table, keys)
        if rows is not None:
            return rows.hashes(keys)
        index = self._lake.index
        found = [(index.tables[table].column(name), kind) for name, kind in keys]
        forms = [hash_form([key_form(index, c, kind)]) for c, kind in found if c is not None]
        listed = ", ".join(f"{form} AS h{i}" for i, form in enumerate(forms))
        read = self.read(table, f"SELECT {listed} FROM {quoted(table)}")
        return joint([np.asarray(read[f"h{i}"], dtype=np.uint64) for i in range(len(forms))])

    def levels(self, column: Column) -> tuple[str, ...] | None:
        """A text's values that become a 0/1 column each (see `indicated`), from the rows where they are
        known.
        """
        rows = self._known.get(column.table)
        if rows is not None:
            with suppress(KeyError):
                return rows.told_by(column)
        return indicated(level_values(self._lake.index, column))

    def distinct(self, table: str, keys: Sequence[tuple[str, Kind]]) -> tuple[int, int]:
        """Rows with a key, and different keys among them."""

        def make() -> Arrays:
            hashes = self.hashes(table, keys)
            hashes = hashes[hashes != 0]
            return (np.asarray([len(hashes), len(np.unique(hashes))]),)

        told = ("distinct", *self.content(table), *map(str, keys))
        # of rows that are held counting is quicker than looking the counts up
        rows, distinct = self._features.get(told, make, in_file=self.of(table, keys) is None)[0]
        return int(rows), int(distinct)

    def spellings(self) -> dict[tuple[str, str], tuple[Any, int]]:
        """(table, column) -> sketch and different values, of columns whose keys are spelled in other ways."""
        found = self._features.spellings(
            lambda table: self.content(table) if table in self._lake.index.tables else ()
        )
        return {key: told for key, told in found.items() if key[0] in self._lake.index.tables}

    def read(self, table: str, sql: str) -> Any:
        """What a statement over the table gives.

        :raises LakeError: it cannot be read.
        """
        self._lake.database.load([table])
        return self._run(sql).fetchnumpy()

    def content(self, table: str) -> tuple[str, ...]:
        """What changes when the table's rows do."""
        return _content(self._lake.index, table)

    def _read(self, table: str, layout: Layout) -> Rows:
        index = self._lake.index

        def make() -> Arrays:
            self._lake.database.load([table])
            return layout.read(self._run, index)

        arrays = self._features.get(("rows", *self.content(table), *layout.shape), make)
        return Rows.of(layout, arrays)


def keep_rows(lake: Lake) -> int:
    """Read all tables of the lake that are not kept yet, so that a first search finds their rows at hand; how
    many were read. A table that cannot be read is left to the search that asks for it.
    """
    store, index = features_of(lake), lake.index
    if is_kept(lake):
        return 0
    made = ((name, layout_of(index, name)) for name in index.tables)
    wanted = [
        (name, layout)
        for name, layout in made
        if layout is not None and not store.has(_done(index, name, layout))
    ]
    limits = Limits(memory="1GB", threads=1)
    connections = [open_locked(lake.readable, limits) for _ in range(min(_AT_ONCE, len(wanted)))]
    try:
        for start in range(0, len(wanted), _PORTION):
            for (name, layout), arrays in zip(
                portion := wanted[start : start + _PORTION],
                _read_all(index, portion, connections),
                strict=True,
            ):
                if arrays is not None:
                    content = _content(index, name)
                    store.put(("rows", *content, *layout.shape), arrays)
                    store.put_spellings(content, _spelled(index, name, layout, arrays[0]))
                    # last: a search, or who was interrupted, may leave rows without spellings
                    store.put(_done(index, name, layout), ())
            store.commit()
    finally:
        # who is interrupted keeps what was read, and no lock on the file
        store.commit()
        for connection in connections:
            connection.close()
    # so that the next search sees with one look that nothing is missing
    store.put(_all_tables(index), ())
    store.commit()
    return len(wanted)


def is_kept(lake: Lake) -> bool:
    """Has `keep_rows` read the lake as it is now?"""
    return features_of(lake).has(_all_tables(lake.index))


def _done(index: LakeIndex, table: str, layout: Layout) -> tuple[str, ...]:
    """Says that all is kept of a table, its rows and how its keys are spelled."""
    return ("spelled", *_content(index, table), *layout.shape)


def _all_tables(index: LakeIndex) -> tuple[str, ...]:
    # unions follow from their parts
    real = (table for name, table in index.tables.items() if name not in index.unions)
    return ("all", *sorted(f"{table.name} {table.digest}" for table in real))


def _spelled(index: LakeIndex, table: str, layout: Layout, keys: Any) -> dict[str, tuple[Any, int]]:
    """Columns whose values are others once they are cleaned as keys (`PU-17` and `pu 17`, dates as they are
    written), with their sketches: by those a key is found whatever its spelling.
    """
    found = {}
    for i, (name, kind) in enumerate(layout.keys):
        column = index.tables[table].column(name)
        if kind == "number" or column is None:
            continue
        sketch, distinct = key_sketch(keys[:, i])
        if kind in MARKS:
            found[MARKS[kind] + name] = (sketch, distinct)
        elif not np.array_equal(sketch, index.sketch(column)):
            found[name] = (sketch, distinct)
    return found


def key_sketch(hashes: Any) -> tuple[Any, int]:
    """The bottom-k sketch of a key's hashes, and how many different ones there are; 0 is none."""
    values = np.unique(hashes)
    values = values[values != 0]
    return values[:SKETCH_SIZE], len(values)


def _read_all(
    index: LakeIndex, wanted: Sequence[tuple[str, Layout]], connections: Sequence[Any]
) -> Iterator[Arrays | None]:
    """In the order of `wanted`, each connection by a thread of its own."""
    free: SimpleQueue[Any] = SimpleQueue()
    for connection in connections:
        free.put(connection)

    def read(asked: tuple[str, Layout]) -> Arrays | None:
        connection = free.get()
        try:
            return _read_one(index, connection, *asked)
        finally:
            free.put(connection)

    with ThreadPoolExecutor(len(connections), thread_name_prefix="rows") as pool:
        yield from pool.map(read, wanted)


def _read_one(index: LakeIndex, connection: Any, name: str, layout: Layout) -> Arrays | None:
    united = index.unions.get(name)
    parts = [name] if united is None else united.part_names()
    # a table that cannot be read is left out here, and told by the search that asks for it
    with suppress(duckdb.Error, OSError):
        for part in parts:
            connection.execute(
                f"CREATE OR REPLACE TEMP VIEW {quoted(part)} AS SELECT * FROM {index.tables[part].scan}"
            )
        if united is not None:
            connection.execute(f"CREATE OR REPLACE TEMP VIEW {quoted(name)} AS {united.sql()}")
        try:
            return layout.read(connection.execute, index)
        finally:
            for view in {*parts, name}:
                connection.execute(f"DROP VIEW IF EXISTS {quoted(view)}")
    return None


def _content(index: LakeIndex, table: str) -> tuple[str, ...]:
    united = index.unions.get(table)
    names = [table] if united is None else [name for name, _ in united.parts]
    return (table, *(index.tables[name].digest for name in names))
