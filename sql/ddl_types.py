"""CREATE TYPE, DOMAIN and FUNCTION into catalog records.

Owns what is read of them; bodies of functions are kept as text. Must not know which other statements are
acceptable.
"""

from __future__ import annotations

from typing import Any

from rewright.sql.algebra import Volatility
from rewright.sql.binder.syntax import ast
from rewright.sql.binder.typenames import resolve_type
from rewright.sql.ddl_builder import Builder, check_name, expression_text
from rewright.sql.ddl_collations import collated
from rewright.sql.ddl_meanings import means_the_same
from rewright.sql.records import Check, FunctionInfo, TypeInfo, key_of


class DdlError(ValueError):
    """The text is not DDL that can be read: a syntax error, or something named that is not accepted."""


# what more than a function's body says decides what a call does
_OF_ITS_OWN = frozenset({"security", "set", "support", "transform"})
# operators that SQL uses without naming them: a new one of the name may be meant by IN, BETWEEN, USING, ORDER
# BY
IMPLIED = frozenset({"=", "<>", "<", ">", "<=", ">=", "~~", "~~*", "!~~", "!~~*", "~"})


def create_enum(builder: Builder, node: Any) -> None:
    schema, name = builder.new_name([n.sval for n in node.typeName])
    builder.add_type(TypeInfo(schema, name, "e", "E", labels=tuple(v.sval for v in node.vals or ())))


def create_composite(builder: Builder, node: Any) -> None:
    schema, name = builder.new_name([n for n in (node.typevar.schemaname, node.typevar.relname) if n])
    fields = tuple(
        (c.colname, collated(builder, resolve_type(builder.context, c.typeName), c.collClause))
        for c in node.coldeflist or ()
    )
    builder.add_type(TypeInfo(schema, name, "c", "C", fields=fields))


def define(builder: Builder, node: Any) -> None:
    """CREATE OPERATOR and CREATE AGGREGATE: known by their names. Raises DdlError for an operator that SQL
    uses unnamed, and for what is no operator and no aggregate.
    """
    name, kind = node.defnames[-1].sval, node.kind.name.removeprefix("OBJECT_").lower()
    if kind == "aggregate":
        builder.opaque_functions.add(name)
    elif kind == "operator" and name not in IMPLIED:
        builder.opaque_operators.add(name)
    else:
        raise DdlError(f"CREATE {kind} is not accepted")
    builder.changed()


def create_domain(builder: Builder, node: Any) -> None:
    schema, name = builder.new_name([n.sval for n in node.domainname])
    base = collated(builder, resolve_type(builder.context, node.typeName), node.collClause)
    info = builder.context.catalog.type(key_of(base))
    checks: list[Check] = []
    not_null = False
    for c in node.constraints or ():
        kind = c.contype.name
        if kind == "CONSTR_NOTNULL":
            not_null = True
        # the server names them name_check, name_check1, …
        elif kind == "CONSTR_CHECK":
            unnamed = f"{name}_check{len(checks) or ''}"
            known = means_the_same(builder, c.raw_expr)
            checks.append(Check(check_name(c, unnamed), expression_text(c.raw_expr), validated=known))
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


def create_function(builder: Builder, node: Any) -> None:
    """SQL functions; nothing is run. One of a kind that is not understood, or in another language, is known
    by its name.
    """
    options = {o.defname: o.arg for o in node.options or ()}
    language = options["language"].sval.lower() if "language" in options else "sql"
    if language not in {"sql", ""} or node.is_procedure or _OF_ITS_OWN & options.keys():
        builder.opaque_functions.add(node.funcname[-1].sval)
        builder.changed()
        return
    schema, name = builder.new_name([n.sval for n in node.funcname])
    inputs = [p for p in node.parameters or () if p.mode.name in {"FUNC_PARAM_IN", "FUNC_PARAM_DEFAULT"}]
    # an SQL body (BEGIN ATOMIC) is parsed when it is made: its names would have to be followed;
    # OUT parameters change what a call returns
    if node.sql_body is not None or len(inputs) != len(node.parameters or ()):
        builder.opaque_functions.add(name)
        builder.changed()
        return
    made = _declared(builder, node, schema, name, inputs, options)
    # CREATE OR REPLACE: same name, same arguments
    builder.functions = [
        f for f in builder.functions if (f.schema, f.name, f.args) != (schema, name, made.args)
    ]
    builder.functions.append(made)
    builder.changed()


def _declared(
    builder: Builder, node: Any, schema: str, name: str, inputs: list[Any], options: dict[str, Any]
) -> FunctionInfo:
    word = options["volatility"].sval if "volatility" in options else "volatile"
    body = options["as"][0].sval if "as" in options else ""
    result = node.returnType
    # setof is a part of the TypeName: the type alone is resolved
    setof, result.setof = bool(result.setof), False
    return FunctionInfo(
        schema,
        name,
        tuple(key_of(resolve_type(builder.context, p.argType)) for p in inputs),
        key_of(resolve_type(builder.context, result)),
        "f",
        Volatility(word[0]),
        strict="strict" in options and bool(options["strict"].boolval),
        returns_set=setof,
        defaults=sum(p.defexpr is not None for p in inputs),
        default_text=_defaults(inputs),
        arg_names=tuple(p.name or "" for p in inputs),
        language="sql",
        body=body,
    )


def _defaults(inputs: list[Any]) -> str:
    """Parameters' defaults as a list of expressions; nothing where one is more than a constant, whose names
    are those of another time.
    """
    given = [p.defexpr for p in inputs if p.defexpr is not None]
    return ", ".join(map(expression_text, given)) if all(map(_is_constant, given)) else ""


def _is_constant(node: Any) -> bool:
    return isinstance(node, ast.A_Const) or (isinstance(node, ast.TypeCast) and _is_constant(node.arg))
