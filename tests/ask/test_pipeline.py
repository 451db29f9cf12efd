"""Questions answered by scripted models, stage by stage, on PostgreSQL."""

from __future__ import annotations

import json

import pytest

from rewright.ask.api import Asker, Assistance
from rewright.ask.pipeline_settings import PipelineSettings
from rewright.ask.ports import Choice, Draft, Turn
from rewright.models.api import BudgetExceeded, ModelTimeout, NoModel, ProviderError, Request
from tests.ask.conftest import Connection, MakePipeline
from tests.ask.scripted import CONFIRM, FAITHFUL, ScriptedModel, plan, query

pytestmark = pytest.mark.server

COUNT = "select count(*) from painting"
QUESTION = "How many paintings are there?"
SIMPLE = {
    "plan the query": [plan("painting", outputs=["number of paintings"])],
    "write the query": [query(COUNT), CONFIRM],
    "judge the query": [FAITHFUL],
}


def test_a_small_database_takes_four_calls_and_few_tokens(pipeline: MakePipeline) -> None:
    model = ScriptedModel(SIMPLE)
    outcome = pipeline(model).answer(QUESTION)
    assert outcome.sql == COUNT
    assert outcome.rows is not None
    assert outcome.rows.rows == ((4,),)
    assert outcome.reading == "as the question says"
    assert model.tasks() == ["plan the query", "write the query", "write the query", "judge the query"]
    assert outcome.calls == 4
    assert outcome.money == pytest.approx(0.004)
    assert 500 < outcome.tokens < 6_000
    assert not outcome.error
    assert not outcome.refused


def test_what_the_data_does_not_hold_is_said(pipeline: MakePipeline) -> None:
    outcome = pipeline(ScriptedModel({"plan the query": [plan(missing="the weight of paintings")]})).answer(
        "How heavy is Sea?"
    )
    assert outcome.refused == "the data does not say: the weight of paintings"
    assert not outcome.sql


@pytest.mark.parametrize("nothing", ["", "none", "Nothing.", "N/A", "null"])
def test_nothing_missing_in_other_words_is_nothing(pipeline: MakePipeline, nothing: str) -> None:
    model = ScriptedModel({**SIMPLE, "plan the query": [plan("painting", missing=nothing)]})
    assert pipeline(model).answer(QUESTION).sql == COUNT


def test_an_error_goes_back_and_is_mended(pipeline: MakePipeline) -> None:
    model = ScriptedModel(
        {**SIMPLE, "write the query": [query("select count(*) from paintings"), query(COUNT), CONFIRM]}
    )
    assert pipeline(model).answer(QUESTION).sql == COUNT
    assert "42P01" in model.asked[2].messages[-1].text or "may not run" in model.asked[2].messages[-1].text


def test_explorations_are_run_and_told(pipeline: MakePipeline) -> None:
    explore = (
        "[EXPLORE]\n-- spelling\nselect distinct city from museum order by 1;\nselect title from painting "
        "where title = ';';"
    )
    model = ScriptedModel(
        {**SIMPLE, "write the query": [explore, "[REFINE] cities are known", query(COUNT), CONFIRM]}
    )
    outcome = pipeline(model).answer(QUESTION)
    assert outcome.sql == COUNT
    told = model.asked[2].messages[-1].text
    assert "'Lima'" in told
    assert "no rows" in told
    assert [e.stage for e in outcome.trajectory if e.kind == "explored"] == ["generation", "generation"]


def test_the_guilty_stage_alone_runs_again(pipeline: MakePipeline) -> None:
    wrong = "select name from museum order by founded limit 1"
    right = "select name from museum order by founded desc limit 1"
    violation = {
        "stage": "aggregation",
        "criterion": "direction",
        "fragment": "order by founded",
        "problem": "latest is desc",
    }
    model = ScriptedModel(
        {
            "plan the query": [plan("museum", outputs=["name"])],
            "write the query": [query(wrong), CONFIRM, query(right), "[CONFIRM] the latest"],
            "judge the query": [{"faithful": False, "missing": ["latest"]}, FAITHFUL],
            "criticise the query": [{"violations": [violation]}],
            "blame one stage": [
                {
                    "stage": "aggregation",
                    "violations": [violation],
                    "lesson": "founded is a year: latest is the greatest",
                }
            ],
            "plan the query (aggregation)": [{"order": "museum.founded desc", "limit": 1}],
        }
    )
    outcome = pipeline(model).answer("Which museum was founded last?")
    assert outcome.sql == right
    assert outcome.reading == "the latest"
    assert model.tasks().count("plan the query") == 1
    assert [t for t in model.tasks() if t.startswith("plan the query (")] == ["plan the query (aggregation)"]
    assert (
        "latest is desc" in model.asked[model.tasks().index("plan the query (aggregation)")].messages[-1].text
    )


def test_the_best_iterate_is_returned_not_the_last(pipeline: MakePipeline) -> None:
    first = "select name from museum where city = 'Lima'"
    violation = {"stage": "sql", "problem": "something"}
    model = ScriptedModel(
        {
            "plan the query": [plan("museum", outputs=["name"])],
            "write the query": [
                query(first),
                CONFIRM,
                query("select 1, 2"),
                CONFIRM,
                query("select 3, 4"),
                CONFIRM,
                query("select 5, 6"),
                CONFIRM,
            ],
            "judge the query": [
                {"faithful": False, "missing": ["x"]},
                {"faithful": False, "missing": ["x", "y"]},
            ],
            "criticise the query": [{"violations": [violation]}],
            "blame one stage": [{"stage": "sql", "violations": [violation], "lesson": "worse"}],
        }
    )
    outcome = pipeline(model).answer("Which museums are in Lima?")
    assert outcome.sql == first
    assert sum(e.kind == "refined" for e in outcome.trajectory) == 3
    assert outcome.confidence < 0.5
    assert not any(e.kind == "lesson" for e in outcome.trajectory)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ProviderError("no route"), "down"),
        (ModelTimeout("60 s"), "slow"),
        (BudgetExceeded("tokens"), "over its budget"),
    ],
)
def test_a_model_that_fails_is_a_clear_error(pipeline: MakePipeline, error: Exception, says: str) -> None:
    model = ScriptedModel({"plan the query": [error]})  # type: ignore[list-item]
    outcome = pipeline(model).answer(QUESTION)
    assert says in outcome.error
    assert not outcome.sql
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    "babble", ["", "I like turtles", "{", "{}[]{}" * 500, "[CONFIRM] done", '{"schema": 3}']
)
def test_babbling_ends_in_an_error(pipeline: MakePipeline, babble: str) -> None:

    tasks = ("plan the query", "write the query", "judge the query")
    model = ScriptedModel({task: [babble] for task in tasks})
    outcome = pipeline(model).answer(QUESTION)
    assert outcome.error or outcome.refused
    assert not outcome.sql
    assert len(model.asked) <= 8


def test_a_judge_that_fails_does_not_lose_the_query(pipeline: MakePipeline) -> None:
    outcome = pipeline(ScriptedModel({**SIMPLE, "judge the query": [ProviderError("gone")]})).answer(QUESTION)
    assert outcome.sql == COUNT
    assert outcome.confidence == pytest.approx(0.75)


def test_the_readers_draft_answers_without_a_model(pipeline: MakePipeline) -> None:
    made = pipeline(NoModel(), reader=lambda *_: Draft(COUNT, "number of paintings", 0.9))
    outcome = made.answer(QUESTION)
    assert (outcome.sql, outcome.tokens, outcome.confidence) == (COUNT, 0, 0.9)


def test_agreement_with_the_reader_spares_the_judge(pipeline: MakePipeline) -> None:
    model = ScriptedModel({k: v for k, v in SIMPLE.items() if k != "judge the query"})
    outcome = pipeline(
        model, reader=lambda *_: Draft("select count(painting_id) from painting", "", 0.9)
    ).answer(QUESTION)
    assert outcome.confidence == pytest.approx(0.9)
    assert "judge the query" not in model.tasks()


def test_a_follow_up_is_told_what_it_follows(pipeline: MakePipeline) -> None:
    model = ScriptedModel(SIMPLE)
    pipeline(model).answer("and only for 1990?", history=[Turn(QUESTION, COUNT)])
    assert COUNT in model.asked[0].messages[-1].text


def test_votes_count_and_the_user_may_choose(pipeline: MakePipeline) -> None:
    other = "select count(*) from painting where price > 60"
    model = ScriptedModel({**SIMPLE, "write the query": [query(COUNT)] * 2 + [query(other)] + [CONFIRM]})
    told: list[Choice] = []

    def choose(choice: Choice) -> str:
        told.append(choice)
        return "second"

    made = pipeline(model, candidates=3, parallel=1, actions=1)
    assert made.answer(QUESTION).sql == COUNT
    model = ScriptedModel({**SIMPLE, "write the query": [query(COUNT)] * 2 + [query(other)]})
    outcome = pipeline(model, candidates=3, parallel=1, actions=1).answer(QUESTION, choose=choose)
    assert outcome.sql == other
    assert told[0].question == QUESTION
    assert outcome.alternatives[0].sql == COUNT


def test_the_deadline_holds(pipeline: MakePipeline) -> None:
    outcome = pipeline(ScriptedModel(SIMPLE), seconds=0.0).answer(QUESTION)
    assert "slow" in outcome.error


def test_without_a_judge_the_interpreters_findings_count(pipeline: MakePipeline) -> None:
    model = ScriptedModel(
        {
            "plan the query": [plan("museum", outputs=["name"])],
            "write the query": [
                query("select name, city from museum"),
                CONFIRM,
                query("select name from museum"),
                CONFIRM,
            ],
        }
    )
    outcome = pipeline(model, without=("semantic-judge", "critic")).answer("List the museums")
    assert outcome.sql == "select name from museum"
    assert any(e.stage == "interpreter" and "2" in e.text for e in outcome.trajectory)


def test_no_rows_from_an_empty_table_say_nothing(pipeline: MakePipeline) -> None:
    told = {}
    for table in ("loan", "museum"):
        replies = {
            **SIMPLE,
            "plan the query": [plan(table)],
            "write the query": [query(f"select 1 from {table} where false"), CONFIRM],
        }
        outcome = pipeline(ScriptedModel(replies)).answer("Which are there?")
        told[table] = [e.text for e in outcome.trajectory if e.stage == "interpreter"]
    assert told == {"loan": [], "museum": ["the query returns no rows, and its tables are not empty"]}


def test_each_asking_has_a_budget_of_its_own(pipeline: MakePipeline) -> None:
    model = ScriptedModel(SIMPLE)
    made = pipeline(model)
    made.answer(QUESTION)
    first = {request.scope for request in model.asked}
    made.answer(QUESTION)
    assert len(first) == 1
    assert len({request.scope for request in model.asked}) == 2


def test_the_outcome_is_a_document(pipeline: MakePipeline) -> None:
    document = pipeline(ScriptedModel(SIMPLE)).answer(QUESTION).document()
    assert json.loads(json.dumps(document)) == document
    assert document["candidates"][0]["rows"] == 1
    assert [event["kind"] for event in document["trajectory"]] == [
        "asked",
        "guided",
        "asked",
        "executed",
        "asked",
        "asked",
        "judged",
    ]


@pytest.mark.parametrize("feedback", ["granular", "coarse", "epistemic"])
def test_grains_of_feedback(pipeline: MakePipeline, feedback: str) -> None:
    violation = {
        "stage": "values",
        "criterion": "spelling",
        "fragment": "where x",
        "problem": "Lima is spelled so",
    }
    model = ScriptedModel(
        {
            "plan the query": [plan("museum")],
            "write the query": [query("select 1"), CONFIRM, query("select 2"), CONFIRM],
            "judge the query": [{"faithful": False}, FAITHFUL],
            "criticise the query": [{"violations": [violation]}],
            "blame one stage": [{"stage": "values", "violations": [violation]}],
            "plan the query (values)": [{}],
        }
    )
    assert pipeline(model, feedback=feedback).answer(QUESTION).sql == "select 2"
    told = (
        next(r for r in model.asked if r.messages[0].text.startswith("Task: plan the query (values)"))
        .messages[1]
        .text
    )
    assert ("where x" in told, "Lima is spelled so" in told) == {
        "granular": (True, True),
        "coarse": (False, False),
        "epistemic": (False, True),
    }[feedback]


def test_a_follow_up_that_the_reader_reads_is_a_candidate(museum: Connection) -> None:
    """The model errs in both; the reader's queries are proved different, and chosen."""
    towns = {"Which museums are in Porto?": "Porto", "and in Lima?": "Lima"}

    def picks(request: Request) -> str:
        first = request.messages[1].text.partition("Candidate A")[2].partition("Candidate B")[0]
        return json.dumps({"choice": "B" if "founded > 0" in first else "A"})

    model = ScriptedModel(
        {
            "plan the query": [plan("museum", outputs=["name"])],
            "write the query": [query("select name from museum where founded > 0"), CONFIRM] * 2,
            "choose between two readings": [picks],
            "judge the query": [FAITHFUL],
        }
    )
    assistance = Assistance(model, PipelineSettings(share="samples"))
    asker = Asker(museum, assistance=assistance, follows=True)
    for question, town in towns.items():
        answer = asker.ask(question)
        assert f"museum.city = '{town}'" in answer.sql
        assert {one.origin for one in answer.candidates} == {"model", "reader"}
        assert asker.history.reading is not None


def test_a_follow_up_of_what_only_the_model_read_is_the_models(museum: Connection) -> None:
    model = ScriptedModel(
        {
            "plan the query": [plan("museum", outputs=["name"])],
            "write the query": [query("select name from museum where founded < 1960"), CONFIRM] * 2,
            "judge the query": [FAITHFUL],
        }
    )
    asker = Asker(museum, assistance=Assistance(model, PipelineSettings(share="samples")), follows=True)
    assert asker.ask("Gimme whatever olden halls dwell hereabouts").sql
    answer = asker.ask("and in Lima?")
    assert {one.origin for one in answer.candidates} == {"model"}
