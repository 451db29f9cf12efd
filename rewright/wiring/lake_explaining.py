"""EXPLAIN and EXPLAIN ANALYZE of lake queries: what would run where, and DuckDB's plan of it.

Owns reading EXPLAIN's options and the lines that are shown. Must not know how a statement was bound.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pglast import ast
from pglast.error import Error as PglastError
from pglast.parser import scan

from rewright.engines.duckdb.database import LakeDatabase
from rewright.engines.duckdb.dialect.plans import Plan
from rewright.engines.duckdb.errors import LakeError
from rewright.proxy.duckdb_backend.ports import Prepared
from rewright.proxy.ports import ResultColumn
from rewright.sql.parsing import TooDeep, parse
from rewright.wiring.lake_finishing import Finishing

_COLUMN = "QUERY PLAN"
# no option is called like one of these
_BEGINS_QUERY = frozenset({"ASCII_40", "SELECT", "WITH", "VALUES", "TABLE"})
_READ_ROWS = 1000


@dataclass(frozen=True, slots=True)
class Explained:
    """The query of an EXPLAIN, and what is asked of it."""

    text: str
    analyze: bool = False
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is shown: lines that are known, and the query whose plan is asked for when it runs."""

    lines: tuple[str, ...]
    query: object
    analyze: bool
    as_json: bool


def explained_text(text: str) -> Explained | None:
    """None: no EXPLAIN.

    :raises LakeError: 0A000, options that a lake has nothing for.
    """
    # most texts are none: nothing is parsed for them; comments may stand before the word
    if "explain" not in text.lower():
        return None
    try:
        statements = parse(text)
    except (PglastError, TooDeep):
        return None
    if len(statements) != 1 or not isinstance(statements[0].stmt, ast.ExplainStmt):
        return None
    found = Explained(_behind(text))
    for option in statements[0].stmt.options or ():
        found = _with(found, option)
    return found


def _with(found: Explained, option: Any) -> Explained:
    value = getattr(option.arg, "sval", None) or getattr(option.arg, "boolval", None)
    is_on = (
        option.arg is None or str(value).lower() in {"true", "on", "1"} or getattr(option.arg, "ival", 0) == 1
    )
    match option.defname.lower():
        case "analyze":
            return replace(found, analyze=is_on)
        case "format":
            if str(value).lower() not in {"text", "json"}:
                raise LakeError("EXPLAIN of a lake query is shown as TEXT or JSON", sqlstate="0A000")
            return replace(found, as_json=str(value).lower() == "json")
    # what else there is says how much is told of each node of PostgreSQL's plans
    return found


def _behind(text: str) -> str:
    """The text behind EXPLAIN and its options."""
    tokens = [one for one in scan(text) if one.name not in {"SQL_COMMENT", "C_COMMENT"}]
    at, depth = 1, 0
    # EXPLAIN (ANALYZE) SELECT ..., or EXPLAIN (SELECT ...): a parenthesis may open options or the query
    if tokens[at].name == "ASCII_40" and tokens[at + 1].name not in _BEGINS_QUERY:
        while True:
            depth += {"ASCII_40": 1, "ASCII_41": -1}.get(tokens[at].name, 0)
            at += 1
            if not depth:
                break
    else:
        while tokens[at].name in {"ANALYZE", "ANALYSE", "VERBOSE"}:
            at += 1
    return text[tokens[at].start :]


def explaining(asked: Explained, inner: Prepared, resolution: Any) -> Prepared:
    """The EXPLAIN of a statement that was bound."""
    lines: list[str] = []
    if resolution is not None:
        lines += [line for line in resolution.notice().splitlines() if line and not line.startswith("SQL: ")]
    query = inner.query
    if isinstance(query, Plan):
        lines += [query.told()[0].upper() + query.told()[1:]]
        lines += [f"Fetched as {one.table}: {one.query}" for one in query.fetches]
        lines.append(f"PostgreSQL: {query.text}")
    else:
        lines.append(f"DuckDB: {query}")
    kind = 114 if asked.as_json else 25
    column = ResultColumn(_COLUMN, kind)
    shape = (
        f'SELECT NULL::{"json" if asked.as_json else "text"} AS "{_COLUMN}" FROM pg_catalog.pg_class WHERE '
        f"false"
    )
    return Prepared(
        inner.param_types,
        (column,),
        Explanation(tuple(lines), query, asked.analyze, asked.as_json),
        (),
        shape,
    )


class Explaining:
    """One EXPLAIN that is being answered; stands where a running query stands otherwise."""

    def __init__(self, database: LakeDatabase, dsn: str) -> None:
        self._database = database
        self._dsn = dsn
        self._running: Any = None
        self._rows: list[tuple[Any, ...]] = []

    def begin(self, explanation: Explanation, parameters: Sequence[Any] = ()) -> None:
        """:raises LakeError: the query fails."""
        lines = list(explanation.lines)
        lines += self._plans(explanation.query, parameters, explanation)
        if explanation.analyze:
            lines += self._measured(explanation.query, parameters)
        if explanation.as_json:
            self._rows = [(json.dumps([{"Rewright": lines}], indent=2),)]
        else:
            self._rows = [(line,) for line in lines]

    def _plans(self, query: object, parameters: Sequence[Any], explanation: Explanation) -> list[str]:
        del explanation
        texts = [one.query for one in query.fetches] if isinstance(query, Plan) else [str(query)]
        lines: list[str] = []
        for text in texts:
            lines += self._database.plan_of(text, parameters)
        return lines

    def _measured(self, query: object, parameters: Sequence[Any]) -> list[str]:
        """Runs it to its end."""
        started = time.monotonic()
        self._running = (
            Finishing(self._database, self._dsn) if isinstance(query, Plan) else self._database.query()
        )
        count = 0
        try:
            self._running.begin(query, parameters)
            while rows := self._running.take(_READ_ROWS):
                count += len(rows)
        finally:
            self._running.close()
        return [f"Rows: {count}", f"Execution Time: {(time.monotonic() - started) * 1000:.3f} ms"]

    def take(self, rows: int) -> list[tuple[Any, ...]]:
        taken, self._rows = self._rows[:rows], self._rows[rows:]
        return taken

    def close(self) -> None:
        if self._running is not None:
            self._running.close()

    def interrupt(self) -> None:
        if self._running is not None:
            self._running.interrupt()
