"""Make a counterexample small: fewer rows, then plainer values, as long as the two still differ.

Owns the order of attempts (delta debugging over rows, then cell by cell). The only judge is the
predicate it is given. Must not know servers.
"""

from __future__ import annotations

from collections.abc import Callable

from rewright.engines import clock
from rewright.equivalence.generator.databases import Database
from rewright.equivalence.generator.schema import ColumnShape, Shape

Still = Callable[[Database], bool]
_PLAIN: dict[str, tuple[str | None, ...]] = {
    "int": (None, "0", "1"),
    "numeric": (None, "0", "1"),
    "float": (None, "0", "1"),
    "text": (None, "", "a"),
    "bool": (None, "f"),
    "date": (None, "2000-01-01"),
    "timestamp": (None, "2000-01-01 00:00:00"),
}
_SMALL: dict[str, tuple[str, ...]] = {
    "int": ("0", "1", "2", "3", "4", "5", "6", "7"),
    "numeric": ("0", "1", "2", "3"),
    "text": ("a", "b", "c"),
    "date": ("2000-01-01", "2000-01-02"),
}


def shrink(shape: Shape, database: Database, still: Still, *, seconds: float = 2.0) -> Database:
    """A smaller database for which ``still`` holds; ``database`` itself when none is found in time."""
    deadline = clock.now() + seconds
    database = _fewer_rows(shape, database, still, deadline)
    database = _plainer_values(shape, database, still, deadline)
    database = _renamed_values(shape, database, still, deadline)
    return _plainer_values(shape, database, still, deadline)


def _fewer_rows(shape: Shape, database: Database, still: Still, deadline: float) -> Database:
    """Children before parents, halves before single rows, until nothing can go."""
    changed = True
    while changed and clock.now() < deadline:
        changed = False
        for index in reversed(shape.order):
            size = len(database[index])
            step = max(1, size // 2)
            while step and database[index] and clock.now() < deadline:
                start = 0
                while start < len(database[index]):
                    rows = database[index][:start] + database[index][start + step :]
                    trial = _with(database, index, rows)
                    if clock.now() < deadline and still(trial):
                        database, changed = trial, True
                    else:
                        start += step
                step //= 2
    return database


def _with(database: Database, index: int, rows: tuple[tuple[str | None, ...], ...]) -> Database:
    return (*database[:index], rows, *database[index + 1 :])


def _plainer_values(shape: Shape, database: Database, still: Still, deadline: float) -> Database:
    for index, table in enumerate(shape.tables):
        for number in range(len(database[index])):
            for position in table.stored:
                for value in _candidates(table.columns[position], database[index][number][position]):
                    if clock.now() > deadline:
                        return database
                    row = list(database[index][number])
                    row[position] = value
                    rows = (*database[index][:number], tuple(row), *database[index][number + 1 :])
                    trial = _with(database, index, rows)
                    if still(trial):
                        database = trial
                        break
    return database


def _renamed_values(shape: Shape, database: Database, still: Still, deadline: float) -> Database:
    """Odd values replaced everywhere at once (a key and what refers to it), by small ones."""
    for family, names in _SMALL.items():
        odd = {
            value
            for table, rows in zip(shape.tables, database, strict=True)
            for row in rows
            for column, value in zip(table.columns, row, strict=True)
            if column.family == family and value is not None and value not in names
        }
        for value in sorted(odd):
            for name in names:
                if clock.now() > deadline:
                    return database
                trial = _replaced(shape, database, family, value, name)
                if still(trial):
                    database = trial
                    break
    return database


def _replaced(shape: Shape, database: Database, family: str, old: str, new: str) -> Database:
    return tuple(
        tuple(
            tuple(
                new if value == old and column.family == family else value
                for column, value in zip(table.columns, row, strict=True)
            )
            for row in rows
        )
        for table, rows in zip(shape.tables, database, strict=True)
    )


def _candidates(column: ColumnShape, current: str | None) -> tuple[str | None, ...]:
    plain = _PLAIN.get(column.family, (None,))
    if current in plain:
        plain = plain[: plain.index(current)]
    return tuple(v for v in plain if v is not None or column.nullable)
