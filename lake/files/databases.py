"""Files of SQLite: each table a table. Read by Python's own sqlite3, from a copy where changes lie beside the
file.

Must not write to the lake's folder: SQLite would, to open a database whose log of changes is not empty.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rewright.engines.duckdb.quoting import quoted
from rewright.lake.files.bounds import MOST_BYTES, Allowance
from rewright.lake.files.pieces import Piece, Unserved
from rewright.lake.files.rows import write_rows

_MAGIC = b"SQLite format 3\0"
_MOST_BYTES = 1 << 30
_MOST_VALUE_BYTES = 64 << 20
_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    " AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
)


def tables_of_sqlite(path: Path, out: Path) -> list[Piece]:
    """One piece for each table that is stored (no views: what they call is anybody's).

    :raises Unserved: no database of SQLite, or a damaged one.
    """
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise Unserved("not served: no database of SQLite")
    if path.stat().st_size > _MOST_BYTES:
        raise Unserved(f"not served: a database of more than {_MOST_BYTES >> 20} MB")
    read = _settled(path, out)
    try:
        with closing(sqlite3.connect(f"file:{quote(str(read))}?mode=ro&immutable=1", uri=True)) as db:
            # generated columns compute what no page holds
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE_BYTES)
            allowance = Allowance(path.stat().st_size, MOST_BYTES)
            db.text_factory = lambda data: data.decode("utf-8", errors="replace")
            names = [str(row[0]) for row in db.execute(_TABLES)]
            return [_table(db, path, name, out / f"{i}.jsonl", allowance) for i, name in enumerate(names)]
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


def _table(db: sqlite3.Connection, path: Path, name: str, target: Path, allowance: Allowance) -> Piece:
    cursor = db.execute(f"SELECT * FROM {quoted(name)}")
    header = [str(column[0]) for column in cursor.description]
    sql = write_rows(header, _counted(cursor, name, allowance), target)
    return Piece(path, target, name, sql, (f"table {name} of {path.name}",))


def _counted(rows: Iterable[tuple[Any, ...]], name: str, allowance: Allowance) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        allowance.take(sum(len(cell) if isinstance(cell, str | bytes) else 8 for cell in row), name)
        yield row
