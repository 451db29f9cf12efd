"""Expressions of constants as what they give.

Immutable built-ins of integers, of days in the calendar's plain form, and of ASCII texts where nothing goes
by a language. What the server would refuse stays as it is. Must not know the other forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from rewright.sql import algebra as a
from rewright.sql.types import SqlType
from rewright.sql.walk import bottom_up

_BITS = {"int2": 16, "int4": 32, "int8": 64}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_Known = int | str | date
_Made = Callable[..., _Known | None]
_Numbers = tuple[tuple[str, Callable[[int, int], int]], ...]


def constants(query: a.Query) -> a.Query:
    return bottom_up(query, _changed)


def _changed(node: a.Node) -> a.Node:
    made: _Made | None = None
    args: tuple[a.Expr, ...] = ()
    match node:
        case a.Call(func, args, _) if func.is_builtin and func.volatility is a.Volatility.IMMUTABLE:
            made = _CALLS.get((func.name, *func.arg_types))
        case a.Op(op, args, _) if op.is_builtin:
            made = _OPERATORS.get((op.left, op.name, op.right))
        case a.MinMax(greatest, args, type_) if {x.type for x in args} == {type_} and type_.name in _BITS:
            made = _GREATEST if greatest else _LEAST
        case a.Cast(a.Const(str(text), source), SqlType("varchar", typmod=most) as type_, method="typmod"):
            # varchar(n) has the modifier n + 4; the characters of ASCII are as many in each encoding
            short = text.isascii() and len(text) + 4 <= most
            plain = type_.is_builtin and source.is_builtin and source.name == "varchar"
            return a.Const(text, type_) if short and plain else node
        case _:
            return node
    values = [_known(x) for x in args]
    if made is None or any(v is None for v in values):
        return node
    try:
        found = made(*values)
    except (ValueError, OverflowError):
        return node
    return node if found is None else _written(found, node.type) or node


def _known(x: a.Expr) -> _Known | None:
    if not isinstance(x, a.Const) or x.value is None or not x.type.is_builtin:
        return None
    match x.type.name:
        case "int2" | "int4" | "int8":
            return int(x.value)
        case "text" if x.value.isascii():
            return x.value
        case "date" if _DAY.fullmatch(x.value):
            return date.fromisoformat(x.value)
    return None


def _written(found: _Known, type_: SqlType) -> a.Const | None:
    """As a constant of the type, where it has such a value."""
    match found:
        case int() if type_ in {SqlType(n) for n in _BITS}:
            top = 1 << (_BITS[type_.name] - 1)
            return a.Const(str(found), type_) if -top <= found < top else None
        case date() if type_ == SqlType("date"):
            return a.Const(found.isoformat(), type_)
        case str() if type_.is_builtin and type_.name == "text" and type_.typmod == -1:
            return a.Const(found, type_)
    return None


def _cut(text: str, start: int, count: int | None = None) -> str | None:
    """Characters numbered from 1; numbers before the first are counted and give nothing."""
    if count is not None and count < 0:
        return None  # an error
    last = len(text) if count is None else start + count - 1
    return "".join(c for number, c in enumerate(text, 1) if start <= number <= last)


def _head(text: str, count: int) -> str | None:
    return _cut(text, 1, count)


def _tail(text: str, count: int) -> str | None:
    return None if count < 0 else _cut(text, len(text) - count + 1)


def _replaced(text: str, old: str, new: str) -> str:
    return new.join(text.split(old)) if old else text


def _moved(day: date, days: int) -> date:
    return day + timedelta(days=days)


_GREATEST: _Made = max
_LEAST: _Made = min
_INTEGERS: _Numbers = (
    ("+", lambda x, y: x + y),
    ("-", lambda x, y: x - y),
    ("*", lambda x, y: x * y),
)
_CALLS: dict[tuple[str, ...], _Made] = {
    ("length", "text"): len,
    ("char_length", "text"): len,
    ("character_length", "text"): len,
    ("substring", "text", "int4"): _cut,
    ("substring", "text", "int4", "int4"): _cut,
    ("substr", "text", "int4"): _cut,
    ("substr", "text", "int4", "int4"): _cut,
    ("left", "text", "int4"): _head,
    ("right", "text", "int4"): _tail,
    ("replace", "text", "text", "text"): _replaced,
    ("abs", "int2"): abs,
    ("abs", "int4"): abs,
    ("abs", "int8"): abs,
    ("make_date", "int4", "int4", "int4"): date,
}
_OPERATORS: dict[tuple[str, str, str], _Made] = {
    ("text", "||", "text"): lambda x, y: x + y,
    ("date", "+", "int4"): _moved,
    ("int4", "+", "date"): lambda days, day: _moved(day, days),
    ("date", "-", "int4"): lambda day, days: _moved(day, -days),
    ("date", "-", "date"): lambda one, other: (one - other).days,
    **{("", "-", name): lambda x: -x for name in _BITS},
    **{(name, sign, name): made for sign, made in _INTEGERS for name in _BITS},
}
