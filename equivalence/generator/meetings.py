"""Values of two types that are equal when they are compared, though of one of the types there are several.

    bigint = double precision     9007199254740992 and 9007199254740993 are one float
    timestamp = timestamptz       02:30 and 03:30 are one moment where the hour between is left out

A key of the one type is none for what it is compared with, and what equals one value of the other type need
not be equal. Owns which values show it. Must not know queries or servers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rewright.equivalence.generator.pools import Pool
from rewright.equivalence.generator.schema import ColumnShape, Shape
from rewright.equivalence.generator.zones import local_times_of_one_moment

Texts = Mapping[str, tuple[str, ...]]
_MEETINGS: tuple[Texts, ...] = (
    {"int8": ("9007199254740992", "9007199254740993"), "float8": ("9007199254740992",)},
    {"int8": ("9007199254740992", "9007199254740993"), "float4": ("9007199254740992",)},
    {"int4": ("16777216", "16777217"), "float4": ("16777216",)},
    {"numeric": ("0.1", "0.10000000000000000001"), "float8": ("0.1",)},
    {"numeric": ("0.1", "0.10000000149011612"), "float4": ("0.1",)},
)


def with_meetings(
    pools: Sequence[Sequence[Pool]],
    shape: Shape,
    used: Iterable[int],
    zone: str,
    beside: Texts,
    *,
    numbers: bool = True,
) -> tuple[tuple[Pool, ...], ...]:
    """The pools with such values where tables in use have columns of both types, and with those ``beside``
    changes of clocks, for which the session has its zone: these come first. ``numbers``: no query counts up
    to a number of theirs.
    """
    bases = {column.base for index in used for column in shape.tables[index].columns}
    more: dict[str, list[str]] = {base: list(texts) for base, texts in beside.items()}
    for meeting in (*(_MEETINGS if numbers else ()), _of_one_moment(zone)):
        if meeting and meeting.keys() <= bases:
            for base, texts in meeting.items():
                more.setdefault(base, []).extend(texts)

    def widened(pool: Pool, column: ColumnShape) -> Pool:
        # a domain or numeric(4, 1) may not take them
        if column.domain or (column.family == "numeric" and column.typmod != -1):
            return pool
        near = (*more.get(column.base, ()), *pool.near)
        family = (*beside.get(column.base, ()), *pool.family)
        return replace(pool, near=tuple(dict.fromkeys(near)), family=tuple(dict.fromkeys(family)))

    return tuple(
        tuple(widened(pool, column) for pool, column in zip(row, table.columns, strict=True))
        for row, table in zip(pools, shape.tables, strict=True)
    )


def _of_one_moment(zone: str) -> Texts:
    found = local_times_of_one_moment(zone)
    return {} if found is None else {"timestamp": found[:2], "timestamptz": found[2:]}
