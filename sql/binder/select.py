"""Queries: one SELECT block or VALUES (after analyze.c).

Owns the order in which a block's clauses are bound. Set operations are `rewright.sql.binder.setops`'
business, WITH is that of `rewright.sql.binder.ctes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rewright.sql.algebra import (
    Column,
    Cte,
    Expr,
    Query,
    Select,
    SortKey,
    Target,
    Values,
)
from rewright.sql.binder import grouping
from rewright.sql.binder.calls import in_kind, sort_key
from rewright.sql.binder.coerce import resolve_unknown
from rewright.sql.binder.columns import expand_star
from rewright.sql.binder.ctes import bind_ctes
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.from_clause import bind_from
from rewright.sql.binder.functions import ordering_operator
from rewright.sql.binder.names import output_name
from rewright.sql.binder.ordering import bind_limits, bind_output_order
from rewright.sql.binder.recursion import bind_condition, bind_expr
from rewright.sql.binder.scope import Scope
from rewright.sql.binder.setops import bind_set_operation
from rewright.sql.binder.syntax import ast
from rewright.sql.binder.targets import find_target
from rewright.sql.binder.values import bind_value_rows


def bind_select_stmt(scope: Scope, node: Any, resolve_unknowns: bool) -> Query:
    """As `rewright.sql.binder.recursion.bind_query`, which everything else calls."""
    if not isinstance(node, ast.SelectStmt):
        raise Unsupported(f"{type(node).__name__} in a query")
    if node.intoClause is not None:
        raise Unsupported("SELECT INTO")
    if node.lockingClause:
        raise Unsupported("FOR UPDATE or FOR SHARE")
    ctes = bind_ctes(scope, node.withClause)
    if node.op.name != "SETOP_NONE":
        return bind_set_operation(scope, node, ctes)
    if node.valuesLists:
        return _bind_values(scope, node, ctes)
    return _bind_select(scope, node, ctes, resolve_unknowns=resolve_unknowns)


# --------------------------------------------------------------------------- VALUES


def _bind_values(scope: Scope, node: Any, ctes: tuple[Cte, ...]) -> Query:
    rows, columns = bind_value_rows(scope, node)
    if node.limitOption.name == "LIMIT_OPTION_WITH_TIES":
        raise Unsupported("VALUES with FETCH WITH TIES")
    order = bind_output_order(scope, node.sortClause, columns)
    limit, offset = bind_limits(scope, node)
    return Values(rows, columns, order, limit, offset, ctes)


# --------------------------------------------------------------------------- SELECT


def _bind_condition_of(scope: Scope, clause: Any, kind: str) -> Expr | None:
    if clause is None:
        return None
    with in_kind(scope, kind):
        return bind_condition(scope, clause, kind.upper())


def _bind_select(scope: Scope, node: Any, ctes: tuple[Cte, ...], *, resolve_unknowns: bool) -> Query:
    for window in node.windowClause or ():
        if window.name in scope.windows:
            raise BindError("42P20", f'window "{window.name}" is already defined')
        scope.windows[window.name] = window
    from_ = bind_from(scope, node.fromClause)
    targets = _bind_targets(scope, node.targetList or (), resolve_unknowns=resolve_unknowns)
    where = _bind_condition_of(scope, node.whereClause, "where")
    having = _bind_condition_of(scope, node.havingClause, "having")
    order = tuple(_bind_sort(scope, s, targets) for s in node.sortClause or ())
    group_by = grouping.bind_group_by(scope, node, targets)
    if group_by is None and (scope.has_aggregates or having is not None):
        group_by = ((),)
    distinct = _bind_distinct(scope, node, targets, order)
    _check_windows(scope)
    limit, offset = bind_limits(scope, node)
    with_ties = node.limitOption is not None and node.limitOption.name == "LIMIT_OPTION_WITH_TIES"
    if with_ties and not order:
        raise BindError("42601", "WITH TIES cannot be specified without ORDER BY clause")
    _check_expansions(scope, group_by)
    query = Select(
        tuple(targets),
        (*from_, *scope.expansions),
        where,
        group_by,
        having,
        distinct,
        order,
        limit,
        offset,
        with_ties,
        ctes,
    )
    if group_by is not None:
        grouping.check_grouped(scope, query)
    return query


def _check_windows(scope: Scope) -> None:
    """What a window is partitioned and ordered by is computed also where no function is called over it."""
    for name, window in scope.windows.items():
        parts = (
            window.refname,
            window.partitionClause,
            window.orderClause,
            window.startOffset,
            window.endOffset,
        )
        if name not in scope.used_windows and any(parts):
            raise Unsupported("a window that no function is called over")


def _check_expansions(scope: Scope, group_by: tuple[tuple[Expr, ...], ...] | None) -> None:
    """A set-returning function in the select list runs after grouping and windows, unless grouped by."""
    for scan in scope.expansions:
        column = Column(scan.rel, 0, scan.columns[0].type)
        if scope.has_windows or (group_by is not None and any(column not in s for s in group_by)):
            raise Unsupported("set-returning function beside aggregates or windows")


def _bind_targets(scope: Scope, nodes: Sequence[Any], *, resolve_unknowns: bool) -> list[Target]:
    targets: list[Target] = []
    with in_kind(scope, "target"):
        for node in nodes:
            value = node.val
            if isinstance(value, ast.ColumnRef) and isinstance(value.fields[-1], ast.A_Star):
                targets.extend(Target(n, e) for n, e in expand_star(scope, value))
                continue
            expr = bind_expr(scope, value)
            if resolve_unknowns:
                expr = resolve_unknown(scope.context, expr)
            targets.append(Target(node.name or output_name(value), expr))
    return targets


def _bind_sort(scope: Scope, node: Any, targets: list[Target]) -> SortKey:
    expr = find_target(scope, node.node, targets, "ORDER BY")
    return sort_key(scope, resolve_unknown(scope.context, expr), node)


def _bind_distinct(
    scope: Scope, node: Any, targets: list[Target], order: tuple[SortKey, ...]
) -> tuple[Expr, ...] | None:
    if not node.distinctClause:
        return None
    on = [n for n in node.distinctClause if n is not None]
    outputs = [t.expr for t in targets]
    if not on:
        for expr in outputs:
            ordering_operator(scope.context, resolve_unknown(scope.context, expr).type, "=")
        if any(k.expr not in outputs for k in order):
            raise BindError("42P10", "for SELECT DISTINCT, ORDER BY expressions must appear in select list")
        return ()
    keys: list[Expr] = []
    for n in on:
        expr = find_target(scope, n, targets, "DISTINCT ON")
        if expr not in keys:
            keys.append(expr)
    _check_distinct_on(keys, order)
    return tuple(keys)


def _check_distinct_on(keys: list[Expr], order: tuple[SortKey, ...]) -> None:
    """ORDER BY must begin with the DISTINCT ON expressions, in any order."""
    skipped = False
    for key in order:
        if key.expr not in keys:
            skipped = True
        elif skipped:
            raise BindError("42P10", "SELECT DISTINCT ON expressions must match initial ORDER BY expressions")
    if skipped and any(k not in [o.expr for o in order] for k in keys):
        raise BindError("42P10", "SELECT DISTINCT ON expressions must match initial ORDER BY expressions")
