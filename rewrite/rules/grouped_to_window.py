"""A table joined with a grouping of itself becomes one pass with a window.

    SELECT s.* FROM sale s JOIN (SELECT cust, max(day) AS last FROM sale GROUP BY cust) g ON g.cust = s.cust
    AND g.last = s.day -->
    SELECT w.* FROM (SELECT s.*, max(day) OVER (PARTITION BY cust) AS last FROM sale s) w WHERE w.last = w.day
    AND w.cust IS NOT NULL

The grouping must see every row that the table's own conditions let through, under the same conditions;
further conditions of the outer block are asked after the window. A NULL key joins nothing. Zuzarte et al.,
"WinMagic" (SIGMOD 2003). Hazards 14.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rewright.equivalence.laws.correlation import as_tie
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.build import derived, moved_to, numbered, over
from rewright.sql.facts import may_differ, order_sensitive
from rewright.sql.walk import (
    as_product,
    columns_used,
    conjoin,
    conjuncts,
    free_rels,
    group_keys,
    has_subquery,
    is_plain_grouping,
    references_whole,
    renumber,
    substitute,
    walk_block,
)


@rule(
    SELECT,
    guards=("every-key-is-tied", "same-conditions"),
    known_as="WinMagic (Zuzarte et al. 2003)",
    priority=73,
)
def grouped_to_window(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    for grouped in items:
        source = _source(grouped)
        if source is None or not isinstance(grouped, a.Derived):
            continue
        for item in items:
            # ONLY reads other rows than the table with its children
            same = isinstance(item, a.Scan) and (item.table, item.only) == (source.table, source.only)
            if same and isinstance(item, a.Scan):
                made = _windowed(block, items, preds, (grouped, source, item), ctx)
                if made is not None:
                    yield Rewrite(made, f"{item.table.name} and its grouping are read in one pass")


def _source(item: a.FromItem) -> a.Scan | None:
    """The one table that a derived table groups by columns."""
    # a view's barrier hides rows from what would stand beside them
    if not isinstance(item, a.Derived) or item.lateral or item.security_barrier:
        return None
    query = item.query
    if not isinstance(query, a.Select) or not is_plain_grouping(query):
        return None
    keys = group_keys(query)
    # an expression as key is none of the table's columns, to which the ties compare
    if not keys or not all(isinstance(k, a.Column) for k in keys):
        return None
    if len(query.from_) != 1 or not isinstance(query.from_[0], a.Scan) or may_differ(query):
        return None
    aggregates = [n for t in query.targets for n in walk_block(t.expr) if isinstance(n, a.Aggregate)]
    # a window over groups or GROUPING() cannot be asked row by row
    plain = not any(
        isinstance(n, a.WindowCall | a.Grouping) for t in query.targets for n in walk_block(t.expr)
    )
    # PostgreSQL's windows know no DISTINCT, and no order of array_agg beside the frame's
    if not plain or any(g.distinct or order_sensitive(g) for g in aggregates):
        return None
    return query.from_[0]


def _windowed(
    block: a.Select,
    items: Sequence[a.FromItem],
    preds: Sequence[a.Expr],
    parts: tuple[a.Derived, a.Scan, a.Scan],
    ctx: Context,
) -> a.Select | None:
    grouped, source, item = parts
    query = grouped.query
    assert isinstance(query, a.Select)
    if references_whole(block, item.rel) or references_whole(block, grouped.rel):
        return None
    keys = [k for k in group_keys(query) if isinstance(k, a.Column)]
    ties = _ties(preds, grouped, item, keys)
    # tied by a part of the key a row meets several groups
    if not ctx.holds("every-key-is-tied", len(ties) == len(keys)) or not ties:
        return None
    own = [renumber(p, {source.rel: item.rel}) for p in conjuncts(query.where)]
    # a condition of the grouping alone would make the window of more rows than the group
    if not ctx.holds("same-conditions", all(p in preds for p in own)):
        return None
    if any(has_subquery(p) for p in own):
        return None
    by = tuple(a.Column(item.rel, k.pos, k.type, k.name) for k in keys)
    later = [p for p in preds if p not in ties and p not in own]
    # a NULL key meets no group, but is a partition of the window
    filled = [k for k in by if not ctx.column_filled(item, k.pos)]
    return _assembled(block, items, later, (grouped, item), (by, own, filled))


def _ties(
    preds: Sequence[a.Expr], grouped: a.Derived, item: a.Scan, keys: Sequence[a.Column]
) -> list[a.Expr]:
    """For each key its equality with the same column of the table."""
    query = grouped.query
    assert isinstance(query, a.Select)
    found = []
    for key in keys:
        for pred in preds:
            tie = (
                as_tie(pred, frozenset({grouped.rel})) if free_rels(pred) == {grouped.rel, item.rel} else None
            )
            if tie is None or not isinstance(tie.inner, a.Column) or not isinstance(tie.outer, a.Column):
                continue
            # tied crosswise (`g.cust = s.part`) the row's group is another one than its partition
            if query.targets[tie.inner.pos].expr == key and tie.outer.pos == key.pos:
                found.append(pred)
                break
    return found


def _assembled(
    block: a.Select,
    items: Sequence[a.FromItem],
    later: Sequence[a.Expr],
    pair: tuple[a.Derived, a.Scan],
    inside: tuple[tuple[a.Column, ...], Sequence[a.Expr], Sequence[a.Column]],
) -> a.Select:
    (grouped, item), (by, own, filled) = pair, inside
    query = grouped.query
    assert isinstance(query, a.Select)
    source = query.from_[0]
    assert isinstance(source, a.Scan)
    above = replace(block, from_=(), where=None)
    others = [i for i in items if i is not grouped and i is not item]
    shown = columns_used((above, *later, *others, *filled), (item.rel,))
    asked = columns_used((above, *later, *others), (grouped.rel,))
    # without an order the frame is the whole partition
    window = a.Window(by, (), a.Frame())
    values = (renumber(query.targets[c.pos].expr, {source.rel: item.rel}) for c in asked)
    below = a.Select(numbered("c", (*shown, *(over(v, window) for v in values))), (item,), conjoin(own))
    both, columns = derived(grouped.rel, "win", below)
    mapping = moved_to((*shown, *asked), columns)
    full = [a.IsNull(c, negated=True) for c in filled]
    outer: a.Select = substitute(replace(above, where=conjoin((*later, *full))), mapping)
    return replace(outer, from_=(both, *(substitute(i, mapping) for i in others)))
