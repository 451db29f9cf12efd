"""Outputs of subqueries that no condition reads: these are computed of rows that have met the WHERE beside
them.

    SELECT sum(q) FROM (SELECT 100 / y AS q FROM t WHERE y <> 0) x         never divides by zero
    SELECT q FROM (SELECT 100 / y AS q FROM t WHERE y <> 0) x WHERE q > 3  asks `100 / y > 3` beside `y <> 0`

The planner may pull a subquery up into the one around it, push a condition into it, or run it by itself. What
it shows then stands in a list of targets, of grouping keys or of arguments, all computed at the scans of its
rows or above, where the conditions on these have been asked; only a condition may be asked first. Must not
know forms or terms.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.sql import algebra as a
from rewright.sql.walk import all_queries, walk


class Asked:
    """The outputs of one statement's blocks that conditions read, or may."""

    def __init__(self, query: a.Query) -> None:
        nodes = list(walk(query))
        ctes = {c.cte: c.query for q in all_queries(query) for c in q.ctes}
        self._below = {n.rel: n.query for n in nodes if isinstance(n, a.Derived)}
        self._below |= {n.rel: ctes[n.cte] for n in nodes if isinstance(n, a.CteScan) and n.cte in ctes}
        # the blocks whose outputs are read as columns, or are the result's, with the outputs that are asked
        self._read: dict[int, set[int]] = {}
        shown = [n.query for n in nodes if isinstance(n, a.ScalarSubquery)]
        for q in (query, *shown, *self._below.values()):
            self._read |= {id(arm): set() for arm in _arms(q)}
        left = [c for q in all_queries(query) for c in _conditions(q)]
        while left:
            left += [e for n in walk(left.pop()) if isinstance(n, a.Column) for e in self._made_of(n)]

    def unasked(self, block: a.Select) -> frozenset[int]:
        """The numbers of the block's outputs that no condition reads."""
        asked = self._read.get(id(block))
        return frozenset() if asked is None else frozenset(range(len(block.targets))) - asked

    def _made_of(self, column: a.Column) -> Iterator[a.Expr]:
        """What the column of a subquery is made of, once."""
        for arm in _arms(self._below[column.rel]) if column.rel in self._below else ():
            asked = self._read[id(arm)]
            if column.pos not in asked and column.pos < len(arm.targets):
                asked.add(column.pos)
                yield arm.targets[column.pos].expr


def _arms(query: a.Query) -> Iterator[a.Select]:
    match query:
        case a.Select():
            yield query
        case a.SetOp(left=left, right=right):
            yield from _arms(left)
            yield from _arms(right)


def _conditions(query: a.Query) -> Iterator[a.Expr]:
    """The conditions of a block: HAVING on keys alone is asked of its rows."""
    if not isinstance(query, a.Select):
        return
    yield from (c for c in (query.where, query.having) if c is not None)
    joins = (n for item in query.from_ for n in _joins(item))
    yield from (j.on for j in joins if j.on is not None)


def _joins(item: a.FromItem) -> Iterator[a.Join]:
    if isinstance(item, a.Join):
        yield item
        yield from _joins(item.left)
        yield from _joins(item.right)
