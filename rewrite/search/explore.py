"""The search: states are queries, actions are rule applications, reward is the drop in estimated cost.

Owns the frontier (the cheapest state first, with a penalty for each step), the table of states seen (by
canonical form) and the time budget. Estimates decide where to look next, not what is served: candidates whose
estimate is somewhat worse than the original's are yielded too, because measured runs decide. Must not know
servers: the cost is a function of a text. QUITE section 4.1.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from rewright.engines import clock
from rewright.rewrite.rules import RULES, Rule
from rewright.rewrite.rules.apply import Applied, applications
from rewright.rewrite.rules.seal_division import seal_division
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.printing import to_sql
from rewright.sql.walk import canonical

Cost = Callable[[str], float]
First = Callable[[Sequence["Candidate"]], None]
"""Told what single steps lead to, before the search goes on."""
FAR_CHEAPER = 0.5
"""The share of the original's estimated cost below which estimates say more than that two states differ."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A query that the search has reached. ``steps`` are pairs of a rule's name and why it applied;
    ``literal``: sound for these constants only.

    ``cost`` is the server's estimate. For a ``blind`` candidate, whose last steps estimates misjudge, it is
    the estimate of the state before those steps.
    """

    query: a.Query
    sql: str
    steps: tuple[tuple[str, str], ...]
    assumptions: frozenset[str]
    cost: float
    literal: bool = False
    blind: bool = False
    # the texts of the states between the original and this one
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a search. ``states``: how many states are looked at; ``depth``: steps to one of them.
    ``tolerance``: candidates are yielded up to this multiple of the original's cost. ``penalty``: the factor
    on the cost for each step, in the order of the frontier. ``finish``: on how many of the best states blind
    rules are tried; ``kept``: the share of the time that is reserved for them.
    """

    states: int = 150
    depth: int = 5
    tolerance: float = 2.5
    penalty: float = 1.03
    finish: int = 3
    kept: float = 0.2
    # characters; a longer text is dropped
    growth: int = 40_000


@dataclass(slots=True)
class _Search:
    catalog: Catalog
    cost: Cost
    limits: Limits
    deadline: float
    search_path: tuple[str, ...] = ("public",)
    first: First | None = None
    seen: set[a.Query] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)

    def text(self, query: a.Query) -> str:
        return to_sql(query, catalog=self.catalog, search_path=self.search_path)

    def successors(
        self, state: Candidate, rules: Sequence[Rule], until: float | None = None
    ) -> Iterator[Candidate]:
        done = {name for name, _ in state.steps}
        # a rule that would take back an earlier step is not asked
        for made in applications(state.query, self.catalog, [r for r in rules if not done & r.not_after]):
            # between two rules as well: one over a large statement may give hundreds of candidates
            if clock.now() >= (self.deadline if until is None else until):
                return
            # two orders of the same steps often lead to one query
            form = canonical(made.query, keep_names=True)
            if form in self.seen:
                continue
            # known before it is priced: EXPLAIN is what takes the time
            self.seen.add(form)
            found = self.costed(state, made)
            # some rules look cheaper to the planner than they are: these have to be cheaper at least
            if found is not None and not (made.rule.flattered and found.cost >= state.cost):
                yield found

    def costed(self, state: Candidate, made: Applied) -> Candidate | None:
        sql = self.text(made.query)
        # two trees may print alike; a text longer than this is too long to plan, prove and show
        if sql in self.texts or len(sql) > self.limits.growth:
            return None
        self.texts.add(sql)
        try:
            cost = self.cost(sql)
        except Exception:  # noqa: BLE001 - a text the server refuses is no candidate
            return None
        return Candidate(
            made.query,
            sql,
            (*state.steps, (made.rule.name, made.rewrite.why)),
            state.assumptions | made.rewrite.assumptions,
            cost,
            state.literal or made.rewrite.literal,
            # the original is no stop on its own way
            via=(*((*state.via, state.sql) if state.steps else ()), *map(self.text, made.way)),
        )


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
    later: frozenset[str] = frozenset(),
    search_path: tuple[str, ...] = ("public",),
    first: First | None = None,
) -> Iterator[Candidate]:
    """Candidates in the order they are found, at most ``limit``.

    ``cost`` gives the estimated cost of a text and may raise; ``deadline`` is a clock.now() moment;
    ``prefer`` names rules to try first, in this order, ``later`` those to try last; ``search_path``: the one
    that texts are read under. What ``first`` takes is not taken from the search's time.
    """
    places = {name: place for place, name in enumerate(prefer)}
    # rules that failed for this query before go last, whatever knowledge says
    ordered = sorted(rules, key=lambda r: (r.name in later, places.get(r.name, len(places)), -r.priority))
    search = _Search(catalog, cost, limits, deadline, search_path, first)
    text = search.text(query)
    start = Candidate(query, text, (), frozenset(), cost(text))
    search.seen.add(canonical(query, keep_names=True))
    # stopped at ``limit``: the search is a generator and ends where nobody asks on
    return itertools.islice(_explore(search, _sealed(search, start), ordered), limit)


def _sealed(search: _Search, start: Candidate) -> Candidate:
    """The query with as many divisions as possible written so that they cannot fail. What it is rewritten to
    then cannot fail either.
    """
    while True:
        # one application at a time, until there is none: each may seal what another has left
        made = next(iter(applications(start.query, search.catalog, (seal_division,))), None)
        sealed = None if made is None else search.costed(start, made)
        if sealed is None:
            return start
        # the sealed query replaces the original as the start, so it is no stop on the way
        start = replace(sealed, via=())


def _explore(search: _Search, start: Candidate, rules: Sequence[Rule]) -> Iterator[Candidate]:
    limits = search.limits
    seeing = [r for r in rules if not r.blind]
    number = itertools.count()
    enough = search.deadline - limits.kept * (search.deadline - clock.now())
    frontier = [(_rank(start, limits), next(number), start)]
    states = [start]
    slack = {rule.name: rule.slack for rule in rules}
    # what is left of the time after ``enough`` belongs to the blind rules
    while frontier and clock.now() < enough and len(search.seen) < limits.states:
        _, _, state = heapq.heappop(frontier)
        for found in search.successors(state, seeing, enough):
            # the deepest are candidates but are not gone on from
            if len(found.steps) < limits.depth:
                heapq.heappush(frontier, (_rank(found, limits), next(number), found))
            # the slack of the most generous step: what it takes away may be priced ten times too low
            if found.cost <= start.cost * limits.tolerance * max(slack.get(n, 1.0) for n, _ in found.steps):
                states.append(found)
                yield found
        # after the original alone: what single steps lead to is what most gains are
        if state is start and search.first is not None and len(states) > 1:
            began = clock.now()
            search.first(states[1:])
            # what others took is not the search's time
            search.deadline += clock.now() - began
            enough += clock.now() - began
    yield from _finish(search, states, [r for r in rules if r.blind])


def _finish(search: _Search, states: list[Candidate], blind: list[Rule]) -> Iterator[Candidate]:
    """Apply blind rules to the best states and to the start, once to each before twice to any. Their own
    estimates mean nothing, so each candidate is given the cost of the state it came from.
    """
    best = sorted(states, key=lambda s: _rank(s, search.limits))[: search.limits.finish]
    start = states[0]
    # the start too, as a blind rule may help where no other does; and first where none of the others looks
    # far cheaper, since its steps are the fewest and planning a large join may take all of the time
    apart = best[0].cost < FAR_CHEAPER * start.cost
    once: list[tuple[float, Candidate]] = []
    for state in dict.fromkeys((best[0], start, *best[1:]) if apart else (start, *best)):
        for found in search.successors(state, blind):
            once.append((state.cost, found))
            yield replace(found, cost=state.cost, blind=True)
    # two in a row: a fence around a table whose filter was made late
    for cost, found in once:
        for again in search.successors(found, blind):
            yield replace(again, cost=cost, blind=True)


def _rank(state: Candidate, limits: Limits) -> float:
    # 3 % a step: of two states that cost alike the shorter way is proved sooner
    return state.cost * float(limits.penalty ** len(state.steps))
