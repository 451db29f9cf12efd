"""PostgreSQL's aggregates and window functions in DuckDB's dialect, by signature.

Owns the equivalents over one argument; what sums of double precision depend on (the order of rows) is as open
as in PostgreSQL. Square brackets stand around each call that DISTINCT, FILTER and OVER belong to (none: the
whole is one); ``{plain}`` is the argument without DISTINCT and ORDER BY. Must not know trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.engines.duckdb.dialect.times import STAMP, STAMPTZ

_ORDERED = (
    "smallint",
    "integer",
    "bigint",
    "real",
    "double precision",
    "numeric",
    "text",
    "date",
    STAMP,
    STAMPTZ,
    "time without time zone",
    "interval",
)


def _aggregates() -> Iterator[tuple[str, str]]:
    yield "count()", "count(*)"
    yield 'count("any")', "count({0})"
    for name in ("min", "max"):
        for type_ in _ORDERED:
            yield f"{name}({type_})", f"{name}({{0}})"
    # DuckDB sums integers as HUGEINT; bigint raises out of range where PostgreSQL does
    yield "sum(smallint)", "CAST([sum({0})] AS BIGINT)"
    yield "sum(integer)", "CAST([sum({0})] AS BIGINT)"
    # numeric in PostgreSQL, without fraction
    yield "sum(bigint)", "CAST([sum({0})] AS DECIMAL(38,0))"
    yield "sum(numeric)", "sum({0})"
    # PostgreSQL's sum begins with the first value, DuckDB's with 0: of negative zeros alone it is -0
    zeros = "[sum({0})] = 0 AND [bool_and(signbit({plain}))]"
    yield "sum(double precision)", f"CASE WHEN {zeros} THEN -0.0::DOUBLE ELSE [sum({{0}})] END"
    yield "avg(double precision)", "avg({0})"
    yield "bool_and(boolean)", "bool_and({0})"
    yield "bool_or(boolean)", "bool_or({0})"
    yield "every(boolean)", "bool_and({0})"
    for type_ in ("smallint", "integer", "bigint"):
        yield f"bit_and({type_})", "bit_and({0})"
        yield f"bit_or({type_})", "bit_or({0})"
        yield f"bit_xor({type_})", "bit_xor({0})"
    yield "string_agg(text, text)", "string_agg({0}, {1})"
    yield "array_agg(anynonarray)", "array_agg({0})"


def _windows() -> Iterator[tuple[str, str]]:
    for name in ("row_number", "rank", "dense_rank"):
        yield f"{name}()", f"{name}()"
    yield "percent_rank()", "percent_rank()"
    yield "cume_dist()", "cume_dist()"
    for name in ("lag", "lead"):
        yield f"{name}(anyelement)", f"{name}({{0}})"
        yield f"{name}(anyelement, integer)", f"{name}({{0}}, {{1}})"
        yield f"{name}(anycompatible, integer, anycompatible)", f"{name}({{0}}, {{1}}, {{2}})"
    for name in ("first_value", "last_value"):
        yield f"{name}(anyelement)", f"{name}({{0}})"


def call_of(words: str, arguments: Sequence[str], plain: str, behind: str) -> str:
    """Such words with their arguments, and with ``behind`` (FILTER, OVER) after each call of an aggregate."""
    template = words if "[" in words else f"[{words}]"
    template = template.replace("[", "").replace("]", "{behind}")
    return template.format(*arguments, plain=plain, behind=behind)


AGGREGATES: dict[str, str] = dict(_aggregates())
WINDOWS: dict[str, str] = dict(_windows())
# in DuckDB avg() is a double, which has other digits
SPLIT: dict[str, tuple[str, str]] = {
    f"avg({type_})": (f"sum({type_})", 'count("any")')
    for type_ in ("smallint", "integer", "bigint", "numeric")
}
"""Aggregates that PostgreSQL finishes: the average of whole numbers is a numeric quotient, whose scale only
its own division knows.
"""
