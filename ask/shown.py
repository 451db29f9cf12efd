"""Lays out queries and made-up rows for people and prompts. Must not know where they are from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pglast
from pglast import ast
from pglast.error import Error as PglastError
from pglast.parser import scan

_COMMENTS = frozenset({"SQL_COMMENT", "C_COMMENT"})


def one_line(sql: str) -> str:
    r"""The same query on one line; only a literal or a name with a line break in it still has one.

    >>> one_line("select a -- why\n  from t\nwhere b = 'x  y'")
    "select a from t where b = 'x  y'"
    """
    try:
        tokens = [token for token in scan(sql) if token.name not in _COMMENTS]
    except (PglastError, ValueError):
        return " ".join(sql.split())
    parts: list[str] = []
    end = 0
    for token in tokens:
        # a comment stood for a blank
        parts += [" "] * (bool(parts) and token.start > end)
        parts.append(sql[token.start : token.end + 1])
        end = token.end + 1
    return "".join(parts)


def rows_told(setup: Sequence[str]) -> list[str]:
    """Statements that fill a small database, each INSERT as its rows without columns that are NULL in all.

    >>> rows_told(["INSERT INTO public.t (a, b) VALUES ('1', NULL), ('2', NULL)"])
    ["t (a): ('1'), ('2')"]
    """
    return [_rows(statement) for statement in setup]


def _rows(statement: str) -> str:
    try:
        (parsed,) = pglast.parse_sql(statement)
    except (PglastError, ValueError):
        return statement
    made = parsed.stmt
    given: Any = getattr(made, "selectStmt", None)
    if not isinstance(made, ast.InsertStmt) or not made.cols or not getattr(given, "valuesLists", None):
        return statement
    rows = [[_constant(cell) for cell in row] for row in given.valuesLists]
    if any(cell is None for row in rows for cell in row):
        return statement
    kept = [at for at in range(len(made.cols)) if any(row[at] != "NULL" for row in rows)]
    names = ", ".join(made.cols[at].name for at in kept)
    values = ", ".join(f"({', '.join(str(row[at]) for at in kept)})" for row in rows)
    return f"{getattr(made.relation, 'relname', '')} ({names}): {values}"


def _constant(cell: object) -> str | None:
    """None: no constant."""
    if not isinstance(cell, ast.A_Const):
        return None
    if cell.isnull:
        return "NULL"
    if isinstance(cell.val, ast.String):
        return "'" + str(cell.val.sval or "").replace("'", "''") + "'"
    return None
