"""Where a filter on a query's output may be applied inside the query.

Owns the map of hazards 7a: through projections, DISTINCT, set operations, grouping by the column in every
grouping set, windows partitioned by it. Must not know which rule wants to push what.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rewright.rewrite.rules.base import Context
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import (
    columns_used,
    conjoin,
    conjuncts,
    copy_fresh,
    free_rels,
    has_aggregate,
    has_subquery,
    has_window,
    is_plain,
    kept_product,
    left_spine,
    replace_item,
    returns_set,
    substitute,
    walk,
    walk_block,
)


def can_push(query: a.Query, positions: frozenset[int], ctx: Context) -> bool:
    """Whether a filter that reads only these output columns may move inside."""
    # a filter below LIMIT chooses other rows than one above
    if query.limit is not None or query.offset is not None:
        return ctx.holds("no-limit-inside", False)
    match query:
        case a.SetOp():
            # the arms see the same filter: those that INTERSECT or EXCEPT compare fail or pass it together
            return not any(c.recursive for c in query.ctes) and all(
                can_push(side, positions, ctx) for side in (query.left, query.right)
            )
        case a.Select():
            return _can_push_select(query, positions, ctx)
        case a.Values():
            # lists of constants have no WHERE
            return False


def _can_push_select(query: a.Select, positions: frozenset[int], ctx: Context) -> bool:
    exprs = [query.targets[p].expr for p in positions]
    # a set in the list makes several rows of one: filtering by it is not filtering rows
    if any(returns_set(t.expr) for t in query.targets) or any(may_differ(e) for e in exprs):
        return False
    if query.distinct and not all(e in query.distinct for e in exprs):
        # DISTINCT ON keeps one row of several: a filter on something else may leave another one
        return ctx.holds("not-distinct-on", False)
    if query.group_by is not None:
        # in every grouping set: in `GROUPING SETS ((a), ())` the last set's a is NULL
        grouped = bool(query.group_by) and all(all(e in keys for e in exprs) for keys in query.group_by)
        # a column beside aggregates is one that the primary key among the keys decides: else it were an error
        grouped = grouped or (len(query.group_by) == 1 and all(isinstance(e, a.Column) for e in exprs))
        if not ctx.holds("grouped-by-column", grouped and bool(exprs)):
            return False
    elif any(has_aggregate(e) for e in exprs):
        return False
    windows = [n for t in query.targets for n in walk_block(t.expr) if isinstance(n, a.WindowCall)]
    # ORDER BY may hold windows that the list does not
    windows += [n for k in query.order_by for n in walk_block(k.expr) if isinstance(n, a.WindowCall)]
    # the window's value is not known before its rows are
    if any(has_window(e) for e in exprs):
        return False
    # a filter leaves partitions whole or takes them away; cut ones would give other windows
    return ctx.holds("partitioned-by-column", all(e in w.window.partition_by for w in windows for e in exprs))


def heavy(query: a.Query) -> bool:
    """Whether rows are grouped, compared or numbered there, so that fewer of them are less work."""
    if isinstance(query, a.SetOp):
        # UNION, INTERSECT and EXCEPT compare rows
        return True
    return isinstance(query, a.Select) and (
        query.group_by is not None
        or query.distinct is not None
        or any(isinstance(n, a.WindowCall) for t in query.targets for n in walk(t.expr))
    )


def pads_heavy(query: a.Query) -> bool:
    """Whether a query joins plain rows with grouped tables on the right of LEFT JOINs, as views do: what is
    asked of the rows may be asked of the groups where both stand in one block.
    """
    if not isinstance(query, a.Select) or not is_plain(query) or len(query.from_) != 1:
        return False
    rights = (j.right for j in left_spine(query.from_[0])[1])
    return any(isinstance(r, a.Derived) and heavy(r.query) for r in rights)


def over_heavy(query: a.Query) -> bool:
    """Whether a query is heavy, pads heavy ones, or filters one (the first row of each group, say)."""
    below = kept_product(query)[0] if isinstance(query, a.Select) else ()
    filtered = any(isinstance(i, a.Derived) and heavy(i.query) for i in below)
    return heavy(query) or filtered or pads_heavy(query)


def fewer(item: a.Derived, pred: a.Expr, ctx: Context) -> a.Derived | None:
    """A table with a condition on its output applied inside; None where it may not be or saves nothing."""
    query = item.query
    positions = frozenset(c.pos for c in columns_used((pred,), (item.rel,)))
    if not over_heavy(query) or not can_push(query, positions, ctx):
        return None
    made = push(query, item.rel, (pred,), ctx)
    light = not heavy(query) and not pads_heavy(query)
    if light and isinstance(made, a.Select) and isinstance(query, a.Select) and made.where != query.where:
        # it filters what a heavy query below gives: only a condition within that one saves work
        return None
    return replace(item, query=made)


def _asked(query: a.Select, pred: a.Expr, ctx: Context) -> a.Select:
    """``query`` with one more condition in WHERE, or within the heavy query of FROM whose output it is about:
    the server takes no semi-joins there.
    """
    for item in kept_product(query)[0]:
        if not isinstance(item, a.Derived) or free_rels(pred) != {item.rel} or not heavy(item.query):
            continue
        # plain conditions the server pushes down itself
        if not has_subquery(pred) or item.lateral or item.security_barrier:
            continue
        if can_push(item.query, frozenset(c.pos for c in columns_used((pred,), (item.rel,))), ctx):
            made = replace(item, query=push(item.query, item.rel, (pred,), ctx))
            return replace(query, from_=tuple(replace_item(i, item, made) for i in query.from_))
    return replace(query, where=conjoin((*conjuncts(query.where), pred)))


def push(query: a.Query, rel: int, preds: Sequence[a.Expr], ctx: Context) -> a.Query:
    """``query`` with conjuncts over its output (columns of ``rel``) applied inside; see `can_push`."""
    match query:
        case a.SetOp():
            # a subquery in the condition stands in both arms from here on: numbers once each
            fresh_preds = [copy_fresh(p, ctx.fresh)[0] for p in preds]
            return replace(
                query,
                left=push(query.left, rel, preds, ctx),
                right=push(query.right, rel, fresh_preds, ctx),
            )
        case a.Select():
            mapping = {(rel, i): t.expr for i, t in enumerate(query.targets)}
            for pred in preds:
                query = _asked(query, substitute(pred, mapping), ctx)
            return query
        case a.Values():
            raise AssertionError("nothing is pushed into VALUES")
