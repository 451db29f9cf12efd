"""A base table of a PostgreSQL database, or a view: read once, profiled, put among the tables for one search.

Owns the copy and the view of the lake that knows it. A table of a database beside the lake is read with the
rights that every query of the lake's has there (docs/decisions/0185-postgresql-beside-the-lake.md), the
client's statement checked like one. One that is brought was read by whoever brings it, with the rights of who
asked. Must not know targets.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from rewright.engines.duckdb.errors import LakeError, translated
from rewright.engines.duckdb.quoting import quoted
from rewright.lake.api import Lake
from rewright.lake.catalog.profile import profiled_copy

COPY = "outside_rows"


@dataclass(frozen=True, slots=True)
class Brought:
    """A base table whose rows come from elsewhere: what they may show was decided there.

    `columns`: names and DuckDB types; `fill`: makes the temporary table of that name on a cursor, with these
    columns; `notes`: what is to be told of it.
    """

    columns: tuple[tuple[str, str], ...]
    fill: Callable[[Any, str], None]
    notes: tuple[str, ...] = ()


def is_outside(lake: Lake, table: str) -> bool:
    """Does the name say a view of the lake, or a table of a database beside it: ``database.table`` or
    ``database.schema.table``?
    """
    return lake.index.table(table) is None and (
        "." in table or isinstance(lake.database.definition(table), str)
    )


def without_schema(lake: Lake, table: str) -> str:
    """A table of the lake as it is called there, where its name says PostgreSQL's usual schema."""
    schema, _, name = table.partition(".")
    if schema.lower() == "public" and lake.index.table(table) is None and lake.index.table(name) is not None:
        return name
    return table


def relation_of(table: str) -> str:
    """The table as SQL names it."""
    return ".".join(quoted(part) for part in table.split("."))


def with_outside(lake: Lake, cursor: Any, table: str) -> Lake:
    """The lake with that table in its index, its rows as the cursor's temporary table COPY.

    :raises LakeError: there is no such table, it may not be read, or it is too large to be held.
    """
    relation = relation_of(table)
    try:
        described = lake.database.describe(f"SELECT * FROM {relation}")
    except LakeError as error:
        if error.sqlstate in {"42P01", "3F000", "42703"}:
            raise LakeError(
                f"neither the lake nor a database beside it has a table {table}", sqlstate="42P01"
            ) from error
        raise
    try:
        cursor.execute(f"CREATE OR REPLACE TEMP TABLE {COPY} AS SELECT * FROM {relation}")
    except duckdb.Error as error:
        raise translated(error) from error
    return _with_copy(lake, cursor, table, described)


def with_brought(lake: Lake, cursor: Any, table: str, brought: Brought) -> Lake:
    """The same for a table that is brought.

    :raises LakeError: it cannot be filled.
    """
    try:
        brought.fill(cursor, COPY)
    except duckdb.Error as error:
        raise translated(error) from error
    return _with_copy(lake, cursor, table, brought.columns)


def _with_copy(lake: Lake, cursor: Any, table: str, columns: Sequence[tuple[str, str]]) -> Lake:
    try:
        found, values = profiled_copy(cursor, table, COPY, columns)
    except duckdb.Error as error:
        raise translated(error) from error
    # before the table is there: the graph is the lake's own, and kept
    lake.build_graph()
    # the lake itself never knows of the table: other searches do not see it
    seen = copy.copy(lake)
    seen.index = lake.index.with_table(found, values)
    return seen
