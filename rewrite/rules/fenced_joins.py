"""Tables and the filtered ones that join them alone, joined in CTEs before everything else.

    SELECT … FROM sale s, day d, ret r, day e WHERE s.day = d.id AND d.year = 2001 AND r.day = e.id
       AND e.year = 2002 AND r.sale = s.id
    -->
    WITH kept AS MATERIALIZED (SELECT s.id, … FROM sale s, day d WHERE s.day = d.id AND d.year = 2001),
         kept_1 AS MATERIALIZED (SELECT r.sale, … FROM ret r, day e WHERE r.day = e.id AND e.year = 2002)
    SELECT … FROM kept s, kept_1 r WHERE r.sale = s.id

Owns which tables go together and what is put in their place. Joins are associative: no key is needed. Must
not know which of such rewrites are worth a try. Hazards 12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewright.rewrite.rules.base import Context
from rewright.rewrite.rules.filtered_scans import in_block, movable
from rewright.sql import algebra as a
from rewright.sql.walk import as_product, columns_used, conjoin, copy_fresh, free_rels, map_parts, substitute


@dataclass(frozen=True, slots=True)
class _Star:
    """Items of a block: a table, the filtered ones that join it alone, and what is asked of them alone."""

    items: tuple[a.Scan, ...]
    preds: tuple[a.Expr, ...]


def joined_early(statement: a.Query, ctx: Context) -> a.Query:
    """The statement with each table that filtered ones join, and only it, joined with these first; itself
    where there are none.
    """

    def visit(n: Any) -> Any:
        made = map_parts(n, visit)
        # a CTE in a subquery of the outer row would be read for each
        if not isinstance(made, a.Select) or free_rels(made):
            return made
        for star in _stars(made, statement, ctx):
            made = _early(made, star, ctx)
        return made

    made: a.Query = visit(statement)
    return made


def _stars(block: a.Select, statement: a.Query, ctx: Context) -> list[_Star]:
    items, preds = as_product(block)
    readers = list(in_block(block, statement, ctx))
    found = []
    for centre in readers:
        leaves = [r.scan for r in readers if r.own and r.partners == {centre.scan.rel}]
        mine = frozenset((centre.scan.rel, *(s.rel for s in leaves)))
        # a table without another partner is filtered by the server's own first join
        if not leaves or centre.partners <= mine or len(mine) == len(items):
            continue
        asked = tuple(p for p in preds if free_rels(p) and free_rels(p) <= mine and movable(p, ctx))
        if all(any({centre.scan.rel, s.rel} <= free_rels(p) for p in asked) for s in leaves):
            found.append(_Star((centre.scan, *leaves), asked))
    return found


def _early(block: a.Select, star: _Star, ctx: Context) -> a.Select:
    items, preds = as_product(block)
    rest = tuple(i for i in items if i not in star.items)
    around = replace(block, from_=rest, where=conjoin(p for p in preds if p not in star.preds))
    read = columns_used((around,), (i.rel for i in star.items))
    read = read or columns_used(star.preds, (star.items[0].rel,))
    names = _names(read)
    shown = tuple(a.Target(n, c) for n, c in zip(names, read, strict=True))
    query, _ = copy_fresh(a.Select(shown, star.items, conjoin(star.preds)), ctx.fresh)
    columns = tuple(a.OutputColumn(n, c.type) for n, c in zip(names, read, strict=True))
    cte = a.Cte(ctx.fresh(), "kept", query, columns, materialized=True)
    scan = a.CteScan(ctx.fresh(), cte.cte, star.items[0].alias, columns)
    moved = {
        (c.rel, c.pos): a.Column(scan.rel, at, c.type, n)
        for at, (n, c) in enumerate(zip(names, read, strict=True))
    }
    made = substitute(around, moved)
    return replace(made, from_=(scan, *made.from_), ctes=(cte, *made.ctes))


def _names(columns: Sequence[a.Column]) -> list[str]:
    """Names of the columns; of tables that share one, numbered."""
    plain = [c.name for c in columns]
    return [n if plain.count(n) == 1 else f"{n}_{at}" for at, n in enumerate(plain, 1)]
