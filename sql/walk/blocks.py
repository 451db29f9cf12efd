"""Conditions, FROM as a product, and what kind of block one is: the shapes that rules and facts ask about.

Purely structural; what follows from schemas is in `rewright.sql.facts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rewright.sql import algebra as a
from rewright.sql.walk.nodes import SUBQUERIES, walk, walk_block
from rewright.sql.walk.rels import free_rels, leaves

# --------------------------------------------------------------------------- conjunctions


def conjuncts(expr: a.Expr | None) -> tuple[a.Expr, ...]:
    """The members of a conjunction, nested ANDs flattened; none for no condition."""
    if expr is None:
        return ()
    if isinstance(expr, a.And):
        return tuple(c for arg in expr.args for c in conjuncts(arg))
    return (expr,)


def conjoin(exprs: Iterable[a.Expr]) -> a.Expr | None:
    """AND over expressions; None over none."""
    found = tuple(exprs)
    if len(found) <= 1:
        return found[0] if found else None
    return a.And(found)


def disjuncts(expr: a.Expr) -> tuple[a.Expr, ...]:
    """The members of a disjunction, nested ORs flattened."""
    if isinstance(expr, a.Or):
        return tuple(d for arg in expr.args for d in disjuncts(arg))
    return (expr,)


# --------------------------------------------------------------------------- FROM


def dissolve(items: Iterable[a.FromItem]) -> tuple[list[a.FromItem], list[a.Expr]]:
    """Inner joins taken apart: a cross product of items (outer joins stay whole) and conjuncts."""
    flat: list[a.FromItem] = []
    preds: list[a.Expr] = []
    for item in items:
        if isinstance(item, a.Join) and item.kind == "inner":
            inner, more = dissolve((item.left, item.right))
            flat += inner
            preds += [*more, *conjuncts(item.on)]
        else:
            flat.append(item)
    return flat, preds


def as_product(select: a.Select) -> tuple[list[a.FromItem], list[a.Expr]]:
    """FROM and WHERE of a block as a cross product and its conjuncts (inner ON is WHERE)."""
    items, preds = dissolve(select.from_)
    return items, [*preds, *conjuncts(select.where)]


def kept_product(select: a.Select) -> tuple[list[a.FromItem], list[a.Expr]]:
    """The items of FROM whose rows no outer join pads, and the conjuncts that all of the block's rows pass:
    WHERE, and ON of inner joins of such items.

    What a conjunct asks of one of these items alone may be asked of its rows before the joins.
    """
    items, preds = _kept(select.from_)
    return items, [*preds, *conjuncts(select.where)]


def _kept(items: Iterable[a.FromItem]) -> tuple[list[a.FromItem], list[a.Expr]]:
    found: list[a.FromItem] = []
    preds: list[a.Expr] = []
    for item in items:
        match item:
            case a.Join(kind="inner"):
                inner, more = _kept((item.left, item.right))
                preds += [*more, *conjuncts(item.on)]
            # the side whose rows are all kept; the other side's are padded with NULLs
            case a.Join(kind="left" | "right"):
                inner, more = _kept((item.left if item.kind == "left" else item.right,))
                preds += more
            # FULL: either side may be padded
            case a.Join():
                inner = []
            case _:
                inner = [item]
        found += inner
    return found, preds


def is_lateral(item: a.FromItem) -> bool:
    """Whether a FROM item refers to its neighbours (or to an enclosing block)."""
    return bool(free_rels(item)) and not isinstance(item, a.Join)


def same_source(one: a.FromItem, other: a.FromItem) -> bool:
    """Whether two items read the same relation, or the same CTE."""
    match one, other:
        case a.Scan(), a.Scan():
            return one.table == other.table and one.only == other.only
        case a.CteScan(), a.CteScan():
            return one.cte == other.cte
        case _:
            return False


def arms_of(query: a.Query) -> list[a.Query]:
    """The arms of a chain of UNION ALL, left to right; the query itself where it is none. Arms that are cut
    or define CTEs stay whole.
    """
    if not isinstance(query, a.SetOp) or query.op != "union" or not query.all:
        return [query]
    sides = (query.left, query.right)
    return [arm for side in sides for arm in ([side] if _stays_whole(side) else arms_of(side))]


def _stays_whole(query: a.Query) -> bool:
    return query.limit is not None or query.offset is not None or bool(query.ctes)


def twins(theirs: a.Select, ours: a.Select) -> dict[int, int] | None:
    """Range variables of one block by those of another at the same place; None where
    there are not as many.
    """
    mine, others = (list(leaves(block.from_)) for block in (ours, theirs))
    if len(mine) != len(others):
        return None
    return {other.rel: one.rel for one, other in zip(mine, others, strict=True)}


# --------------------------------------------------------------------------- kinds of blocks


def is_closed(query: a.Query) -> bool:
    """Whether a query refers to nothing outside itself, CTEs aside."""
    return not free_rels(query)


def is_plain(query: a.Query) -> bool:
    """A Select of FROM, WHERE and targets only (aggregates, windows and CTEs may not be in it)."""
    return (
        isinstance(query, a.Select)
        and query.group_by is None
        and query.having is None
        and query.distinct is None
        and query.limit is None
        and query.offset is None
        and not query.ctes
        and not any(returns_set(t.expr) or has_window(t.expr) for t in query.targets)
    )


def is_plain_grouping(query: a.Query) -> bool:
    """A Select grouped in one way, with nothing but FROM, WHERE, GROUP BY, targets
    and an order nobody sees.
    """
    return (
        isinstance(query, a.Select)
        and query.group_by is not None
        and len(query.group_by) == 1
        and is_plain(replace(query, group_by=None))
    )


def group_keys(block: a.Select) -> tuple[a.Expr, ...]:
    """The expressions that a block groups by in one way; none where it does not
    group, or groups in several.
    """
    return block.group_by[0] if block.group_by is not None and len(block.group_by) == 1 else ()


def outer_exprs(block: a.Select) -> Iterator[a.Expr]:
    """The expressions that are evaluated on groups: targets, sort keys, HAVING."""
    yield from (t.expr for t in block.targets)
    yield from (k.expr for k in block.order_by)
    if block.having is not None:
        yield block.having


def has_subquery(node: a.Node) -> bool:
    return any(isinstance(n, SUBQUERIES) for n in walk(node))


def has_window(node: a.Node) -> bool:
    """Whether the block itself calls a window function there."""
    return any(isinstance(n, a.WindowCall) for n in walk_block(node))


def has_aggregate(node: a.Node) -> bool:
    """Whether an aggregate (or GROUPING) of the block itself is there."""
    return any(isinstance(n, a.Aggregate | a.Grouping) for n in walk_block(node))


def returns_set(node: a.Node) -> bool:
    """Whether a function of the block itself that returns a set is there."""
    return any(isinstance(n, a.Call) and n.func.returns_set for n in walk_block(node))
