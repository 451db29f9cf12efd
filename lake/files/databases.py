"""Files of SQLite: each table and view a table. Read by Python's own sqlite3, from a copy where changes lie
beside the file.

Must not write to the lake's folder: SQLite would, to open a database whose log of changes is not empty.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rewright.engines.duckdb.quoting import quoted
from rewright.lake.catalog.model import VIEW
from rewright.lake.files.bounds import MOST_BYTES, Allowance
from rewright.lake.files.pieces import Piece, Unserved
from rewright.lake.files.rows import write_rows

_MAGIC = b"SQLite format 3\0"
# its tables are copied into files that DuckDB reads
_MOST_BYTES = 1 << 30
_MOST_VALUE_BYTES = 64 << 20
_TABLES = (
    "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view')"
    " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY type, name"
)
# a view is a query of the file's author: it may run for ever
_VIEW_SECONDS = 10.0
_STEPS = 10_000
"""Steps of SQLite's machine between two looks at the clock."""


def tables_of_sqlite(path: Path, out: Path) -> list[Piece]:
    """One piece for each table that is stored, and for each view that SQLite's own functions give within some
    seconds.

    :raises Unserved: not an SQLite database, or a damaged one.
    """
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise Unserved("not served: not an SQLite database")
    if path.stat().st_size > _MOST_BYTES:
        raise Unserved(f"not served: a database of more than {_MOST_BYTES >> 20} MB")
    read = _settled(path, out)
    try:
        with closing(sqlite3.connect(f"file:{quote(str(read))}?mode=ro&immutable=1", uri=True)) as db:
            # generated columns compute what no page holds
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE_BYTES)
            allowance = Allowance(path.stat().st_size, MOST_BYTES)
            db.text_factory = lambda data: data.decode("utf-8", errors="replace")
            # a view calls no function that reads files or changes something
            db.execute("PRAGMA trusted_schema = OFF")
            found: list[Piece] = []
            for i, (kind, name) in enumerate(db.execute(_TABLES).fetchall()):
                target = out / f"{i}.jsonl"
                if kind == "table":
                    found.append(_table(db, path, str(name), target, allowance))
                elif (view := _view(db, path, str(name), target)) is not None:
                    found.append(view)
            return found
    except sqlite3.Error as error:
        raise Unserved(f"not served: SQLite says: {error}") from error


def _settled(path: Path, out: Path) -> Path:
    """The database with the changes that lie in its log."""
    log = path.with_name(path.name + "-wal")
    if not log.exists() or log.stat().st_size == 0:
        return path
    copy = out / "copy.db"
    shutil.copyfile(path, copy)
    shutil.copyfile(log, copy.with_name("copy.db-wal"))
    with closing(sqlite3.connect(copy)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("PRAGMA journal_mode = DELETE")
    return copy


def _view(db: sqlite3.Connection, path: Path, name: str, target: Path) -> Piece | None:
    """None: it takes too long, gives too much, or does not run."""
    allowance = Allowance(path.stat().st_size, MOST_BYTES)
    until = time.monotonic() + _VIEW_SECONDS
    db.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
    try:
        piece = _table(db, path, name, target, allowance)
    except (sqlite3.Error, Unserved):
        return None
    finally:
        db.set_progress_handler(None, _STEPS)
    return replace(piece, notes=(f"{VIEW}{name} of {path.name}",))


def _table(db: sqlite3.Connection, path: Path, name: str, target: Path, allowance: Allowance) -> Piece:
    cursor = db.execute(f"SELECT * FROM {quoted(name)}")
    header = [str(column[0]) for column in cursor.description]
    sql = write_rows(header, _counted(cursor, name, allowance), target)
    return Piece(path, target, name, sql, (f"table {name} of {path.name}",))


def _counted(rows: Iterable[tuple[Any, ...]], name: str, allowance: Allowance) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        allowance.take(sum(len(cell) if isinstance(cell, str | bytes) else 8 for cell in row), name)
        yield row
