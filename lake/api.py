"""The lake's public API: `open_lake` opens a folder as a `Lake`, which answers queries and runs actions.

Owns how the catalog, the database, the resolver and the actions of one lake are put together. Must not know
the wire or the command line.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, Self

import sqlglot
from sqlglot.errors import SqlglotError

from rewright.engines.duckdb.beside import Beside
from rewright.engines.duckdb.database import LakeDatabase, Rows, Source
from rewright.engines.duckdb.errors import LakeError, NotResolved
from rewright.engines.duckdb.locked import Limits
from rewright.lake.actions import Actions
from rewright.lake.catalog.build import Update, discover, refresh
from rewright.lake.catalog.model import Broken, Column, Table
from rewright.lake.catalog.storage import Storage
from rewright.lake.embedding import CachedEmbedder, best_embedder
from rewright.lake.files.preparing import Preparer
from rewright.lake.index import LakeIndex
from rewright.lake.joins import graph as join_graph
from rewright.lake.memory import views_of
from rewright.lake.model_driver import Driving, ModelDriver
from rewright.lake.noise.clean import clean_cte, clean_expression
from rewright.lake.remote import is_remote, local
from rewright.lake.resolve.letters import as_letters
from rewright.lake.resolve.loop import Options, Resolver
from rewright.lake.resolve.marks import is_select
from rewright.lake.resolve.resolution import Answer, Resolution
from rewright.models.api import Model

Mode = Literal["bind", "resolve"]
# a query is taken to join the wrong columns where the resolution has a key this good, and it has one this bad
_GOOD_KEY = 0.7
_BAD_KEY = 0.25
_RETRY_STATES = frozenset({"42P01", "42703", "42883", "22P02"})
"""SQLSTATEs after which a query is resolved: it names something unknown, or compares types that do not fit.
"""
_UNREAD = frozenset({"42601", "25006"})
"""SQLSTATEs of a text that DuckDB cannot read as a query. If PostgreSQL's grammar can, it is resolved."""


class Lake:
    """An opened lake. Close it after use (it is a context manager)."""

    def __init__(
        self,
        folder: Path,
        over: Path | None,
        storage: Storage,
        embedder: CachedEmbedder,
        limits: Limits,
        options: Options,
        beside: Sequence[Beside] = (),
        remote: Sequence[str] = (),
        catalog: Path | None = None,
        work: Path | None = None,
    ) -> None:
        self.catalog = catalog
        self._work = work or folder
        self.folder = folder
        self.over = over
        self._storage = storage
        self._embedder = embedder
        self._limits = limits
        self._options = options
        self._beside = tuple(beside)
        self._remote = tuple(remote)
        self._graph: join_graph.JoinGraph | None = None
        self._actions: Actions | None = None
        self._model: tuple[Model, Driving] | None = None
        self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.database.close()
        self._storage.close()

    @property
    def folders(self) -> list[Path]:
        return [self.folder, *([self.over] if self.over is not None else [])]

    @property
    def readable(self) -> list[Path]:
        """The folders that hold the files of tables: those of the lake, and the one for converted copies."""
        return [*self.folders, self._work]

    def refresh(self, *, progress: bool = False) -> Update:
        """Bring the catalog up to date with the files; later queries see the changes."""
        for url in self._remote:
            local(url)
        found = discover(self.folder, self.over, Preparer(self._storage, self._work))
        update = refresh(self._storage, found, self.readable, progress=progress)
        if update.any:
            # The database is opened anew, since its views are over the files as they were.
            self.database.close()
            self._open()
            # A graph that nobody has asked for yet is not built for a change; one that exists is kept up to
            # date.
            if self._storage.meta("graph"):
                self._graph = join_graph.build(self.index, changed=[*update.added, *update.changed])
        return update

    def tables(self) -> list[Table]:
        """All tables that are files, ordered by name; unions are left out."""
        return [t for name, t in sorted(self.index.tables.items()) if name not in self.index.unions]

    def broken(self) -> list[Broken]:
        """The files that could not be read as tables, each with the reason."""
        return self._storage.broken()

    def graph(self) -> join_graph.JoinGraph:
        """The join graph. It is built when it is first asked for, and stored in the catalog."""
        if self._graph is None:
            self._graph = (
                join_graph.load(self.index) if self._storage.meta("graph") else join_graph.build(self.index)
            )
            self._storage.set_meta("graph", "1")
            self._storage.commit()
        return self._graph

    def joined(self, table: str) -> frozenset[str] | None:
        """The neighbours of a table in the join graph; None if the table is not in the graph, but from
        outside.

        The stored edges are read instead of the whole graph: for ten thousand tables loading takes seconds.
        """
        self.build_graph()
        if table not in self.index.unions and not self._storage.has(table):
            return None
        # Built already in this process, it knows of changes that were not stored yet.
        if self._graph is not None:
            return frozenset(self._graph.adj.get(table, ()))
        return frozenset(name for name in self._storage.neighbours(table) if name in self.index.tables)

    def build_graph(self) -> None:
        """Build the join graph if the catalog does not have it yet."""
        if not self._storage.meta("graph"):
            self.graph()

    def actions(self) -> Actions:
        """The data lake actions."""
        if self._actions is None:
            self._actions = Actions(self.index, self.database, self.graph())
        return self._actions

    def drive(self, model: Model, driving: Driving | None = None) -> None:
        """Let a model choose among the resolver's candidates and make its own from now on."""
        self._model = (model, driving or Driving())

    def describe(self, sql: str) -> tuple[tuple[str, str], ...]:
        """Column names and types of a query as written.

        :raises LakeError: with the SQLSTATE that fits.
        """
        return self.database.describe(self._native(sql))

    def execute(self, sql: str, *, limit: int | None = None) -> Rows:
        """Run a query as written.

        :raises LakeError: with the SQLSTATE that fits.
        """
        return self.database.execute(self._native(sql), limit=limit)

    def query(
        self, sql: str, mode: Mode = "bind", *, threshold: float = 0.0, limit: int | None = None
    ) -> Answer:
        """Answer a query. In mode `bind` it is run as written if it binds, else it is resolved.

        In mode `resolve`, a query that binds is resolved as well, and the better of the two answers is
        returned. A resolution whose confidence is below `threshold` is refused.

        :raises NotResolved: refused; the hint lists what is closest.
        :raises LakeError: the query is wrong, forbidden, or failed.
        """
        started = time.monotonic()
        written = self._as_written(sql, limit)
        if written is not None and mode == "bind":
            return written
        answer = self._resolve(sql, limit)
        # the query as written stands unless the resolution is clearly better
        if written is not None and not (_better(answer, written) or self._wrong_key(sql, answer)):
            return replace(
                written,
                resolution=replace(
                    written.resolution,
                    confidence=min(0.5, answer.resolution.confidence) if _says_nothing(written) else 1.0,
                    doubts=answer.resolution.doubts,
                    seconds=time.monotonic() - started,
                ),
            )
        return _judged(answer, threshold)

    def put_out(self, answer: Answer, index: int) -> Answer:
        """The action OUTPUT_QUERY: run another candidate from the history of a resolution.

        :raises LakeError: there is no such candidate, or it fails.
        """
        history = answer.resolution.history
        if not 0 <= index < len(history):
            raise LakeError(f"the history has {len(history)} candidates, from 0", sqlstate="22023")
        sql = history[index].sql
        return Answer(replace(answer.resolution, sql=sql), self.database.execute(sql))

    def accept(self, resolution: Resolution) -> dict[str, str]:
        """Keep a resolution's mapping as views under the imagined names; returns name → SQL.

        :raises LakeError: 0A000, a view of it would count rows more than once.
        """
        if resolution.once:
            told = ", ".join(resolution.once)
            raise LakeError(f"not kept: a view would repeat rows for each of {told}", sqlstate="0A000")
        cleaned = {name: self._cleaned(name, columns) for name, columns in resolution.cleaned.items()}
        views = views_of(resolution, cleaned)
        for name, sql in views.items():
            self.database.view(name, sql)
            self._storage.accept(name, sql)
        return views

    def keep_view(self, name: str, sql: str) -> None:
        """Store a query as a view of the lake, which later queries can name.

        :raises LakeError: 42P07, a table has the name; the query is not allowed.
        """
        if self.index.table(name) is not None:
            raise LakeError(f'relation "{name}" is a table of the lake', sqlstate="42P07")
        self.database.view(name, sql)
        self._storage.accept(name, sql)

    def _resolve(self, sql: str, limit: int | None) -> Answer:
        if self._model is None or not self._model[0].available("lake"):
            return self.resolver.resolve(sql, limit=limit)
        driver = ModelDriver(self.index, self.database, self.actions(), self.resolver, *self._model)
        return driver.resolve(sql, limit=limit)

    def _cleaned(self, table: str, columns: tuple[str, ...]) -> str:
        found = {}
        for name in columns:
            column = self.index.tables[table].column(name)
            if (
                column is not None
                and (expression := clean_expression(column, self.index.values(column))) is not None
            ):
                found[name] = expression
        return clean_cte(table, found)

    def _open(self) -> None:
        self.index = LakeIndex(self._storage, self._embedder)
        self.index.prepare()
        real = [t for name, t in self.index.tables.items() if name not in self.index.unions]
        self.database = LakeDatabase(
            self.readable,
            {t.name: Source(t.name, t.path, t.scan, t.bytes, t.files) for t in real},
            self._limits,
            self._beside,
            json.loads(self._storage.meta("ambiguous") or "{}"),
        )
        # Unions first: views that somebody accepted may read them.
        self.database.define({name: united.sql() for name, united in self.index.unions.items()})
        self.database.define(dict(self._storage.accepted()))
        self.resolver = Resolver(self.index, self.database, self._options)
        self._graph = None
        self._actions = None

    def _native(self, sql: str) -> str:
        """The statement in DuckDB's dialect: unchanged if it parses as DuckDB's, else translated from
        PostgreSQL's. A text that is neither is left to DuckDB, whose error is then the client's.
        """
        try:
            sqlglot.parse_one(sql, read="duckdb")
        except (SqlglotError, RecursionError):
            try:
                return str(sqlglot.transpile(sql, read="postgres", write="duckdb")[0])
            except (SqlglotError, RecursionError, IndexError):
                return sql
        return sql

    def _as_written(self, sql: str, limit: int | None) -> Answer | None:
        started = time.monotonic()
        native = self._native(sql)
        try:
            rows = self.database.execute(native, limit=limit)
        except LakeError as error:
            if error.sqlstate in _RETRY_STATES or (error.sqlstate in _UNREAD and is_select(sql)):
                return None
            raise
        doubts = tuple(as_letters(self.index, self.resolver.parse, sql))
        return Answer(
            Resolution("bound", sql, native, 1.0, doubts=doubts, seconds=time.monotonic() - started), rows
        )

    def _wrong_key(self, sql: str, answer: Answer) -> bool:
        """Whether the query as written joins existing columns that do not belong together, although the
        resolution found a good key.
        """
        if (
            answer.rows is None
            or not answer.rows.rows
            or not answer.resolution.joins
            or min(j.quality for j in answer.resolution.joins) < _GOOD_KEY
        ):
            return False
        tree = self.resolver.parse(sql)
        alias = {t.alias_or_name.lower(): t.name for t in tree.find_all(sqlglot.exp.Table)}
        found = []
        for node in tree.find_all(sqlglot.exp.EQ):
            ends = [self._column(alias, side) for side in (node.this, node.expression)]
            if ends[0] is not None and ends[1] is not None and ends[0].table != ends[1].table:
                found.append(self.index.score_pair(ends[0], ends[1]).quality)
        return bool(found) and max(found) < _BAD_KEY

    def _column(self, alias: dict[str, str], node: object) -> Column | None:
        if not isinstance(node, sqlglot.exp.Column):
            return None
        table = self.index.table(alias.get(node.table.lower(), ""))
        return table.column(node.name) if table is not None else None


def open_lake(
    folder: Path | str,
    over: Path | str | None = None,
    *,
    catalog: Path | None = None,
    limits: Limits | None = None,
    options: Options | None = None,
    embedder: CachedEmbedder | None = None,
    beside: Sequence[Beside] = (),
    progress: bool = False,
) -> Lake:
    """Open a folder of CSV, Parquet and JSON files as a lake. Files in `over` replace files of the same name.

    Either may be ``s3://bucket/prefix`` (a text, not a Path): its copy is brought up to date first.
    `beside`: PostgreSQL databases that queries may name; they are read, never resolved to.

    The catalog is kept in `catalog` (default: below the user's cache directory) and brought up to date first.

    :raises LakeError: the folder does not exist, or the bucket cannot be read.
    """
    root, extra = local(folder), local(over) if over is not None else None
    for path in (root, extra):
        if path is not None and not path.is_dir():
            raise LakeError(f"no such folder: {path}", sqlstate="58P01")
    options = options or Options()
    where = catalog or default_catalog(root, extra)
    storage = _storage(where)
    work = work_of(where)
    found = discover(root, extra, Preparer(storage, work))
    refresh(storage, found, [p for p in (root, extra, work) if p is not None], progress=progress)
    embedder = embedder or best_embedder(semantic=options.semantic)
    embedder.progress = progress
    return Lake(
        root,
        extra,
        storage,
        embedder,
        limits or Limits(),
        options,
        beside,
        [str(path) for path in (folder, over) if path is not None and is_remote(path)],
        where,
        work,
    )


def work_of(catalog: Path) -> Path:
    """The folder for converted copies of files that DuckDB cannot read. It is beside the catalog, or a
    temporary one where that cannot be written.
    """
    work = catalog.with_suffix(".files")
    try:
        work.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="rewright-lake-"))
    return work


def default_catalog(folder: Path, over: Path | None = None) -> Path:
    """The default path of a lake's catalog, below the user's cache directory."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    # The folder's name is for people who look into the cache; the digest keeps folders of one name apart.
    key = hashlib.blake2b(f"{folder}\0{over or ''}".encode(), digest_size=8).hexdigest()
    return base / "rewright" / "lake" / f"{folder.name}-{key}.db"


def _storage(path: Path) -> Storage:
    try:
        return Storage(path)
    except OSError:
        # a read-only home: the catalog lives as long as the process
        return Storage(None)


def _better(answer: Answer, written: Answer) -> bool:
    """Whether the answer of a resolution is preferred to that of the query as written."""
    if answer.rows is None or not answer.rows.rows:
        return False
    return _says_nothing(written) or bool(answer.resolution.cleaned) or bool(answer.resolution.corrections)


def _says_nothing(answer: Answer) -> bool:
    """Whether an answer has no rows, or a first row of NULLs and zeros only."""
    return (
        answer.rows is None or not answer.rows.rows or all(v is None or v == 0 for v in answer.rows.rows[0])
    )


def _judged(answer: Answer, threshold: float) -> Answer:
    resolution = answer.resolution
    if resolution.confidence >= threshold and answer.rows is not None:
        return answer
    # Nothing ran and nothing is like it: the error of the best try says more than a list of tables.
    if resolution.kind == "failed" and not resolution.closest:
        raise LakeError(resolution.error)
    told = f"the lake does not surely hold what the query asks for (confidence {resolution.confidence:.2f})"
    # A caller that sets no threshold wants to see the answer and judge for itself.
    if threshold > 0.0:
        raise NotResolved(told, hint=resolution.hint())
    return Answer(replace(resolution, kind="failed"), answer.rows)


def joins_of(folder: Path) -> list[tuple[str, str, float, list[tuple[str, str, float]]]]:
    """The join graph as it was last built, by tables, without opening the lake: two tables, Ω, and the column
    pairs that join them with their S, best first. Empty before `Lake.graph` was first asked for.
    """
    storage = _storage(default_catalog(folder))
    try:
        edges = sorted(storage.edges(), key=lambda edge: edge[:2])
    finally:
        storage.close()
    return [
        (a, b, float(kept["omega"]), [(str(x), str(y), float(s)) for x, y, s in kept["pairs"]])
        for a, b, kept in edges
    ]


def tables_of(folder: Path) -> list[Table]:
    """The tables of a lake's catalog as they were last brought up to date, by name; the lake itself is not
    opened.
    """
    storage = _storage(default_catalog(folder))
    try:
        return storage.tables()
    finally:
        storage.close()
