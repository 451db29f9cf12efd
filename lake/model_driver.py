"""The loop with a model (thesis 4.1): a rewriter proposes, a self-checker chooses actions, until one query is
put out.

Owns the prompts' structure, the JSON contracts and the rounds. Everything a model says is hostile: SQL runs
only through the lake's guard. Must not see more of the data than `share` allows: below `samples` every SQL
text and error message goes through the redactor, for the resolver's own queries hold values of the lake, too.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from rewright.engines.duckdb.database import LakeDatabase, Rows
from rewright.engines.duckdb.errors import LakeError
from rewright.lake.actions import (
    Action,
    Actions,
    BuildCte,
    EvictTable,
    FindJoinPath,
    OutputQuery,
    SearchTable,
    SearchValue,
    UnionSearch,
)
from rewright.lake.index import LakeIndex
from rewright.lake.joins.paths import JoinPath
from rewright.lake.noise.written import Functions, SandboxError, can_be_mapped, shown, written_expression
from rewright.lake.resolve.imagined import sites_of
from rewright.lake.resolve.loop import Resolver
from rewright.lake.resolve.resolution import Answer, Attempt, Resolution
from rewright.lake.resolve.rivals import says_nothing, told_rows
from rewright.lake.scratchpad import History, Scratchpad, Section, Tried
from rewright.models.api import Message, Model, ModelError, Request
from rewright.models.redact import Redactor
from rewright.models.typed import ask

T = TypeVar("T")
Share = Literal["schema", "statistics", "samples"]
# rows, hits and characters that go into prompts: a model is paid by the token
_PREVIEW = 3
_CELL = 60
_RETRIEVED = 5
_AGREED, _SUPPORTED, _ALONE, _EMPTY = 0.6, 0.75, 0.55, 0.2
"""Confidence of a model's choice: what agreement with the rules' answer adds, with another derivation,
without any, without rows.
"""

_REWRITER = (
    "You rewrite SQL. The query below assumes tables and columns that do not exist. Write one DuckDB SELECT "
    "over the real tables "
    "shown that gives what the user meant. Name the output columns exactly as the user did. Use only tables "
    "and columns shown. "
    "Copy CTE definitions you use. Do not repeat a query of the history."
)
_CHECKER = (
    "You judge rewritten queries over a data lake and decide what to do next. Choose actions: "
    "SEARCH_TABLE(domain, columns), "
    "SEARCH_VALUE(table, value), FIND_JOIN_PATH(table_a, table_b), UNION_SEARCH(table), BUILD_CTE(table, "
    "columns, goal), "
    "EVICT_TABLE(table), OUTPUT_QUERY(index). Choose OUTPUT_QUERY with the index of the best candidate once "
    "one answers the query."
)

_NORMALISER = (
    "You write functions that clean columns of a table. For each column that needs it give one Python "
    "function of one parameter (a text) "
    "that returns the cleaned text, number or truth value, or None where the value means nothing. Fix only "
    "damage that you see in the values. "
    "No imports: re, unicodedata and datetime are there."
)


@dataclass(frozen=True, slots=True)
class Driving:
    """What a model may see, how often it is asked, and for how long (seconds, its own and the resolver's
    together).
    """

    share: Share = "schema"
    rounds: int = 5
    seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The rewriter's reply."""

    sql: str
    reason: str
    used_tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One action of the self-checker; fields that its type does not use are empty."""

    type: Literal[
        "SEARCH_TABLE",
        "SEARCH_VALUE",
        "FIND_JOIN_PATH",
        "UNION_SEARCH",
        "BUILD_CTE",
        "EVICT_TABLE",
        "OUTPUT_QUERY",
    ]
    table: str | None = None
    table_a: str | None = None
    table_b: str | None = None
    value: str | None = None
    domain: str | None = None
    columns: tuple[str, ...] | None = None
    goal: str | None = None
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Reasoning:
    intent_coverage: str
    output_quality: str
    missing_information: str
    suggested_improvement: str


@dataclass(frozen=True, slots=True)
class Check:
    """The self-checker's reply."""

    actions: tuple[Step, ...]
    reasoning: Reasoning


class ModelDriver:
    """Resolves one query with a model; falls back on the deterministic answer
    whenever the model gives none.
    """

    def __init__(
        self,
        index: LakeIndex,
        database: LakeDatabase,
        actions: Actions,
        resolver: Resolver,
        model: Model,
        driving: Driving | None = None,
    ) -> None:
        self._index = index
        self._database = database
        self._actions = actions
        self._resolver = resolver
        self._model = model
        self._driving = driving or Driving()
        self._share = self._driving.share
        self._redactor = Redactor(self._share)
        self._tokens = 0

    def resolve(self, query: str, *, limit: int | None = None) -> Answer:
        """The model's choice among everything tried, the deterministic candidate included."""
        started = time.monotonic()
        # the rules answer first: without a model, or where it fails, that is the answer
        first = self._resolver.resolve(query, limit=limit)
        if not self._model.available("lake"):
            return first
        # placeholders and tokens are one query's
        self._tokens = 0
        self._redactor = Redactor(self._share)
        self._redactor.learn(self._index.tables)
        self._redactor.learn(c.name for c in self._index.columns)
        pad, history = Scratchpad(), History()
        log: list[dict[str, Any]] = []
        # the rules' answer is entry 0 of the history, so that the checker can choose it
        self._remember(
            history,
            first.resolution.sql,
            "deterministic resolver",
            first.rows,
            f"XX000: {first.resolution.error}" if first.resolution.error else "",
        )
        for table in {
            t for tables in first.resolution.tables.values() for t in tables if t not in self._index.unions
        }:
            pad.add(Section.TABLES, table, self._preview(table))
        chosen: int | None = None
        try:
            for _ in range(self._driving.rounds):
                left = self._driving.seconds - (time.monotonic() - started)
                # with less than a second no reply arrives in time
                if left <= 1.0:
                    break
                chosen = self._round(query, pad, history, log, left)
                if chosen is not None:
                    break
        except ModelError as error:
            log.append({"model": str(error)[:200]})
        return self._finish(query, first, history, chosen, log, limit)

    def _round(
        self, query: str, pad: Scratchpad, history: History, log: list[dict[str, Any]], seconds: float
    ) -> int | None:
        # each half of a round gets half of what is left, so that the checker is heard at all
        proposal = self._ask(
            self._request(_REWRITER, query, pad, history, seconds / 2, retrieved=True), Rewrite
        )
        sql = self._redactor.restore(proposal.sql)
        # Asked to repeat nothing, a model does all the same: running it again would say nothing new.
        if not history.seen(sql):
            rows, error = self._run(sql)
            self._remember(history, sql, proposal.reason, rows, error)
            for table in proposal.used_tables:
                if self._index.table(table) is not None:
                    pad.add(Section.TABLES, table, self._preview(table))
        check = self._ask(self._request(_CHECKER, query, pad, history, seconds / 2, retrieved=False), Check)
        for step in check.actions:
            action = action_of(step)
            # an action that lacks what it needs is skipped, not an error: the others of the reply still run
            if action is None:
                continue
            log.append({"action": step.type})
            if isinstance(action, OutputQuery):
                # A model may name an index that there is not, or a candidate that failed.
                if 0 <= action.index < len(history.entries) and not history.entries[action.index].error:
                    return action.index
                continue
            self._act(action, pad, seconds / 2)
        return None

    def _ask(self, request: Request, kind: type[T]) -> T:
        """A reply of that type; its tokens are counted, also those of replies that were of no use."""
        try:
            found = ask(self._model, request, kind)
        except ModelError as error:
            self._tokens += error.usage.tokens
            raise
        self._tokens += found.usage.tokens
        return found.value

    def _act(self, action: Action, pad: Scratchpad, seconds: float) -> None:
        """Run an action and note what it found; one about unknown tables finds nothing."""
        try:
            match action:
                case SearchTable():
                    for hit in self._actions.search_table(action, _PREVIEW):
                        pad.add(Section.TABLES, hit.table, self._preview(hit.table))
                case SearchValue():
                    hits = self._actions.search_value(action) if self._share == "samples" else []
                    pad.add(
                        Section.VALUES,
                        f"{action.table}: {action.value}",
                        [f"{h.column} = {h.value}" for h in hits],
                    )
                case FindJoinPath():
                    paths = [self._path(p) for p in self._actions.find_join_path(action, 2)]
                    pad.add(Section.JOINS, f"{action.table_a} - {action.table_b}", paths)
                case UnionSearch():
                    pad.add(
                        Section.JOINS,
                        f"union {action.table}",
                        [(h.table, h.score, h.columns) for h in self._actions.union_search(action, _PREVIEW)],
                    )
                case BuildCte():
                    made = self._actions.build_cte(action, self._written(action, seconds))
                    pad.add(
                        Section.CTES,
                        made.name,
                        made.sql
                        if self._share == "samples"
                        else f"columns cleaned: {', '.join(made.columns)}",
                    )
                case EvictTable():
                    pad.evict(action.table)
                case OutputQuery():
                    pass
        except LakeError as error:
            pad.add(
                Section.VALUES, f"failed {type(action).__name__}", self._told(f"{error.sqlstate}: {error}")
            )

    def _written(self, action: BuildCte, seconds: float) -> dict[str, str]:
        """Expressions from functions that the model writes for the values it is shown, by column; where it
        may not see any, none.
        """
        table = self._index.table(action.table)
        if self._share != "samples" or not action.goal or table is None:
            return {}
        columns = {
            column.name: (column, self._index.values(column))
            for column in table.columns
            if (not action.columns or column.name in action.columns)
            and can_be_mapped(column, self._index.values(column))
        }
        if not columns:
            return {}
        told = {"goal": action.goal, "columns": {name: shown(*one) for name, one in columns.items()}}
        messages = (Message("system", _NORMALISER), Message("user", json.dumps(told, ensure_ascii=False)))
        reply = self._ask(Request("lake", messages, seconds=seconds), Functions)
        found: dict[str, str] = {}
        for function in reply.functions:
            if function.column in columns:
                # a function that does not pass the sandbox leaves its column to the vetted normalisers
                with suppress(SandboxError):
                    expression = written_expression(*columns[function.column], function.source)
                    found |= {function.column: expression} if expression is not None else {}
        return found

    def _path(self, path: JoinPath) -> dict[str, Any]:
        told = path.to_json()
        if self._share == "schema":
            # how many rows meet is a figure about the data
            told = {k: v for k, v in told.items() if k not in {"fan_out", "s_join"}}
        return told

    def _told(self, error: str) -> str:
        """An error `SQLSTATE: message` as it may be shown."""
        sqlstate, _, message = error.partition(": ")
        return self._redactor.error(sqlstate, message)[:300] if error else ""

    def _request(
        self,
        instruction: str,
        query: str,
        pad: Scratchpad,
        history: History,
        seconds: float,
        *,
        retrieved: bool,
    ) -> Request:
        told = {
            "query": self._redactor.sql(query),
            "history": [
                {
                    "index": i,
                    "sql": self._redactor.sql(t.sql),
                    "columns": t.columns,
                    # How many rows there are is a figure about the data; that there are some is not.
                    "rows": t.rows if self._share != "schema" else (t.rows or 0) > 0,
                    "preview": t.preview if self._share == "samples" else None,
                    "error": self._told(t.error),
                }
                for i, t in enumerate(history.entries)
            ],
            "scratchpad": {section: dict(pad.entries(section)) for section in Section},
        }
        if retrieved:
            told["retrieved"] = self._retrieved(query, pad)
        if self._redactor.hides and (legend := self._redactor.legend()):
            told["placeholders"] = f"stand for literals; keep those you use as they are: {legend}"
        return Request(
            "lake",
            (
                Message("system", instruction),
                Message("user", json.dumps(told, default=str, ensure_ascii=False)),
            ),
            seconds=seconds,
        )

    def _retrieved(self, query: str, pad: Scratchpad) -> list[Any]:
        imagined = {
            r.name: tuple(c.name for c in r.columns.values())
            for s in sites_of(self._resolver.parse(query))
            for r in s.relations
        }
        relevance = self._actions.retriever.query_relevance(imagined)
        ranked = self._actions.retriever.rank(relevance, pad.tables(), evicted=pad.evicted, k=_RETRIEVED)
        return [self._preview(table) for table, _ in ranked if table not in self._index.unions]

    def _preview(self, table: str) -> dict[str, Any]:
        """What of a table may be shown."""
        found = self._index.tables[self._index.table(table).name]  # type: ignore[union-attr] # the tables of the pad are those of the index
        out: dict[str, Any] = {"table": found.name, "columns": {c.name: c.type for c in found.columns}}
        if self._share in {"statistics", "samples"}:
            out["rows"] = found.rows
            out["distinct"] = {c.name: c.distinct for c in found.columns}
        if self._share == "samples":
            out["preview"] = [
                [str(v)[:_CELL] for v in row] for row in self._actions.preview(found.name, _PREVIEW).rows
            ]
        return out

    def _run(self, sql: str, limit: int | None = 50) -> tuple[Rows | None, str]:
        try:
            return self._database.execute(sql, limit=limit, seconds=20.0), ""
        except LakeError as error:
            return None, f"{error.sqlstate}: {str(error).splitlines()[0][:300]}"

    def _remember(self, history: History, sql: str, reason: str, rows: Rows | None, error: str) -> int:
        preview = tuple(tuple(str(v)[:_CELL] for v in row) for row in rows.rows[:_PREVIEW]) if rows else ()
        return history.add(
            Tried(sql, reason, len(rows.rows) if rows else None, preview, rows.columns if rows else (), error)
        )

    def _finish(
        self,
        query: str,
        first: Answer,
        history: History,
        chosen: int | None,
        log: list[dict[str, Any]],
        limit: int | None,
    ) -> Answer:
        attempts = tuple(Attempt(t.sql, t.rows, t.error, 0.0) for t in history.entries)
        spent: dict[str, Any] = {"history": attempts, "tokens": self._tokens}
        # Entry 0 is the deterministic answer.
        if chosen is None or chosen == 0:
            return Answer(replace(first.resolution, **spent, actions=tuple(log)), first.rows)
        sql = history.entries[chosen].sql
        rows, error = self._run(sql, limit)
        # it ran for its first rows when it was tried: the whole may take too long, or meet a cell that fails
        if rows is None:
            return Answer(replace(first.resolution, **spent, actions=(*log, {"failed": error})), first.rows)
        if says_nothing(rows) and first.rows is not None and not says_nothing(first.rows):
            # a choice that empties the result is a mistake more often than an insight
            return Answer(
                replace(first.resolution, **spent, actions=(*log, {"doubted": "the result would be empty"})),
                first.rows,
            )
        resolution = Resolution(
            "resolved", query, sql, self._sure(first, history, chosen, rows, limit), **spent,
            actions=tuple(log),
            doubts=(history.entries[chosen].reason[:300],), closest=first.resolution.closest,
            readings=first.resolution.readings,
            driver="model", rounds=len(history.entries) - 1, seconds=first.resolution.seconds,
        )  # fmt: skip
        return Answer(resolution, rows)

    def _sure(self, first: Answer, history: History, chosen: int, rows: Rows, limit: int | None) -> float:
        """How surely the model's choice is right: not the rules' word for their own, but whether anybody else
        came to the same rows.

        docs/decisions/0385. Agreement with the rules' answer adds to theirs; with their second reading, or
        with another query that the model wrote, it is enough to answer; a query that nothing supports is not.
        """
        if says_nothing(rows):
            return _EMPTY
        told = told_rows(rows)
        # the rules' own answer and the chosen query itself are no second witnesses
        own = {_folded(t.sql) for t in history.entries[:1]} | {_folded(history.entries[chosen].sql)}
        others = [r.sql for r in first.resolution.readings[1:]]
        others += [t.sql for t in history.entries[1:] if not t.error and _folded(t.sql) not in own]
        sure = _SUPPORTED if any(self._gives(sql, told, limit) for sql in others) else _ALONE
        if first.rows is not None and told_rows(first.rows) == told:
            # Two ways that came to one answer by themselves: the doubt that is left is the product of both.
            sure = max(sure, 1.0 - (1.0 - first.resolution.confidence) * (1.0 - _AGREED))
        return sure

    def _gives(self, sql: str, told: Counter[tuple[str, ...]], limit: int | None) -> bool:
        rows, _ = self._run(sql, limit)
        return rows is not None and told_rows(rows) == told


def action_of(step: Step) -> Action | None:
    """A typed action, or None where what it needs is missing."""
    columns = step.columns or ()
    match step.type:
        case "SEARCH_TABLE":
            return (
                SearchTable(step.domain or step.table or "", columns)
                if step.domain or step.table or columns
                else None
            )
        case "SEARCH_VALUE":
            return SearchValue(step.table, step.value) if step.table and step.value else None
        case "FIND_JOIN_PATH":
            return FindJoinPath(step.table_a, step.table_b) if step.table_a and step.table_b else None
        case "UNION_SEARCH":
            return UnionSearch(step.table) if step.table else None
        case "BUILD_CTE":
            return BuildCte(step.table, columns, step.goal or "") if step.table else None
        case "EVICT_TABLE":
            return EvictTable(step.table) if step.table else None
        case "OUTPUT_QUERY":
            return OutputQuery(step.index) if step.index is not None else None


def _folded(sql: str) -> str:
    """Queries that differ in blanks and case alone are one."""
    return " ".join(sql.lower().split())
