"""Whole numbers longer than 64 bits in a delimited text: DuckDB takes them for fractions and keeps 17 digits.

Owns recognising such columns, and reading them with all their digits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rewright.engines.duckdb.quoting import literal, quoted

_WHOLE = re.compile(r"[-+]?\d+")
_MOST_DIGITS = 38
"""More have no type but text."""


def with_all_digits(
    connection: Any, sql: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]
) -> tuple[str, list[str]] | None:
    """The call of read_csv that keeps all digits, and of which columns; None: it keeps them as it is.
    ``rows``: the first ones, by which columns of fractions are told at little cost.
    """
    texts, found = sql, []
    for i, (name, type_) in enumerate(columns):
        cells = [row[i].strip() for row in rows if i < len(row) and row[i].strip()]
        typed = f"{literal(name)}: 'DOUBLE'"
        if type_ == "DOUBLE" and typed in sql and cells and all(map(_WHOLE.fullmatch, cells)):
            texts = texts.replace(typed, f"{literal(name)}: 'VARCHAR'", 1)
            found.append(name)
    long = [(name, n) for name, n in zip(found, _lengths(connection, texts, found), strict=True) if n > 0]
    for name, digits in long:
        type_ = "HUGEINT" if digits <= _MOST_DIGITS else "VARCHAR"
        sql = sql.replace(f"{literal(name)}: 'DOUBLE'", f"{literal(name)}: '{type_}'", 1)
    return (sql, [name for name, _ in long]) if long else None


def _lengths(connection: Any, texts: str, columns: Sequence[str]) -> list[int]:
    """Of how many digits the longest number of each is; 0: not all are whole. All of it is read once."""
    if not columns:
        return []
    pattern = literal(f"{_WHOLE.pattern}|")
    read = [f"trim({quoted(column)})" for column in columns]
    asked = (f"bool_and(regexp_full_match({r}, {pattern})), max(length(ltrim({r}, '+-')))" for r in read)
    told = connection.execute(f"SELECT {', '.join(asked)} FROM {texts}").fetchone()
    return [int(longest) if whole else 0 for whole, longest in zip(told[::2], told[1::2], strict=True)]
