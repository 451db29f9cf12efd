"""JSON that is written out in a query, where every server reads it as it stands.

Short texts without escapes and exponents: nothing in them is too large or unknown to an encoding. Must not
know expressions.
"""

from __future__ import annotations

import json

_MOST = 1_000


class Number(str):
    """A number as it is written."""

    __slots__ = ()


class NotPlain(ValueError):
    """A text that is no JSON, or may be read otherwise."""


def read(text: str) -> object:
    """Dictionaries, lists, texts, `Number`, True, False and None. Raises NotPlain."""
    if len(text) > _MOST or "\\" in text:
        raise NotPlain
    try:
        return json.loads(text, parse_int=Number, parse_float=_plain, parse_constant=_plain)
    except (ValueError, RecursionError):
        raise NotPlain from None


def _plain(text: str) -> Number:
    """A number without exponent; JSON has no NaN."""
    if not text.lstrip("-").replace(".", "", 1).isdecimal():
        raise NotPlain
    return Number(text)


def written(value: object) -> str:
    """The text of what `read` has read, keys in order."""
    match value:
        case Number():
            return str(value)
        case dict():
            return "{" + ", ".join(f"{written(k)}: {written(v)}" for k, v in sorted(value.items())) + "}"
        case list():
            return "[" + ", ".join(map(written, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)
