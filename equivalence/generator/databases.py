"""Random databases that satisfy a schema's keys and references.

Owns the profiles (how many rows, how alike) and the filling of tables. Rows are tuples of texts
(None for NULL), one for each stored column. Checks are obeyed through `ValidRows`, tuples that the
server accepted; whatever slips through is thrown away when the database is loaded for real. Must
not know queries or servers.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from equivalence.generator.pools import Pool
from equivalence.generator.schema import ColumnShape, Reference, Shape, TableShape

Row = tuple[str | None, ...]
# rows of each table, by table index
Database = tuple[tuple[Row, ...], ...]
# table index -> (columns of the checks, tuples the checks accept)
ValidRows = Mapping[int, tuple[tuple[int, ...], Sequence[tuple[str | None, ...]]]]

PROFILES = ("empty", "single", "tiny", "small", "alike", "groups", "sparse", "large")
_WEIGHTS = (1, 10, 30, 25, 15, 14, 8, 3)
_RETRIES = 4


@dataclass(slots=True)
class Mood:
    """What is fixed for one database: its profile, the values in play, how many NULLs."""

    profile: str
    null_share: float
    extreme_share: float
    domains: dict[str, list[str]] = field(default_factory=dict)
    columns: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    group_size: int = 4
    # of a seed row's cells, how many are kept
    seed_share: float = 1.0


class Generator:
    """Databases for one shape and one pair of queries. Deterministic in ``seed``."""

    def __init__(
        self,
        shape: Shape,
        pools: Sequence[Sequence[Pool]],
        *,
        used: frozenset[int] | None = None,
        sizes: Sequence[int] = (),
        valid: ValidRows | None = None,
        mentioned: frozenset[str] | None = None,
        seed: int = 0,
    ) -> None:
        self.shape = shape
        self.pools = pools
        self.sizes = tuple(sizes)
        self.valid = valid or {}
        self.random = random.Random(seed)  # noqa: S311 - test data
        self.used = closure(shape, used if used is not None else frozenset(range(len(shape.tables))))
        # columns that no query looks at and no constraint binds need no variety
        self._idle = [idle_columns(table, mentioned) for table in shape.tables]
        self._known = [[frozenset(pool.family) for pool in table] for table in pools]
        self._order = tuple(i for i in shape.order if i in self.used)

    def database(self, profile: str | None = None, seeds: Database | None = None) -> Database:
        """One database; ``seeds`` are rows to begin with (changed a little)."""
        mood = self._mood(profile or self.random.choices(PROFILES, _WEIGHTS)[0])
        tables: list[list[Row]] = [[] for _ in self.shape.tables]
        for index in self._order:
            self._fill(index, tables, mood, seeds[index] if seeds else ())
        for index in self._order:
            self._close_cycles(index, tables, mood)
        return tuple(tuple(rows) for rows in tables)

    def _mood(self, profile: str) -> Mood:
        rnd = self.random
        mood = Mood(profile, rnd.choice((0.0, 0.0, 0.1, 0.3)), 0.15 if rnd.random() < 0.08 else 0.0)
        mood.seed_share = rnd.choice((1.0, 0.97, 0.9))
        if self.sizes:
            mood.group_size = max(1, rnd.choice(self.sizes) + rnd.choice((-1, 0, 1, 1, 2)))
        return mood

    def _count(self, mood: Mood) -> int:
        rnd = self.random
        match mood.profile:
            case "empty":
                return 0
            case "single":
                return 1
            case "tiny":
                return rnd.choice((0, 1, 1, 2, 2, 3))
            case "small":
                return rnd.randint(2, 6)
            case "alike":
                return rnd.randint(1, 5)
            case "groups":
                return rnd.choice((1, 1, 2, mood.group_size, mood.group_size))
            case "sparse":
                return rnd.choice((0, 0, 1, 4))
            case _:
                return rnd.randint(8, 20)

    # -- one table

    def _fill(self, index: int, tables: list[list[Row]], mood: Mood, seeds: Sequence[Row]) -> None:
        table = self.shape.tables[index]
        if not table.insertable:
            return
        wanted = max(self._count(mood), len(seeds))
        styles = [self._style(mood) for _ in table.columns]
        constants: dict[int, str | None] = {}
        taken: list[set[tuple[object, ...]]] = [set() for _ in table.keys]
        rows = tables[index]
        for number in range(wanted):
            for _ in range(_RETRIES):
                seed = seeds[number] if number < len(seeds) else None
                row = self._row(index, tables, mood, styles, constants, number, seed)
                if row is None:
                    break
                marks = [key_mark(table, key.columns, row, key.nulls_distinct) for key in table.keys]
                clash = any(mark in seen for mark, seen in zip(marks, taken, strict=True) if mark is not None)
                if clash:
                    continue
                for mark, seen in zip(marks, taken, strict=True):
                    if mark is not None:
                        seen.add(mark)
                rows.append(tuple(row[i] for i in range(len(row))))
                break

    def _style(self, mood: Mood) -> str:
        if mood.profile in {"groups", "alike"}:
            return self.random.choices(("constant", "count", "domain", "near"), (60, 17, 13, 10))[0]
        return self.random.choices(("domain", "near", "pool"), (60, 28, 12))[0]

    def _row(
        self,
        index: int,
        tables: list[list[Row]],
        mood: Mood,
        styles: list[str],
        constants: dict[int, str | None],
        number: int,
        seed: Row | None,
    ) -> list[str | None] | None:
        table = self.shape.tables[index]
        row: list[str | None] = [None] * len(table.columns)
        idle = self._idle[index]
        for i, column in enumerate(table.columns):
            if column.generated:
                continue
            if i in idle:
                row[i] = idle[i] if column.nullable else next(iter(self.pools[index][i].family), None)
                continue
            if seed is not None and self.random.random() < mood.seed_share:
                row[i] = seed[i]
                continue
            row[i] = self._cell(index, i, column, mood, styles[i], constants, number)
        if index in self.valid and self.valid[index][1] and (seed is None or self.random.random() < 0.2):
            columns, tuples = self.valid[index]
            for i, value in zip(columns, self.random.choice(tuples), strict=True):
                row[i] = value
        for reference in table.references:
            if self._closed_later(index, reference):
                continue
            if not self._refer(index, reference, tables, row, mood):
                return None
        return row

    def _cell(
        self,
        index: int,
        position: int,
        column: ColumnShape,
        mood: Mood,
        style: str,
        constants: dict[int, str | None],
        number: int,
    ) -> str | None:
        rnd = self.random
        pool = self.pools[index][position]
        if style == "constant":
            if position not in constants:
                constants[position] = self._cell(
                    index, position, column, mood, rnd.choice(("domain", "near")), constants, number
                )
            value = constants[position]
            if value is not None or column.nullable:
                return value
        if style == "count" and column.family in {"int", "numeric", "float"} and not column.domain:
            return str(number)
        if column.nullable and mood.null_share and rnd.random() < mood.null_share:
            return None
        if mood.extreme_share and pool.extreme and rnd.random() < mood.extreme_share:
            return rnd.choice(pool.extreme)
        if style == "near" and pool.near:
            return rnd.choice(pool.near)
        if style == "pool" and pool.family:
            return rnd.choice(pool.family)
        return self._from_domain(index, position, column, mood)

    def _from_domain(self, index: int, position: int, column: ColumnShape, mood: Mood) -> str | None:
        """A value of the few that this database uses for the column's family."""
        domain = mood.columns.get((index, position))
        if domain is None:
            domain = mood.columns[index, position] = self._domain(index, position, column, mood)
        return self.random.choice(domain) if domain else None

    def _domain(self, index: int, position: int, column: ColumnShape, mood: Mood) -> list[str]:
        pool = self.pools[index][position]
        name = column.type if column.family in {"enum", "other"} else column.family
        shared = mood.domains.get(name)
        if shared is None:
            size = self.random.choice((1, 2, 2, 3, 4))
            basic = pool.family[: 4 + len(column.labels)]
            source = basic if self.random.random() < 0.4 else pool.family
            shared = [self.random.choice(source) for _ in range(size)] if source else []
            mood.domains[name] = shared
        # another type of the family may not take them all
        return [value for value in shared if value in self._known[index][position]] or list(pool.family[:2])

    def _closed_later(self, index: int, reference: Reference) -> bool:
        """Whether the parent is filled after the child: the reference closes a cycle of tables."""
        return reference.parent != index and (index, reference.name) in self.shape.cyclic

    def _close_cycles(self, index: int, tables: list[list[Row]], mood: Mood) -> None:
        """Point the references of a cycle to rows that are there by now, unless a key forbids it."""
        table = self.shape.tables[index]
        for reference in table.references:
            if not self._closed_later(index, reference):
                continue
            for number, old in enumerate(tables[index]):
                row = list(old)
                if not self._refer(index, reference, tables, row, mood):
                    continue
                others = tables[index][:number] + tables[index][number + 1 :]
                if self._clashes(table, row, others):
                    row = [None if i in reference.columns else v for i, v in enumerate(old)]
                tables[index][number] = tuple(row)

    @staticmethod
    def _clashes(table: TableShape, row: list[str | None], others: Sequence[Row]) -> bool:
        for key in table.keys:
            mark = key_mark(table, key.columns, row, key.nulls_distinct)
            if mark is not None and any(
                mark == key_mark(table, key.columns, other, key.nulls_distinct) for other in others
            ):
                return True
        return False

    def _refer(
        self, index: int, reference: Reference, tables: list[list[Row]], row: list[str | None], mood: Mood
    ) -> bool:
        """Make the row point to a row of the parent (or nowhere); False when that is impossible."""
        table = self.shape.tables[index]
        nullable = [i for i in reference.columns if table.columns[i].nullable]
        if any(row[i] is None for i in reference.columns) and nullable:
            return True
        parents: Sequence[Sequence[str | None]] = tables[reference.parent]
        if reference.parent == index:
            own = self.random.random() < 0.4 or not parents
            parents = [row] if own else parents
        parents = [p for p in parents if all(p[i] is not None for i in reference.parent_columns)]
        if not parents or (nullable and self.random.random() < mood.null_share):
            for i in nullable[:1]:
                row[i] = None
            return bool(nullable)
        for parent in parents:
            if all(
                parent[t] == row[c] for c, t in zip(reference.columns, reference.parent_columns, strict=True)
            ):
                return True
        chosen = self.random.choice(parents)
        for own_column, their_column in zip(reference.columns, reference.parent_columns, strict=True):
            row[own_column] = chosen[their_column]
        return True


def idle_columns(table: TableShape, mentioned: frozenset[str] | None) -> dict[int, str | None]:
    """Positions of columns that nobody looks at, with NULL for each; none when ``mentioned`` is unknown."""
    if mentioned is None:
        return {}
    bound = {i for key in table.keys for i in key.columns} | {i for c in table.checks for i in c.columns}
    bound |= {i for reference in table.references for i in reference.columns}
    return {
        i: None for i, column in enumerate(table.columns) if i not in bound and column.name not in mentioned
    }


def closure(shape: Shape, used: frozenset[int]) -> frozenset[int]:
    """``used`` tables and all that they reference."""
    todo, done = list(used), set()
    while todo:
        index = todo.pop()
        if index in done:
            continue
        done.add(index)
        todo += [reference.parent for reference in shape.tables[index].references]
    return frozenset(done)


def key_mark(
    table: TableShape, columns: tuple[int, ...], row: Sequence[str | None], nulls_distinct: bool
) -> tuple[object, ...] | None:
    """What two rows may not share; None when NULLs free the row from the key."""
    values = [canonical(table.columns[i], row[i]) for i in columns]
    if nulls_distinct and any(value is None for value in values):
        return None
    return tuple(values)


def canonical(column: ColumnShape, text: str | None) -> object:
    """Equal for values that the column's type calls equal, as far as texts show it."""
    if text is None:
        return None
    if column.family in {"numeric", "float", "int"}:
        try:
            number = Decimal(text)
        except InvalidOperation:
            return text.lower()
        return "nan" if number.is_nan() else number + 0
    if column.base == "bpchar":
        return text.rstrip(" ")
    return text
