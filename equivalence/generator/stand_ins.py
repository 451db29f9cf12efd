"""Columns of types that a scratch server lacks (citext, geometry, vector, hstore, …), as columns of texts.

Owns which columns these are, what becomes of the constraints that name them, and whether a query reads one.
A query that reads none of them cannot tell: any rows of the table as it is made here are, under other
values in these columns, rows of the table as it is. Must not know servers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from rewright.equivalence.isolation import Refused, nodes, parse
from rewright.equivalence.tree import ast
from rewright.sql.catalog import Catalog
from rewright.sql.records import Check, Key, Table
from rewright.sql.types import SqlType

_TEXT = SqlType("text")


@dataclass(frozen=True, slots=True)
class StoodIn:
    """``table`` with texts in ``columns``; ``untold``: its constraints that it lost by that, by name."""

    table: Table
    columns: frozenset[str] = frozenset()
    untold: tuple[str, ...] = ()


def stood_in(catalog: Catalog, table: Table, made: frozenset[str] = frozenset()) -> StoodIn:
    """``made``: names of extensions' types that the server has.

    Raises Refused where a constraint ties such a column to others: which rows it allows is not known.
    """
    lacking = frozenset(c.name for c in table.columns if lacks(catalog, c.type, made))
    if not lacking:
        return StoodIn(table)
    if table.kind == "view":
        raise Refused(f"view {table.ref.name} gives {min(lacking)} of a type that a scratch server lacks")
    for column in table.columns:
        if column.generated and _columns_of(f"select {column.default}") & lacking:
            raise Refused(f"generated column {column.name}, of a type that a scratch server lacks")
    columns = tuple(
        replace(c, type=_TEXT, generated="", default=None) if c.name in lacking else c for c in table.columns
    )
    keys = tuple(key for key in table.keys if not _key_reads(key, lacking))
    told = tuple(one for one in table.exclusions if not any(name in one for name in lacking))
    # rows that a key with such a column keeps apart have other values there: it forbids nothing that is seen
    untold = [k.name for k in table.keys if k.valid and k not in keys and not set(k.columns) & lacking]
    untold += ["exclusion constraints"] if told != table.exclusions else []
    checks = tuple(check for check in table.checks if not _is_alone(check, lacking, table))
    stood = replace(table, columns=columns, keys=keys, checks=checks, exclusions=told)
    return StoodIn(stood, lacking, tuple(untold))


def lacks(catalog: Catalog, type_: SqlType, made: frozenset[str] = frozenset()) -> bool:
    """Whether a type is neither PostgreSQL's own nor one that DDL can make: an extension's that is not among
    ``made``, or one made of such.
    """
    if type_.is_builtin:
        return False
    if type_.is_array:
        return lacks(catalog, replace(type_, name=type_.name[1:]), made)
    info = next((t for t in catalog.types if (t.schema, t.name) == (type_.schema, type_.name)), None)
    if info is None:
        # the row type of a table has its name
        return not any((r.ref.schema, r.ref.name) == (type_.schema, type_.name) for r in catalog.relations)
    if info.kind not in "edc":
        return type_.name not in made
    inner = [type_ for _, type_ in info.fields]
    if info.base:
        schema, _, name = info.base.rpartition(".")
        inner.append(SqlType(name, schema or "pg_catalog"))
    return any(lacks(catalog, one, made) for one in inner)


def _is_alone(check: Check, lacking: frozenset[str], table: Table) -> bool:
    """Whether a CHECK is of one such column alone, so that some value for it obeys whatever the row is."""
    if not check.usable:
        return False
    text = check.text.strip().removesuffix(" NOT VALID").removesuffix(" NO INHERIT")
    body = text[len("check") :] if text.upper().startswith("CHECK") else text
    named = _columns_of(f"select {body}") & {c.name for c in table.columns}
    if not named & lacking:
        return False
    if len(named) > 1:
        raise Refused(f"{check.name} of {table.ref.name}, on a type that a scratch server lacks")
    return True


def _key_reads(key: Key, lacking: frozenset[str]) -> bool:
    texts = [*key.expressions, key.predicate] if key.expression or key.partial else []
    named = {name for text in texts if text for name in _columns_of(f"select {text}")}
    return bool((named | set(key.columns)) & lacking)


def _columns_of(text: str) -> set[str]:
    refs = [n for s in parse(text) for n in nodes(s.stmt) if isinstance(n, ast.ColumnRef)]
    return {part.sval for ref in refs for part in ref.fields if isinstance(part, ast.String)}


def reads_any(trees: Iterable[object], columns: frozenset[str]) -> bool:
    """Whether queries name one of ``columns``, or may mean one without its name: by ``*``, a whole row, a
    NATURAL join, a list of new names for a table's columns.
    """
    found: list[Any] = [node for tree in trees for node in nodes(tree)]
    rows = {n.relname for n in found if isinstance(n, ast.RangeVar)}
    rows |= {n.aliasname for n in found if isinstance(n, ast.Alias)}
    return any(_reads(node, columns, rows) for node in found)


def _reads(node: Any, columns: frozenset[str], rows: set[str]) -> bool:
    match node:
        case ast.A_Star():
            return True
        case ast.ColumnRef():
            names = [part.sval for part in node.fields if isinstance(part, ast.String)]
            return bool(columns & set(names)) or bool(rows & set(names[-1:]))
        case ast.JoinExpr():
            return bool(node.isNatural) or bool(columns & {n.sval for n in node.usingClause or ()})
        case ast.RangeVar():
            return bool(node.alias and node.alias.colnames)
        case _:
            return False
