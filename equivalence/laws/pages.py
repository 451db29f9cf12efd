"""A page of a page as one page, where both are counted in one order.

    SELECT … FROM (SELECT … FROM o ORDER BY day LIMIT 20 OFFSET 5) q ORDER BY day LIMIT 10 OFFSET 2
    -->
    SELECT … FROM o ORDER BY day LIMIT 10 OFFSET 7

Places in an order add up: the outer page begins so many rows later, and ends where either ends. Where the
order leaves ties the two may choose differently among them. Must not know rules or provers.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.laws.forms import Form, Walk
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import is_volatile
from rewright.sql.types import INT8
from rewright.sql.walk import (
    has_aggregate,
    has_subquery,
    has_window,
    references_whole,
    returns_set,
    substitute,
)


def without_pages(query: a.Query, catalog: Catalog) -> Form:
    """A query that holds no CTEs, without pages of pages."""
    return _WithoutPages(catalog).form(query)


class _WithoutPages(Walk):
    def block(self, block: a.Select) -> a.Select:
        item = block.from_[0] if len(block.from_) == 1 else None
        if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
            return block
        inner = item.query
        # both must be pages of rows as they stand: a join or WHERE around picks other rows
        if not isinstance(inner, a.Select) or not _is_page(inner) or not _only_pages(block):
            return block
        values = {(item.rel, i): t.expr for i, t in enumerate(inner.targets)}
        if references_whole(block, item.rel) or is_volatile(block):
            return block
        page = _within(inner, block)
        # another order outside would be a page of sorted rows of a page
        if page is None or tuple(substitute(k, values) for k in block.order_by) != inner.order_by:
            return block
        self.reserve_ties(inner)
        # a longer page within may be sorted, where an index gives a shorter one
        self.reserve_uncut(inner)
        self.reserve_failures(*(t.expr for t in (*inner.targets, *block.targets)))
        limit, offset = page
        shown = tuple(substitute(t, values) for t in block.targets)
        return replace(inner, targets=shown, limit=limit, offset=offset)


def _is_page(query: a.Select) -> bool:
    """Whether this is a page in a stated order, each row of which stands for itself."""
    # WITH TIES keeps as many as tie, which no number says
    if not query.order_by or query.distinct is not None or query.with_ties or query.ctes:
        return False
    cut = query.limit is not None or query.offset is not None
    return cut and not any(returns_set(t.expr) for t in query.targets)


def _only_pages(block: a.Select) -> bool:
    """Whether the block orders the rows of its FROM, cuts them and computes on each by itself."""
    # WHERE outside leaves fewer rows before the second cut
    if block.where is not None or block.group_by is not None or block.having is not None:
        return False
    exprs = [*(t.expr for t in block.targets), *(k.expr for k in block.order_by)]
    computes = any(has_aggregate(e) or has_window(e) or has_subquery(e) for e in exprs)
    return _is_page(block) and not computes


def _within(inner: a.Select, outer: a.Select) -> tuple[a.Const | None, a.Const | None] | None:
    """LIMIT and OFFSET of the outer page among the inner's rows before they are cut; None where one of the
    numbers is not known.
    """
    ends = [x for x in (inner.limit, inner.offset, outer.limit, outer.offset) if x is not None]
    # LIMIT $1 and LIMIT ALL have no number; a negative one is an error
    if not all(isinstance(x, a.Const) and x.value is not None and x.value.isdecimal() for x in ends):
        return None
    skipped, more = (0 if x is None else _number(x) for x in (inner.offset, outer.offset))
    # what the outer page skips is missing at the inner page's end
    lengths = [] if inner.limit is None else [max(_number(inner.limit) - more, 0)]
    lengths += [] if outer.limit is None else [_number(outer.limit)]
    start = skipped + more
    # no OFFSET is that large
    if start >= 1 << 63:
        return None
    return _count(min(lengths)) if lengths else None, _count(start) if start else None


def _number(end: a.Expr) -> int:
    assert isinstance(end, a.Const)
    return int(end.value or 0)


def _count(number: int) -> a.Const:
    return a.Const(str(number), INT8)
