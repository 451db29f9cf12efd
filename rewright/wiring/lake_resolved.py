"""Which parts of a resolved query are the lake's own and which the client's: the CTEs that clean stay in
DuckDB's dialect, the rest means what PostgreSQL says.

Owns reading the resolved text. Must not know how it was made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlglot
from pglast import ast
from pglast.error import Error as PglastError

from rewright.engines.duckdb.dialect.catalog import Catalog, Refused
from rewright.engines.duckdb.quoting import quoted
from rewright.sql.parsing import TooDeep, nodes_of, parse

# the resolver's names for CTEs that clean a column
_CLEANED = "clean_"
# calls, and below operators, that give the same in both engines for all types that they take
_PLAIN_CALLS = frozenset(["count", "sum", "min", "max", "coalesce", "lower", "abs"])
_PLAIN_OPERATORS = frozenset(["=", "<>", "<", ">", "<=", ">=", "+", "-", "*", "~~", "!~~"])


def is_unknown(refused: Refused, catalog: Catalog) -> bool:
    """Is PostgreSQL's error one of names or types that a resolution may find, rather than of what PostgreSQL
    does not have?
    """
    # no such table, no such column
    if refused.sqlstate in {"42P01", "42703"}:
        return True
    # a literal that is no number: the column may be one after cleaning
    if refused.sqlstate == "22P02":
        return True
    # 42883: no function or operator of these types
    if refused.sqlstate != "42883":
        return False
    # the operand's type may be another after cleaning
    if refused.message.startswith("operator does not exist"):
        return True
    # "function sum(text) does not exist": a function that exists for other types
    name = refused.message.removeprefix("function ").split("(")[0].rsplit(".", 1)[-1].strip('"')
    return any(one.name == name for one in catalog.functions.values())


def split_cleaning(text: str) -> tuple[dict[str, str], str]:
    """The cleaning CTEs of a resolved query, name -> body, and the query without them."""
    tree: Any = sqlglot.parse_one(text, read="duckdb")
    with_ = tree.args.get("with_") or tree.args.get("with")
    # sqlglot 27 renamed the key
    if with_ is None:
        return {}, text
    # the client's own CTEs stay in the query
    ours = [one for one in with_.expressions if one.alias.startswith(_CLEANED)]
    if not ours:
        return {}, text
    found = {one.alias: one.this.sql(dialect="duckdb") for one in ours}
    rest = [one for one in with_.expressions if not one.alias.startswith(_CLEANED)]
    if rest:
        with_.set("expressions", rest)
    else:
        tree.set("with_" if tree.args.get("with_") is not None else "with", None)
    return found, str(tree.sql(dialect="duckdb"))


def names_without_table(text: str, database: Any) -> list[str]:
    """Relations that a text names and that are views here: unions, accepted resolutions. The shadow has none
    of them.
    """
    try:
        statements = parse(text)
    except (PglastError, TooDeep):
        return []
    nodes: Iterable[Any] = nodes_of(statements[0].stmt)
    named = [str(n.relname) for n in nodes if isinstance(n, ast.RangeVar) and not n.schemaname]
    return [name for name in dict.fromkeys(named) if isinstance(database.definition(name), str)]


def cleaning(ctes: Mapping[str, str]) -> str:
    """WITH, of these."""
    if not ctes:
        return ""
    return "WITH " + ", ".join(f"{quoted(name)} AS ({body})" for name, body in ctes.items()) + " "


def cleaned(ctes: Mapping[str, str], sql: str) -> str:
    """A query with these CTEs before its own."""
    # "WITH RECURSIVE" is not among these: it is refused before
    if not ctes:
        return sql
    begun = cleaning(ctes)
    return begun.rstrip() + ", " + sql.removeprefix("WITH ") if sql.startswith("WITH ") else begun + sql


def is_plain(text: str) -> bool:
    """Has a query only words that mean the same to DuckDB as to PostgreSQL? Told by its form, without types:
    no division, no format.
    """
    try:
        statements = parse(text)
    except (PglastError, TooDeep):
        return False
    nodes: Iterable[Any] = nodes_of(statements[0].stmt)
    for node in nodes:
        if isinstance(node, ast.FuncCall) and _last(node.funcname) not in _PLAIN_CALLS:
            return False
        if isinstance(node, ast.A_Expr) and _last(node.name) not in _PLAIN_OPERATORS:
            return False
        # casts and the like are those whose meaning differs most
        if isinstance(node, (ast.TypeCast, ast.A_Indirection, ast.A_ArrayExpr, ast.WindowDef)):
            return False
    return len(statements) == 1


def _last(names: Any) -> str:
    return str(names[-1].sval)
