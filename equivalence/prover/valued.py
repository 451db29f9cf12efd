"""Calls that give a value, or raise an error, for all values: NULL comes of NULL alone.

Being strict is not enough: ``extract(day FROM 'infinity')`` is NULL, and ``to_char`` of it. Each is held
against a server's answers for values of its types (`tests/equivalence/test_claims.py`).
"""

from __future__ import annotations

_OF_MOMENTS = (
    "date_trunc(text,timestamp)",
    "date_trunc(text,timestamptz)",
    "date_trunc(text,timestamptz,text)",
    "timezone(text,timestamp)",
    "timezone(text,timestamptz)",
    "date_bin(interval,timestamp,timestamp)",
    "date_bin(interval,timestamptz,timestamptz)",
    "make_date(int4,int4,int4)",
)
_OF_NUMBERS = (
    *(f"{f}(numeric)" for f in ("ceil", "ceiling", "floor", "round", "trunc", "sqrt", "exp", "ln")),
    *(f"{f}(numeric,int4)" for f in ("round", "trunc")),
    *(f"{f}(float8)" for f in ("ceiling", "sqrt", "exp", "ln")),
    *(f"{f}({t},{t})" for f in ("power", "pow") for t in ("numeric", "float8")),
)
_OF_TEXTS = (
    *(f"{f}(text,int4)" for f in ("left", "right", "substring", "substr", "lpad", "rpad", "repeat")),
    *(f"{f}(text,int4,int4)" for f in ("substring", "substr")),
    *(f"{f}(text,int4,text)" for f in ("lpad", "rpad")),
    "split_part(text,text,int4)",
    "regexp_replace(text,text,text)",
    "translate(text,text,text)",
)
ALWAYS = frozenset(f"pg_catalog.{call}" for call in (*_OF_MOMENTS, *_OF_NUMBERS, *_OF_TEXTS))
"""Calls by schema, name and argument types."""
_MATCHES = frozenset({"~", "!~", "~*", "!~*", "~~*", "!~~*"})
_MADE = frozenset({"+", "-", "*", "/"})
_MOMENTS = frozenset({"date", "time", "timetz", "timestamp", "timestamptz", "interval"})
_TEXTS = frozenset({"text", "varchar"})


def operator_gives_values(name: str, left: str, right: str, result: str) -> bool:
    """Whether a built-in operator on moments or texts gives a value for all values. Types by name; ``left``
    is empty for an operator with one operand.
    """
    if name in _MATCHES:
        return {left, right} <= _TEXTS
    # interval '1 day' * 2.5, and ages of moments
    numbers = {"float8", ""}
    return name in _MADE and result in _MOMENTS and {left, right} <= _MOMENTS | numbers | {"int4"}
