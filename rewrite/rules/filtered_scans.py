"""Scans with conditions of their own, and how several become one CTE that is filtered once.

Owns which conditions may move (they hold for every row of an inner product, can not fail and say the same
each time) and the CTE. Hazards 12.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewright.rewrite.rules.base import Context
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import (
    as_product,
    blocks,
    columns_used,
    conjoin,
    conjuncts,
    free_rels,
    has_subquery,
    map_parts,
    references_whole,
    renumber,
    substitute,
)


@dataclass(frozen=True, slots=True)
class Reader:
    """A scan, its block's conditions on it alone, and what it shares other conditions with."""

    scan: a.Scan
    own: tuple[a.Expr, ...]
    partners: frozenset[int]


def readers_of(block: a.Query, ctx: Context) -> Iterator[Reader]:
    for _, query in blocks(block):
        if isinstance(query, a.Select):
            yield from in_block(query, block, ctx)


def in_block(query: a.Select, statement: a.Query, ctx: Context) -> Iterator[Reader]:
    items, preds = as_product(query)
    for item in items:
        if isinstance(item, a.Scan) and not references_whole(statement, item.rel):
            own = [p for p in preds if free_rels(p) == {item.rel} and movable(p, ctx)]
            shared = (free_rels(p) for p in preds if item.rel in free_rels(p))
            yield Reader(item, tuple(own), frozenset().union(*shared) - {item.rel})


def movable(pred: a.Expr, ctx: Context) -> bool:
    """Whether a condition may be asked of more rows, or earlier."""
    return not has_subquery(pred) and not may_differ(pred) and ctx.facts.cannot_fail(pred)


def filtered_once(
    block: a.Query, readers: Sequence[Reader], common: Sequence[a.Expr], ctx: Context
) -> a.Query:
    """``block`` with a CTE that ``readers``, scans of one table, read in place of it under the conditions
    that are ``common`` to them, said of relation 0.
    """
    rels = {r.scan.rel for r in readers}
    kept = _without(block, rels, common)
    needed = sorted({c.pos for c in columns_used((kept,), rels)})
    number, inner = ctx.fresh(), ctx.fresh()
    scan = readers[0].scan
    # a table that is only counted shows no column, but a CTE needs one
    columns = tuple(scan.columns[p] for p in needed) or scan.columns[:1]
    needed = needed or [0]
    targets = tuple(
        a.Target(c.name, a.Column(inner, p, c.type, c.name)) for p, c in zip(needed, columns, strict=True)
    )
    where = conjoin(renumber(p, {0: inner}) for p in common)
    # materialized, or the server would merge the one use that EXPLAIN has shown it to misjudge
    cte = a.Cte(
        number, "kept", a.Select(targets, (replace(scan, rel=inner),), where), columns, materialized=True
    )
    place = {p: i for i, p in enumerate(needed)}
    moved: dict[tuple[int, int], a.Expr] = {
        (c.rel, c.pos): a.Column(c.rel, place[c.pos], c.type, c.name) for c in columns_used((kept,), rels)
    }

    def visit(n: Any) -> Any:
        if isinstance(n, a.Scan) and n.rel in rels:
            return a.CteScan(n.rel, number, n.alias, columns)
        return map_parts(n, visit)

    made: a.Query = visit(substitute(kept, moved))
    return replace(made, ctes=(cte, *made.ctes))


def _without(block: a.Query, rels: set[int], common: Sequence[a.Expr]) -> a.Query:
    """The statement without the common conditions on its readers, wherever they stand."""
    # the conditions are said of relation 0: here of each reader
    gone = {renumber(p, {0: rel}) for p in common for rel in rels}

    def keep(expr: a.Expr | None) -> a.Expr | None:
        return conjoin(p for p in conjuncts(expr) if p not in gone)

    def visit(n: Any) -> Any:
        n = map_parts(n, visit)
        if isinstance(n, a.Select) and n.where is not None:
            return replace(n, where=keep(n.where))
        # conditions of outer joins stay, for they pad rows and take none away
        if isinstance(n, a.Join) and n.kind == "inner":
            return replace(n, on=keep(n.on))
        return n

    made: a.Query = visit(block)
    return made
