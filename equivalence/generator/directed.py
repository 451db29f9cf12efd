"""Databases on which selective queries return rows: predicates solved, not guessed.

Owns turning models of `solver` into rows: one row for each range variable, the rows that their
foreign keys need, repetitions for groups. Must not know SQL texts or servers beyond the refuter it
serves.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation

from rewright.engines import clock
from rewright.equivalence.generator.databases import Database, canonical
from rewright.equivalence.generator.flatten import Flat, flatten
from rewright.equivalence.generator.pools import Pool
from rewright.equivalence.generator.schema import Shape, TableShape
from rewright.equivalence.generator.solver import Model, Problem
from rewright.equivalence.solving import Busy, solver_alone
from rewright.sql.algebra import Query, TableRef

_FILLS = 2
_REPEATS = 5
_MAX_SEEDS = 120
Cells = dict[int, str | None]


def directed_databases(
    shape: Shape,
    pools: Sequence[Sequence[Pool]],
    queries: Sequence[Query],
    *,
    seconds: float,
    seed: int = 0,
    sizes: Sequence[int] = (),
) -> list[Database]:
    """Seeds: databases that make the queries' conjuncts true together, or all but one.

    Empty when the queries say nothing that can be solved, or time is out.
    """
    deadline = clock.now() + seconds
    try:
        with solver_alone(seconds):
            return _solved(shape, pools, queries, deadline, seed, sizes)
    except Busy:
        return []


def _solved(
    shape: Shape,
    pools: Sequence[Sequence[Pool]],
    queries: Sequence[Query],
    deadline: float,
    seed: int,
    sizes: Sequence[int],
) -> list[Database]:
    maker = _Maker(shape, pools, random.Random(seed), tuple(sizes))  # noqa: S311 - test data
    found: list[Database] = []
    for query in queries:
        flat = flatten(query)
        if not flat.scans or len(flat.scans) > 24:
            continue
        problem = Problem(shape, pools, flat)
        for model in problem.models(deadline):
            found += maker.databases(flat, model)
            if len(found) > _MAX_SEEDS or clock.now() > deadline:
                return found
    return found


class _Maker:
    def __init__(
        self, shape: Shape, pools: Sequence[Sequence[Pool]], rnd: random.Random, sizes: tuple[int, ...]
    ) -> None:
        self.shape, self.pools, self.random, self.sizes = shape, pools, rnd, sizes

    def databases(self, flat: Flat, model: Model) -> Iterator[Database]:
        """The model's rows with the other cells filled in some ways, plain and with variables repeated."""
        rels = [rel for rel in flat.scans if self._index(flat.scans[rel]) is not None]
        for _ in range(_FILLS):
            yield self._database(flat, model, dict.fromkeys(rels, 1))
        for _ in range(_REPEATS if rels else 0):
            # groups as large as the constants of the queries ask for, and one more or less
            often = self.random.choice((2, 3, *(n + d for n in self.sizes for d in (-1, 0, 1))))
            if flat.counted and self.sizes and self.random.random() < 0.5:
                often = max(self.sizes) + self.random.choice((0, 1))
            grouped = [rel for rel in rels if any(r == rel for r, _ in flat.aggregated)]
            chosen = self.random.choice(grouped if grouped and self.random.random() < 0.6 else rels)
            times = dict.fromkeys(rels, 1) | {chosen: max(1, often)}
            if self.random.random() < 0.3:
                times[self.random.choice(rels)] = 2
            yield self._database(flat, model, times)

    def _index(self, ref: TableRef) -> int | None:
        return self.shape.find(ref.schema, ref.name)

    def _database(self, flat: Flat, model: Model, times: Mapping[int, int]) -> Database:
        tables: list[list[list[str | None]]] = [[] for _ in self.shape.tables]
        for rel, count in times.items():
            index = self._index(flat.scans[rel])
            assert index is not None
            varied = self._varied(index, [i for r, i in flat.aggregated if r == rel])
            for number in range(count):
                cells = {position: value for (r, position), value in model.items() if r == rel}
                if number and varied is not None:
                    cells[varied] = _moved(cells.get(varied), number)
                self._add(tables, index, cells, repeat=number > 0)
        return tuple(tuple(tuple(row) for row in rows) for rows in tables)

    def _add(
        self, tables: list[list[list[str | None]]], index: int, cells: Cells, *, repeat: bool, depth: int = 0
    ) -> None:
        """A row with these cells, unless one that fits is there; and the rows it refers to."""
        table = self.shape.tables[index]
        fixed = dict(cells)
        if repeat:
            for key in table.keys:
                for i in _told_apart(table, key.columns, cells):
                    fixed[i] = str(500 + len(tables[index]))
        row = [
            fixed.get(i, self._fill(index, i)) if not c.generated else None
            for i, c in enumerate(table.columns)
        ]
        for key in table.keys:
            twin = next((r for r in tables[index] if _same(table, key.columns, r, row)), None)
            if twin is not None:
                for i, value in fixed.items():
                    twin[i] = value
                return
        tables[index].append(row)
        if depth > 6:
            return
        for reference in table.references:
            values = [row[i] for i in reference.columns]
            if None in values:
                continue
            parent = dict(zip(reference.parent_columns, values, strict=True))
            there = any(all(r[i] == v for i, v in parent.items()) for r in tables[reference.parent])
            if not there:
                self._add(tables, reference.parent, parent, repeat=False, depth=depth + 1)

    def _varied(self, index: int, aggregated: list[int]) -> int | None:
        """A column in which repeated rows shall differ, mostly one; rather one that HAVING looks at."""
        table = self.shape.tables[index]
        if aggregated and self.random.random() < 0.7:
            return self.random.choice(aggregated)
        numbers = [i for i in table.stored if table.columns[i].family in {"int", "numeric"}]
        return self.random.choice(numbers) if numbers and self.random.random() < 0.8 else None

    def _fill(self, index: int, position: int) -> str | None:
        column, pool = self.shape.tables[index].columns[position], self.pools[index][position]
        if column.nullable and self.random.random() < 0.2:
            return None
        return self.random.choice(pool.family[:4] or (None,))


def _told_apart(table: TableShape, columns: Sequence[int], cells: Cells) -> list[int]:
    """The columns of a key in which a repeated row differs: rather none that the queries ask something of, as
    a join does.
    """
    numbers = [i for i in columns if table.columns[i].family in {"int", "numeric"}]
    free = [i for i in columns if i not in cells]
    return (
        [i for i in free if i in numbers] or [i for i in free if table.columns[i].family == "text"] or numbers
    )


def _moved(text: str | None, by: int) -> str:
    """A number moved, or a text made longer."""
    try:
        return format(Decimal(text or "0") + by, "f")
    except InvalidOperation:
        return f"{text}{by}"


def _same(
    table: TableShape, columns: tuple[int, ...], left: Sequence[str | None], right: Sequence[str | None]
) -> bool:
    shapes = table.columns
    return all(
        left[i] is not None and canonical(shapes[i], left[i]) == canonical(shapes[i], right[i])
        for i in columns
    )
