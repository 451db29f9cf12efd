"""The loop's memory between rounds: five bounded sections, and every query that was tried (thesis 4.2).

Owns eviction: the oldest entry goes when a section is full; an evicted table never comes back by itself.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Section(StrEnum):
    TABLES = "tables"
    JOINS = "joins"
    VALUES = "values"
    UDFS = "udfs"
    CTES = "ctes"


LIMITS = {Section.TABLES: 12, Section.JOINS: 8, Section.VALUES: 12, Section.UDFS: 8, Section.CTES: 6}
"""Most entries of each section."""


@dataclass(slots=True)
class Scratchpad:
    """Entries by section and key, oldest first."""

    limits: dict[Section, int] = field(default_factory=lambda: dict(LIMITS))
    _entries: dict[Section, OrderedDict[str, Any]] = field(
        default_factory=lambda: {s: OrderedDict() for s in Section}
    )
    evicted: set[str] = field(default_factory=set)

    def add(self, section: Section, key: str, entry: Any) -> None:
        """Add or renew an entry; the oldest one falls out of a full section."""
        held = self._entries[section]
        if section is Section.TABLES:
            # asked for by name it may come back
            self.evicted.discard(key)
        # taken out first, so that it is the newest again
        held.pop(key, None)
        held[key] = entry
        while len(held) > self.limits[section]:
            old, _ = held.popitem(last=False)
            if section is Section.TABLES:
                self.evicted.add(old)

    def evict(self, table: str) -> None:
        """Drop a table and keep it out of basic retrieval."""
        self._entries[Section.TABLES].pop(table, None)
        self.evicted.add(table)

    def entries(self, section: Section) -> list[tuple[str, Any]]:
        return list(self._entries[section].items())

    def tables(self) -> list[str]:
        return list(self._entries[Section.TABLES])

    def __iter__(self) -> Iterator[tuple[Section, str, Any]]:
        for section, held in self._entries.items():
            for key, entry in held.items():
                yield section, key, entry


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate and what running it gave."""

    sql: str
    reason: str
    rows: int | None
    preview: tuple[tuple[Any, ...], ...]
    columns: tuple[str, ...]
    error: str


@dataclass(slots=True)
class History:
    """Every candidate, by index; any of them can still be put out."""

    entries: list[Tried] = field(default_factory=list)

    def add(self, tried: Tried) -> int:
        """Its index."""
        self.entries.append(tried)
        return len(self.entries) - 1

    def seen(self, sql: str) -> bool:
        return any(" ".join(e.sql.split()) == " ".join(sql.split()) for e in self.entries)
