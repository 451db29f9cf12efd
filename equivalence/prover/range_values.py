"""Ranges of integers and dates that are written out, in the one form that the server gives them.

    '[2024-01-01,2024-01-31]'::daterange    '[2024-01-01,2024-02-01)'
    int4range(1, 4, '[]')                   '[1,5)'
    days && '[2024-01-31,2024-02-01)'       days @> date '2024-01-31'

Only bounds that are there, far from the ends of their type, written as every session reads them. Must not
know terms.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from rewright.sql import algebra as a
from rewright.sql.build import operator
from rewright.sql.types import BOOL, SqlType

_OF = {"int4range": "int4", "int8range": "int8", "daterange": "date"}
_NUMBER = re.compile(r"-?\d{1,9}")
_DAY = re.compile(r"[1-8]\d{3}-\d\d-\d\d")
_WRITTEN = re.compile(r"([\[(])([-\d]+),([-\d]+)([\])])")
_UNKNOWN = SqlType("unknown")
_Bounds = tuple[int, int]


def as_written(e: a.Expr) -> a.Expr | None:
    """The range in the server's form; None where it is in it, or not one that is written out."""
    found = _read(e)
    made = None if found is None else _text(found, _OF[e.type.name])
    if made is None or (isinstance(e, a.Cast) and e.arg == a.Const(made, _UNKNOWN)):
        return None
    return a.Cast(a.Const(made, _UNKNOWN), e.type, method="io")


def is_written_range(e: a.Expr) -> bool:
    """Whether this is such a range, which the server surely takes."""
    return _read(e) is not None


def meets_point(e: a.Op) -> a.Expr | None:
    """Whether a range has something in common with one of a single value: whether it holds that."""
    if (e.op.name, e.op.left, e.op.right) != ("&&", "anyrange", "anyrange"):
        return None
    for x, other in (e.args, e.args[::-1]):
        found = _read(other)
        holds = operator("@>", SqlType("anyrange"), SqlType("anyelement"))
        if found is not None and holds is not None and found[1] == found[0] + 1 and _read(x) is None:
            of = _OF[other.type.name]
            return a.Op(holds, (x, a.Const(_shown(found[0], of), SqlType(of))), BOOL)
    return None


def _read(e: a.Expr) -> _Bounds | None:
    """The first value of a written range, and the first after it."""
    if not e.type.is_builtin or e.type.name not in _OF:
        return None
    match e:
        case a.Cast(a.Const(str(text), SqlType("unknown")), method="io"):
            said = _WRITTEN.fullmatch(text)
            return None if said is None else _between(*said.groups(), of=_OF[e.type.name])
        case a.Call(func, (a.Const(str(low)), a.Const(str(high)), *rest)) if func.is_builtin:
            named = func.name == e.type.name and all(x.type == SqlType(_OF[func.name]) for x in e.args[:2])
            flags = [x.value if isinstance(x, a.Const) else None for x in rest] or ["[)"]
            if named and flags[0] in {"[)", "[]", "(]", "()"}:
                return _between(flags[0][0], low, high, flags[0][1], of=_OF[e.type.name])
    return None


def _between(opens: str, low: str, high: str, closes: str, *, of: str) -> _Bounds | None:
    ends = [_value(text, of) for text in (low, high)]
    if ends[0] is None or ends[1] is None or ends[0] > ends[1]:
        return None  # what is out of order is refused
    return ends[0] + (opens == "("), ends[1] + (closes == "]")


def _value(text: str, of: str) -> int | None:
    if of != "date":
        return int(text) if _NUMBER.fullmatch(text) else None
    try:
        return date.fromisoformat(text).toordinal() if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def _shown(value: int, of: str) -> str:
    return str(value) if of != "date" else str(date.fromordinal(1) + timedelta(days=value - 1))


def _text(found: _Bounds, of: str) -> str:
    low, high = found
    return f"[{_shown(low, of)},{_shown(high, of)})" if low < high else "empty"
