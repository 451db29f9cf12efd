"""A PostgreSQL database as its connection's role sees it, and what is kept of it between questions.

Owns the keeping: catalog and context, once for each state (`rewright.ask.sources.state`). Must not know
questions.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any

import psycopg

from rewright.ask.context import Context
from rewright.ask.context_reading import read_context
from rewright.ask.execution import Execution, ExecutionError, Limits, Rows
from rewright.ask.safety import Checked, Refused, Rules, check
from rewright.ask.sources.state import State, state_of
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.strangers import strange_relations
from rewright.sql.algebra import TableRef
from rewright.sql.catalog import Catalog
from rewright.sql.printing import quote_ident

KEPT = 16
"""Databases (times roles) that are remembered."""
FRESH_SECONDS = 600.0
"""How long values that were read count as the data's."""


@dataclass(frozen=True, slots=True)
class Known:
    """What was read of a database in one state."""

    state: State
    catalog: Catalog
    context: Context
    rules: Rules
    read_at: float


@dataclass(slots=True)
class KnownDatabases:
    """What was read, by state; the one not asked for longest goes first. For one thread at a time."""

    _kept: OrderedDict[str, Known] = field(default_factory=OrderedDict)

    def of(self, connection: psycopg.Connection[Any], state: State | None = None) -> Known:
        """Reads where nothing fits. Raises psycopg.Error."""
        state = state or state_of(connection)
        known = self._kept.pop(state.key(), None)
        # values change without a trace in the catalog
        if known is None or time.monotonic() - known.read_at > FRESH_SECONDS:
            known = _read(connection, state)
        self._kept[state.key()] = known
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return known


def _read(connection: psycopg.Connection[Any], state: State) -> Known:
    catalog = snapshot(connection)
    strange = _left_out(connection, catalog)
    context = read_context(connection, catalog, strange)
    rules = Rules(catalog, state.path, strange=strange)
    return Known(state, catalog, context, rules, time.monotonic())


def _left_out(connection: psycopg.Connection[Any], catalog: Catalog) -> dict[TableRef, str]:
    """The relations that are not read, with the reason: reading them would run others' code, or they are
    views of which no query would be let through.
    """
    found = strange_relations(connection, [table.ref for table in catalog.relations])
    for table in catalog.relations:
        if table.kind == "view" and table.ref not in found:
            try:
                check(
                    f"select from {quote_ident(table.ref.schema)}.{quote_ident(table.ref.name)}",
                    Rules(catalog),
                )
            except Refused as refused:
                found[table.ref] = str(refused)
    return found


class PostgresSource:
    """One connection's database. Its statements run one after another, whichever thread sends them."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        limits: Limits | None = None,
        known: KnownDatabases | None = None,
        state: State | None = None,
        name: str = "",
    ) -> None:
        """Raises psycopg.Error where the catalog can't be read. ``name``: by which it is known here; empty:
        its own.
        """
        self.connection = connection
        self.limits = limits or Limits()
        self._name = name
        self.known = (known or KnownDatabases()).of(connection, state)
        self.execution = Execution(connection, self.limits)
        self._one_at_a_time = threading.Lock()

    @property
    def context(self) -> Context:
        return self.known.context

    @property
    def rules(self) -> Rules:
        return self.known.rules

    @property
    def name(self) -> str:
        return self._name or self.known.state.database

    def check(self, sql: str) -> Checked:
        return check(sql, self.known.rules)

    def weigh(self, query: Checked) -> None:
        with self._one_at_a_time:
            cost = self.execution.plan(query).root.total_cost
        if cost > self.limits.cost:
            raise ExecutionError(
                f"the query is too expensive: cost {cost:.0f}, allowed {self.limits.cost:.0f}", "54000"
            )

    def run(self, sql: str, *, rows: int | None = None, seconds: float | None = None) -> Rows:
        checked = self.check(sql)
        tighter = replace(
            self.limits,
            rows=min(self.limits.rows, rows or self.limits.rows),
            seconds=min(self.limits.seconds, seconds or self.limits.seconds),
        )
        with self._one_at_a_time:
            return Execution(self.connection, tighter).run(checked)
