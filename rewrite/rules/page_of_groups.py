"""A page of groups is chosen among the rows that are the groups before anything is computed for them.

    SELECT o.id, o.note, sum(l.qty) FROM ord o JOIN line l ON l.ord = o.id WHERE l.num > 1
     GROUP BY o.id ORDER BY o.id DESC LIMIT 20
    -->
    SELECT p.id, p.note, f.sum FROM (SELECT o.id, o.note FROM ord o
     WHERE EXISTS (SELECT 1 FROM line l WHERE l.num > 1 AND l.ord = o.id) ORDER BY o.id DESC LIMIT 20) p,
     LATERAL (SELECT sum(l.qty) FROM line l WHERE l.num > 1 AND l.ord = p.id) f ORDER BY p.id DESC

Where the page is ordered by what is not aggregated: as lists of annotated objects are paged. `early_limit`
keeps the join, for tables that take no row away; here a row counts if it has partners, and only the page's
rows have them read. Hazards 7b, M9.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.limits import below_left_joins, is_page_of_groups
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.build import ONE, derived, left_join, moved_to, numbered
from rewright.sql.facts import labels
from rewright.sql.types import INT4
from rewright.sql.walk import (
    columns_used,
    conjoin,
    copy_fresh,
    free_of_all,
    free_rels,
    from_rels,
    group_keys,
    has_subquery,
    left_spine,
    map_kind,
    references_whole,
    substitute,
    walk_block,
)


@dataclass(frozen=True, slots=True)
class _Sides:
    """FROM as the tables whose rows are the groups and those that are read for each, with the conditions on
    the former and all others. ``partners``: what must be there of what is read.
    """

    kept: tuple[a.FromItem, ...]
    read: tuple[a.FromItem, ...]
    partners: tuple[a.FromItem, ...]
    own: list[a.Expr]
    ties: list[a.Expr]
    basis: frozenset[str]


@rule(SELECT, guards=("group-is-a-row",), priority=76)
def page_of_groups(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # without an order any groups do, and the first found are as good
    if block.limit is None or not block.order_by or not is_page_of_groups(block):
        return
    values = _values(block)
    sides = None if values is None else _sides(block, values, ctx)
    if values is None or sides is None:
        return
    made = _paged(block, values, sides, ctx)
    yield Rewrite(
        made, "LIMIT chooses among the rows that are the groups, and the rest is read for those", sides.basis
    )


def _values(block: a.Select) -> list[a.Aggregate] | None:
    """The aggregates that are shown; None where the page is ordered by one, or something else stands between
    the groups and what is shown.
    """
    order = [n for k in block.order_by for n in walk_block(k.expr)]
    if any(isinstance(n, a.Aggregate) for n in order) or any(has_subquery(k.expr) for k in block.order_by):
        return None
    shown = [n for t in block.targets for n in walk_block(t.expr)]
    # GROUPING() and subqueries see the groups, which are gone
    if any(isinstance(n, a.Grouping) for n in shown) or any(has_subquery(t.expr) for t in block.targets):
        return None
    return list(dict.fromkeys(n for n in shown if isinstance(n, a.Aggregate)))


def _sides(block: a.Select, values: Sequence[a.Aggregate], ctx: Context) -> _Sides | None:
    items, preds = below_left_joins(block)
    # outside of the aggregates: what has to be known before a row is chosen
    outside = [map_kind(t.expr, a.Aggregate, lambda _: a.Const("0", INT4)) for t in block.targets]
    needed = free_of_all([*group_keys(block), *(k.expr for k in block.order_by), *outside])
    kept = tuple(i for i in items if from_rels((i,)) & needed)
    rest = [i for i in items if i not in kept]
    mine = from_rels(kept)
    others = from_rels(block.from_) - mine
    # all tables kept, or none: there is nothing to choose among, or nothing to choose
    if not kept or not rest or needed & others or any(references_whole(block, rel) for rel in mine):
        return None
    # an aggregate of the kept rows' columns alone would be their own block's
    if not all(v.star or free_rels(v) & others for v in values):
        return None
    own = [p for p in preds if not free_rels(p) & others]
    basis = _one_row_each(block, kept, own, ctx)
    if not ctx.holds("group-is-a-row", basis is not None):
        return None
    read = _with_left_joins(block, rest)
    ties = [p for p in preds if p not in own]
    # LEFT JOINs take no row away: whether there is one they tell only where conditions read them
    alone = not free_of_all(ties) & (others - from_rels(rest))
    return _Sides(kept, read, tuple(rest) if alone else read, own, ties, basis or frozenset())


def _with_left_joins(block: a.Select, items: Sequence[a.FromItem]) -> tuple[a.FromItem, ...]:
    """These of the items that the block's LEFT JOINs keep, with what is joined to them."""
    joins = left_spine(block.from_[0])[1] if len(block.from_) == 1 else []
    made = tuple(items)
    for join in reversed(joins):
        # the innermost join first, as it is the left side of the others
        made = left_join(made, join.right, join.on)
    return made


def _one_row_each(
    block: a.Select, kept: tuple[a.FromItem, ...], own: Sequence[a.Expr], ctx: Context
) -> frozenset[str] | None:
    """By which constraints no two of the kept rows agree on the grouping columns; None where some may."""
    keys = [(k.rel, k.pos) for k in group_keys(block) if isinstance(k, a.Column)]
    rows = replace(block, from_=kept, where=conjoin(own), group_by=None, order_by=(), limit=None, offset=None)
    basis = ctx.facts.determines_rows(rows, keys)
    return None if basis is None else labels(basis)


def _paged(block: a.Select, values: Sequence[a.Aggregate], sides: _Sides, ctx: Context) -> a.Select:
    others = a.Select(ONE, sides.read, conjoin(sides.ties))
    partner = replace(others, from_=sides.partners)
    used = columns_used((*block.targets, *block.order_by, others), from_rels(sides.kept))
    page = a.Select(
        numbered("c", used),
        sides.kept,
        # an inner join drops rows without partners: they would take a place on the page
        conjoin((*sides.own, a.Exists(copy_fresh(partner, ctx.fresh)[0]))),
        order_by=block.order_by,
        limit=block.limit,
        offset=block.offset,
    )
    chosen, columns = derived(ctx.fresh(), "page", page)
    moved = moved_to(used, columns)
    from_: list[a.FromItem] = [chosen]
    shown = {}
    if values:
        # GROUP BY () gives each chosen row its one row of figures
        query = substitute(replace(others, targets=numbered("value", values), group_by=((),)), moved)
        figures, found = derived(ctx.fresh(), "figures", query, lateral=True)
        from_.append(figures)
        shown = dict(zip(values, found, strict=True))
    targets = tuple(replace(t, expr=map_kind(t.expr, a.Aggregate, shown.__getitem__)) for t in block.targets)
    outer = replace(block, targets=targets, from_=(), where=None, group_by=None, limit=None, offset=None)
    return replace(substitute(outer, moved), from_=tuple(from_))
