"""A lake's prepared query run to its end for who asks in this process, whichever engine runs it.

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
    """The rows of a prepared query, at most so many.

    :raises LakeError: with PostgreSQL's SQLSTATE.
    """
    running: Any
    match query:
        case Plan():
            running = Finishing(lake.database, dsn)
        case Explanation():
            running = Explaining(lake.database, dsn)
        case _:
            running = lake.database.query()
    found: list[tuple[Any, ...]] = []
    try:
        running.begin(query, ())
        while (limit is None or len(found) < limit) and (batch := running.take(limit or _BATCH)):
            found += batch
    finally:
        running.close()
    if isinstance(query, Plan):
        readers = [_READ.get(column.type_oid, str) for column in columns]
        found = [
            tuple(None if v is None else read(v) for read, v in zip(readers, row, strict=True))
            for row in found
        ]
    return Rows(tuple(c.name for c in columns), tuple(str(c.type_oid) for c in columns), found)
