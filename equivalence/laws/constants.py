"""Expressions of constants as the constants they give, where every session computes the same.

    length('abc')   date '2024-01-10' - 5   make_date(2024, 1, 31)   -->   3   date '2024-01-05'   date
    '2024-01-31'

Only immutable built-ins; texts in ASCII, whose characters every encoding counts alike, and nothing that goes
by the rules of a language (upper('i') is another letter in Turkish). What would raise an error stays as it
is. Integers alone are the prover's own business. Must not know rules or provers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from rewright.sql import algebra as a
from rewright.sql.types import SqlType
from rewright.sql.walk import bottom_up

_INTEGERS = {"int2": 15, "int4": 31, "int8": 63}
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# how much more than n the modifier of varchar(n) is
_HEADER = 4
_Value = str | int | date


def folded(query: a.Query) -> a.Query:
    """A query with its expressions of constants computed."""
    return bottom_up(query, _changed)


def _changed(node: a.Node) -> a.Node:
    match node:
        case a.Call(func, args, type_) if func.is_builtin and func.volatility is a.Volatility.IMMUTABLE:
            made = _computed(_FUNCTIONS.get((func.name, func.arg_types)), args)
        case a.Op(op, args, type_) if op.is_builtin:
            made = _computed(_OPERATORS.get((op.name, op.left, op.right)), args)
        # GREATEST over one type of integer; a mixed one has casts around its parts and is folded when they
        # are
        case a.MinMax(greatest, args, type_) if all(x.type.name in _INTEGERS for x in args):
            made = _computed(lambda *xs: max(xs) if greatest else min(xs), args)
        case a.Cast(a.Const(str(text), SqlType("varchar")), type_, method="typmod") if _fits(text, type_):
            return a.Const(text, type_)
        case _:
            return node
    return node if made is None else _constant(made, type_) or node


def _fits(text: str, type_: SqlType) -> bool:
    """Whether a text is no longer than varchar(n) lets it be, in any encoding."""
    declared = type_.is_builtin and type_.name == "varchar" and type_.typmod >= _HEADER
    # the modifier is 4 more than n, and varchar without one is as long as it likes
    return declared and text.isascii() and len(text) <= type_.typmod - _HEADER


def _computed(function: Callable[..., _Value | None] | None, args: tuple[a.Expr, ...]) -> _Value | None:
    values = [_value(x) for x in args]
    known = [v for v in values if v is not None]
    if function is None or len(known) < len(values):
        return None
    try:
        return function(*known)
    except (ValueError, OverflowError):
        # make_date(2024, 2, 30) fails when the query runs: it must stay for that
        return None


def _value(x: a.Expr) -> _Value | None:
    if not isinstance(x, a.Const) or x.value is None or not x.type.is_builtin:
        return None
    if x.type.name in _INTEGERS:
        return int(x.value)
    if x.type.name == "text" and x.value.isascii():
        return x.value
    # '10.01.2024' is another day under another DateStyle
    if x.type.name == "date" and _DAY.fullmatch(x.value):
        return date.fromisoformat(x.value)
    return None


def _constant(value: _Value, type_: SqlType) -> a.Const | None:
    """The value as a constant of the type; None where the type has no such value."""
    if isinstance(value, int):
        limit = 1 << _INTEGERS.get(type_.name, 0)
        # the sum of two int4 that is out of range fails on the server
        return a.Const(str(value), type_) if type_.name in _INTEGERS and -limit <= value < limit else None
    if isinstance(value, date):
        return a.Const(value.isoformat(), type_) if type_.name == "date" else None
    # a result of varchar(n) would have to be cut
    return a.Const(value, type_) if type_.name == "text" and type_.typmod == -1 else None


def _substring(text: str, start: int, length: int | None = None) -> str | None:
    """Characters from a place on (places before the first count); a negative length is an error."""
    # places before the first one count: substring('abc', -1, 3) is 'a'
    if length is None:
        return text[max(start - 1, 0) :]
    return text[max(start - 1, 0) : max(start - 1 + length, 0)] if length >= 0 else None


def _first(text: str, count: int) -> str | None:
    return text[:count] if count >= 0 else None


def _last(text: str, count: int) -> str | None:
    return None if count < 0 else text[len(text) - min(count, len(text)) :]


_PART = ("text", "int4", "int4"), ("text", "int4")
_FUNCTIONS: dict[tuple[str, tuple[str, ...]], Callable[..., _Value | None]] = {
    **{(name, ("text",)): len for name in ("length", "char_length", "character_length")},
    **{(name, types): _substring for name in ("substring", "substr") for types in _PART},
    ("left", ("text", "int4")): _first,
    ("right", ("text", "int4")): _last,
    # replace() with an empty text to look for changes nothing in PostgreSQL, and puts it everywhere in Python
    ("replace", ("text", "text", "text")): lambda x, old, new: x.replace(old, new) if old else x,
    **{("abs", (name,)): abs for name in _INTEGERS},
    ("make_date", ("int4", "int4", "int4")): date,
}
_OPERATORS: dict[tuple[str, str, str], Callable[..., _Value | None]] = {
    ("||", "text", "text"): lambda x, y: x + y,
    ("+", "date", "int4"): lambda day, n: day + timedelta(days=n),
    ("+", "int4", "date"): lambda n, day: day + timedelta(days=n),
    ("-", "date", "int4"): lambda day, n: day - timedelta(days=n),
    ("-", "date", "date"): lambda one, two: (one - two).days,
    **{("-", "", name): lambda x: -x for name in _INTEGERS},
    **{
        (sign, name, name): f
        for sign, f in (("+", int.__add__), ("-", int.__sub__), ("*", int.__mul__))
        for name in _INTEGERS
    },
}
