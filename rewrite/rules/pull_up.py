"""A subquery in FROM that only joins, filters and computes is put in its place, where others may look at it.

    SELECT DISTINCT s.id FROM (SELECT c.id, o.note FROM cust c JOIN ord o ON o.cust = c.id AND o.total > 5) s
     ORDER BY s.id LIMIT 10
    -->
    SELECT DISTINCT c.id FROM cust c JOIN ord o ON o.cust = c.id AND o.total > 5 ORDER BY c.id LIMIT 10

The server does the same before it plans, so that nothing is gained by itself; rules that look at what a block
joins see it now. ORMs page like this: the joined query as it is, and DISTINCT, groups or LIMIT around it. And
what is asked of a view's rows is asked of what the view joins. Groups of which only a page is shown are paged
in place, too, though the server keeps them apart: conditions on them are HAVING then.
Known as subquery pull-up (PostgreSQL: pull_up_subqueries). Hazards 7a.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.rewrite.rules.naming import named
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import (
    as_product,
    conjoin,
    conjuncts,
    free_rels,
    group_keys,
    has_subquery,
    has_window,
    is_plain,
    leaves,
    references_whole,
    replace_item,
    substitute,
)


@rule(
    SELECT.where(reads_tables),
    guards=("only-computes",),
    known_as="subquery pull-up",
    priority=70,
)
def pull_up(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # below a plain block the server pulls up by itself, and no rule looks for joins there
    narrow = block.distinct is not None or block.group_by is not None or block.limit is not None
    for item in as_product(block)[0]:
        if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
            continue
        # a whole row of the subquery is no row of the tables in it
        if not isinstance(item.query, a.Select) or references_whole(block, item.rel):
            continue
        if not narrow and not _restricted(block, item):
            continue
        # the page's own block becomes the groups': conditions on groups are its HAVING
        if block.limit is not None and _only_pages(block, item):
            yield Rewrite(_of_groups(block, item, item.query), f"{named(item)} is read in place")
            continue
        if ctx.holds("only-computes", _only_computes(item.query)) and item.query.from_:
            yield Rewrite(_pulled_up(block, item, item.query), f"{named(item)} is read in place")


def _restricted(block: a.Select, item: a.Derived) -> bool:
    """Whether what the subquery joins may be asked for what is asked of its rows: a view's joins, say."""
    # one table alone can be asked from outside
    joins = isinstance(item.query, a.Select) and len(list(leaves(item.query.from_))) > 1
    return joins and any(item.rel in free_rels(p) for p in conjuncts(block.where))


def _only_computes(query: a.Select) -> bool:
    # ORDER BY in a subquery is kept by the server where nothing else orders the rows
    """Each row of its FROM and WHERE is one of its rows. One that is sorted, the server keeps apart."""
    computed = any(has_subquery(t.expr) for t in query.targets)
    return is_plain(query) and not query.order_by and not may_differ(query) and not computed


def _only_pages(block: a.Select, item: a.Derived) -> bool:
    """Whether the block shows a page of a subquery's groups and does nothing else."""
    query = item.query
    # another item beside the groups would repeat them
    if block.from_ != (item,) or not isinstance(query, a.Select) or not group_keys(query):
        return False
    shown = [*(t.expr for t in block.targets), *(k.expr for k in block.order_by), *conjuncts(block.where)]
    plain = is_plain(replace(block, limit=None, offset=None)) and not any(has_subquery(e) for e in shown)
    # cut, sorted or made distinct itself, the subquery's groups are not the block's
    cut = query.limit is not None or query.offset is not None or query.order_by or query.distinct is not None
    return plain and not cut and not may_differ(query) and not any(has_window(t.expr) for t in query.targets)


def _of_groups(block: a.Select, item: a.Derived, query: a.Select) -> a.Select:
    mapping = {(item.rel, i): t.expr for i, t in enumerate(query.targets)}
    having = conjoin((*conjuncts(query.having), *(substitute(p, mapping) for p in conjuncts(block.where))))
    return replace(
        query,
        targets=tuple(replace(t, expr=substitute(t.expr, mapping)) for t in block.targets),
        having=having,
        order_by=tuple(replace(k, expr=substitute(k.expr, mapping)) for k in block.order_by),
        limit=block.limit,
        offset=block.offset,
        with_ties=block.with_ties,
    )


def _pulled_up(block: a.Select, item: a.Derived, query: a.Select) -> a.Select:
    mapping = {(item.rel, i): t.expr for i, t in enumerate(query.targets)}
    # one item in place of one: FROM keeps its order and its outer joins
    product = reduce(lambda left, right: a.Join("inner", left, right, None), query.from_)
    from_ = tuple(replace_item(i, item, product) for i in block.from_)
    where = conjoin((*conjuncts(block.where), *conjuncts(query.where)))
    made: a.Select = substitute(replace(block, from_=from_, where=where), mapping)
    return made
