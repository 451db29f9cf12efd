"""Two readings of an uncertain query and the rows on which they differ: what somebody needs to say which one
was meant.

Owns the record and its words. Must not know how alternatives are found (rivals.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rewright.lake.catalog.model import Column

# rows in which two readings differ, their cells and characters: as much as fits into a hint
_SHOWN = 3
_CELLS = 6
_CELL = 40

Told = Counter[tuple[str, ...]]
"""Rows as texts, in any order."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a query: what it takes things to be, its SQL, and some rows that only it gives."""

    told: str
    sql: str
    rows: tuple[tuple[str, ...], ...]

    def text(self) -> str:
        """`city is shops.town: (Bonn, 3), (Ulm, 1)`."""
        shown = ", ".join(f"({', '.join(cell[:_CELL] for cell in row[:_CELLS])})" for row in self.rows)
        return f"{self.told}: {shown}" if shown else f"{self.told}: nothing more"


def readings(one: tuple[str, str, Told], two: tuple[str, str, Told]) -> tuple[Reading, Reading]:
    """Both readings (told, SQL, rows), each with rows that the other does not give."""
    (said, sql, rows), (said_else, sql_else, rows_else) = one, two
    return (
        Reading(said, sql, tuple(sorted((rows - rows_else).keys())[:_SHOWN])),
        Reading(said_else, sql_else, tuple(sorted((rows_else - rows).keys())[:_SHOWN])),
    )


def differing(
    names: Iterable[tuple[int, str]], mine: Mapping[int, Column], other: Mapping[int, Column]
) -> tuple[str, str]:
    """What the two take the imagined columns to be, where they differ. `names`: (position, imagined name)."""
    here, there = [], []
    for at, name in names:
        a, b = mine.get(at), other.get(at)
        if a is not b and (a is None or b is None or a.key != b.key):
            here.append(f"{name} is {_called(a)}")
            there.append(f"{name} is {_called(b)}")
    return ", ".join(here), ", ".join(there)


def _called(column: Column | None) -> str:
    return f"{column.table}.{column.name}" if column is not None else "nothing"
