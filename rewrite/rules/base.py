"""What a rule is: a name, its guards, and a function from a query block to equivalent blocks.

A *guard* is one precondition with a name. Rules ask `Context.holds(name, condition)`, so that a test can
switch single guards off and see the checker refuse what comes out. Must not know any particular rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts, labels
from rewright.sql.walk import Fresh


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A block that may stand for the one a rule was given.

    ``assumptions``: names of constraints relied on. ``literal``: sound only for these constants (M18).
    """

    block: a.Query
    why: str
    assumptions: frozenset[str] = frozenset()
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """What a rule may know besides the block: the schema, visible CTEs, free numbers.

    ``off`` names guards (``rule.guard``) that are not asked; only tests set it.
    """

    facts: Facts
    fresh: Fresh
    ctes: Mapping[int, a.Cte] = field(default_factory=dict)
    off: frozenset[str] = frozenset()
    # the block is the whole statement: its ORDER BY is visible and its column names are the result's
    top: bool = False

    @property
    def catalog(self) -> Catalog:
        return self.facts.catalog

    def keys(self, item: a.FromItem) -> list[tuple[frozenset[int], frozenset[str]]]:
        """Sets of columns that no two rows of an item share, with the names of the constraints by which they do not."""
        return [(columns, labels(basis)) for columns, basis in self.facts.keys_of_item(item)]

    def column_filled(self, item: a.FromItem, pos: int) -> bool:
        """Whether a column of an item is never NULL in its rows."""
        return not isinstance(item, a.Join) and (item.rel, pos) in self.facts.nonnull_in_from(item)

    def filled(self, expr: a.Expr, items: Iterable[a.FromItem]) -> frozenset[str] | None:
        """The names of the constraints by which ``expr`` is never NULL over rows of ``items``; None where it may be."""
        basis = self.facts.filled(expr, items)
        return None if basis is None else labels(basis)

    def holds(self, guard: str, condition: bool) -> bool:
        return condition or guard in self.off


Category = Literal["join", "predicate", "cte", "constant", "others"]
Apply = Callable[[a.Query, Context], Iterator[Rewrite]]


@dataclass(frozen=True, slots=True)
class Rule:
    """``guards`` lists every name that ``apply`` asks, without the rule's own name before it."""

    name: str
    apply: Apply
    guards: tuple[str, ...] = ()
    calcite: str = ""
    # rough promise, higher first, where nothing is known about a query
    priority: int = 50
    category: Category = "others"
    # EXPLAIN does not see what it gains (or sees far too much): tried last, on the best states; runs decide
    blind: bool = False
