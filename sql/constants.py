"""Constants of a query as values that compare as the server compares.

Owns which constants have such a value, by type. Must not know conditions or rules.
"""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal, InvalidOperation

from rewright.sql import algebra as a
from rewright.sql.types import equality_is_identity

Value = Decimal | datetime | str | bool

INTEGERS = {"int2": 2**15, "int4": 2**31, "int8": 2**63}
NUMBERS = frozenset({*INTEGERS, "numeric"})
# integers below this are exact as double precision
EXACT_FLOATS = 2**53
DATE = re.compile(r"\d{4}-\d\d-\d\d")
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?")


def constant(expr: a.Expr) -> a.Const | None:
    """A constant that is not NULL, also as the integer the binder widens."""
    if isinstance(expr, a.Cast) and expr.implicit and isinstance(expr.arg, a.Const):
        whole = expr.arg.type.name in INTEGERS and expr.type.name in NUMBERS | {"float8"}
        return a.Const(expr.arg.value, expr.type) if whole and expr.arg.value is not None else None
    return expr if isinstance(expr, a.Const) and expr.value is not None else None


def value(const: a.Const) -> Value | None:
    """A constant as a value that compares as the server compares; text only for being equal."""
    text, type_ = const.value, const.type
    if text is None or not type_.is_builtin:
        return None
    if type_.name in NUMBERS:
        return number(text)
    if type_.name == "float8":
        found = number(text)
        return found if found is not None and abs(found) < EXACT_FLOATS else None
    if type_.name == "date" and DATE.fullmatch(text):
        return datetime.fromisoformat(text)
    if type_.name == "timestamp" and TIMESTAMP.fullmatch(text):
        return datetime.fromisoformat(text)
    if type_.name == "bool":
        return text == "t"
    return text if type_.name in {"text", "varchar"} and equality_is_identity(type_) else None


def number(text: str) -> Decimal | None:
    try:
        found = Decimal(text)
    except InvalidOperation:
        return None
    return found if found.is_finite() else None
