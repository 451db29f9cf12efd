"""The dialogue with a model: what it says is held against the plan, and is only ever a candidate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from rewright.hints.base import JoinHint
from rewright.hints.dialogue import Dialogue, EstimateOpinion, JoinOpinion, Opinions
from rewright.hints.levels import names_of
from rewright.hints.recommend import Options, recommend
from rewright.hints.trial import Trial
from rewright.models.api import BadReply, NoModel, Reply, Request
from rewright.models.replay import Recorder, Replay
from tests.hints.test_planning import join, plan, scan

pytestmark = pytest.mark.long

SLOW = (
    "select count(*), sum(length(b.x)) from a join b on b.a_id = a.id"
    " where upper(a.x) = 'A' and lower(a.y) = 'secret' and upper(b.x) = 'A' and lower(b.y) = 'b'"
)
TEXT = "select * from a join b on a.x = b.x join c on c.x = b.x"
AB = frozenset({"a", "b"})
WRONG_SCAN = {"relations": ["a"], "reasonable": False, "low": 500, "high": 3000, "reason": "upper of x"}
GOOD = {"relations": ["b"], "reasonable": True}
BETTER = {"relations": ["b", "a"], "suitable": False, "better": "HashJoin", "reason": "both sides are large"}


@dataclass
class Scripted:
    """Says its replies in turn, whatever is asked."""

    replies: list[Mapping[str, Any] | str]
    asked: list[Request] = field(default_factory=list)

    def available(self, role):
        return role == "hint"

    def complete(self, request):
        self.asked.append(request)
        if len(self.asked) > len(self.replies):
            raise BadReply("nothing more to say")
        said = self.replies[len(self.asked) - 1]
        return Reply(said if isinstance(said, str) else json.dumps(said))


class Bare(Trial):
    """A trial without a server: sizes of tables are not known."""

    def __post_init__(self):
        self.names = names_of(self.text)


@pytest.fixture
def trial(monkeypatch):
    monkeypatch.setattr("rewright.hints.dialogue.read_table", lambda *_: None)
    return Bare(None, TEXT, 1.0, 1e12)  # type: ignore[arg-type]


LOW = join("Nested Loop", scan("a", 10), scan("b", 10), 20, **{"Join Filter": "(a.x = b.x)"})
TOP = plan(join("Nested Loop", LOW, scan("c", 10), 30, **{"Join Filter": "(c.x < b.x)"}))


@pytest.mark.parametrize(
    ("opinion", "why"),
    [
        (EstimateOpinion(("a", "c"), reasonable=False, low=100, high=200), "no such node"),
        (EstimateOpinion(("a",), reasonable=False, low=5, high=200), "lies within the range"),
        (EstimateOpinion(("a",), reasonable=False, low=200, high=100), "no range"),
        (EstimateOpinion(("a",), reasonable=False, low=-5, high=1), "no range"),
        (EstimateOpinion(("b",), reasonable=False, low=100, high=200), "7 rows were seen"),
    ],
)
def test_what_contradicts_the_plan_is_not_believed(trial, opinion, why):
    trial.known.rows[frozenset("b")] = 7
    dialogue = Dialogue(NoModel())
    assert dialogue.checked(Opinions((opinion,)), TOP, trial).empty
    assert why in dialogue.dropped[0]


@pytest.mark.parametrize(
    ("opinion", "why"),
    [
        (JoinOpinion(("a", "b"), suitable=False, better="NestLoop"), "its method already"),
        (JoinOpinion(("a", "b", "c", "d"), suitable=False, better="HashJoin"), "no such join"),
        (JoinOpinion(("a",), suitable=False, better="HashJoin"), "no such join"),
    ],
)
def test_nor_a_method_that_cannot_be(trial, opinion, why):
    dialogue = Dialogue(NoModel())
    assert dialogue.checked(Opinions((), (opinion,)), TOP, trial).empty
    assert why in dialogue.dropped[0]


def test_what_agrees_is_believed(trial):
    believed = Dialogue(NoModel()).checked(
        Opinions(
            (EstimateOpinion(("a", "b"), reasonable=False, low=1000, high=4000, reason="r"),),
            (JoinOpinion(("a", "b"), suitable=False, better="MergeJoin", reason="s"),),
        ),
        TOP,
        trial,
    )
    assert [(j.aliases, j.likely, j.source) for j in believed.judgements] == [(AB, 2000, "model")]
    assert [move.hint for move in believed.methods] == [JoinHint("MergeJoin", AB)]


def test_an_impossible_size_is_not_believed(trial, monkeypatch):
    sizes = {"a": 100.0, "b": 1000.0}
    monkeypatch.setattr(
        "rewright.hints.dialogue.read_table", lambda _s, _n, name: type("T", (), {"rows": sizes[name]})() if name in sizes else None
    )  # fmt: skip
    dialogue = Dialogue(NoModel())
    too_many = EstimateOpinion(("a",), reasonable=False, low=1000, high=2000)
    assert dialogue.checked(Opinions((too_many,)), TOP, trial).empty
    assert "200 rows" in dialogue.dropped[0]


# -- on the server


@pytest.mark.server
def test_both_steps_and_a_replay_of_them(hinting):
    first = {"estimates": [WRONG_SCAN, GOOD], "joins": [BETTER]}
    second = {"hints": "HashJoin(a b) SeqScan(a) Rows(a zz #5) Set(geqo off)", "reason": "as found"}
    model = Scripted([first, second])
    recorder = Recorder(model)
    options = Options(execute=False)
    found = recommend(hinting, SLOW, options, strategy=Dialogue(recorder))
    assert found.hints.hints == (JoinHint("HashJoin", AB),)
    prompts = "\n".join(m.text for request in model.asked for m in request.messages)
    assert "secret" not in prompts
    assert "rather than" in prompts, "the findings of the first step go into the second"
    again = Dialogue(Replay(recorder.entries))
    assert recommend(hinting, SLOW, options, strategy=again).hints == found.hints
    assert any("not offered" in one for one in again.dropped)


@pytest.mark.server
@pytest.mark.parametrize(
    "replies",
    [
        [],
        ["no json"] * 4,
        [{"estimates": [{"relations": ["nothing"], "reasonable": False, "low": 1, "high": 2}]}],
        [{"estimates": [WRONG_SCAN]}, {"hints": "HashJoin(a b", "reason": "not closed"}],
        [{"estimates": [WRONG_SCAN]}, {"hints": "NestLoop(a b)", "reason": "a bad idea"}],
    ],
)
def test_a_bad_model_wastes_time_only(hinting, replies):
    found = recommend(
        hinting,
        SLOW.replace("secret", "b"),
        Options(run_seconds=10, budget_seconds=60, repeats=1),
        strategy=Dialogue(Scripted(replies)),
    )
    assert JoinHint("HashJoin", AB) in found.hints.hints, found.reason
    assert found.measured
