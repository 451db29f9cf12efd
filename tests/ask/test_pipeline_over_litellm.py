"""The pipeline through litellm and a local server that speaks OpenAI's protocol: answers, and every kind of
failure, in time.
"""

from __future__ import annotations

from typing import Any

import pytest

from rewright.models.budget import Ledger, Limits
from rewright.models.litellm_client import LiteLlm, Price
from tests.ask.conftest import MakePipeline
from tests.ask.test_hostile_models import state
from tests.models.conftest import Stub, imported, stub  # noqa: F401 - fixtures
from tests.proxy.waiting import Stopwatch

pytestmark = pytest.mark.server

QUESTION = "How many museums are there?"
COUNT = "select count(*) from museum"


def by_task(body: dict[str, Any]) -> str:
    task = body["messages"][0]["content"].partition("\n")[0]
    if "plan" in task:
        return 'Here you are:\n```json\n{"schema": {"tables": "museum", "outputs": "number"}}\n```'
    if "judge" in task:
        return '{"faithful": "yes"}'
    return "[CONFIRM] museums counted" if len(body["messages"]) > 2 else f"[SQL]\n```sql\n{COUNT};\n```"


def model(stub: Stub, **more: Any) -> LiteLlm:  # noqa: F811
    return LiteLlm({"ask": "openai/stub"}, api_base=stub.url, prices={"openai/stub": Price(1.0, 2.0)}, **more)


def test_a_question_is_answered_and_paid_for(pipeline: MakePipeline, stub: Stub) -> None:  # noqa: F811
    stub.answer = by_task
    outcome = pipeline(model(stub)).answer(QUESTION)
    assert outcome.sql == COUNT
    assert outcome.reading == "museums counted"
    assert (outcome.calls, outcome.tokens) == (4, 480)
    assert outcome.money == pytest.approx(4 * 140e-6)
    assert all(body["model"] == "stub" for body in stub.requests)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "lorem ipsum",
        "null",
        "[SQL] drop table museum",
        '{"schema": {"tables": [1, {}]}}',
        "\x00\ud7ff" * 99,
    ],
)
def test_whatever_it_says_nothing_is_harmed(
    pipeline: MakePipeline,
    museum: Any,
    stub: Stub,  # noqa: F811
    said: str,
) -> None:
    before = state(museum)
    stub.answer = lambda _: said
    outcome = pipeline(model(stub), actions=5).answer(QUESTION)
    assert outcome.error or outcome.refused
    assert not outcome.sql
    assert state(museum) == before


def test_a_server_that_refuses(pipeline: MakePipeline, stub: Stub) -> None:  # noqa: F811
    stub.statuses = [401] * 9
    outcome = pipeline(model(stub)).answer(QUESTION)
    assert outcome.error.startswith("the ask model is down")
    assert len(stub.requests) == 1


def test_a_server_that_is_slow(pipeline: MakePipeline, stub: Stub) -> None:  # noqa: F811
    stub.delay = 0.5
    with Stopwatch() as watch:
        outcome = pipeline(model(stub), seconds=0.3).answer(QUESTION)
    assert outcome.error.startswith("the ask model is slow")
    assert watch.seconds < 3


def test_a_budget_that_is_spent(pipeline: MakePipeline, stub: Stub) -> None:  # noqa: F811
    stub.answer = by_task
    outcome = pipeline(model(stub, ledger=Ledger(Limits(query_tokens=100)))).answer(QUESTION)
    assert outcome.error.startswith("the ask model is over its budget")
    assert not stub.requests


def test_a_reply_that_thought_away_its_tokens(pipeline: MakePipeline, stub: Stub) -> None:  # noqa: F811
    stub.answer, stub.finish = (lambda _: ""), "length"
    outcome = pipeline(model(stub)).answer(QUESTION)
    assert outcome.error.startswith("the ask model is starved")
