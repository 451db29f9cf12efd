"""Names that PostgreSQL gives to output columns (FigureColname)."""

from __future__ import annotations

from typing import Any

from rewright.sql.binder.syntax import ast

_FIXED = {
    ast.CoalesceExpr: "coalesce",
    ast.A_ArrayExpr: "array",
    ast.RowExpr: "row",
    ast.GroupingFunc: "grouping",
    ast.XmlSerialize: "xmlserialize",
    ast.JsonParseExpr: "json",
    ast.JsonScalarExpr: "json_scalar",
    ast.JsonSerializeExpr: "json_serialize",
    ast.JsonObjectConstructor: "json_object",
    ast.JsonArrayConstructor: "json_array",
    ast.JsonArrayQueryConstructor: "json_array",
    ast.JsonObjectAgg: "json_objectagg",
    ast.JsonArrayAgg: "json_arrayagg",
}


def output_name(node: Any) -> str:
    """The name of a select-list entry without AS."""
    return _figure(node)[1] or "?column?"


def _figure(node: Any) -> tuple[int, str]:
    """Strength (0 none, 1 weak, 2 strong) and name."""
    fixed = _FIXED.get(type(node))
    if fixed:
        return 2, fixed
    match node:
        case ast.ColumnRef():
            last = node.fields[-1]
            return (2, last.sval) if isinstance(last, ast.String) else (0, "")
        case ast.A_Indirection():
            named = [i.sval for i in node.indirection if isinstance(i, ast.String)]
            return (2, named[-1]) if named else _figure(node.arg)
        case ast.FuncCall():
            return 2, node.funcname[-1].sval
        case ast.A_Expr() if node.kind.name == "AEXPR_NULLIF":
            return 2, "nullif"
        case ast.TypeCast():
            strength, name = _figure(node.arg)
            return (strength, name) if strength > 1 else (1, node.typeName.names[-1].sval)
        case ast.CollateClause():
            return _figure(node.arg)
        case ast.SubLink():
            return _of_sublink(node)
        case ast.CaseExpr():
            strength, name = _figure(node.defresult) if node.defresult is not None else (0, "")
            return (strength, name) if strength > 1 else (1, "case")
        case ast.MinMaxExpr():
            return 2, "greatest" if node.op.name == "IS_GREATEST" else "least"
        case ast.SQLValueFunction():
            return 2, _value_function(node)
        case ast.XmlExpr():
            return 2, node.op.name.removeprefix("IS_").lower()
        case _:
            return 0, ""


def _of_sublink(node: Any) -> tuple[int, str]:
    match node.subLinkType.name:
        case "EXISTS_SUBLINK":
            return 2, "exists"
        case "ARRAY_SUBLINK":
            return 2, "array"
        case "EXPR_SUBLINK":
            query = node.subselect
            while query.larg is not None:
                query = query.larg
            if query.targetList:
                target = query.targetList[0]
                return (2, target.name) if target.name else (2, output_name(target.val))
            return 2, "column1"
        case _:
            return 0, ""


def _value_function(node: Any) -> str:
    return value_function_name(node.op.name)


def value_function_name(op: str) -> str:
    """SVFOP_CURRENT_TIMESTAMP_N -> current_timestamp."""
    return op.removeprefix("SVFOP_").removesuffix("_N").lower()
