"""Constants and parameters as text: the token that the server gives this very type, or a cast.

Must not know expressions.
"""

from __future__ import annotations

from collections.abc import Callable

from rewright.sql.algebra import Const, Param
from rewright.sql.placeholders import hole_of, is_placeholder, is_string
from rewright.sql.printer.levels import ATOM, CAST
from rewright.sql.printer.names import quote_literal
from rewright.sql.types import SqlType


def constant(expr: Const, type_text: Callable[[SqlType], str]) -> tuple[str, int]:
    # an unknown literal: the server decides its type as it did before
    if expr.type.name == "unknown":
        return ("NULL" if expr.value is None else quote_literal(expr.value)), ATOM
    if expr.value is None:
        return f"NULL::{type_text(expr.type)}", CAST
    value = expr.value
    # no modifier: a token of its own may have this very type
    if expr.type.typmod < 0:
        bare = _bare_number(expr.type.name, value)
        if bare is not None:
            return bare, ATOM
        if expr.type.name == "bit":
            # B'101' is of type bit with that length; 101::bit would be cut to one bit
            return f"B'{value}'", ATOM
        if expr.type.name == "bool":
            return ("TRUE" if value == "t" else "FALSE"), ATOM
        if expr.type.name in {"date", "timestamp"}:
            return f"{expr.type.name} {quote_literal(value)}", ATOM
    return f"{quote_literal(value)}::{type_text(expr.type)}", CAST


def parameter(expr: Param, type_text: Callable[[SqlType], str]) -> tuple[str, int]:
    if not is_placeholder(expr.index):
        return f"${expr.index}", ATOM
    # a placeholder for a string in quotes is of unknown type unless it is cast
    shown = hole_of(expr.index)
    if not is_string(expr.index) or expr.type.name == "unknown":
        return shown, ATOM
    return f"{shown}::{type_text(expr.type)}", CAST


def _bare_number(name: str, value: str) -> str | None:
    """A number as a token that the server gives this very type; negative ones in parentheses."""
    # a minus sign is an operator, so -1::int4 would be -(1::int4)
    shown = f"({value})" if value.startswith("-") else value
    digits = value.lstrip("-")
    # with a point the token is numeric
    if name == "numeric" and "." in digits and digits.replace(".", "").isdigit():
        return shown
    if not digits.isdigit():
        return None
    number = int(value)
    # digits alone are the smallest of int4, int8 and numeric that holds them (manual, 4.1.2.6)
    smallest = (
        "int4" if -(1 << 31) <= number < 1 << 31 else "int8" if -(1 << 63) <= number < 1 << 63 else "numeric"
    )
    return shown if smallest == name else None
