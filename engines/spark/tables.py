"""Files of a lake as Spark reads them: Parquet as it is, everything else converted to Parquet once a change.

Owns the conversion. CSV and JSON are read by DuckDB's robust scans, so that Spark sees the same columns,
types and values that the catalog knows. Must not know Spark.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import duckdb

from rewright.engines.duckdb.database import Source
from rewright.engines.duckdb.errors import translated
from rewright.engines.duckdb.quoting import literal, quoted

# what Spark's Parquet reader has no type for -> the nearest that it has
_CASTS: tuple[tuple[str, str], ...] = (
    (r"U?HUGEINT|BIGNUM|VARINT", "DECIMAL(38, 0)"),
    (r"TIMESTAMP_(?:NS|S|MS)", "TIMESTAMP"),
    (r"TIME(?:_NS| WITH TIME ZONE)?|INTERVAL|UUID|BIT|ENUM\(.*|JSON|\"?NULL\"?", "VARCHAR"),
)


def parquet_of(source: Source, cache: Path) -> Path:
    """The Parquet file of a table; written below ``cache`` (made if need be) when the table is not one
    itself.

    :raises LakeError: the file cannot be read, or the copy not written.
    """
    if source.path.name.lower().endswith(".parquet") and source.sql.startswith("read_parquet("):
        return source.path
    stamp = f"{source.path}\0{source.stamp()}\0{source.sql}"
    target = cache / f"{hashlib.blake2b(stamp.encode(), digest_size=12).hexdigest()}.parquet"
    if not target.exists():
        cache.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(f".{os.getpid()}.partial")
        _convert(source.sql, partial)
        partial.replace(target)
    return target


def _convert(scan: str, target: Path) -> None:
    connection = duckdb.connect(":memory:", config={"autoinstall_known_extensions": False})
    try:
        copied(connection, scan, target)
    except duckdb.Error as error:
        raise translated(error) from error
    finally:
        connection.close()


def copied(connection: duckdb.DuckDBPyConnection, scan: str, target: Path) -> None:
    """Write a table as Parquet of types that Spark has. Raises duckdb.Error."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()
    columns = ", ".join(_column(name, type_) for name, type_, *_ in described)
    connection.execute(f"COPY (SELECT {columns} FROM {scan}) TO {literal(target)} (FORMAT parquet)")


def _column(name: str, type_: str) -> str:
    column = quoted(name)
    if type_.startswith(("DATE", "TIMESTAMP")):
        infinite = "error('rewright:0A000:Spark has no infinite dates')"
        column = f"(CASE WHEN isfinite({column}) THEN {column} WHEN {column} IS NOT NULL THEN {infinite} END)"
    for pattern, cast in _CASTS:
        if re.fullmatch(pattern, type_):
            return f"CAST({column} AS {cast}) AS {quoted(name)}"
    return f"{column} AS {quoted(name)}"
