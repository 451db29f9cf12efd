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
and other look-ups by inequalities are asked with few values, and with fewer of what they compute of them
alone (``sale.at::date``). Values that are never NULL and whose equal ones look the same. Hazards 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.rewrite.rules.correlation import neighbourhood
from rewright.rewrite.rules.spots import above_groups
from rewright.sql import algebra as a
from rewright.sql.build import compare, derived, numbered
from rewright.sql.facts import may_differ
from rewright.sql.facts.looks import look_of_type
from rewright.sql.walk import (
    as_product,
    block_exprs,
    conjoin,
    conjuncts,
    copy_fresh,
    free_of_all,
    free_rels,
    from_rels,
    has_aggregate,
    has_subquery,
    has_window,
    map_parts,
    parts,
    references_whole,
    replace_node,
    used_rels,
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
    asked = tuple(dict.fromkeys(_asked(node.query, rels, block.from_, ctx)))
    wanted = frozenset[int]().union(*(used_rels(e) for e in asked))
    # asked with more, or with what is no value of these rows
    if not 0 < len(asked) <= _MOST or free_of_all((node.query,)) - wanted:
        return None
    # equal values that look different (1.0, 1.00) would be computed for one of them alone
    if any(look_of_type(c.type) is None for c in asked):
        return None
    filled = all(ctx.filled(c, block.from_) is not None for c in asked)
    if not ctx.holds("bindings-are-filled", filled):
        return None
    # without the conditions that ask subqueries there are only more rows: what tells all of these apart
    # tells the block's
    rows = a.Select((), tuple(items), conjoin(p for p in preds if not has_subquery(p)))
    if ctx.facts.exprs_determine(rows, asked) is not None:
        return None  # each row asks with values of its own
    near = neighbourhood(block, wanted, node, whole=False)
    # the items that define the bindings could not be read by themselves
    if near is None:
        return None
    around = from_rels(near[0])
    # fewer conditions only mean more bindings than are asked for
    where = conjoin(p for p in near[1] if not has_subquery(p) and free_rels(p) <= around)
    domain = a.Select(numbered("key", asked), tuple(near[0]), where, distinct=())
    inner, keys = derived(ctx.fresh(), "bindings", copy_fresh(domain, ctx.fresh)[0])
    value = copy_fresh(_with_keys(node, dict(zip(asked, keys, strict=True))), ctx.fresh)[0]
    query = a.Select((*numbered("key", keys), a.Target("value", value)), (inner,))
    # the server would pull a derived table up, and compute the value where it is read
    shown = tuple(a.OutputColumn(t.name, t.expr.type) for t in query.targets)
    cte = a.Cte(ctx.fresh(), "bound", query, shown, materialized=True)
    item = a.CteScan(ctx.fresh(), cte.cte, "bound", shown)
    columns = [a.Column(item.rel, i, c.type, c.name) for i, c in enumerate(shown)]
    # the last column is the value: no tie for it
    ties = [compare("=", key, c) for key, c in zip(columns, asked, strict=False)]
    if None in ties:
        return None
    bare = replace(block, from_=(), where=conjoin(preds))
    made: a.Select = replace_node(bare, node, columns[-1])
    tied = conjoin((*conjuncts(made.where), *(t for t in ties if t is not None)))
    return replace(made, from_=(*items, item), where=tied, ctes=(*block.ctes, cte))


def _asked(
    query: a.Query, rels: frozenset[int], items: Sequence[a.FromItem], ctx: Context
) -> Iterator[a.Expr]:
    """What a subquery is asked with: columns of the rows around it, or what it computes of them alone, of
    which there may be fewer values (the day of a moment).
    """

    def visit(n: a.Node) -> Iterator[a.Expr]:
        if isinstance(n, a.Column):
            # a column of the subquery's own stays as it is
            if n.rel in rels:
                yield n
        # the largest expression first: `sale.at::date` has fewer values than `sale.at`
        elif isinstance(n, a.Expr) and _is_value(n, rels, items, ctx):
            yield n
        else:
            for part in parts(n):
                yield from visit(part)

    return visit(query)


def _is_value(expr: a.Expr, rels: frozenset[int], items: Sequence[a.FromItem], ctx: Context) -> bool:
    """Whether it is computed of outer columns alone, for each of their values, and told by equality."""
    used = used_rels(expr)
    # aggregates and windows have another value outside of their block
    if not used or not used <= rels or has_subquery(expr) or has_aggregate(expr) or has_window(expr):
        return False
    # computed for all bindings, it must not fail on one that was never asked for
    told = look_of_type(expr.type) is not None and not may_differ(expr) and ctx.facts.cannot_fail(expr)
    return told and ctx.filled(expr, items) is not None


def _with_keys(node: a.ScalarSubquery, keys: Mapping[a.Expr, a.Column]) -> a.ScalarSubquery:
    def visit(n: a.Node) -> a.Node:
        known = keys.get(n) if isinstance(n, a.Expr) else None
        return map_parts(n, visit) if known is None else known

    made = visit(node)
    assert isinstance(made, a.ScalarSubquery)
    return made
