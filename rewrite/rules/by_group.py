"""Blocks with one row a group, asked group by group: the values, the extremes and the first rows of groups as
look-ups for each row of another table.

Shared by the rules that know of a table whose rows are the groups. Must not know those rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.rewrite.rules.base import Context, Rewrite
from rewright.sql import algebra as a
from rewright.sql.build import ONE, derived, numbered
from rewright.sql.walk import (
    Place,
    columns_used,
    conjoin,
    copy_fresh,
    free_of_all,
    from_rels,
    group_keys,
    has_subquery,
    has_window,
    replace_node,
    returns_set,
    substitute,
    walk_block,
)

_EXTREMES = frozenset({"min", "max"})


@dataclass(frozen=True, slots=True)
class Groups:
    """A table whose rows are the groups of a block: conditions on it alone (``own``), and what is read for
    each of its rows (``items``, ``inner``). ``keys``: the block's grouping columns as the table's;
    ``each_has_rows``: no row of the table is without a group.
    """

    table: a.Leaf
    own: tuple[a.Expr, ...]
    items: tuple[a.FromItem, ...]
    inner: tuple[a.Expr, ...]
    keys: dict[Place, a.Expr]
    basis: frozenset[str] = frozenset()
    each_has_rows: bool = False
    ctes: tuple[a.Cte, ...] = ()


def grouping_columns(block: a.Select) -> tuple[a.Column, ...] | None:
    """The columns that a block gives one row for each combination of; None where it is not of this kind."""
    # a set-returning target repeats groups; a window over groups counts them: neither has one row a group
    sets = any(returns_set(t.expr) or has_window(t.expr) for t in block.targets)
    if sets or any(has_window(k.expr) for k in block.order_by):
        return None
    exprs: Sequence[a.Expr]
    if block.distinct is not None:
        # DISTINCT over groups has fewer rows than groups
        if block.group_by is not None:
            return None
        exprs = block.distinct or tuple(t.expr for t in block.targets)
    else:
        exprs = group_keys(block)
    columns = tuple(dict.fromkeys(e for e in exprs if isinstance(e, a.Column)))
    # an expression among the keys is no column that another table's row could stand for
    return columns if columns and len(columns) == len(dict.fromkeys(exprs)) else None


def asked_singly(
    block: a.Select, keys: Sequence[a.Column], found: Groups, ctx: Context, why: str
) -> Iterator[Rewrite]:
    """The block with a look-up for each row of the table; ``keys``: its `grouping_columns`."""
    made = _first_rows(block, keys, found, ctx) if block.distinct else _groups(block, found, ctx)
    if made is None:
        return
    outer = replace(
        made,
        targets=tuple(replace(t, expr=substitute(t.expr, found.keys)) for t in made.targets),
        order_by=tuple(replace(k, expr=substitute(k.expr, found.keys)) for k in made.order_by),
        ctes=(*block.ctes, *found.ctes),
    )
    # something outside may still read what is inside now
    if not columns_used((*outer.targets, *outer.order_by), from_rels(found.items)):
        yield Rewrite(outer, why, found.basis)


def _groups(block: a.Select, found: Groups, ctx: Context) -> a.Select | None:
    """DISTINCT and GROUP BY: rows of the table that have any, with their extremes."""
    shown = [*(t.expr for t in block.targets), *(k.expr for k in block.order_by)]
    shown += [block.having] if block.having is not None else []
    parts = [n for e in shown for n in walk_block(e)]
    values = list(dict.fromkeys(n for n in parts if isinstance(n, a.Aggregate)))
    # a subquery may read the inner items, which are not in the block's FROM any more
    if any(has_subquery(e) for e in shown) or any(isinstance(n, a.Grouping) for n in parts):
        return None
    # sum or count over a look-up for each row would read every row again, by random access
    if not all(_is_extreme(v) for v in values):
        return None  # of all others every row is read
    if not free_of_all(values) <= from_rels(found.items):
        return None  # of the table itself: it would be its block's aggregate
    items: list[a.FromItem] = [found.table]
    made = replace(block, distinct=None, group_by=None, having=None)
    having, filled = block.having, None
    if values:
        query = a.Select(numbered("value", values), found.items, conjoin(found.inner), ((),))
        item, columns = derived(ctx.fresh(), "once", copy_fresh(query, ctx.fresh)[0], lateral=True)
        items.append(item)
        for value, column in zip(values, columns, strict=True):
            made = replace_node(made, value, column)
            having = None if having is None else replace_node(having, value, column)
            # an extreme of filled values is NULL only for no rows, so it says EXISTS by itself
            if filled is None and _filled(value, block, ctx):
                filled = a.IsNull(column, negated=True)
    conditions = list(found.own)
    conditions += [] if having is None else [substitute(having, found.keys)]
    # GROUP BY has no group without rows; the table may have such rows
    if not found.each_has_rows:
        conditions.append(filled or _exists(found, ctx))
    return replace(made, from_=tuple(items), where=conjoin(conditions))


def _is_extreme(value: a.Aggregate) -> bool:
    plain = value.filter is None and not value.order_by and not value.distinct
    return plain and value.func.is_builtin and value.func.name in _EXTREMES


def _filled(value: a.Aggregate, block: a.Select, ctx: Context) -> bool:
    """Whether an extreme is NULL only where there are no rows."""
    known = ctx.facts.nonnull_columns(block)
    filled = len(value.args) == 1 and ctx.facts.never_null(value.args[0], known) is not None
    return ctx.holds("extreme-is-there", filled)


def _exists(found: Groups, ctx: Context) -> a.Expr:
    query = a.Select(ONE, found.items, conjoin(found.inner))
    # the inner items are used a second time beside the extremes: fresh numbers keep both apart
    return a.Exists(copy_fresh(query, ctx.fresh)[0])


def _first_rows(block: a.Select, keys: Sequence[a.Column], found: Groups, ctx: Context) -> a.Select | None:
    """DISTINCT ON: one row for each row of the table that has any."""
    first, rest = block.order_by[: len(keys)], block.order_by[len(keys) :]
    # without further sort keys DISTINCT ON takes any row of a group: there is no first one to look up
    if not rest or {k.expr for k in first} != set(keys):
        return None
    one = a.Const("1", a.COUNT_TYPE)
    query = a.Select(block.targets, found.items, conjoin(found.inner), order_by=rest, limit=one)
    item, columns = derived(ctx.fresh(), "one", copy_fresh(query, ctx.fresh)[0], lateral=True)
    targets = tuple(
        t if t.expr in keys else replace(t, expr=c) for t, c in zip(block.targets, columns, strict=True)
    )
    from_, where = (found.table, item), conjoin(found.own)
    return replace(block, targets=targets, distinct=None, order_by=first, from_=from_, where=where)
