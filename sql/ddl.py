"""Plain DDL text to a Catalog: tables, constraints, indexes, views, types, simple SQL functions.

What a schema script usually holds and does not change the schema (comments, grants, settings, data) is
skipped; everything else raises DdlError naming it. Nothing is executed. Must not know servers. Tables are
`rewright.sql.ddl_tables`' business, their changes `ddl_alter`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pglast.parser import ParseError

from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.syntax import ast
from rewright.sql.catalog import Catalog
from rewright.sql.ddl_alter import alter_table, create_index
from rewright.sql.ddl_builder import Builder
from rewright.sql.ddl_changes import alter_domain, alter_enum
from rewright.sql.ddl_collations import create_collation
from rewright.sql.ddl_meanings import without_changed_views
from rewright.sql.ddl_names import INDEXES, may_be_unnamed
from rewright.sql.ddl_renames import rename
from rewright.sql.ddl_tables import create_foreign_table, create_table
from rewright.sql.ddl_triggers import create_rule, create_subscription, create_trigger, doubt_references
from rewright.sql.ddl_types import (
    DdlError,
    create_composite,
    create_domain,
    create_enum,
    create_function,
    define,
)
from rewright.sql.dumps import without_commands
from rewright.sql.parsing import TooDeep, parse

__all__ = ["DdlError", "catalog_from_ddl"]
# schemas of strangers: parsing and building take time and memory in proportion
MAX_TABLES = 2000
MAX_TEXT = 20_000_000

# statements that say nothing about the schema, or nothing that a query's meaning depends on
_IGNORED = frozenset(
    {
        "CommentStmt",
        "GrantStmt",
        "GrantRoleStmt",
        "AlterOwnerStmt",
        "AlterDefaultPrivilegesStmt",
        "InsertStmt",
        "AlterSeqStmt",
        "CreateStatsStmt",
        "VacuumStmt",
        "ReindexStmt",
        "LockStmt",
        "NotifyStmt",
        "RefreshMatViewStmt",
    }
)

_DROPPABLE = {"OBJECT_TABLE", "OBJECT_VIEW", "OBJECT_MATVIEW"}
_WHOLE = {"BEGIN", "START", "COMMIT", "SAVEPOINT", "RELEASE"}

# settings under which DDL means something else, or rows get in that no constraint has seen, with the only
# value that is read
_USUAL = {
    "session_replication_role": "origin",
    "standard_conforming_strings": "on",
    "transform_null_equals": "off",
    "array_nulls": "on",
    "backslash_quote": "safe_encoding",
}


def catalog_from_ddl(text: str, *, version: int = 180000) -> Catalog:
    """The catalog that running ``text`` on an empty database would leave.

    Raises DdlError for syntax errors and for anything that is not plain schema: COPY, DO, event triggers,
    extensions, more tables than a schema has.
    """
    # before parsing: the parser takes time and memory in proportion
    if len(text) > MAX_TEXT:
        raise DdlError(f"more than {MAX_TEXT} characters")
    try:
        # each statement costs the parser's C structures: too many are refused by their number
        statements = parse(without_commands(text), statements=MAX_TABLES)
    except ParseError as error:
        raise DdlError(f"syntax error: {error.args[0]}") from None
    except TooDeep as error:
        raise DdlError(str(error)) from None
    # again before anything is built, since each table costs a catalog
    if sum(type(s.stmt).__name__ == "CreateStmt" for s in statements) > MAX_TABLES:
        raise DdlError(f"more than {MAX_TABLES} tables")
    builder = Builder()
    for statement in statements:
        try:
            _apply(builder, statement.stmt)
        except BindError as error:
            raise DdlError(error.message) from None
        except Unsupported as error:
            raise DdlError(f"{error.feature} is not accepted") from None
        except RecursionError:
            raise DdlError("nested too deeply") from None
        # views and CREATE TABLE AS add tables, too
        if len(builder.tables) > MAX_TABLES:
            raise DdlError(f"more than {MAX_TABLES} tables")
    if builder.in_transaction:
        raise DdlError("a transaction that is left open is not accepted")
    without_changed_views(builder)
    doubt_references(builder)
    return replace(builder.catalog(), version=version)


def _apply(builder: Builder, node: Any) -> None:
    name = type(node).__name__
    handler = _HANDLERS.get(name)
    # what is neither handled nor ignored may change what the text means
    if handler is not None:
        handler(builder, node)
    elif name not in _IGNORED:
        raise DdlError(f"{name} is not accepted")


def _set(builder: Builder, node: Any) -> None:
    kind, name = node.kind.name, (node.name or "").lower()
    if node.is_local and name == "search_path":
        # it ends with the transaction, and is nothing outside of one
        raise DdlError("SET LOCAL search_path is not accepted")
    if kind == "VAR_SET_VALUE":
        _setting(builder, name, node.args)
    elif kind == "VAR_RESET_ALL" or name == "search_path":
        # SET ... TO DEFAULT and RESET: what is usual
        builder.search_path = Builder().search_path


def _setting(builder: Builder, name: str, args: Any) -> None:
    """One setting gets its value, or several for a search path."""
    usual = _USUAL.get(name.lower())
    values = [getattr(getattr(x, "val", None), "sval", None) for x in args]
    # settings that would change how later statements are read
    if usual is not None and [str(v).lower() for v in values] != [usual]:
        raise DdlError(f"SET {name} is not accepted")
    if name.lower() == "search_path":
        builder.search_path = tuple(v for v in values if v)


def _select(builder: Builder, node: Any) -> None:
    """pg_dump's set_config() and setval() calls."""
    call = node.targetList[0].val if len(node.targetList or ()) == 1 and not node.fromClause else None
    name = call.funcname[-1].sval if isinstance(call, ast.FuncCall) else None
    # setval() moves a sequence, which is no fact
    if name not in {"set_config", "setval"}:
        raise DdlError("SELECT is not accepted")
    args = tuple(getattr(call, "args", None) or ())
    if name == "set_config":
        _set_config(builder, args)


def _set_config(builder: Builder, args: tuple[Any, ...]) -> None:
    """A setting by its name as a text; the search path of a dump is empty: all names in it are qualified."""
    said: list[Any] = [getattr(getattr(x, "val", None), "sval", None) for x in args[:2]]
    # a path given so would have to be parsed as a list
    if len(said) < 2 or None in said or (said[0].lower() == "search_path" and said[1]):
        raise DdlError("SELECT set_config() is accepted for plain settings only")
    if said[1]:
        _setting(builder, said[0], args[1:2])


def _transaction(builder: Builder, node: Any) -> None:
    """Refused, because what is rolled back or left open would still be in the catalog."""
    kind = node.kind.name.removeprefix("TRANS_STMT_")
    if kind not in _WHOLE:
        raise DdlError(f"{kind.replace('_', ' ')} is not accepted")
    builder.in_transaction = kind != "COMMIT"


def _create_schema(builder: Builder, node: Any) -> None:
    if node.schemaElts:
        # elements would be created under another path
        raise DdlError("CREATE SCHEMA with elements is not accepted")
    if node.schemaname:
        builder.schemas.add(node.schemaname)


def _define(builder: Builder, node: Any) -> None:
    if node.kind.name == "OBJECT_COLLATION":
        create_collation(builder, node)
    else:
        define(builder, node)


def _create_view(builder: Builder, node: Any) -> None:
    from rewright.sql.ddl_views import create_view

    try:
        create_view(builder, node)
    except Unsupported:
        # queries that do not read it mean the same
        if node.view.relpersistence == "t":
            raise
        builder.opaque_relations.add(node.view.relname)
        builder.changed()


def _create_table_as(builder: Builder, node: Any) -> None:
    from rewright.sql.ddl_views import create_table_as

    create_table_as(builder, node)


def _drop(builder: Builder, node: Any) -> None:
    kind = node.removeType.name
    # IF EXISTS of what never was changes nothing
    if kind not in _DROPPABLE and not (
        node.missing_ok and all(_is_missing(builder, n) for n in node.objects)
    ):
        raise DdlError(f"DROP of {kind.removeprefix('OBJECT_').lower()} is not accepted")
    if kind == "OBJECT_INDEX":
        if builder.renamed:
            raise DdlError("DROP of an index after a RENAME is not accepted")
        _refuse_unnamed(builder, [names[-1].sval for names in node.objects])
    for names in node.objects if kind in _DROPPABLE else ():
        ref = builder.existing_name([n.sval for n in names])
        if ref in builder.tables:
            builder.drop(ref)
        elif not node.missing_ok:
            raise DdlError(f"relation {ref.name} does not exist")


def _refuse_unnamed(builder: Builder, names: list[str]) -> None:
    """Raises DdlError for an index that may be one of those without a name."""
    for name in names:
        if any(may_be_unnamed(builder, ref, name, INDEXES) for ref in builder.tables):
            raise DdlError("DROP of an index that may have been made without a name is not accepted")


def _is_missing(builder: Builder, named: Any) -> bool:
    """Whether nothing that was created goes by the last of these names, nor stands in a schema of it."""
    known = {t.ref.name for t in builder.tables.values()} | {t.name for t in builder.types.values()}
    known |= {k.name for t in builder.tables.values() for k in t.keys} | {f.name for f in builder.functions}
    known |= {t.ref.schema for t in builder.tables.values()} | {t.schema for t in builder.types.values()}
    known |= {f.schema for f in builder.functions} | {c.name for c in builder.collations}
    names = getattr(named, "names", None) or getattr(named, "objname", None) or named
    parts = names if isinstance(names, tuple) else (names,)
    # by the last part of a name; a schema of that name counts as well
    last = getattr(parts[-1], "sval", None)
    return last is not None and last not in known


def _create_sequence(builder: Builder, node: Any) -> None:
    """Its name is taken then; of a sequence itself nothing is known."""
    named = [n for n in (node.sequence.schemaname, node.sequence.relname) if n]
    builder.relations.add(builder.new_name(named) if len(named) < 2 else (named[0], named[1]))


def _create_rule(builder: Builder, node: Any) -> None:
    if node.event.name == "CMD_SELECT":
        # it makes a view of a table
        raise DdlError("a rule ON SELECT is not accepted")
    create_rule(builder, node)


def _policy(builder: Builder, node: Any) -> None:
    ref = builder.existing(node.table)
    builder.replace(replace(builder.tables[ref], row_security=True))


_HANDLERS: dict[str, Callable[[Builder, Any], None]] = {
    "CreateStmt": create_table,
    "AlterTableStmt": alter_table,
    "IndexStmt": create_index,
    "ViewStmt": _create_view,
    "CreateTableAsStmt": _create_table_as,
    "CreateEnumStmt": create_enum,
    "CompositeTypeStmt": create_composite,
    "CreateDomainStmt": create_domain,
    "CreateFunctionStmt": create_function,
    "DefineStmt": _define,
    "CreateSchemaStmt": _create_schema,
    "CreatePolicyStmt": _policy,
    "TransactionStmt": _transaction,
    "VariableSetStmt": _set,
    "CreateTrigStmt": create_trigger,
    "CreateForeignTableStmt": create_foreign_table,
    "CreateSubscriptionStmt": create_subscription,
    "RuleStmt": _create_rule,
    "SelectStmt": _select,
    "CreateSeqStmt": _create_sequence,
    "DropStmt": _drop,
    "RenameStmt": rename,
    "AlterEnumStmt": alter_enum,
    "AlterDomainStmt": alter_domain,
}
