"""Type names in SQL text -> types: modifiers, arrays, search path (after parse_type.c).

Owns the encoding of type modifiers. Must not know expressions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.scope import Context
from rewright.sql.binder.syntax import ast
from rewright.sql.catalog import CollationInfo, TypeInfo
from rewright.sql.types import SqlType

_FULL_RANGE = 0x7FFF
_FULL_PRECISION = 0xFFFF
_MAX_LENGTH = 10485760


def resolve_type(context: Context, node: Any) -> SqlType:
    """The type a TypeName node means, with its modifier; 42704 when there is none."""
    info = resolve_type_info(context, node)
    typmod = encode_typmod(info, node.typmods)
    type_ = replace(info.sql_type, typmod=typmod)
    if node.arrayBounds:
        if not info.array:
            raise BindError("42704", f"could not find array type for data type {info.name}")
        array = context.catalog.type(info.array)
        return replace(array.sql_type, typmod=typmod)
    return type_


def resolve_type_info(context: Context, node: Any) -> TypeInfo:
    """The type named by a TypeName node, before modifier and array bounds."""
    if node.setof or node.pct_type:
        raise Unsupported("SETOF or %TYPE")
    return named_type(context, [n.sval for n in node.names])


def named_type(context: Context, names: list[str]) -> TypeInfo:
    found = None
    if len(names) == 1:
        found = context.catalog.find_type(names[0], context.search_path)
    elif len(names) == 2:
        key = names[1] if names[0] == "pg_catalog" else ".".join(names)
        try:
            found = context.catalog.type(key)
        except KeyError:
            found = None
    if found is None:
        raise BindError("42704", f'type "{".".join(names)}" does not exist')
    return found


def find_collation(context: Context, names: list[str]) -> CollationInfo | None:
    """The collation a possibly qualified name means."""
    path = context.search_path if len(names) == 1 else (names[0],)
    return context.catalog.collation(names[-1], path)


def encode_typmod(info: TypeInfo, nodes: Any) -> int:
    """The modifier (as atttypmod) of ``type(args)``."""
    if not nodes:
        return -1
    values = [_typmod_value(n) for n in nodes]
    if info.schema != "pg_catalog":
        raise BindError("42601", f'type modifier is not allowed for type "{info.name}"')
    match info.name:
        case "varchar" | "bpchar":
            return _length(values, info.name) + 4
        case "bit" | "varbit":
            return _length(values, info.name)
        case "numeric":
            return _numeric(values)
        case "time" | "timetz" | "timestamp" | "timestamptz":
            return min(values[0], 6)
        case "interval":
            return _interval(values)
        case _:
            raise BindError("42601", f'type modifier is not allowed for type "{info.name}"')


def _typmod_value(node: Any) -> int:
    if isinstance(node, ast.A_Const) and isinstance(node.val, ast.Integer):
        return int(node.val.ival)
    raise BindError("42601", "type modifiers must be simple constants")


def _length(values: list[int], name: str) -> int:
    if len(values) != 1 or values[0] < 1:
        raise BindError("22023", f"length for type {name} must be at least 1")
    if values[0] > _MAX_LENGTH:
        raise BindError("22023", f"length for type {name} cannot exceed {_MAX_LENGTH}")
    return values[0]


def _numeric(values: list[int]) -> int:
    precision, scale = values[0], values[1] if len(values) > 1 else 0
    if not 1 <= precision <= 1000 or not -1000 <= scale <= 1000:
        raise BindError("22023", f"NUMERIC precision {precision} scale {scale} out of range")
    return ((precision << 16) | (scale & 0x7FF)) + 4


def _interval(values: list[int]) -> int:
    if len(values) == 1:
        mask, precision = values[0], _FULL_PRECISION
        if mask == _FULL_RANGE:
            return -1
    else:
        mask, precision = values[0], min(values[1], 6)
    return ((mask & 0x7FFF) << 16) | (precision & 0xFFFF)
