"""UNION, INTERSECT, EXCEPT and recursive CTEs: types of the columns, ORDER BY over outputs.

After transformSetOperationTree: arms see what the whole statement sees outside, literals without a type
take the other arm's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from rewright.sql.algebra import (
    Const,
    Cte,
    Expr,
    OutputColumn,
    OutputSortKey,
    Param,
    Query,
    Select,
    SetOp,
    output_columns,
)
from rewright.sql.binder.coerce import common_type, resolve_unknown
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.functions import ordering_operator
from rewright.sql.binder.outputs import cast_outputs
from rewright.sql.binder.scope import CteEntry, Scope
from rewright.sql.binder.syntax import ast
from rewright.sql.catalog import key_of
from rewright.sql.types import SqlType

_OPS: dict[str, Literal["union", "intersect", "except"]] = {
    "SETOP_UNION": "union",
    "SETOP_INTERSECT": "intersect",
    "SETOP_EXCEPT": "except",
}


def bind_set_operation(scope: Scope, node: Any, ctes: tuple[Cte, ...]) -> Query:
    from rewright.sql.binder.select import bind_limits

    tree = _bind_tree(scope, node)
    order = bind_output_order(scope, node.sortClause, tree.columns)
    limit, offset = bind_limits(scope, node)
    with_ties = node.limitOption is not None and node.limitOption.name == "LIMIT_OPTION_WITH_TIES"
    if with_ties and not order:
        raise BindError("42601", "WITH TIES cannot be specified without ORDER BY clause")
    return replace(tree, order_by=order, limit=limit, offset=offset, with_ties=with_ties, ctes=ctes)


def _bind_tree(scope: Scope, node: Any) -> SetOp:
    left, right = _bind_arm(scope, node.larg), _bind_arm(scope, node.rarg)
    return combine(scope, _OPS[node.op.name], bool(node.all), left, right)


def _bind_arm(scope: Scope, node: Any) -> Query:
    from rewright.sql.binder.select import bind_query

    plain = not (
        node.sortClause or node.limitCount or node.limitOffset or node.lockingClause or node.withClause
    )
    if node.op.name != "SETOP_NONE" and plain:
        return _bind_tree(scope, node)
    return bind_query(Scope(scope.context, scope), node, resolve_unknowns=False)


def combine(
    scope: Scope,
    op: Literal["union", "intersect", "except"],
    all_: bool,
    left: Query,
    right: Query,
) -> SetOp:
    """Two bound arms with their columns brought to common types."""
    context = scope.context
    names = output_columns(left)
    if len(names) != len(output_columns(right)):
        raise BindError("42601", f"each {op.upper()} query must have the same number of columns")
    shared = [
        common_type(context, [a, b], op.upper()) for a, b in zip(_outputs(left), _outputs(right), strict=True)
    ]
    left, right = cast_outputs(context, left, shared), cast_outputs(context, right, shared)
    columns = tuple(
        OutputColumn(n.name, _with_typmod(t, a.type, b.type))
        for n, t, a, b in zip(names, shared, output_columns(left), output_columns(right), strict=True)
    )
    if not (op == "union" and all_):
        for c in columns:
            ordering_operator(context, c.type, "=")
    return SetOp(op, all_, left, right, columns)


def _outputs(query: Query) -> list[Expr]:
    """One expression a column, enough to find common types."""
    if isinstance(query, Select):
        return [t.expr for t in query.targets]
    return [Const(None, c.type) for c in output_columns(query)]


def _with_typmod(type_: SqlType, left: SqlType, right: SqlType) -> SqlType:
    same = left.typmod == right.typmod and key_of(left) == key_of(right) == key_of(type_)
    return replace(type_, typmod=left.typmod if same else -1)


def bind_output_order(
    scope: Scope, nodes: Sequence[Any] | None, columns: Sequence[OutputColumn]
) -> tuple[OutputSortKey, ...]:
    """ORDER BY over a set operation or VALUES: output names and numbers only."""
    return tuple(_output_key(scope, n, columns) for n in nodes or ())


def _output_key(scope: Scope, node: Any, columns: Sequence[OutputColumn]) -> OutputSortKey:
    from rewright.sql.binder.calls import sort_key

    at = _output_position(node.node, columns)
    key = sort_key(scope, Const(None, columns[at].type), node)
    return OutputSortKey(at, key.descending, key.nulls_first, key.op)


def _output_position(node: Any, columns: Sequence[OutputColumn]) -> int:
    if isinstance(node, ast.A_Const) and isinstance(node.val, ast.Integer) and not node.isnull:
        at = node.val.ival or 0
        if not 1 <= at <= len(columns):
            raise BindError("42P10", f"ORDER BY position {at} is not in select list")
        return int(at) - 1
    if isinstance(node, ast.ColumnRef) and len(node.fields) == 1 and isinstance(node.fields[0], ast.String):
        name = node.fields[0].sval
        found = [i for i, c in enumerate(columns) if c.name == name]
        if len(found) > 1:
            raise BindError("42702", f'ORDER BY "{name}" is ambiguous')
        if found:
            return found[0]
        raise BindError("42703", f'column "{name}" does not exist')
    if isinstance(node, ast.A_Const):
        raise BindError("42601", "non-integer constant in ORDER BY")
    raise BindError("0A000", "invalid UNION/INTERSECT/EXCEPT ORDER BY clause")


def bind_recursive(scope: Scope, node: Any) -> Cte:
    """A CTE that refers to itself: UNION [ALL] of a first arm and one over the CTE."""
    from rewright.sql.binder.select import bind_ctes, bind_query, cte_columns, materialized

    body = node.ctequery
    if body.op.name != "SETOP_UNION":
        raise BindError("42P19", f'recursive query "{node.ctename}" does not have the form UNION [ALL]')
    if body.sortClause or body.limitCount or body.limitOffset:
        raise BindError("0A000", "ORDER BY or LIMIT in a recursive query is not implemented")
    context = scope.context
    inner = Scope(context, scope)
    ctes = bind_ctes(inner, body.withClause)
    first = _resolved(inner, bind_query(Scope(context, inner), body.larg))
    columns = cte_columns(node, output_columns(first))
    entry = CteEntry(context.cte(), node.ctename, columns, self_reference=True)
    inner.ctes[node.ctename] = entry
    second = _bind_arm(inner, body.rarg)
    if entry.used != 1:
        raise Unsupported("a recursive query that refers to itself more or less than once")
    query = combine(inner, "union", bool(body.all), first, second)
    for want, got in zip(columns, query.columns, strict=True):
        if not want.type.same_base(got.type) or want.type.typmod != got.type.typmod:
            raise BindError("42804", f'recursive query "{node.ctename}" changes the type of {want.name}')
    made = Cte(
        entry.cte, node.ctename, replace(query, ctes=ctes), columns, materialized(node), recursive=True
    )
    scope.ctes[node.ctename] = CteEntry(entry.cte, node.ctename, columns)
    return made


def _resolved(scope: Scope, query: Query) -> Query:
    if not isinstance(query, Select):
        return query
    return replace(
        query,
        targets=tuple(replace(t, expr=resolve_unknown(scope.context, t.expr)) for t in query.targets),
    )


__all__ = ["Param", "bind_output_order", "bind_recursive", "bind_set_operation", "combine"]
