"""The `Database` port over the optimiser's own read-only session.

Owns the translation of its errors and records, and the short DDL of the tables a query reads. Must not know agents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pglast import ast
from pglast.error import Error as PglastError

from rewright.engines.postgres.session import Session, SessionError
from rewright.rewrite.model import Explained, Timed
from rewright.rewrite.ports import DatabaseError, ResultColumn
from rewright.sql.catalog import Catalog, ForeignKey, Key, Table, TableColumn
from rewright.sql.parsing import TooDeep, has_parameters, nodes_of, parse


@dataclass(slots=True)
class PostgresDatabase:
    """``settings`` are GUCs of the client's session that bear on plans and results (search_path, work_mem, …)."""

    session: Session
    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)
    settings: Mapping[str, str] = field(default_factory=dict)
    _types: dict[int, str] = field(default_factory=dict)
    _explained: dict[str, Explained] = field(default_factory=dict)

    def explain(self, sql: str) -> Explained:
        """Cached by text: a run asks for the same plan several times."""
        if sql not in self._explained:
            plan = self._plan(sql)
            self._explained[sql] = Explained(float(plan["Total Cost"]), plan)
            if len(self._explained) > 500:
                self._explained.pop(next(iter(self._explained)))
        return self._explained[sql]

    def _plan(self, sql: str) -> Mapping[str, Any]:
        """With the session's values for parameters, or generically (which PostgreSQL 16 and later can)."""
        try:
            document = self.session.explain_document(sql, settings=self.settings, generic=has_parameters(sql))
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
        try:
            run = self.session.run(sql, stop_after=seconds, settings=self.settings)
        except SessionError as error:
            raise _ours(error) from error
        return Timed(run.duration, stopped=not run.finished, cpu=run.cpu, digest=run.digest)

    def schema_text(self, sql: str) -> str:
        """CREATE TABLE statements of the tables named in ``sql``; names, types and constraints only."""
        found: dict[str, str] = {}
        for schema, name in _relations(sql):
            table = self.catalog.find_table(name, (schema,) if schema else self.search_path)
            if table is not None and table.ref.schema not in {"pg_catalog", "information_schema"}:
                found[f"{table.ref.schema}.{table.ref.name}"] = ddl(table)
        return "\n".join(found.values())

    def _type_name(self, oid: int) -> str:
        if oid not in self._types:
            self._types[oid] = str(self._ask("select format_type(%s, null)", [oid])[0][0])
        return self._types[oid]

    def _ask(self, sql: str, values: list[object]) -> Any:
        try:
            return self.session.ask(sql, values)
        except SessionError as error:
            raise _ours(error) from error


def _ours(error: SessionError) -> DatabaseError:
    return DatabaseError(error.sqlstate or "08006", str(error))


def _relations(sql: str) -> Iterator[tuple[str, str]]:
    try:
        nodes = list(nodes_of([s.stmt for s in parse(sql)]))
    except (PglastError, TooDeep, RecursionError):
        return
    for node in nodes:
        if isinstance(node, ast.RangeVar):
            yield node.schemaname or "", node.relname or ""


def ddl(table: Table) -> str:
    """One CREATE TABLE without defaults, checks and comments."""
    lines = [_column(c) for c in table.columns]
    lines += [_key(k) for k in table.keys if k.usable]
    lines += [_foreign_key(k) for k in table.foreign_keys if k.usable]
    body = ",\n  ".join(lines)
    kind = "view" if table.kind in {"view", "matview"} else "table"
    return f"create {kind} {table.ref.schema}.{table.ref.name} (\n  {body}\n);"


def _column(column: TableColumn) -> str:
    return f"{column.name} {column.type.name}{' not null' if column.not_null else ''}"


def _key(key: Key) -> str:
    return f"{'primary key' if key.primary else 'unique'} ({', '.join(key.columns)})"


def _foreign_key(key: ForeignKey) -> str:
    columns, target = ", ".join(key.columns), ", ".join(key.target_columns)
    return f"foreign key ({columns}) references {key.target.schema}.{key.target.name} ({target})"
