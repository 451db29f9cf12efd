"""Conditions that may fail, and what is asked beside them in which order and words: the same in both queries,
or a difference that their rows do not show.

Forms of queries fold constants, take subqueries apart and word conditions anew (`b + 0 = 1` as `b = 1`), so
that they can't tell by themselves what the planner asks first (`worded`). Looked at as the client wrote it,
with plain subqueries in FROM pulled up. Must not know forms or terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.walk import all_exprs, all_queries, conjuncts, map_kind

from .fences import ERRORS
from .pulling import PullUp, computed_ctes, is_not_pulled_up, makes_rows_apart
from .taken import ZONES, takes_field, takes_format
from .worded import JOINED, worded

_MOMENTS = frozenset({"timestamp", "timestamptz"})
# a condition, and the relations whose columns it reads
_Asked = tuple[a.Expr, frozenset[int]]


def worded_otherwise(first: a.Query, second: a.Query, catalog: Catalog) -> frozenset[str]:
    """The reservation of queries in which something that may fail is asked beside other conditions, or beside
    the same in another order or other words.

    :raises Unsupported: outputs of subqueries are very large in their full length.
    """
    ours, theirs = (_Orders(q, catalog).told() for q in (first, second))
    return frozenset() if ours == theirs else ERRORS


class _Orders:
    """The orders of one query's conditions."""

    def __init__(self, query: a.Query, catalog: Catalog) -> None:
        self.query, self.facts = query, Facts(catalog, query)
        computed = computed_ctes(query)
        self.ctes = {c.cte: c.query for q in all_queries(query) for c in q.ctes if c.cte not in computed}
        self.pull_up = PullUp(self.ctes, computed)

    def told(self) -> Counter[tuple[str, ...]]:
        """For each condition that may fail its words, and those of what is asked of the same rows, as it is
        written.
        """
        found: Counter[tuple[str, ...]] = Counter()
        pulled = {id(q) for block in all_queries(self.query) for q in self._pulled_up(block)}
        for block in all_queries(self.query):
            if isinstance(block, a.Select) and id(block) not in pulled:
                found.update(self._of(list(self._conditions(block))))
                found.update(self._of([(c, frozenset()) for c in conjuncts(block.having)]))
        return found

    def _of(self, asked: list[_Asked]) -> Iterator[tuple[str, ...]]:
        for condition, rels in asked:
            if _is_joined(condition) or not self._may_fail(condition):
                continue
            beside = tuple(worded(c) for c, others in asked if others <= rels and not _is_joined(c))
            # alone it comes before nothing
            if len(beside) > 1:
                yield (worded(condition), *beside)

    def _may_fail(self, condition: a.Expr) -> bool:
        return bool(self.facts.errors(map_kind(condition, a.Call, _of_a_moment)) - OVERFLOW)

    def _conditions(self, block: a.Select) -> Iterator[_Asked]:
        """Those of the block and of the subqueries that are pulled up into it, innermost first."""
        own = set(self._own(block))
        for c in self._written(block):
            read = {e.rel for e in all_exprs(c) if isinstance(e, a.Column)}
            yield c, frozenset(read & own)

    def _written(self, block: a.Select) -> Iterator[a.Expr]:
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

    def _own(self, block: a.Select) -> Iterator[int]:
        left = list(block.from_)
        while left:
            item = left.pop()
            if isinstance(item, a.Join):
                left += [item.left, item.right]
            elif (inner := self._inner(item)) is not None:
                left += inner.from_
            else:
                yield item.rel

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


def _of_a_moment(call: a.Call) -> a.Expr:
    """A moment in a zone, cut or written as every server takes it, as something that can't fail."""
    moments = [x for x in call.args if not isinstance(x, a.Const)]
    said = [x.value if isinstance(x, a.Const) else None for x in call.args]
    # the ends of time aside, as in terms
    if not call.func.is_builtin or len(moments) != 1 or moments[0].type.name not in _MOMENTS:
        return call
    match call.func.name, said:
        case "timezone", [str(zone), None]:
            takes = zone in ZONES
        case "date_trunc", [str(field), None, *zones]:
            takes = takes_field("date_trunc", field, moments[0].type.name) and set(zones) <= ZONES
        case "to_char", [None, str(text)]:
            takes = takes_format(text, moments[0].type)
        case _:
            takes = False
    return a.Const(None, call.type) if takes and isinstance(moments[0], a.Column) else call


def _is_joined(condition: a.Expr) -> bool:
    return isinstance(condition.arg if isinstance(condition, a.Not) else condition, JOINED)
