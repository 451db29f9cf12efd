"""Subqueries in expressions: EXISTS, IN, op ANY/ALL, scalar and ARRAY subqueries (transformSubLink)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.sql.algebra import (
    ArraySubquery,
    Const,
    Exists,
    Expr,
    Quantified,
    Query,
    ScalarSubquery,
    output_columns,
)
from rewright.sql.binder import rows
from rewright.sql.binder.coerce import array_of, info_of
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.outputs import cast_outputs
from rewright.sql.binder.recursion import bind_expr, bind_exprs, bind_query
from rewright.sql.binder.scope import Scope
from rewright.sql.binder.syntax import ast
from rewright.sql.types import SqlType


def is_sublink(expr: Expr) -> bool:
    return isinstance(expr, ScalarSubquery | Exists | Quantified | ArraySubquery)


def bind_sublink(scope: Scope, node: Any) -> Expr:
    query = bind_query(Scope(scope.context, scope), node.subselect)
    match node.subLinkType.name:
        case "EXISTS_SUBLINK":
            return Exists(query)
        case "EXPR_SUBLINK":
            return ScalarSubquery(query, _single(query))
        case "ARRAY_SUBLINK":
            column = _single(query)
            known = info_of(scope.context.catalog, column)
            array = column if known.element else array_of(scope.context.catalog, column)
            return ArraySubquery(query, replace(array, typmod=column.typmod))
        case "ANY_SUBLINK":
            return _bind_quantified(scope, node, query, all_=False)
        case "ALL_SUBLINK":
            return _bind_quantified(scope, node, query, all_=True)
        case _:
            raise Unsupported(node.subLinkType.name)


def _single(query: Query) -> SqlType:
    columns = output_columns(query)
    if len(columns) != 1:
        raise BindError("42601", "subquery must return only one column")
    return columns[0].type


def _bind_quantified(scope: Scope, node: Any, query: Query, *, all_: bool) -> Expr:
    name = node.operName[-1].sval if node.operName else "="
    schemas = (node.operName[0].sval,) if node.operName and len(node.operName) > 1 else None
    test = node.testexpr
    left = bind_exprs(scope, test.args) if isinstance(test, ast.RowExpr) else [bind_expr(scope, test)]
    columns = output_columns(query)
    if len(columns) != len(left):
        few = "few" if len(columns) < len(left) else "many"
        raise BindError("42601", f"subquery has too {few} columns")
    # the operator is resolved against the columns' types; coercions of columns go inside the query
    stand_ins = [Const(None, c.type) for c in columns]
    ops = rows.pairwise(scope.context, name, left, stand_ins, schemas)
    wanted = [o.args[1].type for o in ops]
    done = cast_outputs(scope.context, query, wanted)
    return Quantified(
        _kind(name, len(ops)), tuple(o.op for o in ops), tuple(o.args[0] for o in ops), done, all_
    )


def _kind(name: str, width: int) -> Any:
    if name in {"=", "<>", "<", "<=", ">", ">="}:
        return name
    if name == "!=":
        return "<>"
    if width > 1:
        raise Unsupported(f"row comparison with {name}")
    return "op"
