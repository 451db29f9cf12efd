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
    scan = scan_of(connection, path)
    stat = path.stat()
    try:
        source = _copy(connection, scan, stat.st_size)
        columns, values = _columns(connection, name, source, scan)
        connection.execute("DROP TABLE IF EXISTS _profiled")
    except duckdb.Error as error:
        raise Unreadable(str(error).splitlines()[0][:300]) from error
    rows = columns[0].rows if columns else 0
    return Table(
        name, path, stat.st_size, stat.st_mtime_ns, digest, scan.sql, rows, tuple(columns), scan.notes
    ), values


def _copy(connection: Any, scan: Scan, size: int) -> str:
    if size > _COPY_BYTES:
        return scan.sql
    connection.execute(f"CREATE OR REPLACE TEMP TABLE _profiled AS SELECT * FROM {scan.sql}")
    return "_profiled"


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
    columns, values = [], {}
    for i, (name, type_name) in enumerate(scan.columns):
        filled, distinct, low, high = stats[i]
        family = family_of(type_name)
        held = _values(connection, source, name, family, distinct)
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


def _values(connection: Any, source: str, name: str, family: Family, distinct: int) -> Values:
    c = quoted(name)
    text = f"CAST({c} AS VARCHAR)"
    form = f"lower(trim({text}))" if family is not Family.FLOAT else f"regexp_replace({text}, '\\.0$', '')"
    found = connection.execute(
        f"SELECT left({text}, 500), count(*) AS n, hash({form}) FROM {source} WHERE {c} IS NOT NULL "
        f"GROUP BY 1, 3 ORDER BY n DESC, 1 LIMIT {VALUE_LIMIT}"
    ).fetchall()
    if distinct <= len(found):
        hashes = sorted({row[2] for row in found})[:SKETCH_SIZE]
    else:
        hashes = [
            row[0]
            for row in connection.execute(
                f"SELECT DISTINCT hash({form}) AS h FROM {source} WHERE {c} IS NOT NULL ORDER BY h LIMIT {SKETCH_SIZE}"
            ).fetchall()
        ]
    return Values(
        tuple((row[0], row[1]) for row in found), distinct <= len(found), np.array(hashes, dtype=np.uint64)
    )


def _short(value: str | None) -> str | None:
    return value[:200] if value is not None else None
