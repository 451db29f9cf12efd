"""Conditions that may fail, and what is asked beside them in which order and words: the same in both queries,
or a difference that their rows do not show.

Forms of queries fold constants, take subqueries apart and word conditions anew (`b + 0 = 1` as `b = 1`), so
that they can't tell by themselves what the planner asks first (`worded`). Looked at as the client wrote it,
with plain subqueries in FROM pulled up. Must not know forms or terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.facts.moments import may_come_first
from rewright.sql.facts.taken import takes
from rewright.sql.walk import (
    SUBQUERIES,
    all_exprs,
    all_queries,
    children,
    conjuncts,
    free_rels,
    map_kind,
    walk,
)

from .fences import ERRORS, conditions
from .plain_values import has_a_value
from .pulling import PullUp, asked_by_row, computed_ctes, is_not_pulled_up, makes_rows_apart, spelled
from .worded import is_joined, worded

_MOMENTS = frozenset({"timestamp", "timestamptz"})
_OF_MOMENTS = frozenset({"timezone", "date_trunc", "to_char"})


def worded_otherwise(first: a.Query, second: a.Query, catalog: Catalog) -> frozenset[str]:
    """The reservations of queries in which something that may fail is asked beside other conditions, or
    beside the same in another order or other words; and of those of which the second asks what the first one
    only shows, and that may leave its type.

    :raises Unsupported: outputs of subqueries are very large in their full length.
    """
    ours, theirs = (_Orders(q, catalog) for q in (first, second))
    found = frozenset() if ours.told() == theirs.told() else ERRORS
    return found | (OVERFLOW if theirs.asks_more(ours) else frozenset())


@dataclass(frozen=True, slots=True)
class _Asked:
    """Where something is computed in a condition: of one row after another (``by_row``), only if what stands
    before it does not decide (``behind``), of rows that are asked something ``first``, or that are ``joined``
    to rows of other tables.
    """

    by_row: bool
    behind: bool
    first: frozenset[str]
    joined: frozenset[str]


class _Orders:
    """The orders of one query's conditions."""

    def __init__(self, query: a.Query, catalog: Catalog) -> None:
        self.query, self.facts = query, Facts(catalog, query)
        computed = computed_ctes(query)
        self.ctes = {c.cte: c.query for q in all_queries(query) for c in q.ctes if c.cte not in computed}
        self.pull_up = PullUp(self.ctes, computed)
        self.by_row = asked_by_row(query)
        # by block what is asked beside its conditions, once somebody wants to know
        self.levels: dict[int, list[a.Expr]] = {}
        self.tables = {n.rel: n.table for n in walk(query) if isinstance(n, a.Scan)}

    def told(self) -> Counter[tuple[str, ...]]:
        """For each condition that may fail its words, and those of all that is asked of the rows of its
        level, as it is written.
        """
        found: Counter[tuple[str, ...]] = Counter()
        pulled = {id(q) for block in all_queries(self.query) for q in self._pulled_up(block)}
        for block in all_queries(self.query):
            if isinstance(block, a.Select) and id(block) not in pulled:
                found.update(self._of(list(self._written(block))))
                found.update(self._of(conjuncts(block.having)))
        return found

    def asks_more(self, other: _Orders) -> bool:
        """Whether an output that may leave its type is asked, of more rows than where it is shown, that the
        other query does not ask, or only of one row after another, or of rows that are asked something else
        first. What conditions compute themselves is compared by terms.
        """
        asked = list(self._asked_outputs())
        if not asked:
            return False
        computed: dict[str, list[_Asked]] = {}
        for part, found in other._asked():
            computed.setdefault(other._spelled(part), []).append(found)
        return any(
            not any(_is_as_much(x, found) for x in computed.get(self._spelled(part), ()))
            for part, found in asked
        )

    def _asked_outputs(self) -> Iterator[tuple[a.Expr, _Asked]]:
        """The outputs of subqueries that are pulled up and asked, that may leave their type."""
        for block, asked in self._conditions():
            whole = self.pull_up.inlined(asked, block)
            for c, behind in _placed(asked):
                made = self.pull_up.inlined(c, block) if isinstance(c, a.Column) else c
                if made is not c and self.facts.may_overflow(a.Select((), where=made)):
                    yield made, self._asked_in(whole, made, block, behind=behind)

    def _asked(self) -> Iterator[tuple[a.Expr, _Asked]]:
        """All that is computed in conditions; those of HAVING on keys are asked of rows."""
        groups = ((b, b.having) for b in all_queries(self.query) if isinstance(b, a.Select) and b.having)
        for block, c in (*self._conditions(), *groups):
            whole = self.pull_up.inlined(c, block)
            placed = (x for conjunct in conjuncts(whole) for x in _placed(conjunct))
            for part, behind in placed:
                yield part, self._asked_in(whole, part, block, behind=behind)

    def _asked_in(self, whole: a.Expr, part: a.Expr, block: a.Select, *, behind: bool) -> _Asked:
        rels = free_rels(part)
        beside = self._beside(block)
        before = beside[: beside.index(whole)] if whole in beside else []
        # what costs no more than a comparison, and what is written before and is no subquery
        first = [c for c in beside if may_come_first(c)]
        first += [c for c in before if not any(isinstance(n, SUBQUERIES) for n in walk(c))]
        own = frozenset(self._spelled(c) for c in first if (read := free_rels(c)) and read <= rels)
        # what is equated is computed by itself, for a hash
        joined = () if worded(whole).startswith("equation") else free_rels(whole) - rels
        tables = frozenset(str(self.tables[r]) for r in joined if r in self.tables)
        return _Asked(id(block) in self.by_row, behind, own, tables)

    def _beside(self, block: a.Select) -> list[a.Expr]:
        """The conditions that are asked beside those of a block."""
        if not self.levels:
            inner = {id(q) for b in all_queries(self.query) for q in self._pulled_up(b)}
            for root in all_queries(self.query):
                if isinstance(root, a.Select) and id(root) not in inner:
                    asked, left = list(self._written(root)), [root]
                    while left:
                        self.levels[id(here := left.pop())] = asked
                        left += self._pulled_up(here)
        return self.levels.get(id(block), [])

    def _conditions(self) -> Iterator[tuple[a.Select, a.Expr]]:
        for block in all_queries(self.query):
            if isinstance(block, a.Select):
                yield from ((block, c) for c in conditions(block))

    def _spelled(self, expr: a.Expr) -> str:
        tables = (self.tables.get(c.rel) for c in all_exprs(expr) if isinstance(c, a.Column))
        return f"{spelled(expr)} of {list(tables)}"

    def _of(self, asked: Sequence[a.Expr]) -> Iterator[tuple[str, ...]]:
        kept = [c for c in asked if not is_joined(c)]
        words = tuple(worded(leaf) for c in kept for leaf in _leaves(c))
        # alone it comes before nothing
        if len(words) > 1:
            yield from ((worded(c), *words) for c in kept if self._may_fail(c))

    def _may_fail(self, condition: a.Expr) -> bool:
        return bool(self.facts.errors(map_kind(condition, a.Call, _surely)) - OVERFLOW)

    def _written(self, block: a.Select) -> Iterator[a.Expr]:
        """The conditions of a block and of the subqueries that are pulled up into it, innermost first."""
        for item in block.from_:
            yield from self._of_item(item, block)
        yield from (self.pull_up.inlined(c, block) for c in conjuncts(block.where))

    def _of_item(self, item: a.FromItem, block: a.Select) -> Iterator[a.Expr]:
        if isinstance(item, a.Join):
            yield from self._of_item(item.left, block)
            yield from self._of_item(item.right, block)
            yield from (self.pull_up.inlined(c, block) for c in conjuncts(item.on))
        elif (inner := self._inner(item)) is not None:
            yield from self._written(inner)

    def _pulled_up(self, block: a.Query) -> Iterator[a.Select]:
        left = list(block.from_) if isinstance(block, a.Select) else []
        while left:
            item = left.pop()
            if isinstance(item, a.Join):
                left += [item.left, item.right]
            elif (inner := self._inner(item)) is not None:
                yield inner

    def _inner(self, item: a.FromItem) -> a.Select | None:
        """The plain subquery that is pulled up in the item's place."""
        match item:
            case a.Derived(query=query):
                pass
            case a.CteScan(cte=cte) if cte in self.ctes:
                query = self.ctes[cte]
            case _:
                return None
        apart = makes_rows_apart(query) or is_not_pulled_up(query)
        return query if isinstance(query, a.Select) and not apart else None


def _is_as_much(original: _Asked, replacement: _Asked) -> bool:
    """Whether the original asks something of all rows of which the replacement does."""
    decided = (original.behind and not replacement.behind) or (original.by_row and not replacement.by_row)
    return not decided and original.first <= replacement.first and original.joined <= replacement.joined


def _placed(expr: a.Expr, *, behind: bool = False) -> Iterator[tuple[a.Expr, bool]]:
    """The parts of an expression, but for subqueries, and whether something before each decides if it is
    evaluated.
    """
    yield expr, behind
    surely: set[int] | None = None
    match expr:
        case a.Case() | a.Coalesce() | a.And() | a.Or():
            surely = {0}
        # its left side, and the first of what it is compared with
        case a.InList():
            surely = {0, 1}
        case a.RowCompare(left=left):
            surely = {0, len(left)}
    for n, child in enumerate(children(expr)):
        yield from _placed(child, behind=behind or (surely is not None and n not in surely))


def _surely(call: a.Call) -> a.Expr:
    """A date that is written out, or a moment in a zone, cut or written as servers take it, as something
    that can't fail.
    """
    said = [x.value if isinstance(x, a.Const) else None for x in call.args]
    read = [x for x in call.args if not isinstance(x, a.Const)]
    if not call.func.is_builtin:
        sure = False
    elif not read:
        values = [x for x in said if x is not None]
        name = f"pg_catalog.{call.func.name}({','.join(call.func.arg_types)})"
        sure = len(values) == len(said) and has_a_value(name, values)
    else:
        # the ends of time aside, as in terms
        known = call.func.name in _OF_MOMENTS and len(read) == 1 < len(said)
        sure = known and _is_moment(read[0]) and takes(call.func.name, said, [x.type for x in call.args])
    return a.Const(None, call.type) if sure else call


def _is_moment(x: a.Expr) -> bool:
    """Whether it is a column, or a day or local time of one as a moment."""
    read = x.arg if isinstance(x, a.Cast) and x.method == "func" else x
    stored = isinstance(read, a.Column) and read.type.name in _MOMENTS | {"date"}
    return stored and x.type.name in _MOMENTS


def _leaves(condition: a.Expr) -> Iterator[a.Expr]:
    """What a condition is put together of: NOT (p OR q) is taken apart by the planner as q AND p are."""
    match condition:
        case a.And(args) | a.Or(args):
            for arg in args:
                yield from _leaves(arg)
        case a.Not(arg) if not is_joined(condition):
            yield from _leaves(arg)
        case _:
            yield condition
