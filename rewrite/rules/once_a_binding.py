"""A correlated subquery that many rows ask with the same values is computed once for each of them, whatever
it is.

    SELECT sum(s.qty * (SELECT p.price FROM price p WHERE p.part = s.part AND p.since = (SELECT max(q.since)
    FROM price q
           WHERE q.part = s.part AND q.since <= s.day))) FROM sale s
    -->
    WITH b AS MATERIALIZED (SELECT d.part AS key1, d.day AS key2, (SELECT p.price … = d.part … <= d.day) AS
    value
           FROM (SELECT DISTINCT part, day FROM sale) d)
    SELECT sum(s.qty * b.value) FROM sale s, b WHERE b.key1 = s.part AND b.key2 = s.day

The distinct values are the *domain* of Neumann and Kemper, "Unnesting Arbitrary Queries" (BTW 2015), section
3.1; here the subquery stays nested below it. Subquery memoization by hand: prices in force, rates of a day
and other look-ups by inequalities are asked with few values. Values that are never NULL and whose equal ones
look the same. Hazards 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.rewrite.rules.correlation import neighbourhood
from rewright.rewrite.rules.spots import above_groups
from rewright.sql import algebra as a
from rewright.sql.build import compare, derived, numbered
from rewright.sql.facts import may_differ
from rewright.sql.types import equality_is_identity
from rewright.sql.walk import (
    as_product,
    block_exprs,
    conjoin,
    conjuncts,
    copy_fresh,
    free_of_all,
    free_rels,
    from_rels,
    has_subquery,
    references_whole,
    replace_node,
    substitute,
    walk,
    walk_block,
)

_MOST = 3
"""Values that a subquery may be asked with; with more, few rows agree."""


@rule(
    SELECT.where(reads_tables),
    guards=("bindings-are-filled",),
    known_as="subquery memoization",
    priority=38,
    category="join",
)
def once_a_binding(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    if may_differ(block) or any(references_whole(block, rel) for rel in from_rels(block.from_)):
        return
    late = above_groups(block)
    own = [*block_exprs(replace(block, from_=(), where=None, ctes=())), *as_product(block)[1]]
    nodes = [n for e in own for n in walk_block(e) if isinstance(n, a.ScalarSubquery) and n not in late]
    for node in dict.fromkeys(nodes):
        made = _bound(block, node, ctx)
        if made is not None:
            yield Rewrite(made, "a correlated subquery is computed once for the values it is asked with")


def _bound(block: a.Select, node: a.ScalarSubquery, ctx: Context) -> a.Select | None:
    items, preds = as_product(block)
    rels = from_rels(items)
    asked = tuple(dict.fromkeys(n for n in walk(node.query) if isinstance(n, a.Column) and n.rel in rels))
    wanted = frozenset(c.rel for c in asked)
    if not 0 < len(asked) <= _MOST or free_of_all((node.query,)) - wanted:
        return None
    if not all(equality_is_identity(c.type) for c in asked):
        return None
    filled = all(ctx.filled(c, block.from_) is not None for c in asked)
    if not ctx.holds("bindings-are-filled", filled):
        return None
    rows = a.Select((), tuple(items), conjoin(p for p in preds if not has_subquery(p)))
    if ctx.facts.exprs_determine(rows, asked) is not None:
        return None  # each row asks with values of its own
    near = neighbourhood(block, wanted, node, whole=False)
    if near is None:
        return None
    around = from_rels(near[0])
    where = conjoin(p for p in near[1] if not has_subquery(p) and free_rels(p) <= around)
    domain = a.Select(numbered("key", asked), tuple(near[0]), where, distinct=())
    inner, keys = derived(ctx.fresh(), "bindings", copy_fresh(domain, ctx.fresh)[0])
    values = {(c.rel, c.pos): key for c, key in zip(asked, keys, strict=True)}
    value = copy_fresh(substitute(node, values), ctx.fresh)[0]
    query = a.Select((*numbered("key", keys), a.Target("value", value)), (inner,))
    # the server would pull a derived table up, and compute the value where it is read
    shown = tuple(a.OutputColumn(t.name, t.expr.type) for t in query.targets)
    cte = a.Cte(ctx.fresh(), "bound", query, shown, materialized=True)
    item = a.CteScan(ctx.fresh(), cte.cte, "bound", shown)
    columns = [a.Column(item.rel, i, c.type, c.name) for i, c in enumerate(shown)]
    ties = [compare("=", key, c) for key, c in zip(columns, asked, strict=False)]
    if None in ties:
        return None
    bare = replace(block, from_=(), where=conjoin(preds))
    made: a.Select = replace_node(bare, node, columns[-1])
    tied = conjoin((*conjuncts(made.where), *(t for t in ties if t is not None)))
    return replace(made, from_=(*items, item), where=tied, ctes=(*block.ctes, cte))
