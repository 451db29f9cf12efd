"""Digits grouped by points: in a file that writes `1,5` and `1.234,50`, a column of `13.705` and `612` holds
thousands, not fractions.

Owns recognising such columns in a delimited text, and reading them. DuckDB, which looks at each column by
itself, would read fractions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rewright.engines.duckdb.quoting import literal, quoted

_GROUPED = r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+"
_GROUPED_CELL = re.compile(_GROUPED)
_WHOLE_CELL = re.compile(r"[-+]?\d{1,3}")
_COMMA_CELL = re.compile(r"\D{0,4}\d{1,3}(?:(?:\.\d{3})+|\d*),(?:\d{1,2}|\d{4,})(?!\d).{0,12}")
_POINT_CELL = re.compile(r"[-+]?\d+\.\d+")


def grouped_columns(rows: Sequence[Sequence[str]]) -> list[int]:
    """Which columns of the first lines hold digits grouped by points; none where any cell has a decimal
    point, or no column decimal commas.
    """
    width = max(map(len, rows), default=0)
    columns = [[row[i].strip() for row in rows if i < len(row) and row[i].strip()] for i in range(width)]
    commas = [cells for cells in columns if 2 * sum(map(_is(_COMMA_CELL), cells)) > len(cells)]
    if not commas or any(
        _POINT_CELL.fullmatch(c) and not _GROUPED_CELL.fullmatch(c) for cs in columns for c in cs
    ):
        return []
    return [i for i, cells in enumerate(columns) if cells and _all_grouped(cells)]


def _is(pattern: re.Pattern[str]) -> Any:
    return lambda cell: pattern.fullmatch(cell) is not None


def _all_grouped(cells: Sequence[str]) -> bool:
    grouped = sum(map(_is(_GROUPED_CELL), cells))
    return grouped > 0 and all(_GROUPED_CELL.fullmatch(c) or _WHOLE_CELL.fullmatch(c) for c in cells)


def as_whole_numbers(connection: Any, texts: str, columns: Sequence[str]) -> bool:
    """Are the columns of a scan of texts grouped digits to the last row?"""
    pattern = literal(rf"{_GROUPED}|[-+]?\d{{1,3}}|")
    tests = " OR ".join(f"NOT regexp_full_match(trim({quoted(c)}), {pattern})" for c in columns)
    return connection.execute(f"SELECT 1 FROM {texts} WHERE {tests} LIMIT 1").fetchone() is None


def whole_numbers(texts: str, columns: Sequence[str]) -> str:
    """A scan in which these columns, texts there, are numbers."""
    read = ", ".join(
        f"CAST(nullif(replace(trim({quoted(c)}), '.', ''), '') AS BIGINT) AS {quoted(c)}" for c in columns
    )
    return f"(SELECT * REPLACE ({read}) FROM {texts})"
