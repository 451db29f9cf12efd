"""A counterexample as tables: the rows of a small database, and what either query gives on it.

Pure. Where a statement or an answer is no plain list of rows its text is shown as it is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pglast
from pglast import ast
from pglast.stream import RawStream

# a statement that is longer is shown as it is: reading it would hold up the page
_LONGEST = 50_000


@dataclass(frozen=True, slots=True)
class Grid:
    """A table to show. ``text`` stands in its place where it is not empty."""

    name: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Tables:
    """``filled``: the tables of the database; ``other``: statements that are no rows, such as settings;
    ``script``: all of it for psql, may be empty.
    """

    filled: tuple[Grid, ...]
    other: tuple[str, ...]
    original: Grid
    replacement: Grid
    script: str


def tables(document: Mapping[str, Any]) -> Tables | None:
    """From a verdict's document; None where there is none."""
    if not document:
        return None
    filled, other = list[Grid](), list[str]()
    for statement in document.get("setup") or ():
        grid = _filled(str(statement))
        if grid is None:
            other.append(str(statement))
        else:
            filled.append(grid)
    original, replacement = (str(document.get(side) or "") for side in ("original", "candidate"))
    return Tables(
        tuple(filled),
        tuple(other),
        _answer("The original gives", original),
        _answer("The replacement gives", replacement),
        str(document.get("script") or ""),
    )


def _filled(statement: str) -> Grid | None:
    """The rows of an INSERT … VALUES."""
    if len(statement) > _LONGEST:
        return None
    parsed = _parsed(statement)
    insert = parsed[0].stmt if len(parsed) == 1 else None
    if not isinstance(insert, ast.InsertStmt) or insert.relation is None:
        return None
    source = insert.selectStmt
    if not isinstance(source, ast.SelectStmt) or not source.valuesLists:
        return None
    columns = tuple(str(column.name) for column in insert.cols or ())
    rows = tuple(tuple(_value(one) for one in row) for row in source.valuesLists)
    if any(len(row) != len(columns) for row in rows):
        return None
    return Grid(str(insert.relation.relname), columns, rows)


def _parsed(statement: str) -> Sequence[Any]:
    """Its statements; constants that are not shown read ``?``."""
    for text in (statement, statement.replace("?", "$1")):
        with contextlib.suppress(pglast.Error):
            return list(pglast.parse_sql(text))
    return ()


def _value(node: Any) -> str:
    """A constant as psql shows it, another expression as it is written."""
    if isinstance(node, ast.ParamRef):
        return "?"
    inner = node.arg if isinstance(node, ast.TypeCast) else node
    if isinstance(inner, ast.A_Const):
        if inner.isnull:
            return "NULL"
        if isinstance(inner.val, ast.String):
            return str(inner.val.sval)
    return str(RawStream()(node))


def _answer(name: str, text: str) -> Grid:
    """Rows one a line, columns between bars; a value may hold either, then the text is shown."""
    lines = text.splitlines()
    rows = tuple(tuple(line.split(" | ")) for line in lines)
    widths = {len(row) for row in rows}
    if len(widths) != 1 or text.startswith("ERROR") or text == "(no rows)":
        return Grid(name, text=text or "(no rows)")
    return Grid(name, tuple(f"column {n}" for n in range(1, widths.pop() + 1)), _typed(rows))


def _typed(rows: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(value or "(empty text)" for value in row) for row in rows)
