"""Constraints that a proof may lack: NOT NULL, divisors above 0, moments far from the ends of their
type.

Each is a statement for the owner of the table, a question whether stored rows keep it, and what a catalog
says that has it. Must not know rules or provers beyond the name under which a proof lists a constraint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pglast import ast

from rewright.equivalence.records import Assumption
from rewright.rewrite.adapters.describing import names_in, nodes_in
from rewright.sql.catalog import Catalog, Check, TableColumn
from rewright.sql.printer.names import quote_ident
from rewright.sql.records import Table

# what no span of a few thousand years, in either direction, takes out of the type
_CALENDAR = ("1000-01-01", "9000-01-01")
_OF_CALENDAR = frozenset({"date", "timestamp"})
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
            return f"ALTER TABLE {self._relation} ADD CHECK ({self.condition})"
        return f"ALTER TABLE {self._relation} ALTER COLUMN {quote_ident(self.column)} SET NOT NULL"

    def violation(self) -> str:
        """A query that has a row where a stored row does not keep it."""
        broken = f"not ({self.condition})" if self.condition else f"{quote_ident(self.column)} is null"
        return f"select 1 as one from {self._relation} where {broken} limit 1"

    def kept_by(self, table: Table) -> Table:
        """The table with the constraint."""
        if self.condition:
            return replace(table, checks=(*table.checks, Check(self._name, self.condition)))
        columns = tuple(replace(c, not_null=True) if c.name == self.column else c for c in table.columns)
        return replace(table, columns=columns)

    @property
    def _relation(self) -> str:
        return f"{quote_ident(self.schema)}.{quote_ident(self.table)}"

    @property
    def _name(self) -> str:
        # made up, and like no name that a constraint of the table has: those are found by their own
        return f"supposed of {self.column}: {self.condition}"


def missing(sql: str, tables: Iterable[Table]) -> tuple[Promise, ...]:
    """What tables could promise of the columns that ``sql`` mentions, and don't."""
    names, divisors = names_in(sql), _divisors(sql)
    return tuple(
        promise
        for table in tables
        # a view's columns cannot be altered, a foreign table's constraints are not checked
        if table.kind == "table"
        for column in table.columns
        if column.name in names
        for promise in _of(table, column, divisors)
    )


def supposed(catalog: Catalog, promises: Iterable[Promise]) -> Catalog:
    """The catalog as it were if they were all kept."""
    kept = {(t.ref.schema, t.ref.name): t for t in catalog.relations}
    for promise in promises:
        key = promise.schema, promise.table
        kept[key] = promise.kept_by(kept[key])
    return replace(catalog, relations=tuple(kept.values()))


def _of(table: Table, column: TableColumn, divisors: set[str]) -> Iterator[Promise]:
    schema, name, own = table.ref.schema, table.ref.name, quote_ident(column.name)
    if not column.not_null:
        yield Promise(schema, name, column.name)
    if not column.type.is_builtin:
        return
    if column.name in divisors and column.type.name in _NUMBERS:
        yield Promise(schema, name, column.name, f"{own} > 0")
    if column.type.name in _OF_CALENDAR:
        first, last = _CALENDAR
        yield Promise(schema, name, column.name, f"{own} BETWEEN '{first}' AND '{last}'")


def _divisors(sql: str) -> set[str]:
    """Last names of the columns that something is divided by."""
    found = set()
    for node in nodes_in(sql):
        if isinstance(node, ast.A_Expr) and node.name and node.name[-1].sval in {"/", "%"}:
            divisor = node.rexpr
            while isinstance(divisor, ast.TypeCast):
                divisor = divisor.arg
            match divisor:
                case ast.ColumnRef(fields=(*_, ast.String(sval=name))):
                    found.add(str(name))
    return found
