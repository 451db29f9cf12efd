"""Lessons over a set of questions: some adopted, some refused, and no validated answer lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rewright.ask.pipeline import Pipeline
from rewright.ask.ports import ValidatedQuestion
from rewright.ask.reflection.lessons import MemoryLessons, MemoryValidated, adopted
from rewright.ask.running import PostgresRunner
from rewright.ask.sameness import same_rows
from rewright.models.api import Request
from tests.ask.conftest import MakePipeline
from tests.ask.scripted import CONFIRM, ScriptedModel, plan, query

pytestmark = pytest.mark.server

# question: the query a reader makes by itself, the right one, and what its error teaches
LATEST, DEAREST, CITIES, PAINTED = (
    "Which museum is newest?",
    "Which picture is dearest?",
    "Which towns have museums?",
    "How many were painted before 1991?",
)
RIGHT = {
    LATEST: "select name from museum order by founded desc limit 1",
    DEAREST: "select title from painting order by price desc limit 1",
    CITIES: "select distinct city from museum",
    PAINTED: "select count(*) from painting where painted < 1991",
}
WRONG = {LATEST: RIGHT[LATEST].replace("desc", "asc"), CITIES: "select city from museum"}
GOOD, BAD = "newest means the greatest year", "show each thing once: towns and pictures, cheapest first"


def reading(request: Request) -> str:
    """A reader that errs where nothing was learnt, and is led astray by the bad lesson."""
    text = request.messages[-1].text if len(request.messages) == 2 else request.messages[1].text
    question = next(q for q in RIGHT if f"Question: {q}" in text)
    if len(request.messages) > 2:
        return CONFIRM
    learnt = text + request.messages[0].text
    if question == DEAREST and BAD in learnt:
        return query(RIGHT[DEAREST].replace("desc", "asc"))
    helped = {LATEST: GOOD, CITIES: BAD}.get(question, "")
    mended = "A former query was found wrong" in text
    return query(RIGHT[question] if mended or question not in WRONG or helped in learnt else WRONG[question])


def judging(request: Request) -> str:
    text = request.messages[-1].text
    return json.dumps({"faithful": any(sql in text for sql in RIGHT.values()), "missing": []})


def blaming(request: Request) -> str:
    lesson = GOOD if f"Question: {LATEST}" in request.messages[-1].text else BAD
    return json.dumps(
        {"stage": "sql", "violations": [{"stage": "sql", "problem": "wrong"}], "lesson": lesson}
    )


def script() -> ScriptedModel:
    return ScriptedModel(
        {
            "plan the query": [plan("museum", "painting")],
            "write the query": [reading],
            "judge the query": [judging],
            "criticise the query": [{"violations": [{"stage": "sql", "problem": "wrong"}]}],
            "blame one stage": [blaming],
        }
    )


def lost(made: Pipeline, runner: PostgresRunner, validated: MemoryValidated) -> list[str]:
    """Validated questions whose rows have changed."""
    return [
        q.question
        for q in validated.list("museum")
        if not same_rows(runner.run(made.answer(q.question).sql), runner.run(q.sql))
    ]


def test_no_validated_answer_is_ever_lost(pipeline: MakePipeline, runner: PostgresRunner) -> None:
    lessons, validated = MemoryLessons(), MemoryValidated()
    made = pipeline(script(), database="museum", lessons=lessons, validated=validated)
    statuses: list[tuple[str, str]] = []
    for question, right in (
        (DEAREST, RIGHT[DEAREST]),
        (LATEST, RIGHT[LATEST]),
        (PAINTED, RIGHT[PAINTED]),
        (CITIES, RIGHT[CITIES]),
    ):
        outcome = made.answer(question)
        assert outcome.sql == right, "reflection mends what the first query got wrong"
        validated.add("museum", ValidatedQuestion(question, outcome.sql))
        statuses += [(lesson.text, lesson.status) for lesson in made.learn()]
        assert lost(made, runner, validated) == []
    assert statuses == [(GOOD, "adopted"), (BAD, "removed")]
    refused = next(lesson for lesson in lessons.list("museum") if lesson.text == BAD)
    assert refused.reason == f"another answer to: {DEAREST}"
    assert adopted(lessons, "museum") == {"sql": (GOOD,)}


def test_what_was_learnt_spares_the_refinement(pipeline: MakePipeline) -> None:
    lessons = MemoryLessons()
    lessons.adopt(lessons.propose("museum", "sql", GOOD, "").id)
    outcome = pipeline(script(), database="museum", lessons=lessons).answer(LATEST)
    assert outcome.sql == RIGHT[LATEST]
    assert not any(e.kind == "refined" for e in outcome.trajectory)


def test_without_the_rule_the_bad_lesson_would_cost_an_answer(pipeline: MakePipeline) -> None:
    lessons = MemoryLessons()
    lessons.adopt(lessons.propose("museum", "sql", BAD, "").id)
    model = script()
    model.replies = {**model.replies, "judge the query": [{"faithful": True}]}
    assert pipeline(model, database="museum", lessons=lessons).answer(DEAREST).sql != RIGHT[DEAREST]


def test_a_lesson_stands_in_its_stage_alone_and_can_be_taken_back(pipeline: MakePipeline) -> None:
    lessons = MemoryLessons()
    kept = lessons.propose("museum", "aggregation", "ties are all shown", "")
    assert lessons.propose("museum", "aggregation", "ties are all shown", "") == kept
    replies: dict[str, Any] = dict(script().replies)

    def told() -> str:
        model = ScriptedModel(replies)
        pipeline(model, database="museum", lessons=lessons).answer(PAINTED)
        return model.prompts()

    assert "ties are all shown" not in told(), "proposed is not adopted"
    assert lessons.adopt(kept.id).version == 1
    assert told().count("ties are all shown") == 1
    assert lessons.remove(kept.id).version == 2
    assert "ties are all shown" not in told()
    with pytest.raises(KeyError):
        lessons.adopt("nothing")


def test_a_hint_is_read_with_its_question_when_it_is_answered_again(pipeline: MakePipeline) -> None:
    hint = "dearest means the greatest price"
    lessons, validated = MemoryLessons(), MemoryValidated()
    lessons.propose("museum", "sql", GOOD, "")
    validated.add("museum", ValidatedQuestion(DEAREST, RIGHT[DEAREST], hint))
    read: list[tuple[str, str]] = []

    def reader(question: str, evidence: str) -> None:
        read.append((question, evidence))

    made = pipeline(script(), database="museum", lessons=lessons, validated=validated, reader=reader)
    made.answer(DEAREST, evidence=hint)
    made.learn()
    assert read == [(DEAREST, hint)] * 2
