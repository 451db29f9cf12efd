"""Parts of an analysed query that need no printer: shown columns, constant limits, grouping sets, the forms
in which values leave DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable

from rewright.engines.duckdb.dialect.constants import value_of
from rewright.engines.duckdb.dialect.tree import Node

_SHOWN_AS_TEXT = {1082, 1083, 1114, 1184, 1186}
"""Dates and times leave DuckDB as texts: Python's values hold neither infinity, nor months, nor years before
Christ.
"""


def shown(query: Node) -> list[Node]:
    """The target entries that are columns of the result."""
    return [one for one in query["targetList"] or [] if one["resjunk"] == "false"]


def leaving(sql: str, oid: int) -> str:
    """A value in the form in which it leaves DuckDB."""
    if oid not in _SHOWN_AS_TEXT:
        return sql
    told = f"CAST({sql} AS VARCHAR)"
    # DuckDB writes 0044-01-01 (BC) 00:00:00, PostgreSQL 0044-01-01 00:00:00 BC; times and intervals have no
    # era
    return told if oid in {1083, 1186} else f"regexp_replace({told}, ' .BC.(.*)', '\\1 BC')"


def constant_limit(node: Node | None) -> int | None:
    """LIMIT's number where it is a constant of PostgreSQL's bigint that is not negative; None: it is not."""
    if node is None:
        return None
    # the analyser casts LIMIT to bigint: a constant integer stands inside int8(integer)
    if node["kind"] == "FUNCEXPR" and node["args"] and len(node["args"]) == 1:
        node = node["args"][0]
    if node is None or node["kind"] != "CONST" or node["constisnull"] == "true":
        return None
    if int(node["consttype"]) not in {20, 21, 23}:
        return None
    number = int(value_of(node["constvalue"], int(node["consttype"])))
    # a negative number is an error (2201W) that PostgreSQL raises when it runs
    return number if number >= 0 else None


def is_null(node: Node) -> bool:
    if node["kind"] == "FUNCEXPR" and len(node["args"]) == 1:
        node = node["args"][0]
    return bool(node["kind"] == "CONST" and node["constisnull"] == "true")


def grouping_set(node: Node, told: Callable[[object], str]) -> str:
    """EMPTY, SIMPLE, ROLLUP, CUBE or SETS (nodes of GroupingSetKind); the content of the simple ones are
    references to targets.
    """
    content = node["content"] or []
    match node["kind_"]:
        case "0":
            return "()"
        case "1":
            return "(" + ", ".join(told(one) for one in content) + ")"
        # GroupingSetKind (parsenodes.h)
        case kind:
            word = {"2": "ROLLUP", "3": "CUBE", "4": "GROUPING SETS"}[kind]
            return f"{word} (" + ", ".join(grouping_set(one, told) for one in content) + ")"
