"""Sort keys that decide nothing: taken out of both queries of a pair before it is proved.

    WHERE a.state = 'IL' ORDER BY a.name, a.state, a.street LIMIT 100

Rows that agree on the keys before agree on such a column too: by an equality with a constant or with one of
them, or by a key of the rows (SOUNDNESS 13). Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Assumptions, Facts, is_volatile
from rewright.sql.walk import returns_set


def without_idle_keys(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, its blocks sorted by what decides."""
    return _WithoutIdleKeys(catalog).form(query)


def decided(block: a.Select, column: a.Expr, before: Sequence[a.Expr], facts: Facts) -> Assumptions | None:
    """The constraints by which rows of an ungrouped block that agree on ``before`` agree on a column; None:
    they may not.
    """
    if not isinstance(column, a.Column) or block.group_by is not None:
        return None
    start = [(k.rel, k.pos) for k in before if isinstance(k, a.Column)]
    return facts.closure(block, start).has([(column.rel, column.pos)])


class _WithoutIdleKeys(Walk):
    def block(self, block: a.Select) -> a.Select:
        if len(block.order_by) < 2 or block.distinct is not None or is_volatile(block):
            return block
        if any(returns_set(t.expr) for t in block.targets):
            return block
        kept: list[a.SortKey] = []
        for key in block.order_by:
            before = [k.expr for k in kept]
            basis = decided(block, key.expr, before, self.facts) if key.op.is_builtin else None
            if basis is None or not kept:
                kept.append(key)
            else:
                self.rest_on(basis)
        return replace(block, order_by=tuple(kept))
