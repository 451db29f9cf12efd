"""A first look at a text that a model wrote, before any server sees it.

A replacement reads what the original reads and calls nothing of its own accord: one plain SELECT, no tables,
schemas or functions that the original has not (harmless built-ins aside). That keeps hostile texts from being
planned, which can run functions; whether the text means the same is the checker's business, not this file's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pglast import ast
from pglast.error import Error as PglastError

from rewright.sql.parsing import TooDeep, nodes_of, parse

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


def complaint_of(original: str, candidate: str, *, ours: bool = False) -> str | None:
    """Why ``candidate`` may not even be planned, or None. ``ours``: it was printed from the original's bound
    tree, where views are what they read: of their tables and functions the original's text knows nothing.
    """
    if len(candidate) > _LONGEST:
        return "the text is too long"
    statement = parse_one(candidate)
    if isinstance(statement, str):
        return statement
    reference = parse_one(original)
    if isinstance(reference, str):
        return reference
    nodes, known = list(nodes_of(statement)), list(nodes_of(reference))
    if ours:
        return effects(nodes)
    return (
        effects(nodes)
        or _strangers("table", _tables(nodes), _tables(known) | _cte_names(nodes))
        or _strangers("function", _functions(nodes), _functions(known) | _harmless(nodes))
    )


def parse_one(text: str) -> ast.SelectStmt | str:
    """The one SELECT of ``text``, or why it is none."""
    try:
        statements = parse(text)
    except (PglastError, TooDeep, RecursionError, ValueError) as error:
        return f"syntax error: {error}"
    if len(statements) != 1:
        return f"{len(statements)} statements instead of one"
    statement = statements[0].stmt
    if not isinstance(statement, ast.SelectStmt):
        return "not a SELECT"
    return statement


def effects(nodes: Iterable[Any]) -> str | None:
    """What a statement's nodes do besides reading tables, or None."""
    for node in nodes:
        match node:
            case ast.LockingClause():
                return "row locks (FOR UPDATE, FOR SHARE)"
            case ast.IntoClause():
                return "SELECT INTO"
            case ast.InsertStmt() | ast.UpdateStmt() | ast.DeleteStmt() | ast.MergeStmt():
                return "a data-modifying WITH"
            case ast.RangeTableSample():
                return "TABLESAMPLE"
            case _:
                continue
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
