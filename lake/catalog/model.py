"""The catalog's records: tables, columns, value summaries. Pure data; must not know files or SQL engines."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from rewright.lake import names

VALUE_LIMIT = 2000
"""Distinct values kept per column (thesis 5.3 searches columns up to 2,000)."""
SKETCH_SIZE = 1024


class Family(StrEnum):
    """Type families: what operations make sense."""

    INTEGER = "integer"
    FLOAT = "float"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    NESTED = "nested"

    @property
    def numeric(self) -> bool:
        return self in {Family.INTEGER, Family.FLOAT}


class Noise(StrEnum):
    """Kinds of irregularity a column's values show (thesis 6.1). FORMATTED is no damage: numbers written
    throughout with separators or a sign, which only a query that calculates needs cleaned.
    """

    BLANKS = "blanks"
    SPELLINGS = "spellings"
    NUMBERS = "numbers"
    DATES = "dates"
    BOOLEANS = "booleans"
    MOJIBAKE = "mojibake"
    FORMATTED = "formatted"


@dataclass(frozen=True, slots=True)
class Column:
    """A column's profile. `minimum`/`maximum` are texts; `meaning` is the family after cleaning."""

    table: str
    name: str
    position: int
    type: str
    family: Family
    meaning: Family
    rows: int
    nulls: int
    distinct: int
    minimum: str | None
    maximum: str | None
    samples: tuple[str, ...]
    noise: tuple[Noise, ...] = ()
    digits: bool = False

    @property
    def numeral(self) -> bool:
        """An integer column, or a text column of digits."""
        return self.digits or self.family is Family.INTEGER

    @property
    def uniqueness(self) -> float:
        """Distinct values per non-null row, 0 to 1."""
        filled = self.rows - self.nulls
        return self.distinct / filled if filled > 0 else 0.0

    @property
    def unique(self) -> bool:
        return self.rows > 0 and self.nulls == 0 and self.distinct == self.rows

    @property
    def key(self) -> tuple[str, str]:
        return (self.table, self.name)

    def bounds(self) -> tuple[float, float] | None:
        """Numeric range, or None where it has none."""
        try:
            return (float(self.minimum or ""), float(self.maximum or ""))
        except ValueError:
            return None


VIEW = "view "
"""How the note of a view begins."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table's profile and where it came from."""

    name: str
    path: Path
    bytes: int
    mtime_ns: int
    digest: str
    scan: str
    rows: int
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    """The lake's files that hold its rows, where they are not `path` alone."""

    @property
    def derived(self) -> bool:
        """Is it a view, whose rows other tables hold?"""
        return any(note.startswith(VIEW) for note in self.notes)

    def column(self, name: str) -> Column | None:
        """The column of that name, whatever its case."""
        lowered = name.lower()
        # two columns may differ in their case alone
        return next((c for c in self.columns if c.name == name), None) or next(
            (c for c in self.columns if c.name.lower() == lowered), None
        )

    def snippet(self) -> str:
        """Thesis 5.1.1: the table's name and its columns' names as words."""
        return " ".join([names.expanded(self.name), *(names.expanded(c.name) for c in self.columns)])


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that is no table, and why."""

    path: Path
    reason: str
    bytes: int = 0
    mtime_ns: int = 0


@dataclass(frozen=True, slots=True)
class Values:
    """A column's distinct values with counts, most frequent first, and a sketch of their hashes.

    `complete`: all distinct values are listed. `sketch`: the smallest SKETCH_SIZE 64-bit hashes, sorted (a
    bottom-k sketch, Beyer et al. 2007): exact while there are fewer.
    """

    counts: tuple[tuple[str, int], ...]
    complete: bool
    sketch: Any = field(repr=False)
