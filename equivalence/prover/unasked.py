"""Outputs of subqueries that no condition reads: these are computed of rows that have met the WHERE beside
them.

    SELECT sum(q) FROM (SELECT 100 / y AS q FROM t WHERE y <> 0) x         never divides by zero
    SELECT q FROM (SELECT 100 / y AS q FROM t WHERE y <> 0) x WHERE q > 3  asks `100 / y > 3` beside `y <> 0`
    … t LEFT JOIN LATERAL (SELECT 100 / t.y AS q FROM u WHERE t.y > 0 AND …) x ON TRUE           divides first

The planner may pull a subquery up into the one around it, push a condition into it, or run it by itself. What
it shows then stands in a list of targets, of grouping keys or of arguments, all computed at the scans of its
rows or above, where the conditions on these have been asked; only a condition may be asked first. What a
subquery below an outer join asks of the rows beside it (LATERAL) is a condition of that join, and asked
behind what the subquery shows. Of UNION ALL the planner asks whether a least or greatest value is there
(`build_minmax_path`). Must not know forms or terms.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.sql import algebra as a
from rewright.sql.walk import all_exprs, all_queries, conjuncts, free_rels, leaves, walk, walk_block

from .fences import conditions
from .stopping import is_extreme


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
        # those that an outer join may put NULLs for
        self._padded = {id(q) for n in nodes if isinstance(n, a.Join) for q in _padded(n)}
        left = [c for q in all_queries(query) for c in (*_conditions(q), *self._extremes(q))]
        while left:
            left += [e for n in walk(left.pop()) for e in self._made_of(n)]

    def unasked(self, block: a.Select) -> frozenset[int]:
        """The numbers of the block's outputs that no condition reads."""
        asked = self._read.get(id(block))
        return frozenset() if asked is None else frozenset(range(len(block.targets))) - asked

    def met(self, block: a.Select) -> tuple[a.Expr, ...]:
        """The conditions of WHERE that are met where the block's rows are scanned: all, but below an outer
        join, where it reads rows beside it, only those that read a table of its own.
        """
        asked = conjuncts(block.where)
        if id(block) not in self._padded or not free_rels(block):
            return tuple(asked)
        stored = {x.rel for x in leaves(block.from_) if isinstance(x, a.Scan)}
        read = ({e.rel for e in all_exprs(c) if isinstance(e, a.Column)} for c in asked)
        return tuple(c for c, rels in zip(asked, read, strict=True) if rels & stored)

    def _extremes(self, query: a.Query) -> Iterator[a.Expr]:
        """The arguments of min() and the like of which the planner asks whether they are there."""
        if isinstance(query, a.Select) and self._is_of_arms(query):
            calls = (n for n in walk_block(query) if isinstance(n, a.Aggregate) and is_extreme(n))
            yield from (x for c in calls for x in c.args)

    def _is_of_arms(self, query: a.Query) -> bool:
        """Whether a block ranges over a set operation, or over a subquery that does."""
        while isinstance(query, a.Select) and len(query.from_) == 1:
            item = query.from_[0]
            if isinstance(item, a.Join) or item.rel not in self._below:
                return False
            query = self._below[item.rel]
        return isinstance(query, a.SetOp)

    def _made_of(self, read: a.Node) -> Iterator[a.Expr]:
        """What the column of a subquery, or its row as a whole, is made of, once."""
        if not isinstance(read, a.Column | a.WholeRow) or read.rel not in self._below:
            return
        for arm in _arms(self._below[read.rel]):
            asked = self._read[id(arm)]
            wanted = range(len(arm.targets)) if isinstance(read, a.WholeRow) else (read.pos,)
            for pos in wanted:
                if pos not in asked and pos < len(arm.targets):
                    asked.add(pos)
                    yield arm.targets[pos].expr


def _padded(join: a.Join) -> Iterator[a.Query]:
    """The subqueries on the sides of a join whose rows it may put NULLs for, with all in them."""
    sides = {"left": (join.right,), "right": (join.left,), "full": (join.left, join.right)}
    for item in leaves(sides.get(join.kind, ())):
        if isinstance(item, a.Derived):
            yield from all_queries(item.query)


def _arms(query: a.Query) -> Iterator[a.Select]:
    match query:
        case a.Select():
            yield query
        case a.SetOp(left=left, right=right):
            yield from _arms(left)
            yield from _arms(right)


def _conditions(query: a.Query) -> Iterator[a.Expr]:
    """The conditions of a block: HAVING on keys alone is asked of its rows."""
    if isinstance(query, a.Select):
        yield from (*conditions(query), *conjuncts(query.having))
