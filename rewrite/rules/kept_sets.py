"""Grouping sets that a filter refuses are not made, and the filter is asked of the rows that are grouped.

    SELECT t.state, t.part, t.sum FROM (SELECT c.state, s.part, sum(s.amount) FROM sale s
      JOIN cust c ON c.id = s.cust GROUP BY ROLLUP (c.state, s.part)) t WHERE t.state = 'TN'
    -->
    SELECT t.state, t.part, t.sum FROM (SELECT c.state, s.part, sum(s.amount) FROM sale s
      JOIN cust c ON c.id = s.cust WHERE c.state = 'TN'
      GROUP BY GROUPING SETS ((c.state, s.part), (c.state))) t

A set that lacks a key shows NULL there, which an equality refuses: the rows of these sets are not seen. What
all sets that are left are grouped by is the same in all rows of a group, so that a condition on it takes
whole groups away. Reports have many sets, of which a page asks for a few. The same of HAVING. The server
filters the groups of several sets only once they are made. Calcite: FilterAggregateTransposeRule. Hazards 4a,
7a.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.build import null
from rewright.sql.facts import may_differ, rejects_null_of
from rewright.sql.walk import (
    columns_used,
    conjoin,
    conjuncts,
    free_rels,
    from_rels,
    has_aggregate,
    has_subquery,
    has_window,
    kept_product,
    replace_item,
    replace_node,
    returns_set,
    substitute,
    walk,
    walk_block,
)

_WHY = "grouping sets that a filter refuses are not made, and it is asked of the rows that are grouped"


@rule(
    SELECT,
    guards=("set-is-refused", "key-of-every-set"),
    known_as="FilterAggregateTransposeRule",
    priority=86,
)
def kept_sets(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    having = conjuncts(block.having)
    made = _kept(block, having, ctx)
    if made is not None:
        # where rows meet a condition on keys, groups by these do, too
        left = [p for p in having if p not in conjuncts(made.where)]
        yield Rewrite(replace(made, having=conjoin(left)), _WHY)
    items, preds = kept_product(block)
    for item in items:
        if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
            continue
        query = item.query
        if not isinstance(query, a.Select) or not _groups_alone(query):
            continue
        shown = {(item.rel, i): t.expr for i, t in enumerate(query.targets)}
        own = {p: substitute(p, shown) for p in preds if free_rels(p) == {item.rel}}
        made = _kept(query, [*own.values()], ctx)
        if made is not None:
            # all groups that are left meet what their rows do
            where = [p for p in conjuncts(block.where) if own.get(p) not in conjuncts(made.where)]
            from_ = tuple(replace_item(i, item, replace(item, query=made)) for i in block.from_)
            yield Rewrite(replace(block, from_=from_, where=conjoin(where)), _WHY)


def _groups_alone(query: a.Select) -> bool:
    """Whether a query shows its groups as they are: windows, DISTINCT and LIMIT would see those that go."""
    bare = query.distinct is None and query.limit is None and query.offset is None
    return bare and not any(has_window(t.expr) or returns_set(t.expr) for t in query.targets)


def _kept(query: a.Select, preds: Sequence[a.Expr], ctx: Context) -> a.Select | None:
    """The grouping with fewer sets or rows where conditions on its groups are known; None where there are
    none.
    """
    sets = query.group_by or ()
    if len(sets) < 2:
        return None
    known = {p: read for p in preds if (read := _keys_of(p, query)) and not may_differ(p)}
    # of keys that look different (1.0, 1.00) a condition may tell the rows of one group apart
    known = {p: read for p, read in known.items() if ctx.alike(read, query.from_)}
    # a set that lacks a key shows NULL in its place
    strict = (
        k
        for p, read in known.items()
        if ctx.holds("set-is-refused", all(rejects_null_of(p, k) for k in read))
        for k in read
    )
    needed = {*strict}
    left = tuple(one for one in sets if needed <= {*one})
    # a condition on what some sets are not grouped by would take rows of their groups away
    asked = [
        p
        for p, read in known.items()
        if ctx.holds("key-of-every-set", all(k in one for one in left for k in read))
        and p not in conjuncts(query.where)
    ]
    if not left or (len(left) == len(sets) and not asked) or _shows_others(query, sets, left):
        return None
    return replace(query, group_by=left, where=conjoin((*conjuncts(query.where), *asked)))


def _keys_of(pred: a.Expr, query: a.Select) -> tuple[a.Expr, ...]:
    """The keys that a condition reads; none where it reads anything else of the rows or groups."""
    if has_subquery(pred) or has_aggregate(pred) or any(isinstance(n, a.Grouping) for n in walk(pred)):
        return ()
    keys = dict.fromkeys(k for one in query.group_by or () for k in one)
    read = []
    # a key that is an expression of another key goes first
    for key in sorted(keys, key=lambda k: -len(repr(k))):
        if key in walk_block(pred):
            read.append(key)
            pred = replace_node(pred, key, null(key.type))
    return () if columns_used((pred,), from_rels(query.from_)) else tuple(read)


def _shows_others(
    query: a.Select, sets: Sequence[tuple[a.Expr, ...]], left: Sequence[tuple[a.Expr, ...]]
) -> bool:
    """Whether a key is read that no set is grouped by any more."""
    gone = {k for one in sets for k in one} - {k for one in left for k in one}
    shown = (*(t.expr for t in query.targets), *(k.expr for k in query.order_by), *conjuncts(query.having))
    return any(key in walk_block(expr) for key in gone for expr in shown)
