"""Queries: one SELECT block, VALUES, WITH (after analyze.c and parse_cte.c).

Owns the order in which a block's clauses are bound and SQL's rules for names in ORDER BY and GROUP BY. Set
operations are `rewright.sql.binder.setops`' business.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rewright.sql.algebra import (
    Column,
    Const,
    Cte,
    Expr,
    OutputColumn,
    Query,
    Select,
    SortKey,
    Target,
    Values,
    output_columns,
)
from rewright.sql.binder import exprs, grouping
from rewright.sql.binder.calls import in_kind, sort_key
from rewright.sql.binder.coerce import coerce, common_type, resolve_unknown
from rewright.sql.binder.columns import expand_star
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.from_clause import bind_from
from rewright.sql.binder.functions import ordering_operator
from rewright.sql.binder.names import output_name
from rewright.sql.binder.scope import CteEntry, Scope, column_of
from rewright.sql.binder.syntax import ast
from rewright.sql.types import INT8
from rewright.sql.walk import free_rels


def bind_query(scope: Scope, node: Any, *, resolve_unknowns: bool = True) -> Query:
    """A SelectStmt in a scope of its own (``scope`` is fresh, its parent what it can see outside).

    ``resolve_unknowns``: whether untyped literals among the outputs become text.
    """
    from rewright.sql.binder.setops import bind_set_operation

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


# --------------------------------------------------------------------------- WITH


def bind_ctes(scope: Scope, clause: Any) -> tuple[Cte, ...]:
    from rewright.sql.binder.setops import bind_recursive

    if clause is None:
        return ()
    made: list[Cte] = []
    names = [c.ctename for c in clause.ctes]
    for i, n in enumerate(names):
        if n in names[:i]:
            raise BindError("42712", f'WITH query name "{n}" specified more than once')
    for node in clause.ctes:
        if not isinstance(node.ctequery, ast.SelectStmt):
            raise Unsupported("data-modifying WITH")
        if node.search_clause is not None or node.cycle_clause is not None:
            raise Unsupported("SEARCH or CYCLE")
        if clause.recursive and _mentions(node.ctequery, node.ctename):
            made.append(bind_recursive(scope, node))
        else:
            made.append(_bind_cte(scope, node))
    return tuple(made)


def _bind_cte(scope: Scope, node: Any) -> Cte:
    query = bind_query(Scope(scope.context, scope), node.ctequery)
    columns = cte_columns(node, output_columns(query))
    cte = Cte(scope.context.cte(), node.ctename, query, columns, materialized(node))
    scope.ctes[node.ctename] = CteEntry(cte.cte, node.ctename, columns)
    return cte


def cte_columns(node: Any, columns: tuple[OutputColumn, ...]) -> tuple[OutputColumn, ...]:
    names = [n.sval for n in node.aliascolnames or ()]
    if len(names) > len(columns):
        raise BindError("42P10", f'WITH query "{node.ctename}" has {len(columns)} columns available')
    given = tuple(OutputColumn(n, c.type) for n, c in zip(names, columns, strict=False))
    return (*given, *columns[len(names) :])


def materialized(node: Any) -> bool | None:
    return {"CTEMaterializeAlways": True, "CTEMaterializeNever": False}.get(node.ctematerialized.name)


def _mentions(node: Any, name: str) -> bool:
    """Whether a table of that name without schema occurs anywhere below (shadowing not considered)."""
    if isinstance(node, ast.RangeVar):
        return bool(node.relname == name and not node.schemaname)
    if isinstance(node, tuple):
        return any(_mentions(n, name) for n in node)
    if isinstance(node, ast.Node):
        return any(_mentions(getattr(node, slot), name) for slot in node)
    return False


# --------------------------------------------------------------------------- VALUES


def bind_value_rows(scope: Scope, node: Any) -> tuple[tuple[tuple[Expr, ...], ...], tuple[OutputColumn, ...]]:
    """The rows of VALUES, every column of one type."""
    with in_kind(scope, "values"):
        rows = [exprs.bind_exprs(scope, row) for row in node.valuesLists]
    width = len(rows[0])
    if any(len(r) != width for r in rows):
        raise BindError("42601", "VALUES lists must all be the same length")
    columns: list[list[Expr]] = []
    types: list[OutputColumn] = []
    for i in range(width):
        cells = [r[i] for r in rows]
        type_ = common_type(scope.context, cells, "VALUES")
        done = [coerce(scope.context, c, type_.without_typmod()) for c in cells]
        columns.append(done)
        types.append(OutputColumn(f"column{i + 1}", exprs.shared_typmod(type_, done)))
    return tuple(zip(*columns, strict=True)), tuple(types)


def _bind_values(scope: Scope, node: Any, ctes: tuple[Cte, ...]) -> Query:
    from rewright.sql.binder.setops import bind_output_order

    rows, columns = bind_value_rows(scope, node)
    if node.limitOption.name == "LIMIT_OPTION_WITH_TIES":
        raise Unsupported("VALUES with FETCH WITH TIES")
    order = bind_output_order(scope, node.sortClause, columns)
    limit, offset = bind_limits(scope, node)
    return Values(rows, columns, order, limit, offset, ctes)


# --------------------------------------------------------------------------- SELECT


def _bind_select(scope: Scope, node: Any, ctes: tuple[Cte, ...], *, resolve_unknowns: bool) -> Query:
    for window in node.windowClause or ():
        if window.name in scope.windows:
            raise BindError("42P20", f'window "{window.name}" is already defined')
        scope.windows[window.name] = window
    from_ = bind_from(scope, node.fromClause)
    targets = _bind_targets(scope, node.targetList or (), resolve_unknowns=resolve_unknowns)
    where = None
    if node.whereClause is not None:
        with in_kind(scope, "where"):
            where = exprs.bind_condition(scope, node.whereClause, "WHERE")
    having = None
    if node.havingClause is not None:
        with in_kind(scope, "having"):
            having = exprs.bind_condition(scope, node.havingClause, "HAVING")
    order = tuple(_bind_sort(scope, s, targets) for s in node.sortClause or ())
    group_by = grouping.bind_group_by(scope, node, targets)
    if group_by is None and (scope.has_aggregates or having is not None):
        group_by = ((),)
    distinct = _bind_distinct(scope, node, targets, order)
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
            expr = exprs.bind_expr(scope, value)
            if resolve_unknowns:
                expr = resolve_unknown(scope.context, expr)
            targets.append(Target(node.name or output_name(value), expr))
    return targets


def find_target(scope: Scope, node: Any, targets: Sequence[Target], clause: str) -> Expr:
    """findTargetlistEntrySQL92: an output's name or number, else an expression over the inputs.

    In GROUP BY an input column of that name wins over an output.
    """
    if isinstance(node, ast.ColumnRef) and len(node.fields) == 1 and isinstance(node.fields[0], ast.String):
        name = node.fields[0].sval
        if clause != "GROUP BY" or not _local_column(scope, name):
            named = [t.expr for t in targets if t.name == name]
            if named and any(e != named[0] for e in named):
                raise BindError("42702", f'{clause} "{name}" is ambiguous')
            if named:
                return named[0]
    if isinstance(node, ast.A_Const) and not node.isnull:
        if not isinstance(node.val, ast.Integer):
            raise BindError("42601", f"non-integer constant in {clause}")
        at = node.val.ival or 0
        if not 1 <= at <= len(targets):
            raise BindError("42P10", f"{clause} position {at} is not in select list")
        return targets[at - 1].expr
    kind = {"GROUP BY": "group", "ORDER BY": "order", "DISTINCT ON": "order"}[clause]
    with in_kind(scope, kind):
        return _same_as_target(resolve_unknown(scope.context, exprs.bind_expr(scope, node)), targets)


def _same_as_target(expr: Expr, targets: Sequence[Target]) -> Expr:
    """The target an expression repeats (its subqueries have other numbers), else itself."""
    from rewright.sql.walk import canonical_expr, has_subquery

    if not has_subquery(expr):
        return expr
    form = canonical_expr(expr)
    for t in targets:
        if has_subquery(t.expr) and canonical_expr(t.expr) == form:
            return t.expr
    return expr


def _local_column(scope: Scope, name: str) -> bool:
    return any(i.cols_visible and column_of(i, name) is not None for i in scope.items)


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


def bind_limits(scope: Scope, node: Any) -> tuple[Expr | None, Expr | None]:
    with in_kind(scope, "limit"):
        return _bind_limit(scope, node.limitCount), _bind_limit(scope, node.limitOffset)


def _bind_limit(scope: Scope, node: Any) -> Expr | None:
    """A count as bigint; LIMIT NULL and LIMIT ALL are no limit."""
    if node is None:
        return None
    bound = exprs.bind_expr(scope, node)
    if isinstance(bound, Const):
        if bound.value is None:
            return None
        if bound.type.name in {"int2", "int4", "int8"}:
            return Const(bound.value, INT8)
    count = coerce(scope.context, bound, INT8)
    if free_rels(count) & scope.rels:
        raise BindError("42P10", "argument of LIMIT must not contain variables")
    return count
