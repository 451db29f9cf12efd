"""What a rule is: a name, the blocks it looks at, its guards, and a function from such a block to equivalent
blocks.

A *guard* is one precondition with a name. Rules ask `Context.holds(name, condition)`, so that a test can
switch single guards off and see the checker refuse what comes out. Must not know any particular rule.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts, labels, may_differ
from rewright.sql.records import key_of
from rewright.sql.walk import QUERIES, Fresh, has_window, returns_set


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A block that may stand for the one a rule was given.

    ``assumptions``: names of constraints relied on. ``literal``: sound only for these constants (M18).
    ``way``: blocks between the two, in order, where a step to each is easier to prove than the whole.
    """

    block: a.Query
    why: str
    assumptions: frozenset[str] = frozenset()
    literal: bool = False
    way: tuple[a.Query, ...] = ()


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
    # what conditions of operands have said of the block: dozens of rules ask the same
    asked: dict[Callable[[Any], bool], bool] = field(default_factory=dict, compare=False, repr=False)

    @property
    def catalog(self) -> Catalog:
        return self.facts.catalog

    def keys(self, item: a.FromItem) -> list[tuple[frozenset[int], frozenset[str]]]:
        """Sets of columns that no two rows of an item share, with the names of the constraints by which they
        do not.
        """
        return [(columns, labels(basis)) for columns, basis in self.facts.keys_of_item(item)]

    def column_filled(self, item: a.FromItem, pos: int) -> bool:
        """Whether a column of an item is never NULL in its rows."""
        return not isinstance(item, a.Join) and (item.rel, pos) in self.facts.nonnull_in_from(item)

    def filled(self, expr: a.Expr, items: Iterable[a.FromItem]) -> frozenset[str] | None:
        """The names of the constraints by which ``expr`` is never NULL over rows of ``items``; None where it
        may be.
        """
        basis = self.facts.filled(expr, items)
        return None if basis is None else labels(basis)

    def alike(self, exprs: Iterable[a.Expr], items: Iterable[a.FromItem]) -> bool:
        """Whether equal values of expressions over rows of ``items`` look the same: either may stand for
        both.
        """
        shown = tuple(a.Target("", e) for e in exprs)
        return None not in self.facts.looks(a.Select(shown, tuple(items)))

    def is_row(self, expr: a.Expr) -> bool:
        """Whether an expression is of a row type: IS NULL looks at its fields, so that neither it nor IS NOT
        NULL says what count(x), COALESCE and joins see.
        """
        info = self.catalog.type(key_of(expr.type))
        while info.kind == "d":
            info = self.catalog.type(info.base)
        # a row without a name of its own is the pseudo-type record
        return info.kind == "c" or expr.type.name == "record"

    def holds(self, guard: str, condition: bool) -> bool:
        # a guard switched off holds always: the rule goes on without its precondition
        return condition or guard in self.off

    # the block is always the one that `asked` was made for: conditions are the keys, not blocks
    def meets(self, condition: Callable[[Any], bool], block: a.Query) -> bool:
        """Whether the block that a rule is given meets a condition of its operand."""
        if condition not in self.asked:
            self.asked[condition] = condition(block)
        return self.asked[condition]


# --------------------------------------------------------------------------- operands


Q = TypeVar("Q", bound=a.Query)


@dataclass(frozen=True, slots=True)
class Operand(Generic[Q]):
    """Which blocks a rule is given, declared: a class of query nodes and conditions, as the operands of
    Calcite's rules.

    ``top``: only the block that is the whole statement.
    """

    kind: tuple[type[Q], ...]
    conditions: tuple[Callable[[Q], bool], ...] = ()
    top: bool = False

    def where(self, *conditions: Callable[[Q], bool]) -> Operand[Q]:
        """This operand under further conditions, the cheapest first."""
        return replace(self, conditions=(*self.conditions, *conditions))

    def whole(self) -> Operand[Q]:
        """This operand as the whole statement."""
        return replace(self, top=True)

    def matches(self, block: a.Query, ctx: Context) -> bool:
        # rules for the whole statement change what a subquery's surroundings may still read: order, names
        if not isinstance(block, self.kind) or (self.top and not ctx.top):
            return False
        return all(ctx.meets(holds, block) for holds in self.conditions)


def grouped(block: a.Select) -> bool:
    """Grouped in one way, GROUP BY () included: `walk.group_keys` gives the expressions."""
    return block.group_by is not None and len(block.group_by) == 1


def aggregated(block: a.Select) -> bool:
    """Grouped in one way or in several."""
    return block.group_by is not None


def ungrouped(block: a.Select) -> bool:
    return block.group_by is None


def reads_tables(block: a.Select) -> bool:
    return bool(block.from_)


def one_source(block: a.Select) -> bool:
    """FROM is one item, which may be a join."""
    return len(block.from_) == 1


def filtered(block: a.Select) -> bool:
    return block.where is not None


def not_distinct(block: a.Select) -> bool:
    return block.distinct is None


def no_windows(block: a.Select) -> bool:
    return not any(has_window(t.expr) for t in block.targets)


def no_sets(block: a.Select) -> bool:
    """No target returns sets."""
    return not any(returns_set(t.expr) for t in block.targets)


def stable(block: a.Query) -> bool:
    """Nothing in it gives something else when it is evaluated again."""
    return not may_differ(block)


QUERY: Operand[a.Query] = Operand(QUERIES)
SELECT: Operand[a.Select] = Operand((a.Select,))
SET_OPERATION: Operand[a.SetOp] = Operand((a.SetOp,))

# --------------------------------------------------------------------------- rules


Category = Literal["join", "predicate", "cte", "constant", "others"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A function from blocks that its operand matches to equivalent ones. ``guards`` lists every name that it
    asks for with `Context.holds`. ``known_as``: what Calcite or the literature calls it.
    """

    name: str
    operand: Operand[Any]
    find: Callable[[Any, Context], Iterator[Rewrite]]
    guards: tuple[str, ...] = ()
    known_as: str = ""
    # rough promise, higher first, where nothing is known about a query
    priority: int = 50
    category: Category = "others"
    # EXPLAIN does not see what it gains (or sees far too much): tried last, on the best states; runs decide
    blind: bool = False
    # what EXPLAIN sees of a blind rule is too much: where even that is no gain, it is not tried
    flattered: bool = False
    # how many times dearer than elsewhere its results may look: what it takes away is priced by a guess
    slack: float = 1.0
    # rules whose steps it would take back: it is not applied after them
    not_after: frozenset[str] = frozenset()

    def apply(self, block: a.Query, ctx: Context) -> Iterator[Rewrite]:
        if self.operand.matches(block, ctx):
            yield from self.find(block, ctx)

    @property
    def doc(self) -> str:
        """What the rule does, with an example: its own words, or those of the module
        that is about it alone.
        """
        return self.find.__doc__ or sys.modules[self.find.__module__].__doc__ or ""


def rule(
    operand: Operand[Q],
    *,
    guards: tuple[str, ...] = (),
    known_as: str = "",
    priority: int = 50,
    category: Category = "others",
    blind: bool = False,
    flattered: bool = False,
    slack: float = 1.0,
    not_after: frozenset[str] = frozenset(),
) -> Callable[[Callable[[Q, Context], Iterator[Rewrite]]], Rule]:
    """Makes a function the rule that is called like it."""

    def made(find: Callable[[Q, Context], Iterator[Rewrite]]) -> Rule:
        return Rule(
            find.__name__,
            operand,
            find,
            guards,
            known_as,
            priority,
            category,
            blind,
            flattered,
            slack,
            not_after,
        )

    return made
