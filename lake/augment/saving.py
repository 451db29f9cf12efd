"""The augmented table as Parquet. Owns the file, whole or not at all; must not know how it was found."""

from __future__ import annotations

import csv
from contextlib import closing
from pathlib import Path

import duckdb

from rewright.engines.duckdb.quoting import literal, quoted
from rewright.lake.api import Lake
from rewright.lake.augment.base import AugmentError

_PORTION = 10_000
"""Rows carried over at once."""


def save(lake: Lake, sql: str, path: Path) -> int:
    """Write the augmented table as Parquet, whole or not at all; returns its rows.

    :raises AugmentError: the file cannot be written.
    """
    lake.database.load(list(lake.index.tables))
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        return _write(lake, sql, unfinished, path)
    except (OSError, duckdb.IOException) as error:
        raise AugmentError(f"{path} cannot be written: {error}", sqlstate="58030") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _write(lake: Lake, sql: str, unfinished: Path, path: Path) -> int:
    """The lake's own connection may write nothing: its rows go through a text file to one that may.

    Each value is written as DuckDB's text of it behind a letter, so that an empty text is not NULL.
    """
    rows = unfinished.with_name(unfinished.name + ".csv")
    try:
        with closing(lake.database.cursor("SELECT 1")) as cursor:
            described = [(quoted(row[0]), row[1]) for row in cursor.execute(f"DESCRIBE {sql}").fetchall()]
            texts = ", ".join(f"'t' || CAST({name} AS VARCHAR)" for name, _ in described)
            found = cursor.execute(f"SELECT {texts} FROM ({sql})")
            with rows.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                while portion := found.fetchmany(_PORTION):
                    writer.writerows(portion)
        columns = ", ".join(f"c{i}: 'VARCHAR'" for i in range(len(described)))
        values = ", ".join(
            f"CAST(substr(c{i}, 2) AS {kind}) AS {name}" for i, (name, kind) in enumerate(described)
        )
        read = (
            f"read_csv({literal(rows)}, columns={{{columns}}}, header=false, auto_detect=false, delim=',', "
            f"quote='\"', escape='\"', nullstr='')"
        )
        with duckdb.connect() as connection:
            count = connection.execute(
                f"COPY (SELECT {values} FROM {read}) TO {literal(unfinished)} (FORMAT parquet)"
            ).fetchall()[0][0]
    finally:
        rows.unlink(missing_ok=True)
    unfinished.replace(path)
    return int(count)
