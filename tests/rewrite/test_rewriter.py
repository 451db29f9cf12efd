"""Whole runs of the rewriter over a small world: every agent, every back edge, without and with a model."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from rewright.models.api import (
    BudgetExceeded,
    Model,
    ModelError,
    ModelTimeout,
    NoModel,
    ProviderError,
    Reply,
    Request,
    Role,
    Starved,
    Usage,
)
from rewright.models.prompts import PlanText, SqlText
from rewright.models.redact import Redactor
from rewright.models.replay import Recorder, Replay
from rewright.rewrite.agents.mdp import ModelStrategy
from rewright.rewrite.agents.memory import Memory, QueryFacts, ReportNote, VerdictNote
from rewright.rewrite.agents.reasoning import Reasoning
from rewright.rewrite.api import Outcome, Rewriter
from rewright.rewrite.machine.drive import replay
from rewright.rewrite.machine.states import Reason
from rewright.rewrite.model import Candidate, Deadline, Evidence, Explained, Level, Settings, Step, Timed
from rewright.rewrite.ports import (
    Database,
    DatabaseError,
    Early,
    Inspector,
    Knowledge,
    NoInspector,
    NoKnowledge,
    NoProposer,
    Ports,
    Proposer,
    Scoped,
    Unit,
)
from rewright.rewrite.search.chains import Derivations
from tests.rewrite.world import GOOD, GOOD_CTE, ORIGINAL, WRONG, Diary, Judge, Rules, Server, Shelf


class Speaker:
    """A model that says its lines in turn, by role."""

    def __init__(self, **lines: Sequence[Any]) -> None:
        self.lines = {role: list(said) for role, said in lines.items()}
        self.asked: list[Request] = []

    def available(self, role: Role) -> bool:
        return role in self.lines

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        said = self.lines[request.role]
        line = said.pop(0) if len(said) > 1 else said[0]
        if isinstance(line, ModelError):
            raise line
        return Reply(
            line if isinstance(line, str) else json.dumps(line), Usage(100, 10, 0.001), "speaker", 0.1
        )

    def prompts(self, role: Role) -> list[str]:
        return ["\n".join(m.text for m in r.messages) for r in self.asked if r.role == role]


def chain(*texts: str) -> dict[str, Any]:
    return {"steps": [{"action": "refine", "category": "join", "sql": t, "expected_gain": 5} for t in texts]}


def optimise(
    server: Server | None = None,
    judge: Judge | None = None,
    proposer: Proposer | None = None,
    model: Model | None = None,
    knowledge: Knowledge | None = None,
    diary: Diary | None = None,
    observed: float | None = 1.0,
    sql: str = ORIGINAL,
    ask_model: bool = True,
    inspector: Inspector | None = None,
    **settings: Any,
) -> Outcome:
    ports = Ports(
        server or Server(),
        judge or Judge(),
        proposer or NoProposer(),
        model or NoModel(),
        knowledge or NoKnowledge(),
        journal=diary or Diary(),
        inspector=inspector or NoInspector(),
    )
    return Rewriter(ports).optimise(
        sql, observed_seconds=observed, settings=Settings(model=ask_model, **settings)
    )


def states(outcome: Outcome) -> list[str]:
    return [e["state"] for e in outcome.events]


def test_rules_alone_find_check_measure_and_report() -> None:
    server, diary = Server(), Diary()
    outcome = optimise(server, proposer=Rules([[GOOD, WRONG[0]]]), diary=diary)
    document = outcome.to_json()
    assert document["rewritten"] == GOOD
    assert document["verdict"] == "proved"
    assert document["steps"][0]["name"] == "decorrelate"
    assert (document["cost_before"], document["cost_after"]) == (1000.0, 100.0)
    assert (document["seconds_before"], document["seconds_after"]) == (1.0, 0.1)
    assert document["tokens"] == 0
    assert set(document["report"]) == {"cost", "plan", "resources", "other"}
    assert states(outcome) == ["reasoning", "verification", "decision", "termination"]
    assert [e["seq"] for e in diary.events] == [1, 2, 3, 4]
    assert {sql for sql, _ in server.measured} == {GOOD, WRONG[0], ORIGINAL}


def test_a_recorded_run_replays_to_the_same_end() -> None:
    outcome = optimise(proposer=Rules([[GOOD, WRONG[0]]]))
    finish = replay(outcome.events, 2)
    assert finish.best is not None
    assert outcome.best is not None
    assert finish.best.checked == outcome.best.checked
    twisted = [dict(e) for e in outcome.events]
    twisted[1]["agent"] = "decision"
    with pytest.raises(ValueError, match="verification was due"):
        replay(twisted, 2)


def test_no_opportunity_ends_early_with_a_report() -> None:
    outcome = optimise()
    assert states(outcome) == ["reasoning", "decision", "termination"]
    assert outcome.to_json()["rewritten"] is None
    assert outcome.to_json()["reason"] == "no opportunity was found"
    assert set(outcome.report) == {"cost", "plan", "resources", "other"}


def test_wrong_candidates_lead_back_to_reasoning_and_then_to_the_original() -> None:
    rules = Rules([[WRONG[0]], [WRONG[1]]])
    outcome = optimise(proposer=rules)
    assert states(outcome) == ["reasoning", "verification", "reasoning", "verification", "termination"]
    assert outcome.best is None
    assert outcome.reason == "no candidate was faster when it was run (1 tried)"


def test_no_gain_leads_back_with_knowledge_and_the_second_round_wins() -> None:
    server = Server(times={GOOD: 0.95, GOOD_CTE: 0.3})
    rules = Rules([[GOOD], [GOOD, GOOD_CTE]])
    outcome = optimise(server, proposer=rules, knowledge=Shelf())
    assert states(outcome) == ["reasoning", "verification", "decision"] * 2 + ["termination"]
    assert outcome.to_json()["rewritten"] == GOOD_CTE
    assert [[unit.category for unit in advice] for advice in rules.advised] == [[], ["join"]]


def test_less_than_ten_per_cent_is_no_gain() -> None:
    assert optimise(Server(times={GOOD: 0.91}), proposer=Rules([[GOOD]])).best is None
    assert optimise(Server(times={GOOD: 0.89}), proposer=Rules([[GOOD]])).best is not None


def test_the_measurement_overrules_the_estimate_both_ways() -> None:
    slow = Server(costs={GOOD: 1.0}, times={GOOD: 5.0})
    assert optimise(slow, proposer=Rules([[GOOD]])).best is None
    assert all(seconds <= 1.0 for _, seconds in slow.measured)
    fast = Server(costs={GOOD: 9000.0}, times={GOOD: 0.2})
    assert optimise(fast, proposer=Rules([[GOOD]])).to_json()["rewritten"] == GOOD


def test_the_fastest_of_several_is_chosen_by_measuring() -> None:
    server = Server(costs={GOOD: 10.0, GOOD_CTE: 20.0}, times={GOOD: 0.4, GOOD_CTE: 0.2})
    outcome = optimise(server, proposer=Rules([[GOOD, GOOD_CTE]]))
    assert outcome.to_json()["rewritten"] == GOOD_CTE
    runs = [sql for sql, _ in server.measured]
    # the original is run beside the fastest, until it has lost
    assert runs == [GOOD, GOOD_CTE, ORIGINAL, GOOD_CTE, GOOD_CTE]
    assert server.measured[2][1] < 0.3


@pytest.mark.parametrize(
    ("measure", "ran"), [("explain", set()), ("run", {GOOD, ORIGINAL}), ("both", {GOOD, ORIGINAL})]
)
def test_what_may_be_run(measure: str, ran: set[str]) -> None:
    server = Server()
    outcome = optimise(server, proposer=Rules([[GOOD]], priced=True), measure=measure)
    assert {sql for sql, _ in server.measured} == ran
    assert outcome.to_json()["rewritten"] == GOOD
    assert (outcome.to_json()["seconds_after"] is None) == (measure == "explain")


def test_a_gain_that_estimates_misjudge_is_not_taken_from_them() -> None:
    assert optimise(Server(), proposer=Rules([[GOOD]]), measure="explain").to_json()["rewritten"] is None


def test_measuring_off_touches_the_server_for_descriptions_only() -> None:
    server = Server()
    outcome = optimise(server, proposer=Rules([[GOOD]]), measure="off")
    assert not server.measured
    assert not server.explained
    assert outcome.best is None


@pytest.mark.parametrize(
    ("measure", "sides"), [("both", {"before", "after"}), ("run", {"after"}), ("off", set())]
)
def test_plans_are_told_with_what_their_operators_did(measure: str, sides: set[str]) -> None:
    class Looking(NoInspector):
        def executed(self, sql: str, seconds: float) -> Explained | None:
            assert 0 < seconds <= 30
            return Explained(
                1.0, {"Node Type": "Seq Scan", "Actual Rows": 7, "Actual Loops": 1, "Shared Hit Blocks": 3}
            )

    found = optimise(proposer=Rules([[GOOD]]), inspector=Looking(), measure=measure).report
    trees = {side: tree or {} for side, tree in found["plan"]["trees"].items()}
    assert {side for side, tree in trees.items() if tree.get("Actual Rows") == 7} == sides
    assert {side for side, used in found["resources"].items() if "Shared Hit Blocks" in used} == sides


def test_a_plan_that_can_not_be_run_stays_as_it_was_made() -> None:
    class Refusing(NoInspector):
        def executed(self, sql: str, seconds: float) -> Explained | None:
            if sql == GOOD:
                raise DatabaseError("57014", "canceling statement")
            return None

    found = optimise(proposer=Rules([[GOOD]]), inspector=Refusing(), measure="both")
    assert found.to_json()["rewritten"] == GOOD
    assert all("Actual Rows" not in tree for tree in found.report["plan"]["trees"].values())


def test_weaker_evidence_is_proposed_and_not_served() -> None:
    rules = Rules([[GOOD]])
    document = optimise(judge=Judge(level="tested"), proposer=rules).to_json()
    assert (document["rewritten"], document["proposed"]) == (None, GOOD)
    assert "tested" in document["reason"]
    assert (
        optimise(judge=Judge(level="tested"), proposer=rules, trust="tested").to_json()["rewritten"] == GOOD
    )


@pytest.mark.parametrize(
    ("modulo", "served"), [("float-order", True), ("tie-order", False), ("errors", False)]
)
def test_reservations(modulo: str, served: bool) -> None:
    judge = Judge(mood=lambda: Evidence("proved", modulo=(modulo,)))
    outcome = optimise(judge=judge, proposer=Rules([[GOOD]]), accept=frozenset({"float-order", "errors"}))
    assert outcome.servable is served


def test_servable_evidence_comes_before_speed() -> None:
    class Mixed(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            return Evidence("tested" if candidate == GOOD_CTE else "proved")

    server = Server(times={GOOD: 0.5, GOOD_CTE: 0.1})
    assert optimise(server, Mixed(), Rules([[GOOD, GOOD_CTE]])).to_json()["rewritten"] == GOOD


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("update p set v = 1", "not a SELECT"),
        ("select 1; select 2", "2 statements"),
        ("selec 1", "syntax error"),
        ("", "0 statements"),
        ("select * from nowhere", "no such table"),
    ],
)
def test_what_is_no_select_is_left_alone(sql: str, reason: str) -> None:
    outcome = optimise(sql=sql, proposer=Rules([[GOOD]]))
    assert outcome.to_json()["rewritten"] is None
    assert reason in outcome.reason


def test_a_server_that_dies_in_the_middle_leaves_the_original() -> None:
    gone = DatabaseError("57P01", "terminating connection")
    server = Server(broken=lambda sql: gone if sql == GOOD else None)
    outcome = optimise(server, proposer=Rules([[GOOD]]))
    assert outcome.best is None

    class Exploding(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            raise RuntimeError("out of cheese")

    outcome = optimise(judge=Exploding(), proposer=Rules([[GOOD]]))
    assert outcome.reason == "RuntimeError in assistant: out of cheese"
    assert states(outcome)[-1] == "termination"


def test_no_time_no_rewrite() -> None:
    outcome = optimise(proposer=Rules([[GOOD]]), budget=0.0)
    assert outcome.reason == "out of time"


class Slow(Judge):
    """Takes ``takes`` seconds over one candidate."""

    def __init__(self, slow: str, takes: float) -> None:
        super().__init__()
        self.slow, self.takes, self.allowed = slow, takes, list[float]()

    def check(self, original: str, candidate: str, seconds: float) -> Evidence:
        self.allowed.append(seconds)
        if candidate == self.slow:
            time.sleep(min(self.takes, 1.2 * seconds))
        return super().check(original, candidate, seconds)


def test_what_is_verified_when_the_time_is_up_is_decided_by_the_runs_it_has() -> None:
    outcome = optimise(judge=Slow(GOOD, 9.0), proposer=Rules([[GOOD]]), budget=0.2, check_seconds=9.0)
    assert states(outcome) == ["reasoning", "verification", "decision", "termination"]
    assert outcome.to_json()["rewritten"] == GOOD


def test_beside_one_that_has_passed_no_check_takes_the_time_of_decision() -> None:
    server = Server(times={GOOD: 0.5, GOOD_CTE: 0.1})
    judge = Slow(GOOD_CTE, 9.0)
    ports = Ports(server, judge, Rules([[GOOD, GOOD_CTE], []]), prover=Believer(good=(GOOD,)))
    settings = Settings(rounds=1, budget=1.0, check_seconds=9.0)
    outcome = Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=settings)
    assert judge.asked == [GOOD, GOOD_CTE]
    assert judge.allowed[1] < 0.65
    assert outcome.to_json()["rewritten"] == GOOD_CTE


# --------------------------------------------------------------------------- with a model


def test_the_model_finds_what_the_rules_do_not() -> None:
    model = Speaker(
        reasoning=[chain(WRONG[1], GOOD)], rewrite=[{"sql": GOOD_CTE}], decision=[{"go_on": False}]
    )
    server = Server(times={GOOD: 0.3, GOOD_CTE: 0.25})
    outcome = optimise(server, model=model)
    assert outcome.to_json()["rewritten"] == GOOD_CTE
    assert outcome.to_json()["source"] == "model"
    assert outcome.usage.tokens == 220
    assert [s["name"] for s in outcome.to_json()["steps"]][-1] == "enhancement"


def test_rules_go_on_from_a_models_proposal() -> None:
    rules = Rules([[], [], [GOOD_CTE]])
    model = Speaker(reasoning=[chain(GOOD)], rewrite=[{"sql": ""}])
    outcome = optimise(Server(times={GOOD: 0.45, GOOD_CTE: 0.2}), proposer=rules, model=model)
    assert rules.starts == [ORIGINAL, ORIGINAL, GOOD]
    assert outcome.to_json()["rewritten"] == GOOD_CTE
    assert [s["name"] for s in outcome.to_json()["steps"]] == ["refine", "decorrelate"]


def test_a_wrong_proposal_is_not_multiplied_by_rules() -> None:
    rules = Rules([[], [], [WRONG[2]]])
    model = Speaker(reasoning=[chain(WRONG[1])], rewrite=[{"sql": ""}], assistant=[{"sql": ""}])
    assert optimise(proposer=rules, model=model).best is None
    assert set(rules.starts) == {ORIGINAL}


def test_what_goes_on_from_a_refuted_step_is_not_checked() -> None:
    judge = Judge()
    # the wrong step is the cheapest, and so the first that is checked
    model = Speaker(reasoning=[chain(WRONG[0], GOOD_CTE)], rewrite=[{"sql": ""}], assistant=[{"sql": ""}])
    optimise(Server(costs={WRONG[0]: 1.0}), judge, model=model, rounds=1)
    assert judge.asked == [WRONG[0]]


def test_no_model_is_asked_where_rules_have_what_may_be_served() -> None:
    model = Speaker(reasoning=[chain(GOOD_CTE)], rewrite=[{"sql": ""}], decision=[{"go_on": True}])
    outcome = optimise(Server(times={GOOD: 0.5}), proposer=Rules([[GOOD]]), model=model)
    assert outcome.to_json()["rewritten"] == GOOD
    assert model.asked == []


def test_what_waited_for_others_leaves_a_models_reply_its_place() -> None:
    model = Speaker(reasoning=[chain(GOOD_CTE)], rewrite=[{"sql": ""}])
    memory = Memory()
    memory.remember(QueryFacts(ORIGINAL, "", None))
    waiting = (Candidate(GOOD, (Step("unnest", "join"),)), Candidate(WRONG[0], (Step("unnest", "join"),)))
    reasoning = Reasoning(
        ORIGINAL,
        1000.0,
        Server(),
        NoProposer(),
        ModelStrategy(model, Redactor("schema")),
        memory,
        Settings(width=2),
        stood_back=lambda: waiting,
    )
    found = reasoning.act(Reason(2), Deadline.after(30.0)).candidates
    assert [c.sql for c in found] == [GOOD_CTE, GOOD]


@pytest.mark.parametrize(("seconds", "served"), [(0.2, GOOD_CTE), (0.95, GOOD)])
def test_a_model_is_asked_where_what_rules_gain_could_be_noise(seconds: float, served: str) -> None:
    model = Speaker(reasoning=[chain(GOOD_CTE)], rewrite=[{"sql": ""}], decision=[{"go_on": False}])
    server = Server(times={GOOD: 0.8, GOOD_CTE: seconds})
    outcome = optimise(server, proposer=Rules([[GOOD]]), model=model)
    assert model.asked != []
    assert outcome.to_json()["rewritten"] == served


def test_a_model_is_asked_where_what_rules_have_gains_nothing_or_may_not_be_served() -> None:
    model = Speaker(reasoning=[chain(GOOD_CTE)], rewrite=[{"sql": ""}])
    outcome = optimise(Server(times={GOOD: 2.0}), proposer=Rules([[GOOD]]), model=model)
    assert outcome.to_json()["rewritten"] == GOOD_CTE
    model = Speaker(reasoning=[chain(GOOD_CTE)], rewrite=[{"sql": ""}])
    optimise(judge=Judge(level="tested"), proposer=Rules([[GOOD]]), model=model)
    assert len(model.prompts("reasoning")) == 2


def test_a_model_has_time_to_answer_before_the_deeper_search() -> None:
    """What rules have gains nothing. Their next search takes all that it may, and the model is asked before it."""

    class Thorough(Rules):
        def propose(self, sql: str, *rest: Any) -> Sequence[Candidate]:
            if self.starts:
                time.sleep(rest[1].left())
            return super().propose(sql, *rest)

    model = Speaker(reasoning=[chain(GOOD_CTE)], rewrite=[{"sql": ""}])
    server = Server(times={GOOD: 2.0})
    outcome = optimise(server, proposer=Thorough([[GOOD], []]), model=model, budget=4.0, rounds=2)
    assert outcome.to_json()["rewritten"] == GOOD_CTE
    first = next(r for r in model.asked if r.role == "reasoning")
    assert first.seconds > 2.1


def test_what_a_model_said_is_proved_before_more_runs_of_the_rules() -> None:
    """What rules have gains nothing: their next candidates take all the time of their runs, and the proof comes before."""
    told: list[str] = []

    class Busy(Server):
        def measure(self, sql: str, seconds: float) -> Timed:
            told.append(f"run {sql}")
            return super().measure(sql, seconds)

    class Proving(Believer):
        def prove(self, original: str, candidate: str, seconds: float) -> Evidence | None:
            told.append(f"prove {candidate}")
            return super().prove(original, candidate, seconds)

    model = Speaker(reasoning=[chain(GOOD_CTE)], rewrite=[{"sql": ""}])
    server = Busy(times={GOOD: 2.0, WRONG[0]: 2.0})
    rules = Rules([[GOOD], [WRONG[0]]])
    ports = Ports(server, Judge(), rules, model, prover=Proving(cte=()))
    outcome = Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings())
    assert told.index(f"prove {GOOD_CTE}") < told.index(f"run {WRONG[0]}")
    assert outcome.to_json()["rewritten"] == GOOD_CTE


def test_a_proved_step_of_a_model_is_run_before_the_steps_after_it_are_checked() -> None:
    """The check of what is not proved may take the rest of the time, and what has not run gains nothing."""
    told: list[str] = []

    class Telling(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            told.append(f"check {candidate}")
            return super().check(original, candidate, seconds)

    class Running(Server):
        def measure(self, sql: str, seconds: float) -> Timed:
            told.append(f"run {sql}")
            return super().measure(sql, seconds)

    model = Speaker(reasoning=[chain(GOOD, GOOD_CTE)], rewrite=[{"sql": ""}])
    server = Running(times={GOOD: 0.4, GOOD_CTE: 0.1})
    ports = Ports(server, Telling(), NoProposer(), model, prover=Believer(good=()))
    Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings())
    assert told.index(f"check {GOOD}") < told.index(f"run {GOOD}") < told.index(f"check {GOOD_CTE}")


def test_the_last_step_of_a_model_has_longer_where_the_way_to_it_is_proved() -> None:
    given: list[float] = []

    class Timing(Believer):
        def prove(self, original: str, candidate: str, seconds: float) -> Evidence | None:
            if candidate == GOOD_CTE:
                given.append(seconds)
            return super().prove(original, candidate, seconds)

    model = Speaker(reasoning=[chain(GOOD, GOOD_CTE)], rewrite=[{"sql": ""}])
    server = Server(costs={GOOD: 950.0, GOOD_CTE: 10.0})
    ways = Derivations()
    ports = Ports(server, Judge(), NoProposer(), model, prover=Timing(good=()), derivations=ways)
    Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings())
    assert given[:2] == [0.3, 2.0]


@pytest.mark.parametrize("proved", [False, True])
def test_a_patient_check_leaves_a_model_time_to_answer(proved: bool) -> None:
    """What rules have gains, and is tested only: its patient check takes all the time that it may, and a model is asked."""

    class Stubborn(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            if self.asked[-1:] == [GOOD] == [candidate]:
                time.sleep(seconds)
            evidence = super().check(original, candidate, seconds)
            return evidence if candidate == GOOD_CTE or proved else Evidence.of({"verdict": "tested"})

    model = Speaker(reasoning=[chain(GOOD_CTE)], rewrite=[{"sql": ""}])
    settings = {"budget": 4.0, "rounds": 2, "check_seconds": 10.0}
    outcome = optimise(judge=Stubborn(), proposer=Rules([[GOOD], []]), model=model, **settings)
    assert outcome.to_json()["rewritten"] == (GOOD if proved else GOOD_CTE)


def test_the_steps_of_a_model_are_its_derivation() -> None:
    seen = Derivations()
    model = Speaker(reasoning=[chain(GOOD, GOOD_CTE)], rewrite=[{"sql": ""}])
    ports = Ports(Server(), Judge(), NoProposer(), model, derivations=seen)
    Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings())
    assert seen.via(GOOD_CTE) == (GOOD,)
    assert seen.via(GOOD) == ()


def test_smaller_steps_to_a_text_that_was_not_proved_are_tried() -> None:
    """A second reply gives the same text as the first, by way of another one that is proved at once."""
    ways = Derivations()

    def mood() -> Evidence | None:
        # proved only where the way is known
        return None if ways.via(GOOD_CTE) else Evidence("unknown", reason="timeout")

    judge = Judge(mood=mood)
    model = Speaker(reasoning=[chain(GOOD_CTE), chain(GOOD, GOOD_CTE)], rewrite=[{"sql": ""}])
    ports = Ports(Server(times={GOOD: 0.9, GOOD_CTE: 0.1}), judge, NoProposer(), model, derivations=ways)
    outcome = Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings())
    assert outcome.to_json()["rewritten"] == GOOD_CTE
    assert "Change one thing a step" in model.prompts("reasoning")[1]


def test_the_same_way_to_a_text_is_not_gone_twice_nor_any_to_a_refuted_one() -> None:
    judge = Judge(mood=lambda: Evidence("unknown", reason="timeout"))
    model = Speaker(reasoning=[chain(GOOD, GOOD_CTE)], rewrite=[{"sql": ""}])
    optimise(judge=judge, model=model)
    # a short check and a patient one of each, in the first of the model's two rounds
    assert len(model.prompts("reasoning")) == 2
    assert sorted(judge.asked) == sorted([GOOD, GOOD_CTE] * 2)
    judge = Judge()
    refuted, again = chain(WRONG[1]), chain(WRONG[2], WRONG[1])
    model = Speaker(reasoning=[refuted, again], rewrite=[{"sql": ""}], assistant=[{"sql": ""}])
    optimise(judge=judge, model=model)
    assert judge.asked.count(WRONG[1]) == 1


def test_of_two_ways_to_one_text_the_one_of_more_steps_is_kept() -> None:
    seen = Derivations()
    replies = [chain(GOOD_CTE), chain(GOOD, GOOD_CTE, GOOD)]
    model = Speaker(reasoning=replies, rewrite=[{"sql": ""}])
    ports = Ports(Server(), Judge(), NoProposer(), model, derivations=seen)
    Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings(samples=2))
    assert seen.via(GOOD_CTE) == (GOOD,)
    # a step back to what was there before is none
    assert seen.via(GOOD) == ()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ({"reasoning": ["I think it is fine"]}, "the reasoning model is babbling"),
        ({"reasoning": [ProviderError("x: APIConnectionError")]}, "the reasoning model is down"),
        ({"reasoning": [ModelTimeout("x gave no answer in 3 s")]}, "the reasoning model is slow"),
        ({"reasoning": [Starved("x")]}, "the reasoning model is starved"),
        ({"reasoning": [BudgetExceeded("x")]}, "the reasoning model is over its budget"),
        (
            {"reasoning": [chain(WRONG[1])], "rewrite": [{"sql": ""}], "assistant": ["hm"]},
            "the assistant model is babbling",
        ),
    ],
)
def test_a_model_that_is_of_no_use_is_named(lines: dict[str, Any], said: str) -> None:
    assert said in optimise(model=Speaker(**lines)).reason


def test_corrections_have_time_of_their_own() -> None:
    """What runs and checks take before does not count."""

    class Slow(Server):
        def measure(self, sql: str, seconds: float) -> Timed:
            time.sleep(0.05)
            return super().measure(sql, seconds)

    lines = {"reasoning": [chain(WRONG[1])], "rewrite": [{"sql": ""}], "assistant": [{"sql": GOOD}]}
    outcome = optimise(Slow(), proposer=Rules([[WRONG[0]]]), model=Speaker(**lines), correction_seconds=0.04)
    assert outcome.to_json()["rewritten"] == GOOD


def test_several_replies_are_asked_for_by_other_strategies() -> None:
    model = Speaker(reasoning=[chain(GOOD), chain(GOOD_CTE)], rewrite=[{"sql": ""}])
    optimise(Server(times={GOOD: 0.1}), model=model, samples=2)
    first, second = model.prompts("reasoning")
    assert "Markov decision process" in first
    assert "Look at the plan first" in second


def test_what_was_not_proved_is_told() -> None:
    judge = Judge(mood=lambda: Evidence("unknown", reason="timeout"))
    model = Speaker(reasoning=[chain(GOOD), chain(GOOD_CTE)], rewrite=[{"sql": ""}])
    optimise(judge=judge, model=model)
    first, second, *_ = model.prompts("reasoning")
    assert "neither proved nor refuted" in second
    assert "neither proved nor refuted" not in first


def test_what_a_report_tells_is_told_once() -> None:
    memory = Memory()
    memory.remember(VerdictNote(GOOD, "unknown"))
    assert len(memory.parts("reasoning")) == 1
    plan = Explained(5.0, {"Node Type": "Sort"})
    memory.remember(ReportNote(GOOD, 0.5, None, plan, "tested", of=Candidate(GOOD, source="model")))
    # rules went on from it, and came no further; another one did
    memory.remember(ReportNote(WRONG[0], 0.5, None, plan, "tested", of=Candidate(WRONG[0], via=(GOOD,))))
    memory.remember(ReportNote(GOOD_CTE, 0.5, None, plan, "proved", of=Candidate(GOOD_CTE, via=(GOOD,))))
    shown = memory.parts("reasoning")
    assert [p.text for p in shown if isinstance(p, SqlText)] == [GOOD, GOOD_CTE]
    # the plan only of what may be served
    assert [type(p) for p in shown] == [SqlText, SqlText, PlanText]


def test_what_a_proof_left_open_is_said_in_words() -> None:
    memory = Memory()
    memory.remember(ReportNote(GOOD, 0.5, None, None, "proved", ("errors",)))
    (part,) = memory.parts("reasoning")
    assert isinstance(part, SqlText)
    assert "one of the two may stop with an error" in part.title


def test_the_second_look_sees_the_plan_of_what_it_looks_at() -> None:
    model = Speaker(reasoning=[chain(GOOD)], rewrite=[{"sql": ""}])
    optimise(model=model, rounds=1)
    (first,), (second,) = model.prompts("reasoning"), model.prompts("rewrite")
    assert "Original query" in second
    assert first.count("Its plan") == second.count("Its plan") == 1
    assert second.index("Rewritten query") < second.index("Its plan")


def test_syntax_is_repaired_from_the_servers_message_at_most_k_times() -> None:
    broken = GOOD.replace("p.v <", "p.w <")
    model = Speaker(
        reasoning=[chain(broken)],
        rewrite=[{"sql": ""}],
        assistant=[{"sql": broken + " and p.x"}, {"sql": GOOD}],
    )
    outcome = optimise(model=model)
    assert outcome.to_json()["rewritten"] == GOOD
    assert [s["name"] for s in outcome.to_json()["steps"]] == ["refine", "repair", "repair"]
    assert "SQLSTATE 42601" in model.prompts("assistant")[0]
    hopeless = Speaker(reasoning=[chain(broken)], rewrite=[{"sql": ""}], assistant=[{"sql": broken}])
    outcome = optimise(model=hopeless, rounds=1)
    assert outcome.best is None
    assert len(hopeless.prompts("assistant")) == 2


def test_names_and_number_of_columns_are_checked_before_anything_else() -> None:
    judge = Judge()
    model = Speaker(
        reasoning=[chain("select p.k from p", "select p.k, p.v as w from p")], rewrite=[{"sql": ""}]
    )
    model.lines["assistant"] = [{"sql": ""}]
    assert optimise(judge=judge, model=model, rounds=1).best is None
    assert judge.asked == []


def test_a_counterexample_leads_to_a_correction() -> None:
    model = Speaker(
        reasoning=[chain(WRONG[1])], rewrite=[{"sql": ""}], assistant=[{"sql": WRONG[2]}, {"sql": GOOD}]
    )
    outcome = optimise(model=model)
    assert outcome.to_json()["rewritten"] == GOOD
    assert [s["name"] for s in outcome.to_json()["steps"]] == ["refine", "correction", "correction"]
    assert all("secret-row" not in p for p in model.prompts("assistant"))


def test_correction_ends_with_its_own_budget_or_when_it_goes_in_circles() -> None:
    model = Speaker(
        reasoning=[chain(WRONG[1])], rewrite=[{"sql": ""}], assistant=[{"sql": WRONG[2]}, {"sql": WRONG[1]}]
    )
    assert optimise(model=model, rounds=1).best is None
    assert len(model.prompts("assistant")) == 2
    model = Speaker(reasoning=[chain(WRONG[1])], rewrite=[{"sql": ""}], assistant=[{"sql": GOOD}])
    assert optimise(model=model, rounds=1, correction_seconds=0.0).best is None
    assert optimise(model=model, rounds=1, checker_loop=False).best is None


def test_the_second_round_sees_verdicts_reports_and_knowledge_the_first_does_not() -> None:
    model = Speaker(
        reasoning=[chain(GOOD, WRONG[0]), chain(GOOD_CTE)],
        rewrite=[{"sql": ""}],
        assistant=[{"sql": ""}],
        decision=[{"go_on": True}],
    )
    server = Server(times={GOOD: 0.8, GOOD_CTE: 0.3})
    outcome = optimise(server, model=model, knowledge=Shelf())
    assert outcome.to_json()["rewritten"] == GOOD_CTE
    first, second, *_ = model.prompts("reasoning")
    for words in ("Known to help", "Group first", "was refused (refuted)", "0.80 of the original's time"):
        assert words not in first
        assert words in second


def test_a_query_that_may_not_be_shown_to_a_model_is_not() -> None:
    model = Speaker(reasoning=[chain(GOOD)])
    outcome = optimise(proposer=Rules([[GOOD]]), model=model, ask_model=False)
    assert outcome.to_json()["rewritten"] == GOOD
    assert model.asked == []


def test_roles_without_a_model_are_done_without() -> None:
    model = Speaker(reasoning=[chain(GOOD, WRONG[0])])
    assert optimise(Server(times={GOOD: 0.8}), model=model).to_json()["rewritten"] == GOOD


def test_recorded_replies_give_the_same_run_and_a_changed_prompt_is_noticed() -> None:
    lines: dict[str, Sequence[Any]] = {
        "reasoning": [chain(WRONG[1], GOOD)],
        "rewrite": ["no idea", {"sql": GOOD_CTE}],
        "assistant": [{"sql": ""}],
        "decision": [{"go_on": False}],
    }
    recorder = Recorder(Speaker(**lines))
    recorded = optimise(model=recorder).to_json()
    again = optimise(model=Replay(json.loads(json.dumps(recorder.entries)))).to_json()
    changing = ("seconds", "first_verified_seconds", "job")
    assert {k: v for k, v in again.items() if k not in changing} == {
        k: v for k, v in recorded.items() if k not in changing
    }
    changed = optimise(Server(plan={"Plan Rows": 11}), model=Replay(recorder.entries))
    assert changed.best is None
    assert "has changed at character" in changed.reason


def test_the_chosen_one_is_checked_patiently_and_makes_room_when_it_falls() -> None:
    class TwoLooks(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            self.asked.append(f"{candidate}: {seconds:g}")
            patient = seconds > 5
            return Evidence("refuted" if patient and candidate == GOOD_CTE else "tested", reason="differs")

    judge, server = TwoLooks(), Server(times={GOOD: 0.4, GOOD_CTE: 0.1})
    outcome = optimise(server, judge, Rules([[GOOD, GOOD_CTE]]), trust="tested", check_seconds=8.0)
    assert outcome.to_json()["rewritten"] == GOOD
    assert judge.asked == [f"{GOOD_CTE}: 4", f"{GOOD}: 4", f"{GOOD_CTE}: 8", f"{GOOD}: 8"]


def test_a_check_that_was_cut_short_is_gone_on_with() -> None:
    class Slowly(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            self.asked.append(candidate)
            return Evidence("proved" if seconds > 2.5 else "tested")

    # another round may follow, so that the first check gets half of the time, far less than it is meant to have
    judge = Slowly()
    outcome = optimise(judge=judge, proposer=Rules([[GOOD]]), budget=4.0, check_seconds=20.0)
    assert outcome.to_json()["rewritten"] == GOOD
    assert judge.asked == [GOOD, GOOD]


def test_the_reason_is_the_first_one_that_mattered() -> None:
    outcome = optimise(Server(times={GOOD: 0.95}), proposer=Rules([[GOOD]]))
    assert outcome.reason == "no verified candidate is better by enough"


def test_the_same_plan_is_no_gain_however_fast_it_seemed() -> None:
    server = Server(costs={GOOD: 1000.0}, times={GOOD: 0.1})
    outcome = optimise(server, proposer=Rules([[GOOD]]))
    assert outcome.best is None
    assert not server.measured


@pytest.mark.parametrize(
    ("wall", "cpu", "served"), [(0.8, 1.0, False), (0.8, 0.8, True), (0.3, 1.05, True), (0.3, 1.3, False)]
)
def test_the_processors_have_a_say_where_both_are_run(wall: float, cpu: float, served: bool) -> None:
    class Metered(Server):
        def measure(self, sql: str, seconds: float) -> Timed:
            return Timed(wall, cpu=cpu) if sql == GOOD else Timed(1.0, cpu=1.0)

    assert (optimise(Metered(), proposer=Rules([[GOOD]]), measure="both").best is not None) is served


def test_noise_of_milliseconds_is_no_gain() -> None:
    """The clock says three times faster, of what takes three milliseconds; the processors say slower."""

    class Metered(Server):
        def measure(self, sql: str, seconds: float) -> Timed:
            return Timed(0.001, cpu=0.0008) if sql == GOOD else Timed(0.003, cpu=0.0005)

    assert optimise(Metered(), proposer=Rules([[GOOD]]), measure="both").best is None


def test_a_much_faster_one_gets_a_patient_look_before_a_slower_one_is_served() -> None:
    class Slowly(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            return Evidence("proved" if seconds > 5 or candidate == GOOD else "tested")

    server = Server(times={GOOD: 0.5, GOOD_CTE: 0.1})
    outcome = optimise(server, Slowly(), Rules([[GOOD, GOOD_CTE]]), check_seconds=8.0)
    assert outcome.to_json()["rewritten"] == GOOD_CTE
    assert outcome.servable


def test_of_two_about_as_fast_the_proved_one_is_taken() -> None:
    class Mixed(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            return Evidence("tested" if candidate == GOOD_CTE else "proved")

    # the clock of a busy machine does not tell milliseconds apart, and what saves nearly all will do
    milliseconds, nearly_all = (0.009, 0.002, GOOD), ((0.05, 0.02, GOOD), (0.08, 0.02, GOOD_CTE))
    for good, cte, taken in ((0.2, 0.19, GOOD), (0.2, 0.1, GOOD_CTE), milliseconds, *nearly_all):
        server = Server(times={GOOD: good, GOOD_CTE: cte})
        outcome = optimise(server, Mixed(), Rules([[GOOD, GOOD_CTE]]), trust="tested")
        assert outcome.to_json()["rewritten"] == taken


def test_of_two_about_as_fast_the_one_of_fewer_reservations_is_taken() -> None:
    class Open(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            modulo = ("errors", "overflow") if candidate == GOOD_CTE else ("errors",)
            return Evidence.of({"verdict": "proved", "modulo": modulo})

    for good, taken in ((0.21, GOOD), (0.4, GOOD_CTE)):
        server = Server(times={GOOD: good, GOOD_CTE: 0.2})
        outcome = optimise(server, Open(), Rules([[GOOD, GOOD_CTE]]), trust="tested")
        assert outcome.to_json()["rewritten"] == taken


def test_where_the_best_cannot_be_proved_the_next_one_is_looked_at() -> None:
    class Partly(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            return Evidence("proved" if seconds > 5 and candidate == GOOD else "tested")

    server = Server(times={GOOD: 0.5, GOOD_CTE: 0.1})
    outcome = optimise(server, Partly(), Rules([[GOOD, GOOD_CTE]]), check_seconds=8.0)
    assert outcome.to_json()["rewritten"] == GOOD


class Believer:
    """Finds quick proofs of some texts only, with what they leave open."""

    def __init__(self, **proofs: tuple[str, ...]) -> None:
        self.proofs = {
            GOOD if name == "good" else GOOD_CTE if name == "cte" else WRONG[0]: m
            for name, m in proofs.items()
        }
        self.asked: list[str] = []
        self.refuted: set[str] = set()

    def prove(self, original: str, candidate: str, seconds: float) -> Evidence | None:
        assert original == ORIGINAL
        assert seconds > 0
        self.asked.append(candidate)
        modulo = self.proofs.get(candidate)
        return None if modulo is None else Evidence.of({"verdict": "proved", "modulo": list(modulo)})

    def least(self, original: str, candidate: str, proof: Evidence, seconds: float) -> Evidence:
        assert seconds > 0
        return proof

    def refute(self, original: str, candidate: str, seconds: float) -> Evidence | None:
        assert seconds > 0
        return Evidence.of({"verdict": "refuted"}) if candidate in self.refuted else None


def test_beside_one_that_leaves_something_open_one_as_fast_is_looked_at() -> None:
    class Least(Believer):
        def least(self, original: str, candidate: str, proof: Evidence, seconds: float) -> Evidence:
            return Evidence("proved") if candidate == GOOD else proof

    class Open(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            return Evidence("proved", modulo=("errors",))

    for good, taken in ((0.21, GOOD), (0.4, GOOD_CTE)):
        server = Server(times={GOOD: good, GOOD_CTE: 0.2})
        prover = Least(good=("errors",), cte=("errors",))
        ports = Ports(server, Open(), Rules([[GOOD, GOOD_CTE]]), prover=prover)
        outcome = Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings(trust="tested"))
        assert outcome.to_json()["rewritten"] == taken


def test_slow_ones_that_may_be_served_are_no_reason_not_to_check_a_fast_one() -> None:
    """All but one have a quick proof with a reservation; that one runs as fast as the fastest."""
    slow = [f"select p.k, p.v from p where p.k < {n}" for n in range(6)]

    class Quick(Believer):
        def prove(self, original: str, candidate: str, seconds: float) -> Evidence | None:
            return None if candidate == GOOD_CTE else Evidence("proved", modulo=("errors",))

    class Slowly(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            return Evidence("proved", modulo=() if candidate == GOOD_CTE else ("errors",))

    server = Server(times={GOOD: 0.18, GOOD_CTE: 0.2, **dict.fromkeys(slow, 0.5)})
    ports = Ports(server, Slowly(), Rules([[*slow, GOOD, GOOD_CTE]]), prover=Quick())
    outcome = Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings(trust="tested"))
    assert outcome.to_json()["rewritten"] == GOOD_CTE


def test_what_is_proved_in_one_round_is_not_lost_to_what_is_tested_in_the_next() -> None:
    class Partly(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            return Evidence("proved" if candidate == GOOD else "tested")

    server = Server(times={GOOD: 0.5, GOOD_CTE: 0.05})
    outcome = optimise(server, Partly(), Rules([[GOOD], [GOOD_CTE]]))
    assert states(outcome).count("decision") == 2
    assert outcome.to_json()["rewritten"] == GOOD


@pytest.mark.parametrize(
    ("proofs", "first", "last"),
    [
        ({"good": ()}, GOOD, GOOD),
        ({"cte": ()}, GOOD_CTE, GOOD_CTE),
        # one that leaves nothing open before an earlier one that does
        ({"good": ("overflow",), "cte": ()}, GOOD_CTE, GOOD_CTE),
        ({"good": ("overflow",)}, GOOD, GOOD_CTE),
    ],
)
def test_what_is_proved_quickly_is_checked_first(
    proofs: dict[str, tuple[str, ...]], first: str, last: str
) -> None:
    judge, believer = Judge(), Believer(**proofs)
    rules = Rules([[WRONG[0], GOOD, GOOD_CTE], []])
    ports = Ports(Server(), judge, rules, prover=believer)
    Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings(measure="explain"))
    assert judge.asked[0] == first
    assert believer.asked[-1] == last  # and none is looked for after that


def test_the_fastest_is_looked_at_longer_before_a_check_without_a_proof() -> None:
    given: list[tuple[str, float]] = []

    class Patient(Believer):
        def prove(self, original: str, candidate: str, seconds: float) -> Evidence | None:
            given.append((candidate, seconds))
            # only a long look finds the proof
            return super().prove(original, candidate, seconds) if seconds > 1.0 else None

    judge, believer = Judge(), Patient(good=())
    rules = Rules([[GOOD, GOOD_CTE, WRONG[0]], []])
    ports = Ports(Server(), judge, rules, prover=believer)
    Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings(measure="explain"))
    assert judge.asked[0] == GOOD
    # the others are left to their checks
    assert {candidate for candidate, seconds in given if seconds > 1.0} == {GOOD}


def test_the_first_that_is_proved_waits_for_no_proof_of_another() -> None:
    told: list[str] = []

    class Telling(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            told.append(f"check {candidate == GOOD}")
            return Evidence("proved")

    class Proving(Believer):
        def prove(self, original: str, candidate: str, seconds: float) -> Evidence | None:
            told.append(f"prove {candidate == GOOD}")
            return super().prove(original, candidate, seconds)

    # GOOD_CTE runs faster, so that it is still worth a proof
    server = Server(times={GOOD: 0.5, GOOD_CTE: 0.1})
    ports = Ports(server, Telling(), Rules([[GOOD, GOOD_CTE], []]), prover=Proving(good=()))
    outcome = Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings(rounds=1))
    assert told == ["prove False", "prove True", "check True", "prove False", "check False"]
    assert outcome.to_json()["rewritten"] == GOOD_CTE


def test_the_stops_on_the_way_to_a_candidate_are_proved_before_it() -> None:
    way = Derivations()
    way.remember(GOOD_CTE, (GOOD,))
    believer, server = Believer(good=()), Server(times={GOOD: 0.5, GOOD_CTE: 0.1})
    ports = Ports(server, Judge(), Rules([[GOOD_CTE, GOOD], []]), prover=believer, derivations=way)
    Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings(rounds=1))
    assert believer.asked[:2] == [GOOD, GOOD_CTE]


def test_beside_a_proved_one_quick_proofs_of_what_is_faster_have_longer() -> None:
    class Slow(Believer):
        def prove(self, original: str, candidate: str, seconds: float) -> Evidence | None:
            if candidate == GOOD_CTE and self.asked[-1] == GOOD:
                # a quarter of the time is over with this
                time.sleep(1.2)
                self.asked.append(candidate)
                return None
            return super().prove(original, candidate, seconds)

    way = Derivations()
    way.remember(GOOD_CTE, (GOOD,))
    believer, server = Slow(good=(), cte=()), Server(times={GOOD: 0.5, GOOD_CTE: 0.1})
    ports = Ports(server, Judge(), Rules([[GOOD_CTE, GOOD], []]), prover=believer, derivations=way)
    settings = Settings(rounds=1, budget=4.0)
    Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=settings)
    assert believer.asked == [GOOD, GOOD_CTE, GOOD_CTE]


@pytest.mark.parametrize(("other", "looked"), [(0.5, False), (0.45, False), (0.6, False), (0.3, True)])
def test_what_runs_no_faster_than_a_proved_one_is_not_checked(other: float, looked: bool) -> None:
    judge = Judge()
    server = Server(times={GOOD: 0.5, GOOD_CTE: other})
    ports = Ports(server, judge, Rules([[GOOD, GOOD_CTE], []]), prover=Believer(good=()))
    Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings(rounds=1))
    assert judge.asked[0] == GOOD
    assert (GOOD_CTE in judge.asked) is looked


@dataclass
class Priced:
    """Proposes texts with their estimated costs."""

    costs: Mapping[str, float | None]

    def propose(
        self,
        sql: str,
        database: Database,
        deadline: Deadline,
        advice: Sequence[Unit],
        early: Early | None = None,
    ) -> Sequence[Candidate]:
        del sql, database, deadline, advice, early
        return [Candidate(text, (Step("rule", "others"),), cost=cost) for text, cost in self.costs.items()]


@pytest.mark.parametrize(
    ("first", "second", "looked"),
    [
        # far below it
        (600.0, 200.0, True),
        # both gain: the client does not wait for the better one
        (600.0, 400.0, False),
        # the first gains nothing
        (950.0, 700.0, True),
        (950.0, 970.0, False),
        # nor do estimates show what a blind rule brings
        (None, 700.0, True),
        (None, 970.0, False),
    ],
)
def test_what_is_estimated_far_below_a_proved_one_is_checked_where_nothing_runs(
    first: float | None, second: float, looked: bool
) -> None:
    """A small step may be proved first, and gain nothing."""
    costs = {GOOD: first, GOOD_CTE: second}
    judge, server = Judge(), Server(costs={ORIGINAL: 1000.0, GOOD: first or 100.0, GOOD_CTE: second})
    ports = Ports(server, judge, Priced(costs), prover=Believer(good=()))
    settings = Settings(measure="explain", run_width=1, single_pass=True)
    outcome = Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=settings)
    assert (GOOD_CTE in judge.asked) is looked
    assert outcome.to_json()["rewritten"] == (GOOD_CTE if looked else GOOD if first == 600.0 else None)


def test_what_was_not_checked_for_need_is_when_the_proved_one_gains_nothing() -> None:
    """One run may flatter; what stood back for its sake has its turn then."""

    class Flattering(Server):
        def measure(self, sql: str, seconds: float) -> Timed:
            if sql == GOOD and any(sql == GOOD for sql, _ in self.measured):
                self.times[GOOD] = 0.98
            return super().measure(sql, seconds)

    server = Flattering(times={GOOD: 0.5, GOOD_CTE: 0.55})
    ports = Ports(server, Judge(), Rules([[GOOD, GOOD_CTE], []]), prover=Believer(good=()))
    outcome = Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings(rounds=2))
    assert outcome.to_json()["rewritten"] == GOOD_CTE


class Wide:
    """A scoper that claims all literals, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def scope(self, original: str, candidate: str, deadline: Deadline) -> Scoped:
        self.asked += 1
        return Scoped("any", original, candidate)


@pytest.mark.parametrize(
    ("level", "modulo", "asked"), [("proved", (), 1), ("proved", ("errors",), 0), ("tested", (), 0)]
)
def test_other_literals_are_asked_of_only_where_its_own_are_proved(
    level: Level, modulo: tuple[str, ...], asked: int
) -> None:
    class Saying(Judge):
        def check(self, original: str, candidate: str, seconds: float) -> Evidence:
            return Evidence(level, modulo=modulo)

    wide = Wide()
    ports = Ports(Server(), Saying(), Rules([[GOOD], []]), scoper=wide)
    outcome = Rewriter(ports).optimise(
        ORIGINAL, observed_seconds=1.0, settings=Settings(trust="tested", rounds=1)
    )
    assert outcome.best is not None
    assert wide.asked == asked
    assert (outcome.scoped.scope == "any") is bool(asked)


def test_what_is_proved_and_refuted_all_the_same_is_not_chosen() -> None:
    believer = Believer(good=(), cte=())
    ports = Ports(Server(), Judge(), Rules([[GOOD, GOOD_CTE], []], priced=True), prover=believer)
    settings = Settings(measure="explain")
    chosen = Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=settings)
    assert chosen.best is not None
    believer.refuted = {chosen.best.checked.candidate.sql}
    other = Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=settings)
    assert other.best is None or other.best.checked.candidate.sql not in believer.refuted
    believer.refuted = {GOOD, GOOD_CTE}
    assert Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=settings).best is None


def test_a_quick_proof_is_no_verdict() -> None:
    ports = Ports(Server(), Judge(), Rules([[WRONG[0]], []]), prover=Believer(wrong=()))
    outcome = Rewriter(ports).optimise(ORIGINAL, observed_seconds=1.0, settings=Settings(measure="explain"))
    assert outcome.best is None
