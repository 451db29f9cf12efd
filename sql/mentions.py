"""What one SELECT names, as written: relations, functions, operators, types, attributes.

Owns the reading of the syntax tree, common table expressions and their scopes included. Must not know what
the names mean: that is for the server's catalog to say. Names are taken generously (what may name a function
is listed as one); a syntax that is not known here is refused rather than skipped. Pure: no server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pglast import ast
from pglast.error import Error as PglastError

from rewright.sql.parsing import TooDeep, parse

# operators that a SELECT uses without naming them: IN, BETWEEN, LIKE, USING, CASE x WHEN, ORDER BY, DISTINCT
IMPLICIT_OPERATORS = ("=", "<>", "<", ">", "<=", ">=", "~~", "!~~", "~~*", "!~~*", "~", "!~")
_KNOWN = frozenset(
    [
        "SelectStmt",
        "ResTarget",
        "ColumnRef",
        "A_Star",
        "String",
        "Integer",
        "Float",
        "Boolean",
        "BitString",
        "A_Const",
        "A_Expr",
        "BoolExpr",
        "NullTest",
        "BooleanTest",
        "FuncCall",
        "NamedArgExpr",
        "TypeCast",
        "TypeName",
        "CollateClause",
        "SortBy",
        "WindowDef",
        "RangeVar",
        "Alias",
        "JoinExpr",
        "RangeSubselect",
        "RangeFunction",
        "RangeTableFunc",
        "RangeTableFuncCol",
        "ColumnDef",
        "SubLink",
        "CaseExpr",
        "CaseWhen",
        "CoalesceExpr",
        "MinMaxExpr",
        "RowExpr",
        "A_ArrayExpr",
        "A_Indirection",
        "A_Indices",
        "ParamRef",
        "SQLValueFunction",
        "XmlExpr",
        "XmlSerialize",
        "WithClause",
        "CommonTableExpr",
        "CTESearchClause",
        "CTECycleClause",
        "GroupingSet",
        "GroupingFunc",
    ]
)
_REFUSED: Mapping[str, str] = {
    "LockingClause": "row locks (FOR UPDATE, FOR SHARE)",
    "IntoClause": "SELECT INTO",
    "RangeTableSample": "TABLESAMPLE",
    "InsertStmt": "a data-modifying WITH",
    "UpdateStmt": "a data-modifying WITH",
    "DeleteStmt": "a data-modifying WITH",
    "MergeStmt": "a data-modifying WITH",
}
# before, these were names of functions like any other
_JSON_SYNTAX_SINCE = 170000
# names of 64 bytes and more are cut (NAMEDATALEN, pg_config_manual.h)
_NAMEDATALEN = 64


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """``schema`` is empty where the search path decides."""

    schema: str
    name: str


@dataclass(frozen=True, slots=True)
class Mention:
    """``start``: where the name begins, in characters."""

    name: Name
    start: int


@dataclass(frozen=True, slots=True)
class Mentions:
    """``attributes``: names after a dot, which may call a function of a row: ``t.f`` is ``f(t)``."""

    relations: tuple[Mention, ...]
    types: tuple[Mention, ...]
    functions: tuple[Name, ...]
    operators: tuple[Name, ...]
    attributes: tuple[str, ...]


class NotASelect(ValueError):
    """The text is not one SELECT of known syntax; the message says what it is."""


def mentions_of(text: str, server_version: int = 180000) -> Mentions:
    """The names in ``text``. Raises NotASelect."""
    relations: list[Mention] = []
    types: list[Mention] = []
    functions: set[Name] = set()
    operators = {Name("", name) for name in IMPLICIT_OPERATORS}
    attributes: set[str] = set()
    for node, ctes in _scoped(_one_select(text)):
        _require_known(node, server_version)
        match node:
            case ast.RangeVar() if node.schemaname or node.relname not in ctes:
                name = _bounded(Name(node.schemaname or "", str(node.relname)))
                relations.append(Mention(name, int(node.location or 0)))
            case ast.TypeName():
                types.append(Mention(_name(node.names), int(node.location or 0)))
            case ast.FuncCall():
                functions.add(_name(node.funcname))
            case ast.A_Expr():
                operators.add(_name(node.name))
            case ast.SubLink() if node.operName:
                operators.add(_name(node.operName))
            case ast.SortBy() if node.useOp:
                operators.add(_name(node.useOp))
            case ast.ColumnRef():
                attributes |= {
                    str(part.sval) for part in (node.fields or ())[1:] if isinstance(part, ast.String)
                }
            case ast.A_Indirection():
                attributes |= {
                    str(part.sval) for part in node.indirection or () if isinstance(part, ast.String)
                }
            case _:
                pass
    return Mentions(
        tuple(relations),
        tuple(types),
        tuple(sorted(functions)),
        tuple(sorted(operators)),
        tuple(sorted(attributes)),
    )


def qualified(text: str, schemas: Mapping[Mention, str]) -> str:
    """``text`` with a schema written before each of these mentions. Raises NotASelect where a name is not
    found.
    """
    # from the end on: what was put in moves nothing that is still to be changed
    for mention, schema in sorted(schemas.items(), key=lambda item: -item[0].start):
        start = mention.start
        if not _stands_at(text, start, mention.name.name):
            raise NotASelect(f"the name {mention.name.name} is not where it should be")
        text = text[:start] + '"' + schema.replace('"', '""') + '".' + text[start:]
    return text


def _stands_at(text: str, start: int, name: str) -> bool:
    """Quoted, or in any case: of unquoted names the server folds the ASCII letters."""
    if start < 0:
        return False
    spelt = '"' + name.replace('"', '""') + '"'
    return text.startswith(spelt, start) or text[start : start + len(name)].lower() == name.lower()


def _one_select(text: str) -> ast.SelectStmt:
    try:
        statements = parse(text)
    except (PglastError, TooDeep, RecursionError, ValueError) as error:
        raise NotASelect(f"it does not parse: {error}") from error
    if len(statements) != 1:
        raise NotASelect(f"it is {len(statements)} statements instead of one")
    statement = statements[0].stmt
    if not isinstance(statement, ast.SelectStmt):
        raise NotASelect("it is not a SELECT")
    return statement


def _scoped(root: ast.SelectStmt) -> Iterator[tuple[Any, frozenset[str]]]:
    """Every node with the names of the common table expressions that it can see, without recursion."""
    stack: list[tuple[Any, frozenset[str]]] = [(root, frozenset())]
    while stack:
        item, seen = stack.pop()
        if isinstance(item, tuple | list):
            stack.extend((one, seen) for one in item)
        elif isinstance(item, ast.Node):
            yield item, seen
            clause = getattr(item, "withClause", None)
            if clause is not None:
                yield clause, seen
                visible, within = _ctes(clause, seen)
                stack.extend(within)
                seen = visible
            stack.extend((getattr(item, name), seen) for name in item if name != "withClause")


def _ctes(
    clause: ast.WithClause, outer: frozenset[str]
) -> tuple[frozenset[str], list[tuple[Any, frozenset[str]]]]:
    """What the statement below the clause sees, and what each of its queries sees."""
    ctes: Sequence[Any] = clause.ctes or ()
    everything = outer | {str(cte.ctename) for cte in ctes}
    # with RECURSIVE each query sees all of them; otherwise those that stand before it
    if clause.recursive:
        return everything, [(cte, everything) for cte in ctes]
    within, seen = [], outer
    for cte in ctes:
        within.append((cte, seen))
        seen = seen | {str(cte.ctename)}
    return everything, within


def _require_known(node: Any, server_version: int) -> None:
    kind = type(node).__name__
    if kind in _REFUSED:
        raise NotASelect(f"it has {_REFUSED[kind]}")
    if kind.startswith("Json") and server_version >= _JSON_SYNTAX_SINCE:
        return
    if kind not in _KNOWN or (isinstance(node, ast.TypeName) and node.pct_type):
        raise NotASelect(f"it has syntax that is not supported here ({kind})")


def _name(parts: Any) -> Name:
    words = [str(part.sval) for part in parts or ()]
    return _bounded(Name(words[-2] if len(words) > 1 else "", words[-1] if words else ""))


def _bounded(name: Name) -> Name:
    """The server cuts longer names, and would look for another one."""
    if max(len(name.name.encode()), len(name.schema.encode())) >= _NAMEDATALEN:
        raise NotASelect("a name is longer than PostgreSQL's 63 bytes")
    return name
