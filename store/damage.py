"""An SQLite file that can't be read any more is set aside, whole, so that a new one can be made.

Owns what counts as damaged, whose file it may be, and its new name. Nothing is ever deleted. Must not know
the tables.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

MAGIC = b"SQLite format 3\0"
# a damaged file without SQLite's first bytes counts as a store only under such a name
SUFFIXES = frozenset({".db", ".sqlite", ".sqlite3"})
# primary result codes; extended ones add bits above (sqlite.org/rescode.html)
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def is_damage(error: BaseException | None) -> bool:
    """Whether SQLite says that the file itself is broken, not that it is busy, full or unreadable."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.Error) and code is not None and code & 0xFF in _DAMAGED


def set_aside(file: Path) -> Path | None:
    """Rename a damaged store, with what belongs to it; its new name, or None where there is nothing to do.

    Looked at again under a lock: of several processes one renames, and nobody renames what is new. A file
    that never was a database stays where it is, unless it is named like one. Raises OSError.
    """
    with _locked(file):
        if not file.is_file() or not _is_ours(file) or not _is_damaged(file):
            return None
        kept = _free_name(file)
        # the log first: the new file must not meet the old log
        for suffix in ("-wal", "-shm", ""):
            part = file.with_name(file.name + suffix)
            if part.exists():
                # renamed, not removed: what can be read of it may be wanted
                part.rename(kept.with_name(kept.name + suffix))
        return kept


def _is_ours(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(len(MAGIC)) == MAGIC or file.suffix.lower() in SUFFIXES


def _is_damaged(file: Path) -> bool:
    try:
        with closing(sqlite3.connect(file, timeout=2.0)) as connection:
            # quick_check(1) stops at the first fault
            return bool(connection.execute("pragma quick_check(1)").fetchone() != ("ok",))
    except sqlite3.Error as error:
        return is_damage(error)


def _free_name(file: Path) -> Path:
    stem = f"{file.name}.damaged-{time.strftime('%Y%m%dT%H%M%S')}"
    names = (file.with_name(stem + (f"-{number}" if number else "")) for number in range(10_000))
    return next(name for name in names if not name.exists())


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """One process at a time, by a lock on the file's directory."""
    opened = os.open(file.parent, os.O_RDONLY)
    try:
        # flock goes with the descriptor, also where the process is killed
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)
