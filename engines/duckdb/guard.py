"""What a client's statement may say: one query, over the lake's own relations, with functions that are
allowed.

Owns the check of the tree that DuckDB's own parser made (``json_serialize_sql``), so that no other reading of
the text counts. What is not known is denied: kinds of expressions, of table references, functions, relations.
Must not know what the tables mean. docs/decisions/0310-functions-and-relations-of-a-lake-are-listed.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import duckdb

from rewright.engines.duckdb.beside import CATALOGS
from rewright.engines.duckdb.errors import Forbidden, LakeError, NotBound, translated
from rewright.engines.duckdb.functions import ALLOWED, ALLOWED_IN_FROM, reason_denied

# DuckDB's own schema is main; public exists for tools that qualify (database.py)
OWN_SCHEMAS = frozenset({"", "main", "public"})
_EXPRESSIONS = frozenset(
    [
        "BETWEEN",
        "CASE",
        "CAST",
        "COLLATE",
        "COLUMN_REF",
        "COMPARISON",
        "CONJUNCTION",
        "CONSTANT",
        "DEFAULT",
        "FUNCTION",
        "LAMBDA",
        "OPERATOR",
        "PARAMETER",
        "POSITIONAL_REFERENCE",
        "STAR",
        "SUBQUERY",
        "WINDOW",
    ]
)
_REFERENCES = frozenset(
    ["BASE_TABLE", "EMPTY", "EXPRESSION_LIST", "JOIN", "PIVOT", "SHOW_REF", "SUBQUERY", "TABLE_FUNCTION"]
)
_QUERIES = frozenset(["SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE"])
# DuckDB reads a file where a table is named like one (replacement scans); off here, and refused by name as
# well
_SUFFIXES = (".csv", ".tsv", ".parquet", ".json", ".ndjson", ".gz", ".db", ".txt")
_READERS = (
    "delta_",
    "duckdb_",
    "iceberg_",
    "mysql_",
    "pg_",
    "postgres_",
    "pragma_",
    # a function of postgis' name is none of the lake's either
    "read_",
    "sqlite_",
    "st_",
)
"""How functions of extensions begin that read elsewhere: their calls are refused, not taken for misspelt
names.
"""
_SHOWN = frozenset({"DESCRIBE", "SUMMARY"})


@dataclass(frozen=True, slots=True)
class Relations:
    """What a statement may read: ``own`` tells whether a name is a table or view of the lake, in one of
    ``schemas``; ``beside``: attached databases. ``place``: what is read, as errors call it.
    """

    own: Callable[[str], bool]
    beside: frozenset[str] = frozenset()
    schemas: frozenset[str] = OWN_SCHEMAS
    place: str = "a lake"


@dataclass(frozen=True, slots=True, order=True)
class TableName:
    """A relation as a statement names it; the parts it leaves out are empty."""

    catalog: str
    schema: str
    name: str


@dataclass(slots=True)
class _Walk:
    relations: Relations
    tables: set[TableName] = field(default_factory=set)
    left: list[tuple[Any, frozenset[str]]] = field(default_factory=list)


def guard(sql: str, connection: Any, relations: Relations) -> set[TableName]:
    """The relations that one allowed query reads. ``connection`` is only asked to parse.

    :raises Forbidden: several statements, no query, a function or a kind of expression that is not allowed.
    :raises NotBound: a relation that is not the lake's.
    :raises LakeError: the text does not parse (42601), or is nested too deeply (54001).
    """
    walk = _Walk(relations)
    walk.left.append((_tree(sql, connection, relations.place), frozenset()))
    while walk.left:
        node, visible = walk.left.pop()
        if isinstance(node, dict):
            walk.left += _examined(node, visible, walk)
        elif isinstance(node, list):
            walk.left += [(one, visible) for one in node]
    return walk.tables


def _tree(sql: str, connection: Any, place: str) -> Any:
    """The one query of a text. Nothing else parses it: DuckDB's other entry points expand PRAGMA and IMPORT,
    which open files.
    """
    try:
        text = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()[0]
        found = json.loads(text)
    # json.loads recurses; the text came from a client
    except RecursionError as error:
        raise LakeError("the statement is nested too deeply", sqlstate="54001") from error
    except duckdb.Error as error:
        raise translated(error) from error
    # json_serialize_sql reports its errors as JSON; what is no SELECT is an error of another type than
    # "parser"
    if found.get("error"):
        if found.get("error_type") == "parser":
            raise LakeError(f"Parser Error: {found.get('error_message')}", sqlstate="42601")
        raise Forbidden(f"only queries are allowed on {place}: it is read-only", sqlstate="25006")
    if len(found["statements"]) != 1:
        raise Forbidden("exactly one statement is allowed", sqlstate="42601")
    return found["statements"]


def _examined(
    node: dict[str, Any], visible: frozenset[str], walk: _Walk
) -> Iterator[tuple[Any, frozenset[str]]]:
    """Check one node; what is to be looked at next, with the names of CTEs that mean something there."""
    kind, place = node.get("type"), walk.relations.place
    # nodes of expressions have a class, references a place in the text, queries a type ending in _NODE
    if "class" in node:
        if node["class"] not in _EXPRESSIONS:
            raise Forbidden(f"expressions of the kind {node['class']} are not allowed on {place}")
        # a constant's value may hold any keys, which are no part of the statement
        if node["class"] == "CONSTANT":
            return
    elif "query_location" in node and isinstance(kind, str):
        _check_reference(node, visible, walk)
    elif isinstance(kind, str) and kind.endswith("_NODE") and kind not in _QUERIES:
        raise Forbidden(f"queries of the kind {kind} are not allowed on {place}")
    # operators and table functions carry their name in the same field
    if (name := node.get("function_name")) is not None:
        _check_function(str(name), place)
    inside = frozenset(visible)
    for key, query in _ctes(node):
        # only a recursive CTE sees its own name; others see those written before them
        recursive = query.get("query", {}).get("node", {}).get("type") == "RECURSIVE_CTE_NODE"
        yield query, inside | {key} if recursive else inside
        inside |= {key}
    for key, child in node.items():
        if key != "cte_map" and isinstance(child, (dict, list)):
            yield child, inside


def _ctes(node: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for entry in (node.get("cte_map") or {}).get("map", ()):
        yield str(entry["key"]).lower(), entry["value"]


# what FROM may name
def _check_reference(node: dict[str, Any], visible: frozenset[str], walk: _Walk) -> None:
    kind, place = node["type"], walk.relations.place
    if kind not in _REFERENCES:
        raise Forbidden(f"tables of the kind {kind} are not allowed on {place}")
    if kind == "BASE_TABLE":
        # AT (VERSION => ...) reads snapshots of Iceberg and DuckLake tables
        if node.get("at_clause") is not None:
            raise Forbidden(f"{place} has no earlier versions of its tables", sqlstate="0A000")
        _check_table(TableName(node["catalog_name"], node["schema_name"], node["table_name"]), visible, walk)
    # DESCRIBE and SUMMARIZE of a query are queries; those of a name would read catalogs
    elif kind == "SHOW_REF" and (node["show_type"] not in _SHOWN or node["query"] is None):
        raise Forbidden(f"only queries are allowed on {place}", sqlstate="25006")
    elif (
        kind == "TABLE_FUNCTION"
        and (name := node["function"].get("function_name", "")).lower() not in ALLOWED_IN_FROM
    ):
        _refuse_function(name, place)


def _check_table(table: TableName, visible: frozenset[str], walk: _Walk) -> None:
    catalog, schema, name = (part.lower() for part in (table.catalog, table.schema, table.name))
    # a CTE is never qualified
    if not (catalog or schema) and name in visible:
        return
    if _is_beside(catalog, schema, walk.relations.beside):
        # the catalogs of an attached database tell its definitions and statistics
        if schema in CATALOGS:
            raise Forbidden(f"the catalogs of {table.catalog} are not part of the lake")
    elif catalog or schema not in walk.relations.schemas or not walk.relations.own(name):
        if schema in CATALOGS:
            message = f"catalogs cannot be read together with tables of {walk.relations.place}"
            raise Forbidden(message, sqlstate="0A000")
        # only says it better than "does not exist" would: nothing is read either way
        if "/" in name or "*" in name or name.endswith(_SUFFIXES):
            raise Forbidden(
                f"reading the file {table.name!r} directly is not allowed on {walk.relations.place}"
            )
        raise NotBound(f"Table with name {table.name} does not exist!")
    walk.tables.add(table)


def _is_beside(catalog: str, schema: str, beside: frozenset[str]) -> bool:
    return catalog in beside or (not catalog and schema in beside)


def _check_function(name: str, place: str) -> None:
    if name.lower() not in ALLOWED:
        _refuse_function(name, place)


def _refuse_function(name: str, place: str) -> None:
    reason = reason_denied(name)
    # allowed in expressions, but as a table it may read what a text names
    if reason is None and name.lower() in ALLOWED:
        reason = "is not allowed as a table"
    if reason is None and name.lower().startswith(_READERS):
        reason = "reads what is no table of the lake"
    # an unknown name is an ordinary mistake, with PostgreSQL's code for it
    if reason is None:
        raise LakeError(f"function {name} does not exist", sqlstate="42883")
    raise Forbidden(f"function {name} is not allowed on {place}: it {reason}")
