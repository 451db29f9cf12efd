"""Columns of a recursion that nothing but a next row's same columns reads.

    WITH RECURSIVE r(x, y) AS (SELECT x, y FROM … UNION ALL SELECT e, f(y) FROM r, … WHERE P(x)) Q(x)

has, row by row, the rounds of the recursion without y: no condition and no reader asks for it. UNION does, by
which rows it drops. A recursion computes all its columns, so that only those are left out that cannot fail,
grow beyond what a value may be, make rows or come out another way the next time. Must not know rules or
provers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from rewright.sql import algebra as a
from rewright.sql.facts import Facts, is_volatile
from rewright.sql.facts.growth import outgrowing
from rewright.sql.walk import bottom_up, has_subquery, is_plain, walk


def without_idle_columns(query: a.Query, facts: Facts) -> a.Query:
    """The query whose recursive CTEs, none of which reads another, have those columns only that matter."""
    for cte in query.ctes:
        kept = _kept(query, cte, facts)
        if len(kept) < len(cte.columns):
            query = with_columns(query, cte, kept)
    return query


def _kept(query: a.Query, cte: a.Cte, facts: Facts) -> Sequence[int]:
    """The positions of the columns that matter, at least one."""
    everything = range(len(cte.columns))
    first, step = _arms(cte.query)
    rels = _scans(query, cte)
    # SELECT r FROM r shows all columns
    if first is None or step is None or any(isinstance(n, a.WholeRow) and n.rel in rels for n in walk(query)):
        return everything
    # other CTEs read it as readers do; within its own step a column read by itself alone is idle
    readers = replace(query, ctes=tuple(c for c in query.ctes if c.cte != cte.cte))
    # the step without its targets: FROM and WHERE decide which rows there are
    kept = _positions(readers, rels) | _positions(replace(step, targets=()), rels)
    # 1 / y fails although nobody reads it, since the recursion computes it
    kept |= {
        i for i in everything for arm in (first, step) if not _may_be_left_out(arm.targets[i].expr, facts)
    }
    # y || y is too long after some rounds, which fails as well
    kept |= outgrowing([t.expr for t in step.targets], rels)
    # what a kept column is computed from is kept, until no more come
    while more := {p for i in kept for p in _positions(step.targets[i].expr, rels)} - kept:
        kept |= more
    # a row of no columns would still be a row, but a CTE has one at least
    return sorted(kept) or [0]


def _arms(body: a.Query) -> tuple[a.Select, a.Select] | tuple[None, None]:
    """The first term and the step, where each row of theirs stays."""
    # UNION compares whole rows: without y more of them are alike
    if not isinstance(body, a.SetOp) or body.op != "union" or not body.all:
        return None, None
    # ORDER BY and LIMIT of the recursion cut it by rows in an order that may read y
    if body.ctes or body.order_by or body.limit is not None or body.offset is not None:
        return None, None
    first, step = body.left, body.right
    if not isinstance(first, a.Select) or not isinstance(step, a.Select):
        return None, None
    plain = is_plain(first) and is_plain(step) and not first.order_by and not step.order_by
    return (first, step) if plain else (None, None)


def _scans(query: a.Query, cte: a.Cte) -> set[int]:
    return {n.rel for n in walk(query) if isinstance(n, a.CteScan) and n.cte == cte.cte}


def _positions(node: a.Node, rels: Collection[int]) -> set[int]:
    return {n.pos for n in walk(node) if isinstance(n, a.Column) and n.rel in rels}


def _may_be_left_out(expr: a.Expr, facts: Facts) -> bool:
    if has_subquery(expr) or is_volatile(expr):
        return False
    return facts.cannot_fail(expr) and not facts.errors(expr)


def with_columns(query: a.Query, cte: a.Cte, kept: Sequence[int]) -> a.Query:
    """The query whose recursion, of two blocks, has the columns at these places alone, in their order."""
    rels = _scans(query, cte)
    moved = {old: new for new, old in enumerate(kept)}

    def of(row: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(row[i] for i in kept)

    def visit(node: Any) -> Any:
        match node:
            case a.Column(rel, pos) if rel in rels and pos in moved:
                return replace(node, pos=moved[pos])
            case a.CteScan(_, number) if number == cte.cte:
                return replace(node, columns=of(node.columns))
            case a.Cte(number, _, a.SetOp(left=a.Select() as first, right=a.Select() as step) as body) if (
                number == cte.cte
            ):
                arms = (replace(arm, targets=of(arm.targets)) for arm in (first, step))
                left, right = arms
                return replace(node, columns=of(node.columns), query=replace(body, left=left, right=right))
            case _:
                return node

    made: a.Query = bottom_up(query, visit)
    return made
