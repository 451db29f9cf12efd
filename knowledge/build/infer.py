"""A schema for queries that came without one: tables and columns from their use, types from what they meet.

A guess that only serves to run the pair: no keys, no NOT NULL, so that what is verified on it rests on
nothing that the material did not say.
"""

from __future__ import annotations

import re
from typing import Any

from pglast import ast
from pglast.error import Error as PglastError

from rewright.sql.parsing import TooDeep, nodes_of, parse
from rewright.sql.printing import quote_ident

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class NoSchema(ValueError):
    """No schema can be guessed; the message says why."""


def infer_schema(*queries: str) -> str:
    """CREATE TABLEs under which the queries may run.

    Raises NoSchema: text that does not parse, a column that could belong to several tables.
    """
    tables: dict[str, dict[str, str]] = {}
    for query in queries:
        try:
            statements = parse(query)
        except (PglastError, TooDeep) as error:
            raise NoSchema("the SQL does not parse") from error
        for raw in statements:
            _Reader(tables).read(raw.stmt)
    if not tables:
        raise NoSchema("no table is named")
    return ";\n".join(_create(name, columns) for name, columns in tables.items()) + ";\n"


def _create(name: str, columns: dict[str, str]) -> str:
    inside = ", ".join(
        f"{quote_ident(column)} {type_}" for column, type_ in (columns or {"id": "int"}).items()
    )
    return f"create table {quote_ident(name)} ({inside})"


class _Reader:
    """Collects columns of one statement into ``tables``."""

    def __init__(self, tables: dict[str, dict[str, str]]) -> None:
        self.tables = tables
        self.aliases: dict[str, str] = {}
        self.derived: set[str] = set()

    def read(self, statement: Any) -> None:
        nodes: list[Any] = list(nodes_of(statement))
        # a CTE's name, or a derived table's alias, is no table
        self.derived = {str(n.ctename) for n in nodes if isinstance(n, ast.CommonTableExpr)}
        self.derived |= {
            str(n.alias.aliasname) for n in nodes if isinstance(n, ast.RangeSubselect) and n.alias
        }
        for node in nodes:
            if isinstance(node, ast.RangeVar) and node.relname not in self.derived:
                name = str(node.relname)
                self.tables.setdefault(name, {})
                self.aliases[str(node.alias.aliasname) if node.alias else name] = name
        for node in nodes:
            if isinstance(node, ast.A_Expr):
                self._typed(node)
        # after the comparisons, which know types
        for node in nodes:
            if isinstance(node, ast.ColumnRef):
                self._column(node, None)

    def _typed(self, node: Any) -> None:
        for one, other in ((node.lexpr, node.rexpr), (node.rexpr, node.lexpr)):
            if isinstance(one, ast.ColumnRef):
                self._column(one, _type_of(other))

    def _column(self, ref: Any, type_: str | None) -> None:
        names = [str(part.sval) for part in ref.fields if isinstance(part, ast.String)]
        # `*` and whole rows name no column
        if len(names) != len(ref.fields) or not names:
            return
        table = self._table_of(names)
        if table is not None:
            known = self.tables[table].get(names[-1])
            # int is a guess, which a comparison overrules
            if known is None or (type_ is not None and known == "int"):
                self.tables[table][names[-1]] = type_ or known or "int"

    def _table_of(self, names: list[str]) -> str | None:
        if len(names) > 1:
            return self.aliases.get(names[-2])
        real = set(self.aliases.values())
        if len(real) == 1 and not self.derived:
            return next(iter(real))
        # named before, or of what cannot be told: no new column
        if any(names[0] in columns for columns in self.tables.values()) or self.derived or not real:
            return None
        raise NoSchema(f"{names[0]} could belong to several tables")


def _type_of(value: Any) -> str | None:
    match value:
        case ast.A_Const(val=ast.String(sval=str(text))):
            return "timestamp" if _DATE.match(text) else "text"
        case ast.A_Const(val=ast.Float()):
            return "numeric"
        case ast.TypeCast(typeName=ast.TypeName(names=names)):
            name = names[-1].sval if names else ""
            return (
                name
                if name in {"date", "timestamp", "timestamptz", "text", "numeric", "bool", "uuid"}
                else None
            )
        case ast.FuncCall(funcname=names) if names and names[-1].sval == "now":
            return "timestamptz"
        # `IN (1, 2)`: the first item's
        case tuple() if value:
            return _type_of(value[0])
    return None
