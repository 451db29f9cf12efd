"""A stand-in for a language model, behind a server that speaks OpenAI's protocol: it knows the gold queries of
a set of questions and errs at given rates.

``python -m bench.ask_stand_in --data DIR`` serves it until it is interrupted; DIR as for `bench.ask_bench`.
What it shows is how the pipeline's parts deal with errors of a given rate, and what each costs. It can't show
what a part tells a model: advice, plans, examples and explorations don't change what it says. It links each
column rightly at the rate ``links``; writes the gold query at the rate ``writes`` where the prompt's schema
has every column that it needs, and else a mutant of it; repeats that after criticism at the rate ``mends``;
judges and chooses rightly at the rate ``judges``; and takes an unanswerable question for one at the rate
``lacks``. The same question in the same conversation gets the same reply.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import psycopg

from bench.ask_bench import prepared, questions_of
from bench.ask_models import golds, right
from bench.model_server import served
from bench.mutants import chosen_mutants
from rewright.ask.execution import Rows
from rewright.ask.outcome import Candidate
from rewright.engines.postgres.scratch import ScratchServer

_MUTANTS = 6
_CANDIDATE = re.compile(r"^Candidate (\w+)[^\n]*\n(.*?)\nHere it gives ", re.MULTILINE | re.DOTALL)
_JUDGED = re.compile(r"^Query:\n(.*?)\n\nIts result: ", re.MULTILINE | re.DOTALL)
_STATEMENT_MS = 10_000
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Rates:
    """How often it is right."""

    links: float = 0.9
    writes: float = 0.7
    mends: float = 0.5
    judges: float = 0.8
    lacks: float = 0.9


@dataclass(slots=True)
class Known:
    """What it knows of one question: the columns by table, those it needs, the gold and wrong queries."""

    question: dict[str, Any]
    columns: Mapping[str, Sequence[str]]
    needed: frozenset[str]
    tables: tuple[str, ...]
    gold: str
    wrong: tuple[str, ...]


@dataclass(slots=True)
class Truth:
    """A database with the questions that are asked of it. One query at a time."""

    connection: psycopg.Connection[Any]
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _right: dict[tuple[str, str], bool] = field(default_factory=dict)
    _tables: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.connection.execute(f"set statement_timeout = {_STATEMENT_MS}".encode())
        for table, column in self.connection.execute(
            "select table_name, column_name from information_schema.columns "
            "where table_schema = any(current_schemas(false)) order by ordinal_position"
        ).fetchall():
            self._tables.setdefault(table, []).append(column)

    def known(self, question: dict[str, Any]) -> Known:
        gold = question["gold_sql"] if question["answerable"] else ""
        said = {word.lower() for word in _WORD.findall(gold)}
        tables = tuple(t for t in self._tables if t.lower() in said) or tuple(self._tables)[:1]
        needed = {c for t in tables for c in self._tables[t] if c.lower() in said}
        mutants = chosen_mutants(gold, _MUTANTS, random.Random(0)) if gold else []
        wrong = tuple(m.sql for m in mutants if not self.right(question, m.sql) and self.runs(m.sql))
        blank = f'select count(*) from "{tables[0]}"'
        return Known(question, self._tables, frozenset(needed), tables, gold, wrong or (blank,))

    def runs(self, sql: str) -> bool:
        with self._lock:
            try:
                self.connection.execute(sql.encode()).fetchall()
            except psycopg.Error:
                return False
        return True

    def right(self, question: dict[str, Any], sql: str) -> bool:
        """Whether a query gives a gold's rows; never for a question that can't be answered."""
        key = (question["id"], sql)
        if key not in self._right:
            self._right[key] = question["answerable"] and self._gives_gold(question, sql)
        return self._right[key]

    def _gives_gold(self, question: dict[str, Any], sql: str) -> bool:
        with self._lock:
            try:
                rows = tuple(map(tuple, self.connection.execute(sql.encode()).fetchall()))
            except psycopg.Error:
                return False
            found = Candidate(sql, "", "model", rows=Rows((), rows, truncated=False))
            return right(found, golds(self.connection, question), question["question"])[1]


@dataclass(slots=True)
class StandIn:
    """Replies by the task that the prompt names. ``begun`` counts the queries begun for a question."""

    truths: Mapping[str, Truth]
    questions: Sequence[dict[str, Any]]
    rates: Rates = field(default_factory=Rates)
    calls: int = 0
    begun: Counter[str] = field(default_factory=Counter)
    _known: dict[str, Known] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def forget(self) -> None:
        """As if nothing had been asked yet."""
        self.begun.clear()

    def reply(self, messages: Sequence[Mapping[str, str]], temperature: float = 0.0) -> str:
        task = messages[0]["content"].partition("\n")[0].removeprefix("Task: ").rstrip(".")
        first = messages[1]["content"]
        known = self._asked(first)
        with self._lock:
            self.calls += 1
        if task == "write the query":
            return self._query(known, first, messages)
        return json.dumps(self._form(task, known, first, temperature))

    def _asked(self, text: str) -> Known:
        asked = " ".join(text.rpartition("Question: ")[2].split())
        fits = (q for q in self.questions if asked.startswith(" ".join(q["question"].split())))
        question = max(fits, key=lambda q: len(q["question"]))
        with self._lock:
            if question["id"] not in self._known:
                self._known[question["id"]] = self.truths[question["db"]].known(question)
            return self._known[question["id"]]

    def _does(self, rate: float, known: Known, *about: object) -> bool:
        digest = hashlib.md5(repr((known.question["id"], *about)).encode(), usedforsecurity=False).digest()
        return int.from_bytes(digest[:4]) / 2**32 < rate

    # -- forms

    def _form(self, task: str, known: Known, text: str, temperature: float) -> dict[str, Any]:
        match task:
            case "logical plan" | "merge plans":
                return {"steps": ["find what is asked about", f"answer {'' if temperature else 'it'}"]}
            case "table pruning (delete)" | "table pruning (keep)":
                return {"tables": self._tables(known, text, task, needed="keep" in task)}
            case "schema pruning (delete)":
                return self._deleted(known, text, task)
            case "schema pruning (keep)" | "choose columns":
                keep = self._named(known, text, task, needed=True)
                return {"columns": keep} if task != "choose columns" else {"keep": keep}
            case "semantic linking":
                return {"tables": self._roles(known, text, task)}
            case "profile a table":
                table = text.partition("table ")[2].partition(":")[0].partition(" [")[0]
                return {"queries": [{"sql": f"select * from {table} limit 3"}]}
            case "plan the query":
                return self._plan(known)
            case "judge the query":
                return self._judgement(known, text)
            case "criticise the query":
                return {"violations": [{"stage": "sql", "problem": "the query does not answer the question"}]}
            case "blame one stage":
                return {"stage": "sql"}
            case "choose between two readings" | "choose a candidate":
                return self._choice(task, known, text)
            case _:
                return {}

    def _named(self, known: Known, text: str, task: str, *, needed: bool) -> list[str]:
        shown = frozenset(_WORD.findall(text.partition("Schema:\n")[2].partition("\n\n")[0]))
        return [
            f'"{table}"."{name}"'
            for table, names in known.columns.items()
            if table in shown
            for name in names
            if name in shown and self._marks(known, table, name, task) == needed
        ]

    def _deleted(self, known: Known, text: str, task: str) -> dict[str, list[str]]:
        """What it would lose: tables whole where no column is to stay, as the prompt asks."""
        lost: dict[str, list[str]] = {}
        for called in self._named(known, text, task, needed=False):
            lost.setdefault(called.split('"')[1], []).append(called)
        whole = [table for table, names in lost.items() if len(names) == len(known.columns[table])]
        return {"tables": whole, "columns": [c for t, names in lost.items() if t not in whole for c in names]}

    def _tables(self, known: Known, text: str, task: str, *, needed: bool) -> list[str]:
        """It errs in a table as it does in a column."""
        shown = frozenset(_WORD.findall(text.partition("Tables:\n")[2].partition("\n\n")[0]))
        wanted = {
            t: (t in known.tables) == self._does(self.rates.links, known, task, t) for t in known.columns
        }
        return [table for table, is_wanted in wanted.items() if table in shown and is_wanted == needed]

    def _marks(self, known: Known, table: str, name: str, task: str) -> bool:
        """Whether it takes a column for one that is needed."""
        is_needed = table in known.tables and name in known.needed
        return is_needed == self._does(self.rates.links, known, task, table, name)

    def _roles(self, known: Known, text: str, task: str) -> list[dict[str, Any]]:
        roles: dict[str, list[str]] = {}
        for called in self._named(known, text, task, needed=True):
            table, _, name = called.partition(".")
            roles.setdefault(table, []).append(name.strip('"'))
        return [{"table": table, "role": "target", "columns": names} for table, names in roles.items()]

    def _plan(self, known: Known) -> dict[str, Any]:
        lacks = not known.question["answerable"] and self._does(self.rates.lacks, known, "lacks")
        return {
            "reading": known.question["question"],
            "schema": {"tables": list(known.tables), "missing": "what is asked about" if lacks else ""},
        }

    def _judgement(self, known: Known, text: str) -> dict[str, Any]:
        match = _JUDGED.search(text)
        sql = match[1] if match else ""
        truly = self.truths[known.question["db"]].right(known.question, sql)
        if truly == self._does(self.rates.judges, known, "judge", sql):
            return {"faithful": True}
        lacks = "" if known.question["answerable"] else "what is asked about"
        return {"faithful": False, "missing": ["a constraint"], "data_lacks": lacks}

    def _choice(self, task: str, known: Known, text: str) -> dict[str, Any]:
        truth = self.truths[known.question["db"]]
        found = [(name, truth.right(known.question, sql)) for name, sql in _CANDIDATE.findall(text)]
        knows = self._does(self.rates.judges, known, task, text)
        name = next((name for name, is_right in found if is_right == knows), found[0][0])
        return {"choice": name} if task.endswith("readings") else {"best": int(name)}

    # -- the query

    def _query(self, known: Known, first: str, messages: Sequence[Mapping[str, str]]) -> str:
        if len(messages) > 2 and messages[-1]["content"].startswith("It ran"):
            return f"[CONFIRM] {known.question['question']}"
        mends = "A former query was found wrong" in first
        with self._lock:
            number = self.begun[known.question["id"]]
            self.begun[known.question["id"]] += 1
        schema = set(_WORD.findall(first.partition("Schema:\n")[2].partition("\n\n")[0]))
        rate = self.rates.mends if mends else self.rates.writes
        if known.gold and known.needed <= schema and self._does(rate, known, "write", number):
            sql = known.gold
        else:
            sql = known.wrong[number % len(known.wrong)]
        return f"[SQL]\n```sql\n{sql}\n```"


@contextmanager
def stood_in(server: ScratchServer, folder: Path, rates: Rates) -> Iterator[StandIn]:
    """A stand-in for the questions of a folder, its databases read."""
    questions = questions_of(folder)
    names = sorted({q["db"] for q in questions})
    truths = {name: Truth(prepared(server, folder, name)) for name in names}
    try:
        yield StandIn(truths, questions, rates)
    finally:
        for truth in truths.values():
            truth.connection.close()


@click.command()
@click.option("--data", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0 takes a free one")
def main(data: Path, port: int) -> None:
    """Serve a stand-in for a model."""
    with (
        ScratchServer() as server,
        stood_in(server, data, Rates()) as stand_in,
        served(stand_in.reply, port) as url,
    ):
        click.echo(f"--model openai/stand-in --api-base {url}")
        threading.Event().wait()


if __name__ == "__main__":
    main()
