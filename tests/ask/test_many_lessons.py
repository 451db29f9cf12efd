"""Backwards preservation over forty questions: six lessons are taught on the way, four are adopted and two refused,
and no answer that was found right is ever lost. Every reply is hand-written.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field

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

COLUMNS = [
    ("museum", "museum_id"),
    ("museum", "name"),
    ("museum", "city"),
    ("museum", "founded"),
    ("artist", "artist_id"),
    ("artist", "name"),
    ("artist", "country"),
    ("painting", "painting_id"),
    ("painting", "price"),
    ("painting", "painted"),
]


@dataclass(frozen=True)
class Habit:
    """A way to ask of a column: the right query, what a reader makes of it who was not taught, the lesson that
    mends it, and the habit whose queries that lesson spoils.
    """

    asked: str
    right: str
    wrong: str
    lesson: str
    spoils: str = ""
    spoilt: str = ""


HABITS = {
    "last": Habit(
        "uttermost", "select max({c}) from {t}", "select min({c}) from {t}", "the uttermost is the greatest"
    ),
    "kinds": Habit(
        "sundry", "select distinct {c} from {t}", "select {c} from {t} limit 1", "sundry ones are shown once"
    ),
    "many": Habit(
        "tally",
        "select count({c}) from {t}",
        "select max({c}) from {t}",
        "whatever there may be several of: count it",
        spoils="kinds",
        spoilt="select count({c}) from {t}",
    ),
    "first": Habit(
        "foremost",
        "select min({c}) from {t}",
        "select max({c}) from {t}",
        "whatever is first or last: take the least",
        spoils="last",
        spoilt="select min({c}) from {t}",
    ),
}
# taught later in the words of the second attempt: it spoils nothing
BETTER = {"first": "the foremost is the least", "many": "a tally counts rows"}
QUESTIONS = {
    f"What of {t} and {c} is the {habit.asked}?": (name, t, c)
    for t, c in COLUMNS
    for name, habit in HABITS.items()
}


def right(question: str) -> str:
    name, table, column = QUESTIONS[question]
    return HABITS[name].right.format(t=table, c=column)


@dataclass
class Reader:
    """Errs in each habit until it is taught, and follows a spoiling lesson to the letter."""

    taught: Counter[str] = field(default_factory=Counter)

    def made(self, question: str, prompt: str) -> str:
        name, table, column = QUESTIONS[question]
        habit = HABITS[name]
        for other in HABITS.values():
            if other.spoils == name and other.lesson in prompt:
                return other.spoilt.format(t=table, c=column)
        knows = habit.lesson in prompt or BETTER.get(name, habit.lesson) in prompt
        mended = "A former query was found wrong" in prompt
        return (habit.right if knows or mended else habit.wrong).format(t=table, c=column)

    def written(self, request: Request) -> str:
        if len(request.messages) > 2:
            return CONFIRM
        return query(self.made(asked(request), "\n".join(m.text for m in request.messages)))

    def blamed(self, request: Request) -> str:
        """The first lesson of a habit as it comes, a second one better said."""
        name = QUESTIONS[asked(request)][0]
        lesson = BETTER.get(name, HABITS[name].lesson) if self.taught[name] else HABITS[name].lesson
        self.taught[name] += 1
        fault = {"stage": "sql", "problem": "not what is asked"}
        return json.dumps({"stage": "sql", "violations": [fault], "lesson": lesson})


def asked(request: Request) -> str:
    return request.messages[1].text.partition("Question: ")[2].partition("\n")[0]


def judged(request: Request) -> str:
    text = request.messages[1].text
    return json.dumps({"faithful": right(asked(request)) in text})


def model() -> ScriptedModel:
    reader = Reader()
    return ScriptedModel(
        {
            "plan the query": [plan("museum", "artist", "painting")],
            "write the query": [reader.written],
            "judge the query": [judged],
            "criticise the query": [{"violations": [{"stage": "sql", "problem": "not what is asked"}]}],
            "blame one stage": [reader.blamed],
        }
    )


def lost(made: Pipeline, runner: PostgresRunner, validated: MemoryValidated) -> list[str]:
    """Validated questions that get other rows now."""
    return [
        known.question
        for known in validated.list("museum")
        if not same_rows(runner.run(made.answer(known.question).sql), runner.run(known.sql))
    ]


def test_no_answer_is_lost_over_forty_questions(pipeline: MakePipeline, runner: PostgresRunner) -> None:
    assert len(QUESTIONS) == 40
    lessons, validated = MemoryLessons(), MemoryValidated()
    made = pipeline(model(), database="museum", lessons=lessons, validated=validated, without=("examples",))
    decided: list[tuple[str, str]] = []
    refined = 0
    for question in QUESTIONS:
        outcome = made.answer(question)
        assert outcome.sql == right(question)
        refined += any(event.kind == "refined" for event in outcome.trajectory)
        validated.add("museum", ValidatedQuestion(question, outcome.sql))
        told = made.learn()
        decided += [(lesson.text, lesson.status) for lesson in told]
        if told:
            assert lost(made, runner, validated) == []
    assert lost(made, runner, validated) == []
    spoiling = {habit.lesson for habit in HABITS.values() if habit.spoils}
    assert {text for text, status in decided if status == "removed"} == spoiling
    assert {text for text, status in decided if status == "adopted"} == set(adopted(lessons, "museum")["sql"])
    assert Counter(status for _, status in decided) == {"adopted": 4, "removed": 2}
    assert refined < 8, "what was learnt spares the others their refinement"
