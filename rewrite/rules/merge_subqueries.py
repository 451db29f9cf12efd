"""Correlated aggregates over one source in the select list are computed together.

    SELECT c.id, (SELECT count(*) FROM ord o WHERE o.cust = c.id), (SELECT sum(o.total) FROM ord o WHERE o.cust = c.id AND o.day > 3) FROM cust c
    -->
    SELECT c.id, coalesce(g.v1, 0), g.v2 FROM cust c LEFT JOIN (SELECT cust, count(*) AS v1, sum(total) FILTER (WHERE day > 3) AS v2
                                                                FROM ord GROUP BY cust) g ON g.cust = c.id

or as one LATERAL subquery for each row, which an index serves. The ties must be the same; what only one of them asks for becomes FILTER.
SOUNDNESS 1b, 1c.

Known as subquery coalescing (Bellamkonda et al. 2009).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewright.equivalence.laws.correlation import Inner, Tie
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule, ungrouped
from rewright.rewrite.rules.correlation import aggregate_block, in_output, once_a_key, with_join
from rewright.sql import algebra as a
from rewright.sql.build import derived, numbered, of_rows, or_zero
from rewright.sql.facts import divides, null_on_empty, simple_aggregates
from rewright.sql.walk import (
    conjoin,
    conjuncts,
    copy_fresh,
    free_rels,
    from_rels,
    outer_exprs,
    renumber,
    walk_block,
)

_Label = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """One subquery over the range variables of the first of its group."""

    node: a.ScalarSubquery
    value: a.Expr
    own: tuple[a.Expr, ...]
    ties: tuple[Tie, ...]


@rule(
    SELECT.where(ungrouped, reads_tables),
    guards=("empty-is-null", "empty-counts-zero"),
    known_as="subquery coalescing (Bellamkonda et al. 2009)",
    priority=87,
)
def merge_subqueries(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    groups: dict[tuple[_Label, frozenset[Any]], list[_Part]] = {}
    models: dict[_Label, Inner] = {}
    mine = from_rels(block.from_)
    nodes = [n for e in outer_exprs(block) for n in walk_block(e)]
    for node in dict.fromkeys(n for n in nodes if isinstance(n, a.ScalarSubquery)):
        inner = aggregate_block(node.query) if free_rels(node.query) & mine else None
        if (
            inner is None
            or not inner.ties
            or inner.others
            or not all(isinstance(i, a.Scan) for i in inner.items)
        ):
            continue
        label = tuple(sorted(_label(i) for i in inner.items))
        model = models.setdefault(label, inner)
        part = _aligned(node, inner, model)
        groups.setdefault((label, frozenset((t.inner, t.outer) for t in part.ties)), []).append(part)
    for (label, _), parts in groups.items():
        if len(parts) > 1:
            yield from _merged(block, parts, models[label], ctx)


def _label(item: a.FromItem) -> str:
    assert isinstance(item, a.Scan)
    return f"{item.table.schema}.{item.table.name}.{item.only}"


def _aligned(node: a.ScalarSubquery, inner: Inner, model: Inner) -> _Part:
    mine, theirs = (sorted(x.items, key=_label) for x in (inner, model))
    rels = {
        i.rel: m.rel
        for i, m in zip(mine, theirs, strict=True)
        if isinstance(i, a.Scan) and isinstance(m, a.Scan)
    }
    value = renumber(inner.select.targets[0].expr, rels)
    own = tuple(renumber(p, rels) for p in inner.local)
    ties = tuple(replace(t, inner=renumber(t.inner, rels), op=renumber(t.op, rels)) for t in inner.ties)
    return _Part(node, value, own, ties)


def _merged(block: a.Select, parts: Sequence[_Part], model: Inner, ctx: Context) -> Iterator[Rewrite]:
    shared = [p for p in parts[0].own if all(p in x.own for x in parts)]
    asked = [conjoin(p for p in x.own if p not in shared) for x in parts]
    some = [a.Or(tuple(dict.fromkeys(x for x in asked if x is not None)))] if None not in asked else []
    if some and len(some[0].args) == 1:
        shared, asked, some = [*shared, some[0].args[0]], [None] * len(parts), []
    values = [of_rows(x.value, own) for x, own in zip(parts, asked, strict=True)]
    why = f"{len(parts)} subqueries over the same rows are computed together"
    made = _lateral(block, parts, a.Select((), model.items, conjoin((*shared, *some))), values, ctx)
    yield Rewrite(made, why)
    counts = [isinstance(x.value, a.Aggregate) and x.value.func.name == "count" for x in parts]
    plain = all(simple_aggregates(x.value) and not divides(x.value) for x in parts)
    empty = all(c or null_on_empty(x.value) for c, x in zip(counts, parts, strict=True))
    if not plain or not ctx.holds("empty-is-null", empty):
        return
    whole = replace(model, local=(*shared, *some), ties=parts[0].ties)
    known = once_a_key(whole, numbered("v", values), "agg", ctx)
    item = replace(known.item, query=copy_fresh(known.item.query, ctx.fresh)[0])
    mapping: dict[a.ScalarSubquery, a.Expr] = {}
    for part, count, value in zip(parts, counts, known.values, strict=True):
        zero = count and not ctx.holds("empty-counts-zero", not count)
        mapping[part.node] = or_zero(value) if zero else value
    yield Rewrite(with_join(block, mapping, item, conjoin(known.on)), why)


def _lateral(
    block: a.Select, parts: Sequence[_Part], source: a.Select, values: Sequence[a.Expr], ctx: Context
) -> a.Select:
    where = conjoin((*(t.op for t in parts[0].ties), *conjuncts(source.where)))
    query = replace(source, targets=numbered("v", values), where=where, group_by=((),))
    query, _ = copy_fresh(query, ctx.fresh)
    item, columns = derived(ctx.fresh(), "agg", query, lateral=True)
    mapping = {x.node: column for x, column in zip(parts, columns, strict=True)}
    return in_output(replace(block, from_=(*block.from_, item)), mapping)
