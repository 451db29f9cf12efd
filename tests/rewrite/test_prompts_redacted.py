"""Every prompt of whole runs is searched for the client's data, at every level of `[models] share`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewright.models.api import Reply, Request, Role, Usage
from rewright.rewrite.api import Rewriter
from rewright.rewrite.model import Evidence, Explained, Settings
from rewright.rewrite.ports import DatabaseError, Ports
from tests.rewrite.world import Judge, Rules, Server, Shelf

SECRET_ROW = "Zebulon Q. Overthwart, 555-0199"


@dataclass
class Curious:
    """A model that keeps what it was told, and proposes texts with the placeholders it saw."""

    proposal: str
    prompts: list[str] = field(default_factory=list)

    def available(self, role: Role) -> bool:
        return True

    def complete(self, request: Request) -> Reply:
        self.prompts.append("\n".join(m.text for m in request.messages))
        step = {"action": "a", "category": "join", "sql": self.proposal, "why": "since 'x' = 3"}
        reply = {
            "reasoning": {"steps": [step]},
            "decision": {"go_on": True},
        }.get(request.role, {"sql": self.proposal + " and k >= 0"})
        return Reply(json.dumps(reply), Usage(1, 1))


class Gossip(Server):
    """A server whose plans and messages repeat data."""

    secret = ""

    def explain(self, sql: str) -> Explained:
        known = super().explain(sql)
        return Explained(
            known.cost, {**known.plan, "Filter": f"(v = '{self.secret}'::text)", "Output": [self.secret]}
        )

    def describe(self, sql: str) -> Any:
        if "k >= 0" in sql and sql.count("k >= 0") < 2:
            raise DatabaseError("22P02", f'invalid input syntax for type integer: "{self.secret}"')
        return super().describe(sql)


secrets = st.text(st.characters(categories=("Ll", "Lu", "Nd")), min_size=8, max_size=14).filter(
    lambda s: not s.isalpha() or not s.islower()
)


def run(secret: str, number: int, share: str) -> Curious:
    gossip = Gossip()
    gossip.secret = secret
    original = f"select p.k, p.v from p where p.v = {number} or p.v < (select avg(s.q) from s where s.k = p.k and s.q <> '{secret}')"
    worth_a_check = original + " and 1 = 1"
    gossip.times[worth_a_check], gossip.costs[worth_a_check] = 0.1, 10.0
    example = {"original": f"({secret})", "candidate": SECRET_ROW}
    judge = Judge(mood=lambda: Evidence("refuted", reason=secret, counterexample=example))
    model = Curious("select p.k, p.v from p where p.v = $1 and p.v <> $2")
    ports = Ports(gossip, judge, Rules([[worth_a_check], []]), model, Shelf())
    chosen = Settings(rounds=2, repairs=2, share=share)  # type: ignore[arg-type]
    outcome = Rewriter(ports).optimise(original, observed_seconds=1.0, settings=chosen)
    assert outcome.best is None
    assert {e["agent"] for e in outcome.events} >= {"reasoning", "assistant"}
    return model


@pytest.mark.parametrize("share", ["schema", "statistics"])
@given(secret=secrets, number=st.integers(10_000, 10**9))
@settings(deadline=None, max_examples=60)
def test_no_prompt_holds_a_literal_a_plan_constant_a_message_or_a_row(
    share: str, secret: str, number: int
) -> None:
    model = run(secret, number, share)
    assert len(model.prompts) > 3
    for prompt in model.prompts:
        assert secret not in prompt
        assert str(number) not in prompt
        assert "Zebulon" not in prompt
        assert "555" not in prompt


def test_the_search_would_find_them() -> None:
    model = run("Verysecret1", 4_711_042, "samples")
    told = "\n".join(model.prompts)
    for word in ("Verysecret1", "4711042", "Zebulon"):
        assert word in told
