"""A LATERAL item of one row that looks at rows on one side of the outer one, as scalar subqueries.

    SELECT s.id, b.cost FROM sale s LEFT JOIN LATERAL (SELECT p.cost FROM sale p WHERE p.cust = s.cust AND
    p.day < s.day ORDER BY p.day DESC LIMIT 1) b ON true
    -->
    SELECT s.id, (SELECT p.cost FROM sale p WHERE p.cust = s.cust AND p.day < s.day ORDER BY p.day DESC
    LIMIT 1) FROM sale s

Gains nothing by itself: the rules of running windows and of periods look for scalar subqueries. An aggregate
without GROUP BY has a row in any case; the first row has to be padded by a LEFT JOIN, and to be one row for
certain where several columns of it are read. The way back, for aggregates, is as_lateral.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.correlation import take_apart
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, no_sets, reads_tables, rule
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import (
    columns_used,
    copy_fresh,
    free_rels,
    from_rels,
    has_aggregate,
    references_whole,
    replace_item,
    returns_set,
    substitute,
    unpadded_tree,
)

# each column that is read becomes a subquery of its own
_MOST_COLUMNS = 3


@rule(
    SELECT.where(reads_tables, no_sets),
    guards=("padded",),
    not_after=frozenset({"as_lateral"}),
    priority=58,
    category="join",
)
def lateral_to_scalar(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    for place, item in enumerate(block.from_):
        # where a join around it pads the item's rows, a count is NULL, and the subquery's would be 0
        for join in (j for j in unpadded_tree(item) if isinstance(j, a.Join)):
            right = join.right
            # ON true: a further condition would pad the row where it fails
            if _always(join) and isinstance(right, a.Derived) and free_rels(right) <= from_rels((join.left,)):
                new = replace_item(item, join, join.left)
                from_ = (*block.from_[:place], new, *block.from_[place + 1 :])
                yield from _told(replace(block, from_=from_), right, ctx, padded=join.kind == "left")
        # the first item of FROM can read none before it
        if isinstance(item, a.Derived) and place:
            from_ = (*block.from_[:place], *block.from_[place + 1 :])
            yield from _told(replace(block, from_=from_), item, ctx, padded=False)


def _always(join: a.Join) -> bool:
    return join.kind in {"left", "inner"} and (join.on is None or join.on == a.Const("t", join.on.type))


def _told(rest: a.Select, item: a.Derived, ctx: Context, *, padded: bool) -> Iterator[Rewrite]:
    """``rest``: the block without the item, whose columns it still reads."""
    query = item.query
    if not isinstance(query, a.Select) or not _of_one_row(query, ctx, padded=padded) or may_differ(rest):
        return
    read = columns_used((rest,), (item.rel,))
    # a barrier hides rows from conditions, which a subquery in the list does not keep
    if not 1 <= len(read) <= _MOST_COLUMNS or item.security_barrier or references_whole(rest, item.rel):
        return
    # what it reads has to be before it in FROM still
    if free_rels(item.query) - from_rels(rest.from_):
        return
    # of several rows that are first alike, each column's subquery might choose another
    if len(read) > 1 and query.limit is not None and not _is_certain(query, ctx):
        return
    values: dict[tuple[int, int], a.Expr] = {}
    for c in read:
        one = copy_fresh(replace(query, targets=(query.targets[c.pos],)), ctx.fresh)[0]
        values[c.rel, c.pos] = a.ScalarSubquery(one, c.type)
    yield Rewrite(substitute(rest, values), "the one row of a LATERAL item is asked for as values")


def _is_certain(query: a.Select, ctx: Context) -> bool:
    """Whether what the first row is sorted and tied by holds a key, so that no other could be the first."""
    inner = take_apart(replace(query, targets=(), order_by=(), limit=None))
    source = inner.items[0] if inner is not None and len(inner.items) == 1 else None
    if inner is None or not isinstance(source, a.Scan):
        return False
    # tied columns are one value for an outer row, sorted ones tell the rest apart
    fixed = (*(k.expr for k in query.order_by), *(t.key for t in inner.ties))
    known = {x.pos for x in fixed if isinstance(x, a.Column) and x.rel == source.rel}
    return any(columns <= known for columns, _ in ctx.keys(source))


def _of_one_row(query: a.Select, ctx: Context, *, padded: bool) -> bool:
    """Whether it has one row, or at most one that is padded, and is correlated by more than equalities."""
    if query.ctes or query.distinct is not None or query.offset is not None or query.having is not None:
        return False
    if may_differ(query) or any(returns_set(t.expr) for t in query.targets):
        return False
    first = isinstance(query.limit, a.Const) and query.limit.value == "1" and query.group_by is None
    # without padding an outer row that finds nothing goes, but a scalar subquery shows NULL
    first = first and not query.with_ties and ctx.holds("padded", padded)
    whole = (
        # `SELECT 1 … GROUP BY ()` has its row too, but nothing that a window could take
        query.limit is None and query.group_by == ((),) and all(has_aggregate(t.expr) for t in query.targets)
    )
    inner = take_apart(replace(query, targets=(), order_by=(), limit=None, group_by=None))
    # by equalities alone other rules decorrelate it where it stands
    return (first or whole) and inner is not None and bool(inner.others)
