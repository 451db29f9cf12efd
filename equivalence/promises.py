"""Constraints that a table does not have, as if it had them: NOT NULL, divisors above 0, moments far from the
ends of their type.

Each is a statement for the owner of the table, a question whether stored rows keep it, and what a catalog
says that has it. Must not know who looks at rows, nor what is proved with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rewright.equivalence.records import Assumption
from rewright.sql.catalog import Catalog, Check, TableColumn
from rewright.sql.printer.names import quote_ident
from rewright.sql.records import Table

# what no span of a few thousand years, in either direction, takes out of the type
_CALENDAR = ("1000-01-01", "9000-01-01")
# behind the literals of each type: with a zone of their own they are the same moments in every session
_OF_CALENDAR = {"date": "", "timestamp": "", "timestamptz": " 00:00:00+00"}
_NUMBERS = frozenset({"int2", "int4", "int8", "numeric"})


@dataclass(frozen=True, slots=True)
class Promise:
    """One constraint of a table that it does not have. ``condition``: of its CHECK; empty: NOT NULL."""

    schema: str
    table: str
    column: str
    condition: str = ""

    def __str__(self) -> str:
        """As it is spoken of."""
        name = f"{self.schema}.{self.table}"
        return (
            f"CHECK ({self.condition}) on {name}" if self.condition else f"NOT NULL on {name}.{self.column}"
        )

    @property
    def fact(self) -> str:
        """As a proof names it."""
        name = f"{self.schema}.{self.table}"
        if self.condition:
            return str(Assumption("check", name, (), self._name))
        return str(Assumption("not null", name, (self.column,)))

    def statement(self) -> str:
        if self.condition:
            return f"ALTER TABLE {self.relation} ADD CHECK ({self.condition})"
        return f"ALTER TABLE {self.relation} ALTER COLUMN {quote_ident(self.column)} SET NOT NULL"

    @property
    def broken(self) -> str:
        """The condition of rows that do not keep it."""
        return f"not ({self.condition})" if self.condition else f"{quote_ident(self.column)} is null"

    def violation(self) -> str:
        """A query that has a row where a stored row does not keep it."""
        return f"select 1 as one from {self.relation} where {self.broken} limit 1"

    def kept_by(self, table: Table) -> Table:
        """The table with the constraint."""
        if self.condition:
            return replace(table, checks=(*table.checks, Check(self._name, self.condition)))
        columns = tuple(replace(c, not_null=True) if c.name == self.column else c for c in table.columns)
        return replace(table, columns=columns)

    @property
    def relation(self) -> str:
        return f"{quote_ident(self.schema)}.{quote_ident(self.table)}"

    @property
    def _name(self) -> str:
        # made up, and like no name that a constraint of the table has: those are found by their own
        return f"supposed of {self.column}: {self.condition}"


def supposed(catalog: Catalog, promises: Iterable[Promise]) -> Catalog:
    """The catalog as it were if they were all kept."""
    kept = {(t.ref.schema, t.ref.name): t for t in catalog.relations}
    for promise in promises:
        key = promise.schema, promise.table
        kept[key] = promise.kept_by(kept[key])
    return replace(catalog, relations=tuple(kept.values()))


def is_looked_at(table: Table) -> bool:
    """Whether a statement's look finds every row that it reads of the table: not where row security shows a
    view's owner more than who asks, nor where another server has some.
    """
    own = table.kind in {"table", "partitioned"} and not table.foreign_children
    return own and not table.row_security


def of_moment(table: Table, column: TableColumn) -> Promise | None:
    """That a column's dates or moments are far from the ends of their type."""
    if not (column.type.is_builtin and column.type.name in _OF_CALENDAR):
        return None
    first, last = (day + _OF_CALENDAR[column.type.name] for day in _CALENDAR)
    return _check(table, column, f"BETWEEN '{first}' AND '{last}'")


def of_divisor(table: Table, column: TableColumn) -> Promise | None:
    """That a column's numbers are above 0."""
    number = column.type.is_builtin and column.type.name in _NUMBERS
    return _check(table, column, "> 0") if number else None


def not_null(table: Table, column: TableColumn) -> Promise | None:
    return None if column.not_null else Promise(table.ref.schema, table.ref.name, column.name)


def of_column(table: Table, column: TableColumn) -> Iterator[Promise]:
    """All that a table could promise of one of its columns, and does not."""
    yield from (p for p in (w(table, column) for w in (not_null, of_divisor, of_moment)) if p is not None)


def _check(table: Table, column: TableColumn, test: str) -> Promise:
    condition = f"{quote_ident(column.name)} {test}"
    return Promise(table.ref.schema, table.ref.name, column.name, condition)
