"""Early cuts of a union's arms that the block around makes anyway.

    SELECT * FROM ((SELECT 1 AS src, id FROM a ORDER BY id LIMIT 4) UNION ALL (SELECT 2, id FROM b ORDER BY id
    LIMIT 4)) u ORDER BY u.id, u.src LIMIT 4

The first four of all rows are among the first four of each arm, in the same order; a column that is constant
in an arm orders nothing there. As `rewright.equivalence.laws.limits` does where the union itself has the
LIMIT. Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rewright.equivalence.laws.forms import Form, Walk
from rewright.equivalence.laws.limits import covers, sorts_alike
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_volatile
from rewright.sql.walk import returns_set


def without_cut_arms(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, without cuts of arms that say nothing."""
    return _WithoutCutArms(catalog).form(query)


class _WithoutCutArms(Walk):
    def block(self, block: a.Select) -> a.Select:
        # a second item in FROM would multiply or drop rows, so that the block's first rows need not be the
        # arms'
        item = block.from_[0] if len(block.from_) == 1 else None
        if not isinstance(item, a.Derived) or block.limit is None or not block.order_by:
            # without ORDER BY the block keeps any rows, and the arms' cuts decide which: nothing says the
            # same then
            return block
        # each row of the union is one of the block's, and nothing but the LIMIT takes any away
        plain = replace(block, targets=(), order_by=(), limit=None, offset=None) == a.Select((), block.from_)
        # SELECT unnest(…) makes more rows of one, or none: the first four of the union may be too few
        if not plain or any(returns_set(t.expr) for t in block.targets) or is_volatile(block):
            return block
        keys = [
            (k, k.expr.pos) for k in block.order_by if isinstance(k.expr, a.Column) and k.expr.rel == item.rel
        ]
        # ORDER BY u.id + 1 may turn the arms' order round: only bare columns of the union are seen in an arm
        if len(keys) < len(block.order_by):
            return block
        query = self._freed(item.query, block, keys)
        if query == item.query:
            return block
        # what the block shows may be computed before it is cut
        self.reserve_failures(*(t.expr for t in block.targets))
        return replace(block, from_=(replace(item, query=query),))

    def _freed(self, arm: a.Query, block: a.Select, keys: Sequence[tuple[a.SortKey, int]]) -> a.Query:
        if isinstance(arm, a.SetOp):
            # EXCEPT and DISTINCT unions take rows away after the arms were cut; a LIMIT between them cuts in
            # an order of its own
            if arm.op != "union" or not arm.all or arm.limit is not None or arm.offset is not None:
                return arm
            left, right = (self._freed(x, block, keys) for x in (arm.left, arm.right))
            return replace(arm, left=left, right=right)
        if (
            not isinstance(arm, a.Select)
            # DISTINCT ON chooses rows by the arm's ORDER BY, which could not go with the LIMIT
            or arm.limit is None
            or arm.distinct is not None
            or not covers(arm, block)
        ):
            return arm
        own = [replace(k, expr=arm.targets[pos].expr) for k, pos in keys]
        # under another collation than the block's the arm's first rows are others
        if not all(sorts_alike(mine.expr, k.expr.type) for mine, (k, _) in zip(own, keys, strict=True)):
            return arm
        # an arm that is cut in another order keeps other rows: its 4 oldest, where the block wants the 4
        # cheapest
        if any(returns_set(t.expr) for t in arm.targets) or _deciding(own) != _deciding(arm.order_by):
            return arm
        # which of the tied rows the arm kept is open, and what it shows is computed for rows that it would
        # have cut
        self.reserve_ties(arm)
        self.reserve_uncut(arm)
        self.reserve_failures(*(t.expr for t in arm.targets))
        return replace(arm, limit=None, order_by=())


def _deciding(keys: Sequence[a.SortKey]) -> list[a.SortKey]:
    return [k for k in keys if not isinstance(k.expr, a.Const)]
