"""DDL whose extensions are left out, with texts in the columns that have a type of theirs.

Owns which columns these are and the text that a checker works on in its place. Queries that may read one of
them must not be judged by it (`rewright.equivalence.generator.stand_ins.reads_any`). Must not know servers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from rewright.equivalence.generator.stand_ins import reads_any
from rewright.equivalence.isolation import nodes, parse
from rewright.equivalence.omissions import TRUSTED, omission_of
from rewright.equivalence.tree import ast
from rewright.sql.builtins import builtins
from rewright.sql.ddl_tables import SERIALS
from rewright.sql.dumps import without_commands

# a type as it stands in a text: schema, name, modifiers, brackets
_TYPE = re.compile(rb'(?:(?:"(?:[^"]|"")+"|\w+)\s*\.\s*)?(?:"(?:[^"]|"")+"|\w+)(?:\s*\([^()]*\))?')


def with_texts_for_extensions(
    schema_sql: str, made: frozenset[str] = frozenset()
) -> tuple[str, frozenset[str]]:
    """``schema_sql`` with texts in place of types that nothing in it defines, and the names of these columns.
    ``made``: extensions that the server has, whose types stay.

    As it was, and none, where no extension is left out or a constraint, a default, a generated column, a view
    or a partition key reads such a column: what they would be on texts is not known. Plain indexes on one are
    left away: they say nothing of the rows. Raises Refused for text that does not parse.
    """
    text = without_commands(schema_sql)
    raws = parse(text)
    statements = [raw.stmt for raw in raws]
    extensions = [s for s in statements if isinstance(s, ast.CreateExtensionStmt)]
    if not any(omission_of(one) for one in extensions):
        return schema_sql, frozenset()
    known = set(builtins().types).union(SERIALS, _defined(statements), *(TRUSTED[name] for name in made))
    lacking = [c for c in _columns(statements) if c.typeName.names[-1].sval not in known]
    names = frozenset(column.colname for column in lacking)
    if not lacking or _is_read(statements, lacking) or any(_has_more(column) for column in lacking):
        return schema_sql, frozenset()
    encoded = text.encode()
    spans = [(c.typeName.location, _TYPE.match(encoded, c.typeName.location), b"text") for c in lacking]
    changes = [(start, found.end(), new) for start, found, new in spans if found is not None]
    changes += [
        (raw.stmt_location, raw.stmt_location + raw.stmt_len, b"")
        for raw in raws
        if raw.stmt_len and isinstance(raw.stmt, ast.IndexStmt) and _is_plain_index(raw.stmt, names)
    ]
    for start, end, new in sorted(changes, reverse=True):
        encoded = encoded[:start] + new + encoded[end:]
    return encoded.decode(), names


def _is_plain_index(statement: Any, names: frozenset[str]) -> bool:
    elements = {element.name for element in statement.indexParams}
    return not statement.unique and (bool(elements & names) or _names_one(statement, names))


def _columns(statements: Iterable[Any]) -> Iterator[Any]:
    for statement in statements:
        match statement:
            case ast.CreateStmt():
                yield from (one for one in statement.tableElts or () if isinstance(one, ast.ColumnDef))
            case ast.AlterTableStmt():
                added = (command.def_ for command in statement.cmds if hasattr(command, "def_"))
                yield from (one for one in added if isinstance(one, ast.ColumnDef) and one.typeName)


def _defined(statements: Iterable[Any]) -> Iterator[str]:
    """Names of types that the schema makes itself, those of tables' rows among them."""
    for statement in statements:
        match statement:
            case ast.CreateDomainStmt():
                yield statement.domainname[-1].sval
            case ast.CreateEnumStmt() | ast.CreateRangeStmt():
                yield statement.typeName[-1].sval
            case ast.CompositeTypeStmt():
                yield statement.typevar.relname
            case ast.CreateStmt():
                yield statement.relation.relname
            case ast.ViewStmt():
                yield statement.view.relname


def _has_more(column: Any) -> bool:
    """Whether more than a key, a reference or NOT NULL says what the column holds."""
    kinds = {one.contype.name for one in column.constraints or ()}
    return bool(kinds & {"CONSTR_DEFAULT", "CONSTR_GENERATED", "CONSTR_CHECK"})


def _is_read(statements: Iterable[Any], lacking: Iterable[Any]) -> bool:
    """Whether an expression of the schema, a view of it or a constraint of another kind than a key or a
    reference among such columns reads one of the columns ``lacking``.
    """
    listed, columns = tuple(statements), tuple(lacking)
    names = frozenset(column.colname for column in columns)
    keys = {c.relname for c in _keyed(listed, names)}
    constraints = [n for s in listed for n in nodes(s) if isinstance(n, ast.Constraint)]
    # a reference that stands with its column does not name it
    written_at = {id(one): column.colname for column in columns for one in column.constraints or ()}
    return any(_reads(one, names) for one in listed) or any(
        _is_mixed(one, names, keys, written_at.get(id(one))) for one in constraints
    )


def _keyed(statements: Iterable[Any], names: frozenset[str]) -> Iterator[Any]:
    """Tables (as ``RangeVar``) with a primary key of such columns."""
    for statement in statements:
        if not isinstance(statement, ast.CreateStmt | ast.AlterTableStmt):
            continue
        for node in nodes(statement):
            own = isinstance(node, ast.ColumnDef) and node.colname in names
            if own and any(c.contype.name == "CONSTR_PRIMARY" for c in node.constraints or ()):
                yield statement.relation
            if isinstance(node, ast.Constraint) and {k.sval for k in node.keys or ()} & names:
                yield statement.relation


def _is_mixed(constraint: Any, names: frozenset[str], keyed: set[str], column: str | None) -> bool:
    """Whether an exclusion constraint has such a column, or a reference may compare one with another: equal
    there are texts that are not equal here. ``column``: with which the constraint is written.
    """
    excluded = {element.name for element, _ in constraint.exclusions or ()}
    if constraint.contype.name != "CONSTR_FOREIGN":
        return bool(excluded & names)
    ours = {n.sval for n in constraint.fk_attrs or ()} | ({column} if column else set())
    theirs = {n.sval for n in constraint.pk_attrs or ()}
    if not (ours | theirs) & names:
        return not theirs and constraint.pktable.relname in keyed
    return not (ours and theirs and ours | theirs <= names)


def _reads(statement: Any, names: frozenset[str]) -> bool:
    match statement:
        case ast.ViewStmt():
            return reads_any((statement.query,), names)
        case ast.CreateStmt() if statement.partspec is not None:
            parts = {one.name for one in statement.partspec.partParams or ()}
            return bool(parts & names) or _names_one(statement, names)
        case ast.IndexStmt() if not statement.unique:
            return False
        case ast.CreateStmt() | ast.AlterTableStmt() | ast.IndexStmt():
            return _names_one(statement, names)
        case _:
            return False


def _names_one(statement: Any, names: frozenset[str]) -> bool:
    refs = (node for node in nodes(statement) if isinstance(node, ast.ColumnRef))
    return any(isinstance(part, ast.String) and part.sval in names for ref in refs for part in ref.fields)
