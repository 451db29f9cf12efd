"""Candidates told apart by the checker itself: proved equal, parted by a database, counted, judged."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rewright.ask.choice.grouping import Groups
from rewright.ask.execution import Rows
from rewright.ask.outcome import Candidate
from rewright.ask.ports import Choice
from rewright.ask.running import PostgresRunner
from rewright.ask.sameness import CheckerComparer, same_rows
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker, Options
from tests.ask.conftest import Connection, MakePipeline
from tests.ask.scripted import CONFIRM, FAITHFUL, ScriptedModel, plan, query

pytestmark = pytest.mark.server

QUESTION = "How many paintings cost something?"
# alike on these rows, for no price is missing here
ALL, PRICED = "select count(*) from painting", "select count(price) from painting"
AS_IN = "select count(*) from painting p where p.painting_id is not null"


@pytest.fixture(scope="module")
def comparer(museum: Connection, scratch_server: ScratchServer) -> Iterator[CheckerComparer]:
    with Checker(snapshot(museum), scratch_server, Options(seconds=6)) as checker:
        yield CheckerComparer(checker)


def script(*queries: str, **more: object) -> ScriptedModel:
    return ScriptedModel(
        {
            "plan the query": [plan("painting", outputs=["number"])],
            "write the query": [query(sql) for sql in queries],
            "judge the query": [FAITHFUL],
            **{task.replace("_", " "): replies for task, replies in more.items()},  # type: ignore[dict-item]
        }
    )


def test_proof_comes_before_rows(runner: PostgresRunner, comparer: CheckerComparer) -> None:
    groups = Groups(comparer)
    groups.sort([Candidate(sql, "", "model", rows=runner.run(sql)) for sql in (ALL, PRICED, AS_IN)])
    assert [c.group for c in groups.candidates] == [0, 1, 0]
    assert [c.result for c in groups.candidates] == [0, 0, 0]
    difference = groups.difference(groups.candidates[0], groups.candidates[1])
    assert difference is not None
    assert len(difference.setup) <= 4
    assert (difference.first, difference.second) == ("1", "0")


def test_readings_alike_here_are_told_apart_by_the_smallest_database(
    pipeline: MakePipeline, comparer: CheckerComparer
) -> None:
    model = script(
        ALL, PRICED, choose_between_two_readings=[{"choice": "B", "why": "a missing price is no price"}]
    )
    outcome = pipeline(model, comparer=comparer, candidates=2, parallel=1, actions=1).answer(QUESTION)
    assert outcome.sql == PRICED
    asked = model.asked[model.tasks().index("choose between two readings")].messages[-1].text
    assert "A database on which they part" in asked
    assert "| painting (painting_id" in asked, "the rows on which they part"
    assert outcome.alternatives[0].sql == ALL
    assert outcome.alternatives[0].difference is not None
    assert outcome.alternatives[0].difference.first == "0"


def test_who_chooses_sees_the_tables_of_both_queries(
    pipeline: MakePipeline, comparer: CheckerComparer
) -> None:
    # the plan names painting only, the second query reads artist besides
    joined = "select count(*) from painting p join artist a on a.artist_id = p.artist_id"
    model = script(ALL, joined, choose_between_two_readings=[{"choice": "A", "why": "all of them"}])
    pipeline(model, comparer=comparer, candidates=2, parallel=1, actions=1).answer(QUESTION)
    asked = model.asked[model.tasks().index("choose between two readings")].messages[-1].text
    assert "table artist:" in asked


def test_the_user_sees_both_readings_and_the_rows(pipeline: MakePipeline, comparer: CheckerComparer) -> None:
    shown: list[Choice] = []

    def choose(choice: Choice) -> str:
        shown.append(choice)
        return "second"

    made = pipeline(script(ALL, PRICED), comparer=comparer, candidates=2, parallel=1, actions=1)
    assert made.answer(QUESTION, choose=choose).sql == PRICED  # type: ignore[arg-type]
    assert shown[0].difference is not None
    assert (shown[0].first.sql, shown[0].second.sql) == (ALL, PRICED)


def test_without_the_checker_rows_alone_count(pipeline: MakePipeline, comparer: CheckerComparer) -> None:
    model = script(ALL, PRICED)
    outcome = pipeline(
        model, comparer=comparer, candidates=2, parallel=1, actions=1, without=("checker",)
    ).answer(QUESTION)
    assert outcome.sql == ALL
    assert "choose between two readings" not in model.tasks()


def test_three_that_tie_go_to_the_selecting_judge(pipeline: MakePipeline) -> None:
    three = ("select 1", "select 2", "select 3")
    model = script(*three, choose_a_candidate=[{"best": 3}])
    outcome = pipeline(model, candidates=3, parallel=1, actions=1).answer(QUESTION)
    assert outcome.sql == "select 3"
    assert len(outcome.alternatives) == 2


@pytest.mark.parametrize("reply", ["which?", {"best": 17}, {"best": 0}])
def test_a_judge_that_names_nothing_leaves_the_first(pipeline: MakePipeline, reply: object) -> None:
    model = script("select 1", "select 2", "select 3", choose_a_candidate=[reply])
    assert pipeline(model, candidates=3, parallel=1, actions=1).answer(QUESTION).sql == "select 1"


def test_candidates_that_fail_have_no_vote(pipeline: MakePipeline) -> None:
    model = script("select nothing from nowhere", ALL)
    outcome = pipeline(model, candidates=2, parallel=1, actions=1).answer(QUESTION)
    assert outcome.sql == ALL
    assert [c.group for c in outcome.candidates] == [-1, 0]
    assert CONFIRM


def test_rows_are_compared_as_values() -> None:
    one = Rows(("a",), ((1,), (2.0,)), truncated=False)
    assert same_rows(one, Rows(("b",), ((2,), (1.0000000001,)), truncated=False))
    assert not same_rows(one, Rows(("a",), (("1",), ("2",)), truncated=False))
    assert not same_rows(one, Rows(("a",), ((1,), (2,), (2,)), truncated=False))
    assert not same_rows(one, Rows(("a",), ((1,), (None,)), truncated=False))
