"""A first look at a text that a model wrote, before any server sees it.

A replacement reads what the original reads and calls nothing of its own accord: one plain SELECT, no tables, schemas or
functions that the original has not (harmless built-ins aside). That keeps hostile texts from being planned, which
can run functions; whether the text means the same is the checker's business, not this file's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pglast import ast
from pglast.error import Error as PglastError
from pglast.parser import parse_sql

HARMLESS = frozenset(
    [
        "count",
        "sum",
        "avg",
        "min",
        "max",
        "bool_and",
        "bool_or",
        "every",
        "any_value",
        "row_number",
        "rank",
        "dense_rank",
        "percent_rank",
        "cume_dist",
        "ntile",
        "lag",
        "lead",
        "first_value",
        "last_value",
        "nth_value",
        "stddev",
        "stddev_samp",
        "stddev_pop",
        "variance",
        "var_samp",
        "var_pop",
        "abs",
        "round",
        "floor",
        "ceil",
        "ceiling",
        "trunc",
        "sign",
        "mod",
        "lower",
        "upper",
        "length",
        "btrim",
        "ltrim",
        "rtrim",
        "substring",
        "substr",
        "left",
        "right",
        "position",
        "date_trunc",
        "date_part",
        "extract",
        "make_date",
        "like_escape",
        "similar_to_escape",
        "overlaps",
        "timezone",
    ]
)
_LONGEST = 1_000_000


def complaint_of(original: str, candidate: str) -> str | None:
    """Why ``candidate`` may not even be planned, or None."""
    if len(candidate) > _LONGEST:
        return "the text is too long"
    statement = parse_one(candidate)
    if isinstance(statement, str):
        return statement
    reference = parse_one(original)
    if isinstance(reference, str):
        return reference
    nodes, known = list(_nodes(statement)), list(_nodes(reference))
    return (
        _effects(nodes)
        or _strangers("table", _tables(nodes), _tables(known) | _cte_names(nodes))
        or _strangers("function", _functions(nodes), _functions(known) | _harmless(nodes))
    )


def parse_one(text: str) -> ast.SelectStmt | str:
    """The one SELECT of ``text``, or why it is none."""
    try:
        statements = parse_sql(text)
    except (PglastError, RecursionError, ValueError) as error:
        return f"syntax error: {error}"
    if len(statements) != 1:
        return f"{len(statements)} statements instead of one"
    statement = statements[0].stmt
    if not isinstance(statement, ast.SelectStmt):
        return "not a SELECT"
    return statement


def _nodes(root: Any) -> Iterator[Any]:
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple | list):
            stack.extend(node)
        elif isinstance(node, ast.Node):
            yield node
            stack.extend(getattr(node, name) for name in vars(type(node))["__slots__"])


def _effects(nodes: list[Any]) -> str | None:
    for node in nodes:
        if isinstance(node, ast.InsertStmt | ast.UpdateStmt | ast.DeleteStmt | ast.MergeStmt):
            return "it modifies data"
        if isinstance(node, ast.IntoClause | ast.LockingClause | ast.RangeTableSample):
            return "it has INTO, a row lock or TABLESAMPLE"
    return None


def _tables(nodes: list[Any]) -> set[str]:
    return {f"{n.schemaname or ''}.{n.relname}" for n in nodes if isinstance(n, ast.RangeVar)}


def _cte_names(nodes: list[Any]) -> set[str]:
    return {f".{n.ctename}" for n in nodes if isinstance(n, ast.CommonTableExpr)}


def _functions(nodes: list[Any]) -> set[str]:
    return {".".join(_word(p) for p in n.funcname or ()) for n in nodes if isinstance(n, ast.FuncCall)}


def _word(node: Any) -> str:
    return str(node.sval)


def _harmless(nodes: list[Any]) -> set[str]:
    return {name for name in _functions(nodes) if name.removeprefix("pg_catalog.") in HARMLESS}


def _strangers(what: str, found: set[str], known: set[str]) -> str | None:
    strange = sorted(found - known)
    return f"the original has no {what} {strange[0].lstrip('.')}" if strange else None
