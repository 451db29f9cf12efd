"""Several one-row aggregates over one source become one pass with FILTER.

    SELECT (SELECT count(*) FROM t WHERE q BETWEEN 1 AND 20), (SELECT avg(x) FROM t WHERE q BETWEEN 21 AND 40)
    -->
    WITH pass AS (SELECT count(*) FILTER (WHERE q BETWEEN 1 AND 20) a, avg(x) FILTER (WHERE q BETWEEN 21 AND
    40) b FROM t
                   WHERE q BETWEEN 1 AND 20 OR q BETWEEN 21 AND 40)
    SELECT (SELECT a FROM pass), (SELECT b FROM pass)

For scalar subqueries anywhere in a block, for one-row derived tables in its FROM, and for one-row arms of
UNION ALL. An aggregate without GROUP BY gives one row whatever the input, so FILTER and WHERE agree on empty
input too.

Calcite: AggregateFilterToFilteredAggregateRule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewright.rewrite.rules.base import QUERY, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.build import of_rows
from rewright.sql.facts import may_differ
from rewright.sql.walk import (
    arms_of,
    as_product,
    conjoin,
    copy_fresh,
    is_closed,
    leaves,
    map_parts,
    renumber,
    walk_block,
)


@dataclass(frozen=True, slots=True)
class _Pass:
    """One aggregate query over a product of tables, with rels renumbered to the first one's."""

    node: a.ScalarSubquery | a.Derived
    targets: tuple[a.Target, ...]
    preds: tuple[a.Expr, ...]


@rule(QUERY, known_as="AggregateFilterToFilteredAggregateRule", priority=85, category="others")
def merge_aggregates(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    # arms of UNION ALL are single rows as well, one below the other
    if isinstance(block, a.SetOp):
        yield from _of_arms(block, ctx)
    # a set operation has no targets or FROM to look through
    if not isinstance(block, a.Select):
        return
    groups: dict[tuple[str, ...], list[a.ScalarSubquery | a.Derived]] = {}
    for node in _nodes(block):
        query = node.query
        if _is_pass(query):
            assert isinstance(query, a.Select)
            groups.setdefault(_source(query), []).append(node)
    for nodes in groups.values():
        # the same subquery at two places is computed once by the CTE anyway
        distinct = list(dict.fromkeys(nodes))
        if len(distinct) > 1:
            yield Rewrite(
                _merged(block, distinct, ctx),
                f"{len(distinct)} aggregates over one source are computed in one pass",
            )


def _of_arms(block: a.SetOp, ctx: Context) -> Iterator[Rewrite]:
    """Arms of UNION ALL as derived tables, which are merged as in FROM, and put back."""
    arms = arms_of(block)
    found: dict[tuple[str, ...], list[a.Derived]] = {}
    for arm in arms:
        # an arm's ORDER BY of one row is harmless, but its keys would have to move
        if _is_pass(arm) and isinstance(arm, a.Select) and not arm.order_by:
            node = a.Derived(ctx.fresh(), arm, "arm", tuple(t.name for t in arm.targets))
            found.setdefault(_source(arm), []).append(node)
    for nodes in found.values():
        if len(nodes) < 2:
            continue
        source, where = _source_of(nodes, ctx)
        # by id: two arms may be equal, and each has its own place among the outputs
        made = _with_arms(block, {id(n.query): where[n] for n in nodes}, source, ctx)
        yield Rewrite(made, f"{len(nodes)} arms over one source are computed in one pass")


def _with_arms(block: a.SetOp, places: dict[int, int], source: a.Select, ctx: Context) -> a.SetOp:
    number = ctx.fresh()
    columns = tuple(a.OutputColumn(t.name, t.expr.type) for t in source.targets)

    def visit(query: a.Query) -> a.Query:
        # equal arms would share an entry in a dict of queries
        if id(query) in places:
            return _picked(a.output_columns(query), places[id(query)], number, columns, ctx)
        if isinstance(query, a.SetOp):
            return replace(query, left=visit(query.left), right=visit(query.right))
        return query

    made = visit(block)
    assert isinstance(made, a.SetOp)
    return replace(made, ctes=(*made.ctes, a.Cte(number, "pass", source, columns, materialized=True)))


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
        # what LATERAL reads differs from row to row, and a barrier hides rows
        if isinstance(item, a.Derived) and not item.lateral and not item.security_barrier:
            yield item


def _is_pass(query: a.Query) -> bool:
    if not isinstance(query, a.Select) or query.group_by != ((),) or query.having is not None or query.ctes:
        return False
    # LIMIT 0 and OFFSET 1 leave no row, for which FILTER has no word
    if query.limit is not None or query.offset is not None or query.distinct is not None:
        return False
    items, preds = as_product(query)
    return (
        all(isinstance(i, a.Scan | a.CteScan) for i in items)
        # without conditions there is nothing to tell apart: two such are found as equal subqueries
        and bool(preds)
        and is_closed(query)
        and not may_differ(query)
    )


def _source(query: a.Select) -> tuple[str, ...]:
    return tuple(_label(i) for i in _ordered(query))


# sorted by name, so that `FROM a, b` and `FROM b, a` are one source
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
    source, where = _source_of(nodes, ctx)
    return _placed(block, source, where, ctx)


def _source_of(
    nodes: Sequence[a.ScalarSubquery | a.Derived], ctx: Context
) -> tuple[a.Select, dict[Any, int]]:
    """One query with the outputs of all, and where each one's begin."""
    first = nodes[0].query
    assert isinstance(first, a.Select)
    model = _ordered(first)
    passes = [_aligned(n, model) for n in nodes]
    # what all passes ask stays in WHERE, where an index may serve it
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
            a.Target(f"v{len(targets) + i + 1}", of_rows(t.expr, own)) for i, t in enumerate(made.targets)
        ]
    some: list[a.Expr] = (
        # one pass without conditions of its own reads all rows: WHERE must leave none out for it
        [a.Or(tuple(dict.fromkeys(arms)))] if len(set(arms)) > 1 and len(arms) == len(passes) else []
    )
    # passes that differ in their outputs alone need no FILTER
    if len(set(arms)) == 1 and len(arms) == len(passes):
        some = [arms[0]]
    source = a.Select(tuple(targets), tuple(model), conjoin((*shared, *some)), ((),))
    copied, _ = copy_fresh(source, ctx.fresh)
    return copied, where


def _aligned(node: a.ScalarSubquery | a.Derived, model: list[a.FromItem]) -> _Pass:
    query = node.query
    assert isinstance(query, a.Select)
    # tables of one name are paired as they come: a self-join's other pairing is not looked for
    pairs = zip(leaves(_ordered(query)), leaves(model), strict=True)
    rels = {i.rel: m.rel for i, m in pairs}
    targets = tuple(renumber(t, rels) for t in query.targets)
    return _Pass(node, targets, tuple(renumber(p, rels) for p in as_product(query)[1]))


def _placed(block: a.Select, source: a.Select, where: dict[Any, int], ctx: Context) -> a.Select:
    number = ctx.fresh()
    columns = tuple(a.OutputColumn(t.name, t.expr.type) for t in source.targets)
    cte = a.Cte(number, "pass", source, columns, materialized=True)

    def visit(n: Any) -> Any:
        if isinstance(n, a.ScalarSubquery | a.Derived) and n in where:
            return replace(n, query=_picked(a.output_columns(n.query), where[n], number, columns, ctx))
        # subqueries of other blocks are not this block's to merge
        return n if isinstance(n, a.Select | a.SetOp | a.Values) and n is not block else map_parts(n, visit)

    made: a.Select = visit(block)
    return replace(made, ctes=(*made.ctes, cte))


def _picked(
    shown: Sequence[a.OutputColumn],
    start: int,
    number: int,
    columns: tuple[a.OutputColumn, ...],
    ctx: Context,
) -> a.Select:
    """The outputs from ``start`` on of the one row of the pass."""
    rel = ctx.fresh()
    scan = a.CteScan(rel, number, "pass", columns)
    picked = tuple(
        a.Target(c.name, a.Column(rel, start + i, c.type, columns[start + i].name))
        for i, c in enumerate(shown)
    )
    return a.Select(picked, (scan,))
