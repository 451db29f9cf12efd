"""The tables of configured lakes and how they join, for pages. Must not open a lake: its index on disk is
enough.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from sqlite3 import Error
from typing import Any

from rewright.config.model import Config


def lake_rows(config: Config) -> list[dict[str, Any]]:
    """``database``, ``name``, ``path``, ``columns``, ``row_count`` of each table; a lake that can't be read
    has none.
    """
    found: list[dict[str, Any]] = []
    for name, path in _lakes(config):
        with contextlib.suppress(OSError, ValueError, ModuleNotFoundError, Error):
            found += [{"database": name, **row} for row in _tables(path)]
    return found


def lake_profile(config: Config, database: str, table: str) -> list[dict[str, Any]]:
    """The columns of one table: ``name``, ``type``, ``family``, ``meaning`` (after cleaning), ``rows``,
    ``nulls``, ``distinct``, ``minimum``, ``maximum``, ``noise`` (what has to be cleaned); none where it is
    not known.
    """
    for name, path in _lakes(config):
        if name == database:
            with contextlib.suppress(OSError, ValueError, ModuleNotFoundError, Error):
                return _columns(path, table)
    return []


def lake_joins(config: Config) -> list[dict[str, Any]]:
    """``database``, ``a``, ``b``, ``strength`` (Ω, 0 to 2) and ``columns`` ([a's, b's, strength], best first)
    of each join.
    """
    found: list[dict[str, Any]] = []
    for name, path in _lakes(config):
        with contextlib.suppress(OSError, ValueError, ModuleNotFoundError, Error):
            found += [{"database": name, **join} for join in _joins(path)]
    return found


def _lakes(config: Config) -> Iterator[tuple[str, str]]:
    """Name and path of each."""
    for name, one in config.databases.items():
        if one.engine in {"duckdb", "spark"}:
            yield name, one.path


def _joins(path: str) -> list[dict[str, Any]]:
    from rewright.lake.api import joins_of
    from rewright.lake.remote import local

    return [
        {"a": a, "b": b, "strength": strength, "columns": [list(pair) for pair in columns]}
        for a, b, strength, columns in joins_of(local(path))
    ]


def _columns(path: str, table: str) -> list[dict[str, Any]]:
    from rewright.lake.api import tables_of
    from rewright.lake.remote import local

    return [
        {
            "name": column.name,
            "type": column.type,
            "family": column.family.value,
            "meaning": column.meaning.value,
            "rows": column.rows,
            "nulls": column.nulls,
            "distinct": column.distinct,
            "minimum": column.minimum,
            "maximum": column.maximum,
            "noise": [one.value for one in column.noise],
        }
        for one in tables_of(local(path))
        if one.name == table
        for column in one.columns
    ]


def _tables(path: str) -> list[dict[str, Any]]:
    from rewright.lake.api import tables_of
    from rewright.lake.remote import local

    return [
        {
            "name": table.name,
            "path": table.path.name,
            "columns": ", ".join(column.name for column in table.columns),
            "row_count": table.rows,
        }
        for table in tables_of(local(path))
    ]
