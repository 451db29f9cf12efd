"""A scalar subquery that aggregates the very rows a block groups, to a window over the groups.

    SELECT k, sum(x) FROM t, u WHERE t.u = u.id GROUP BY k HAVING sum(x) > (SELECT sum(x) * 0.1 FROM t, u
    WHERE t.u = u.id) -->
    SELECT k, v FROM (SELECT k, sum(x) AS v, sum(sum(x)) OVER () AS total FROM t, u WHERE t.u = u.id GROUP BY
    k) g
     WHERE v > total * 0.1

The source is read once. sum, min and max of their own results; other aggregates do not combine (6b). Of rows
that are not grouped any aggregate becomes a window over them:

    SELECT s.id, s.amount / (SELECT sum(t.amount) FROM sale t WHERE t.qty > 2) FROM sale s WHERE s.qty > 2
    -->
    SELECT s.id, s.amount / sum(s.amount) OVER () FROM sale s WHERE s.qty > 2

Known as WinMagic (Zuzarte et al. 2003).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rewright.rewrite.rules.base import QUERY, Context, Rewrite, rule
from rewright.rewrite.rules.correlation import in_output
from rewright.sql import algebra as a
from rewright.sql.build import derived, numbered, over
from rewright.sql.facts import divides, may_differ, order_sensitive
from rewright.sql.walk import (
    QUERIES,
    REFERENCES,
    canonical,
    conjuncts,
    free_rels,
    from_rels,
    group_keys,
    has_subquery,
    has_window,
    is_closed,
    map_kind,
    map_parts,
    outer_exprs,
    parts,
    renumber,
    twins,
    walk_block,
)

COMBINES = frozenset({("sum", "numeric"), ("sum", "float8")})

OVER_ROWS = frozenset({"sum", "avg", "count", "min", "max", "bool_and", "bool_or", "every"})


@rule(QUERY, guards=("same-rows",), known_as="WinMagic (Zuzarte et al. 2003)", priority=75, category="others")
def total_as_window(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    if isinstance(block, a.Select) and block.group_by is None:
        yield from _of_rows(block, ctx)
    if (
        not isinstance(block, a.Select)
        or block.group_by is None
        or len(block.group_by) != 1
        or not block.group_by[0]
    ):
        return
    # DISTINCT and windows see groups after HAVING: with the subquery's condition above they would see others
    if block.distinct is not None or any(has_window(t.expr) for t in block.targets) or may_differ(block):
        return
    nodes = (n for c in conjuncts(block.having) for n in walk_block(c) if isinstance(n, a.ScalarSubquery))
    for node in dict.fromkeys(nodes):
        total = _total(block, node, ctx)
        made = None if total is None else _assemble(block, node, total, ctx)
        if made is not None:
            why = "the subquery's total is the sum over the groups that the query computes already"
            yield Rewrite(made, why)


def _of_rows(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """Totals in the select list (and ORDER BY) over all rows of a block without
    groups, all of them at once.
    """
    nodes = [n for e in outer_exprs(block) for n in walk_block(e) if isinstance(n, a.ScalarSubquery)]
    if not nodes or may_differ(block):
        return
    found = {node: _total(block, node, ctx) for node in nodes}
    values = {node: value for node, value in found.items() if value is not None}
    if values:
        why = "the subquery's total is one over the rows that the query reads already"
        yield Rewrite(in_output(block, values), why)


def _total(block: a.Select, node: a.ScalarSubquery, ctx: Context) -> a.Expr | None:
    """The subquery's value as an expression with windows over the block's groups."""
    sub = node.query
    if (
        not isinstance(sub, a.Select)
        # HAVING may leave no row, for which the subquery is NULL
        or sub.group_by != ((),)
        or sub.having is not None
        or len(sub.targets) != 1
    ):
        return None
    # LIMIT 0 likewise; correlated, it is no total of all rows
    if sub.limit is not None or sub.offset is not None or sub.ctes or not is_closed(sub):
        return None
    mine = canonical(a.Select((), block.from_, block.where))
    theirs = canonical(a.Select((), sub.from_, sub.where))
    # the same tables under the same conditions, however numbered
    if not ctx.holds("same-rows", mine == theirs):
        return None
    pairs = twins(sub, block)
    if pairs is None:
        return None
    target = renumber(sub.targets[0].expr, pairs)
    return _windowed(target) if block.group_by is not None else _over_rows(target)


def _over_rows(target: a.Expr) -> a.Expr | None:
    aggregates = [n for n in walk_block(target) if isinstance(n, a.Aggregate)]
    # a division by a partial sum may fail where the whole's did not
    if not aggregates or has_subquery(target) or divides(target):
        return None
    # PostgreSQL's windows know no DISTINCT
    if any(g.distinct or order_sensitive(g) or g.func.name not in OVER_ROWS for g in aggregates):
        return None
    return over(target, a.Window())


def _windowed(target: a.Expr) -> a.Expr | None:
    aggregates = [n for n in walk_block(target) if isinstance(n, a.Aggregate)]
    for g in aggregates:
        # the sum of sums is the sum in these types; integers' sums change type, averages and counts do not
        # add up
        known = (g.func.name, g.type.name) in COMBINES or g.func.name in {"min", "max"}
        if not known or not g.func.is_builtin or g.distinct:
            return None
    if not aggregates:
        return None

    def call(g: a.Aggregate) -> a.WindowCall:
        """Of the group's own result."""
        return a.WindowCall(replace(g.func, arg_types=(g.type.name,)), (g,), a.Window(), g.type)

    return map_kind(target, a.Aggregate, call)


def _assemble(block: a.Select, node: a.ScalarSubquery, total: a.Expr, ctx: Context) -> a.Select | None:
    """The groups as a subquery, and all of HAVING above it: the total is one of all groups."""
    shown = (*(t.expr for t in block.targets), *(k.expr for k in block.order_by))
    read = [_of_groups(e, block, node) for e in (*shown, *conjuncts(block.having))]
    distinct = list(dict.fromkeys(n for found in read for n in found or ()))
    if None in read:
        return None
    targets = (*numbered("c", distinct), a.Target("total", total))
    inner = a.Select(targets, block.from_, block.where, block.group_by)
    groups, columns = derived(ctx.fresh(), "groups", inner)
    # the total has its own place at the end
    above: dict[Any, a.Expr] = dict(zip((*distinct, node), columns, strict=True))

    def visit(n: Any) -> Any:
        # a subquery that reads nothing of the groups has aggregates of its own
        return above[n] if n in above else n if isinstance(n, QUERIES) else map_parts(n, visit)

    # what stands above the groups stays, and is asked of their columns
    return replace(
        block,
        targets=tuple(replace(t, expr=visit(t.expr)) for t in block.targets),
        from_=(groups,),
        where=visit(block.having),
        group_by=None,
        having=None,
        order_by=tuple(replace(k, expr=visit(k.expr)) for k in block.order_by),
    )


def _of_groups(expr: a.Expr, block: a.Select, node: a.ScalarSubquery) -> list[a.Expr] | None:
    """What an expression besides the subquery ``node`` reads of the groups: keys, columns that these decide,
    aggregates. All else may fail, so it is asked above, where HAVING has left groups out. None where
    another subquery reads the block's rows.
    """
    mine, keys = from_rels(block.from_), group_keys(block)
    found: list[a.Expr] = []
    ahead: list[a.Node] = [expr]
    while ahead:
        n = ahead.pop()
        own = isinstance(n, REFERENCES) and n.rel in mine
        if isinstance(n, a.Expr) and (own or n in keys or isinstance(n, a.Aggregate | a.Grouping)):
            found.append(n)
        elif isinstance(n, QUERIES):
            if free_rels(n) & mine:
                return None
        elif n != node:
            ahead += reversed(parts(n))
    return found
