"""The types of ``$1``, ``$2``... in SQL of ours, where the client declares none: told from what stands beside them.

Owns the guess that PostgreSQL's parser would make. Pure. What nothing tells of is text, as for the server's unknowns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pglast import ast

from proxy.answers.relations import BOOL, FLOAT8, INT8, TEXT, TIMESTAMPTZ, Relation
from sql.parsing import nodes_of

ARRAYS: Mapping[int, int] = {BOOL: 1000, INT8: 1016, TEXT: 1009, FLOAT8: 1022, TIMESTAMPTZ: 1185}
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
    >>> from proxy.answers.relations import BY_NAME
    >>> statement = parse_sql("select * from rewright.log where id = $2 and role = $1 limit $3")[0].stmt
    >>> parameter_types(statement, (BY_NAME["log"],))
    (25, 20, 20)
    """
    columns = {column.name: column.type_oid for relation in relations for column in relation.columns}
    found: dict[int, int] = {}
    highest = 0
    for node in nodes_of(statement):
        if isinstance(node, ast.ParamRef):
            highest = max(highest, int(node.number or 0))
        for number, oid in _told(node, columns):
            found.setdefault(number, oid)
    return tuple(found.get(number, TEXT) for number in range(1, highest + 1))


def _told(node: Any, columns: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    """What one place says of the parameters in it."""
    match node:
        case ast.TypeCast(arg=ast.ParamRef() as parameter):
            yield parameter.number, CASTS.get(str(node.typeName.names[-1].sval), TEXT)
        case ast.SelectStmt():
            for place in (node.limitCount, node.limitOffset):
                if isinstance(place, ast.ParamRef):
                    yield place.number, INT8
        case ast.A_Expr():
            sides = [*_operands(node.lexpr), *_operands(node.rexpr)]
            oid = next((oid for side in sides if (oid := _type_of(side, columns)) is not None), None)
            if oid is not None:
                some = node.kind.name in {"AEXPR_OP_ANY", "AEXPR_OP_ALL"}
                for side in sides:
                    if isinstance(side, ast.ParamRef):
                        yield side.number, ARRAYS.get(oid, oid) if some else oid
        case _:
            return


def _operands(side: Any) -> tuple[Any, ...]:
    """IN and BETWEEN have several on the right."""
    return tuple(side) if isinstance(side, tuple) else (side,)


def _type_of(side: Any, columns: Mapping[str, int]) -> int | None:
    match side:
        case ast.ColumnRef():
            return columns.get(str(getattr(side.fields[-1], "sval", "")))
        case ast.TypeCast():
            return CASTS.get(str(side.typeName.names[-1].sval), TEXT)
        case ast.A_Const(val=ast.Integer()):
            return INT8
        case ast.A_Const(val=ast.Float()):
            return FLOAT8
        case _:
            return None
