"""Tables that are parts of one: same columns, names that differ in a year, a place, a code; and tables with a
column for each year or month.

Owns finding such families and the virtual table that unites each, with a column for what tells the parts
apart. Must not know queries.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rewright.engines.duckdb.quoting import literal, quoted
from rewright.lake import names
from rewright.lake.catalog.model import SKETCH_SIZE, VALUE_LIMIT, Column, Family, Table, Values
from rewright.lake.headings import Aligned, Contained, aligned, is_of_its_number, renamed, stem_of
from rewright.lake.noise.months import month_of

# a union of more branches takes longer to plan than to read
_MOST_PARTS = 400
_ALIKE = 0.8
_JUDGED = 3
"""Values from which on a column's kind can be told from how they are written."""


@dataclass(frozen=True, slots=True)
class UnitedTable:
    """A virtual table over `parts` (table name, the value of the `mark` column). Where a table has a column
    for each year or month (docs/decisions/0383 and 0712), it is every part, and `spreads` tells for each
    column of values which of the table's columns it is there: of `plan_2023`, `spent_2023` and so on, two.
    `called`: what parts under other headings call the columns. `marked`: the column of a part that is a
    folder's table which tells its own parts apart (docs/decisions/1680).
    """

    table: Table
    parts: tuple[tuple[str, str | int], ...]
    mark: str
    spreads: Mapping[str, Mapping[str | int, str]] = field(default_factory=dict)
    called: Mapping[str, Aligned] = field(default_factory=dict)
    marked: Mapping[str, str] = field(default_factory=dict)

    @property
    def value(self) -> str:
        """The column of values, where there is one; else empty."""
        return next(iter(self.spreads)) if len(self.spreads) == 1 else ""

    def sql(self, labels: Mapping[str | int, str] | None = None) -> str:
        """The SELECT that gives the virtual table's rows. `labels`: what marks are called instead."""
        shared = [c for c in self.table.columns if c.name not in {self.mark, *self.spreads}]
        branches = []
        for name, mark in self.parts:
            # marks that are no years are texts; `labels` call them as the client spells them
            told = str(mark) if isinstance(mark, int) else literal((labels or {}).get(mark, mark))
            listed = [f"{told} AS {quoted(self.mark)}", *(self._listed(name, c.name) for c in shared)]
            own = self.marked.get(name)
            where = f" WHERE {quoted(own)} = {_written(mark)}" if own else ""
            if self.spreads:
                held = {value: spread.get(mark) for value, spread in self.spreads.items()}
                listed += [f"{quoted(c) if c else 'NULL'} AS {quoted(value)}" for value, c in held.items()]
                # a row for each year that has a value: an empty cell is no row
                filled = [f"{quoted(c)} IS NOT NULL" for c in held.values() if c]
                where = f" WHERE {' OR '.join(filled) or 'FALSE'}"
            branches.append(f"SELECT {', '.join(listed)} FROM {quoted(name)}{where}")
        return " UNION ALL ".join(branches)

    def _listed(self, part: str, column: str) -> str:
        own, factor = self.called.get(part, {}).get(column, (column, 1.0))
        if factor != 1.0:
            # digits behind the last that a double is sure of come of the factor
            return f"round(CAST({quoted(own)} AS DOUBLE) * {factor!r}, 9) AS {quoted(column)}"
        return quoted(own) if own == column else f"{quoted(own)} AS {quoted(column)}"

    def part_names(self) -> list[str]:
        """The real tables, each once."""
        return list(dict.fromkeys(name for name, _ in self.parts))

    def held_in(self, column: str) -> list[tuple[str, str]]:
        """The real columns (table, name) that a column is made of; none for the mark."""
        if column == self.mark:
            return []
        if column in self.spreads:
            spread = self.spreads[column]
            return [(name, spread[mark]) for name, mark in self.parts if mark in spread]
        told = {name: self.called.get(name, {}).get(column, (column, 1.0)) for name in self.part_names()}
        return [(name, own) for name, (own, _) in told.items()]


def _written(mark: str | int) -> str:
    return str(mark) if isinstance(mark, int) else literal(mark)


def families(tables: list[Table], contained: Contained | None = None) -> list[UnitedTable]:
    """The families among the tables; each table is in at most one. `contained`: the share of a column's
    values that another one holds; without it files under other headings are left out.
    """
    by_columns: dict[frozenset[str], list[Table]] = defaultdict(list)
    # a view's rows are another table's already
    # by their columns first: tables of a family have the same ones
    for table in (t for t in tables if not t.derived):
        by_columns[frozenset(names.normal(c.name) for c in table.columns)].append(table)
    merged = _merged(by_columns)
    called = _under_other_headings(merged, contained) if contained is not None else {}
    groups = [group for group in merged if 2 <= len(group) <= _MOST_PARTS]
    found = [_united(sorted(group, key=lambda t: t.name)) for group in groups]
    found = [_with_names(united, called) if united is not None else None for united in found]
    found += _of_folders(merged, contained) if contained is not None else []
    found += [turned(table) for table in tables for turned in (_by_year, _by_month, _by_number)]
    return [united for united in found if united is not None]


def _under_other_headings(groups: list[list[Table]], contained: Contained) -> dict[str, Aligned]:
    """Put files that stand alone into the group of the files that their names only number them among, under
    the group's names for their columns. Returns what they call these.
    """
    places: dict[tuple[Path, str], list[list[Table]]] = defaultdict(list)
    for group in groups:
        for place in {(t.path.parent, stem_of(t.name)) for t in group if "#" in stem_of(t.name)}:
            places[place].append(group)
    called: dict[str, Aligned] = {}
    for beside in places.values():
        # the largest group says how the columns are called, of equal ones the one that is numbered last
        main = max(beside, key=lambda group: (len(group), max(t.name for t in group)))
        like = main[-1].columns
        for group in beside:
            if group is main or len(group) > 1 or is_of_its_number(group[0]):
                continue
            if (told := aligned(group[0], like, contained)) is not None:
                called[group[0].name] = told
                main.append(renamed(group.pop(), told))
    return called


def _with_names(united: UnitedTable, called: Mapping[str, Aligned]) -> UnitedTable:
    own = {name: called[name] for name in united.part_names() if name in called}
    return replace(united, called=own) if own else united


_FOLDERS_MARKS = ("part", "year")
"""What the column is called that tells apart the files of a folder that is one table."""


def _of_folders(groups: list[list[Table]], contained: Contained) -> list[UnitedTable]:
    """Folders that are one table, each with the files in it that are written under other headings."""
    alone = [group[0] for group in groups if len(group) == 1]
    folders = {t.path: t for t in alone if len(t.files) > 1 and t.columns[0].name in _FOLDERS_MARKS}
    beside: dict[Path, list[tuple[Table, Aligned]]] = defaultdict(list)
    for table in alone:
        if (folder := folders.get(table.path.parent)) is None or folder is table:
            continue
        stems = {stem_of(file.stem) for file in folder.files}
        if stem_of(table.path.stem) in stems:
            told = aligned(table, folder.columns[1:], contained)
            if told is not None:
                beside[folder.path].append((table, told))
    return [
        united for path, found in beside.items() if (united := _with_files(folders[path], found)) is not None
    ]


def _with_files(folder: Table, found: list[tuple[Table, Aligned]]) -> UnitedTable | None:
    mark = folder.columns[0]
    stems = [file.stem for file in folder.files]
    marks: list[str | int] = [int(stem) if mark.family is Family.INTEGER else stem for stem in stems]
    own: list[str | int] = [
        int(t.path.stem) if mark.family is Family.INTEGER else t.path.stem for t, _ in found
    ]
    parts = [replace(folder, columns=folder.columns[1:]), *(renamed(t, told) for t, told in found)]
    united = _united(parts)
    if united is None:
        return None
    first = replace(
        _mark_column(united.table.name, mark.name, [*marks, *own], united.table.rows), type=mark.type
    )
    table = replace(united.table, columns=(first, *united.table.columns[1:]))
    told_of = [
        *((folder.name, one) for one in marks),
        *((t.name, one) for (t, _), one in zip(found, own, strict=True)),
    ]
    return UnitedTable(
        table,
        tuple(told_of),
        mark.name,
        called={t.name: told for t, told in found},
        marked={folder.name: mark.name},
    )


def merged_values(parts: list[Values]) -> Values:
    """Values and sketch of a column over all parts."""
    counts: Counter[str] = Counter()
    for part in parts:
        counts.update(dict(part.counts))
    sketch = (
        # the smallest hashes of all parts are those of the whole: a sketch of a union is exact
        np.unique(np.concatenate([part.sketch for part in parts]))[:SKETCH_SIZE]
        if parts
        else np.zeros(0, dtype=np.uint64)
    )
    # where the parts hold too many together, some are cut off
    complete = all(part.complete for part in parts) and len(counts) <= VALUE_LIMIT
    return Values(tuple(counts.most_common(VALUE_LIMIT)), complete, sketch)


def _merged(by_columns: dict[frozenset[str], list[Table]]) -> list[list[Table]]:
    """Groups of equal column sets, small differences allowed where the names differ in a number only."""
    groups = [(keys, list(tables)) for keys, tables in by_columns.items()]
    out: list[tuple[frozenset[str], list[Table]]] = []
    stems: dict[str, int] = {}
    for keys, tables in groups:
        # digits are what tells them apart, so they are left out of the stem
        stem = re.sub(r"\d+", "#", names.normal(tables[0].name))
        at = stems.get(stem)
        if at is not None and "#" in stem and len(out[at][0] & keys) >= _ALIKE * len(out[at][0] | keys):
            out[at][1].extend(tables)
            continue
        stems.setdefault(stem, len(out))
        out.append((keys, tables))
    return [tables for _, tables in out]


def _united(group: list[Table]) -> UnitedTable | None:
    shared = [c for c in group[0].columns if all(t.column(c.name) is not None for t in group)]
    if len(shared) < 2 or not all(_same_kind(c, group) for c in shared):
        return None
    stem, marks = _marks([t.name for t in group])
    if stem is None and len(shared) < 4:
        # few columns agree by chance
        return None
    marks = _whole_years(stem, shared, marks)
    years = all(re.fullmatch(r"(?:1[5-9]|20|21)\d\d", mark) for mark in marks)
    mark = "year" if years else "part"
    while any(c.name.lower() == mark for c in shared):
        mark = f"{mark}_of_table"
    values: list[str | int] = [int(m) if years else m for m in marks]
    name = f"{stem or group[0].name}_all"
    rows = sum(t.rows for t in group)
    family = Family.INTEGER if years else Family.TEXT
    texts = sorted(str(v) for v in values)
    first = Column(
        name,
        mark,
        len(shared),  # behind the others, whose places are those in the parts: the first may be a key
        "BIGINT" if years else "VARCHAR",
        family,
        family,
        rows,
        0,
        len(set(values)),
        texts[0],
        texts[-1],
        tuple(texts[:12]),
    )
    columns = [first]
    for i, c in enumerate(shared):
        parts = _all_named(c.name, group)
        # the part with the most values says best how they are written
        told = c if _filled(c) >= _JUDGED else max(parts, key=_filled)
        columns.append(_column(name, i, replace(told, name=c.name), parts))
    table = Table(name, Path(), 0, 0, "", "", rows, tuple(columns), ("union",))
    return UnitedTable(table, tuple((t.name, v) for t, v in zip(group, values, strict=True)), mark)


# a name that ends in four digits of a year, whatever stands before
_YEAR_COLUMN = re.compile(r"^(?P<stem>.*?)[\s_.-]*[xXyY]?(?P<mark>(?:1[5-9]|20|21)\d\d)$")
_MONTH_COLUMN = re.compile(r"^(?P<stem>(?:.*[\s_.-])?)(?P<mark>[^\W\d_]{3,9}\.?)$")
_NUMBERED_COLUMN = re.compile(r"^(?P<stem>\D*?)[\s_.-]*(?P<mark>\d{1,2})$")
_PARTS_OF = {
    "month": ({12}, frozenset({"", "m", "mon", "month"})),
    "quarter": ({4}, frozenset({"q", "qtr", "quarter"})),
    "week": ({52, 53}, frozenset({"", "w", "wk", "week"})),
    "day": ({31}, frozenset({"", "d", "day"})),
}
"""How many parts of a year or a month there are, and what their columns are called besides the number."""
_LEAST_SPREAD = 3
"""Columns from which on a table is one of years, or months, across."""


def _by_year(table: Table) -> UnitedTable | None:
    """A table with a column of numbers for each year, as rows with a year."""
    return _turned(table, "year", _stems(table, _YEAR_COLUMN, lambda mark: (int(mark), int(mark))))


def _by_month(table: Table) -> UnitedTable | None:
    """A table with a column of numbers for each month, as rows with a month, called as its column is."""

    def read(mark: str) -> tuple[int, str] | None:
        month = month_of(mark)
        return None if month is None else (month, mark)

    return _turned(table, "month", _stems(table, _MONTH_COLUMN, read))


def _by_number(table: Table) -> UnitedTable | None:
    """A table with a column of numbers for each month, quarter, week or day, which only numbers tell: all of
    them and no others, as rows with that number.
    """
    stems = _stems(table, _NUMBERED_COLUMN, lambda mark: (int(mark), int(mark)))
    for mark, (counts, called) in _PARTS_OF.items():
        for stem, found in stems.items():
            told = " ".join(names.words(stem)) if stem else ""
            # all twelve months or four quarters, without a gap: anything else numbers something
            whole = len(found) in counts and set(found) == {*range(1, len(found) + 1)}
            if whole and (told in called or stem.lower() in called):
                return _turned(table, mark, {stem: found})
    return None


def _stems(
    table: Table, pattern: re.Pattern[str], read: Callable[[str], tuple[int, str | int] | None]
) -> dict[str, dict[int, tuple[str | int, str]]]:
    """What columns of numbers are called beside a year or month -> its number -> its mark and the column."""
    stems: dict[str, dict[int, tuple[str | int, str]]] = defaultdict(dict)
    for column in table.columns:
        match = pattern.match(column.name)
        # a column without values may be a month to come
        if match is None or not (column.meaning.numeric or not column.distinct):
            continue
        if (told := read(match["mark"])) is not None:
            stems[match["stem"].strip(" _.-")][told[0]] = told[1], column.name
    return stems


def _turned(
    table: Table, mark: str, stems: Mapping[str, Mapping[int, tuple[str | int, str]]]
) -> UnitedTable | None:
    widest = max(stems.values(), key=len, default={})
    marks = [widest[at][0] for at in sorted(widest)]
    kept = {
        _value_called(stem, table): dict(found[at] for at in sorted(found))
        for stem, found in stems.items()
        # fewer columns are years beside something, and marks that the widest stem lacks would be other years
        if len(found) >= _LEAST_SPREAD and {told for told, _ in found.values()} <= set(marks)
    }
    turned = {column for spread in kept.values() for column in spread.values()}
    rest = [c for c in table.columns if c.name not in turned]
    # of a column without values DuckDB does not know that it holds numbers
    full = {c.name for c in table.columns if c.distinct}
    spreads = {
        value: {told: column for told, column in spread.items() if column in full}
        for value, spread in kept.items()
    }
    # Many other columns say that the table is about something else, of which years are a part.
    if not _LEAST_SPREAD <= len(marks) <= _MOST_PARTS or not rest or len(rest) > len(marks) + 8:
        return None
    name, taken = f"{table.name}_by_{mark}", {c.name.lower() for c in rest}
    # a column that is called as the new one would be hidden, or hide it
    if mark in taken or not (taken | {mark}).isdisjoint(value.lower() for value in spreads):
        return None
    cells = {value: [c for c in table.columns if c.name in spread.values()] for value, spread in kept.items()}
    rows = max(sum(c.rows - c.nulls for c in held) for held in cells.values())
    columns = [
        _mark_column(name, mark, marks, rows),
        *(replace(c, table=name, position=i + 1, rows=rows) for i, c in enumerate(rest)),
        *(
            _value_column(name, value, len(rest) + 1 + i, held, rows)
            for i, (value, held) in enumerate(cells.items())
        ),
    ]
    virtual = Table(name, Path(), 0, 0, "", "", rows, tuple(columns), ("union",))
    return UnitedTable(virtual, tuple((table.name, one) for one in marks), mark, spreads)


_PARTS_OF_YEARS = {"year", "y", "yr", "x"}.union(*(called for _, called in _PARTS_OF.values()))


def _value_called(stem: str, table: Table) -> str:
    """`year_1985` says no more of what is counted than `1985` does: that the table says."""
    return stem if stem and not set(names.words(stem)) <= _PARTS_OF_YEARS else table.name


def _mark_column(table: str, mark: str, marks: list[str | int], rows: int) -> Column:
    years = isinstance(marks[0], int)
    family = Family.INTEGER if years else Family.TEXT
    return Column(
        table, mark, 0, "BIGINT" if years else "VARCHAR", family, family, rows, 0, len(marks), str(marks[0]),
        str(marks[-1]), tuple(str(one) for one in marks[:12]),
    )  # fmt: skip


def _value_column(table: str, value: str, position: int, cells: list[Column], rows: int) -> Column:
    integer = all(c.family is Family.INTEGER for c in cells if c.distinct)
    column = _column(table, position, cells[0], cells)
    return replace(column, name=value, type="BIGINT" if integer else "DOUBLE", nulls=0, rows=rows)


def _same_kind(column: Column, group: list[Table]) -> bool:
    """Could the column of that name be one of all tables? Two rows do not show how a column is written:
    tables with so few do not count against the others, where all are texts.
    """
    found = [c for c in _all_named(column.name, group) if c.distinct]
    judged = [c for c in found if _filled(c) >= _JUDGED] or found
    # numbers of any kind are one kind
    kinds = {c.meaning for c in judged}
    if len(kinds) > 1 and not all(kind.numeric for kind in kinds):
        return False
    texts = all(c.family is Family.TEXT for c in found)
    return texts or all(
        c.meaning in kinds or (c.meaning.numeric and any(kind.numeric for kind in kinds)) for c in found
    )


def _filled(column: Column) -> int:
    return column.rows - column.nulls


def _marks(table_names: list[str]) -> tuple[str | None, list[str]]:
    """What the names share, and what is left of each (the whole name, if they share nothing)."""
    # in lower case, as the same word may be spelt otherwise in another file's name
    split = [names.spaced(name).split() for name in table_names]
    folded = [[word.lower() for word in parts] for parts in split]
    common = [word for word in folded[0] if all(word in parts for parts in folded)]
    if not common:
        return None, list(table_names)
    rest = [" ".join(word for word in parts if word.lower() not in common) for parts in split]
    # Two names that differ in nothing else could not be told apart: the whole name tells each.
    if len(set(rest)) < len(rest) or not all(rest):
        return "_".join(common), list(table_names)
    return "_".join(common), [_as_written(name, told) for name, told in zip(table_names, rest, strict=True)]


_TWO_DIGITS = re.compile(r"1[3-9]|2\d|69|[789]\d|0\d|1[0-2]")
_NUMBERED, _PIVOT = 12, 69
"""Two digits up to which files are numbered or named by their month; POSIX's first two of the 1900s."""
_THINGS = frozenset(
    [
        *(
            "shop",
            "store",
            "branch",
            "ward",
            "district",
            "room",
            "sector",
            "site",
            "station",
            "plot",
            "region",
        ),
        *(
            "zone",
            "line",
            "route",
            "block",
            "version",
            "week",
            "day",
            "batch",
            "run",
            "part",
            "page",
            "chapter",
        ),
        *(
            "team",
            "group",
            "unit",
            "sensor",
            "node",
            "server",
            "gate",
            "lane",
            "line",
            "bus",
            "subject",
            "patient",
        ),
        *(
            "school",
            "class",
            "grade",
            "level",
            "game",
            "round",
            "experiment",
            "trial",
            "sample",
            "v",
            "no",
            "nr",
        ),
    ]
)
"""What is told apart by numbers."""


def _whole_years(stem: str | None, shared: list[Column], marks: list[str]) -> list[str]:
    """`97`, `98` and `00` as the years they are; `01`, `02` may count anything, shops and rooms have numbers,
    and a table with years of its own is of none.
    """
    # up to 12 they number months or files
    if not all(_TWO_DIGITS.fullmatch(mark) for mark in marks) or max(map(int, marks)) <= _NUMBERED:
        return marks
    # without 1970 to 1999 among them they may begin anywhere
    if min(map(int, marks)) <= _NUMBERED and not any(int(mark) >= _PIVOT for mark in marks):
        return marks
    told = {word for c in shared for word in names.words(c.name)}
    if "year" in told or set(names.words(stem or "")) & _THINGS:
        return marks
    return [f"{19 if int(mark) >= _PIVOT else 20}{mark}" for mark in marks]


def _as_written(name: str, told: str) -> str:
    """The words of a name with the hyphens, points and apostrophes between them there: `Chick Fil-A`."""
    match = re.search(r"[^A-Za-z0-9]+".join(re.escape(word) for word in told.split()), name)
    return match[0].replace("_", " ") if match is not None else told


def _all_named(name: str, group: list[Table]) -> list[Column]:
    return [found for t in group if (found := t.column(name)) is not None]


def _distinct(parts: list[Column], low: str | None, high: str | None) -> int:
    """How many different values the parts have together, as far as their profiles tell: numbers that tell the
    rows of each part apart tell all rows apart, where there is room for as many between the least and the
    greatest.
    """
    # without overlap each part adds its own
    rows = sum(p.rows for p in parts)
    keyed = all(p.unique and p.family is Family.INTEGER for p in parts)
    if keyed and float(high or 0) - float(low or 0) + 1 >= rows:
        return rows
    return max(p.distinct for p in parts)


def _column(table: str, position: int, first: Column, parts: list[Column]) -> Column:
    numbers = [b for p in parts if (b := p.bounds()) is not None]
    low, high = (first.minimum, first.maximum)
    if numbers and first.meaning.numeric:
        low, high = f"{min(n[0] for n in numbers):.15g}", f"{max(n[1] for n in numbers):.15g}"
    return Column(
        table, first.name, position, first.type, first.family, first.meaning, sum(p.rows for p in parts),
        sum(p.nulls for p in parts),
        _distinct(parts, low, high), low, high, first.samples,
        tuple(sorted({n for p in parts for n in p.noise})),
    )  # fmt: skip
