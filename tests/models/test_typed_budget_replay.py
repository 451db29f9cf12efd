"""Typed replies, the ledger, recording and replaying, rate limits: no network, no litellm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewright.models.api import BadReply, BudgetExceeded, Message, Reply, Request, Role, Unrecorded, Usage
from rewright.models.budget import Ledger, Limits
from rewright.models.limits import Gate
from rewright.models.replay import Recorder, Replay
from rewright.models.typed import WrongShape, ask, parse, schema_of


@dataclass(frozen=True)
class Step:
    name: str
    kind: Literal["join", "cte"]
    gain: float = 0.0


@dataclass(frozen=True)
class Plan:
    steps: tuple[Step, ...]
    note: str | None = None


class Says:
    def __init__(self, *texts: str) -> None:
        self.texts: Iterator[str] = iter(texts)
        self.asked: list[Request] = []

    def available(self, role: Role) -> bool:
        return True

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(next(self.texts), Usage(10, 5, 0.01))


GOOD = '{"steps": [{"name": "a", "kind": "join", "gain": 2}]}'


@pytest.mark.parametrize("text", [GOOD, f"```json\n{GOOD}\n```", f"Sure! {{maybe}} Here: {GOOD} Bye {{}}"])
def test_the_json_is_found_in_what_models_say(text: str) -> None:
    assert parse(text, Plan) == Plan((Step("a", "join", 2.0),))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "{}",
        '{"steps": 1}',
        '{"steps": [{"name": 1, "kind": "join"}]}',
        '{"steps": [{"name": "a", "kind": "x"}]}',
        '{"steps": [{"name": "a", "kind": "join", "gain": NaN}]}',
        "{" * 100_000,
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(WrongShape):
        parse(text, Plan)


@given(st.text())
def test_hostile_text_never_does_worse_than_be_refused(text: str) -> None:
    with pytest.raises(WrongShape):
        parse(text.replace("steps", ""), Plan)


def test_a_bad_reply_goes_back_once_with_the_complaint() -> None:
    model = Says("what?", GOOD)
    got = ask(model, Request("rewrite", (Message("user", "plan"),)), Plan)
    assert got.attempts == 2
    assert got.usage == Usage(20, 10, 0.02)
    assert "no JSON object" in model.asked[1].messages[-1].text


def test_bad_replies_end() -> None:
    with pytest.raises(BadReply) as caught:
        ask(Says("", "[]"), Request("rewrite", ()), Plan)
    assert caught.value.usage.tokens == 30


def test_schema() -> None:
    schema = schema_of(Plan)
    assert schema["required"] == ["steps"]
    assert schema["properties"]["steps"]["items"]["properties"]["kind"] == {"enum": ["join", "cte"]}


def test_the_day_is_shared_between_processes_and_ends(tmp_path: Path) -> None:
    day = ["2026-01-01"]
    ledgers = [Ledger(Limits(daily_tokens=3000), tmp_path / "tokens.json", lambda: day[0]) for _ in range(2)]
    request = Request("ask", (), max_tokens=2000)
    held = ledgers[0].reserve(request, 0.0)
    with pytest.raises(BudgetExceeded):
        ledgers[1].reserve(request, 0.0)
    ledgers[0].settle(held, Usage(900, 0))
    assert ledgers[1].spent() == (900, 0.0)
    day[0] = "2026-01-02"
    assert ledgers[1].spent() == (0, 0.0)


def test_a_call_that_ends_on_the_next_day_leaves_that_day_alone() -> None:
    day = ["2026-01-01"]
    ledger = Ledger(Limits(), None, lambda: day[0])
    held = ledger.reserve(Request("ask", ()), 0.0)
    day[0] = "2026-01-02"
    later = ledger.reserve(Request("ask", (), max_tokens=100), 0.0)
    ledger.settle(held, Usage(5, 5))
    ledger.settle(later, Usage(7, 0))
    assert ledger.spent() == (7, 0.0)


def test_a_damaged_ledger_file_counts_from_zero(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    path.write_text('{"2026": [')
    assert Ledger(Limits(), path).spent() == (0, 0.0)


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 3000)), max_size=30))
def test_no_sequence_of_calls_overruns_the_budget(calls: list[tuple[int, int]]) -> None:
    ledger = Ledger(Limits(daily_tokens=5000, query_tokens=None))
    for most, used in calls:
        try:
            held = ledger.reserve(Request("ask", (), max_tokens=most), 0.0)
        except BudgetExceeded:
            continue
        ledger.settle(held, Usage(0, min(used, most)))
        assert ledger.spent()[0] <= 5000


def test_recorded_then_replayed(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    recorder = Recorder(Says("one", "two"), path)
    first = Request("reasoning", (Message("user", "rewrite this query"),))
    recorder.complete(first)
    recorder.complete(first)
    replay = Replay.load(path)
    assert [replay.complete(first).text for _ in range(3)] == ["one", "two", "two"]
    with pytest.raises(Unrecorded, match="changed at character 10: 'is query' is now 'at query'"):
        replay.complete(Request("reasoning", (Message("user", "rewrite that query"),)))


def test_rate_limit_waits_for_the_oldest_start() -> None:
    now = [0.0]
    gate = Gate(concurrency=5, per_minute=2, clock=lambda: now[0])
    for _ in range(2):
        gate.enter(0)
        gate.leave()
    assert gate._wait() == pytest.approx(60.0)
    now[0] = 60.5
    assert gate._wait() == 0.0
