"""Profiling one file: load it once, count, sample, sketch, look for noise.

Owns the profiling SQL. Must not know where profiles are kept.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from engines.duckdb.quoting import quoted
from engines.duckdb.reading import Scan, Unreadable, scan_of
from lake.catalog.model import SKETCH_SIZE, VALUE_LIMIT, Column, Family, Noise, Table, Values
from lake.noise.detect import meaning_of, noise_of
from lake.noise.values import number_of

_COPY = "_profiled"
_COPY_BYTES = 256 << 20
_AT_ONCE = 24
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


def family_of(type_name: str) -> Family:
    """The family of a DuckDB type name."""
    if type_name.endswith("]") or type_name.startswith(("STRUCT", "MAP", "UNION", "JSON")):
        return Family.NESTED
    head = type_name.split("(", maxsplit=1)[0].split(" ", maxsplit=1)[0]
    return next((family for heads, family in _FAMILIES if head in heads), Family.TEXT)


def digest_of(path: Path) -> str:
    """A content hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


def profile(connection: Any, name: str, path: Path, digest: str) -> tuple[Table, dict[str, Values]]:
    """Profile one file.

    :raises Unreadable: it is no table.
    """
    stat = path.stat()
    copy = _COPY if stat.st_size <= _COPY_BYTES else ""
    scan = scan_of(connection, path, into=copy)
    try:
        columns, values = _columns(connection, name, copy or scan.sql, scan)
        connection.execute(f"DROP TABLE IF EXISTS {_COPY}")
    except duckdb.Error as error:
        raise Unreadable(str(error).splitlines()[0][:300]) from error
    rows = columns[0].rows if columns else 0
    return Table(
        name, path, stat.st_size, stat.st_mtime_ns, digest, scan.sql, rows, tuple(columns), scan.notes
    ), values


def _columns(connection: Any, table: str, source: str, scan: Scan) -> tuple[list[Column], dict[str, Values]]:
    # a few columns at a time: each needs a table of its distinct values
    rows, stats = 0, []
    for start in range(0, len(scan.columns), _AT_ONCE):
        part = scan.columns[start : start + _AT_ONCE]
        found = connection.execute(
            f"SELECT count(*), {', '.join(_statistics(*c) for c in part)} FROM {source}"
        ).fetchone()
        rows = found[0]
        stats += [found[1 + 4 * i : 5 + 4 * i] for i in range(len(part))]
    kept = _all_values(connection, source, scan, [found[1] for found in stats])
    columns, values = [], {}
    for i, (name, type_name) in enumerate(scan.columns):
        filled, distinct, low, high = stats[i]
        family = family_of(type_name)
        held = kept[i]
        noise = noise_of(held.counts, filled) if family is Family.TEXT else ()
        values[name] = held
        if Noise.NUMBERS in noise or Noise.FORMATTED in noise:
            low, high = _bounds(held)
        columns.append(
            Column(
                table,
                name,
                i,
                type_name,
                family,
                meaning_of(family, noise),
                rows,
                rows - filled,
                distinct,
                _short(low),
                _short(high),
                tuple(_short(v) or "" for v, _ in held.counts[:12]),
                noise,
                family is Family.TEXT and _digits(held),
            )
        )
    return columns, values


def _statistics(name: str, type_name: str) -> str:
    c = quoted(name) if family_of(type_name) is not Family.NESTED else f"CAST({quoted(name)} AS VARCHAR)"
    return f"count({c}), count(DISTINCT {c}), CAST(min({c}) AS VARCHAR), CAST(max({c}) AS VARCHAR)"


def _digits(found: Values) -> bool:
    told = [value for value, _ in found.counts[:50]]
    return bool(told) and sum(value.replace(".", "", 1).lstrip("-").isdigit() for value in told) >= 0.8 * len(
        told
    )


def _bounds(found: Values) -> tuple[str, str]:
    numbers = [number for value, _ in found.counts if (number := number_of(value)) is not None]
    return f"{min(numbers):.15g}", f"{max(numbers):.15g}"


def _all_values(connection: Any, source: str, scan: Scan, distinct: list[int]) -> list[Values]:
    """Each column's most frequent values and its sketch."""
    out: list[Values] = []
    at_once = _AT_ONCE if source == _COPY else 1
    for start in range(0, len(scan.columns), at_once):
        part = range(start, min(start + at_once, len(scan.columns)))
        # one statement for many columns: of small tables planning costs more than counting
        queries = (f"({_most_frequent(*scan.columns[i], source, i)})" for i in part)
        found: dict[int, list[Any]] = {i: [] for i in part}
        for row in connection.execute(" UNION ALL ".join(queries)).fetchall():
            found[row[0]].append(row)
        out += [
            _values(connection, source, scan.columns[i], sorted(found[i], key=_rank), distinct[i])
            for i in part
        ]
    return out


def _rank(row: Any) -> tuple[int, str]:
    return -row[2], row[1]


def _forms(name: str, type_name: str) -> tuple[str, str]:
    """A column as text, and as the text by which values of different columns are compared."""
    text = f"CAST({quoted(name)} AS VARCHAR)"
    floating = family_of(type_name) is Family.FLOAT
    return text, f"regexp_replace({text}, '\\.0$', '')" if floating else f"lower(trim({text}))"


def _most_frequent(name: str, type_name: str, source: str, number: int) -> str:
    text, form = _forms(name, type_name)
    return (
        f"SELECT {number} AS i, left({text}, 500) AS v, count(*) AS n, hash({form}) AS h FROM {source} "
        f"WHERE {quoted(name)} IS NOT NULL GROUP BY 2, 4 ORDER BY n DESC, v LIMIT {VALUE_LIMIT}"
    )


def _values(connection: Any, source: str, column: tuple[str, str], found: list[Any], distinct: int) -> Values:
    if distinct <= len(found):
        hashes = sorted({row[3] for row in found})[:SKETCH_SIZE]
    else:
        _, form = _forms(*column)
        smallest = (
            f"SELECT DISTINCT hash({form}) AS h FROM {source} WHERE {quoted(column[0])} IS NOT NULL "
            f"ORDER BY h LIMIT {SKETCH_SIZE}"
        )
        hashes = [row[0] for row in connection.execute(smallest).fetchall()]
    return Values(
        tuple((row[1], row[2]) for row in found), distinct <= len(found), np.array(hashes, dtype=np.uint64)
    )


def _short(value: str | None) -> str | None:
    return value[:200] if value is not None else None
