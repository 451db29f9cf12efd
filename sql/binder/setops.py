"""UNION, INTERSECT, EXCEPT and recursive CTEs: types of the columns, ORDER BY over outputs.

After transformSetOperationTree: arms see what the whole statement sees outside, literals without a type
take the other arm's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from rewright.sql.algebra import (
    Const,
    Cte,
    Expr,
    OutputColumn,
    Query,
    Select,
    SetOp,
    output_columns,
)
from rewright.sql.binder.coerce import common_type
from rewright.sql.binder.errors import BindError
from rewright.sql.binder.functions import ordering_operator
from rewright.sql.binder.ordering import bind_limits, bind_output_order
from rewright.sql.binder.outputs import cast_outputs
from rewright.sql.binder.recursion import bind_query
from rewright.sql.binder.scope import Scope
from rewright.sql.catalog import key_of
from rewright.sql.types import SqlType

_OPS: dict[str, Literal["union", "intersect", "except"]] = {
    "SETOP_UNION": "union",
    "SETOP_INTERSECT": "intersect",
    "SETOP_EXCEPT": "except",
}


def bind_set_operation(scope: Scope, node: Any, ctes: tuple[Cte, ...]) -> Query:
    tree = _bind_tree(scope, node)
    order = bind_output_order(scope, node.sortClause, tree.columns)
    limit, offset = bind_limits(scope, node)
    with_ties = node.limitOption is not None and node.limitOption.name == "LIMIT_OPTION_WITH_TIES"
    if with_ties and not order:
        raise BindError("42601", "WITH TIES cannot be specified without ORDER BY clause")
    return replace(tree, order_by=order, limit=limit, offset=offset, with_ties=with_ties, ctes=ctes)


def _bind_tree(scope: Scope, node: Any) -> SetOp:
    left, right = bind_arm(scope, node.larg), bind_arm(scope, node.rarg)
    return combine(scope, _OPS[node.op.name], bool(node.all), left, right)


def bind_arm(scope: Scope, node: Any) -> Query:
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
