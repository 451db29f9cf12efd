"""What ORDER BY, GROUP BY and DISTINCT ON may name: outputs by name or number, else expressions (after
parse_clause.c).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rewright.sql.algebra import Expr, Target
from rewright.sql.binder.calls import in_kind
from rewright.sql.binder.coerce import resolve_unknown
from rewright.sql.binder.errors import BindError
from rewright.sql.binder.recursion import bind_expr
from rewright.sql.binder.scope import Scope, value_of
from rewright.sql.binder.syntax import ast
from rewright.sql.walk import canonical_expr, has_subquery


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
        return _same_as_target(resolve_unknown(scope.context, bind_expr(scope, node)), targets)


def _same_as_target(expr: Expr, targets: Sequence[Target]) -> Expr:
    """The target an expression repeats (its subqueries have other numbers), else itself."""
    if not has_subquery(expr):
        return expr
    form = canonical_expr(expr)
    for t in targets:
        if has_subquery(t.expr) and canonical_expr(t.expr) == form:
            return t.expr
    return expr


def _local_column(scope: Scope, name: str) -> bool:
    return any(i.cols_visible and value_of(i, name) is not None for i in scope.items)
