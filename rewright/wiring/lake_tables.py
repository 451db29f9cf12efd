"""The tables of configured lakes, for pages. Must not open a lake: its index on disk is enough."""

from __future__ import annotations

import contextlib
from typing import Any

from rewright.config.model import Config


def lake_rows(config: Config) -> list[dict[str, Any]]:
    """``database``, ``name``, ``path``, ``columns``, ``row_count`` of each table; a lake that can't be read has none."""
    found: list[dict[str, Any]] = []
    for name, one in config.databases.items():
        if one.engine in {"duckdb", "spark"}:
            with contextlib.suppress(OSError, ValueError, ModuleNotFoundError):
                found += [{"database": name, **row} for row in _tables(one.path)]
    return found


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
