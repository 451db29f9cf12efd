"""A grouped (or DISTINCT) derived table is computed only for the keys its neighbours will ask for.

    SELECT * FROM store s, (SELECT store, sum(x) v FROM sale GROUP BY store) g WHERE g.store = s.id AND
    s.state = 'TX' -->
    SELECT * FROM store s, (SELECT store, sum(x) v FROM sale WHERE store IN (SELECT id FROM store WHERE state
    = 'TX')
                             GROUP BY store) g WHERE g.store = s.id AND s.state = 'TX'

A table that filters such a table, as the first row of each group, is restricted within. The semi-join
follows from the join, and a filter on a grouping column may be applied before grouping. Also
for single-use CTEs, windows partitioned by the column, set operations, for conditions with subqueries on the
groups themselves, and on the right of a LEFT JOIN, where groups that no row of the left side asks for are not
seen. Calcite: SemiJoinRule, AggregateFilterTransposeRule; "magic sets". Hazards 7a, 7c.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.naming import named
from rewright.rewrite.rules.pushing import can_push, fewer, heavy, over_heavy, pads_heavy, push
from rewright.rewrite.rules.semijoins import implied_semijoins
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import (
    as_product,
    columns_used,
    conjoin,
    conjuncts,
    dissolve,
    free_rels,
    from_rels,
    has_subquery,
    left_spine,
    references_whole,
    walk,
)


@rule(
    SELECT,
    guards=("no-limit-inside", "not-distinct-on", "grouped-by-column", "partitioned-by-column"),
    known_as="SemiJoinRule",
    priority=80,
    category="predicate",
)
def reduce_grouped(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    for i, item in enumerate(items):
        if not isinstance(item, a.Derived) or not _restrictable(block, item):
            # conditions on joined tables, said as a list of the keys that they let through
            continue
        for semi in implied_semijoins(items, preds, item, ctx):
            made = _restricted(item, semi, ctx)
            # inside already, not to be pushed, or nothing below that would work less
            if made is None:
                continue
            from_ = (*items[:i], made, *items[i + 1 :])
            yield Rewrite(
                replace(block, from_=tuple(from_), where=conjoin(preds)),
                f"{named(item)} is computed only for the keys that the tables joined with it let through",
            )
        if heavy(item.query) or pads_heavy(item.query):
            yield from _asked(block, items, preds, item, ctx)
    yield from _padded(block, ctx)


def _asked(
    block: a.Select, items: list[a.FromItem], preds: list[a.Expr], item: a.Derived, ctx: Context
) -> Iterator[Rewrite]:
    """Conditions with subqueries on the groups, which the server does not carry inside by itself, and plain
    ones on rows that groups are joined to: seen beside these, they restrict the groups in a further step.
    """
    mine = [p for p in preds if free_rels(p) == {item.rel} and not may_differ(p)]
    mine = [p for p in mine if can_push(item.query, _positions(p, item), ctx)]
    # plain conditions on a group's key the server carries inside itself
    parts = [[p] for p in mine if has_subquery(p)] if heavy(item.query) else [mine]
    for part in filter(None, parts):
        made = replace(item, query=push(item.query, item.rel, part, ctx))
        from_ = tuple(made if i is item else i for i in items)
        yield Rewrite(
            replace(block, from_=from_, where=conjoin(p for p in preds if p not in part)),
            f"{named(item)} is computed only for the keys that are asked for",
        )


def _positions(pred: a.Expr, item: a.Derived) -> frozenset[int]:
    return frozenset(c.pos for c in columns_used((pred,), (item.rel,)))


def _padded(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """Grouped tables on the right of LEFT JOINs along the left spine of FROM's only item."""
    # a product has its LEFT JOINs further in: these rows' other conditions are not seen here
    if len(block.from_) != 1:
        return
    item, spine = left_spine(block.from_[0])
    # conditions on the kept side hold for every row of it that counts
    kept = from_rels((item,))
    own = [p for p in conjuncts(block.where) if free_rels(p) and free_rels(p) <= kept]
    inner, joined = dissolve((item,))
    for join in spine:
        right = join.right
        if not isinstance(right, a.Derived) or not _restrictable(block, right):
            continue
        # ON may read other padded tables, of which nothing is sure
        ties = [p for p in conjuncts(join.on) if free_rels(p) <= kept | {right.rel}]
        for semi in implied_semijoins([*inner, right], [*joined, *own, *ties], right, ctx):
            made = _restricted(right, semi, ctx)
            if made is None:
                continue
            yield Rewrite(
                replace(block, from_=(_with_right(block.from_[0], right, made),)),
                f"{named(right)} is computed only for the keys that the other side of the LEFT JOIN asks for",
            )


def _with_right(item: a.FromItem, old: a.FromItem, new: a.FromItem) -> a.FromItem:
    if item is old:
        return new
    if isinstance(item, a.Join):
        return replace(item, left=_with_right(item.left, old, new), right=_with_right(item.right, old, new))
    return item


def _restrictable(block: a.Select, item: a.Derived) -> bool:
    free = not item.lateral and not item.security_barrier and not references_whole(block, item.rel)
    return free and over_heavy(item.query)


def _restricted(item: a.Derived, semi: a.Quantified, ctx: Context) -> a.Derived | None:
    """The table computed for the keys of a semi-join; None where that is so, may not be or saves nothing."""
    return None if _reduced(item.query, semi) else fewer(item, semi, ctx)


def _reduced(query: a.Query, semi: a.Quantified) -> bool:
    """Whether a semi-join with the same tables stands inside already."""
    tables = _tables(semi.query)
    return any(
        # numbers differ each time it is made: the tables tell that it is the same
        isinstance(c, a.Quantified) and _tables(c.query) == tables
        for n in walk(query)
        if isinstance(n, a.Select)
        for c in conjuncts(n.where)
    )


def _tables(query: a.Query) -> list[str]:
    return sorted(f"{n.table.schema}.{n.table.name}" for n in walk(query) if isinstance(n, a.Scan))
