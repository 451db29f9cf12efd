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
    canonical,
    conjoin,
    conjuncts,
    group_keys,
    has_subquery,
    has_window,
    is_closed,
    map_kind,
    map_parts,
    outer_exprs,
    renumber,
    replace_node,
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
    for conjunct in conjuncts(block.having):
        for node in walk_block(conjunct):
            if isinstance(node, a.ScalarSubquery):
                total = _total(block, node, ctx)
                if total is not None:
                    yield Rewrite(
                        _assemble(block, conjunct, node, total, ctx),
                        "the subquery's total is the sum over the groups that the query computes already",
                    )


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


def _assemble(
    block: a.Select, conjunct: a.Expr, node: a.ScalarSubquery, total: a.Expr, ctx: Context
) -> a.Select:
    parts = [t.expr for t in block.targets] + [key.expr for key in block.order_by]
    parts += [n for n in walk_block(conjunct) if isinstance(n, a.Aggregate)]
    # a key that the condition reads, too, as it is asked above
    parts += [k for k in group_keys(block) if any(n == k for n in walk_block(conjunct))]
    distinct = list(dict.fromkeys(parts))
    inner = a.Select(
        (*numbered("c", distinct), a.Target("total", total)),
        block.from_,
        block.where,
        block.group_by,
        conjoin(c for c in conjuncts(block.having) if c != conjunct),
    )
    groups, shown = derived(ctx.fresh(), "groups", inner)
    # the total has its own place at the end
    columns = dict(zip(distinct, shown, strict=False))

    def visit(n: Any) -> Any:
        return columns[n] if n in columns else map_parts(n, visit)

    # what stands above the groups stays, and is asked of their columns
    return replace(
        block,
        targets=tuple(a.Target(t.name, columns[t.expr]) for t in block.targets),
        from_=(groups,),
        where=visit(replace_node(conjunct, node, shown[-1])),
        group_by=None,
        having=None,
        order_by=tuple(replace(k, expr=columns[k.expr]) for k in block.order_by),
    )
