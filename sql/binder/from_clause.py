"""FROM: tables, views, CTEs, subqueries, functions, VALUES and joins (after parse_clause.c).

Owns the construction of range variables and of each join's name space. Must not know the SELECT list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rewright.sql.algebra import (
    And,
    Coalesce,
    Column,
    CteScan,
    Derived,
    Expr,
    FromItem,
    FunctionScan,
    Join,
    JoinKind,
    OutputColumn,
    Query,
    Scan,
    TableRef,
    ValuesScan,
    output_columns,
)
from rewright.sql.binder.calls import in_kind
from rewright.sql.binder.coerce import base_of, coerce, common_type, resolve_unknown, without_modifier
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.functions import make_op
from rewright.sql.binder.names import output_name
from rewright.sql.binder.recursion import bind_condition, bind_expr, bind_query
from rewright.sql.binder.scope import Context, NsColumn, NsItem, Scope, check_unique
from rewright.sql.binder.syntax import ast
from rewright.sql.binder.values import bind_value_rows
from rewright.sql.catalog import Table, key_of
from rewright.sql.parsing import parse
from rewright.sql.types import INT8, SqlType

_MAX_VIEW_DEPTH = 40
_KINDS: dict[str, JoinKind] = {
    "JOIN_INNER": "inner",
    "JOIN_LEFT": "left",
    "JOIN_RIGHT": "right",
    "JOIN_FULL": "full",
}


def bind_from(scope: Scope, nodes: Sequence[Any] | None) -> tuple[FromItem, ...]:
    """The FROM list; afterwards ``scope.items`` is what WHERE and the targets see."""
    items: list[FromItem] = []
    for node in nodes or ():
        item, names = _bind_item(scope, node)
        for n in names:
            # while FROM is read, earlier items are visible to LATERAL alone
            n.lateral_only, n.lateral_ok = True, True
        check_unique([*scope.items, *names])
        scope.items = [*scope.items, *names]
        items.append(item)
    for n in scope.items:
        # afterwards to everything
        n.lateral_only, n.lateral_ok = False, True
    return tuple(items)


def _bind_item(scope: Scope, node: Any) -> tuple[FromItem, list[NsItem]]:
    match node:
        case ast.RangeVar():
            return _bind_range_var(scope, node)
        case ast.RangeSubselect():
            return _bind_subselect(scope, node)
        case ast.RangeFunction():
            return _bind_function(scope, node)
        case ast.JoinExpr():
            return _bind_join(scope, node)
        case ast.RangeTableSample():
            raise Unsupported("TABLESAMPLE")
        case _:
            raise Unsupported(type(node).__name__)


# --------------------------------------------------------------------------- relations


def _bind_range_var(scope: Scope, node: Any) -> tuple[FromItem, list[NsItem]]:
    if node.catalogname:
        raise Unsupported("a table qualified by a database")
    alias = node.alias.aliasname if node.alias else node.relname
    # a CTE hides a table of its name; a qualified name is always a table
    if not node.schemaname:
        entry = scope.find_cte(node.relname)
        if entry is not None:
            rel = scope.context.rel()
            # a CTE that is never used is never run (and its errors never raised)
            entry.used += 1
            columns = _renamed(entry.columns, node.alias)
            scan = CteScan(rel, entry.cte, alias, columns)
            return scan, [_named(scope, rel, alias, columns)]
    table = find_table(scope.context, node.schemaname or "", node.relname)
    if table.kind == "view":
        return _bind_view(scope, table, alias, node)
    rel = scope.context.rel()
    columns = _renamed(tuple(OutputColumn(c.name, c.type) for c in table.columns), node.alias)
    item = _named(scope, rel, alias, columns)
    item.table = table
    item.row_type = SqlType(table.ref.name, table.ref.schema)
    # s.t.x names a column only where the table has no alias
    item.schema = "" if node.alias else table.ref.schema
    own = tuple(OutputColumn(c.name, c.type) for c in table.columns)
    # inh is False for ONLY
    return Scan(rel, table.ref, alias, own, only=not node.inh), [item]


def find_table(context: Context, schema: str, name: str) -> Table:
    """The relation a name means; 42P01 when there is none. Raises Unsupported where one of the name is not
    understood.
    """
    if name in context.catalog.opaque_relations:
        raise Unsupported(f"relation {name}")
    if schema:
        ref = TableRef(schema, name)
        if context.catalog.has_table(ref):
            return context.catalog.table(ref)
    else:
        found = context.catalog.find_table(name, context.search_path)
        if found is not None:
            return found
    raise BindError("42P01", f'relation "{f"{schema}.{name}" if schema else name}" does not exist')


def _bind_view(scope: Scope, table: Table, alias: str, node: Any) -> tuple[FromItem, list[NsItem]]:
    context = scope.context
    # CREATE VIEW AS is stored as a bound tree; its text is what pg_get_viewdef gives
    if not table.definition:
        raise Unsupported(f"view {table.ref.name} without its definition")
    query = view_query(context, table)
    rel = context.rel()
    typed = tuple(
        # the view's own column names, the query's types
        OutputColumn(c.name, q.type)
        for c, q in zip(table.columns, output_columns(query), strict=False)
    )
    columns = _renamed(typed, node.alias)
    names = tuple(c.name for c in columns)
    item = _named(scope, rel, alias, columns)
    item.row_type = SqlType(table.ref.name, table.ref.schema)
    item.schema = "" if node.alias else table.ref.schema
    derived = Derived(rel, query, alias, names, view=table.ref, security_barrier=table.security_barrier)
    return derived, [item]


def view_query(context: Context, table: Table) -> Query:
    """A view's query, bound with the view's own search path and fresh numbers."""
    if context.view_depth >= _MAX_VIEW_DEPTH:
        raise Unsupported("views nested too deeply")
    statement = parse(table.definition)[0].stmt
    if not isinstance(statement, ast.SelectStmt):
        raise Unsupported(f"definition of view {table.ref.name}")
    before_path, before_params = context.search_path, context.params
    # a view's names mean what they meant to its owner; it has no parameters
    context.search_path, context.params = table.view_path, {}
    context.view_depth += 1
    try:
        return bind_query(Scope(context), statement)
    finally:
        context.search_path, context.params = before_path, before_params
        context.view_depth -= 1


def _named(scope: Scope, rel: int, alias: str, columns: Sequence[OutputColumn]) -> NsItem:
    scope.rels.add(rel)
    made = [NsColumn(c.name, Column(rel, i, c.type, c.name)) for i, c in enumerate(columns)]
    return NsItem(alias, made, rel)


def _renamed(columns: tuple[OutputColumn, ...], alias: Any) -> tuple[OutputColumn, ...]:
    """Columns under the names of ``alias(a, b, …)``; 42P10 when there are too many."""
    names = [n.sval for n in alias.colnames or ()] if alias else []
    if len(names) > len(columns):
        raise BindError(
            # fewer names than columns: the rest keep theirs
            "42P10",
            f'table "{alias.aliasname}" has {len(columns)} columns available but {len(names)} columns '
            f"specified",
        )
    given = tuple(replace(c, name=n) for c, n in zip(columns, names, strict=False))
    return (*given, *columns[len(names) :])


# --------------------------------------------------------------------------- subqueries, VALUES, functions


def _bind_subselect(scope: Scope, node: Any) -> tuple[FromItem, list[NsItem]]:
    alias = node.alias.aliasname if node.alias else ""
    context = scope.context
    query_node = node.subquery
    before, scope.lateral_active = scope.lateral_active, bool(node.lateral)
    try:
        # VALUES alone is a list of rows; with ORDER BY or LIMIT it is a query
        if _is_plain_values(query_node):
            rows, columns = bind_value_rows(Scope(context, scope), query_node)
            rel = context.rel()
            named = _renamed(columns, node.alias)
            values = ValuesScan(rel, rows, alias, named, bool(node.lateral))
            return values, [_visible(_named(scope, rel, alias, named), alias)]
        query = bind_query(Scope(context, scope), query_node)
    finally:
        scope.lateral_active = before
    rel = context.rel()
    columns = _renamed(output_columns(query), node.alias)
    derived = Derived(rel, query, alias, tuple(c.name for c in columns), bool(node.lateral))
    return derived, [_visible(_named(scope, rel, alias, columns), alias)]


def _visible(item: NsItem, alias: str) -> NsItem:
    """A subquery without alias can't be named."""
    # since PostgreSQL 16 a subquery needs no alias, and its columns are named bare
    item.rel_visible = bool(alias)
    return item


def _is_plain_values(node: Any) -> bool:
    return bool(
        node.valuesLists
        and not node.sortClause
        and node.limitCount is None
        and node.limitOffset is None
        and not node.withClause
    )


def _bind_function(scope: Scope, node: Any) -> tuple[FromItem, list[NsItem]]:
    # the functions run in lockstep, padded with NULLs
    if node.is_rowsfrom and len(node.functions) > 1:
        raise Unsupported("ROWS FROM with several functions")
    call_node, column_definitions = node.functions[0]
    # AS (a int, b text): the function returns record
    if column_definitions or node.coldeflist:
        raise Unsupported("a column definition list")
    if (
        isinstance(call_node, ast.FuncCall)
        # unnest(a, b) is ROWS FROM (unnest(a), unnest(b))
        and call_node.funcname[-1].sval == "unnest"
        and len(call_node.args or ()) > 1
    ):
        raise Unsupported("unnest of several arrays")
    # a function in FROM is LATERAL without the word
    before, scope.lateral_active = scope.lateral_active, True
    try:
        with in_kind(scope, "from"):
            call = resolve_unknown(scope.context, bind_expr(scope, call_node))
    finally:
        scope.lateral_active = before
    rel = scope.context.rel()
    # a scalar function's column is called as the function, or as its alias
    own_name = output_name(call_node)
    alias = node.alias.aliasname if node.alias else own_name
    columns = _function_columns(scope.context, call, call_node, alias)
    if node.ordinality:
        columns = (*columns, OutputColumn("ordinality", INT8))
    columns = _renamed(columns, node.alias)
    item = _named(scope, rel, alias, columns)
    # a function of one column may be named by its alias alone, as a value
    if len(columns) == 1:
        item.row_type = columns[0].type
    scan = FunctionScan(rel, call, alias, columns, bool(node.ordinality), lateral=True)
    return scan, [item]


def _function_columns(context: Context, call: Expr, node: Any, alias: str) -> tuple[OutputColumn, ...]:
    from rewright.sql.algebra import Call

    catalog = context.catalog
    based = base_of(catalog, call.type)
    info = catalog.type(key_of(based))
    if isinstance(call, Call):
        found = [
            # the overload that the call means
            f
            for f in catalog.functions_named(call.func.name, (call.func.schema,))
            if f.args == call.func.arg_types
        ]
        out = found[0].out if found else ()
        # OUT arguments name the columns
        if len(out) > 1 or (out and info.name == "record"):
            if any(catalog.type(t).kind == "p" for _, t in out):
                raise Unsupported("polymorphic OUT arguments")
            return tuple(
                OutputColumn(n or f"column{i + 1}", catalog.type(t).sql_type) for i, (n, t) in enumerate(out)
            )
        # one OUT argument: the column is called by it where nobody gave an alias
        if out and not alias:
            return (OutputColumn(out[0][0], call.type),)
        if len(out) == 1 and node.funcname[-1].sval == alias and out[0][0]:
            return (OutputColumn(out[0][0], call.type),)
    if info.name == "record":
        raise Unsupported("a function returning record")
    # a composite type has its own names
    if info.kind == "c":
        return tuple(OutputColumn(n, t) for n, t in info.fields)
    return (OutputColumn(alias, call.type),)


# --------------------------------------------------------------------------- joins


def _bind_join(scope: Scope, node: Any) -> tuple[FromItem, list[NsItem]]:
    kind = _KINDS[node.jointype.name]
    left, left_names = _bind_item(scope, node.larg)
    before = scope.items
    # RIGHT and FULL JOIN keep rows that no left row belongs to: nothing lateral may refer to the left
    lateral_ok = kind in {"inner", "left"}
    # the left side is visible while the right is read
    for n in left_names:
        n.lateral_only, n.lateral_ok = True, lateral_ok
    scope.items = [*before, *left_names]
    try:
        right, right_names = _bind_item(scope, node.rarg)
    finally:
        scope.items = before
    both = [*left_names, *right_names]
    # the same alias on both sides
    check_unique(both)
    for n in both:
        n.lateral_only, n.lateral_ok = False, True
    # NATURAL JOIN is USING of all common names
    using = _using_columns(node, left_names, right_names)
    if using is not None:
        on, merged, using = _bind_using(scope, kind, using, left_names, right_names)
    else:
        merged = []
        on = _bind_on(scope, node.quals, both)
    item = Join(kind, left, right, on)
    return item, _join_names(node, merged, using or [], left_names, right_names)


def _bind_on(scope: Scope, quals: Any, both: list[NsItem]) -> Expr | None:
    if quals is None:
        return None
    before, scope.items = scope.items, both
    try:
        with in_kind(scope, "on"):
            return bind_condition(scope, quals, "JOIN/ON")
    finally:
        scope.items = before


def _columns(names: list[NsItem]) -> list[NsColumn]:
    return [c for n in names if n.cols_visible for c in n.columns]


def _using_columns(node: Any, left: list[NsItem], right: list[NsItem]) -> list[str] | None:
    if node.isNatural:
        # in the order of the left side
        right_names = {c.name for c in _columns(right)}
        return [c.name for c in _columns(left) if c.name in right_names]
    if node.usingClause:
        names = [n.sval for n in node.usingClause]
        for i, n in enumerate(names):
            # USING (a, a)
            if n in names[:i]:
                raise BindError("42701", f'column name "{n}" appears more than once in USING clause')
        return names
    return None


def _using_column(names: list[NsItem], name: str, side: str) -> Expr:
    found = [c.expr for c in _columns(names) if c.name == name]
    if not found:
        raise BindError("42703", f'column "{name}" specified in USING clause does not exist in {side} table')
    # a left side that is itself a join may show a name twice
    if len(found) > 1:
        raise BindError("42702", f'common column name "{name}" appears more than once in {side} table')
    return found[0]


def _bind_using(
    scope: Scope, kind: JoinKind, names: list[str], left: list[NsItem], right: list[NsItem]
) -> tuple[Expr | None, list[NsColumn], list[str]]:
    tests: list[Expr] = []
    merged: list[NsColumn] = []
    for name in names:
        a, b = _using_column(left, name, "left"), _using_column(right, name, "right")
        tests.append(make_op(scope.context, "=", a, b))
        merged.append(NsColumn(name, _merge(scope.context, kind, a, b)))
    if not tests:
        return None, merged, names
    return (tests[0] if len(tests) == 1 else And(tuple(tests))), merged, names


def _merge(context: Context, kind: JoinKind, left: Expr, right: Expr) -> Expr:
    """buildMergedJoinVar: the one column of a USING pair. An inner join shows the first side that needs no
    conversion, of which taking a type modifier away is one.
    """
    type_ = common_type(context, [left, right], "JOIN/USING")
    typed_left, typed_right = (_as_merged(context, side, type_) for side in (left, right))
    match kind:
        case "inner":
            return right if typed_left is not left and typed_right is right else typed_left
        case "left":
            return typed_left
        case "right":
            return typed_right
        case "full":
            return Coalesce((typed_left, typed_right), type_)


def _as_merged(context: Context, side: Expr, type_: SqlType) -> Expr:
    """A side's column as of the merged type, whose modifier is that of both sides or none."""
    if key_of(side.type) != key_of(type_):
        return coerce(context, side, type_.without_typmod())
    return side if side.type.typmod == type_.typmod else without_modifier(side)


def _join_names(
    node: Any, merged: list[NsColumn], using: list[str], left: list[NsItem], right: list[NsItem]
) -> list[NsItem]:
    rest = [c for c in _columns(left) if c.name not in using]
    rest += [c for c in _columns(right) if c.name not in using]
    columns = [*merged, *rest]
    alias = node.alias.aliasname if node.alias else ""
    if alias:
        given = [n.sval for n in node.alias.colnames or ()]
        if len(given) > len(columns):
            raise BindError("42P10", f'join expression "{alias}" has {len(columns)} columns available')
        columns = [NsColumn(g, c.expr) for g, c in zip(given, columns, strict=False)] + columns[len(given) :]
        return [NsItem(alias, columns)]
    if not using and not node.isNatural:
        return [*left, *right]
    for n in (*left, *right):
        n.cols_visible = False
    found = [NsItem("", columns, rel_visible=False), *left, *right]
    if node.join_using_alias:
        found.append(NsItem(node.join_using_alias.aliasname, list(merged), cols_visible=False))
    return found
