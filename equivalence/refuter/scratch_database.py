"""One scratch database for one schema: its real tables, and the batch tables beside them.

Owns connecting as the unprivileged role, the limits of that role, running screened DDL, loading
batches of generated databases. Must not know how queries are compared.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, Self

import psycopg
from psycopg import sql

from rewright.equivalence.generator.databases import Database, Row
from rewright.equivalence.generator.schema import Shape, TableShape, read_shape
from rewright.equivalence.isolation import (
    DEFAULTS_MAY_CALL,
    Refused,
    ScreenedSchema,
    made_by,
    parse,
    without_defaults,
)
from rewright.equivalence.omissions import TRUSTED
from rewright.equivalence.refuter.environments import PLAIN, PLAIN_COLLATION, Environment

STATEMENT_TIMEOUT_MS = 4000
# rows in the batch tables beyond which old ones are thrown away
_MAX_LOADED = 20_000
SCHEMA_TIMEOUT_MS = 20_000
# of the role, so that no session can lift them (temp_file_limit is the superuser's to set)
_ROLE_LIMITS = {"temp_file_limit": "256MB", "log_statement": "none", "log_min_messages": "panic"}
_SESSION = {
    "timezone": "UTC",
    "datestyle": "ISO, MDY",
    "intervalstyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "default_text_search_config": "pg_catalog.english",
    "work_mem": "8MB",
    "hash_mem_multiplier": "1",
    "maintenance_work_mem": "32MB",
    "max_parallel_workers_per_gather": "0",
    "idle_in_transaction_session_timeout": "60s",
    "lock_timeout": "5s",
    "search_path": "public",
    "client_min_messages": "error",
    "check_function_bodies": "on",
    "jit": "off",
    "plan_cache_mode": "force_generic_plan",
}
# what environments may change
_VARIED = (
    "timezone",
    "datestyle",
    "intervalstyle",
    "extra_float_digits",
    "bytea_output",
    "default_text_search_config",
)


class Server(Protocol):
    """What is needed of `rewright.engines.postgres.scratch.ScratchServer`."""

    def dsn(self, database: str = ..., *, unix: bool = ...) -> str: ...
    def unprivileged_dsn(self, database: str = ..., *, unix: bool = ...) -> str: ...
    def create_database(self, name: str | None = ..., *, template: str = ..., locale: str = ...) -> str: ...
    def drop_database(self, name: str) -> None: ...


class SchemaFailed(Exception):
    """The server does not take the schema; the message is the server's."""


def harden(server: Server) -> None:
    """Limits of the unprivileged role that only the superuser can set; safe to repeat."""
    with psycopg.connect(server.dsn(unix=True), autocommit=True) as connection:
        role = psycopg.conninfo.conninfo_to_dict(server.unprivileged_dsn(unix=True))["user"]
        name = sql.Identifier(str(role))
        connection.execute("select pg_advisory_lock(7236)")
        for setting, value in _ROLE_LIMITS.items():
            connection.execute(
                sql.SQL("alter role {} set {} = {}").format(name, sql.Identifier(setting), sql.Literal(value))
            )
        for database in ("postgres", "template1"):
            connection.execute(
                sql.SQL("revoke all on database {} from public").format(sql.Identifier(database))
            )
        connection.execute("select pg_advisory_unlock(7236)")


def trusted_extensions(server: Server) -> frozenset[str]:
    """Which of the extensions that an ordinary role may create the server has."""
    with psycopg.connect(server.dsn(unix=True), autocommit=True) as connection:
        query = "select distinct name from pg_available_extension_versions where trusted and name = any(%s)"
        return frozenset(name for (name,) in connection.execute(query, [list(TRUSTED)]))


class ScratchDatabase:
    """A context manager around one scratch database. Raises SchemaFailed, Refused, psycopg.Error."""

    def __init__(
        self,
        server: Server,
        schema: ScreenedSchema,
        *,
        path: tuple[str, ...] = ("public",),
        locale: str = "",
    ) -> None:
        self.server = server
        self.schema = schema
        self.path = path
        self.locale = locale
        self.environment = PLAIN
        self.database = server.create_database(locale=locale)
        self._accepted: dict[tuple[str, str], bool] = {}
        self._volatile: dict[str, bool] = {}
        # batch tables with rows, how many, and the number of the next database
        self._filled: set[int] = set()
        # tables with a function that tells which rows they refuse
        self._refusing: set[int] = set()
        # relations and types that need a type or a collation this server does not have: the kind by name
        self.left_out: dict[str, str] = {}
        self._loaded = 0
        self._next = 0
        try:
            self.connection = self._connect()
            self._run_schema()
            self._relaxed = self._relax()
            self.shape: Shape = read_shape(self.connection)
            self._make_batch_tables()
        except BaseException:
            self.close()
            raise
        self.server_version = str(self.connection.info.parameter_status("server_version") or "")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        connection = getattr(self, "connection", None)
        if connection is not None:
            connection.close()
        with contextlib.suppress(psycopg.Error):
            self.server.drop_database(self.database)

    def _connect(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(
            self.server.unprivileged_dsn(self.database, unix=True), autocommit=True, prepare_threshold=None
        )
        settings = _SESSION | {"search_path": ", ".join(f'"{name}"' for name in self.path)}
        settings |= self.environment.settings
        for name, value in settings.items():
            connection.execute("select set_config(%s, %s, false)", [name, value])
        self.set_timeout(STATEMENT_TIMEOUT_MS, connection)
        return connection

    @property
    def collation(self) -> str:
        """The clause of CREATE DATABASE that gives this database's order of texts; ``C`` for code points."""
        return self.locale or PLAIN_COLLATION

    def enter(self, environment: Environment) -> None:
        """Give the session the settings of ``environment``, and no others."""
        self.environment = environment
        for name in _VARIED:
            value = environment.settings.get(name, _SESSION[name])
            self.connection.execute("select set_config(%s, %s, false)", [name, value])

    def reconnect(self) -> None:
        """A fresh session, whatever happened to the old one."""
        self.connection.close()
        self.connection = self._connect()

    def set_timeout(self, milliseconds: int, connection: psycopg.Connection[Any] | None = None) -> None:
        (connection or self.connection).execute(
            "select set_config('statement_timeout', %s, false)", [str(max(1, milliseconds))]
        )

    # -- schema

    def _run_schema(self) -> None:
        forbidden = self.volatile_functions(self.schema.calls - DEFAULTS_MAY_CALL)
        if forbidden:
            raise Refused(f"volatile function {min(forbidden)}() in a schema")
        self.set_timeout(SCHEMA_TIMEOUT_MS)
        try:
            with self.connection.transaction():
                for statement in self.schema.statements:
                    if not self._leaves_out(statement):
                        self.connection.execute(statement.encode())
        except psycopg.Error as error:
            raise SchemaFailed(str(error).splitlines()[0]) from None
        self.set_timeout(STATEMENT_TIMEOUT_MS)

    def _leaves_out(self, statement: str) -> bool:
        """Run what makes or alters a table, a view or a type; True when it was run, or needs a type or a
        collation that this server lacks, or a relation that does: what it makes is left out then.
        """
        kind, made = made_by(parse(statement)[0].stmt)
        if not kind:
            return False
        # what is left out is not altered or indexed either
        if made in self.left_out:
            return True
        try:
            self._make(statement)
        except psycopg.errors.UndefinedObject as error:
            expected = self.schema.omitted or self.left_out
            if not (expected or "collation" in (error.diag.message_primary or "")):
                raise
            self.left_out[made] = kind
        except psycopg.errors.UndefinedTable:
            # a reference, a parent, a view's table
            if not self.left_out:
                raise
            self.left_out[made] = kind
        return True

    def _make(self, statement: str) -> None:
        """Run a statement, where need be without defaults by an extension's functions."""
        try:
            self._execute(statement)
        except psycopg.errors.UndefinedFunction:
            if not self.schema.omitted:
                raise
            self._execute(without_defaults(statement))

    def _execute(self, statement: str) -> None:
        if statement:
            with self.connection.transaction():
                self.connection.execute(statement.encode())

    def volatile_functions(self, names: Collection[str]) -> set[str]:
        """Those of ``names`` for which a volatile function exists (built in or of the schema), or one with a
        default that calls one.
        """
        unknown = set(names) - self._volatile.keys()
        if unknown:
            found = self.connection.execute(
                """
                select distinct p.proname from pg_proc p where p.proname = any(%s) and (p.provolatile = 'v'
                  or exists (
                    select from regexp_matches(p.proargdefaults::text, ':(?:opfuncid|funcid) ([0-9]+)', 'g')
                      as f (oid) join pg_proc d on d.oid = f.oid[1]::oid where d.provolatile = 'v'))
                """,
                [list(unknown)],
            )
            volatile = {row[0] for row in found}
            self._volatile |= {name: name in volatile for name in unknown}
        return {name for name in names if self._volatile[name]}

    def _make_batch_tables(self) -> None:
        """For each table a twin without constraints, with the number of the database in front.

        References are made deferrable so that rows of a cycle can be loaded; they are checked
        before a query runs. Constraints that old rows may violate are taken away.
        """
        statements = ["create schema rw_batch"]
        for index, table in enumerate(self.shape.tables):
            twin = f"rw_batch.t{index}"
            statements.append(
                f"create unlogged table {twin} (rw_db int, rw_no int, like {qualified(table)} including "
                f"generated)"
            )
            statements += [
                f"alter table {twin} alter column {quote(c.name)} drop not null"
                for c in table.columns
                if not c.nullable and not c.domain
            ]
            statements.append(f"create index on {twin} (rw_db, rw_no)")
            statements += [
                f"alter table {qualified(table)} alter constraint {quote(r.name)} deferrable initially "
                f"deferred"
                for r in table.references
                if (index, r.name) in self.shape.cyclic
            ]
        self.connection.execute(";".join(statements).encode())

    def _relax(self) -> list[tuple[str, str]]:
        """Take away what says nothing about stored rows: NOT VALID and NOT ENFORCED constraints.

        Returns the statements that do it and undo it.
        """
        rows = self.connection.execute(
            "select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint "
            "where (not convalidated or not conenforced) and conrelid <> 0 and conparentid = 0 "
            # what a child only inherits goes, and comes back, with its parent's
            "and conislocal order by oid"
        ).fetchall()
        changes = [_constraint_change(relation, name, definition) for relation, name, definition in rows]
        for drop, _ in changes:
            self.connection.execute(drop.encode())
        return changes

    def setup(self, database: Database) -> tuple[str, ...]:
        """Statements that load ``database`` into the plain schema, each on its own: a constraint that
        would not let a row in by itself (a cycle of references, NOT VALID) is put aside meanwhile.
        """
        changes = list(self._relaxed) if any(database) else []
        for index, table in enumerate(self.shape.tables):
            changes += [
                _constraint_change(qualified(table), r.name, self._definition(table.oid, r.name))
                for r in table.references
                if (index, r.name) in self.shape.cyclic
                and r.parent != index
                and any(all(row[i] is not None for i in r.columns) for row in database[index])
            ]
        drops, adds = [drop for drop, _ in changes], [add for _, add in changes]
        return (
            *(f"SET {name} = {literal(value)}" for name, value in self.environment.settings.items()),
            *drops,
            *(("BEGIN", "SET CONSTRAINTS ALL DEFERRED") if self.shape.deferrable else ()),
            *insert_statements(self.shape, database),
            # rows that wait for the end of a transaction let no constraint be added
            *(() if self.shape.deferrable else adds),
        )

    def load_checks(self) -> tuple[str, ...]:
        """Statements that check what was made deferrable only so that cycles of references can be loaded.

        Constraints that the schema itself declares DEFERRABLE are left unchecked: a transaction may read rows
        that violate them.
        """
        if not self.shape.deferrable:
            return ("set constraints all immediate",)
        names = [
            f"{quote(table.schema)}.{quote(r.name)}"
            for index, table in enumerate(self.shape.tables)
            for r in table.references
            if (index, r.name) in self.shape.cyclic and not r.deferrable
        ]
        return (f"set constraints {', '.join(names)} immediate",) if names else ()

    def _definition(self, oid: int, name: str) -> str:
        """A cyclic reference as the schema states it."""
        row = self.connection.execute(
            "select pg_get_constraintdef(oid) from pg_constraint where conrelid = %s and conname = %s",
            [oid, name],
        ).fetchone()
        assert row is not None
        return str(row[0]).removesuffix(" DEFERRABLE INITIALLY DEFERRED")

    # -- values

    def accepted(self, wanted: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
        """Which texts each type's input function takes (domain checks included), asked once each."""
        unknown = [(t, v) for t, vs in wanted.items() for v in vs if (t, v) not in self._accepted]
        if unknown:
            pairs = sorted(set(unknown))
            try:
                self._accepted |= self._valid(pairs)
            except psycopg.OperationalError:
                raise
            except psycopg.Error:
                # a domain's check may fail on a value in place of refusing it (10 / value > 0): that one is
                # not taken
                for pair in pairs:
                    self._accepted |= self._valid_alone(pair)
        return {t: frozenset(v for v in vs if self._accepted[t, v]) for t, vs in wanted.items()}

    def _valid(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], bool]:
        types, values = zip(*pairs, strict=True)
        with self.connection.transaction():
            rows = self.connection.execute(
                "select t, v, pg_input_is_valid(v, t) from unnest(%s::text[], %s::text[]) as u(t, v)",
                [list(types), list(values)],
            ).fetchall()
        return {(t, v): good for t, v, good in rows}

    def _valid_alone(self, pair: tuple[str, str]) -> dict[tuple[str, str], bool]:
        try:
            return self._valid([pair])
        except psycopg.OperationalError:
            raise
        except psycopg.Error:
            return {pair: False}

    def valid_tuples(
        self, index: int, columns: tuple[int, ...], tuples: Sequence[tuple[str | None, ...]]
    ) -> list[tuple[str | None, ...]]:
        """Those of ``tuples`` for ``columns`` that every CHECK over only these columns accepts."""
        table = self.shape.tables[index]
        checks = [c for c in table.checks if set(c.columns) <= set(columns)]
        casts = ", ".join(
            f"c{n}::{table.columns[i].type} as {quote(table.columns[i].name)}" for n, i in enumerate(columns)
        )
        arrays = ", ".join("%s::text[]" for _ in columns)
        heads = ", ".join(f"c{n}" for n in range(len(columns)))
        condition = " and ".join(f"({c.expression}) is not false" for c in checks) or "true"
        text = (
            f"select no from unnest({arrays}) with ordinality as raw({heads}, no), "
            f"lateral (select {casts}) as u where {condition.replace('%', '%%')}"
        )
        values = [[row[n] for row in tuples] for n in range(len(columns))]
        try:
            found = self.connection.execute(text.encode(), values).fetchall()
        except psycopg.Error:
            return []
        return [tuples[no - 1] for (no,) in found]

    # -- batches

    def load(self, databases: Sequence[Database]) -> int:
        """Put databases into the batch tables; the number of the first one there, the others follow it.

        Older batches are thrown away when they have become many: emptying tables costs more than filling
        them. Raises psycopg.Error when a value is not taken.
        """
        used = [i for i in range(len(self.shape.tables)) if any(db[i] for db in databases)]
        rows = sum(len(db[i]) for db in databases for i in used)
        with self.connection.transaction():
            if self._loaded + rows > _MAX_LOADED and self._filled:
                twins = ", ".join(f"rw_batch.t{i}" for i in sorted(self._filled))
                self.connection.execute(f"truncate {twins}".encode())
                self._filled, self._loaded = set(), 0
            first = self._next
            for index in used:
                self._copy(index, first, databases)
        self._next += len(databases)
        self._filled |= set(used)
        self._loaded += rows
        return first

    def _copy(self, index: int, first: int, databases: Sequence[Database]) -> None:
        table = self.shape.tables[index]
        stored = table.stored
        names = ", ".join(quote(table.columns[i].name) for i in stored)
        head = f"copy rw_batch.t{index} (rw_db, rw_no{', ' if names else ''}{names}) from stdin"
        lines = [
            "\t".join((str(number), str(place), *(_copy_text(row[i]) for i in stored)))
            for number, database in enumerate(databases, first)
            for place, row in enumerate(database[index])
        ]
        with self.connection.cursor() as cursor, cursor.copy(head.encode()) as copy:
            copy.write(("\n".join(lines) + "\n").encode())

    def refused_rows(self, index: int, rows: Sequence[Row]) -> set[int]:
        """Positions of the rows that the table's generated columns, domains or types do not take."""
        table = self.shape.tables[index]
        stored = table.stored
        if not stored or not rows:
            return set()
        name = f"rw_batch.refused_{index}"
        if index not in self._refusing:
            names = ", ".join(quote(table.columns[i].name) for i in stored)
            values = ", ".join(f"rw_row[{n}]::{table.columns[i].type}" for n, i in enumerate(stored, 1))
            self.connection.execute(
                f"""create function {name}(rw_rows text[]) returns setof int language plpgsql as $rw$
declare rw_row text[]; rw_number int := 0;
begin
  foreach rw_row slice 1 in array rw_rows loop
    begin
      insert into rw_batch.t{index} (rw_db, rw_no, {names}) values (-1, 0, {values});
      raise exception sqlstate 'RW001';
    exception when others then if sqlstate <> 'RW001' then return next rw_number; end if;
    end;
    rw_number := rw_number + 1;
  end loop;
end $rw$""".encode()
            )
            self._refusing.add(index)
        given = [[row[i] for i in stored] for row in rows]
        return {number for (number,) in self.connection.execute(f"select {name}(%s::text[])", [given])}

    @contextlib.contextmanager
    def rolled_back(self) -> Iterator[None]:
        """A transaction that never commits."""
        self.connection.execute("begin")
        try:
            yield
        finally:
            with contextlib.suppress(psycopg.Error):
                self.connection.execute("rollback")


_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def _copy_text(value: str | None) -> str:
    return "\\N" if value is None else value.translate(_ESCAPES)


def _constraint_change(relation: str, name: str, definition: str) -> tuple[str, str]:
    head = f"ALTER TABLE {relation}"
    return f"{head} DROP CONSTRAINT {quote(name)}", f"{head} ADD CONSTRAINT {quote(name)} {definition}"


def quote(name: str) -> str:
    """A quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: str | None) -> str:
    """A quoted literal."""
    if value is None:
        return "NULL"
    body = value.replace("'", "''")
    return f" E'{body}'".replace("\\", "\\\\") if "\\" in body else f"'{body}'"


def qualified(table: TableShape) -> str:
    return f"{quote(table.schema)}.{quote(table.name)}"


def insert_statements(shape: Shape, database: Database) -> tuple[str, ...]:
    """One INSERT a table, parents first, as text to paste."""
    found = []
    for index in shape.order:
        rows = database[index]
        if not rows:
            continue
        table = shape.tables[index]
        stored = table.stored
        names = ", ".join(quote(table.columns[i].name) for i in stored)
        values = ", ".join("(" + ", ".join(literal(row[i]) for i in stored) + ")" for row in rows)
        if not stored:
            found += [f"INSERT INTO {qualified(table)} DEFAULT VALUES"] * len(rows)
            continue
        found.append(f"INSERT INTO {qualified(table)} ({names}) OVERRIDING SYSTEM VALUE VALUES {values}")
    return tuple(found)
