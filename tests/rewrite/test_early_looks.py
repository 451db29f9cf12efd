"""The first candidates of a search are run and proved before it goes on; what a proof took is not lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from rewright.engines import clock
from rewright.equivalence.decomposition import search as parts_search
from rewright.equivalence.decomposition.proving import PairSearch
from rewright.equivalence.proving import Attempt, Binding
from rewright.models.api import NoModel
from rewright.rewrite.adapters.links import LinkProver
from rewright.rewrite.api import Outcome, Rewriter
from rewright.rewrite.model import Candidate, Deadline, Evidence, Settings, Step
from rewright.rewrite.ports import Database, Early, NoKnowledge, NoProver, Ports, Unit
from rewright.rewrite.search.explore import propose
from rewright.sql.binder import bind
from tests.rewrite.sqlfixtures import catalog
from tests.rewrite.world import GOOD, GOOD_CTE, ORIGINAL, Judge, Server

STEP = Step("decorrelate", "join")
NESTED = (
    "select id from ord where total > (select avg(o.total) from ord o where o.cust = ord.cust)",
    (
        "select ord.id from ord join (select cust, avg(total) as mean from ord group by cust) m"
        " on m.cust = ord.cust where ord.total > m.mean"
    ),
)


@dataclass
class Searching:
    """Shows ``first`` to whoever looks early, and notes what was checked when the search goes on."""

    judge: Judge
    first: str
    rest: Sequence[str]
    seen: list[str] | None = None

    def propose(
        self,
        sql: str,
        database: Database,
        deadline: Deadline,
        advice: Sequence[Unit],
        early: Early | None = None,
    ) -> Sequence[Candidate]:
        del sql, database, deadline, advice
        if early is not None:
            early([Candidate(self.first, (STEP,))])
        if self.seen is None:
            self.seen = list(self.judge.asked)
        return [Candidate(text, (STEP,)) for text in self.rest]


class Sure(NoProver):
    def prove(self, original: str, candidate: str, seconds: float) -> Evidence | None:
        del original, candidate, seconds
        return Evidence.of({"verdict": "proved"})


def optimised(server: Server, judge: Judge, proposer: Searching, measure: str = "run") -> Outcome:
    ports = Ports(server, judge, proposer, NoModel(), NoKnowledge(), prover=Sure())
    settings = Settings(measure="run" if measure == "run" else "explain", model=False)
    return Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=settings)


def test_the_first_candidate_is_verified_before_the_search_goes_on() -> None:
    judge = Judge()
    proposer = Searching(judge, GOOD, [GOOD_CTE])
    outcome = optimised(Server(times={GOOD: 0.1, GOOD_CTE: 0.9}), judge, proposer)
    assert proposer.seen == [GOOD]
    # it stands although the search did not hand it on
    assert outcome.to_json()["rewritten"] == GOOD


def test_what_the_search_finds_later_may_still_be_better() -> None:
    judge = Judge()
    outcome = optimised(
        Server(times={GOOD: 0.5, GOOD_CTE: 0.1}), judge, Searching(judge, GOOD, [GOOD, GOOD_CTE])
    )
    assert outcome.to_json()["rewritten"] == GOOD_CTE
    assert judge.asked.count(GOOD) == 1


def test_what_is_no_faster_in_its_run_is_not_proved_early() -> None:
    judge = Judge()
    proposer = Searching(judge, GOOD, [GOOD_CTE])
    optimised(Server(times={GOOD: 1.5, GOOD_CTE: 0.1}), judge, proposer)
    assert proposer.seen == []


def test_nothing_is_looked_at_early_where_nothing_may_be_run() -> None:
    judge = Judge()
    proposer = Searching(judge, GOOD, [GOOD])
    optimised(Server(), judge, proposer, measure="explain")
    assert proposer.seen == []


def test_single_steps_are_shown_before_any_second_one_and_cost_the_search_no_time() -> None:
    shown: list[set[int]] = []
    until = clock.now() + 2.0

    def first(found: Sequence[object]) -> None:
        shown.append({len(c.steps) for c in found})  # type: ignore[attr-defined] # its candidates are no ports'
        while clock.now() < until:  # all of the search's time
            pass

    known = catalog()
    two = f"{NESTED[0]} and total < (select max(o.total) from ord o where o.day = ord.day)"
    found = propose(bind(two, known), known, cost=lambda text: float(len(text)), deadline=until, first=first)
    steps = [len(c.steps) for c in found]
    assert shown == [{1}]
    assert max(steps) > 1


def test_a_proof_goes_on_where_its_time_was_over() -> None:
    prover = LinkProver(catalog())
    assert prover.prove(*NESTED, 0.0) is None
    (begun,) = prover._begun.values()
    prover.prove(*NESTED, 0.0)
    assert list(prover._begun.values()) == [begun]
    assert prover.prove(*NESTED, 10.0) is not None
    assert not prover._begun


def test_a_way_that_had_its_time_in_vain_gets_more_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def in_vain(binding: Binding, _: object, seconds: float, **__: object) -> Attempt:
        asked.append(seconds)
        return Attempt(None, "no proof: timeout", binding)

    monkeypatch.setattr(parts_search, "prove_both", in_vain)
    # how long a look may take is a matter of the round alone
    monkeypatch.setattr(clock, "now", lambda: 0.0)
    known = catalog()
    search = PairSearch(Binding(bind(NESTED[0], known), bind(NESTED[1], known), known), known)
    parts = search._same.parts
    far = 60.0
    parts.round(0.1, far, positions=False)
    before = len(asked)
    assert before
    # a round that has no more for it gives it twice what it had, where there is as much
    parts.round(0.1, far, positions=False)
    assert asked[before:] == [2 * seconds for seconds in asked[:before]]
    parts.round(0.1, max(asked), positions=False)
    assert len(asked) == 2 * before
    assert not parts.settled
    parts.round(1.6, far, positions=False)
    assert len(asked) > 2 * before
