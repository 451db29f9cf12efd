"""Values for columns that CHECKs bind, which the server lets pass.

Owns what is tried for them. Must not know the queries beyond the pools of values.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from rewright.equivalence.generator.databases import Cells, ValidRows, closure
from rewright.equivalence.generator.pools import Pool
from rewright.equivalence.refuter.scratch_database import ScratchDatabase

_TRIED = 1500
# rows that are tried around each extreme value
_BESIDE_AN_EXTREME = 40


def valid_rows(
    scratch_db: ScratchDatabase, pools: Sequence[Sequence[Pool]], used: frozenset[int], seed: int
) -> ValidRows:
    """For each table with CHECKs, tuples of the checked columns that the server lets pass; those with an
    extreme value apart, which are for the databases that have some.
    """
    rnd = random.Random(seed)  # noqa: S311 - test data
    found: dict[int, tuple[tuple[int, ...], Sequence[Cells], Sequence[Cells]]] = {}
    for index in closure(scratch_db.shape, used):
        table = scratch_db.shape.tables[index]
        columns = tuple(sorted({i for check in table.checks for i in check.columns}))
        columns = tuple(i for i in columns if not table.columns[i].generated)
        if not columns:
            continue
        choices = [_choices(pools[index][i], nullable=table.columns[i].nullable) for i in columns]
        if not all(choices):
            continue
        tuples: list[Cells] = [tuple(rnd.choice(values) for values in choices) for _ in range(_TRIED)]
        extreme = _with_extremes(rnd, tuples, [pools[index][i].extreme for i in columns])
        plain, odd = (
            scratch_db.valid_tuples(index, columns, list(dict.fromkeys(some))) for some in (tuples, extreme)
        )
        found[index] = (columns, plain, odd)
    return found


def _with_extremes(
    rnd: random.Random, tuples: Sequence[Cells], extremes: Sequence[Sequence[str]]
) -> list[Cells]:
    """Some of the tuples with each extreme value in each place: what a CHECK says of a column's neighbour may
    let only a few of them pass.
    """
    return [
        (*cells[:place], value, *cells[place + 1 :])
        for place, values in enumerate(extremes)
        for value in values
        for cells in rnd.sample(tuples, min(_BESIDE_AN_EXTREME, len(tuples)))
    ]


def _choices(pool: Pool, *, nullable: bool) -> list[str | None]:
    values: list[str | None] = [*pool.near, *pool.near, *pool.family]
    return [*values, None] if nullable else values
