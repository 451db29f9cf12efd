"""The search: states are queries, actions are rule applications, reward is the drop in estimated cost.

Owns the frontier (best first by cost, a penalty a step), the table of states seen (by canonical form) and the
time budget. Estimates decide where to look next, never what is served: candidates that the estimates dislike
a little are given out too, because measured runs decide. Must not know servers: cost is a function of text.
QUITE section 4.1.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from rewrite.rules import RULES, Rule
from rewrite.rules.apply import applications
from rewrite.rules.canonical import canonical
from sql import algebra as a
from sql.catalog import Catalog
from sql.printing import to_sql

Cost = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reachable query. ``steps`` are (rule, why); ``literal``: sound for these constants only."""

    query: a.Query
    sql: str
    steps: tuple[tuple[str, str], ...]
    assumptions: frozenset[str]
    cost: float | None
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """How far to look. ``tolerance``: candidates up to so many times the original's cost are given out."""

    states: int = 150
    depth: int = 5
    tolerance: float = 1.3
    penalty: float = 1.03
    # longer texts are never worth it
    growth: int = 40_000


@dataclass(slots=True)
class _Search:
    catalog: Catalog
    cost: Cost
    rules: Sequence[Rule]
    limits: Limits
    deadline: float
    seen: set[a.Query] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)

    def out_of_time(self) -> bool:
        return time.monotonic() >= self.deadline or len(self.seen) > self.limits.states

    def successors(self, state: Candidate) -> Iterator[Candidate]:
        for made in applications(state.query, self.catalog, self.rules):
            if self.out_of_time():
                return
            form = canonical(made.query, keep_names=True)
            if form in self.seen:
                continue
            self.seen.add(form)
            found = self._costed(state, made.rule, made.query, made.rewrite.why, made.rewrite.assumptions, made.rewrite.literal)
            if found is not None:
                yield found

    def _costed(
        self, state: Candidate, rule: Rule, query: a.Query, why: str, assumptions: frozenset[str], literal: bool
    ) -> Candidate | None:
        sql = to_sql(query)
        if sql in self.texts or len(sql) > self.limits.growth:
            return None
        self.texts.add(sql)
        try:
            cost = self.cost(sql)
        except Exception:  # noqa: BLE001 - a text the server refuses is no candidate
            return None
        steps = (*state.steps, (rule.name, why))
        return Candidate(query, sql, steps, state.assumptions | assumptions, cost, state.literal or literal)


def propose(
    query: a.Query,
    catalog: Catalog,
    *,
    cost: Cost,
    deadline: float,
    limit: int = 50,
    limits: Limits = Limits(),
    rules: Sequence[Rule] = RULES,
    prefer: Sequence[str] = (),
) -> Iterator[Candidate]:
    """Candidates in the order they are found, at most ``limit``.

    ``cost`` gives the estimated cost of a text and may raise; ``deadline`` is a time.monotonic() moment;
    ``prefer`` names rules to try first.
    """
    ordered = sorted(rules, key=lambda r: (r.name not in prefer, -r.priority))
    search = _Search(catalog, cost, ordered, limits, deadline)
    start = Candidate(query, to_sql(query), (), frozenset(), cost(to_sql(query)))
    search.seen.add(canonical(query, keep_names=True))
    assert start.cost is not None
    number = itertools.count()
    frontier: list[tuple[float, int, Candidate]] = [(start.cost, next(number), start)]
    given = 0
    while frontier and not search.out_of_time():
        _, _, state = heapq.heappop(frontier)
        for found in search.successors(state):
            assert found.cost is not None
            rank = found.cost * limits.penalty ** len(found.steps)
            if len(found.steps) < limits.depth:
                heapq.heappush(frontier, (rank, next(number), found))
            if found.cost <= start.cost * limits.tolerance:
                yield found
                given += 1
                if given >= limit:
                    return
