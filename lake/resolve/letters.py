"""What a query as written does with texts that stand for numbers or dates: it compares and sorts their
letters.

Owns finding such columns. Must not change the query: the client wrote it so, and is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sqlglot import exp

from rewright.engines.duckdb.errors import LakeError
from rewright.lake.catalog.model import Family, Noise
from rewright.lake.index import LakeIndex
from rewright.lake.resolve.imagined import ImaginedColumn, sites_of

_READABLE = frozenset({Noise.NUMBERS, Noise.FORMATTED, Noise.DATES})
_ORDERED = frozenset({"<", "<=", ">", ">="})
_ORDERS = re.compile(r"[<>]|\b(?:order|between|min|max)\b", re.IGNORECASE)
"""Some of these is in each statement that orders values."""


def may_compare(index: LakeIndex, sql: str) -> bool:
    """Could a statement order texts that stand for numbers or dates? Cheap: it is not parsed."""
    if _ORDERS.search(sql) is None:
        return False
    told = sql.lower()
    return any(
        column.family is Family.TEXT and _READABLE & set(column.noise)
        for name, table in index.tables.items()
        if name.lower() in told
        for column in table.columns
    )


def as_letters(index: LakeIndex, parse: Callable[[str], exp.Expression], sql: str) -> Iterator[str]:
    """A doubt for each column whose order the query asks for by letters although its texts are numbers or
    dates.
    """
    try:
        sites = sites_of(parse(sql))
    # a statement that does not parse is told of elsewhere
    except LakeError:
        return
    for site in sites:
        for relation in site.relations:
            table = index.table(relation.name)
            for column in relation.columns.values() if table is not None else ():
                real = table.column(column.name) if table is not None else None
                if real is None or real.family is not Family.TEXT or not _asks_order(column):
                    continue
                if _READABLE & set(index.soiled(real).noise):
                    kind = "dates" if real.meaning is Family.DATE else "numbers"
                    shown = f" like {real.samples[0][:30]!r}" if real.samples else ""
                    yield (
                        f"{real.table}.{real.name} is text{shown}: compared by letters, not as {kind} "
                        f"(rewright.lake = resolve reads them)"
                    )


def _asks_order(column: ImaginedColumn) -> bool:
    return column.extreme or column.sorted or any(test.op in _ORDERED for test in column.tests)
