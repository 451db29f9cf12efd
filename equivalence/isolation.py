"""What of a stranger's schema and queries is let near a server at all.

Owns the allow-lists: plain DDL and single read-only SELECTs. It is the first of three walls; the
second is the unprivileged role with limits (`refuter.scratch_db`), the third a server without anything
worth taking. Parses, never executes. Must not know servers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pglast
from pglast.stream import RawStream

from rewright.equivalence.omissions import Omission, named, omission_of, operators_of
from rewright.equivalence.tree import ast
from rewright.sql.builtins import builtins
from rewright.sql.dumps import without_commands
from rewright.sql.printer.names import quote_ident

MAX_TEXT = 2_000_000
MAX_STATEMENTS = 4_000
MAX_TABLES = 500
MAX_DEPTH = 400

# carried out, in order
_ALLOWED = (
    ast.CreateStmt,
    ast.CreateSchemaStmt,
    ast.CreateEnumStmt,
    ast.CreateDomainStmt,
    ast.CompositeTypeStmt,
    ast.CreateRangeStmt,
    ast.AlterTableStmt,
    ast.IndexStmt,
    ast.ViewStmt,
    ast.CreateSeqStmt,
    ast.AlterSeqStmt,
    ast.CreateFunctionStmt,
    ast.DropStmt,
    ast.RenameStmt,
    ast.AlterEnumStmt,
    ast.AlterDomainStmt,
)
# without any bearing on what a query returns here: read over (what pg_dump writes around a schema)
_SKIPPED = (
    ast.CommentStmt,
    ast.GrantStmt,
    ast.AlterOwnerStmt,
    ast.VariableSetStmt,
    ast.TransactionStmt,
    ast.AlterDefaultPrivilegesStmt,
    ast.CreateStatsStmt,
    ast.VacuumStmt,
    ast.ReindexStmt,
    ast.LockStmt,
    ast.NotifyStmt,
    ast.RefreshMatViewStmt,
)
_ALTERATIONS_REFUSED = {
    "AT_EnableRule",
    "AT_EnableAlwaysTrig",
    "AT_EnableReplicaTrig",
    "AT_EnableTrig",
    "AT_DisableTrig",
    "AT_DisableTrigAll",
    "AT_DisableTrigUser",
    "AT_EnableRowSecurity",
    "AT_ForceRowSecurity",
    "AT_SetTableSpace",
    "AT_SetAccessMethod",
    "AT_GenericOptions",
}
_ALTERATIONS_SKIPPED = {
    "AT_ChangeOwner",
    "AT_ReplicaIdentity",
    "AT_ClusterOn",
    "AT_SetStatistics",
    "AT_SetStorage",
}
# volatile, but harmless where a schema may use it (defaults are never evaluated: we give all values)
DEFAULTS_MAY_CALL = frozenset(
    {
        "nextval",
        "random",
        "gen_random_uuid",
        "uuidv4",
        "uuidv7",
        "clock_timestamp",
        "timeofday",
        "currval",
        "lastval",
    }
)


class Refused(Exception):
    """The text is not let in; the message says what in it, as an end of ``unsupported: …``."""


@dataclass(frozen=True, slots=True)
class ScreenedSchema:
    """Statements to run, and the names of the functions they call (lower case, unqualified)."""

    statements: tuple[str, ...]
    calls: frozenset[str]
    views: bool
    functions: bool
    # not run, since a pair rarely needs it
    omitted: tuple[Omission, ...] = ()
    # all statements but those, for the catalog
    kept_text: str = ""


@dataclass(frozen=True, slots=True)
class ScreenedQuery:
    """One SELECT: its text without the semicolon, its parse tree, what it mentions."""

    text: str
    tree: Any
    calls: frozenset[str]
    relations: frozenset[tuple[str, str]]
    types: frozenset[str]
    columns: frozenset[str]
    parameters: frozenset[int]
    # ``*`` or NATURAL: columns are used without being named
    all_columns: bool = False


def parse(text: str) -> tuple[Any, ...]:
    """Pglast's statements. Raises Refused for text that does not parse, is too long or too deep."""
    # pglast and the walk below take time by the length of the text
    if len(text) > MAX_TEXT:
        raise Refused(f"text of {len(text)} characters")
    if "\0" in text:
        raise Refused("a zero byte in the text")
    try:
        return tuple(pglast.parse_sql(text))
    except pglast.parser.ParseError as error:
        raise Refused(f"syntax error: {error.args[0]}") from None
    except RecursionError:
        raise Refused("nesting too deep") from None


def nodes(tree: object) -> Iterator[Any]:
    """Every AST node below ``tree``, itself included, without recursion. Raises Refused when too deep."""
    stack: list[tuple[object, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        # deeper trees than these exhaust the stack of whoever walks them by recursion
        if depth > MAX_DEPTH:
            raise Refused("nesting too deep")
        if isinstance(node, ast.Node):
            yield node
            stack.extend((getattr(node, name), depth + 1) for name in node)
        elif isinstance(node, tuple):
            stack.extend((child, depth + 1) for child in node)


def screen_schema(text: str, extensions: frozenset[str] = frozenset()) -> ScreenedSchema:
    """Plain DDL, and what can be left out. ``extensions``: those that the server to run on makes, which are
    not left out. Raises Refused naming the first statement that is neither.
    """
    text = without_commands(text)
    raw = parse(text)
    if len(raw) > MAX_STATEMENTS:
        raise Refused(f"{len(raw)} statements in the schema")
    kept: list[str] = []
    texts: list[str] = []
    omitted: list[Omission] = []
    calls: set[str] = set()
    encoded = text.encode()
    for statement in raw:
        end = statement.stmt_location + statement.stmt_len if statement.stmt_len else len(encoded)
        body = encoded[statement.stmt_location : end].decode().strip()
        # an extension that the server makes is run by its name alone, never by the text that was given
        if isinstance(statement.stmt, ast.CreateExtensionStmt) and statement.stmt.extname in extensions:
            kept.append(_extension(statement.stmt))
            continue
        if isinstance(statement.stmt, ast.CreateFunctionStmt):
            # an extension's script runs with the superuser's rights: it shall find no stranger's function
            extensions = frozenset()
        left_out = omission_of(statement.stmt) or _dependent(statement.stmt, omitted)
        if left_out is not None:
            omitted.append(left_out)
            if left_out.in_catalog:
                texts.append(body)
            continue
        texts.append(body)
        # what pg_dump writes around a schema does nothing to the rows
        if isinstance(statement.stmt, _SKIPPED) or _is_pg_dumps_call(statement.stmt):
            continue
        if not isinstance(statement.stmt, _ALLOWED):
            raise Refused(f"{_name(statement.stmt)} in a schema")
        # only alterations that matter to no query: skipped, not refused
        if _refuse_details(statement.stmt):
            continue
        _refuse_stand_ins(statement.stmt, omitted)
        calls |= function_names(statement.stmt)
        kept.append(body)
    tables = sum(isinstance(s.stmt, ast.CreateStmt) for s in raw)
    if tables > MAX_TABLES:
        raise Refused(f"{tables} tables (at most {MAX_TABLES})")
    return ScreenedSchema(
        tuple(kept),
        frozenset(calls),
        any(isinstance(s.stmt, ast.ViewStmt) for s in raw),
        any(isinstance(s.stmt, ast.CreateFunctionStmt) and omission_of(s.stmt) is None for s in raw),
        tuple(omitted),
        ";\n".join(texts),
    )


def _extension(statement: Any) -> str:
    """CREATE EXTENSION, of the server's version, in the schema that is named, else in ``public``."""
    options = {option.defname: option.arg for option in statement.options or ()}
    schema = getattr(options.get("schema"), "sval", "public")
    names = (quote_ident(name) for name in (statement.extname, schema))
    return "create extension if not exists {} with schema {}".format(*names)


def _dependent(statement: Any, omitted: list[Omission]) -> Omission | None:
    """A view or a plain index that uses something left out; constraints and tables
    are not left out for that.
    """
    gone = frozenset().union(*(omission.relations for omission in omitted))
    # an index on a table that is not there
    if isinstance(statement, ast.IndexStmt) and statement.relation.relname in gone:
        return Omission(f"index {statement.idxname or ''}".strip())
    view = isinstance(statement, ast.ViewStmt)
    # constraints are never left out quietly: they are facts
    if not (view or (isinstance(statement, ast.IndexStmt) and not statement.unique)) or not omitted:
        return None
    found = tuple(nodes(statement))
    relations = {node.relname for node in found if isinstance(node, ast.RangeVar)}
    used = named(tuple(omitted), function_names(statement), operators_of(found))
    # a view that uses nothing of what is missing is kept
    if not used and not relations & gone and view:
        return None
    if view:
        name = statement.view.relname
        return Omission(f"view {name}", relations=frozenset({name}))
    # a plain index gives no fact: where any extension is missing, its operator classes are
    return Omission(f"index {statement.idxname or ''}".strip()) if used or _has_class(found) else None


def _refuse_stand_ins(statement: Any, omitted: list[Omission]) -> None:
    """Raises Refused where a server without what is left out would take a built-in of that name for it."""
    if not omitted:
        return
    calls = function_names(statement) & builtins().function_names
    operators = {name for name in operators_of(nodes(statement)) if builtins().operators(name)}
    used = named(tuple(omitted), calls, frozenset(operators))
    # without the extension's function a built-in of the same name would be called
    if used:
        raise Refused(f"{used} in a constraint or a default")


def _has_class(found: tuple[Any, ...]) -> bool:
    return any(isinstance(node, ast.IndexElem) and node.opclass for node in found)


def made_by(statement: Any) -> tuple[str, str]:
    """What a statement makes or alters, "table", "view" or "type", and its name without the schema; empty for
    others.
    """
    match statement:
        case ast.CreateStmt() | ast.AlterTableStmt() | ast.IndexStmt():
            return "table", str(statement.relation.relname)
        case ast.ViewStmt():
            return "view", str(statement.view.relname)
        case ast.CompositeTypeStmt():
            return "type", str(statement.typevar.relname)
        case ast.CreateDomainStmt():
            return "type", str(statement.domainname[-1].sval)
        case ast.CreateRangeStmt():
            return "type", str(statement.typeName[-1].sval)
        case _:
            return "", ""


def without_defaults(statement: str) -> str:
    """CREATE TABLE without its columns' defaults, and nothing of ALTER TABLE that sets one: all rows here say
    their values.
    """
    tree = parse(statement)[0].stmt
    if isinstance(tree, ast.AlterTableStmt):
        # ALTER COLUMN SET DEFAULT, and nothing else
        return "" if {c.subtype.name for c in tree.cmds} <= {"AT_ColumnDefault"} else statement
    for column in (part for part in nodes(tree) if isinstance(part, ast.ColumnDef) and part.constraints):
        kept = tuple(c for c in column.constraints if c.contype.name != "CONSTR_DEFAULT")
        column.constraints = kept or None
    return RawStream()(tree)


def needs_omitted(schema: ScreenedSchema, query: ScreenedQuery) -> str:
    """The label of what ``query`` uses and the schema leaves out; empty when nothing."""
    for omission in schema.omitted:
        if omission.relations & {name for _, name in query.relations}:
            return omission.label
    return named(schema.omitted, query.calls, operators_of(nodes(query.tree)))


def _name(statement: object) -> str:
    return type(statement).__name__.removesuffix("Stmt")


def _is_pg_dumps_call(statement: object) -> bool:
    """What pg_dump writes: ``SELECT pg_catalog.set_config('search_path', '', false)``, and ``setval``."""
    # one call without FROM: nothing else of a SELECT is taken in a schema
    if not isinstance(statement, ast.SelectStmt) or statement.fromClause or not statement.targetList:
        return False
    calls = [node for node in nodes(statement) if isinstance(node, ast.FuncCall)]
    return len(calls) == 1 and calls[0].funcname[-1].sval in {"set_config", "setval"}


def _refuse_details(statement: Any) -> bool:
    """True to skip it. Raises Refused for what an allowed kind of statement may not do."""
    for node in nodes(statement):
        # a temporary table would hide one of the schema's
        if isinstance(node, ast.RangeVar) and node.relpersistence == "t":
            raise Refused("a temporary table in a schema")
        if isinstance(node, ast.InsertStmt | ast.UpdateStmt | ast.DeleteStmt | ast.MergeStmt | ast.CopyStmt):
            raise Refused("data modification in a schema")
    if isinstance(statement, ast.CreateStmt) and statement.tablespacename:
        raise Refused("TABLESPACE")
    if isinstance(statement, ast.CreateFunctionStmt):
        _refuse_function(statement)
    if isinstance(statement, ast.AlterTableStmt):
        kinds = {command.subtype.name for command in statement.cmds or ()}
        refused = kinds & _ALTERATIONS_REFUSED
        if refused:
            raise Refused(f"ALTER TABLE {min(refused).removeprefix('AT_')}")
        return bool(kinds) and kinds <= _ALTERATIONS_SKIPPED
    return False


def _refuse_function(statement: Any) -> None:
    if statement.is_procedure:
        raise Refused("a procedure in a schema")
    options = {option.defname: option.arg for option in statement.options or ()}
    language = getattr(options.get("language"), "sval", "sql" if statement.sql_body else "")
    # other languages than SQL do what no parser can look through
    if language.lower() != "sql":
        raise Refused(f"a function in language {language or 'unknown'}")
    # SECURITY DEFINER runs with its owner's rights, SET changes the session, SUPPORT calls C
    if {"security", "set", "support", "transform"} & options.keys():
        raise Refused("a function with SECURITY, SET or SUPPORT")
    for part in options.get("as") or ():
        for inner in parse(part.sval):
            # a body is parsed like a query: one SELECT after the other
            if not isinstance(inner.stmt, ast.SelectStmt):
                raise Refused("a function that does more than SELECT")
            _refuse_writes(inner.stmt)


def _refuse_writes(tree: object) -> None:
    for node in nodes(tree):
        match node:
            case ast.InsertStmt() | ast.UpdateStmt() | ast.DeleteStmt() | ast.MergeStmt():
                raise Refused("a data-modifying statement")
            case ast.IntoClause():
                raise Refused("SELECT INTO")
            case ast.LockingClause():
                raise Refused("FOR UPDATE or FOR SHARE")
            case ast.RangeTableSample():
                raise Refused("TABLESAMPLE")
            case ast.CurrentOfExpr() | ast.SetToDefault():
                raise Refused(_name(node))
            case _:
                pass


def function_names(tree: object) -> frozenset[str]:
    """Lower-case unqualified names of all functions called, in SQL function bodies given as text too."""
    names: set[str] = set()
    for node in nodes(tree):
        if isinstance(node, ast.FuncCall):
            names.add(node.funcname[-1].sval.lower())
        if isinstance(node, ast.CreateFunctionStmt):
            for option in node.options or ():
                if option.defname == "as":
                    names |= set().union(*(function_names(s.stmt) for p in option.arg for s in parse(p.sval)))
    return frozenset(names)


def screen_query(text: str) -> ScreenedQuery:
    """One plain SELECT (or VALUES, TABLE). Raises Refused."""
    raw = parse(text)
    if len(raw) != 1:
        raise Refused(f"{len(raw)} statements where one query is expected")
    statement = raw[0]
    if not isinstance(statement.stmt, ast.SelectStmt):
        raise Refused(f"{_name(statement.stmt)}: not a SELECT")
    _refuse_writes(statement.stmt)
    read = _Read()
    for node in nodes(statement.stmt):
        read.add(node)
    for schema, name in read.relations:
        if schema in {"pg_catalog", "information_schema"} or (not schema and name.startswith("pg_")):
            raise Refused(f"system catalog {name}")
    encoded = text.encode()
    end = statement.stmt_location + statement.stmt_len if statement.stmt_len else len(encoded)
    body = encoded[statement.stmt_location : end].decode().strip()
    return ScreenedQuery(
        body,
        statement.stmt,
        function_names(statement.stmt),
        frozenset(read.relations),
        frozenset(read.types),
        frozenset(read.columns),
        frozenset(read.parameters),
        read.all_columns,
    )


@dataclass(slots=True)
class _Read:
    """What the nodes of a query name; ``all_columns``: whether some are read without being named."""

    relations: set[tuple[str, str]] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    columns: set[str] = field(default_factory=set)
    parameters: set[int] = field(default_factory=set)
    all_columns: bool = False

    def add(self, node: Any) -> None:
        match node:
            case ast.RangeVar():
                self.relations.add((node.schemaname or "", node.relname))
            case ast.TypeName():
                self.types.update(part.sval for part in (node.names or ())[-1:])
            case ast.ColumnRef():
                self.columns.update(part.sval for part in node.fields if isinstance(part, ast.String))
                self.all_columns |= any(isinstance(part, ast.A_Star) for part in node.fields)
            case ast.JoinExpr():
                self.columns.update(part.sval for part in node.usingClause or ())
                self.all_columns |= bool(node.isNatural)
            case ast.ParamRef():
                self.parameters.add(node.number)
            case _:
                pass
