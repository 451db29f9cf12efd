"""A small world for the rewriter's tests: SQLite stands in for the server, so that answers are real."""

from __future__ import annotations

import random
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from rewright.rewrite.model import Candidate, Deadline, Evidence, Explained, Step, Timed
from rewright.rewrite.ports import Database, DatabaseError, Early, ResultColumn, Unit

DDL = "create table p (k integer primary key, g integer not null, v integer); create table s (k integer, q integer)"
ORIGINAL = "select p.k, p.v from p where p.v < (select avg(s.q) from s where s.k = p.k)"
GOOD = (
    "select p.k, p.v from p join (select s.k as sk, avg(s.q) as a from s group by s.k) as t on t.sk = p.k"
    " where p.v < t.a"
)
GOOD_CTE = "with t as (select k, avg(q) as a from s group by k) select p.k, p.v from p, t where t.k = p.k and p.v < t.a"
WRONG = (
    "select p.k, p.v from p where p.v < (select avg(s.q) from s)",
    "select p.k, p.v from p where p.v <= (select avg(s.q) from s where s.k = p.k)",
    "select p.k, p.v from p join s on s.k = p.k where p.v < s.q",
    "select distinct p.g as k, p.v from p where p.v < (select avg(s.q) from s where s.k = p.k)",
    GOOD.replace(" join ", " left join ").replace("t.a", "coalesce(t.a, 5)"),
    "select p.k, p.v from p where p.v < (select max(s.q) from s where s.k = p.k)",
    "select p.v as k, p.k as v from p where p.v < (select avg(s.q) from s where s.k = p.k)",
    "select p.k from p",
    "select * from secrets",
    "select p.k, p.v from p; drop table p",
    "delete from p returning k, v",
    "select pg_sleep(10), p.v from p",
    "select p.k, p.v from p for update",
)


def database_of(seed: int) -> sqlite3.Connection:
    """Random rows with NULLs, duplicates, empty tables now and then."""
    rng = random.Random(seed)
    connection = sqlite3.connect(":memory:")
    connection.executescript(DDL)
    keys = rng.sample(range(8), rng.randrange(0, 7))
    nullable = (None, 0, 1, 2, 5, 5, 9)
    connection.executemany(
        "insert into p values (?,?,?)", [(k, rng.randrange(3), rng.choice(nullable)) for k in keys]
    )
    rows = [(rng.choice((None, *range(8))), rng.choice(nullable)) for _ in range(rng.randrange(0, 14))]
    connection.executemany("insert into s values (?,?)", rows)
    return connection


def answer(connection: sqlite3.Connection, sql: str) -> Counter[tuple[object, ...]]:
    with closing(connection.cursor()) as cursor:
        return Counter(map(tuple, cursor.execute(sql).fetchall()))


def same_answers(a: str, b: str, seeds: Sequence[int]) -> int | None:
    """The first seed on which two queries differ, or None."""
    for seed in seeds:
        with closing(database_of(seed)) as connection:
            try:
                if answer(connection, a) != answer(connection, b):
                    return seed
            except sqlite3.Error:
                return seed
    return None


@dataclass
class Server:
    """`rewright.rewrite.ports.Database` over SQLite. Costs and times are what a test says (by text), else by
    shape.
    """

    costs: dict[str, float] = field(default_factory=dict)
    times: dict[str, float] = field(default_factory=dict)
    plan: dict[str, object] = field(default_factory=dict)
    explained: list[str] = field(default_factory=list)
    measured: list[tuple[str, float]] = field(default_factory=list)
    broken: Callable[[str], DatabaseError | None] = lambda sql: None

    def explain(self, sql: str) -> Explained:
        self._check(sql)
        self.explained.append(sql)
        cost = self.costs.get(sql, 1000.0 if "where s.k = p.k" in sql else 100.0)
        return Explained(cost, {"Node Type": "Seq Scan", "Total Cost": cost, "Plan Rows": 10, **self.plan})

    def explain_with_pages(self, sql: str, price: float) -> Explained:
        return self.explain(sql)

    def describe(self, sql: str) -> tuple[ResultColumn, ...]:
        self._check(sql)
        with closing(database_of(1)) as connection, closing(connection.cursor()) as cursor:
            cursor.execute(sql)
            return tuple(ResultColumn(d[0], 23, -1, "integer") for d in cursor.description or ())

    def measure(self, sql: str, seconds: float) -> Timed:
        self._check(sql)
        self.measured.append((sql, seconds))
        took = self.times.get(sql, 1.0 if "where s.k = p.k" in sql else 0.1)
        return Timed(min(took, seconds), stopped=took > seconds)

    def schema_text(self, sql: str) -> str:
        del sql
        return DDL

    def _check(self, sql: str) -> None:
        if (error := self.broken(sql)) is not None:
            raise error
        with closing(database_of(1)) as connection, closing(connection.cursor()) as cursor:
            try:
                cursor.execute(f"explain {sql}")
            except (sqlite3.Error, sqlite3.Warning) as error:
                raise DatabaseError("42601", str(error)) from error


@dataclass
class Judge:
    """`rewright.rewrite.ports.Checker` by trying databases; ``moods`` replaces its verdicts now and then."""

    seeds: Sequence[int] = range(100, 112)
    level: str = "proved"
    asked: list[str] = field(default_factory=list)
    mood: Callable[[], Evidence | None] = lambda: None

    def check(self, original: str, candidate: str, seconds: float) -> Evidence:
        assert seconds > 0
        self.asked.append(candidate)
        if (evidence := self.mood()) is not None:
            return evidence
        seed = same_answers(original, candidate, self.seeds)
        if seed is None:
            return Evidence.of(
                {"verdict": self.level, "method": "tried", "assumptions": ["primary key p(k)"]}
            )
        example = {"kind": "rows", "original": f"seed {seed} secret-row-1", "candidate": "secret-row-2"}
        return Evidence("refuted", "tried", reason="they differ", counterexample=example)


@dataclass
class Rules:
    """`rewright.rewrite.ports.Proposer` with a fixed list a call, the last one over and over. ``priced``: whether
    estimates are thought to show what its candidates gain.
    """

    lists: list[Sequence[str]]
    priced: bool = False
    starts: list[str] = field(default_factory=list)
    advised: list[Sequence[Unit]] = field(default_factory=list)

    def propose(
        self,
        sql: str,
        database: Database,
        deadline: Deadline,
        advice: Sequence[Unit],
        early: Early | None = None,
    ) -> Sequence[Candidate]:
        self.starts.append(sql)
        self.advised.append(advice)
        texts = self.lists.pop(0) if len(self.lists) > 1 else self.lists[0]
        step = Step("decorrelate", "join")
        return [Candidate(t, (step,), cost=database.explain(t).cost if self.priced else None) for t in texts]


@dataclass
class Shelf:
    """`rewright.rewrite.ports.Knowledge` that always says the same."""

    units: Sequence[Unit] = (Unit("Correlated averages", "Group first, then join.", "join"),)

    def search(self, sql: str, k: int, plan: Mapping[str, Any] | None = None) -> Sequence[Unit]:
        return self.units[:k]


@dataclass
class Diary:
    """`rewright.rewrite.ports.Journal` in memory."""

    events: list[Mapping[str, Any]] = field(default_factory=list)

    def record(self, event: Mapping[str, Any]) -> None:
        self.events.append(event)


def ticking(step: float) -> Callable[[], float]:
    """A clock that moves by ``step`` whenever it is looked at."""

    def ticks() -> Iterator[float]:
        now = time.monotonic()
        while True:
            now += step
            yield now

    iterator = ticks()
    return lambda: next(iterator)
