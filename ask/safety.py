"""What a generated query may be: one SELECT, made only of what `rewright.ask.allowed` lists, reading the
user's own tables.

Owns that judgement, made on the parsed tree and, with a catalog, on names and the bound tree; and the text
that may run: the checked one without its comments (a comment may hold hints that set settings). Must not know
who made the query, nor run it: `rewright.ask.execution` does, in a read-only transaction with limits. The
judgement is one wall of several; the role's own privileges remain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import pglast
from pglast.enums import SQLValueFunctionOp
from pglast.parser import ParseError, scan

from rewright.ask import allowed
from rewright.sql.algebra import FunctionRef, TableRef, Volatility
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.binder.syntax import ast
from rewright.sql.catalog import Catalog, Table
from rewright.sql.parsing import TooDeep, nodes_of, parse

MAX_CHARACTERS = 100_000
MAX_NODES = 20_000
_SYSTEM_SCHEMAS = frozenset({"pg_catalog", "information_schema", "pg_toast"})
_COMMENTS = frozenset({"SQL_COMMENT", "C_COMMENT"})
_TIMES = frozenset(
    getattr(SQLValueFunctionOp, f"SVFOP_{name}{n}")
    for name in ("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP")
    for n in ("", "_N")
    if hasattr(SQLValueFunctionOp, f"SVFOP_{name}{n}")
)
_VIEW_DEPTH = 16


class Refused(Exception):
    """The query may not run; the message says why in plain words."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A text that was found to be one harmless SELECT: without comments and without
    a semicolon at its end.
    """

    sql: str


@dataclass(frozen=True, slots=True)
class Rules:
    """What the asker's session knows. Without a catalog names are judged by their spelling alone."""

    catalog: Catalog | None = None
    search_path: Sequence[str] = ("public",)
    system_catalogs: bool = False
    strange: Mapping[TableRef, str] = field(default_factory=dict)
    """Relations that can't be read without running others' code, and why (`strange_relations`)."""


def check(text: str, rules: Rules | None = None) -> Checked:
    """The text that may run. Raises Refused."""
    rules = rules or Rules()
    if len(text) > MAX_CHARACTERS:
        raise Refused(f"a query of more than {MAX_CHARACTERS} characters")
    sql = _without_comments(text)
    statement = _single_statement(sql)
    _judge(statement, rules, _VIEW_DEPTH)
    if rules.catalog is not None:
        _judge_bound(sql, rules)
    return Checked(sql)


def _without_comments(text: str) -> str:
    """The text that is judged and runs: a blank for each comment, no empty statements (`select 1; ;`)."""
    if "\x00" in text:
        raise Refused("a zero byte")
    try:
        tokens = scan(text)
    except (pglast.Error, ValueError) as error:
        raise Refused(f"not SQL: {error}") from None
    parts, at = [], 0
    for token in tokens:
        if token.name in _COMMENTS:
            parts += [text[at : token.start], " "]
            at = token.end + 1
    return ("".join(parts) + text[at:]).strip().strip("; \t\n\r\f\v")


def _single_statement(sql: str) -> Any:
    try:
        statements = parse(sql)
    except ParseError as error:
        raise Refused(f"not SQL: {error.args[0]}") from None
    except TooDeep as error:
        raise Refused(str(error)) from None
    if len(statements) != 1:
        raise Refused("more than one statement" if statements else "no statement")
    statement = statements[0].stmt
    if not isinstance(statement, ast.SelectStmt):
        raise Refused(f"{type(statement).__name__.removesuffix('Stmt')}: only SELECT may run")
    return statement


# ------------------------------------------------------------------ the parsed tree


def _judge(statement: Any, rules: Rules, depth: int) -> None:
    names = {node.ctename for node in nodes_of(statement) if isinstance(node, ast.CommonTableExpr)}
    if sum(_called(node) == "repeat" for node in nodes_of(statement)) > 1:
        raise Refused("repeat more than once: of what is repeated already it makes too much")
    for count, node in enumerate(nodes_of(statement)):
        if count > MAX_NODES:
            raise Refused("a query too large")
        kind = type(node).__name__
        if kind not in allowed.NODES:
            raise Refused(f"{kind} is not allowed in a generated query")
        match node:
            case ast.SelectStmt():
                _judge_select(node)
            case ast.FuncCall():
                _judge_call(node, rules)
            case ast.A_Expr():
                _judge_operator(node.name, rules)
            case ast.SortBy() if node.useOp:
                _judge_operator(node.useOp, rules)
            case ast.SubLink() if node.operName:
                _judge_operator(node.operName, rules)
            case ast.TypeName():
                _judge_type(node, rules)
            case ast.SQLValueFunction() if node.op not in _TIMES:
                raise Refused("the session's user and schema are not data")
            case ast.CollateClause() if len(node.collname) > 1 and node.collname[0].sval != "pg_catalog":
                raise Refused("a collation of a user's schema")
            case ast.ColumnRef() if len(node.fields) > 1:
                _judge_field(node.fields[-1], rules)
            case ast.A_Indirection():
                for part in node.indirection:
                    _judge_field(part, rules)
            case ast.RangeVar():
                _judge_table(node, rules, names, depth)
            case _:
                pass


def _judge_select(node: ast.SelectStmt) -> None:
    if node.intoClause is not None:
        raise Refused("SELECT INTO makes a table")
    if node.lockingClause:
        raise Refused("FOR UPDATE and FOR SHARE lock rows")


def _spelled(parts: Sequence[Any], what: str) -> str:
    """The name in pg_catalog that a qualified name means."""
    if len(parts) > 1 and (len(parts) > 2 or parts[0].sval != "pg_catalog"):
        raise Refused(f"{what} {'.'.join(part.sval for part in parts)} is not the server's own")
    name: str = parts[-1].sval
    return name


def _judge_call(node: ast.FuncCall, rules: Rules) -> None:
    name = _spelled(node.funcname, "the function")
    if name not in allowed.FUNCTIONS:
        raise Refused(f"the function {name} is not allowed in a generated query")
    if name in allowed.SIZED and not _is_small(node.args):
        raise Refused(f"{name} with a length that is not a small constant")
    if len(node.funcname) == 1 and _shadowed(rules, "functions", name):
        raise Refused(f"a user's function is called {name}, too")


def _called(node: Any) -> str:
    """The bare name of the function that a node calls; empty for other nodes."""
    return str(node.funcname[-1].sval) if isinstance(node, ast.FuncCall) else ""


def _judge_field(part: Any, rules: Rules) -> None:
    """`t.f` calls the function f where t has no such column."""
    if isinstance(part, ast.String) and _shadowed(rules, "functions", part.sval):
        raise Refused(f"a user's function is called {part.sval}, too")


def _is_small(args: Sequence[Any] | None) -> bool:
    if not args or len(args) < 2 or not isinstance(args[1], ast.A_Const):
        return False
    value = args[1].val
    return isinstance(value, ast.Integer) and value.ival <= allowed.LARGEST_SIZE


def _judge_operator(parts: Sequence[Any], rules: Rules) -> None:
    name = _spelled(parts, "the operator")
    # BETWEEN and NOT BETWEEN stand in the tree as operators
    if name not in allowed.OPERATORS and not name.isalpha() and " " not in name:
        raise Refused(f"the operator {name} is not allowed in a generated query")
    if len(parts) == 1 and _shadowed(rules, "operators", name):
        raise Refused(f"a user's operator is called {name}, too")


def _judge_type(node: ast.TypeName, rules: Rules) -> None:
    if node.setof or node.pct_type:
        raise Refused("SETOF and %TYPE are not types of data")
    names = [part.sval for part in node.names]
    if names[-1] in allowed.TYPES and (len(names) == 1 or names[0] == "pg_catalog"):
        if len(names) == 1 and _user_type(rules, names) is not None:
            raise Refused(f"a user's type is called {names[-1]}, too")
        return
    found = _user_type(rules, names)
    if found is None or found.kind != "e":
        raise Refused(f"the type {'.'.join(names)} is not allowed in a generated query")


def _user_type(rules: Rules, names: Sequence[str]) -> Any:
    if rules.catalog is None:
        return None
    path = rules.search_path if len(names) == 1 else names[:1]
    mine = [t for t in rules.catalog.types if t.name == names[-1] and t.schema in path]
    return mine[0] if mine else None


def _shadowed(rules: Rules, kind: str, name: str) -> bool:
    """A better match of argument types may make the server take the user's own, wherever the path leads."""
    if rules.catalog is None:
        return False
    return any(f.name == name and f.schema in rules.search_path for f in getattr(rules.catalog, kind))


def _judge_table(node: ast.RangeVar, rules: Rules, ctes: set[str], depth: int) -> None:
    if node.catalogname:
        raise Refused("a table of another database")
    system = node.schemaname in _SYSTEM_SCHEMAS or (node.schemaname or node.relname).startswith("pg_")
    if system:
        if not rules.system_catalogs:
            raise Refused(f"{node.relname} belongs to the server, not to the data")
        return
    if rules.catalog is None:
        return
    # a name of WITH may hide a table here and not there: the table is judged all the same
    path = rules.search_path if node.schemaname is None else (node.schemaname,)
    found = rules.catalog.find_table(node.relname, path)
    if found is not None:
        if found.ref in rules.strange:
            raise Refused(f"{node.relname} is not read: {rules.strange[found.ref]}")
        _judge_view(found, rules, depth)
    elif node.schemaname is not None or node.relname not in ctes:
        raise Refused(f"there is no table {node.relname}")


def _judge_view(table: Table, rules: Rules, depth: int) -> None:
    """A view is judged by what it says: its functions run when it is read. A view may ask the server's
    catalogs.
    """
    if table.kind != "view" or not table.definition:
        return
    if depth == 0:
        raise Refused("views nested too deeply")
    inside = replace(rules, search_path=(), system_catalogs=True)
    _judge(_single_statement(table.definition.rstrip().rstrip(";")), inside, depth - 1)


# ------------------------------------------------------------------ the bound tree


def _judge_bound(sql: str, rules: Rules) -> None:
    assert rules.catalog is not None
    try:
        query = bind(sql, rules.catalog, search_path=rules.search_path)
    except BindError as error:
        raise Refused(f"the query does not fit the tables: {error}") from None
    except Unsupported:
        # the algebra has no word for it: names were judged above, shadowing refused; casts have no names
        if _users_casts(rules.catalog):
            raise Refused("a query of a form that is not judged where users made casts") from None
        return
    for function in _functions(query):
        if function.schema != "pg_catalog":
            raise Refused(f"the function {function.schema}.{function.name} is a user's")
        if function.volatility is Volatility.VOLATILE:
            raise Refused(f"the function {function.name} is volatile")


def _users_casts(catalog: Catalog) -> bool:
    """Whether a function of somebody's turns an enumeration, row or range of theirs into something else.
    Base types, as extensions bring, only a superuser can make.
    """
    own = {found.key for found in catalog.types if found.kind in {"e", "c", "r", "m"}}
    return any(cast.function is not None and {cast.source, cast.target} & own for cast in catalog.casts)


def _functions(root: object) -> Iterator[FunctionRef]:
    stack = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, FunctionRef):
            yield item
        elif isinstance(item, tuple | list | frozenset):
            stack.extend(item)
        elif is_dataclass(item) and not isinstance(item, type):
            stack.extend(getattr(item, field.name) for field in fields(item))
