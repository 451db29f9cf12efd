"""Literals in the text of their type's output function, where that can be computed without a server.

Owns what is safe to normalise: the result must not depend on settings (DateStyle, TimeZone, …). Everything
else stays a cast of the literal as written. Raises what the type's input function would raise.
"""

from __future__ import annotations

import datetime as dt
import re

from rewright.sql.binder.errors import BindError

_INTEGER = re.compile(r"[+-]?[0-9]+\Z")
_NUMERIC = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?\Z")
_ISO_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})\Z")
_ISO_TIMESTAMP = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2}) ([0-9]{2}):([0-9]{2}):([0-9]{2})\Z")
_RANGES = {"int2": 1 << 15, "int4": 1 << 31, "int8": 1 << 63}
_NAMES = {"int2": "smallint", "int4": "integer", "int8": "bigint"}
_SPACE = " \t\n\r\v\f"
# of thousands of digits Python makes no number, and no integer type has as many as these
_MOST_DIGITS = 40


def normalise(type_name: str, text: str) -> str | None:
    """The output text of ``text::type_name`` for a built-in type; None where it is not computed here."""
    match type_name:
        case "text" | "varchar" | "bpchar":
            return text
        case "bool":
            return _boolean(text)
        case "int2" | "int4" | "int8":
            return _integer(type_name, text)
        case "numeric":
            return _numeric(text)
        case "date":
            return _date(text)
        case "timestamp":
            return _timestamp(text)
        case "name":
            return text if len(text.encode()) < 64 else None
        case _:
            return None


def number_literal(text: str) -> tuple[str, str]:
    """Type name and normal text of a numeric token (make_const: the smallest of int4, int8, numeric)."""
    if re.fullmatch(r"[+-]?[0-9]+", text):
        digits = text.lstrip("+-").lstrip("0")
        if len(digits) > _MOST_DIGITS:
            return "numeric", f"-{digits}" if text.startswith("-") else digits
        value = int(f"-{digits or 0}" if text.startswith("-") else digits or 0)
        for name in ("int4", "int8"):
            if -_RANGES[name] <= value < _RANGES[name]:
                return name, str(value)
        return "numeric", str(value)
    lowered = text.lower().replace("_", "")
    if re.match(r"[+-]?0[xob]", lowered):
        value = int(lowered, 0)
        return number_literal(str(value))
    if lowered != text:
        return number_literal(lowered)
    return "numeric", _numeric(text) or text


def _boolean(text: str) -> str:
    word = text.strip(_SPACE).lower()
    if word:
        for full, value in (("true", "t"), ("yes", "t"), ("false", "f"), ("no", "f")):
            if full.startswith(word):
                return value
        if word in {"1", "on"}:
            return "t"
        if word == "0" or (len(word) > 1 and "off".startswith(word)):
            return "f"
    raise BindError("22P02", f'invalid input syntax for type boolean: "{text}"')


def _integer(name: str, text: str) -> str | None:
    word = text.strip(_SPACE)
    if not _INTEGER.match(word):
        if re.fullmatch(r"[+-]?(0[xXoObB][0-9a-fA-F_]+|[0-9][0-9_]*)", word):
            return None
        raise BindError("22P02", f'invalid input syntax for type {_NAMES[name]}: "{text}"')
    digits = word.lstrip("+-").lstrip("0")
    value = int(digits or 0) if len(digits) <= _MOST_DIGITS else _RANGES[name]
    value = -value if word.startswith("-") and len(digits) <= _MOST_DIGITS else value
    if not -_RANGES[name] <= value < _RANGES[name]:
        raise BindError("22003", f'value "{text}" is out of range for type {_NAMES[name]}')
    return str(value)


def _numeric(text: str) -> str | None:
    """Digits kept, exponent applied: numeric remembers its scale."""
    word = text.strip(_SPACE)
    if not _NUMERIC.match(word):
        if re.fullmatch(r"[+-]?(nan|inf|infinity|0x.*|0o.*|0b.*|.*_.*)", word.lower()):
            return None
        raise BindError("22P02", f'invalid input syntax for type numeric: "{text}"')
    mantissa, _, exponent = word.lower().partition("e")
    negative = mantissa.startswith("-")
    whole, _, fraction = mantissa.lstrip("+-").partition(".")
    shift = int(exponent or 0)
    digits = whole + fraction
    point = len(whole) + shift
    scale = max(0, len(fraction) - shift)
    if point <= 0:
        digits, point = "0" * (1 - point) + digits, 1
    digits = digits.ljust(point + scale, "0")
    left = digits[:point].lstrip("0") or "0"
    right = digits[point : point + scale]
    value = f"{left}.{right}" if scale else left
    return f"-{value}" if negative and value.strip("0.") else value


def _date(text: str) -> str | None:
    found = _ISO_DATE.match(text.strip(_SPACE))
    if not found:
        return None
    try:
        return dt.date(int(found[1]), int(found[2]), int(found[3])).isoformat()
    except ValueError:
        if found[1] == "0000":
            return None
        raise BindError("22008", f'date/time field value out of range: "{text}"') from None


def _timestamp(text: str) -> str | None:
    word = text.strip(_SPACE)
    if _ISO_DATE.match(word):
        date = _date(word)
        return f"{date} 00:00:00" if date else None
    found = _ISO_TIMESTAMP.match(word)
    if not found or int(found[4]) > 23 or int(found[5]) > 59 or int(found[6]) > 59:
        return None
    date = _date(word[:10])
    return f"{date}{word[10:]}" if date else None
