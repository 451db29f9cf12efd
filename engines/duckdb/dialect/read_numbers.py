"""Texts read as numbers in DuckDB's dialect: what PostgreSQL's input functions take, and the errors they
raise.

Owns the notations. Must not know trees.
"""

from __future__ import annotations

from rewright.engines.duckdb.dialect.numbers import raising

# what pg_strtoint32_safe (numutils.c) takes as decimal: blanks of isspace() around, one sign
_INTEGER = r"[ \t\n\r\f\x0b]*[+-]?[0-9]+[ \t\n\r\f\x0b]*"
# at most four digits of exponent: with more, float8in and DuckDB need not agree on zero, infinity or an error
_REAL = r"[ \t\n\r\f\x0b]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?[ \t\n\r\f\x0b]*"
# trim() of DuckDB takes spaces alone where nothing is named
_BLANKS = r"' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13)"


def integer_of(x: str, type_: str, named: str) -> str:
    """A text as an integer of DuckDB's ``type_``, which PostgreSQL calls ``named``."""
    wrong = raising("22P02", f"invalid input syntax for type {named}")
    unread = raising("0A000", "integers in this notation are not read on a lake")
    # by way of HUGEINT: a direct cast rounds '1.5' and calls a number out of range a text that can't be
    # read
    return (
        f"(CASE WHEN regexp_full_match({x}, '{_INTEGER}') THEN CAST(CAST(trim({x}, {_BLANKS}) AS "
        f"HUGEINT) AS {type_})"
        # 0x10, 0b1 and 1_000 are integers since PostgreSQL 16
        f" WHEN regexp_matches({x}, '[0-9]_|0[xXoObB]') THEN {unread} WHEN {x} IS NOT NULL THEN {wrong} "
        f"END)"
    )


def real_of(x: str) -> str:
    """A text as double precision."""
    wrong = raising("22P02", "invalid input syntax for type double precision")
    high = raising("22003", "value is out of range for type double precision")
    unread = raising("0A000", "numbers in this notation are not read on a lake")
    trimmed = f"trim({x}, {_BLANKS})"
    made = f"CAST({trimmed} AS DOUBLE)"
    words = "'nan', 'inf', '+inf', '-inf', 'infinity', '+infinity', '-infinity'"
    # DuckDB gives inf and 0 where PostgreSQL raises; digits other than 0 before the exponent tell 0 from
    # underflow
    return (
        f"(CASE WHEN regexp_full_match({x}, '{_REAL}') THEN (CASE WHEN isinf({made}) OR ({made} = 0 AND "
        f"regexp_matches(split_part(lower({x}), 'e', 1),"
        f" '[1-9]')) THEN {high} ELSE {made} END)"
        f" WHEN lower({trimmed}) IN ({words}) THEN CAST(lower({trimmed}) AS DOUBLE)"
        f" WHEN regexp_matches({x}, '0[xX]|[eE][+-]?[0-9]{{5}}|[nN][aA][nN]\\(') THEN {unread} WHEN {x} "
        f"IS NOT NULL THEN {wrong} END)"
    )
