"""Subqueries that occur more than once become one CTE, computed once.

    SELECT * FROM (SELECT k, sum(x) s FROM t GROUP BY k) a, (SELECT k, sum(x) s FROM t GROUP BY k) b WHERE …
    -->
    WITH shared AS MATERIALIZED (SELECT k, sum(x) s FROM t GROUP BY k) SELECT * FROM shared a, shared b WHERE
    …

Only closed subqueries (no correlation) without volatile functions. Hazards 12.

Calcite: CommonRelSubExprRegisterRule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rewright.rewrite.rules.base import QUERY, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import canonical, copy_fresh, is_closed, map_parts, walk


@rule(
    QUERY.whole(),
    guards=("not-volatile",),
    known_as="CommonRelSubExprRegisterRule",
    priority=80,
    category="cte",
)
def share_subqueries(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    groups: dict[a.Query, list[a.Select]] = {}
    for query in closed_queries(block):
        # without names: two subqueries may call the same column otherwise
        groups.setdefault(canonical(query, keep_names=False), []).append(query)
    for form, found in groups.items():
        if len(found) < 2 or not ctx.holds("not-volatile", not may_differ(form)):
            continue
        yield Rewrite(
            _shared(block, found, ctx), f"a subquery that stands {len(found)} times is computed once"
        )


def closed_queries(block: a.Query) -> Iterator[a.Select]:
    """Derived tables and other closed subqueries worth computing once: they join or aggregate."""
    own = {n.cte for n in walk(block) if isinstance(n, a.Cte)}
    top = {c.cte for c in block.ctes}
    for node in walk(block):
        # only what has a query of its own is a candidate
        query = getattr(node, "query", None)
        if not isinstance(node, a.Derived | a.ScalarSubquery | a.Quantified) or not isinstance(
            query, a.Select
        ):
            continue
        # a view is read by its name and planned as one; a lateral item differs from row to row
        if isinstance(node, a.Derived) and (node.lateral or node.security_barrier or node.view is not None):
            continue
        scans = [n.cte for n in walk(query) if isinstance(n, a.CteScan)]
        # a plain filter of one table is as quickly read twice
        heavy = query.group_by is not None or query.distinct is not None or len(query.from_) > 1
        # a CTE of an inner block is not in scope at the top, where the shared one will stand
        if heavy and is_closed(query) and not query.ctes and all(c in top or c not in own for c in scans):
            yield query


def _shared(block: a.Query, found: list[a.Select], ctx: Context) -> a.Query:
    first, _ = copy_fresh(found[0], ctx.fresh)
    number = ctx.fresh()
    columns = tuple(a.OutputColumn(f"c{i + 1}", c.type) for i, c in enumerate(a.output_columns(found[0])))
    targets = tuple(a.Target(n.name, t.expr) for n, t in zip(columns, first.targets, strict=True))
    cte = a.Cte(number, "shared", replace(first, targets=targets), columns, materialized=True)
    wanted = set(found)

    def visit(n: Any) -> Any:
        # the subqueries themselves, which may be numbered each in its own way
        query = getattr(n, "query", None)
        if query is not None and query in wanted and not isinstance(n, a.Cte):
            if isinstance(n, a.Derived):
                seen = tuple(a.OutputColumn(name, c.type) for name, c in zip(n.names, columns, strict=True))
                # the item keeps its own column names, which its block reads
                return a.CteScan(n.rel, number, n.alias, seen)
            rel = ctx.fresh()
            scan = a.CteScan(rel, number, "shared", columns)
            picked = tuple(a.Target(c.name, a.Column(rel, i, c.type, c.name)) for i, c in enumerate(columns))
            # a subquery in an expression still needs a query around the scan
            return replace(map_parts(n, visit), query=a.Select(picked, (scan,)))
        return map_parts(n, visit)

    changed: a.Query = visit(block)
    return replace(changed, ctes=placed(changed.ctes, cte))


def placed(ctes: tuple[a.Cte, ...], cte: a.Cte) -> tuple[a.Cte, ...]:
    """``cte`` after the CTEs it reads, before those that read it."""
    reads = {n.cte for n in walk(cte.query) if isinstance(n, a.CteScan)}
    last = max((i + 1 for i, c in enumerate(ctes) if c.cte in reads), default=0)
    return (*ctes[:last], cte, *ctes[last:])
