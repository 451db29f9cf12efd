"""A lake's queries on Spark: a session, tables as temporary views, rows in batches.

Owns Spark's session, the dialect's translation and cancelling. Must not know resolution, catalogs or the
wire. What comes here has been bound and guarded by DuckDB first: a function or a file that DuckDB does not
let a client use has no name here either. docs/decisions/0187-lakes-on-spark.md. Spark is imported when the
first query runs: it starts a JVM.
"""

from __future__ import annotations

import queue
import re
import threading
import uuid
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from rewright.engines.duckdb.database import Source
from rewright.engines.duckdb.errors import LakeError, Timeout
from rewright.engines.spark.tables import parquet_of

Definition = Callable[[str], Source | str | None]
"""A table of the lake by name: its file, the SQL of a view (DuckDB's dialect), or None."""
# batches that are read ahead of the client
_AHEAD = 4
# Spark adds its own SQLSTATE behind the message
_RAISED = re.compile(r"rewright:(\w{5}):(.*?)(?: SQLSTATE: \w+)?$", re.MULTILINE)
"""What words raise themselves (``engines.duckdb.dialect.numbers``)."""
_END = object()
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    # overflow, division by zero and impossible casts are errors, as in PostgreSQL
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "false",
}


class SparkLake:
    """The tables of one lake on Spark. ``master``: ``local[2]``, ``spark://…``, or ``sc://…`` for Spark
    Connect.

    ``cache``: a directory for tables that are no Parquet files (a cluster must see it, and the lake, under
    the same path).
    """

    def __init__(self, master: str, definition: Definition, cache: Path) -> None:
        self._master = master
        self._definition = definition
        self._cache = cache
        self._session: Any = None
        self._views: dict[str, str] = {}
        self._lock = threading.RLock()

    def close(self) -> None:
        with self._lock:
            if self._session is not None:
                self._session.stop()
                self._session = None
                self._views.clear()

    def interrupt(self, tag: str) -> None:
        """Stop what runs under a tag."""
        with self._lock:
            session = self._session
        if session is not None:
            session.interruptTag(tag)

    def query(self) -> SparkQuery:
        """For one query; nothing runs yet."""
        return SparkQuery(self)

    def plan_of(self, sql: str, parameters: Sequence[Any] = ()) -> list[str]:
        """What Spark is asked; its own plan is made when it runs."""
        del parameters
        return [f"Spark: {spark_sql(_parsed(sql))}"]

    def session(self) -> Any:
        """The Spark session, started when first asked for.

        :raises LakeError: 0A000 Spark is not installed, 08001 it does not start.
        """
        with self._lock:
            if self._session is None:
                self._session = _started(self._master, self._cache)
            return self._session

    def provide(self, tree: exp.Expression) -> None:
        """Make a temporary view of every table that the statement names.

        :raises LakeError: 42P01 there is no such table.
        """
        # a CTE's name hides a table's, but only without a schema
        ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
        for table in tree.find_all(exp.Table):
            if table.name and not (table.name.lower() in ctes and not table.db):
                with self._lock:
                    self._provide(table.name)

    def _provide(self, name: str) -> None:
        found = self._definition(name)
        if found is None:
            raise LakeError(f"table {name} does not exist on Spark", sqlstate="42P01")
        if isinstance(found, str):
            tree = _parsed(found)
            self.provide(tree)
            wanted = f"view {found}"
            # Spark's views are replaced only where the definition or the file changed
            if self._views.get(name) != wanted:
                self.session().sql(spark_sql(tree)).createOrReplaceTempView(f"`{name}`")
        else:
            file = parquet_of(found, self._cache)
            wanted = f"file {file} {file.stat().st_mtime_ns}"
            if self._views.get(name) != wanted:
                self.session().read.parquet(str(file)).createOrReplaceTempView(f"`{name}`")
        self._views[name] = wanted


class SparkQuery:
    """One running query. Rows are fetched in a thread of its own, at most a few
    batches ahead of the reader.
    """

    def __init__(self, lake: SparkLake) -> None:
        self._lake = lake
        self._tag = f"rewright-{uuid.uuid4().hex}"
        self._stopped = threading.Event()
        self._rows: Generator[list[tuple[Any, ...]]] | None = None
        self._left: list[tuple[Any, ...]] = []

    def stream(
        self, sql: str, parameters: Sequence[Any] = (), *, batch: int = 1000
    ) -> Generator[list[tuple[Any, ...]]]:
        """Rows of a query in DuckDB's dialect; parameters are its $1, $2, ….

        :raises LakeError: with Spark's own SQLSTATE.
        """
        tree = _parsed(sql)
        text = spark_sql(tree)
        names = {f"p{number}": value for number, value in enumerate(parameters, 1)}
        batches: queue.Queue[Any] = queue.Queue(_AHEAD)
        threading.Thread(
            target=self._read, args=(tree, text, names, batches, batch), name="spark rows", daemon=True
        ).start()
        try:
            while (got := batches.get()) is not _END:
                if isinstance(got, BaseException):
                    raise told_by_spark(got) from got
                yield got
            self._stopped.set()
        finally:
            self.interrupt()

    def begin(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        """Begin to read by ``take``."""
        self._rows = self.stream(sql, parameters)

    def take(self, rows: int) -> list[tuple[Any, ...]]:
        """The next rows, at most ``rows``; none: there are no more."""
        while self._rows is not None and not self._left and (more := next(self._rows, None)) is not None:
            self._left = more
        taken, self._left = self._left[:rows], self._left[rows:]
        return taken

    def close(self) -> None:
        if self._rows is not None:
            # generators are closed by the reader; the thread sees it within 0.2 s
            self._rows.close()

    def interrupt(self) -> None:
        """Stop what runs (from any thread); harmless when it has ended."""
        if not self._stopped.is_set():
            self._stopped.set()
            self._lake.interrupt(self._tag)

    def _read(
        self, tree: exp.Expression, text: str, names: dict[str, Any], batches: queue.Queue[Any], size: int
    ) -> None:
        end: object = _END
        try:
            session = self._lake.session()
            session.addTag(self._tag)
            self._lake.provide(tree)
            rows: list[tuple[Any, ...]] = []
            for row in session.sql(text, names).toLocalIterator():
                rows.append(tuple(_plain(value) for value in row))
                if len(rows) == size:
                    if not self._put(batches, rows):
                        return
                    rows = []
            if rows:
                self._put(batches, rows)
        except Exception as error:  # noqa: BLE001 - it is raised where the rows are read
            end = Timeout("the query was cancelled") if self._stopped.is_set() else error
        finally:
            self._put(batches, end)

    def _put(self, batches: queue.Queue[Any], item: object) -> bool:
        """False: nobody reads any more."""
        while not self._stopped.is_set():
            try:
                batches.put(item, timeout=0.2)
            except queue.Full:
                continue
            return True
        return False


def spark_sql(tree: exp.Expression) -> str:
    """A statement of DuckDB's dialect in Spark's; $1 becomes the named parameter :p1."""
    # a tuple around it, so that the statement itself may be replaced
    whole = exp.Tuple(expressions=[tree.copy()])
    for node in reversed(list(whole.find_all(*_OTHERWISE))):
        # from the inside out: what is replaced holds what was replaced before
        if (said := _said(node)) is not None:
            node.replace(said)
    return str(whole.expressions[0].sql(dialect="spark", identify=True))


_OTHERWISE = (
    exp.Placeholder,
    exp.Parameter,
    exp.IntDiv,
    exp.Div,
    exp.IsInf,
    exp.IsNan,
    exp.Anonymous,
)


def _said(node: exp.Expression) -> exp.Expression | None:
    """What sqlglot does not say as Spark understands it; None: it does."""
    match node:
        case exp.Placeholder() | exp.Parameter() if node.name.isdigit():
            return exp.Placeholder(this=f"p{node.name}")
        case exp.IntDiv(this=exp.Cast() as left):
            # DIV gives a bigint, whatever is divided
            return exp.cast(node.copy(), left.to.copy())
        case exp.Div(this=exp.Cast(), expression=exp.Cast()):
            return _quotient(node.this, node.expression)
        case exp.IsInf():
            return _equals(exp.Abs(this=node.this.copy()), "Infinity")
        case exp.IsNan():
            # isnan(NULL) is false there
            return _equals(node.this.copy(), "NaN")
        case exp.Anonymous() if node.name.lower() == "error":
            return exp.Anonymous(this="raise_error", expressions=[one.copy() for one in node.expressions])
    return None


def _quotient(x: exp.Expression, y: exp.Expression) -> exp.Expression:
    """Spark works out a quotient that stands in several branches of a CASE before it looks which is taken: it
    must not fail where the divisor is 0, which the words look at themselves.
    """
    zero = exp.Literal.number(0)
    divided = exp.Div(this=x.copy(), expression=exp.Nullif(this=y.copy(), expression=zero.copy()))
    case = exp.Case().when(exp.EQ(this=y.copy(), expression=zero), x.copy())
    return exp.paren(case.else_(divided))


def _equals(value: exp.Expression, number: str) -> exp.Expression:
    double = exp.cast(exp.Literal.string(number), exp.DataType.Type.DOUBLE)
    return exp.paren(exp.EQ(this=value, expression=double))


def _parsed(sql: str) -> exp.Expression:
    try:
        return sqlglot.parse_one(sql, read="duckdb")
    except (SqlglotError, RecursionError) as error:
        raise LakeError("this query cannot be translated for Spark", sqlstate="0A000") from error


def _started(master: str, cache: Path) -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise LakeError(
            "engine spark needs the package pyspark: pip install 'rewright[spark]'", sqlstate="0A000"
        ) from error
    builder: Any = SparkSession.builder.appName("rewright lake")
    if master.startswith("sc://"):
        builder = builder.remote(master)
    else:
        builder = builder.master(master).config("spark.sql.warehouse.dir", str(cache / "warehouse"))
        if master.startswith("local"):
            builder = builder.config("spark.driver.host", "127.0.0.1").config(
                "spark.driver.bindAddress", "127.0.0.1"
            )
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except Exception as error:  # no common base: Java missing, address wrong, versions apart
        raise LakeError(
            f"Spark does not start: {str(error).splitlines()[0][:200]}", sqlstate="08001"
        ) from error


def _plain(value: Any) -> Any:
    """Rows and nested values as DuckDB gives them: dictionaries and lists."""
    as_dict = getattr(value, "asDict", None)
    if as_dict is not None:
        return {name: _plain(inner) for name, inner in as_dict().items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, bytearray):
        return bytes(value)
    return value


def told_by_spark(error: BaseException) -> LakeError:
    """Spark's errors carry SQLSTATEs that agree with PostgreSQL's in their classes."""
    if isinstance(error, LakeError):
        return error
    state, text = _told(error)
    if (raised := _RAISED.search(text)) is not None:
        return LakeError(raised[2], sqlstate=raised[1])
    return LakeError(text.strip().split("\n")[0][:500], sqlstate=state or "XX000")


def _told(error: BaseException) -> tuple[str | None, str]:
    """SQLSTATE and message; an error of the JVM that came unconverted has them in what caused it."""
    cause = getattr(error, "java_exception", None)
    for _ in range(20):
        if cause is None:
            break
        try:
            state = cause.getSqlState()
        except Exception:  # noqa: BLE001 - a class without that method
            state = None
        if state:
            return str(state), str(cause.getMessage())
        cause = cause.getCause()
    return getattr(error, "getSqlState", lambda: None)(), str(error)
