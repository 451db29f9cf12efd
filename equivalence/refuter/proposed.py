"""A database that someone (a model, a person) proposes as INSERTs, read as plain rows.

Owns taking literals out of INSERT ... VALUES; the text itself is never run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rewright.equivalence.generator.databases import Database
from rewright.equivalence.isolation import Refused, parse
from rewright.equivalence.refuter.scratch_database import ScratchDatabase
from rewright.equivalence.tree import ast

_MAX_ROWS = 200


def database_from(scratch_db: ScratchDatabase, inserts: Sequence[str]) -> Database | None:
    """The rows of the INSERTs, or None when anything in them is not a plain literal for a known column."""
    tables: list[list[tuple[str | None, ...]]] = [[] for _ in scratch_db.shape.tables]
    try:
        statements = [s.stmt for text in inserts for s in parse(text)]
    except Refused:
        return None
    for statement in statements:
        if not isinstance(statement, ast.InsertStmt) or not _add(scratch_db, statement, tables):
            return None
    if not 0 < sum(map(len, tables)) <= _MAX_ROWS:
        return None
    return tuple(tuple(rows) for rows in tables)


def _add(scratch_db: ScratchDatabase, statement: Any, tables: list[list[tuple[str | None, ...]]]) -> bool:
    index = scratch_db.shape.find(
        statement.relation.schemaname or "", statement.relation.relname, scratch_db.path
    )
    values = getattr(statement.selectStmt, "valuesLists", None)
    if index is None or not values or statement.withClause or statement.onConflictClause:
        return False
    table = scratch_db.shape.tables[index]
    places = {column.name: i for i, column in enumerate(table.columns)}
    names = [t.name for t in statement.cols] if statement.cols else [c.name for c in table.columns]
    if not all(name in places for name in names):
        return False
    for row in values:
        cells: list[str | None] = [None] * len(table.columns)
        if len(row) > len(names):
            return False
        for name, node in zip(names, row, strict=False):
            known, text = _text(node)
            if not known:
                return False
            cells[places[name]] = text
        tables[index].append(tuple(cells))
    return True


def _text(node: Any) -> tuple[bool, str | None]:
    """Whether the node is a literal, and its text."""
    match node:
        case ast.TypeCast():
            return _text(node.arg)
        case ast.A_Const() if node.isnull:
            return True, None
        case ast.A_Const(val=ast.Integer(ival=number)):
            return True, str(number or 0)
        case ast.A_Const(val=ast.Float(fval=text)) | ast.A_Const(val=ast.String(sval=text)):
            return True, text or ""
        case ast.A_Const(val=ast.Boolean(boolval=truth)):
            return True, "t" if truth else "f"
        case ast.A_Expr(lexpr=None) if node.name[-1].sval == "-":
            known, text = _text(node.rexpr)
            return known and text is not None, f"-{text}"
        case _:
            return False, None
