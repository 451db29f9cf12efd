"""Conditions on what a group is made by are asked of its rows.

    SELECT avg(x.n) FROM (SELECT k, count(*) AS n FROM t GROUP BY k) x WHERE x.k = $1
    -->
    SELECT avg(x.n) FROM (SELECT k, count(*) AS n FROM t WHERE k = $1 GROUP BY k) x

All rows of a group agree on it, and so do those of a partition and of a set of duplicates: they stay or go
together. What is computed of the others is computed no more: what that may raise is a reservation. Must not
know rules or provers.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.laws.forms import Form, Walk, harmless
from rewright.equivalence.laws.restrictions import whole_columns
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_volatile
from rewright.sql.walk import (
    as_product,
    columns_used,
    conjoin,
    conjuncts,
    from_rels,
    replace_item,
    substitute,
    used_rels,
)


def pushed_into_groups(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, whose groupings of FROM are made of the rows that count."""
    return _Pushed(catalog).form(query)


class _Pushed(Walk):
    def block(self, block: a.Select) -> a.Select:
        for item in as_product(block)[0]:
            if isinstance(item, a.Derived) and not item.lateral and not item.security_barrier:
                block = self._into(block, item)
        return block

    def _into(self, block: a.Select, item: a.Derived) -> a.Select:
        query = item.query
        if not isinstance(query, a.Select) or query.group_by is None or query.ctes or is_volatile(query):
            return block
        if query.limit is not None or query.offset is not None:
            return block
        values = {(item.rel, at): e for e, at in whole_columns(query).items()}
        rels = from_rels(block.from_)

        def moves(pred: a.Expr) -> bool:
            read = [(c.rel, c.pos) for c in columns_used((pred,), rels)]
            alone = used_rels(pred) & rels == {item.rel}
            return alone and all(c in values for c in read) and harmless(pred, self.facts)

        asked = conjuncts(block.where)
        moved = [p for p in asked if moves(p)]
        if not moved:
            return block
        self.reserve_other_rows(query)
        where = conjoin((*conjuncts(query.where), *(substitute(p, values) for p in moved)))
        made = replace(item, query=replace(query, where=where))
        from_ = tuple(replace_item(i, item, made) for i in block.from_)
        return replace(block, from_=from_, where=conjoin(p for p in asked if p not in moved))
