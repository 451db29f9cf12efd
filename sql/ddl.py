"""Plain DDL text to a Catalog: tables, constraints, indexes, views, types, simple SQL functions.

What a schema script usually holds and does not change the schema (comments, grants, settings, data) is
skipped; everything else raises DdlError naming it. Nothing is executed. Must not know servers. Tables and
their constraints are `rewright.sql.ddl_tables`' business.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pglast.parser import ParseError

from rewright.sql.algebra import Volatility
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.syntax import ast
from rewright.sql.binder.typenames import resolve_type
from rewright.sql.catalog import Catalog
from rewright.sql.ddl_tables import (
    Builder,
    alter_table,
    check_name,
    create_index,
    create_table,
    expression_text,
)
from rewright.sql.parsing import TooDeep, parse
from rewright.sql.records import Check, FunctionInfo, TypeInfo, key_of

__all__ = ["DdlError", "catalog_from_ddl", "without_commands"]

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
        "TransactionStmt",
        "InsertStmt",
        "CreateSeqStmt",
        "AlterSeqStmt",
        "CreateStatsStmt",
        "VacuumStmt",
        "ReindexStmt",
        "LockStmt",
    }
)
_DROPPABLE = {"OBJECT_TABLE", "OBJECT_VIEW", "OBJECT_MATVIEW"}


class DdlError(ValueError):
    """The text is not DDL that can be read: a syntax error, or something named that is not accepted."""


# psql's commands around what pg_dump writes (since 17.6); the key is random and the same in both
_RESTRICTED = re.compile(r"^\\restrict (\w+)$(.*)^\\unrestrict \1$", re.MULTILINE | re.DOTALL)


def without_commands(text: str) -> str:
    """The text of a dump without psql's commands `restrict` and `unrestrict`."""
    return _RESTRICTED.sub(r"\2", text, count=1)


def catalog_from_ddl(text: str, *, version: int = 180000) -> Catalog:
    """The catalog that running ``text`` on an empty database would leave.

    Raises DdlError for syntax errors and for anything that is not plain schema: code in other languages
    than SQL, COPY, DO, event triggers, extensions, more tables than a schema has.
    """
    if len(text) > MAX_TEXT:
        raise DdlError(f"more than {MAX_TEXT} characters")
    try:
        statements = parse(without_commands(text), statements=MAX_TABLES)
    except ParseError as error:
        raise DdlError(f"syntax error: {error.args[0]}") from None
    except TooDeep as error:
        raise DdlError(str(error)) from None
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
        if len(builder.tables) > MAX_TABLES:
            raise DdlError(f"more than {MAX_TABLES} tables")
    return replace(builder.catalog(), version=version)


def _apply(builder: Builder, node: Any) -> None:
    name = type(node).__name__
    handler = _HANDLERS.get(name)
    if handler is not None:
        handler(builder, node)
    elif name not in _IGNORED:
        raise DdlError(f"{name} is not accepted")


def _set(builder: Builder, node: Any) -> None:
    if node.name == "search_path" and node.kind.name == "VAR_SET_VALUE":
        builder.search_path = tuple(a.val.sval for a in node.args if a.val.sval)


def _select(_builder: Builder, node: Any) -> None:
    """pg_dump's set_config() and setval() calls."""
    target = node.targetList[0].val if node.targetList and not node.fromClause else None
    allowed = isinstance(target, ast.FuncCall) and target.funcname[-1].sval in {"set_config", "setval"}
    if not allowed:
        raise DdlError("SELECT is not accepted")


def _create_schema(builder: Builder, node: Any) -> None:
    if node.schemaElts:
        raise DdlError("CREATE SCHEMA with elements is not accepted")
    if node.schemaname:
        builder.schemas.add(node.schemaname)


def _create_view(builder: Builder, node: Any) -> None:
    from rewright.sql.ddl_views import create_view

    create_view(builder, node)


def _create_table_as(builder: Builder, node: Any) -> None:
    from rewright.sql.ddl_views import create_table_as

    create_table_as(builder, node)


def _create_enum(builder: Builder, node: Any) -> None:
    schema, name = builder.new_name([n.sval for n in node.typeName])
    builder.add_type(TypeInfo(schema, name, "e", "E", labels=tuple(v.sval for v in node.vals or ())))


def _create_composite(builder: Builder, node: Any) -> None:
    schema, name = builder.new_name([n for n in (node.typevar.schemaname, node.typevar.relname) if n])
    fields = tuple((c.colname, resolve_type(builder.context, c.typeName)) for c in node.coldeflist or ())
    builder.add_type(TypeInfo(schema, name, "c", "C", fields=fields))


def _create_domain(builder: Builder, node: Any) -> None:
    schema, name = builder.new_name([n.sval for n in node.domainname])
    base = resolve_type(builder.context, node.typeName)
    info = builder.context.catalog.type(key_of(base))
    checks: list[Check] = []
    not_null = False
    for c in node.constraints or ():
        kind = c.contype.name
        if kind == "CONSTR_NOTNULL":
            not_null = True
        elif kind == "CONSTR_CHECK":
            checks.append(Check(check_name(c, f"{name}_check"), expression_text(c.raw_expr)))
    builder.add_type(
        TypeInfo(
            schema,
            name,
            "d",
            info.category,
            collation=base.collation,
            base=info.key,
            base_typmod=base.typmod,
            not_null=not_null,
            checks=tuple(checks),
        )
    )


def _create_function(builder: Builder, node: Any) -> None:
    """SQL functions only: their body is never run here, but a checker's scratch database would."""
    options = {o.defname: o.arg for o in node.options or ()}
    language = options["language"].sval.lower() if "language" in options else "sql"
    if language != "sql" or node.is_procedure or node.sql_body is not None:
        raise DdlError(f"a function or procedure in {language} is not accepted")
    schema, name = builder.new_name([n.sval for n in node.funcname])
    inputs = [p for p in node.parameters or () if p.mode.name in {"FUNC_PARAM_IN", "FUNC_PARAM_DEFAULT"}]
    if len(inputs) != len(node.parameters or ()):
        raise DdlError("a function with OUT, TABLE or VARIADIC parameters is not accepted")
    word = options["volatility"].sval if "volatility" in options else "volatile"
    body = options["as"][0].sval if "as" in options else ""
    result = node.returnType
    setof, result.setof = bool(result.setof), False
    made = FunctionInfo(
        schema,
        name,
        tuple(key_of(resolve_type(builder.context, p.argType)) for p in inputs),
        key_of(resolve_type(builder.context, result)),
        "f",
        Volatility(word[0]),
        strict="strict" in options and bool(options["strict"].boolval),
        returns_set=setof,
        defaults=sum(p.defexpr is not None for p in inputs),
        arg_names=tuple(p.name or "" for p in inputs),
        language="sql",
        body=body,
    )
    builder.functions = [
        f for f in builder.functions if (f.schema, f.name, f.args) != (schema, name, made.args)
    ]
    builder.functions.append(made)
    builder.changed()


def _drop(builder: Builder, node: Any) -> None:
    kind = node.removeType.name
    if kind not in _DROPPABLE and not node.missing_ok:
        raise DdlError(f"DROP of {kind.removeprefix('OBJECT_').lower()} is not accepted")
    for names in node.objects if kind in _DROPPABLE else ():
        ref = builder.existing_name([n.sval for n in names])
        if ref in builder.tables:
            builder.drop(ref)
        elif not node.missing_ok:
            raise DdlError(f"relation {ref.name} does not exist")


def _policy(builder: Builder, node: Any) -> None:
    ref = builder.existing(node.table)
    builder.replace(replace(builder.tables[ref], row_security=True))


_HANDLERS: dict[str, Callable[[Builder, Any], None]] = {
    "CreateStmt": create_table,
    "AlterTableStmt": alter_table,
    "IndexStmt": create_index,
    "ViewStmt": _create_view,
    "CreateTableAsStmt": _create_table_as,
    "CreateEnumStmt": _create_enum,
    "CompositeTypeStmt": _create_composite,
    "CreateDomainStmt": _create_domain,
    "CreateFunctionStmt": _create_function,
    "CreateSchemaStmt": _create_schema,
    "CreatePolicyStmt": _policy,
    "VariableSetStmt": _set,
    "SelectStmt": _select,
    "DropStmt": _drop,
}
