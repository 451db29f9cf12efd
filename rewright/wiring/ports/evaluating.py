"""Strangers' SELECTs over rows of ours, on an in-memory DuckDB that can reach nothing else.

Owns the sandbox and the types that go in and out. DuckDB's dialect is PostgreSQL's in nearly everything one
writes over a log.
"""

from __future__ import annotations

import datetime as dt
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import duckdb
from pglast import ast
from pglast.parser import parse_sql

from rewright.engines.duckdb.errors import LakeError
from rewright.engines.duckdb.guard import Relations, guard
from rewright.proxy.answers.relations import BOOL, FLOAT8, INT8, TEXT, TIMESTAMPTZ, Relation
from rewright.proxy.duckdb_backend.values import ARRAYS
from rewright.proxy.ports import ResultColumn, SqlError
from rewright.sql.parsing import nodes_of

# a query over a log of ours takes milliseconds
SECONDS = 10.0
# of the types a parameter may have: numbers, truth, times; all else is text
SAMPLES: Mapping[int, object] = {
    **dict.fromkeys((INT8, 21, 23), 1),
    **dict.fromkeys((FLOAT8, 700), 1.0),
    BOOL: True,
    1700: Decimal(1),
    TIMESTAMPTZ: dt.datetime(2000, 1, 1, tzinfo=dt.UTC),
    1114: dt.datetime(2000, 1, 1),  # noqa: DTZ001 - timestamp without time zone
    1082: dt.date(2000, 1, 1),
}
SANDBOX = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "memory_limit": "128MB",
    "threads": "1",
    "TimeZone": "UTC",
    "lock_configuration": "true",
}
_MOST = 1_000_000
"""Characters or elements that a call may make of a value."""
_TOO_LARGE = "requested length too large"
_TOO_LONG = f"error('{_TOO_LARGE}')"
GROWING = {
    "repeat(x, n)": f"CASE WHEN len(x) * n::HUGEINT > {_MOST} THEN {_TOO_LONG} "
    "ELSE system.main.repeat(x, n::BIGINT) END",
    **{
        f"{name}(x, n, f)": f"CASE WHEN n > {_MOST} THEN {_TOO_LONG} "
        f"ELSE system.main.{name}(x, n::INTEGER, f) END"
        for name in ("lpad", "rpad")
    },
    "replace(x, a, b)": f"CASE WHEN len(x) * len(b) > {10 * _MOST} THEN {_TOO_LONG} "
    "ELSE system.main.replace(x, a, b) END",
}
"""Calls that make large values of small ones: DuckDB neither counts these against its memory nor stops while
it makes one, so their size is looked at first. Macros of their names stand before DuckDB's own.
"""
UNBOUNDED = frozenset({"printf", "format", "list_resize", "array_resize"})
"""Calls of which no macro can tell the size: they take any number of values, or make each what it is told."""
JOINING = frozenset(
    {"concat", "concat_ws", "list_concat", "array_cat", "list_cat", "array_concat", "array_append"}
)
MOST_JOINED = 12
"""Values that a statement may put together by `||` and calls: a text of 100 kB becomes one of 400 MB at most.
"""
NAMES = {BOOL: "BOOLEAN", INT8: "BIGINT", TEXT: "VARCHAR", FLOAT8: "DOUBLE", TIMESTAMPTZ: "TIMESTAMPTZ"}
_INTEGERS = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER"}
)
MAX_INT8 = 2**63 - 1


class DuckDbEvaluator:
    """The proxy's ``Evaluator``."""

    def columns(
        self, sql: str, relations: Sequence[Relation], parameters: Sequence[int] = ()
    ) -> tuple[ResultColumn, ...]:
        """Of a result, without running the query: whoever asks for them is in the event loop."""
        with _sandbox(relations, describes=True) as connection:
            _check(sql, connection, relations)
            described = _run(connection, f"describe {sql}", [_sample(oid) for oid in parameters])
            return tuple(
                ResultColumn(str(name), _oid(str(type_))) for name, type_, *_ in described.fetchall()
            )

    def rows(
        self,
        sql: str,
        relations: Sequence[Relation],
        contents: Mapping[str, Sequence[Mapping[str, Any]]],
        parameters: Sequence[object] = (),
    ) -> Sequence[tuple[object, ...]]:
        with _sandbox(relations) as connection:
            _check(sql, connection, relations)
            for relation in relations:
                _fill(connection, relation, contents[relation.name])
            result = _run(connection, sql, parameters)
            oids = [column.type_oid for column in _columns(result)]
            return [tuple(map(_value, row, oids)) for row in result.fetchall()]


@contextmanager
def _sandbox(
    relations: Sequence[Relation], *, describes: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with these relations, empty; what goes wrong in it comes out as SqlError. ``describes``: no
    expression is evaluated, which the optimiser would do with constant ones, and cannot be stopped at.
    """
    with duckdb.connect(":memory:") as connection:
        connection.execute("create schema rewright")
        for relation in relations:
            columns = ", ".join(f'"{column.name}" {NAMES[column.type_oid]}' for column in relation.columns)
            connection.execute(f'create table rewright."{relation.name}" ({columns})')
        for head, body in GROWING.items():
            connection.execute(f"create macro {head} as {body}")
        if describes:
            connection.execute("pragma disable_optimizer")
        for name, value in SANDBOX.items():
            connection.execute(f"set {name} = '{value}'")
        timer = threading.Timer(SECONDS, connection.interrupt)
        # DuckDB has no statement timeout of its own
        timer.start()
        try:
            yield connection
        except duckdb.InterruptException as error:
            raise SqlError("57014", "canceling statement due to timeout") from error
        except duckdb.Error as error:
            raise _sql_error(error) from error
        finally:
            timer.cancel()


def _check(sql: str, connection: duckdb.DuckDBPyConnection, relations: Sequence[Relation]) -> None:
    """Refuse what reads more than the relations: DuckDB's settings and catalogs tell paths of this machine;
    and calls that go around the bounds on what is made. Raises SqlError.
    """
    nodes: list[Any] = [node for one in parse_sql(sql) for node in nodes_of(one)]
    _check_joined(nodes)
    calls: list[Any] = [node for node in nodes if isinstance(node, ast.FuncCall)]
    for call in calls:
        if len(call.funcname) > 1 and call.funcname[0].sval != "pg_catalog":
            raise SqlError("0A000", "functions are not called by their schema over relations of rewright")
        if call.funcname[-1].sval in UNBOUNDED:
            name = call.funcname[-1].sval
            raise SqlError("0A000", f"function {name} is not served over relations of rewright")
    names = {relation.name for relation in relations}
    readable = Relations(names.__contains__, schemas=frozenset({"rewright"}), place="relations of rewright")
    try:
        guard(sql, connection, readable)
    except LakeError as error:
        raise SqlError(error.sqlstate, str(error), hint=error.hint) from error


def _joins(node: Any) -> int:
    """How many values a node puts together."""
    told: Any = node
    if isinstance(node, ast.A_Expr):
        return int(any(part.sval == "||" for part in told.name))
    calls = isinstance(node, ast.FuncCall) and told.funcname[-1].sval in JOINING
    return len(told.args or ()) if calls else 0


def _check_joined(nodes: Sequence[Any]) -> None:
    """Each joining of values may double what the one below made; recursion does so without end."""
    joined = sum(_joins(node) for node in nodes)
    recursive = any(isinstance(node, ast.WithClause) and node.recursive for node in nodes)
    if joined > (0 if recursive else MOST_JOINED):
        raise SqlError("0A000", "too many values for a join over relations of rewright")


def _run(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[object]
) -> duckdb.DuckDBPyConnection:
    """By number: a text may leave some of them out."""
    named = {str(number): value for number, value in enumerate(parameters, 1)}
    return connection.execute(
        sql, {name: value for name, value in named.items() if f"${name}" in sql} or None
    )


def _sample(oid: int) -> object:
    """A value of a type, to see what columns a query has."""
    if oid in ARRAYS:
        return [_sample(ARRAYS[oid])]
    return SAMPLES.get(oid, "1")


def _fill(
    connection: duckdb.DuckDBPyConnection, relation: Relation, rows: Sequence[Mapping[str, Any]]
) -> None:
    """All rows at once, as one JSON document."""
    if not rows:
        return
    shape = json.dumps([{column.name: NAMES[column.type_oid] for column in relation.columns}])
    document = json.dumps([dict(row) for row in rows], default=_plain)
    connection.execute(
        f'insert into rewright."{relation.name}" by name '
        f"select unnest(from_json(?::json, '{shape}'), recursive := true)",
        [document],
    )


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, dt.datetime) else str(value)


def _columns(result: duckdb.DuckDBPyConnection) -> tuple[ResultColumn, ...]:
    return tuple(ResultColumn(str(name), _oid(str(type_))) for name, type_, *_ in result.description or ())


def _oid(type_: str) -> int:
    if type_ == "BOOLEAN":
        return BOOL
    if type_ in _INTEGERS:
        return INT8
    # unsigned ones may exceed a bigint: as doubles they lose digits, not their size
    if type_ in {"DOUBLE", "FLOAT", "UBIGINT", "UHUGEINT"} or type_.startswith("DECIMAL"):
        return FLOAT8
    if type_.startswith("TIMESTAMP"):
        return TIMESTAMPTZ
    return TEXT


def _value(value: object, oid: int) -> object:
    if value is None:
        return None
    match oid:
        case _ if oid == INT8:
            assert isinstance(value, int)
            if abs(value) > MAX_INT8:
                raise SqlError("22003", "bigint out of range")
            return value
        case _ if oid == FLOAT8:
            assert isinstance(value, float | int | Decimal)
            return float(value)
        case _ if oid == TIMESTAMPTZ:
            assert isinstance(value, dt.datetime)
            return value if value.tzinfo else value.replace(tzinfo=dt.UTC)
        case _ if oid == TEXT:
            return value if isinstance(value, str) else str(value)
        case _:
            return value


# DuckDB's kinds of errors, as PostgreSQL words them
STATES: Mapping[type[duckdb.Error], str] = {
    duckdb.ParserException: "42601",
    duckdb.BinderException: "42703",
    duckdb.CatalogException: "42883",
    duckdb.ConversionException: "22P02",
    duckdb.OutOfRangeException: "22003",
    duckdb.PermissionException: "42501",
    duckdb.OutOfMemoryException: "53200",
    duckdb.NotImplementedException: "0A000",
}


def _sql_error(error: duckdb.Error) -> SqlError:
    if isinstance(error, duckdb.InvalidInputException) and _TOO_LARGE in str(error):
        return SqlError("54000", _TOO_LARGE)
    state = next((state for kind, state in STATES.items() if isinstance(error, kind)), "XX000")
    # "Binder Error: ..." on the first line; further lines show the text and a place in it
    first, _, _ = str(error).partition("\n")
    _, _, message = first.partition(": ")
    return SqlError(state, message or first)
