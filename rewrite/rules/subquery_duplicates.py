"""Duplicates and order in the subquery of IN, ANY and ALL say nothing: DISTINCT, UNION, GROUP BY and ORDER BY
go.

    SELECT c.name FROM cust c WHERE c.id IN (SELECT DISTINCT o.cust FROM ord o UNION SELECT s.cust FROM sale s
    ORDER BY 1) -->
    SELECT c.name FROM cust c WHERE c.id IN (SELECT o.cust FROM ord o UNION ALL SELECT s.cust FROM sale s)

The subquery can then be merged into a semi-join. LIMIT and OFFSET choose rows, and keep all of it. hazards
5d, 9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.facts import may_differ
from rewright.sql.walk import QUERIES, has_aggregate, has_window, map_parts, returns_set


@rule(SELECT, guards=("every-row-counts",), priority=78, category="predicate")
def subquery_duplicates(block: a.Select, ctx: Context) -> Iterator[Rewrite]:

    def visit(node: Any) -> Any:
        # subqueries in FROM or further in are blocks that the rule is given by themselves
        if isinstance(node, QUERIES):
            return node
        if isinstance(node, a.Quantified):
            node = replace(node, query=_slim(node.query, ctx))
        return map_parts(node, visit)

    made = map_parts(block, lambda n: n if isinstance(n, a.Cte) else _within(n, visit))
    if made != block:
        yield Rewrite(made, "IN does not see duplicates or order")


def _within(node: Any, visit: Any) -> Any:
    # subqueries in FROM are blocks of their own
    return node if isinstance(node, a.Derived) else visit(node)


def _slim(query: a.Query, ctx: Context) -> a.Query:
    # VALUES have neither; a volatile list is drawn once with its duplicates
    if isinstance(query, a.Values) or may_differ(query):
        return query
    if not ctx.holds("every-row-counts", query.limit is None and query.offset is None):
        return query
    if isinstance(query, a.SetOp):
        if query.op != "union":
            # duplicates below INTERSECT and EXCEPT count, their order does not
            return replace(query, order_by=())
        left, right = _slim(query.left, ctx), _slim(query.right, ctx)
        return replace(query, all=True, left=left, right=right, order_by=())
    distinct = None if query.distinct == () else query.distinct
    # DISTINCT ON chooses rows by the order
    order = query.order_by if query.distinct else ()
    grouped = query.group_by is not None and len(query.group_by) == 1 and query.group_by[0]
    # with an aggregate in the list GROUP BY makes the values themselves
    plain = not any(has_aggregate(t.expr) or has_window(t.expr) or returns_set(t.expr) for t in query.targets)
    # sorted by an aggregate, DISTINCT ON chooses among groups
    ordered = any(has_aggregate(k.expr) for k in order)
    if grouped and plain and query.having is None and not query.distinct and not ordered:
        return replace(query, distinct=distinct, order_by=order, group_by=None)
    return replace(query, distinct=distinct, order_by=order)
