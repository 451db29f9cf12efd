"""Constants of an answer that follow from one of the question: the next day, the first of the month, one
more.

A fixed list of functions on literals, looked for in the pair and used again on other values. Must not know
patterns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation

_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_SPECIAL = frozenset({"0", "1", "-1", "null", "true", "false", "''", "'%'", "'t'", "'f'"})


def is_special(sql: str) -> bool:
    """Constants that are part of a shape rather than a value."""
    bare = sql.lower().split("::")[0]
    return bare in _SPECIAL


def _number(sql: str) -> Decimal | None:
    text = sql.split("::", maxsplit=1)[0].strip("'() ")
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    # a number of another size could not be written as digits
    return value if value.is_finite() and abs(value) < 10**30 else None


def _moment(sql: str) -> datetime | None:
    found = _QUOTED.search(sql)
    # 2024-01-01::date, or a bare year
    text = found[1] if found else sql.split("::", maxsplit=1)[0]
    for form in ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d", "%Y-%m", "%Y"):
        try:
            return datetime.strptime(text.removesuffix("+00"), form)  # noqa: DTZ007 - wall-clock values stay such
        except ValueError:
            continue
    return None


def _month_later(value: datetime) -> datetime:
    # 32 days after the first it is the next month
    return (value.replace(day=1) + timedelta(days=32)).replace(day=1)


_MOMENTS: Mapping[str, Callable[[datetime], datetime]] = {
    "moment": lambda v: v,
    "next day": lambda v: v + timedelta(days=1),
    "next month": _month_later,
    "next year": lambda v: v.replace(year=v.year + 1, month=1, day=1),
}
_NUMBERS: Mapping[str, Callable[[Decimal], Decimal]] = {
    "number": lambda v: v,
    "one more": lambda v: v + 1,
    "one less": lambda v: v - 1,
    "whole": lambda v: v.to_integral_value(rounding="ROUND_FLOOR"),
    "negated": lambda v: -v,
}


def derivation_of(known: str, wanted: str) -> str:
    """The name of a function that gives ``wanted`` from ``known``, both SQL literals; empty when there is
    none.
    """
    # times before numbers: 2024 is a year, if a year follows from it
    for how in (*_MOMENTS, *_NUMBERS, "prefix"):
        made = derived(known, f"{how}|{_shape(wanted)}")
        if made == wanted:
            return f"{how}|{_shape(wanted)}"
    return ""


def derived(known: str, how: str) -> str | None:
    """The literal that ``how`` gives for ``known``; None where it gives none."""
    name, _, shape = how.partition("|")
    if name == "prefix":
        found = _QUOTED.match(known)
        # a wildcard in the value would become one of the pattern
        return None if found is None or any(c in found[1] for c in "%_\\") else shape.replace("{}", found[1])
    if name in _MOMENTS:
        moment = _moment(known)
        if moment is None or "{" not in shape or "}" not in shape:
            return None
        try:
            made = _MOMENTS[name](moment)
        except (ValueError, OverflowError):
            return None
        return shape.replace("{time}", made.strftime("%Y-%m-%d %H:%M:%S")).replace(
            "{day}", made.strftime("%Y-%m-%d")
        )
    number = _number(known)
    if number is None or "{number}" not in shape:
        return None
    made_number = _NUMBERS[name](number)
    # 1.0 is written as 1
    text = str(int(made_number)) if made_number == made_number.to_integral_value() else str(made_number)
    return shape.replace("{number}", text)


def _shape(sql: str) -> str:
    """A literal with its value taken out."""
    if re.search(r"'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", sql):
        return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "{time}", sql)
    if re.search(r"'\d{4}-\d\d-\d\d'", sql):
        return re.sub(r"\d{4}-\d\d-\d\d", "{day}", sql)
    if re.fullmatch(r"-?\d+(\.\d+)?(::\w+)?", sql):
        return re.sub(r"^-?\d+(\.\d+)?", "{number}", sql)
    # a prefix for LIKE
    if re.fullmatch(r"'[^'%_\\]+%'", sql):
        return "'{}%'"
    if re.fullmatch(r"'[^'%_\\]+'", sql):
        return "'{}'"
    return sql
