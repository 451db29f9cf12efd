"""Identifiers, literals and type names as SQL text; aliases that are unique in a statement.

Must not know expressions or queries beyond the names they carry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pglast.keywords import COL_NAME_KEYWORDS, RESERVED_KEYWORDS, TYPE_FUNC_NAME_KEYWORDS

from rewright.sql.catalog import Catalog
from rewright.sql.records import type_key
from rewright.sql.types import SqlType

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*\Z")
# unreserved keywords may be bare names; the other three classes not everywhere (manual, appendix C)
_KEYWORDS = frozenset(RESERVED_KEYWORDS) | frozenset(COL_NAME_KEYWORDS) | frozenset(TYPE_FUNC_NAME_KEYWORDS)
_SQL_NAMES = {
    "bool": "boolean",
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "float4": "real",
    "float8": "double precision",
}
# a bare name of these would mean something else: one character, one bit
# bpchar without a length is unlimited, char is char(1)
_QUOTED = {"char": '"char"', "bit": '"bit"', "bpchar": "bpchar"}
# bits of the field mask (timestamp.h INTERVAL_MASK)
_FIELDS = {
    0x0004: "year",
    0x0002: "month",
    0x0008: "day",
    0x0400: "hour",
    0x0800: "minute",
    0x1000: "second",
}
# NAMEDATALEN - 1
_NAME_BYTES = 63


def quote_ident(name: str) -> str:
    """An identifier, quoted where it must be (keywords that are not unreserved included)."""
    if _PLAIN.match(name) and name not in _KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def quote_literal(text: str) -> str:
    """A string literal that means the same whatever standard_conforming_strings is."""
    if "\x00" in text:
        raise ValueError("a zero byte can't be part of SQL text")
    quoted = text.replace("'", "''")
    # with the setting off a backslash is an escape in plain literals, too; in E'' it always is
    if "\\" in quoted:
        return "E'" + quoted.replace("\\", "\\\\") + "'"
    return f"'{quoted}'"


def type_name(
    type_: SqlType, catalog: Catalog | None = None, search_path: Sequence[str] = ("public",)
) -> str:
    """A type with its modifier, as it stands in a cast."""
    # a modifier belongs to the elements: numeric(9,2)[]
    if type_.is_array:
        return type_name(type_.element_with_typmod, catalog, search_path) + "[]"
    name = _base_name(type_, catalog, search_path)
    return name if type_.typmod < 0 or not type_.is_builtin else _with_modifier(type_, name)


def _base_name(type_: SqlType, catalog: Catalog | None, search_path: Sequence[str]) -> str:
    if type_.is_builtin:
        known = _SQL_NAMES.get(type_.name)
        if known:
            return known
        # without a modifier; with one, char(3) and bit(3) mean what they say
        if type_.typmod < 0 and type_.name in _QUOTED:
            return _QUOTED[type_.name]
        return type_.name if _PLAIN.match(type_.name) else quote_ident(type_.name)
    quoted = quote_ident(type_.name)
    # a type of the same name earlier on the path is another one
    if catalog is not None:
        found = catalog.find_type(type_.name, search_path)
        if found is not None and found.key == type_key(type_.schema, type_.name):
            return quoted
    return f"{quote_ident(type_.schema)}.{quoted}"


def _with_modifier(type_: SqlType, name: str) -> str:
    typmod = type_.typmod
    match type_.name:
        case "varchar" | "bpchar":
            return f"{'char' if type_.name == 'bpchar' else name}({typmod - 4})"
        case "numeric":
            # eleven bits with a sign (since PostgreSQL 15)
            precision, scale = ((typmod - 4) >> 16) & 0xFFFF, (typmod - 4) & 0x7FF
            return f"numeric({precision},{scale - 0x800 if scale & 0x400 else scale})"
        case "interval":
            return _interval(typmod)
        case _:
            return f"{name}({typmod})"


def _interval(typmod: int) -> str:
    # 0x7FFF: all fields, 0xFFFF: no precision (timestamp.h)
    mask, precision = (typmod >> 16) & 0x7FFF, typmod & 0xFFFF
    digits = f"({precision})" if precision != 0xFFFF else ""
    words = [word for bit, word in _FIELDS.items() if mask & bit]
    if mask == 0x7FFF or not words:
        return f"interval{digits}"
    # DAY TO SECOND: the first and the last field tell the range
    fields = words[0] if len(words) == 1 else f"{words[0]} to {words[-1]}"
    return f"interval {fields}{digits}"


class Aliases:
    """Names for range variables and CTEs, each given out once in a statement."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def take(self, wanted: str, default: str) -> str:
        """``wanted`` if nobody has it, else a numbered variant."""
        base = wanted or default
        name, n = base, 0
        while name in self._taken:
            n += 1
            suffix = f"_{n}"
            # room for the number: names longer than 63 bytes are cut by the server, and would be equal again
            name = _cut(base, _NAME_BYTES - len(suffix)) + suffix
        self._taken.add(name)
        return name


def _cut(name: str, size: int) -> str:
    return name.encode()[:size].decode(errors="ignore")


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Column names told apart by numbers; nameless ones get one."""
    aliases = Aliases()
    return tuple(aliases.take(n if n != "?column?" else "", f"column{i + 1}") for i, n in enumerate(names))
