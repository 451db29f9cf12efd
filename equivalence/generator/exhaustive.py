"""All databases up to a number of rows, over a few values of each column.

Owns choosing the values and the largest bound whose databases are few enough. Must not know queries or
servers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rewright.equivalence.generator.databases import Database, Row, key_mark
from rewright.equivalence.generator.pools import Pool
from rewright.equivalence.generator.schema import Shape

_VALUES = 2
_MOST_ROWS = 3


@dataclass(frozen=True, slots=True)
class Bound:
    """Every database with at most ``rows`` rows in each table over ``values`` (by column) is in
    ``databases``.
    """

    rows: int
    values: Mapping[str, tuple[str | None, ...]]
    databases: tuple[Database, ...]


def all_small(
    shape: Shape,
    pools: Sequence[Sequence[Pool]],
    used: frozenset[int],
    idle: Sequence[Mapping[int, str | None]],
    *,
    most: int,
) -> Bound | None:
    """The databases of the largest bound that has at most ``most``; None when even
    one row a table has more.
    """
    domains = _domains(shape, pools, used, idle)
    sizes = [math.prod(len(values) for values in domains[index]) for index in sorted(used)]
    rows = max(
        (k for k in range(1, _MOST_ROWS + 1) if math.prod(_bags(size, k) for size in sizes) <= most),
        default=0,
    )
    if not rows or not used:
        return None
    values = {
        f"{table.name}.{table.columns[i].name}": domain
        for index in sorted(used)
        for table in (shape.tables[index],)
        for i, domain in enumerate(domains[index])
        if i not in idle[index] and not table.columns[i].generated
    }
    return Bound(rows, values, tuple(_databases(shape, used, domains, rows)))


def _bags(values: int, rows: int) -> int:
    """How many bags of at most ``rows`` out of ``values`` there are; of no values, only the empty one."""
    return 1 + sum(math.comb(values + n - 1, n) for n in range(1, rows + 1))


def _domains(
    shape: Shape,
    pools: Sequence[Sequence[Pool]],
    used: frozenset[int],
    idle: Sequence[Mapping[int, str | None]],
) -> dict[int, list[tuple[str | None, ...]]]:
    """Values by table and column; columns of one family share theirs, so that joins meet."""
    shared: dict[str, list[str]] = {}
    for index in sorted(used):
        for column, pool in zip(shape.tables[index].columns, pools[index], strict=True):
            shared.setdefault(column.family, []).extend([*pool.near[:1], *pool.family[:_VALUES]])
    found: dict[int, list[tuple[str | None, ...]]] = {}
    for index in used:
        found[index] = []
        for i, (column, pool) in enumerate(zip(shape.tables[index].columns, pools[index], strict=True)):
            takes = {*pool.family, *pool.near}
            values = [v for v in dict.fromkeys(shared[column.family]) if v in takes][:_VALUES]
            if i in idle[index] or column.generated:
                values = [] if column.nullable or column.generated else values[:1]
            found[index].append((*values, *((None,) if column.nullable or column.generated else ())))
    return found


def _databases(
    shape: Shape, used: frozenset[int], domains: Mapping[int, list[tuple[str | None, ...]]], rows: int
) -> Iterator[Database]:
    choices: list[list[tuple[Row, ...]]] = []
    for index, table in enumerate(shape.tables):
        if index not in used or not table.insertable:
            choices.append([()])
            continue
        possible = list(itertools.product(*domains[index]))
        choices.append(
            [
                bag
                for size in range(rows + 1)
                for bag in itertools.combinations_with_replacement(possible, size)
                if _keys_hold(shape, index, bag)
            ]
        )
    for database in itertools.product(*choices):
        if _references_hold(shape, database):
            yield database


def _keys_hold(shape: Shape, index: int, rows: Sequence[Row]) -> bool:
    table = shape.tables[index]
    for key in table.keys:
        marks = [key_mark(table, key.columns, row, key.nulls_distinct) for row in rows]
        known = [mark for mark in marks if mark is not None]
        if len(set(known)) < len(known):
            return False
    return True


def _references_hold(shape: Shape, database: Database) -> bool:
    for index, table in enumerate(shape.tables):
        for reference in table.references:
            there = {tuple(row[i] for i in reference.parent_columns) for row in database[reference.parent]}
            for row in database[index]:
                value = tuple(row[i] for i in reference.columns)
                if None not in value and value not in there:
                    return False
    return True
