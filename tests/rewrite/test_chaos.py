"""A model as bad as they come, in a thousand seeded runs: time may be lost, a wrong
answer is never served.
"""

from __future__ import annotations

import json
import random

import pytest

from rewright.models.api import Reply, Request, Usage
from rewright.models.budget import Ledger, Limits
from rewright.rewrite.api import Rewriter
from rewright.rewrite.model import Evidence, Settings
from rewright.rewrite.ports import Ports
from tests.rewrite.chaos import Chaos
from tests.rewrite.world import GOOD, GOOD_CTE, ORIGINAL, WRONG, Judge, Rules, Server, same_answers

RUNS = 1000
BATCH = 100


def as_chain(rng: random.Random, sql: str) -> str:
    category = rng.choice(("join", "cte", "predicate", "voodoo"))
    steps = [{"action": "x", "category": category, "sql": sql, "expected_gain": rng.random() * 1e9}]
    return json.dumps({"steps": steps * rng.randrange(4)})


def as_sql(rng: random.Random, sql: str) -> str:
    return json.dumps({"sql": sql, "what_was_wrong": "nothing", "items": ["a"] * rng.randrange(3)})


def as_opinion(rng: random.Random, sql: str) -> str:
    del sql
    return json.dumps({"go_on": rng.random() < 0.7, "why": "because"})


def chaos(seed: int) -> Chaos:
    return Chaos(seed, (*WRONG, GOOD, GOOD_CTE, ORIGINAL), (as_chain, as_chain, as_sql, as_sql, as_opinion))


def moody(rng: random.Random) -> Evidence | None:
    """A checker that sometimes doesn't know, or falls over: as real ones do."""
    dice = rng.random()
    if dice < 0.1:
        return Evidence("unknown", reason="timeout")
    if dice < 0.12:
        raise RuntimeError("the scratch server has gone")
    return None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("batch", range(RUNS // BATCH))
def test_no_wrong_answer_is_ever_served(batch: int) -> None:
    served = 0
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        rng = random.Random(seed)
        rules = Rules([rng.sample((*WRONG, GOOD, GOOD_CTE), rng.randrange(3)), []])
        server = Server(times={GOOD: rng.choice((0.1, 0.8, 2.0)), WRONG[0]: 0.01, WRONG[7]: 0.001})
        judge = Judge(mood=lambda rng=rng: moody(rng))  # type: ignore[misc]
        rewriter = Rewriter(Ports(server, judge, rules, chaos(seed)))
        outcome = rewriter.optimise(ORIGINAL, observed_seconds=1.0, settings=Settings(rounds=3))
        document = outcome.to_json()
        assert set(document["report"]) == {"cost", "plan", "resources", "other"}
        for key in ("rewritten", "proposed"):
            if document[key] is not None:
                served += 1
                assert same_answers(ORIGINAL, document[key], range(1000, 1030)) is None, (seed, document[key])
        assert all("secrets" not in sql and "pg_sleep" not in sql for sql in server.explained)
    assert served > BATCH // 25  # the good ones get through, or nothing was shown


def test_without_the_checker_the_same_chaos_does_serve_wrong_answers() -> None:
    """The test above can fail: a checker that believes everything lets wrong answers through."""
    wrong = 0
    for seed in range(100):
        judge = Judge(mood=lambda: Evidence("proved"))
        rewriter = Rewriter(Ports(Server(), judge, model=chaos(seed)))
        sql = rewriter.optimise(ORIGINAL, observed_seconds=1.0).to_json()["rewritten"]
        wrong += sql is not None and same_answers(ORIGINAL, sql, range(1000, 1030)) is not None
    assert wrong > 10


def test_chaos_cannot_spend_more_than_the_budget() -> None:
    class Metered(Chaos):
        ledger = Ledger(Limits(query_tokens=20_000))

        def complete(self, request: Request) -> Reply:
            held = self.ledger.reserve(request, 0.0)
            try:
                return super().complete(request)
            finally:
                self.ledger.settle(held, Usage(held.tokens, 0))

    model = Metered(1, (*WRONG, GOOD), (as_chain, as_sql))
    rewriter = Rewriter(Ports(Server(), Judge(), model=model))
    for _ in range(20):
        rewriter.optimise(ORIGINAL, observed_seconds=1.0)
    tokens, _ = model.ledger.spent()
    assert 0 < tokens <= 20_000
