"""The replies that linking asks for, and its result.

Owns the forms; their words are part of the prompts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from rewright.ask.forms import says

Role = Literal["target", "filter", "bridge", "none"]


@dataclass(frozen=True, slots=True)
class Steps:
    """A schema-agnostic plan."""

    steps: tuple[str, ...] = says("one step, without names of tables or columns")


@dataclass(frozen=True, slots=True)
class Pruned:
    """What one pass says of one batch."""

    tables: tuple[str, ...] = says("a whole table", default=())
    columns: tuple[str, ...] = says("table.column", default=())


@dataclass(frozen=True, slots=True)
class PrunedTables:
    """What one pass says of the tables of one batch."""

    tables: tuple[str, ...] = says("a table", default=())


@dataclass(frozen=True, slots=True)
class TableRole:
    """What a table is for, in this question."""

    table: str
    role: Role
    columns: tuple[str, ...] = says("a column that may be needed", default=())
    why: str = says("a few words", default="")


@dataclass(frozen=True, slots=True)
class Roles:
    """Semantic linking."""

    tables: tuple[TableRole, ...]


@dataclass(frozen=True, slots=True)
class Probe:
    """One exploratory query."""

    sql: str = says("SELECT …")
    purpose: str = says("what it is to show", default="")


@dataclass(frozen=True, slots=True)
class Probes:
    """What to look at in one table."""

    queries: tuple[Probe, ...]


@dataclass(frozen=True, slots=True)
class Rejection:
    """A column that had been marked, and is not needed after all."""

    column: str = says("table.column")
    reason: str = says("why it is not needed", default="")


@dataclass(frozen=True, slots=True)
class Synthesis:
    """The final columns, or queries to run before deciding."""

    keep: tuple[str, ...] = says("table.column")
    rejected: tuple[Rejection, ...] = field(default=())
    queries: tuple[str, ...] = says("SELECT …", default=())


@dataclass(frozen=True, slots=True)
class Passages:
    """Numbers of the passages of a document that matter."""

    numbers: tuple[int, ...] = says("number of a passage", default=())


@dataclass(frozen=True, slots=True)
class Linking:
    """The result: columns by table, the plan, what was seen in the data, what was rejected and why."""

    selection: dict[str, list[str]]
    steps: tuple[str, ...] = ()
    seen: Mapping[str, str] = field(default_factory=dict)
    rejected: tuple[Rejection, ...] = ()
    whole: bool = False

    def observations(self, tables: Collection[str]) -> str:
        """What was seen in these tables."""
        return "\n\n".join(f"Seen in {t}:\n{text}" for t, text in self.seen.items() if t in tables)
