"""When a candidate is put behind a look at the rows: only where nothing else keeps it from being served."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rewright.rewrite.api import Outcome, Rewriter
from rewright.rewrite.model import Evidence, Settings
from rewright.rewrite.ports import DatabaseError, Ports
from tests.rewrite.world import GOOD, GOOD_CTE, ORIGINAL, Judge, Rules, Server

LOOKS = GOOD.replace(" where ", " where 1 = 1 and ")


@dataclass
class Gate:
    """`rewright.rewrite.ports.Gating` for one text."""

    text: str = LOOKS
    evidence: Evidence = field(
        default_factory=lambda: Evidence.of({"verdict": "proved", "method": "tried", "modulo": ["gated"]})
    )
    asked: list[str] = field(default_factory=list)

    def gate(self, original: str, candidate: str, seconds: float) -> tuple[str, Evidence] | None:
        assert original == ORIGINAL
        assert seconds > 0
        self.asked.append(candidate)
        return self.text, self.evidence


def optimise(gate: Gate, server: Server, *candidates: str, modulo: dict[str, list[str]], **settings: Any) -> Outcome:  # fmt: skip
    judge = Judge()

    def mood() -> Evidence:
        left = modulo.get(judge.asked[-1], [])
        return Evidence.of({"verdict": "proved", "method": "tried", "assumptions": [], "modulo": left})

    judge.mood = mood
    ports = Ports(server, judge, Rules([list(candidates)]), gates=gate)
    return Rewriter(ports).optimise(
        ORIGINAL, observed_seconds=1.0, settings=Settings(trust=settings.pop("trust", "proved"), **settings)
    )


def test_what_might_only_fail_is_served_behind_a_look() -> None:
    gate, server = Gate(), Server(times={LOOKS: 0.2})
    outcome = optimise(gate, server, GOOD, modulo={GOOD: ["errors"]})
    assert gate.asked == [GOOD]
    assert outcome.servable
    assert outcome.best is not None
    assert outcome.best.checked.candidate.sql == LOOKS
    assert [s.name for s in outcome.best.checked.candidate.steps] == ["decorrelate", "look-first"]
    # with its look it was run, and that time is told
    assert outcome.to_json()["seconds_after"] == 0.2
    assert outcome.to_json()["modulo"] == ["gated"]


def test_a_look_that_costs_the_gain_is_not_served() -> None:
    gate = Gate()
    outcome = optimise(gate, Server(times={LOOKS: 0.95}), GOOD, modulo={GOOD: ["errors"]})
    assert gate.asked == [GOOD]
    assert not outcome.servable
    assert outcome.best is not None
    assert outcome.best.checked.candidate.sql == GOOD
    assert "errors" in outcome.reason


def test_rows_that_are_otherwise_are_found_when_it_is_run() -> None:
    def broken(sql: str) -> DatabaseError | None:
        return DatabaseError("22012", "division by zero") if sql == LOOKS else None

    outcome = optimise(Gate(), Server(broken=broken), GOOD, modulo={GOOD: ["errors", "overflow"]})
    assert not outcome.servable
    assert outcome.best is not None
    assert outcome.best.checked.candidate.sql == GOOD


def test_nothing_is_looked_at_where_that_is_not_asked_for() -> None:
    # tests are enough; another reservation is left; a proof that fails elsewhere; no gain; one as good is served
    for expected, modulo, settings, times in (
        (True, {GOOD: ["errors"]}, {"trust": "tested"}, {}),
        (False, {GOOD: ["errors", "tie-order"]}, {}, {}),
        (True, {}, {}, {}),
        (False, {GOOD: ["errors"]}, {}, {GOOD: 0.99}),
        (True, {GOOD: ["errors"]}, {}, {GOOD_CTE: 0.11}),
    ):
        gate = Gate()
        others = [GOOD_CTE] if GOOD_CTE in times else []
        outcome = optimise(gate, Server(times=times), GOOD, *others, modulo=modulo, **settings)
        assert gate.asked == [], modulo
        assert outcome.servable is expected, (modulo, outcome.reason)


def test_a_gate_without_enough_evidence_is_none() -> None:
    weak = Gate(evidence=Evidence.of({"verdict": "proved", "method": "tried", "modulo": ["errors", "gated"]}))
    outcome = optimise(weak, Server(), GOOD, modulo={GOOD: ["errors"]})
    assert weak.asked == [GOOD]
    assert not outcome.servable
