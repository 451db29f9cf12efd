"""Counting what columns hold, exactly: memory grows with their distinct values.

Owns the profiling SQL of files that fit into memory. `sampling` does the same for those that do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rewright.engines.duckdb.quoting import quoted
from rewright.lake.catalog.model import SKETCH_SIZE, VALUE_LIMIT, Family, Values

# columns in one statement: DuckDB keeps the different values of all of them in memory
_AT_ONCE = 24
_FEW_ROWS = 500
_FAMILIES: tuple[tuple[tuple[str, ...], Family], ...] = (
    (
        (
            "TINYINT",
            "SMALLINT",
            "INTEGER",
            "BIGINT",
            "HUGEINT",
            "UTINYINT",
            "USMALLINT",
            "UINTEGER",
            "UBIGINT",
        ),
        Family.INTEGER,
    ),
    (("FLOAT", "DOUBLE", "DECIMAL", "REAL"), Family.FLOAT),
    (("BOOLEAN",), Family.BOOLEAN),
    (("DATE", "TIMESTAMP"), Family.DATE),
    (("TIME", "INTERVAL"), Family.TIME),
    (("VARCHAR", "UUID", "ENUM"), Family.TEXT),
)


@dataclass(frozen=True, slots=True)
class Counted:
    """Of one column: values that are not null, distinct ones, the least and the greatest as texts, and what
    it holds.
    """

    filled: int
    distinct: int
    low: str | None
    high: str | None
    values: Values


def family_of(type_name: str) -> Family:
    """The family of a DuckDB type name."""
    if type_name.endswith("]") or type_name.startswith(("STRUCT", "MAP", "UNION", "JSON")):
        return Family.NESTED
    head = type_name.split("(", maxsplit=1)[0].split(" ", maxsplit=1)[0]
    return next((family for heads, family in _FAMILIES if head in heads), Family.TEXT)


def counted(connection: Any, source: str, columns: Sequence[tuple[str, str]]) -> tuple[int, list[Counted]]:
    """Rows of `source`, a table expression that is cheap to read again, and what is
    counted of each column.
    """
    rows, out = 0, []
    # a few columns at a time: each needs a table of its distinct values
    for part in portions(columns):
        statistics = ", ".join(f"count({c}), {bounds(c)}" for c in (countable(*one) for one in part))
        found = connection.execute(f"SELECT count(*), {statistics} FROM {source}").fetchone()
        rows = found[0]
        told = [found[1 + 3 * i : 4 + 3 * i] for i in range(len(part))]
        if rows <= _FEW_ROWS:
            values = _values_of_few(connection, source, part)
            distinct = [len(v.counts) for v in values]
        else:
            distinct = _distinct(connection, source, part)
            values = _values(connection, source, part, distinct)
        out += [Counted(t[0], d, t[1], t[2], v) for t, d, v in zip(told, distinct, values, strict=True)]
    return rows, out


def _distinct(connection: Any, source: str, columns: Sequence[tuple[str, str]]) -> list[int]:
    listed = ", ".join(f"count(DISTINCT {countable(*column)})" for column in columns)
    return list(connection.execute(f"SELECT {listed} FROM {source}").fetchone())


def portions(columns: Sequence[tuple[str, str]]) -> list[Sequence[tuple[str, str]]]:
    """The columns, as many at a time as one statement counts."""
    return [columns[start : start + _AT_ONCE] for start in range(0, len(columns), _AT_ONCE)]


def countable(name: str, type_name: str) -> str:
    """A column as something that can be counted and ordered."""
    return quoted(name) if family_of(type_name) is not Family.NESTED else f"CAST({quoted(name)} AS VARCHAR)"


def bounds(c: str) -> str:
    return f"CAST(min({c}) AS VARCHAR), CAST(max({c}) AS VARCHAR)"


def forms(name: str, type_name: str) -> tuple[str, str]:
    """A column as text (its head, where it is long), and the hash by which values of different columns are
    compared.
    """
    text = f"CAST({quoted(name)} AS VARCHAR)"
    floating = family_of(type_name) is Family.FLOAT
    # So that 3.0 of one table meets 3 of another.
    form = f"regexp_replace({text}, '\\.0$', '')" if floating else f"lower(trim({text}))"
    return f"left({text}, 500)", f"hash({form})"


def _values(
    connection: Any, source: str, columns: Sequence[tuple[str, str]], distinct: Sequence[int]
) -> list[Values]:
    """Each column's most frequent values and its sketch."""
    found: list[list[Any]] = [[] for _ in columns]
    # one statement for many columns: of small tables planning costs more than counting
    queries = (f"({_most_frequent(column, source, i)})" for i, column in enumerate(columns))
    for row in connection.execute(" UNION ALL ".join(queries)).fetchall():
        found[row[0]].append(row)
    return [
        _summary(connection, source, column, sorted(found[i], key=_rank), distinct[i])
        for i, column in enumerate(columns)
    ]


def _values_of_few(connection: Any, source: str, columns: Sequence[tuple[str, str]]) -> list[Values]:
    """The same for few rows: they are read as they are and counted here, which takes less than to plan a
    statement that counts.
    """
    pairs = (forms(*column) for column in columns)
    listed = ", ".join(f"{text} AS v{i}, {hashed} AS h{i}" for i, (text, hashed) in enumerate(pairs))
    rows = connection.execute(f"SELECT {listed} FROM {source}").fetchall()
    out = []
    for i in range(len(columns)):
        counts = Counter((row[2 * i], row[2 * i + 1]) for row in rows if row[2 * i] is not None)
        ranked = sorted(((0, v, n, h) for (v, h), n in counts.items()), key=_rank)
        hashes = sorted({h for _, h in counts})[:SKETCH_SIZE]
        told = tuple((v, n) for _, v, n, _ in ranked)
        out.append(Values(told, complete=True, sketch=np.array(hashes, dtype=np.uint64)))
    return out


def _rank(row: Any) -> tuple[int, str]:
    return -row[2], row[1]


def _most_frequent(column: tuple[str, str], source: str, number: int) -> str:
    text, hashed = forms(*column)
    return (
        f"SELECT {number} AS i, {text} AS v, count(*) AS n, {hashed} AS h FROM {source} "
        f"WHERE {quoted(column[0])} IS NOT NULL GROUP BY 2, 4 ORDER BY n DESC, v LIMIT {VALUE_LIMIT}"
    )


def _summary(
    connection: Any, source: str, column: tuple[str, str], found: list[Any], distinct: int
) -> Values:
    # All values are there: their hashes are the sketch, and nothing is read again.
    if distinct <= len(found):
        hashes = sorted({row[3] for row in found})[:SKETCH_SIZE]
    else:
        smallest = (
            f"SELECT DISTINCT {forms(*column)[1]} AS h FROM {source} WHERE {quoted(column[0])} IS NOT NULL "
            f"ORDER BY h LIMIT {SKETCH_SIZE}"
        )
        hashes = [row[0] for row in connection.execute(smallest).fetchall()]
    return Values(
        tuple((row[1], row[2]) for row in found), distinct <= len(found), np.array(hashes, dtype=np.uint64)
    )
