"""Tables that are parts of one: same columns, names that differ in a year, a place, a code.

Owns finding such families and the virtual table that unites each, with a column for what tells the parts apart.
Must not know queries.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rewright.engines.duckdb.quoting import quoted
from rewright.lake import names
from rewright.lake.catalog.model import SKETCH_SIZE, VALUE_LIMIT, Column, Family, Table, Values

_MOST_PARTS = 400
_ALIKE = 0.8


@dataclass(frozen=True, slots=True)
class UnitedTable:
    """A virtual table over `parts` (table name → the value of the `mark` column)."""

    table: Table
    parts: tuple[tuple[str, str | int], ...]
    mark: str

    def sql(self) -> str:
        """The SELECT that gives the virtual table's rows."""
        shared = [c for c in self.table.columns if c.name != self.mark]
        branches = []
        for name, value in self.parts:
            told = str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
            listed = ", ".join(quoted(c.name) for c in shared)
            branches.append(f"SELECT {told} AS {quoted(self.mark)}, {listed} FROM {quoted(name)}")
        return " UNION ALL ".join(branches)


def families(tables: list[Table]) -> list[UnitedTable]:
    """The families among the tables; each table is in at most one."""
    by_columns: dict[frozenset[str], list[Table]] = defaultdict(list)
    for table in tables:
        by_columns[frozenset(names.normal(c.name) for c in table.columns)].append(table)
    groups = [group for group in _merged(by_columns) if 2 <= len(group) <= _MOST_PARTS]
    return [
        united for group in groups if (united := _united(sorted(group, key=lambda t: t.name))) is not None
    ]


def merged_values(parts: list[Values]) -> Values:
    """Values and sketch of a column over all parts."""
    counts: Counter[str] = Counter()
    for part in parts:
        counts.update(dict(part.counts))
    sketch = (
        np.unique(np.concatenate([part.sketch for part in parts]))[:SKETCH_SIZE]
        if parts
        else np.zeros(0, dtype=np.uint64)
    )
    complete = all(part.complete for part in parts) and len(counts) <= VALUE_LIMIT
    return Values(tuple(counts.most_common(VALUE_LIMIT)), complete, sketch)


def _merged(by_columns: dict[frozenset[str], list[Table]]) -> list[list[Table]]:
    """Groups of equal column sets, small differences allowed where the names agree but for a number."""
    groups = [(keys, list(tables)) for keys, tables in by_columns.items()]
    out: list[tuple[frozenset[str], list[Table]]] = []
    stems: dict[str, int] = {}
    for keys, tables in groups:
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
        0,
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
    columns = [first, *(_column(name, i + 1, c, group) for i, c in enumerate(shared))]
    table = Table(name, Path(), 0, 0, "", "", rows, tuple(columns), ("union",))
    return UnitedTable(table, tuple((t.name, v) for t, v in zip(group, values, strict=True)), mark)


def _same_kind(column: Column, group: list[Table]) -> bool:
    kinds = {found.meaning for t in group if (found := t.column(column.name)) is not None and found.distinct}
    return len(kinds) <= 1 or all(kind.numeric for kind in kinds)


def _marks(table_names: list[str]) -> tuple[str | None, list[str]]:
    """What the names share, and what is left of each (the whole name, if they share nothing)."""
    split = [names.normal(name).split() for name in table_names]
    common = [word for word in split[0] if all(word in parts for parts in split)]
    if not common:
        return None, list(table_names)
    rest = [" ".join(word for word in parts if word not in common) for parts in split]
    if len(set(rest)) < len(rest) or not all(rest):
        return "_".join(common), list(table_names)
    return "_".join(common), rest


def _column(table: str, position: int, first: Column, group: list[Table]) -> Column:
    parts = [found for t in group if (found := t.column(first.name)) is not None]
    numbers = [b for p in parts if (b := p.bounds()) is not None]
    low, high = (first.minimum, first.maximum)
    if numbers and first.meaning.numeric:
        low, high = f"{min(n[0] for n in numbers):g}", f"{max(n[1] for n in numbers):g}"
    return Column(
        table, first.name, position, first.type, first.family, first.meaning, sum(p.rows for p in parts), sum(p.nulls for p in parts),
        max(p.distinct for p in parts), low, high, first.samples, tuple(sorted({n for p in parts for n in p.noise})),
    )  # fmt: skip
