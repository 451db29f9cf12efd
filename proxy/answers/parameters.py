"""The types of ``$1``, ``$2``... in SQL that Rewright answers itself, where the client declares none:
inferred from what stands beside them.

Owns the inference, which is the one that PostgreSQL's parser would make. Pure. A parameter about which
nothing is known is text, as PostgreSQL's unknown literals are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pglast import ast

from rewright.proxy.answers.relations import BOOL, FLOAT8, INT8, TEXT, TIMESTAMPTZ, Relation
from rewright.proxy.duckdb_backend import values
from rewright.sql.parsing import nodes_of

# element type -> array type
ARRAYS: Mapping[int, int] = {element: array for array, element in values.ARRAYS.items()}
# names in casts, as the parser gives them
CASTS: Mapping[str, int] = {
    "bool": BOOL,
    "int2": 21,
    "int4": 23,
    "int8": INT8,
    "float4": 700,
    "float8": FLOAT8,
    "numeric": 1700,
    "timestamptz": TIMESTAMPTZ,
    "timestamp": 1114,
    "date": 1082,
}


def parameter_types(statement: ast.Node, relations: tuple[Relation, ...]) -> tuple[int, ...]:
    """One type for each parameter up to the highest number.

    >>> from pglast.parser import parse_sql
    >>> from rewright.proxy.answers.relations import BY_NAME
    >>> statement = parse_sql("select * from rewright.log where id = $2 and role = $1 limit $3")[0].stmt
    >>> parameter_types(statement, (BY_NAME["log"],))
    (25, 20, 20)
    """
    columns = {column.name: column.type_oid for relation in relations for column in relation.columns}
    found: dict[int, int] = {}
    highest = 0
    for node in nodes_of(statement):
        if isinstance(node, ast.ParamRef):
            highest = max(highest, _number(node))
        for number, oid in _told(node, columns):
            found.setdefault(number, oid)
    return tuple(found.get(number, TEXT) for number in range(1, highest + 1))


def _told(node: Any, columns: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    """What one place says of the parameters in it."""
    match node:
        case ast.TypeCast(arg=ast.ParamRef()):
            yield _number(node.arg), CASTS.get(_cast(node), TEXT)
        case ast.SelectStmt():
            places: tuple[Any, ...] = (node.limitCount, node.limitOffset)
            for place in places:
                if isinstance(place, ast.ParamRef):
                    yield _number(place), INT8
        case ast.A_Expr():
            sides = [*_operands(node.lexpr), *_operands(node.rexpr)]
            oid = next((oid for side in sides if (oid := _type_of(side, columns)) is not None), None)
            if oid is not None:
                some = _name(node.kind) in {"AEXPR_OP_ANY", "AEXPR_OP_ALL"}
                for side in sides:
                    if isinstance(side, ast.ParamRef):
                        yield _number(side), ARRAYS.get(oid, oid) if some else oid
        case _:
            return


def _operands(side: Any) -> tuple[Any, ...]:
    """IN and BETWEEN have several on the right."""
    return tuple(side) if isinstance(side, tuple) else (side,)


def _number(parameter: Any) -> int:
    return int(parameter.number or 0)


def _name(kind: Any) -> str:
    return str(kind.name)


def _cast(node: Any) -> str:
    """The last part of the type's name."""
    return str(node.typeName.names[-1].sval)


def _column(node: Any) -> str:
    return str(getattr(node.fields[-1], "sval", ""))


def _type_of(side: Any, columns: Mapping[str, int]) -> int | None:
    match side:
        case ast.ColumnRef():
            return columns.get(_column(side))
        case ast.TypeCast():
            return CASTS.get(_cast(side), TEXT)
        case ast.A_Const(val=ast.Integer()):
            return INT8
        case ast.A_Const(val=ast.Float()):
            return FLOAT8
        case _:
            return None
