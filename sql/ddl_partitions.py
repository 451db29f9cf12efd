"""What the bounds of a partition say about its rows, from PARTITION BY of its parent and its own FOR VALUES.

As pg_get_partition_constraintdef() words it, for the first column of a range and for lists. The default
partition has no bounds of its own: which rows it may hold, the other partitions' say. Must not know tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rewright.sql.binder.syntax import ast

# one name for all, since PostgreSQL gives none
BOUNDS = "partition bounds"


def partition_columns(spec: Any) -> tuple[str, ...]:
    """The columns that rows are told apart by; none where expressions or other collations or operators do."""
    params = spec.partParams if spec is not None else ()
    plain = all(p.name and not p.opclass and not p.collation for p in params)
    return tuple(p.name for p in params) if plain else ()


def bounds_text(columns: tuple[str, ...], bound: Any, text_of: Callable[[Any], str]) -> str:
    """A condition that every row of the partition meets; empty where none is known. ``text_of`` prints an
    expression.
    """
    if bound is None or bound.is_default or not columns:
        return ""
    column = '"{}"'.format(columns[0].replace('"', '""'))
    match bound.strategy:
        case "l" if len(columns) == 1:
            return _list(column, bound.listdatums, text_of)
        case "r":
            return _range(column, bound, text_of, whole=len(columns) == 1)
    return ""


def _list(column: str, values: Any, text_of: Callable[[Any], str]) -> str:
    known = [text_of(v) for v in values if not _is_null(v)]
    among = f"{column} in ({', '.join(known)})" if known else "false"
    if len(known) < len(values):
        return f"{column} is null or {among}"
    return f"{column} is not null and {among}"


def _range(column: str, bound: Any, text_of: Callable[[Any], str], *, whole: bool) -> str:
    """A range of one column ends before its upper bound; of several the first column
    may also be equal to it.
    """
    parts = [f"{column} is not null"]
    lower, upper = bound.lowerdatums[0], bound.upperdatums[0]
    if not _is_open(lower):
        parts.append(f"{column} >= {text_of(lower)}")
    if not _is_open(upper):
        parts.append(f"{column} {'<' if whole else '<='} {text_of(upper)}")
    return " and ".join(parts)


def _is_null(node: Any) -> bool:
    return isinstance(node, ast.A_Const) and bool(node.isnull)


def _is_open(node: Any) -> bool:
    """MINVALUE or MAXVALUE, which the parser takes for columns."""
    return isinstance(node, ast.ColumnRef)
