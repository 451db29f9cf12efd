"""Constraints that a proof may lack (`rewright.equivalence.promises`), of the columns that a query mentions.

Must not know rules or provers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pglast import ast

from rewright.equivalence.promises import Promise, not_null, of_divisor, of_moment, supposed
from rewright.rewrite.adapters.describing import names_in, nodes_in
from rewright.sql.catalog import TableColumn
from rewright.sql.records import Table

__all__ = ["Promise", "missing", "supposed"]


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


def _of(table: Table, column: TableColumn, divisors: set[str]) -> Iterator[Promise]:
    asked = (
        not_null(table, column),
        of_divisor(table, column) if column.name in divisors else None,
        of_moment(table, column),
    )
    yield from (promise for promise in asked if promise is not None)


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
