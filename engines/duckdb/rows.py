"""What a lake's database is made of and gives: sources of tables, finished results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Source:
    """One table of the lake: its file and the scan that reads it."""

    name: str
    path: Path
    sql: str
    bytes: int
    files: tuple[Path, ...] = ()
    """All files that hold its rows, where they are not `path` alone."""

    def stamp(self) -> tuple[tuple[int, int], ...]:
        """Changes when a file does. Raises OSError: one is gone."""
        # size and time of change; a file rewritten within the clock's resolution keeps its size rarely
        stats = [file.stat() for file in self.files or (self.path,)]
        return tuple((stat.st_size, stat.st_mtime_ns) for stat in stats)


@dataclass(frozen=True, slots=True)
class Rows:
    """A finished result: column names, DuckDB type names, rows of Python values."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    truncated: bool = False
