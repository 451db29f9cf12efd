"""A lake's prepared query, run to its end for a caller in this process, whichever engine runs it.

Owns reading the rows as Python's values. It blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from rewright.engines.duckdb.database import Rows
from rewright.engines.duckdb.dialect.plans import Plan
from rewright.proxy.ports import ResultColumn
from rewright.wiring.lake_explaining import Explaining, Explanation
from rewright.wiring.lake_finishing import Finishing

_BATCH = 2000
_READ: Mapping[int, Callable[[str], Any]] = {
    16: lambda text: text == "t",
    **dict.fromkeys((20, 21, 23), int),
    **dict.fromkeys((700, 701), float),
    1700: Decimal,
}
"""How values that PostgreSQL gave as texts are read, by type OID."""


def read(
    lake: Any, dsn: str, query: object, columns: Sequence[ResultColumn], limit: int | None = None
) -> Rows:
    """The rows of a prepared query, at most so many, and whether there are more.

    :raises LakeError: with PostgreSQL's SQLSTATE.
    """
    return rows_of(running(lake, dsn, query), query, columns, limit)


def running(lake: Any, dsn: str, query: object) -> Any:
    """What runs a prepared query: PostgreSQL's part of it on the server at ``dsn``, or DuckDB alone."""
    match query:
        case Plan():
            return Finishing(lake.database, dsn)
        case Explanation():
            return Explaining(lake.database, dsn)
    return lake.database.query()


def rows_of(runner: Any, query: object, columns: Sequence[ResultColumn], most: int | None = None) -> Rows:
    """All rows, or the first ``most`` and whether there are more. Raises LakeError as `read` does."""
    found: list[tuple[Any, ...]] = []
    try:
        runner.begin(query, ())
        # one row more than is wanted tells whether there are more
        while batch := runner.take(_BATCH if most is None else min(_BATCH, most + 1 - len(found))):
            found += batch
            if most is not None and len(found) > most:
                break
    finally:
        runner.close()
    truncated = most is not None and len(found) > most
    if isinstance(query, Plan):
        found = _as_values(found, columns)
    names, types = tuple(c.name for c in columns), tuple(str(c.type_oid) for c in columns)
    return Rows(names, types, found[:most], truncated)


def _as_values(rows: Sequence[tuple[Any, ...]], columns: Sequence[ResultColumn]) -> list[tuple[Any, ...]]:
    readers = [_READ.get(column.type_oid, str) for column in columns]
    return [
        tuple(None if v is None else read(v) for read, v in zip(readers, row, strict=True)) for row in rows
    ]
