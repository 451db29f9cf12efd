"""What the planner knows of a database's data: row counts and column statistics.

Owns reading pg_class and pg_stats (PostgreSQL manual, "Statistics Used by the Planner"). pg_stats shows a
role only the columns it may read. Must not know what the figures are for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg

from rewright.sql.algebra import TableRef


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """``distinct``: number of distinct values (negative figures of pg_stats are already multiplied out).

    ``most_common`` and ``histogram`` are the values' text forms; ``frequencies`` belong to ``most_common``.
    ``correlation`` is between physical and logical order, -1 to 1.
    """

    null_fraction: float
    distinct: float
    width: int
    most_common: tuple[str, ...] = ()
    frequencies: tuple[float, ...] = ()
    histogram: tuple[str, ...] = ()
    correlation: float | None = None


@dataclass(frozen=True, slots=True)
class TableStatistics:
    """``rows`` and ``pages`` as of the last VACUUM or ANALYZE; ``rows`` is None when there was none."""

    rows: float | None
    pages: int
    columns: Mapping[str, ColumnStatistics]


TABLES = """
select n.nspname, c.relname, c.reltuples::float8, c.relpages
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'"""

# an inheritance parent has a row of its own and one for the whole tree, which wins
COLUMNS = """
select s.schemaname, s.tablename, s.attname, s.null_frac::float8, s.n_distinct::float8, s.avg_width,
  s.most_common_vals::text::text[], s.most_common_freqs::float8[], s.histogram_bounds::text::text[], s.correlation::float8
from pg_stats s where s.schemaname !~ '^pg_' and s.schemaname <> 'information_schema'
order by s.inherited"""


def statistics(connection: psycopg.Connection[Any]) -> Mapping[TableRef, TableStatistics]:
    """Of every table the connection's role can see; raises psycopg.Error."""
    tables: dict[TableRef, TableStatistics] = {}
    columns: dict[TableRef, dict[str, ColumnStatistics]] = {}
    for schema, name, rows, pages in connection.execute(TABLES).fetchall():
        known = columns.setdefault(TableRef(schema, name), {})
        tables[TableRef(schema, name)] = TableStatistics(None if rows < 0 else rows, pages, known)
    for schema, name, column, *values in connection.execute(COLUMNS).fetchall():
        ref = TableRef(schema, name)
        if ref in tables:
            columns[ref][column] = _column(tables[ref].rows, values)
    return tables


def _column(rows: float | None, values: list[Any]) -> ColumnStatistics:
    nulls, distinct, width, common, frequencies, histogram, correlation = values
    return ColumnStatistics(
        null_fraction=nulls,
        # negative: minus a fraction of the rows
        distinct=distinct if distinct >= 0 else -distinct * (rows or 0.0),
        width=width,
        most_common=tuple(common or ()),
        frequencies=tuple(frequencies or ()),
        histogram=tuple(histogram or ()),
        correlation=correlation,
    )
