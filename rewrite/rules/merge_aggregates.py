"""Several one-row aggregates over one source become one pass with FILTER.

    SELECT (SELECT count(*) FROM t WHERE q BETWEEN 1 AND 20), (SELECT avg(x) FROM t WHERE q BETWEEN 21 AND 40)
    -->
    WITH pass AS (SELECT count(*) FILTER (WHERE q BETWEEN 1 AND 20) a, avg(x) FILTER (WHERE q BETWEEN 21 AND 40) b FROM t
                   WHERE q BETWEEN 1 AND 20 OR q BETWEEN 21 AND 40)
    SELECT (SELECT a FROM pass), (SELECT b FROM pass)

For scalar subqueries anywhere in a block, and for one-row derived tables in its FROM. An aggregate without
GROUP BY gives one row whatever the input, so FILTER and WHERE agree on empty input too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from rewrite.rules.base import Context, Rewrite, Rule
from rewrite.rules.canonical import is_closed
from rewrite.rules.shape import is_volatile
from rewrite.rules.tree import as_product, conjoin, copy_fresh, map_children, renumber, walk_block
from sql import algebra as a


@dataclass(frozen=True, slots=True)
class _Pass:
    """One aggregate query over a product of tables, with rels renumbered to the first one's."""

    node: a.ScalarSubquery | a.Derived
    targets: tuple[a.Target, ...]
    preds: tuple[a.Expr, ...]


def apply(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    if not isinstance(block, a.Select):
        return
    groups: dict[tuple[str, ...], list[a.ScalarSubquery | a.Derived]] = {}
    for node in _nodes(block):
        query = node.query
        if _is_pass(query):
            assert isinstance(query, a.Select)
            groups.setdefault(_source(query), []).append(node)
    for nodes in groups.values():
        distinct = list(dict.fromkeys(nodes))
        if len(distinct) > 1:
            yield Rewrite(
                _merged(block, distinct, ctx),
                f"{len(distinct)} aggregates over one source are computed in one pass",
            )


def _nodes(block: a.Select) -> Iterator[a.ScalarSubquery | a.Derived]:
    for part in (
        *block.targets,
        *((block.where,) if block.where else ()),
        *((block.having,) if block.having else ()),
    ):
        for n in walk_block(part):
            if isinstance(n, a.ScalarSubquery):
                yield n
    for item in block.from_:
        if isinstance(item, a.Derived) and not item.lateral and not item.security_barrier:
            yield item


def _is_pass(query: a.Query) -> bool:
    if not isinstance(query, a.Select) or query.group_by != ((),) or query.having is not None or query.ctes:
        return False
    if query.limit is not None or query.offset is not None or query.distinct is not None:
        return False
    items, preds = as_product(query)
    return (
        all(isinstance(i, a.Scan | a.CteScan) for i in items)
        and bool(preds)
        and is_closed(query)
        and not is_volatile(query)
    )


def _source(query: a.Select) -> tuple[str, ...]:
    return tuple(_label(i) for i in _ordered(query))


def _ordered(query: a.Select) -> list[a.FromItem]:
    return sorted(as_product(query)[0], key=_label)


def _label(item: a.FromItem) -> str:
    match item:
        case a.Scan(table=t, only=only):
            return f"{t.schema}.{t.name}.{only}"
        case a.CteScan(cte=cte):
            return f"cte {cte}"
        case _:
            return ""


def _merged(block: a.Select, nodes: list[a.ScalarSubquery | a.Derived], ctx: Context) -> a.Select:
    first = nodes[0].query
    assert isinstance(first, a.Select)
    model = _ordered(first)
    passes = [_aligned(n, model) for n in nodes]
    shared = [p for p in passes[0].preds if all(p in other.preds for other in passes[1:])]
    targets: list[a.Target] = []
    arms: list[a.Expr] = []
    where: dict[Any, int] = {}
    for made in passes:
        own = conjoin(p for p in made.preds if p not in shared)
        if own is not None:
            arms.append(own)
        where[made.node] = len(targets)
        targets += [
            a.Target(f"v{len(targets) + i + 1}", _filtered(t.expr, own)) for i, t in enumerate(made.targets)
        ]
    some: list[a.Expr] = (
        [a.Or(tuple(dict.fromkeys(arms)))] if len(set(arms)) > 1 and len(arms) == len(passes) else []
    )
    if len(set(arms)) == 1 and len(arms) == len(passes):
        some = [arms[0]]
    source = a.Select(tuple(targets), tuple(model), conjoin((*shared, *some)), ((),))
    source, _ = copy_fresh(source, ctx.fresh)
    return _placed(block, source, where, ctx)


def _aligned(node: a.ScalarSubquery | a.Derived, model: list[a.FromItem]) -> _Pass:
    query = node.query
    assert isinstance(query, a.Select)
    rels = {
        i.rel: m.rel
        for i, m in zip(_ordered(query), model, strict=True)
        if not isinstance(i, a.Join) and not isinstance(m, a.Join)
    }
    targets = tuple(renumber(t, rels) for t in query.targets)
    return _Pass(node, targets, tuple(renumber(p, rels) for p in as_product(query)[1]))


def _filtered(expr: a.Expr, own: a.Expr | None) -> a.Expr:
    def visit(n: Any) -> Any:
        if isinstance(n, a.Aggregate) and own is not None:
            return replace(n, filter=conjoin((own, *((n.filter,) if n.filter is not None else ()))))
        return map_children(n, visit)

    found: a.Expr = visit(expr)
    return found


def _placed(block: a.Select, source: a.Select, where: dict[Any, int], ctx: Context) -> a.Select:
    number = ctx.fresh()
    columns = tuple(a.OutputColumn(t.name, t.expr.type) for t in source.targets)
    cte = a.Cte(number, "pass", source, columns, materialized=True)

    def visit(n: Any) -> Any:
        if isinstance(n, a.ScalarSubquery | a.Derived) and n in where:
            rel = ctx.fresh()
            start = where[n]
            shown = a.output_columns(n.query)
            scan = a.CteScan(rel, number, "pass", columns)
            picked = tuple(
                a.Target(c.name, a.Column(rel, start + i, c.type, columns[start + i].name))
                for i, c in enumerate(shown)
            )
            return replace(n, query=a.Select(picked, (scan,)))
        return (
            n if isinstance(n, a.Select | a.SetOp | a.Values) and n is not block else map_children(n, visit)
        )

    made: a.Select = visit(block)
    return replace(made, ctes=(*made.ctes, cte))


RULE = Rule(
    "merge_aggregates", apply, (), "AggregateFilterToFilteredAggregateRule", priority=85, category="others"
)
