"""A lake's DuckDB: tables appear when first used, statements run guarded, with a deadline.

Owns the connection, which files are loaded, and execution. Must not know how queries are resolved.
Thread-safe per call: one statement at a time on one cursor.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import duckdb

from rewright.engines.duckdb.beside import Beside, TablesBeside, tables_beside
from rewright.engines.duckdb.errors import OUT_OF_MEMORY, LakeError, Timeout, translated
from rewright.engines.duckdb.guard import Relations, TableName, guard
from rewright.engines.duckdb.lake_query import LakeQuery, given
from rewright.engines.duckdb.locked import Limits, open_beside
from rewright.engines.duckdb.quoting import quoted
from rewright.engines.duckdb.rows import Rows, Source

__all__ = ["LakeDatabase", "LakeQuery", "Rows", "Source"]

# 64 MiB: larger files stay views, whose rows DuckDB reads anew for each query
_COPY_BYTES = 64 << 20


class LakeDatabase:
    """DuckDB over the files of a lake. Close it after use (it is a context manager)."""

    def __init__(
        self,
        folders: Sequence[Path],
        sources: Mapping[str, Source],
        limits: Limits | None = None,
        beside: Sequence[Beside] = (),
        ambiguous: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self._connection, self.missing = open_beside(folders, self.limits, beside)
        # a cursor of its own: what is asked of it disturbs no result that is being read
        self._parser = self._connection.cursor()
        self._beside = [one.name for one in beside]
        self._gates = {one.name.lower(): TablesBeside(one) for one in beside if one.name not in self.missing}
        self._sources = {name.lower(): source for name, source in sources.items()}
        self._ambiguous = dict(ambiguous or {})
        self._loaded: dict[str, tuple[tuple[int, int], ...]] = {}
        self._kinds: dict[str, str] = {}
        self._views: dict[str, str] = {}
        self._made_views: set[str] = set()
        self._later: dict[str, tuple[str, str]] = {}
        self._lock = threading.RLock()
        # longest first: a folder may lie in another
        self._roots = sorted(
            {str(folder.resolve()) for folder in folders} | {str(f) for f in folders}, key=len, reverse=True
        )
        self._relations = Relations(self._is_own, frozenset(name.lower() for name in self._beside))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()
        for one in self._gates.values():
            one.close()

    def translated(self, error: Exception) -> LakeError:
        """DuckDB's error as one of ours, without telling where the lake's folders are."""
        found = translated(error)
        text = str(found)
        # longest first (see __init__), so that a folder within another leaves no rest
        for root in self._roots:
            text = text.replace(root + "/", "").replace(root, "")
        return type(found)(text, hint=found.hint, sqlstate=found.sqlstate)

    def names(self) -> list[str]:
        """All table names, loaded or not, and accepted views."""
        return sorted({*(source.name for source in self._sources.values()), *self._views})

    def _is_own(self, name: str) -> bool:
        """Whether a name in lower case is a table's or a view's.

        :raises LakeError: several files could claim it: which of them was meant is for the client to say.
        """
        # views to be made later count: their first use makes them
        if name in self._sources or name in self._later or name in self._made_views:
            return True
        if (could_be := self._ambiguous.get(name)) is not None:
            hint = f"It could be {' or '.join(could_be)}."
            raise LakeError(f'table name "{name}" is ambiguous', hint=hint, sqlstate="42P09")
        return False

    def load(self, names: Sequence[str]) -> None:
        """Make these tables known to DuckDB (unknown names are ignored); reload those whose file changed."""
        with self._lock:
            for name in names:
                if (source := self._sources.get(name.lower())) is not None:
                    # loading a table asks DuckDB, which is why all of this holds the lock
                    self._load(source)
                elif (later := self._later.pop(name.lower(), None)) is not None:
                    self.view(*later)

    def beside(self) -> dict[str, dict[str, list[tuple[str, str]]]]:
        """The PostgreSQL databases beside the lake that are attached: name -> table
        -> (column, DuckDB type).
        """
        with self._lock:
            try:
                return {
                    name: tables_beside(self._connection, name)
                    for name in self._beside
                    if name not in self.missing
                }
            except duckdb.Error as error:
                raise self.translated(error) from error

    def define(self, views: Mapping[str, str]) -> None:
        """Views to be made when first used (their tables are loaded then)."""
        self._later.update({name.lower(): (name, sql) for name, sql in views.items()})

    def definition(self, name: str) -> Source | str | None:
        """A table's file, a view's SQL, or None: what another engine needs to read it."""
        lower = name.lower()
        if (source := self._sources.get(lower)) is not None:
            return source
        if (later := self._later.get(lower)) is not None:
            return later[1]
        return next((sql for view, sql in self._views.items() if view.lower() == lower), None)

    def view(self, name: str, sql: str) -> None:
        """Keep `sql` as a view called `name` for this connection."""
        with self._lock:
            # a view's own tables first: DuckDB binds it when it is made
            self.load(sorted({table.name for table in guard(sql, self._parser, self._relations)}))
            # the guard looked at the text; DuckDB parses it once more as the body of CREATE VIEW
            self._run(f"CREATE OR REPLACE VIEW {quoted(name)} AS {sql}")
            self._publish(name)
            self._views[name] = sql
            self._made_views.add(name.lower())

    def describe(self, sql: str) -> tuple[tuple[str, str], ...]:
        """Names and types of a query's columns, without running it.

        :raises LakeError: it does not bind (`NotBound`), is not allowed, or is no query.
        """
        with self._lock:
            self._prepare(sql)
            return tuple((row[0], row[1]) for row in self._run(f"DESCRIBE {sql}").fetchall())

    def execute(
        self,
        sql: str,
        parameters: Sequence[Any] = (),
        *,
        limit: int | None = None,
        seconds: float | None = None,
    ) -> Rows:
        """Run one reading statement; at most `limit` rows are fetched.

        :raises LakeError: with the SQLSTATE that fits.
        """
        with self._lock:
            self._prepare(sql)
            with self._deadline(seconds or self.limits.seconds):
                cursor = self._run(sql, parameters)
                described = cursor.description or []
                rows = self._fetch(cursor, limit)
            # one row more than the limit is fetched, to know whether there are more
            truncated = limit is not None and len(rows) > limit
            return Rows(
                tuple(d[0] for d in described),
                tuple(str(d[1]) for d in described),
                rows[:limit] if limit is not None else rows,
                truncated,
            )

    def interrupt(self) -> None:
        """Stop what runs on the connection itself: binding, looking at values, loading a table."""
        with suppress(duckdb.Error):
            self._connection.interrupt()

    def query(self) -> LakeQuery:
        """For one query whose rows are read in portions; nothing runs yet."""
        return LakeQuery(self)

    def cursor(self, sql: str) -> Any:
        """A cursor of its own for a statement, its tables loaded.

        :raises LakeError: the statement is not allowed, or a table's file is gone.
        """
        with self._lock:
            self._prepare(sql)
            return self._connection.cursor()

    def plan_of(self, sql: str, parameters: Sequence[Any] = ()) -> list[str]:
        """The lines of DuckDB's plan of a query, without running it.

        :raises LakeError: it does not bind, or is not allowed.
        """
        with self._lock:
            self._prepare(sql)
            rows = self._run(f"EXPLAIN {sql}", parameters).fetchall()
            return [line.rstrip() for row in rows for line in str(row[-1]).splitlines() if line.strip()]

    def trusted(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run our own statement unguarded (the connection's lock still holds)."""
        with self._lock:
            rows: list[tuple[Any, ...]] = self._run(sql, parameters).fetchall()
            return rows

    def register(self, name: str, function: Any, parameters: list[str], result: str) -> None:
        """Make a Python function a DuckDB function (NULL in, NULL out)."""
        with self._lock:
            with suppress(duckdb.Error):
                self._connection.remove_function(name)
            self._connection.create_function(name, function, parameters, result)

    def _prepare(self, sql: str) -> None:
        """Check a client's statement and load the tables it reads."""
        tables = guard(sql, self._parser, self._relations)
        # a database may be named as catalog (a.b.c) or in the place of the schema (a.c)
        named = {part.lower() for table in tables for part in (table.catalog, table.schema)}
        for name, (state, reason) in self.missing.items():
            if name.lower() in named:
                raise LakeError(f"database {name} beside the lake {reason}", sqlstate=state)
        if self._gates:
            self._require_trusted(tables, frozenset())
        self.load(sorted({table.name for table in tables}))

    def _require_trusted(self, tables: set[TableName], seen: frozenset[str]) -> None:
        """Of the databases beside, a query reads what needs no more rights than its own; kept views are
        looked into.
        """
        # views kept earlier may read databases beside: their definitions are looked through
        for table in sorted(tables):
            if (beside := self._gates.get((table.catalog or table.schema).lower())) is not None:
                beside.require_trusted(table.schema if table.catalog else "public", table.name)
            definition = self.definition(table.name)
            # seen: views may not refer to themselves, but a definition changed since might
            if isinstance(definition, str) and table.name.lower() not in seen:
                inner = guard(definition, self._parser, self._relations)
                self._require_trusted(inner, seen | {table.name.lower()})

    def _load(self, source: Source) -> None:
        try:
            stamp = source.stamp()
        except OSError as error:
            raise LakeError(
                f"the file of table {source.name} is gone: {source.path.name}", sqlstate="58P01"
            ) from error
        # a table whose file did not change is not read again
        if self._loaded.get(source.name) == stamp:
            return
        # a small table is copied once: a resolution runs many candidates over it
        if source.bytes > _COPY_BYTES or not self._made("TABLE", source):
            self._made("VIEW", source)
        self._publish(source.name)
        self._loaded[source.name] = stamp

    def _made(self, kind: str, source: Source) -> bool:
        """False: its rows do not fit into memory (packed files may be many times as large as they look)."""
        if (before := self._kinds.get(source.name, kind)) != kind:
            # only the same kind can be replaced
            self._run(f"DROP {before} {quoted(source.name)}")
            del self._kinds[source.name]
        try:
            self._run(f"CREATE OR REPLACE {kind} {quoted(source.name)} AS SELECT * FROM {source.sql}")
        except LakeError as error:
            if error.sqlstate != OUT_OF_MEMORY:
                raise
            return False
        self._kinds[source.name] = kind
        return True

    def _publish(self, name: str) -> None:
        """Make ``public.name`` mean it, too: tools qualify every table and column with PostgreSQL's usual
        schema.
        """
        self._run("CREATE SCHEMA IF NOT EXISTS public")
        self._run(f"CREATE OR REPLACE VIEW public.{quoted(name)} AS SELECT * FROM main.{quoted(name)}")

    def _run(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        try:
            return self._connection.execute(sql, given(sql, parameters))
        except duckdb.Error as error:
            raise self.translated(error) from error
        except RuntimeError as error:  # an interrupt surfaces as a bare RuntimeError in some versions
            raise Timeout(str(error)) from error

    def _fetch(self, cursor: Any, limit: int | None) -> list[tuple[Any, ...]]:
        try:
            rows: list[tuple[Any, ...]] = cursor.fetchall() if limit is None else cursor.fetchmany(limit + 1)
            return rows
        except duckdb.Error as error:
            raise self.translated(error) from error

    @contextmanager
    def _deadline(self, seconds: float) -> Iterator[None]:
        # DuckDB has no statement_timeout: another thread interrupts
        timer = threading.Timer(seconds, self._connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
