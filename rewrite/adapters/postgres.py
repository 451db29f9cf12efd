"""The `Database` port over the optimiser's own read-only session.

Owns the translation of its errors and records. Must not know agents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rewright.engines import clock
from rewright.engines.postgres.busyness import Busyness
from rewright.engines.postgres.session import Session, SessionError
from rewright.rewrite.adapters.describing import (
    COLUMNS,
    INDEXES,
    MOST_COLUMNS,
    SIZES,
    ddl,
    names_in,
    of_column,
    tables_of,
)
from rewright.rewrite.model import Explained, Figure, Timed
from rewright.rewrite.ports import DatabaseError, ResultColumn
from rewright.sql.catalog import Catalog, Table
from rewright.sql.parsing import has_parameters

_CANCELLED = "57014"
_PAGES = ("seq_page_cost", "random_page_cost")


@dataclass(slots=True)
class PostgresDatabase:
    """``settings`` are GUCs of the client's session that bear on plans and results (search_path, work_mem,
    …).
    """

    session: Session
    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)
    settings: Mapping[str, str] = field(default_factory=dict)
    _types: dict[int, str] = field(default_factory=dict)
    _explained: dict[str, Explained] = field(default_factory=dict)
    _busyness: Busyness = field(init=False)

    def __post_init__(self) -> None:
        self._busyness = Busyness(self.session)

    def explain(self, sql: str) -> Explained:
        """Cached by text: a run asks for the same plan several times."""
        if sql not in self._explained:
            plan = self._plan(sql)
            self._explained[sql] = Explained(float(plan["Total Cost"]), plan)
            # one run asks of some hundred texts; the oldest goes
            if len(self._explained) > 500:
                self._explained.pop(next(iter(self._explained)))
        return self._explained[sql]

    def explain_with_pages(self, sql: str, price: float) -> Explained:
        # both kinds of pages, so that their relation stays and only what is cached changes
        usual = {name: self.settings.get(name) or self._setting(name) for name in _PAGES}
        plan = self._plan(sql, {name: repr(float(value) * price) for name, value in usual.items()})
        return Explained(float(plan["Total Cost"]), plan)

    def _setting(self, name: str) -> str:
        return str(self._ask("select current_setting(%s)", [name])[0][0])

    def _plan(self, sql: str, changed: Mapping[str, str] | None = None) -> Mapping[str, Any]:
        """With the session's values for parameters, or generically (which PostgreSQL 16 and later can).
        ``changed``: settings besides those of the client's session.
        """
        settings = {**self.settings, **(changed or {})}
        try:
            # a text with $1 has no values here: only a generic plan can be asked for
            document = self.session.explain_document(sql, settings=settings, generic=has_parameters(sql))
        except SessionError as error:
            raise _ours(error) from error
        plan: Mapping[str, Any] = document[0]["Plan"]
        return plan

    def describe(self, sql: str) -> tuple[ResultColumn, ...]:
        try:
            columns = self.session.describe(sql).columns
        except SessionError as error:
            raise _ours(error) from error
        return tuple(ResultColumn(c.name, c.type_oid, c.typmod, self._type_name(c.type_oid)) for c in columns)

    def measure(self, sql: str, seconds: float) -> Timed:
        """Times are those of an idle server, as far as they can be known
        (`rewright.engines.postgres.busyness`).
        """
        try:
            busy = self._busyness.factor()
            run = self.session.run(sql, stop_after=seconds, settings=self.settings, stretch=busy)
        except SessionError as error:
            raise _ours(error) from error
        kept = self._busyness.kept_waiting(run)
        # the kernel's own count of waiting knows better than this clock, where it is there
        if run.waited is None:
            # nor does our own time go by while the server is busy with others; one on this machine is known
            # to the clock
            clock.discount(kept)
        return Timed(run.duration - kept, stopped=not run.finished, cpu=run.cpu, digest=run.digest)

    def schema_text(self, sql: str) -> str:
        """CREATE TABLE and CREATE INDEX of the tables named in ``sql``; no defaults, checks or comments."""
        tables = tables_of(sql, self.catalog, self.search_path)
        # PostgreSQL cannot be asked for the indexes of no table
        indexes = [str(row[0]) for row in self._ask(INDEXES, [*_names(tables)])] if tables else []
        return "\n".join([*(ddl(table) for table in tables), *(f"{text};" for text in indexes)])

    def figures(self, sql: str) -> tuple[Figure, ...]:
        """Rows of its tables, and what ANALYZE knows of the columns that it names."""
        tables = tables_of(sql, self.catalog, self.search_path)
        if not tables:
            return ()
        names = _names(tables)
        sizes = [Figure(str(name), "rows", float(rows)) for name, rows in self._ask(SIZES, [*names])]
        columns = self._ask(COLUMNS, [*names, sorted(names_in(sql)), MOST_COLUMNS])
        return (*sizes, *(figure for row in columns for figure in of_column(row)))

    def executed(self, sql: str, seconds: float) -> Explained | None:
        """The plan with what its nodes really did; None where it does not end within ``seconds``."""
        try:
            document = self.session.explain_document(
                sql, settings=self.settings, analyze=True, timeout=seconds
            )
        except SessionError as error:
            # running out of time is an answer here, another error is not
            if error.sqlstate == _CANCELLED:
                return None
            raise _ours(error) from error
        plan: Mapping[str, Any] = document[0]["Plan"]
        return Explained(float(plan["Total Cost"]), plan)

    def _type_name(self, oid: int) -> str:
        if oid not in self._types:
            self._types[oid] = str(self._ask("select format_type(%s, null)", [oid])[0][0])
        return self._types[oid]

    def _ask(self, sql: str, values: list[object]) -> Any:
        try:
            return self.session.ask(sql, values)
        except SessionError as error:
            raise _ours(error) from error


def _names(tables: Sequence[Table]) -> tuple[list[object], list[object]]:
    """Schemas and names, as parameters."""
    return [t.ref.schema for t in tables], [t.ref.name for t in tables]


def _ours(error: SessionError) -> DatabaseError:
    # 08006, the connection is gone, where no SQLSTATE came
    return DatabaseError(error.sqlstate or "08006", str(error))
