"""Changes of a schema: columns of other types or collations, alone or all that share a type; columns without
NOT NULL. Types and collations that a server does not have are made first: a domain, an enum whose order is
not its labels', a collation that takes letters' cases as equal.

A pair that is the same over integers need not be over numerics, floats or padded texts. Must not know
queries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pglast import ast, parse_sql
from pglast.enums import ConstrType

from bench.mutation_trees import altered, printed

TYPES = (
    "int2", "int4", "int8", "numeric", "numeric(10,2)", "numeric(10,4)", "float4", "float8", "oid", "text", "varchar(5)", "char(4)", "char(7)", "bpchar", "name", "bytea",
    "date", "timestamp", "timestamp(0)", "timestamptz", "time", "timetz", "interval", "bool", "jsonb", "int4[]", "money",
    "numeric[]", "text[]", "float8[]", "numrange", "daterange", "bit(4)", "varbit", "inet", "uuid", "made_cents", "made_mood",
)  # fmt: skip
COLLATIONS = ("C", "en-x-icu", "made_caseless")
MADE = {
    "made_cents": "CREATE DOMAIN made_cents AS numeric(8,2)",
    "made_mood": "CREATE TYPE made_mood AS ENUM ('c', 'a', 'b')",
    "made_caseless": "CREATE COLLATION made_caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
}
_COLLATED = {"text", "varchar", "bpchar"}


def schema_mutants(schema_sql: str) -> Iterator[tuple[str, str]]:
    """(kind, DDL) for each change."""
    statements = [raw.stmt for raw in parse_sql(schema_sql)]
    columns = [
        (i, j, element)
        for i, statement in enumerate(statements)
        if isinstance(statement, ast.CreateStmt)
        for j, element in enumerate(statement.tableElts or ())
        if isinstance(element, ast.ColumnDef) and element.typeName is not None
    ]
    for i, j, column in columns:
        own = _type_of(column)
        for type_ in TYPES:
            yield f"one {own} to {type_}", _text(statements, {(i, j): _typed(column, type_)})
        for collation in COLLATIONS if own in _COLLATED else ():
            yield f"one COLLATE {collation}", _text(statements, {(i, j): _collated(column, collation)})
        known = tuple(c for c in column.constraints or () if c.contype == ConstrType.CONSTR_NOTNULL)
        if known:
            rest = tuple(c for c in column.constraints or () if c not in known) or None
            yield "NOT NULL dropped", _text(statements, {(i, j): altered(column, constraints=rest)})
    for own in sorted({_type_of(column) for _, _, column in columns}):
        for type_ in TYPES:
            alike = {(i, j): _typed(column, type_) for i, j, column in columns if _type_of(column) == own}
            yield f"all {own} to {type_}", _text(statements, alike)
        for collation in COLLATIONS if own in _COLLATED else ():
            alike = {
                (i, j): _collated(column, collation) for i, j, column in columns if _type_of(column) == own
            }
            yield f"all {own} COLLATE {collation}", _text(statements, alike)


def _type_of(column: Any) -> str:
    return str(column.typeName.names[-1].sval)


def _typed(column: Any, type_: str) -> Any:
    (raw,) = parse_sql(f"select null::{type_}")
    select: Any = raw.stmt
    return altered(column, typeName=select.targetList[0].val.typeName)


def _collated(column: Any, collation: str) -> Any:
    return altered(column, collClause=ast.CollateClause(collname=(ast.String(sval=collation),)))


def _text(statements: list[Any], columns: dict[tuple[int, int], Any]) -> str:
    texts = []
    for i, statement in enumerate(statements):
        changed = {j: column for (at, j), column in columns.items() if at == i}
        if changed:
            elements = tuple(changed.get(j, element) for j, element in enumerate(statement.tableElts))
            statement = altered(statement, tableElts=elements)
        texts.append(printed(statement) or "")
    text = ";\n".join(texts)
    return ";\n".join([*(made for name, made in MADE.items() if name in text), text])
