"""Groups of which a block shows, sorts and keeps some, and does no more: the block that groups, with HAVING.

What the groups' subquery computes may have been computed of groups that are left out: it must not fail, or
that is left open. No aggregate comes into a subquery of the block. Must not know the other forms.
"""

from __future__ import annotations

from dataclasses import replace

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.walk import (
    QUERIES,
    bottom_up,
    conjoin,
    conjuncts,
    has_aggregate,
    has_window,
    outer_exprs,
    references_whole,
    returns_set,
    substitute,
    walk,
    walk_block,
)


def asked(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        return _block(node, changes) if isinstance(node, a.Select) else node

    return bottom_up(query, change)


def _block(block: a.Select, changes: Changes) -> a.Select:
    if len(block.from_) != 1 or not isinstance(item := block.from_[0], a.Derived):
        return block
    groups = item.query
    if item.lateral or item.security_barrier or not isinstance(groups, a.Select):
        return block
    if not _keeps_some(block, item.rel) or not _groups_once(groups):
        return block
    shown = {(item.rel, at): t.expr for at, t in enumerate(groups.targets)}
    if any(not isinstance(shown.get((c.rel, c.pos), c), a.Column) for c in _read_within(block)):
        return block
    changes.compute_again(groups)
    changes.compute_again(a.Select((), where=block.where))
    outside = substitute(replace(block, from_=()), shown)
    having = conjoin((*conjuncts(groups.having), *conjuncts(outside.where)))
    return replace(outside, from_=groups.from_, where=groups.where, group_by=groups.group_by, having=having)


def _keeps_some(block: a.Select, rel: int) -> bool:
    """Whether it only filters, sorts and cuts the rows of its one item."""
    if block.group_by is not None or block.having is not None or block.distinct is not None:
        return False
    above = outer_exprs(block)
    odd = any(has_window(e) or has_aggregate(e) or returns_set(e) for e in above)
    return not odd and not is_volatile(block) and not references_whole(block, rel)


def _groups_once(groups: a.Select) -> bool:
    if groups.group_by is None or len(groups.group_by) != 1 or not groups.group_by[0]:
        return False
    bare = replace(groups, order_by=(), limit=None, offset=None, distinct=None, ctes=())
    odd = any(has_window(t.expr) or returns_set(t.expr) for t in groups.targets)
    return bare == groups and not odd


def _read_within(block: a.Select) -> list[a.Column]:
    """The columns that subqueries of the block read."""
    exprs = (*outer_exprs(block), *conjuncts(block.where))
    queries = [q for e in exprs for n in walk_block(e) for q in _held(n)]
    return [c for q in queries for c in walk(q) if isinstance(c, a.Column)]


def _held(node: a.Node) -> list[a.Query]:
    query = getattr(node, "query", None)
    return [query] if isinstance(query, QUERIES) else []
