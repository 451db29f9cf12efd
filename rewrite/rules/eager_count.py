"""Aggregates over the nullable side of a LEFT JOIN are computed before the join, once a join key.

    SELECT c.id, count(o.id) FROM cust c LEFT JOIN ord o ON o.cust = c.id AND o.x <> 'a' GROUP BY c.id
    -->
    SELECT c.id, coalesce(g.n, 0) FROM cust c LEFT JOIN (SELECT cust, count(id) n FROM ord WHERE x <> 'a' GROUP BY cust) g
                                        ON g.cust = c.id

When the grouping columns hold a key of the preserved side, each of its rows is a group and no second grouping is
needed. Calcite: AggregateJoinTransposeRule. SOUNDNESS 6d, 6f; Yan and Larson 1995.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, grouped, one_source, rule
from rewright.rewrite.rules.correlation import as_tie
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile, order_sensitive
from rewright.sql.facts.aggregates import NOT_NULL_ON_EMPTY
from rewright.sql.walk import (
    QUERIES,
    conjoin,
    conjuncts,
    free_rels,
    from_rels,
    group_keys,
    has_subquery,
    has_window,
    map_parts,
    walk_block,
)


@rule(
    SELECT.where(grouped, one_source),
    guards=("groups-are-rows",),
    known_as="AggregateJoinTransposeRule",
    priority=65,
    category="join",
)
def eager_count(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    join = block.from_[0]
    if not isinstance(join, a.Join) or join.kind != "left" or not isinstance(join.left, a.Scan | a.Derived):
        return
    if isinstance(join.right, a.Join) or is_volatile(block) or any(has_window(t.expr) for t in block.targets):
        return
    basis = _key_in(join.left, group_keys(block), ctx)
    if not ctx.holds("groups-are-rows", basis is not None):
        return
    made = _early(block, join, ctx)
    if made is not None:
        yield Rewrite(
            made, "the nullable side is aggregated once a key before the join", basis or frozenset()
        )


def _key_in(item: a.FromItem, keys: tuple[a.Expr, ...], ctx: Context) -> frozenset[str] | None:
    rels = from_rels((item,))
    have = {k.pos for k in keys if isinstance(k, a.Column) and k.rel in rels}
    if not all(isinstance(k, a.Column) and k.rel in rels for k in keys):
        return None
    return next((basis for columns, basis in ctx.keys(item) if columns <= have), None)


def _early(block: a.Select, join: a.Join, ctx: Context) -> a.Select | None:
    right = from_rels((join.right,))
    ties, local = [], []
    for pred in conjuncts(join.on):
        tie = as_tie(pred, right)
        if tie is not None:
            ties.append(tie)
        elif free_rels(pred) <= right and not has_subquery(pred):
            local.append(pred)
        else:
            return None
    aggregates = _aggregates(block)
    if not ties or not aggregates:
        return None
    for g in aggregates:
        own = free_rels(a.RowExpr((*g.args, *((g.filter,) if g.filter is not None else ())), g.type))
        if g.star or order_sensitive(g) or not own or not own <= right or not _strict(g):
            return None
    used = [n for part in _parts(block) for n in walk_block(part) if isinstance(n, a.Column)]
    if any(n.rel in right for n in used) or any(free_rels(p) & right for p in conjuncts(block.where)):
        return None
    rel = ctx.fresh()
    keys = [t.key for t in ties]
    names = [f"key{i + 1}" for i in range(len(keys))] + [f"v{i + 1}" for i in range(len(aggregates))]
    targets = tuple(a.Target(n, e) for n, e in zip(names, [*keys, *aggregates], strict=True))
    grouped = a.Select(targets, (join.right,), conjoin(local), (tuple(dict.fromkeys(keys)),))
    derived = a.Derived(rel, grouped, "pre", tuple(names))
    on = conjoin(t.on_key(a.Column(rel, i, t.key.type, names[i])) for i, t in enumerate(ties))
    values: dict[a.Aggregate, a.Expr] = {}
    for i, g in enumerate(aggregates):
        column = a.Column(rel, len(keys) + i, g.type, f"v{i + 1}")
        zero = a.Const("0", g.type)
        values[g] = a.Coalesce((column, zero), g.type) if g.func.name == "count" else column

    def visit(n: Any) -> Any:
        if isinstance(n, QUERIES):
            return n
        return values[n] if isinstance(n, a.Aggregate) else map_parts(n, visit)

    having = visit(block.having) if block.having is not None else None
    return replace(
        block,
        targets=tuple(visit(t) for t in block.targets),
        from_=(a.Join("left", join.left, derived, on),),
        where=conjoin((*conjuncts(block.where), *conjuncts(having))),
        group_by=None,
        having=None,
        order_by=tuple(visit(k) for k in block.order_by),
    )


def _strict(g: a.Aggregate) -> bool:
    """The padded row contributes nothing: the aggregate skips NULL arguments and its argument is NULL there."""
    if g.func.name in NOT_NULL_ON_EMPTY and g.func.name != "count":
        return False
    return (
        len(g.args) == 1
        and isinstance(g.args[0], a.Column)
        and g.func.name in {"count", "sum", "avg", "min", "max"}
    )


def _aggregates(block: a.Select) -> list[a.Aggregate]:
    parts: list[Any] = [t.expr for t in block.targets] + [k.expr for k in block.order_by]
    if block.having is not None:
        parts.append(block.having)
    found = [n for p in parts for n in walk_block(p) if isinstance(n, a.Aggregate)]
    return list(dict.fromkeys(found))


def _parts(block: a.Select) -> list[Any]:
    """What stands outside aggregates."""

    def blank(n: Any) -> Any:
        if isinstance(n, QUERIES):
            return n
        return a.Const(None, n.type) if isinstance(n, a.Aggregate) else map_parts(n, blank)

    parts: list[Any] = [
        *block.targets,
        *block.order_by,
        *((block.having,) if block.having is not None else ()),
    ]
    return [blank(p) for p in parts]
