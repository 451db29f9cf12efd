"""Groupings beside a subquery that chooses a few rows are computed for the keys of these rows only.

    SELECT p.id, g.n FROM (SELECT id FROM item ORDER BY name, id LIMIT 30) p
      LEFT JOIN (SELECT item, count(*) AS n FROM line GROUP BY item) g ON g.item = p.id
    -->
    WITH chosen AS MATERIALIZED (SELECT id FROM item ORDER BY name, id LIMIT 30)
    SELECT p.id, g.n FROM chosen p
      LEFT JOIN (SELECT item, count(*) AS n FROM line WHERE item IN (SELECT id FROM chosen) GROUP BY item) g
        ON g.item = p.id

Pages and filtered lists with figures beside them, as ORMs and people write them; first rows of each group
(numbered by a window) as well. The chosen rows are a CTE:
a copy would be computed twice, and with LIMIT might choose others. Groups that no chosen row asks for are not
seen. Calcite: SemiJoinRule; "magic sets". Hazards 7a, 7c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.correlation import Tie, as_tie
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.rewrite.rules.naming import named
from rewright.rewrite.rules.pushing import can_push, fewer, over_heavy
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import (
    as_product,
    conjuncts,
    dissolve,
    free_rels,
    is_closed,
    left_spine,
    references_whole,
    renumber,
    replace_item,
    walk,
)


@dataclass(frozen=True, slots=True)
class _Partner:
    """A grouped table and how it is tied to the chosen rows."""

    item: a.Derived
    ties: tuple[Tie, ...]


@rule(
    SELECT.where(reads_tables),
    guards=("no-limit-inside", "not-distinct-on", "grouped-by-column", "partitioned-by-column"),
    known_as="SemiJoinRule",
    priority=81,
    category="cte",
)
def chosen_keys(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    kept, beside = _joined(block)
    for item in kept:
        if not isinstance(item, a.Derived | a.CteScan) or not _chooses(item, ctx):
            continue
        # chosen rows have to decide which groups are seen: only tables beside them in FROM are partners
        partners = [p for other, on in beside if (p := _partner(other, on, item, ctx)) is not None]
        if not partners or references_whole(block, item.rel):
            continue
        if (made := _for_chosen(block, item, partners, ctx)) is not None:
            why = f"groupings are computed only for the keys of the rows that {named(item)} chooses"
            yield Rewrite(made, why)


def _joined(block: a.Select) -> tuple[list[a.FromItem], list[tuple[a.FromItem, Sequence[a.Expr]]]]:
    """Items whose rows all count, and items joined with them, inner or on the right of a LEFT JOIN of FROM's
    only item, each with the conditions that its rows have to meet.
    """
    items, preds = as_product(block)
    beside: list[tuple[a.FromItem, Sequence[a.Expr]]] = [(i, preds) for i in items]
    item = items[0]
    # with several items FROM is a product: WHERE ties any of them to any other
    if len(items) > 1:
        return items, beside
    item, joins = left_spine(item)
    # a LEFT JOIN's right side is seen by its ON alone; the WHERE conditions come after the padding
    beside = [(join.right, conjuncts(join.on)) for join in joins]
    kept, joined = dissolve((item,))
    return kept, [*beside, *((i, joined) for i in kept)]


def _chooses(item: a.Derived | a.CteScan, ctx: Context) -> bool:
    """Whether a subquery leaves rows out, and is, or may be, computed by itself before the others."""
    if isinstance(item, a.CteScan):
        cte = ctx.ctes[item.cte]
        # NOT MATERIALIZED says to compute it at each use: with LIMIT the copies might choose differently
        if cte.materialized is False:
            return False
        # read twice from now on, a CTE is computed once and kept
        query = cte.query
    # a view may hide rows behind a barrier, and a lateral item has other rows for each row
    elif item.lateral or item.security_barrier or item.view is not None or not is_closed(item.query):
        return False
    else:
        query = item.query
    # a subquery that leaves nothing out would send all its keys, for nothing
    less = query.limit is not None or (
        isinstance(query, a.Select) and (query.where is not None or query.having is not None)
    )
    return less and not may_differ(query)


def _partner(
    item: a.FromItem, on: Sequence[a.Expr], chosen: a.Derived | a.CteScan, ctx: Context
) -> _Partner | None:
    if not isinstance(item, a.Derived) or item is chosen or item.lateral or item.security_barrier:
        return None
    query = item.query
    if not over_heavy(query):
        return None
    if isinstance(chosen, a.CteScan) and any(
        isinstance(n, a.CteScan) and n.cte == chosen.cte for n in walk(query)
    ):
        return None  # it is asked for them already
    both = {item.rel, chosen.rel}
    found = (as_tie(p, frozenset({item.rel})) for p in on if free_rels(p) == both)
    # of two types (int4 = int8) the tie's operator may stand the wrong way round for IN
    ties = tuple(t for t in found if t is not None and t.symmetric and isinstance(t.inner, a.Column))
    places = frozenset(t.inner.pos for t in ties if isinstance(t.inner, a.Column))
    # a condition on something else than the grouping key would change the groups themselves
    return _Partner(item, ties) if ties and can_push(query, places, ctx) else None


def _for_chosen(
    block: a.Select, item: a.Derived | a.CteScan, partners: Sequence[_Partner], ctx: Context
) -> a.Select | None:
    """The block with its partners computed for the chosen rows; None where that saves nothing."""
    made, scan = block, item
    if isinstance(item, a.Derived):
        shown = zip(item.names, a.output_columns(item.query), strict=True)
        columns = tuple(a.OutputColumn(name, c.type) for name, c in shown)
        # materialized: LIMIT without a full order may choose other rows the second time
        cte = a.Cte(ctx.fresh(), "chosen", item.query, columns, materialized=True)
        scan = a.CteScan(item.rel, cte.cte, item.alias, columns)
        made = replace(
            block, from_=tuple(replace_item(i, item, scan) for i in block.from_), ctes=(*block.ctes, cte)
        )
    assert isinstance(scan, a.CteScan)
    found = False
    for partner in partners:
        less = fewer(partner.item, _asked(partner, scan, ctx), ctx)
        if less is not None:
            found = True
            made = replace(made, from_=tuple(replace_item(i, partner.item, less) for i in made.from_))
    return made if found else None


def _asked(partner: _Partner, chosen: a.CteScan, ctx: Context) -> a.Quantified:
    rel = ctx.fresh()
    keys = tuple(
        a.Target(f"k{i}", renumber(t.outer, {chosen.rel: rel})) for i, t in enumerate(partner.ties, 1)
    )
    asked = a.Select(keys, (replace(chosen, rel=rel, alias="chosen"),))
    ops, left = tuple(t.op.op for t in partner.ties), tuple(t.inner for t in partner.ties)
    return a.Quantified("=", ops, left, asked)
