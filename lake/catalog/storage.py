"""The catalog's one file: SQLite with profiles, values, the value index, vectors and the join graph.

Owns the schema of that file. Must not know how profiles are made. A file of another version is thrown away
and made again: everything in it can be rebuilt.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from rewright.lake.catalog.model import Broken, Column, Family, Noise, Table, Values
from rewright.lake.noise.values import fold

# a catalog of another version is made anew, not migrated: everything in it can be read from the files
_VERSION = 20
# longer texts are prose, which nobody looks up as a value
_INDEXED_VALUE = 120
_PORTION_BYTES = 16 << 10
_READ = json.JSONDecoder()
_CACHE_KB = 64 << 10
"""The value index is written in the order of values, all over the file: with SQLite's 2 MB most pages are
written many times over.
"""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (name TEXT PRIMARY KEY, path TEXT, bytes INTEGER, mtime_ns INTEGER,
  digest TEXT, profile BLOB);
CREATE TABLE IF NOT EXISTS broken (path TEXT PRIMARY KEY, reason TEXT, bytes INTEGER, mtime_ns INTEGER);
CREATE TABLE IF NOT EXISTS column_values (table_name TEXT, column_name TEXT, payload BLOB, complete INTEGER,
  sketch BLOB,
    PRIMARY KEY (table_name, column_name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS value_index (value TEXT, table_name TEXT, column_name TEXT, n INTEGER,
    PRIMARY KEY (value, table_name, column_name)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS value_index_table ON value_index (table_name);
CREATE TABLE IF NOT EXISTS vectors (embedder TEXT, text TEXT, vector BLOB, PRIMARY KEY (embedder,
  text)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS edges (a TEXT, b TEXT, payload TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS edges_b ON edges (b);
CREATE TABLE IF NOT EXISTS accepted (name TEXT PRIMARY KEY, sql TEXT);
CREATE TABLE IF NOT EXISTS prepared (path TEXT PRIMARY KEY, payload TEXT);
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT);
"""


class Storage:
    """One open catalog file. Not safe to share between threads without care; readers open their own."""

    def __init__(self, path: Path | None) -> None:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(path or ":memory:", check_same_thread=False, timeout=30)
        if path is not None:
            self._db.execute("PRAGMA journal_mode = WAL")
            # all of it can be made again: what the last seconds wrote may be lost with the machine
            self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        if self._db.execute("PRAGMA user_version").fetchone()[0] not in {0, _VERSION}:
            for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                self._db.execute(f'DROP TABLE IF EXISTS "{name}"')
        self._db.executescript(_SCHEMA)
        # Last: a file whose tables are made half is of no version, and is made again.
        self._db.execute(f"PRAGMA user_version = {_VERSION}")
        self._db.commit()

    def close(self) -> None:
        self._db.close()

    def commit(self) -> None:
        self._db.commit()

    def tables(self) -> list[Table]:
        rows = self._db.execute(
            "SELECT name, path, bytes, mtime_ns, digest, profile FROM tables ORDER BY name"
        )
        return [_table(*row) for row in rows]

    def has(self, table: str) -> bool:
        """Is it one of the lake's own tables?"""
        return self._db.execute("SELECT 1 FROM tables WHERE name = ?", (table,)).fetchone() is not None

    def broken(self) -> list[Broken]:
        rows = self._db.execute("SELECT path, reason, bytes, mtime_ns FROM broken ORDER BY path")
        return [Broken(Path(row[0]), row[1], row[2], row[3]) for row in rows]

    def put(self, table: Table, values: dict[str, Values]) -> None:
        """Replace what is known of a table."""
        self.remove(table.name)
        blob = zlib.compress(
            json.dumps(
                {
                    "scan": table.scan,
                    "rows": table.rows,
                    "notes": table.notes,
                    "files": [str(file) for file in table.files],
                    "columns": [asdict(c) for c in table.columns],
                }
            ).encode()
        )
        self._db.execute(
            "INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?)",
            (table.name, str(table.path), table.bytes, table.mtime_ns, table.digest, blob),
        )
        self._db.execute("DELETE FROM broken WHERE path = ?", (str(table.path),))
        for name, found in values.items():
            payload = zlib.compress(json.dumps(found.counts).encode())
            self._db.execute(
                "INSERT INTO column_values VALUES (?, ?, ?, ?, ?)",
                (table.name, name, payload, int(found.complete), found.sketch.astype("<u8").tobytes()),
            )
            column = table.column(name)
            if column is not None and column.family is Family.TEXT:
                self._index(table.name, name, found)

    def touch(self, table: Table, size: int, mtime_ns: int) -> None:
        """The file's stamp changed but not its content."""
        self._db.execute(
            "UPDATE tables SET bytes = ?, mtime_ns = ? WHERE name = ?", (size, mtime_ns, table.name)
        )

    def _index(self, table: str, column: str, found: Values) -> None:
        rows = {(fold(value), table, column): n for value, n in found.counts if len(value) <= _INDEXED_VALUE}
        self._db.executemany(
            "INSERT OR REPLACE INTO value_index VALUES (?, ?, ?, ?)", ((*key, n) for key, n in rows.items())
        )

    def remove(self, name: str) -> None:
        """Forget a table."""
        for statement in (
            "DELETE FROM tables WHERE name = ?",
            "DELETE FROM column_values WHERE table_name = ?",
            "DELETE FROM value_index WHERE table_name = ?",
        ):
            self._db.execute(statement, (name,))
        self._db.execute("DELETE FROM edges WHERE a = ? OR b = ?", (name, name))

    def put_broken(self, broken: Broken) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO broken VALUES (?, ?, ?, ?)",
            (str(broken.path), broken.reason, broken.bytes, broken.mtime_ns),
        )

    def drop_broken(self, path: Path) -> None:
        self._db.execute("DELETE FROM broken WHERE path = ?", (str(path),))

    def values(self, table: str, column: str) -> Values:
        """What a column holds; empty for an unknown one."""
        row = self._db.execute(
            "SELECT payload, complete, sketch FROM column_values WHERE table_name = ? AND column_name = ?",
            (table, column),
        ).fetchone()
        if row is None:
            return Values((), complete=True, sketch=np.zeros(0, dtype=np.uint64))
        counts = tuple((value, n) for value, n in json.loads(zlib.decompress(row[0])))
        return Values(counts, bool(row[1]), np.frombuffer(row[2], dtype="<u8"))

    def frequent(self, table: str, column: str, most: int) -> tuple[tuple[str, int], ...]:
        """The most frequent values alone with their rows, at most so many: what is behind them is not even
        unpacked.
        """
        row = self._db.execute(
            "SELECT payload FROM column_values WHERE table_name = ? AND column_name = ?", (table, column)
        ).fetchone()
        return () if row is None else tuple(itertools.islice(_pairs(row[0]), most))

    def sketch(self, table: str, column: str) -> Any:
        """A column's bottom-k sketch alone; empty for an unknown one."""
        row = self._db.execute(
            "SELECT sketch FROM column_values WHERE table_name = ? AND column_name = ?", (table, column)
        ).fetchone()
        return np.frombuffer(row[0] if row is not None else b"", dtype="<u8")

    def sketches(self) -> Iterator[tuple[tuple[str, str], Any]]:
        """The sketches of all columns, by table and name."""
        rows = self._db.execute("SELECT table_name, column_name, sketch FROM column_values")
        return (((table, column), np.frombuffer(sketch, dtype="<u8")) for table, column, sketch in rows)

    def where(self, value: str) -> list[tuple[str, str, int]]:
        """Columns of the whole lake that hold this value, whatever its case, blanks and diacritics."""
        with closing(self._db.cursor()) as cursor:
            cursor.execute(
                "SELECT table_name, column_name, n FROM value_index WHERE value = ?", (fold(value),)
            )
            return cursor.fetchall()

    def vectors(self, embedder: str) -> Iterable[tuple[str, Any]]:
        for text, blob in self._db.execute(
            "SELECT text, vector FROM vectors WHERE embedder = ?", (embedder,)
        ):
            yield text, np.frombuffer(blob, dtype="<f4")

    def put_vectors(self, embedder: str, vectors: Iterable[tuple[str, Any]]) -> None:
        self._db.executemany(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
            ((embedder, text, v.astype("<f4").tobytes()) for text, v in vectors),
        )

    def prepared(self) -> dict[str, dict[str, Any]]:
        """What was found in each file when it was prepared, by path."""
        return {
            path: json.loads(payload)
            for path, payload in self._db.execute("SELECT path, payload FROM prepared")
        }

    def put_prepared(self, path: str, payload: dict[str, Any]) -> None:
        self._db.execute("INSERT OR REPLACE INTO prepared VALUES (?, ?)", (path, json.dumps(payload)))

    def drop_prepared(self, path: str) -> None:
        self._db.execute("DELETE FROM prepared WHERE path = ?", (path,))

    def edges(self) -> list[tuple[str, str, Any]]:
        return [
            (a, b, json.loads(payload))
            for a, b, payload in self._db.execute("SELECT a, b, payload FROM edges")
        ]

    def neighbours(self, table: str) -> list[str]:
        """The other ends of a table's edges."""
        rows = self._db.execute(
            "SELECT b FROM edges WHERE a = ?1 UNION SELECT a FROM edges WHERE b = ?1", (table,)
        )
        return [name for (name,) in rows]

    def put_edges(self, edges: Iterable[tuple[str, str, Any]]) -> None:
        self._db.executemany(
            "INSERT OR REPLACE INTO edges VALUES (?, ?, ?)", ((a, b, json.dumps(p)) for a, b, p in edges)
        )

    def clear_edges(self) -> None:
        self._db.execute("DELETE FROM edges")

    def meta(self, key: str) -> str | None:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_meta(self, key: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def accept(self, name: str, sql: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO accepted VALUES (?, ?)", (name, sql))
        self._db.commit()

    def accepted(self) -> Sequence[tuple[str, str]]:
        return self._db.execute("SELECT name, sql FROM accepted ORDER BY name").fetchall()


def _table(name: str, path: str, size: int, mtime_ns: int, digest: str, blob: bytes) -> Table:
    raw = json.loads(zlib.decompress(blob))
    columns = tuple(
        Column(
            **{
                **c,
                "family": Family(c["family"]),
                "meaning": Family(c["meaning"]),
                "samples": tuple(c["samples"]),
                "noise": tuple(Noise(n) for n in c["noise"]),
            }
        )
        for c in raw["columns"]
    )
    return Table(
        name,
        Path(path),
        size,
        mtime_ns,
        digest,
        raw["scan"],
        raw["rows"],
        columns,
        tuple(raw["notes"]),
        tuple(map(Path, raw["files"])),
    )


def _pairs(payload: bytes) -> Iterator[tuple[str, int]]:
    """The pairs of a packed JSON list, unpacked by portions."""
    unpacking = zlib.decompressobj()
    # the bracket of the list itself is behind us
    left, text, at = payload, "", 1
    while more := unpacking.decompress(left, _PORTION_BYTES):
        left = unpacking.unconsumed_tail
        # JSON as it is written here is ASCII
        text += more.decode("ascii")
        while True:
            try:
                (value, n), at = _READ.raw_decode(text, text.index("[", at))
            except ValueError:
                # the rest of this pair is in the next portion; or there is none
                break
            yield value, n
        text, at = text[at:], 0
