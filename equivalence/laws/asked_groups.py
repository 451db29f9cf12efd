"""Groups that a block around them only filters, sorts and cuts: conditions of HAVING.

    SELECT g.k, g.n FROM (SELECT k, count(*) AS n FROM t GROUP BY k) g WHERE g.n > (SELECT avg(x) FROM u)
    -->
    SELECT k, count(*) FROM t GROUP BY k HAVING count(*) > (SELECT avg(x) FROM u)

Where the subquery around the groups computes what may fail for groups that the conditions leave out, that is
a reservation. An aggregate is one of the query that it stands in, so that none moves into a subquery. Must
not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_volatile
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.walk import (
    conjoin,
    conjuncts,
    group_keys,
    has_aggregate,
    has_window,
    map_kind,
    outer_exprs,
    references_whole,
    returns_set,
    subqueries,
    substitute,
    walk,
    walk_block,
)


def asked_of_groups(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, whose blocks ask groups by HAVING."""
    return _Asked(catalog).form(query)


class _Asked(Walk):
    def block(self, block: a.Select) -> a.Select:
        item = block.from_[0] if len(block.from_) == 1 else None
        # a row shown as a whole (SELECT g FROM …) would have no name any more once its subquery is gone
        if not isinstance(item, a.Derived) or not _is_plain_above(block) or references_whole(block, item.rel):
            return block
        groups = item.query
        # a security barrier keeps conditions out of the subquery on purpose; LATERAL reads what stands beside
        # it
        if item.lateral or item.security_barrier or not isinstance(groups, a.Select) or not _are_bare(groups):
            return block
        # from here on a column of the groups is the expression that it shows
        values = {(item.rel, i): t.expr for i, t in enumerate(groups.targets)}
        if not _stay_outside(block, values):
            return block
        self._reserve(groups, conjuncts(block.where))
        above = substitute(replace(block, from_=(), where=None), values)
        asked = (substitute(p, values) for p in conjuncts(block.where))
        return replace(
            above,
            from_=groups.from_,
            where=groups.where,
            group_by=groups.group_by,
            having=conjoin((*conjuncts(groups.having), *asked)),
        )

    def _reserve(self, groups: a.Select, asked: Sequence[a.Expr]) -> None:
        """Aggregates are computed of all groups, asked or not; what is made of them where it is shown."""
        for target in groups.targets:
            # the aggregate itself is computed in any case; asked is what stands around it, as in 10 /
            # count(*)
            kinds = self.facts.errors(map_kind(target.expr, a.Aggregate, lambda g: a.Column(-1, 0, g.type)))
            self.reserve(["errors"] if kinds - OVERFLOW else [])
            self.reserve(["overflow"] if kinds & OVERFLOW else [])
        # the own HAVING left fewer groups for the conditions: as conjuncts of one HAVING they are asked in
        # any order
        if groups.having is not None:
            self.reserve_other_rows(*asked)


def _is_plain_above(block: a.Select) -> bool:
    # a second grouping, DISTINCT or HAVING works on the groups as rows, not on what they are made of
    if block.group_by is not None or block.distinct is not None or block.having is not None:
        return False
    exprs = outer_exprs(block)
    odd = any(has_window(e) or has_aggregate(e) or returns_set(e) for e in exprs)
    return not odd and not is_volatile(block)


def _are_bare(groups: a.Select) -> bool:
    """Whether it groups by keys in one way, and does no more with groups than HAVING and what it shows."""
    # a LIMIT of the groups is before the conditions: the first ten groups, and then those with n > 5
    cut = groups.limit is not None or groups.offset is not None or groups.distinct is not None
    odd = any(has_window(t.expr) or returns_set(t.expr) for t in groups.targets)
    # GROUPING SETS give a key NULL in some of the groups; GROUP BY () has its one group also of no rows
    one_way = groups.group_by is not None and len(groups.group_by) == 1 and bool(group_keys(groups))
    return one_way and not cut and not odd and not groups.ctes and not groups.order_by


def _stay_outside(block: a.Select, values: dict[tuple[int, int], a.Expr]) -> bool:
    """Whether no subquery of the block reads an aggregate, nor what holds a subquery itself."""
    inner = (
        n
        for e in (*outer_exprs(block), *conjuncts(block.where))
        for part in walk_block(e)
        if not isinstance(part, a.SortKey)
        for query in subqueries(part)  # type: ignore[arg-type] # what has no query holds none
        for n in walk(query)
        if isinstance(n, a.Column)
    )
    # (SELECT … WHERE u.k = g.n) with count(*) for g.n would count the rows of u instead
    return all(isinstance(values.get((n.rel, n.pos), n), a.Column) for n in inner)
