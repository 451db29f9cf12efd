"""What can be joined to a base table: tables and the keys to join them on.

Owns the candidates from the lake's join scores, with composite keys, and each family of unionable tables
counted once. Must not know the target or scores of regressions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rewright.engines.duckdb.errors import LakeError
from rewright.lake import names
from rewright.lake.api import Lake
from rewright.lake.augment.encoding import TIMES, Kind, key_kind
from rewright.lake.augment.kept import TableRows
from rewright.lake.augment.keyed import as_key, marks
from rewright.lake.augment.months import is_monthly, months_of, shared_months
from rewright.lake.augment.parts import PARTS
from rewright.lake.augment.periods import PERIODS, period_of
from rewright.lake.augment.spelling import Pairs, Spelled, better, kind_of, respelled
from rewright.lake.catalog.counting import family_of
from rewright.lake.catalog.model import Column, Family, Table
from rewright.lake.joins.meeting import Meeting
from rewright.lake.joins.scores import USELESS, Overlap, PairScore, comparable, joinable, overlap, year_like

# further keys of a table rarely bring other rows, and each costs an evaluation
_PER_TABLE = 3
_MOST_PAIRS = 3
_UNIQUE = 0.98
_SURELY_REPEATED = 0.9
"""A column with fewer different values per row than this is no key by itself, however it is cleaned."""
_MANY = 24
"""Joins of a table from which on the graph may have left some out."""
_SAME_NUMBERS = 0.9
"""The share of the smaller side's numbers that both have, from which on columns of one name may be parts of a
key.
"""
_SEVERAL = 2
"""Columns of the same names that two tables have, from which on they may have a key together."""
_MONTHS_SHARED = 0.3
"""The share of a base table's months that a table of days must be about."""
_FEW_KINDS = 12
_SMALL = 5000
_CONTAINED = 0.05
"""The share of the smaller side's values that two key columns must have in common."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One join: `pairs` of (column of `left`, column of `right`, as what they are compared)."""

    left: str
    right: str
    pairs: tuple[tuple[str, str, Kind], ...]
    quality: float

    def __str__(self) -> str:
        return f"{self.left} -> {self.right} on " + ", ".join(
            (a if a == b else f"{a} = {b}") + _by_parts(kind) for a, b, kind in self.pairs
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table and the chain of joins that leads to it from the base table."""

    hops: tuple[Hop, ...]

    @property
    def table(self) -> str:
        return self.hops[-1].right

    @property
    def tables(self) -> tuple[str, ...]:
        return (self.hops[0].left, *(hop.right for hop in self.hops))

    @property
    def path(self) -> str:
        return ", ".join(str(hop) for hop in self.hops)


class Candidates:
    """Joins from a table of the lake to the others."""

    def __init__(
        self,
        lake: Lake,
        base: str,
        rows: TableRows,
        hashes: Callable[[str, Kind], Any] | None = None,
        without: Collection[str] = (),
    ) -> None:
        """`hashes`: those of the base's values of a column as a key of a kind; `without`: columns of the base
        that nothing is joined on, since they are not known before what is to be predicted.
        """
        self._without = frozenset(without)
        self._lake = lake
        self._index = lake.index
        self._base = base
        self._rows = rows
        self._distinct: dict[tuple[str, tuple[tuple[str, Kind], ...]], int] = {}
        self._hops: dict[tuple[str, tuple[str, ...], tuple[str, ...]], tuple[Hop, ...]] = {}
        self._year_columns: dict[str, list[Column]] = {}
        self._as_keys: dict[str, list[Column]] = {}
        self._all_decimals: list[Column] | None = None
        self._months: list[tuple[Column, set[str]]] | None = None
        self._joins: dict[tuple[str, str, tuple[str, ...]], tuple[Hop, ...]] = {}
        self._parts = self._united_parts()
        self._hashes = hashes
        self._spelled: Spelled | None = None
        self._sketches: dict[tuple[str, str], Any] = {}
        self._meeting: Meeting | None = None
        self._held_by: dict[tuple[str, str], list[tuple[str, str]]] = {}
        self._by_name: dict[str, set[str]] | None = None
        self.failed: list[tuple[str, str]] = []
        """Joins of tables that cannot be read, and why."""

    def single(self, keys: Collection[str] = ()) -> list[Candidate]:
        """Tables joined directly, the most promising key first; `keys`: the base's columns to join on (none:
        any).
        """
        found = [Candidate((hop,)) for hop in self.hops(self._base, keys)]
        return sorted(found, key=lambda c: (-c.hops[0].quality, c.path))

    def hops(self, table: str, keys: Collection[str] = (), arrived: Collection[str] = ()) -> Iterator[Hop]:
        """The joins that lead away from a table. `arrived`: its columns by which a chain came to it; tables
        that share nothing else with it are not looked for beyond what the graph knows of.
        """
        allowed, by = tuple(sorted(keys)), tuple(sorted(arrived))
        if (table, allowed, by) not in self._hops:
            self._hops[table, allowed, by] = tuple(self._found(table, allowed, by))
        return iter(self._hops[table, allowed, by])

    def _found(self, table: str, allowed: Collection[str], arrived: Collection[str]) -> Iterator[Hop]:
        spelled = self._respelled(table, allowed, arrived)
        near = self._neighbours(table, allowed, arrived)
        # kinds and seasons that are spelled in other ways complete a key, they make none
        telling = (name for name, pairs in spelled.items() if not all(map(_only_completes, pairs.values())))
        for other in sorted({*near, *telling}):
            try:
                yield from self._between(table, other, allowed, spelled.get(other, {}))
            except LakeError as error:
                # its file is gone since the lake was opened, or is another: the others are looked at
                self.failed.append((f"{table} -> {other}", str(error)))

    def _between(
        self, table: str, other: str, allowed: Collection[str], spelled: Pairs
    ) -> tuple[Hop, ...] | Iterator[Hop]:
        """The joins of two tables, found once however a chain arrives; `spelled`: pairs of columns that are
        spelled in other ways.
        """
        told = (table, other, tuple(allowed))
        # Spellings depend on the column a chain arrived by, all else on the two tables alone.
        if not spelled and told in self._joins:
            return self._joins[told]
        pairs = better(self._pairs(table, other, allowed), spelled)
        hidden = self._without if table == self._base else ()
        pairs = [p for p in pairs if (not allowed or p.a.name in allowed) and p.a.name not in hidden]
        found = _keys(self._index.tables[table], self._index.tables[other], pairs, self._unique)
        if spelled:
            return found
        self._joins[told] = tuple(found)
        return self._joins[told]

    def _unique(self, columns: list[Column]) -> bool:
        """Do the columns together identify a row?"""
        table = self._index.tables[columns[0].table]
        if len(columns) == 1 and columns[0].distinct < _SURELY_REPEATED * table.rows:
            # values that are the same as they are written are one key
            return False
        keys = tuple((c.name, key_kind(c, c)) for c in columns)
        if (table.name, keys) not in self._distinct:
            self._distinct[table.name, keys] = self._rows.distinct(table.name, keys)[1]
        return self._distinct[table.name, keys] >= _UNIQUE * max(table.rows, 1)

    def _pairs(self, table: str, other: str, allowed: Collection[str]) -> list[PairScore]:
        if allowed:
            found = self._of_columns(table, other, allowed)
        else:
            found = [*self._index.pairs(table, other), *self._of_decimals(table, other)]
        found += self._of_marks(table, other, allowed)
        if table == self._base:
            found += self._of_days(other, allowed)
        # years complete a key whatever the scores say of them alone
        known = {(p.a.name, p.b.name) for p in found}
        for a in self._years(table):
            for b in self._years(other):
                score = self._of_years(a, b) if (a.name, b.name) not in known else None
                if score is not None:
                    found.append(score)
        return found

    def _of_years(self, a: Column, b: Column) -> PairScore | None:
        """Two columns of years. Of years that are names of columns or of files nothing is sketched: they are
        few, and compared as they are.
        """
        if not any(self._is_mark(column) for column in (a, b)):
            return self._index.overlapping(a, b)
        one, two = ({int(float(value)) for value, _ in self._index.values(c).counts} for c in (a, b))
        both = len(one & two)
        shared = Overlap(both / len(one | two), both / len(one), both / len(two)) if both else None
        return None if shared is None else self._index.scored(a, b, shared)

    def _is_mark(self, column: Column) -> bool:
        """Does the column say which part of a union a row is of?"""
        united = self._index.unions.get(column.table)
        return united is not None and column.name == united.mark

    def _years(self, table: str) -> list[Column]:
        if table not in self._year_columns:
            self._year_columns[table] = [c for c in self._columns(table) if year_like(c)]
        return self._year_columns[table]

    def _of_columns(self, table: str, other: str, allowed: Collection[str]) -> list[PairScore]:
        """The pairs of these columns alone: nothing is compared that may not be joined on."""
        return [
            pair
            for a in self._columns(table)
            if a.name in allowed and joinable(a)
            for b in self._columns(other)
            if joinable(b) and comparable(a, b)
            if (pair := self._index.overlapping(a, b)) is not None
        ]

    def _of_decimals(self, table: str, other: str) -> list[PairScore]:
        """The pairs of columns of which one is written with a decimal point, which the scores of the lake do
        not compare: those alone that are called alike, or refer to the same.
        """
        return [
            pair
            for a in self._columns(table)
            for b in self._columns(other)
            if (_decimal(a) or _decimal(b)) and joinable(a) and joinable(b)
            if _subject(a) == _subject(b) and comparable(a, b)
            if (pair := self._index.overlapping(a, b)) is not None
        ]

    def _of_marks(self, table: str, other: str, allowed: Collection[str]) -> list[PairScore]:
        """The pairs of columns of decimals that are called the same and have the same values, of which one of
        the tables has each once.
        """
        theirs = {c.name.lower(): c for c in self._index.tables[other].columns if c.family is Family.FLOAT}
        if not theirs:
            return []
        found = []
        for a in self._marks(table, allowed):
            b = theirs.get(a.name.lower())
            if b is None or max(a.uniqueness, b.uniqueness) < _UNIQUE:
                continue
            pair = self._index.overlapping(a, b)
            if pair is not None and _shared(pair) >= _SAME_NUMBERS:
                found.append(pair)
        return found

    def _marks(self, table: str, allowed: Collection[str]) -> list[Column]:
        """A table's columns of decimals that may name something."""
        columns = self._index.tables[table].columns
        return [c for c in columns if marks(c) and (not allowed or c.name in allowed)]

    def _of_days(self, other: str, allowed: Collection[str]) -> list[PairScore]:
        """The base's months beside the days of another table, which are summed up by month. Nothing is
        sketched of the months that days are in: when the first and the last of them are decides.
        """
        found = []
        for a, months in self._months_of_base(allowed):
            for b in self._index.tables[other].columns:
                shared = shared_months(months, b) if _says_days(b) else None
                if shared is not None and shared.a_in_b >= _MONTHS_SHARED:
                    found.append(self._index.scored(a, b, shared))
        return found

    def _dated(self, allowed: Collection[str]) -> set[str]:
        """Tables with days, where the base has months."""
        if not self._months_of_base(allowed):
            return set()
        return {c.table for c in self._index.columns if _says_days(c)}

    def _months_of_base(self, allowed: Collection[str]) -> list[tuple[Column, set[str]]]:
        """The base's columns that say months, and which."""
        if self._months is None:
            columns = [c for c in self._index.tables[self._base].columns if is_monthly(c)]
            told = ((c, months_of(c, [v for v, _ in self._index.values(c).counts])) for c in columns)
            self._months = [(c, months) for c, months in told if months]
        return [(c, months) for c, months in self._months if not allowed or c.name in allowed]

    def _of_same_marks(self, table: str, allowed: Collection[str]) -> set[str]:
        """Tables with a column of decimals that is called as one of the table's."""
        wanted = {c.name.lower() for c in self._marks(table, allowed)}
        if not wanted:
            return set()
        columns = (c for c in self._index.columns if c.family is Family.FLOAT and c.table != table)
        return {c.table for c in columns if c.name.lower() in wanted}

    def _columns(self, table: str) -> list[Column]:
        """A table's columns, as they are compared as keys."""
        if table not in self._as_keys:
            self._as_keys[table] = [as_key(column) for column in self._index.tables[table].columns]
        return self._as_keys[table]

    def _decimals(self, table: str, arrived: Collection[str]) -> set[str]:
        """Tables with a column that refers to what one of the table's does, where one of the two is written
        with a decimal point: the join graph knows nothing of these.
        """
        told = [c for c in self._columns(table) if c.numeral and joinable(c) and c.name not in arrived]
        if self._all_decimals is None:
            columns = (as_key(c) for c in self._index.columns if c.family is Family.FLOAT)
            self._all_decimals = [c for c in columns if _decimal(c)]
        wanted = set(map(_subject, told))
        found = {c.table for c in self._all_decimals if _subject(c) in wanted}
        mine = {_subject(c) for c in told if _decimal(c)}
        if mine:
            found |= {c.table for c in self._index.columns if c.numeral and _subject(c) in mine}
        return found - {table}

    def _neighbours(self, table: str, allowed: Collection[str], arrived: Collection[str]) -> list[str]:
        """Tables that share values with it: of the parts of a union only the union is listed."""
        joined = self._lake.joined(table)
        near = set(joined or ())
        # A table from outside is not in the graph, and of one with many joins the graph has left some out.
        if joined is None or len(near) >= _MANY:
            near |= self._sharing(table, allowed, arrived)
        near |= self._decimals(table, arrived)
        if table == self._base:
            near |= self._of_same_marks(table, allowed) | self._dated(allowed)
        if len(near) < _MANY:
            near |= self._namesakes(table) | self._alike(table, allowed, arrived)
        if arrived:
            near = self._beyond(table, arrived, near)
        found: set[str] = set()
        for name in near:
            found.add(self._parts.get(name, name))
        return sorted(found - {table, self._base})

    def _respelled(
        self, table: str, allowed: Collection[str], arrived: Collection[str]
    ) -> Mapping[str, Pairs]:
        """Tables with a key that is one of the table's once both are cleaned, and the pairs of columns."""
        if self._hashes is None:
            return {}
        hashes = self._hashes
        # The base's rows are those that the search is about; of other tables all rows count.
        if table != self._base:

            def hashes(column: str, kind: Kind) -> Any:
                return self._rows.hashes(table, [(column, kind)])

        columns = [
            c
            for c in self._index.tables[table].columns
            if joinable(c) and c.name not in arrived and (not allowed or c.name in allowed)
            if table != self._base or c.name not in self._without
        ]
        if self._spelled is None:
            self._spelled = Spelled(self._index, self._rows.spellings())
        try:
            found = respelled(self._index, columns, hashes, self._spelled, self._parts)
            return {
                name: {
                    at: p for at, p in pairs.items() if not _common(p.a) or _called_alike(p) or _monthly(p)
                }
                for name, pairs in found.items()
            }
        except LakeError as error:
            # its file is gone since the lake was opened, or is another: the graph knows its joins
            self.failed.append((table, str(error)))
            return {}

    def _namesakes(self, table: str) -> set[str]:
        """Tables with a number that is called as one of the table's keys: `shop` beside `shop_id`. Together
        with a year they may name a row, though alone they are what the graph takes for chance.
        """
        keys = [
            c for c in self._index.tables[table].columns if c.numeral and joinable(c) and not year_like(c)
        ]
        told = ((names.referred(c.name), bool(set(names.words(c.name)) & names.KEY_WORDS)) for c in keys)
        wanted = {name: keyed for name, keyed in told if name}
        found: set[str] = set()
        for name, other in self._index.tables.items() if wanted else ():
            for column in other.columns:
                keyed = wanted.get(names.referred(column.name)) if column.numeral else None
                if keyed is None or not joinable(column):
                    continue
                if keyed or set(names.words(column.name)) & names.KEY_WORDS:
                    found.add(name)
                    break
        return found

    def _beyond(self, table: str, arrived: Collection[str], near: set[str]) -> set[str]:
        """Of the tables `near` those that share a value with another of the table's columns than that by
        which a chain came: a step by that one alone goes back on itself. What unites several tables is not
        asked.
        """
        tables, found = self._index.tables, near & self._index.unions.keys()
        for column in self._columns(table):
            if not joinable(column) or column.name in arrived:
                continue
            for name, other_name in self._holding_a_value_of(column):
                if name in found or name not in near:
                    continue
                other = tables[name].column(other_name)
                if other is not None and joinable(b := as_key(other)) and comparable(column, b):
                    found.add(name)
        return found

    def _alike(self, table: str, allowed: Collection[str], arrived: Collection[str]) -> set[str]:
        """Tables with several columns that are called as columns of the table that may be keys: team, season
        and week. The graph keeps few edges of each such column alone, since all lists of teams are alike.
        """
        wanted = {
            names.normal(c.name)
            for c in self._index.tables[table].columns
            if joinable(c) and c.name not in arrived and (not allowed or c.name in allowed)
        }
        if len(wanted) < _SEVERAL:
            return set()
        called = self._called()
        told = Counter(name for word in wanted for name in called.get(word, ()))
        return {name for name, many in told.items() if many >= _SEVERAL}

    def ways(self, table: str, arrived: Collection[str]) -> tuple[list[Column], list[Column]]:
        """A table's columns by which a chain may go on that came by `arrived`: those that lead on by
        themselves alone, and those that another column may complete to a key of both (a year, or since
        another table has two columns that are called alike).
        """
        columns = [c for c in self._columns(table) if joinable(c) or year_like(c)]
        called = self._called()
        told = Counter(
            name for c in columns for name in called.get(names.normal(c.name), ()) if name != table
        )
        several = {name for name, many in told.items() if many >= _SEVERAL}
        # a year or a month completes a key
        dated = any(year_like(c) or key_kind(c, c) in TIMES for c in columns)
        alone: list[Column] = []
        together: list[Column] = []
        for column in columns:
            if column.name in arrived:
                continue
            completed = dated or several & called.get(names.normal(column.name), set())
            (together if completed or not joinable(column) else alone).append(column)
        return alone, together

    def _called(self) -> Mapping[str, set[str]]:
        """How a column is called -> the tables that have one which may be a key."""
        if self._by_name is None:
            self._by_name = defaultdict(set)
            for name, table in self._index.tables.items():
                for column in table.columns:
                    if joinable(column):
                        self._by_name[names.normal(column.name)].add(name)
        return self._by_name

    def _sharing(self, table: str, allowed: Collection[str], arrived: Collection[str]) -> set[str]:
        """Tables with a column that shares values with one of the table's keys, by the sketches of all
        columns, turned round once a search.

        The graph keeps the best edges of a column only, which are not all where hundreds of tables have the
        same key.
        """
        index = self._index
        # nothing is known of a table from outside: its small numbers are looked at, too
        every = self._lake.joined(table) is None
        # what is asked to be joined on is, however small its numbers are
        every = every or bool(allowed)
        keys = [
            c
            for c in index.tables[table].columns
            if joinable(c)
            and c.name not in arrived
            and (c.name in allowed if allowed else every or not _common(c))
        ]
        found: set[str] = set()
        for key in keys:
            mine = index.sketch(key)
            for name, column_name in self._holding_a_value_of(key):
                other = index.tables.get(name)
                column = (
                    None if other is None or name == table or name in found else other.column(column_name)
                )
                if column is None or not joinable(column) or (_common(column) and not every):
                    continue
                if not comparable(key, column):
                    continue
                shared = overlap(mine, self._sketches[name, column_name], key.distinct, column.distinct)
                if max(shared.a_in_b, shared.b_in_a) >= _CONTAINED:
                    found.add(name)
        return found

    def _holding_a_value_of(self, column: Column) -> list[tuple[str, str]]:
        """The lake's columns whose sketches share a value with this one's."""
        if self._meeting is None:
            self._sketches = self._index.sketches()
            self._meeting = Meeting(self._sketches)
        if column.key not in self._held_by:
            self._held_by[column.key] = self._meeting.of(self._index.sketch(column))
        return self._held_by[column.key]

    def _united_parts(self) -> dict[str, str]:
        """Part → the table that unites it; a union that holds the base table is not used, its parts are
        others' data.
        """
        return {
            part: name
            for name, united in self._index.unions.items()
            if self._base not in {p for p, _ in united.parts}
            for part, _ in united.parts
        }


def _keys(
    left: Table, right: Table, pairs: list[PairScore], unique: Callable[[list[Column]], bool]
) -> Iterator[Hop]:
    """Keys of two tables: each telling pair, completed by years and by further pairs while the right side is
    not unique.
    """
    telling = [p for p in pairs if p.quality > USELESS / 2 and not _period(p) and _shared(p) >= _CONTAINED]
    periods = [p for p in pairs if _period(p)]
    telling.sort(key=lambda p: (-p.quality, p.a.position, p.b.position))
    seen: set[tuple[tuple[str, str], ...]] = set()
    made = 0
    for first in telling:
        if made >= _PER_TABLE:
            break
        # numbers are called alike by chance, too: the key without them is another candidate
        texts = _completed(first, [p for p in telling if not p.a.meaning.numeric], periods, unique)
        for key in (_completed(first, telling, periods, unique), texts, [first]):
            told = tuple(sorted((p.a.name, p.b.name) for p in key))
            if told in seen:
                continue
            seen.add(told)
            made += 1
            yield _hop(left, right, key)
    # Times alone are a key of last resort, tried once; a month beside days is one whatever else there is.
    for pair in periods:
        if not telling or _monthly(pair):
            yield _hop(left, right, [pair])
            break


def _completed(
    first: PairScore,
    telling: list[PairScore],
    periods: list[PairScore],
    unique: Callable[[list[Column]], bool],
) -> list[PairScore]:
    key = [first]
    for pair in [*periods, *telling]:
        if any(pair.a.name == p.a.name or pair.b.name == p.b.name for p in key):
            continue
        if not (_period(pair) or _same_name(pair)):
            continue
        # asked last: the rows are read for it
        if len(key) >= _MOST_PAIRS or unique([p.b for p in key]):
            break
        key.append(pair)
    return key


def _same_name(pair: PairScore) -> bool:
    """Are the columns called alike, and, where they are numbers, mostly the same ones?"""
    if names.normal(pair.a.name) != names.normal(pair.b.name):
        return False
    return not pair.a.meaning.numeric or _shared(pair) >= _SAME_NUMBERS


def _only_completes(pair: PairScore) -> bool:
    """Is it no key by itself? Small numbers are one where the label before them says what they number."""
    return _common(pair.a) and not (kind_of(pair) == "bare" and _called_alike(pair))


def _called_alike(pair: PairScore) -> bool:
    """As `_same_name`, without words that say that it is a key."""
    if _subject(pair.a) != _subject(pair.b):
        return False
    return not pair.a.meaning.numeric or _shared(pair) >= _SAME_NUMBERS


def _by_parts(kind: Kind) -> str:
    """What is said of a key that is the first parts of a code."""
    parts = next((n for part, n in PARTS.items() if part == kind), 0)
    return "" if not parts else " (first part)" if parts == 1 else f" (first {parts} parts)"


def _decimal(column: Column) -> bool:
    """Is it an integer that is written with a decimal point?"""
    return column.family is Family.INTEGER and family_of(column.type) is Family.FLOAT


def _subject(column: Column) -> tuple[str, ...]:
    """What it is called, without words that say that it is a key: `meter` and `meter_id` are one."""
    words = names.words(column.name)
    return tuple(word for word in words if word not in names.KEY_WORDS) or words


def _common(column: Column) -> bool:
    """Kinds, years and small numbers: what many tables share without being about the same."""
    bounds = column.bounds() if column.numeral else None
    return column.distinct < _FEW_KINDS or (bounds is not None and bounds[1] <= _SMALL)


def _period(pair: PairScore) -> bool:
    return (year_like(pair.a) and year_like(pair.b)) or _monthly(pair)


def _monthly(pair: PairScore) -> bool:
    """Days of a table beside another's months, weeks or quarters."""
    kind = key_kind(pair.a, pair.b)
    if kind == "month":
        return is_monthly(pair.a) is not is_monthly(pair.b)
    return kind in PERIODS and period_of(pair.a) != period_of(pair.b)


def _says_days(column: Column) -> bool:
    """Is it a date, and not one of each month alone?"""
    return column.family is Family.DATE and not is_monthly(column)


def _shared(pair: PairScore) -> float:
    return max(pair.overlap.a_in_b, pair.overlap.b_in_a)


def _hop(left: Table, right: Table, key: list[PairScore]) -> Hop:
    pairs = tuple((p.a.name, p.b.name, kind_of(p)) for p in key)
    return Hop(left.name, right.name, pairs, max(p.quality for p in key))
