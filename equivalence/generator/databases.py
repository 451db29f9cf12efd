"""Random databases that satisfy a schema's keys and references.

Owns the profiles (how many rows, how alike) and the filling of tables. Rows are tuples of texts
(None for NULL), one for each stored column. Checks are obeyed through `ValidRows`, tuples that the
server accepted; whatever slips through is thrown away when the database is loaded for real. Must
not know queries or servers.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from rewright.equivalence.generator.pools import Pool
from rewright.equivalence.generator.schema import ColumnShape, Reference, Shape, TableShape

Row = tuple[str | None, ...]
# rows of each table, by table index
Database = tuple[tuple[Row, ...], ...]
Cells = tuple[str | None, ...]
# table index -> (columns of the checks, tuples the checks accept, those with an extreme value)
ValidRows = Mapping[int, tuple[tuple[int, ...], Sequence[Cells], Sequence[Cells]]]

PROFILES = ("empty", "single", "tiny", "small", "alike", "groups", "sparse", "large")
_WEIGHTS = (1, 10, 30, 25, 15, 14, 8, 3)
_RETRIES = 4
# values that stand beside each other in a pool are close: how often only so many neighbours are in play
_CLOSE_SHARE = 0.15
_CLOSE = 8
# of chained rows, how often they are a ring: a recursive query that reaches it does not end
_RING_SHARE = 0.1
# in one database of so many keys follow each other without a gap: what is asked of neighbours needs several
_IN_A_ROW = 10
# how often a reference has another spelling of its parent's number
_RESPELLED_SHARE = 0.3


@dataclass(slots=True)
class Mood:
    """What is fixed for one database: its profile, the values in play, how many NULLs."""

    profile: str
    null_share: float
    extreme_share: float
    domains: dict[str, list[str]] = field(default_factory=dict)
    columns: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    group_size: int = 4
    # rows may violate DEFERRABLE constraints
    deferred: bool = False
    # of a seed row's cells, how many are kept
    seed_share: float = 1.0
    # rows of a table that refers to itself follow each other, the last one may be followed by the first
    chained: bool = False
    # the keys of a table's rows are numbers, or days, that follow each other
    in_a_row: bool = False


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
        self._made = 0
        # no row of a table that refers to itself may lead back to itself: recursion over such rows is endless
        self.acyclic = False
        self.used = closure(shape, used if used is not None else frozenset(range(len(shape.tables))))
        # columns that no query looks at and no constraint binds need no variety
        self.idle = [idle_columns(table, mentioned) for table in shape.tables]
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
            # a ring of rows only rarely: a recursive query over it may not end
            if mood.chained and not self.acyclic and self.random.random() < _RING_SHARE:
                self._close_ring(index, tables)
        return tuple(tuple(rows) for rows in tables)

    def _mood(self, profile: str) -> Mood:
        rnd = self.random
        mood = Mood(profile, rnd.choice((0.0, 0.0, 0.1, 0.3)), 0.15 if rnd.random() < 0.12 else 0.0)
        mood.seed_share = rnd.choice((1.0, 0.97, 0.9))
        mood.chained = rnd.random() < 0.2
        self._made += 1
        mood.in_a_row = self._made % _IN_A_ROW == 0
        mood.deferred = self.shape.deferrable and rnd.random() < 0.5
        # group sizes around the constants of HAVING and LIMIT, on either side of them
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
        if mood.in_a_row:
            styles = ["next" if _is_keyed(table, i) else style for i, style in enumerate(styles)]
        constants: dict[int, str | None] = {}
        made = self._columns(index, mood, styles, constants, wanted)
        rows = tables[index]
        if not (table.keys or table.references or seeds or index in self.valid):
            rows += made
            return
        taken: list[set[tuple[object, ...]]] = [set() for _ in table.keys]
        for number, first in enumerate(made):
            seed = seeds[number] if number < len(seeds) else None
            row = self._bound(index, tables, mood, list(first), seed)
            for attempt in range(_RETRIES):
                if row is None:
                    break
                marks = [key_mark(table, key.columns, row, key.nulls_distinct) for key in table.keys]
                clash = [
                    n
                    for n, mark in enumerate(marks)
                    if mark is not None
                    and mark in taken[n]
                    and not (mood.deferred and table.keys[n].deferrable)
                ]
                if clash:
                    for i in {i for n in clash for i in table.keys[n].columns}:
                        if not table.columns[i].generated:
                            row[i] = (
                                fresh_value(table.columns[i], number) if attempt else None
                            ) or self._cell(index, i, table.columns[i], mood, "pool", constants, number)
                    row = self._bound(index, tables, mood, row, None)
                    continue
                for mark, seen in zip(marks, taken, strict=True):
                    if mark is not None:
                        seen.add(mark)
                rows.append(tuple(row))
                break

    def _columns(
        self, index: int, mood: Mood, styles: list[str], constants: dict[int, str | None], wanted: int
    ) -> list[Row]:
        """Rows of free values, made column by column (many small tables: this is the hot loop)."""
        if wanted == 0:
            return []
        cells: list[list[str | None]] = []
        idle = self.idle[index]
        for i, column in enumerate(self.shape.tables[index].columns):
            if column.generated or i in idle:
                cells.append([self._unseen(index, i, column)] * wanted)
            elif styles[i] in {"constant", "count", "next"} or mood.extreme_share:
                # such values are made one by one
                cells.append(
                    [self._cell(index, i, column, mood, styles[i], constants, n) for n in range(wanted)]
                )
            else:
                cells.append(self._spread(index, i, column, mood, styles[i], wanted))
        return list(zip(*cells, strict=True))

    def _spread(
        self, index: int, position: int, column: ColumnShape, mood: Mood, style: str, wanted: int
    ) -> list[str | None]:
        """As `_cell`, for a whole column."""
        pool, rnd = self.pools[index][position], self.random
        source: Sequence[str | None] = (
            pool.near if style == "near" else pool.family if style == "pool" else ()
        )
        if not source:
            source = self._values(index, position, column, mood)
        found: list[str | None] = list(rnd.choices(source, k=wanted)) if source else [None] * wanted
        if column.nullable and mood.null_share:
            found = [None if rnd.random() < mood.null_share else value for value in found]
        return found

    def _unseen(self, index: int, position: int, column: ColumnShape) -> str | None:
        """The value of a column that nobody looks at."""
        # NULL where it may be, else always the first value
        if column.generated or column.nullable:
            return None
        return next(iter(self.pools[index][position].family), None)

    def _style(self, mood: Mood) -> str:
        roll = self.random.random()
        # groups and rows alike need columns with one value
        if mood.profile in {"groups", "alike"}:
            return (
                "constant" if roll < 0.6 else "count" if roll < 0.77 else "domain" if roll < 0.9 else "near"
            )
        return "domain" if roll < 0.6 else "near" if roll < 0.88 else "pool"

    def _bound(
        self, index: int, tables: list[list[Row]], mood: Mood, row: list[str | None], seed: Row | None
    ) -> list[str | None] | None:
        """The row with what its seed, the checks and the references say; None when a reference has no row."""
        table, rnd = self.shape.tables[index], self.random
        if seed is not None:
            for i, column in enumerate(table.columns):
                if not (column.generated or i in self.idle[index]) and rnd.random() < mood.seed_share:
                    row[i] = seed[i]
        # of tuples that the server has accepted, so that CHECKs hold
        if index in self.valid and self.valid[index][1] and (seed is None or rnd.random() < 0.2):
            columns, tuples, extreme = self.valid[index]
            if mood.extreme_share and extreme and rnd.random() < mood.extreme_share:
                tuples = extreme
            for i, value in zip(columns, rnd.choice(tuples), strict=True):
                row[i] = value
        for reference in table.references:
            if self._closed_later(index, reference):
                continue
            # a deferrable reference may dangle
            if mood.deferred and reference.deferrable and rnd.random() < 0.7:
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
        # counted days would seldom be near those that the queries name
        counted = _counted(column, number) if style in {"count", "next"} else None
        if counted is not None and (style == "next" or column.family not in {"date", "timestamp"}):
            return counted
        if column.nullable and mood.null_share and rnd.random() < mood.null_share:
            return None
        source: Sequence[str] = ()
        # near the ends of the type, where sums overflow
        if mood.extreme_share and pool.extreme and rnd.random() < mood.extreme_share:
            source = pool.extreme
        elif style == "near":
            source = pool.near
        elif style == "pool":
            source = pool.family
        source = source or self._values(index, position, column, mood)
        return source[int(rnd.random() * len(source))] if source else None

    def _values(self, index: int, position: int, column: ColumnShape, mood: Mood) -> list[str]:
        """The few values that this database uses for the column's family."""
        found = mood.columns.get((index, position))
        if found is None:
            found = mood.columns[index, position] = self._domain(index, position, column, mood)
        return found

    def _domain(self, index: int, position: int, column: ColumnShape, mood: Mood) -> list[str]:
        pool = self.pools[index][position]
        name = column.type if column.family in {"enum", "other"} else column.family
        shared = mood.domains.get(name)
        # few values in one database, so that rows meet
        if shared is None:
            size = self.random.choice((1, 2, 2, 3, 4))
            basic = pool.family[: 4 + len(column.labels)]
            source = basic if self.random.random() < 0.4 else pool.family
            # neighbours in the pool are values close to each other
            if len(source) > _CLOSE and self.random.random() < _CLOSE_SHARE:
                start = self.random.randrange(len(source) - _CLOSE + 1)
                source = source[start : start + _CLOSE]
            shared = self.random.choices(source, k=size) if source else []
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
            gone: list[int] = []
            for number, old in enumerate(tables[index]):
                row = list(old)
                if not self._refer(index, reference, tables, row, mood):
                    continue
                others = [r for i, r in enumerate(tables[index]) if i != number and i not in gone]
                if self._clashes(table, row, others):
                    # one parent for each child, where the reference is unique
                    self._refer_alone(reference, tables[reference.parent], row, others)
                if self._clashes(table, row, others):
                    row = [None if i in reference.columns else v for i, v in enumerate(old)]
                    # a row that nobody refers to may go; the others stay, and the server refuses the database
                    if self._clashes(table, row, others) and not self._referred(index, old, tables):
                        gone.append(number)
                tables[index][number] = tuple(row)
            tables[index] = [row for i, row in enumerate(tables[index]) if i not in gone]

    def _refer_alone(
        self, reference: Reference, parents: Sequence[Row], row: list[str | None], others: Sequence[Row]
    ) -> None:
        """Point the row to a parent that none of the other rows points to, where there is one."""
        taken = {tuple(other[i] for i in reference.columns) for other in others}
        values = [tuple(parent[i] for i in reference.parent_columns) for parent in parents]
        free = [value for value in values if value not in taken and None not in value]
        if free:
            for own, value in zip(reference.columns, self.random.choice(free), strict=True):
                row[own] = value

    def _close_ring(self, index: int, tables: list[list[Row]]) -> None:
        """Point the first row of a table that refers to itself to the last one, unless a key forbids it."""
        table, rows = self.shape.tables[index], tables[index]
        for reference in table.references:
            # a ring takes two rows at least
            if reference.parent != index or len(rows) < 2:
                continue
            row = list(rows[0])
            for own, theirs in zip(reference.columns, reference.parent_columns, strict=True):
                row[own] = rows[-1][theirs]
            if not self._clashes(table, row, rows[1:]):
                rows[0] = tuple(row)

    def _referred(self, index: int, row: Row, tables: Sequence[Sequence[Row]]) -> bool:
        """Whether some row points to this one."""
        return any(
            all(other[c] == row[t] for c, t in zip(reference.columns, reference.parent_columns, strict=True))
            for child, table in enumerate(self.shape.tables)
            for reference in table.references
            if reference.parent == index
            for other in tables[child]
        )

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
        # NULL in a nullable column of the reference: it refers to nothing
        if any(row[i] is None for i in reference.columns) and nullable:
            return True
        parents: Sequence[Sequence[str | None]] = tables[reference.parent]
        if reference.parent == index:
            # a row that refers to itself is a ring of one
            own = self.random.random() < 0.4 and not (mood.chained or self.acyclic)
            own |= not (parents or nullable)
            parents = [row] if own else parents[-1:] if mood.chained else parents
        parents = [p for p in parents if all(p[i] is not None for i in reference.parent_columns)]
        if not parents or (nullable and self.random.random() < mood.null_share):
            for i in nullable[:1]:
                row[i] = None
            return bool(nullable)
        # the row refers to a parent already, by a seed or a check
        for parent in parents:
            if all(
                parent[t] == row[c] for c, t in zip(reference.columns, reference.parent_columns, strict=True)
            ):
                return True
        chosen = self.random.choice(parents)
        for own_column, their_column in zip(reference.columns, reference.parent_columns, strict=True):
            row[own_column] = self._respelled(table.columns[own_column], chosen[their_column])
        return True

    def _respelled(self, column: ColumnShape, text: str | None) -> str | None:
        """A value that is equal to the parent's, now and then one that looks unlike."""
        plain = column.family == "numeric" and column.typmod == -1 and not column.domain
        if not (plain or column.family == "float") or self.random.random() >= _RESPELLED_SHARE:
            return text
        if column.family == "float":
            return "-0" if text == "0" else text
        # only figures: NaN and 1e5 have no decimals to add
        return text if text is None or not text.isdecimal() else f"{text}.0"


def without_rows(shape: Shape, database: Database, refused: Mapping[int, set[int]]) -> Database:
    """``database`` without the rows at these positions, and without what then refers to nothing."""
    tables = [
        [row for number, row in enumerate(rows) if number not in refused.get(index, ())]
        for index, rows in enumerate(database)
    ]
    changed = True
    # rows that are gone may take others with them
    while changed:
        changed = False
        for index, table in enumerate(shape.tables):
            for reference in table.references:
                if reference.deferrable:
                    continue
                there = {tuple(row[i] for i in reference.parent_columns) for row in tables[reference.parent]}
                kept = [
                    row
                    for row in tables[index]
                    if (value := tuple(row[i] for i in reference.columns)) in there or None in value
                ]
                changed |= len(kept) < len(tables[index])
                tables[index] = kept
    return tuple(tuple(rows) for rows in tables)


def _is_keyed(table: TableShape, position: int) -> bool:
    return any(position in key.columns for key in table.keys)


def _counted(column: ColumnShape, number: int) -> str | None:
    """The value of this number of a type that has a next one; None for others."""
    if column.domain:
        return None
    match column.family:
        case "int" | "numeric" | "float":
            return str(number)
        case "date" | "timestamp":
            return str(dt.date(2000, 1, 1) + dt.timedelta(days=number))
        case _:
            return None


def fresh_value(column: ColumnShape, number: int) -> str | None:
    """The value of this number of a type that has many; None for others."""
    if column.family == "text" and not column.domain and (column.typmod == -1 or column.typmod > 6):
        return f"k{number}"
    return _counted(column, number)


def idle_columns(table: TableShape, mentioned: frozenset[str] | None) -> dict[int, str | None]:
    """Positions of columns that nobody looks at, with NULL for each; none when ``mentioned`` is unknown."""
    # anything may be read (*, views): every column counts
    if mentioned is None:
        return {}
    bound = {i for key in table.keys for i in key.columns} | {i for c in table.checks for i in c.columns}
    bound |= {i for reference in table.references for i in reference.columns} | table.indexed
    return {
        i: None for i, column in enumerate(table.columns) if i not in bound and column.name not in mentioned
    }


def closure(shape: Shape, used: frozenset[int]) -> frozenset[int]:
    """``used`` tables, their inheritance children, and all that they reference."""
    todo, done = list(used), set()
    while todo:
        index = todo.pop()
        if index in done:
            continue
        done.add(index)
        todo += [reference.parent for reference in shape.tables[index].references]
        todo += shape.tables[index].relatives
    return frozenset(done)


def key_mark(
    table: TableShape, columns: tuple[int, ...], row: Sequence[str | None], nulls_distinct: bool
) -> tuple[object, ...] | None:
    """What two rows may not share; None when NULLs free the row from the key."""
    values = [canonical(table.columns[i], row[i]) for i in columns]
    # several NULLs are one key's business only under NULLS NOT DISTINCT
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
        # NaN equals itself, and 1.0 is 1
        return "nan" if number.is_nan() else number + 0
    if column.base == "bpchar":
        return text.rstrip(" ")
    if column.base == "varchar" and column.typmod > 4:  # blanks beyond the length are cut off
        return text[: column.typmod - 4] + text[column.typmod - 4 :].rstrip(" ")
    return text
