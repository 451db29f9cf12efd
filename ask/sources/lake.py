"""A data lake as something to ask about: its catalog and join graph in the words of a context; queries mean
what they mean in a session with the lake.

Owns that translation, and the port of who runs a query as a session does. Everybody who may use a lake sees
all of it, so there is one context for all. Must not know questions.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Protocol

import pglast

from rewright.ask.context import ColumnContext, Context, TableContext
from rewright.ask.context_reading import LONGEST_VALUE, VALUES_A_COLUMN, VALUES_IN_ALL
from rewright.ask.execution import ExecutionError, Limits, Rows
from rewright.ask.safety import Checked, check
from rewright.ask.sources.lake_joins import joins_of
from rewright.ask.sources.ties import places_for_ties
from rewright.engines.duckdb.database import Rows as Found
from rewright.engines.duckdb.errors import LakeError
from rewright.lake.api import Lake
from rewright.lake.catalog.model import Column, Family, Table
from rewright.sql.algebra import TableRef
from rewright.sql.binder.syntax import ast
from rewright.sql.parsing import nodes_of

SCHEMA = "public"
"""Stands before a table's name until the query is judged. A lake has no schemas; the server behind it has its
tables in this one.
"""
_TYPES: Mapping[Family, str] = {
    Family.INTEGER: "int8",
    Family.FLOAT: "float8",
    Family.TEXT: "text",
    Family.BOOLEAN: "bool",
    Family.DATE: "timestamp",
    Family.TIME: "time",
    Family.NESTED: "json",
}


class LakeAnswers(Protocol):
    """A lake's queries as PostgreSQL reads them (decision 0378). For one thread at a time."""

    def bind(self, sql: str, seconds: float) -> None:
        """Raises LakeError: it can't run, not with names resolved either."""
        ...

    def rows(self, sql: str, most: int, seconds: float) -> Found:
        """The first ``most`` rows, within ``seconds``. Raises LakeError, 57014 when time is up."""
        ...


class LakeSource:
    """One opened lake. Several threads may run queries, one after the other. ``state``: another text when its
    files have changed.
    """

    def __init__(
        self, lake: Lake, name: str, answers: LakeAnswers, state: str = "", limits: Limits | None = None
    ) -> None:
        self.lake = lake
        self.state = state
        self.limits = limits or Limits()
        self._answers = answers
        self._lock = threading.Lock()
        self._name = name
        self._context = context_of(lake, state)

    @property
    def context(self) -> Context:
        return self._context

    @property
    def name(self) -> str:
        return self._name

    def check(self, sql: str) -> Checked:
        # the schema was only for the check; the lake has no schemas
        return Checked(_without_schema(places_for_ties(check(sql).sql)))

    def weigh(self, query: Checked) -> None:
        """A lake has no costs to compare; a query that cannot be bound is reported."""
        try:
            with self._lock:
                self._answers.bind(query.sql, self.limits.seconds)
        except LakeError as error:
            raise ExecutionError(str(error), error.sqlstate) from error

    def run(self, sql: str, *, rows: int | None = None, seconds: float | None = None) -> Rows:
        checked = self.check(sql)
        # a caller may ask for fewer rows and less time, never for more than the limits
        most = min(self.limits.rows, self.limits.rows if rows is None else rows)
        until = min(self.limits.seconds, self.limits.seconds if seconds is None else seconds)
        try:
            # a lake's connection serves one query at a time
            with self._lock:
                found = self._answers.rows(checked.sql, most, until)
        except LakeError as error:
            raise ExecutionError(str(error), error.sqlstate) from error
        return Rows(found.columns, tuple(found.rows), found.truncated)


def _without_schema(sql: str) -> str:
    data = sql.encode()
    places = sorted(
        (node.location for node in nodes_of(pglast.parse_sql(sql)[0].stmt) if _is_ours(node)), reverse=True
    )
    # from the last on: what is cut moves no place before it
    for at in places:
        dot = data.index(b".", at)
        rest = data[dot + 1 :].lstrip()
        data = data[:at] + rest
    return data.decode()


def _is_ours(node: object) -> bool:
    return isinstance(node, ast.RangeVar) and node.schemaname == SCHEMA


def context_of(lake: Lake, digest: str = "") -> Context:
    """The lake's tables, joins and values in the form of a context. Raises LakeError."""
    budget = VALUES_IN_ALL
    tables = []
    for table in lake.tables():
        columns = []
        for column in table.columns:
            # the budget is the whole lake's: thousands of columns would keep their values in memory otherwise
            values = _values(lake, column) if budget > 0 else ()
            budget -= len(values)
            columns.append(_column(table, column, values))
        tables.append(TableContext.of(_ref(table.name), columns, rows=table.rows))
    joins = list(joins_of(lake, tables))
    # a lake declares no keys: those of several columns are told by joins to them
    own = {join.one.table: [one.name for _, one in join.pairs] for join in joins if join.more}
    tables = [TableContext.of(t.ref, t.columns, rows=t.rows, composed=own.get(t.ref, ())) for t in tables]
    return Context.of(tables=tables, joins=joins, digest=digest)


def _ref(name: str) -> TableRef:
    return TableRef(SCHEMA, name)


def _column(table: Table, column: Column, values: tuple[str, ...]) -> ColumnContext:
    """Of the type that its values have once they are cleaned, which the lake does where a query needs it."""
    first = table.columns[0].name == column.name
    return ColumnContext.of(
        _ref(table.name),
        column.name,
        _TYPES.get(column.meaning, "text"),
        # a single row makes every column unique
        unique=column.unique and column.rows > 1,
        # the first column, where its values differ, is taken for the key
        key=column.unique and first and column.rows > 1,
        distinct=column.distinct,
        nulls=column.nulls,
        values=values,
    )


def _values(lake: Lake, column: Column) -> tuple[str, ...]:
    if column.family is not Family.TEXT or not 0 < column.distinct <= VALUES_A_COLUMN:
        return ()
    found = lake.index.values(column)
    kept = [value for value, _ in found.counts if value and len(value) <= LONGEST_VALUE]
    # part of the values would look like all of them
    return tuple(sorted(kept)) if found.complete else ()
