"""The queries around an expression that is printed, and who prints those inside it. Must not know words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rewright.engines.duckdb.dialect.tree import Node


@dataclass(slots=True)
class Level:
    """One query around an expression: its range table, what each entry is called here, and its CTEs."""

    rtable: Sequence[Node]
    names: dict[int, tuple[str, Sequence[str]]] = field(default_factory=dict)
    ctes: dict[str, tuple[str, Node]] = field(default_factory=dict)
    windows: Mapping[str, str] = field(default_factory=dict)


class Queries(Protocol):
    """What is needed of who prints queries."""

    def subquery(self, query: Node, levels: Sequence[Level], *, exists: bool = False) -> str: ...

    def folded(self, node: Node) -> Any:
        """A constant expression's value, worked out by PostgreSQL, as its text; None: NULL. Raises
        NotTranslated.
        """
