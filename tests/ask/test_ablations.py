"""What each part of the pipeline is for: a hand-written model that answers rightly only with what the part gives
it. With all parts every question is right; without one, those that needed it are not.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.ask_models import run, summary
from rewright.ask.pipeline_settings import PARTS, PipelineSettings
from rewright.engines.postgres.scratch import ScratchServer
from rewright.models.api import Request
from tests.ask.scripted import CONFIRM, SCHEMA, ScriptedModel, plan, query

pytestmark = pytest.mark.server

# what the deterministic reader cannot read: only the model answers them
TAUGHT = "Gimme the tally of pictures hung wherever dwells the town of Lima"
NEEDY = "Gimme the tally of pictures hung wherever dwells the town of Porto, fancy that"
NOWHERE = "How heavy is the Sea?"
# what it reads, and the model gets wrong; the second has the right rows here, by chance
COUNTED = "How many museums are there?"
TOWN = "How many museums are in Porto?"
HUNG = "select count(*) from painting p join museum m using (museum_id) where m.city = '{}'"
GOLD = {
    TAUGHT: HUNG.format("Lima"),
    NEEDY: HUNG.format("Porto"),
    NOWHERE: "",
    COUNTED: "select count(*) from museum",
    TOWN: "select count(*) from museum where city = 'Porto'",
}
MISREAD = {
    TAUGHT: "select count(*) from painting p join museum m using (museum_id) where m.name = 'Lima'",
    NEEDY: "select 0",
    NOWHERE: "select 1",
    COUNTED: "select count(*) from painting",
    TOWN: "select count(*) from museum where founded < 1960",
}
PROBLEM, LESSON = "a town is a city, no name", "towns stand in city"
STEPS = ["find the towns", "count what hangs there"]
# part: the questions that are lost without it
LOST = {
    "planning": {NEEDY},
    "pruning-delete": {NEEDY},
    "pruning-keep": {NEEDY},
    "semantic-linking": {NEEDY},
    "profiling": {NEEDY},
    "synthesis": {NEEDY},
    "guidance": {NEEDY},
    "exploration": {NEEDY},
    "stages": {NEEDY, NOWHERE},
    "critic": {TAUGHT, NEEDY},
    "semantic-judge": {TAUGHT, NEEDY},
    "lessons": {NEEDY},
    "examples": {NEEDY},
    "reader": {COUNTED, TOWN},
    "checker": {TOWN},
}
# what stands in the prompt of the needy question's query when a part has done its work
WITNESSES = (
    "founded",  # of the schema: kept by the pass that keeps, for the plan
    "city text",  # of the schema: kept by the pass that deletes others, and by synthesis
    f"Learnt here: {LESSON}",
    "Answered before",
    "Seen in museum",
    "Advice:",
    "Plan:",
)
DISTRACTS = "painted"
"""A column that only a linking without roles leaves in."""


def asked(request: Request) -> str:
    text = request.messages[1].text.partition("Question: ")[2]
    return next(q for q in sorted(GOLD, key=len, reverse=True) if text.startswith(q))


def planned(request: Request) -> str:
    return json.dumps(plan("painting", "museum", missing="weights" if asked(request) == NOWHERE else ""))


def kept(request: Request) -> str:
    """The pass that keeps: the year only to whom the plan speaks of towns."""
    return json.dumps({"columns": ["museum.founded"] if STEPS[0] in request.messages[1].text else []})


def synthesised(request: Request) -> str:
    """What is shown of it."""
    shown = request.messages[1].text
    more = [f"museum.{name}" for name in ("city", "founded") if f"  {name} " in shown]
    return json.dumps({"keep": ["painting.title", *more]})


def written(request: Request) -> str:
    question, first = asked(request), request.messages[1].text
    if question == NEEDY:
        return _needy(request, first)
    if len(request.messages) > 2:
        return CONFIRM
    if question == TAUGHT and (PROBLEM in first or LESSON in first):
        return query(GOLD[TAUGHT])
    return query(MISREAD[question])


def _needy(request: Request, first: str) -> str:
    if len(request.messages) == 2 and "[EXPLORE]" in request.messages[0].text:
        return "[EXPLORE]\nselect 40 + 2 as looked;"
    told = "\n".join(message.text for message in request.messages)
    if "\n```sql" in request.messages[-2].text:
        return CONFIRM
    whole = all(witness in first for witness in WITNESSES) and DISTRACTS not in first and "| 42" in told
    return query(GOLD[NEEDY] if whole else MISREAD[NEEDY])


def judged(request: Request) -> str:
    """Faithful is what is right; what the needy question gets is not mended by anybody."""
    text = request.messages[1].text
    return json.dumps({"faithful": MISREAD[TAUGHT] not in text, "missing": ["the town"]})


def picked(request: Request) -> str:
    """Of two readings that which is right, where a database was made up to tell them apart or rows do."""
    text = request.messages[1].text
    first = text.partition("Candidate A")[2].partition("Candidate B")[0]
    wrong = any(sql in first for sql in MISREAD.values())
    return json.dumps({"choice": "B" if wrong else "A"})


def model() -> ScriptedModel:
    fault = {"stage": "sql", "problem": PROBLEM}
    return ScriptedModel(
        {
            "logical plan": [{"steps": STEPS}],
            "schema pruning (delete)": [{"columns": ["museum.founded"]}],
            "schema pruning (keep)": [kept],
            "semantic linking": [
                {
                    "tables": [
                        {"table": "painting", "role": "target", "columns": ["title"]},
                        {"table": "museum", "role": "filter", "columns": ["name"]},
                    ]
                }
            ],
            "profile a table": [{"queries": [{"sql": "select count(*) from museum"}]}],
            "choose columns": [synthesised],
            "plan the query": [planned],
            "write the query": [written],
            "judge the query": [judged],
            "criticise the query": [{"violations": [fault]}],
            "blame one stage": [{"stage": "sql", "violations": [fault], "lesson": LESSON}],
            "choose between two readings": [picked],
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("ablations")
    (made / "sql").mkdir()
    (made / "sql" / "museum.sql").write_text(SCHEMA)
    return made


def outcomes(server: ScratchServer, folder: Path, *without: str, learn: bool = True) -> list[dict[str, Any]]:
    questions = [
        {"id": q, "db": "museum", "question": q, "answerable": bool(gold), "gold_sql": gold}
        for q, gold in GOLD.items()
    ]
    settings = PipelineSettings(share="samples", small_tokens=0, rounds=1, without=frozenset(without))
    return run(server, folder, questions, model(), settings, learn=learn)


def lost(found: list[dict[str, Any]]) -> set[str]:
    """Questions that did not get what is right of all data: rows here may agree by chance."""
    answered = {one["id"]: one for one in found}
    return {
        question
        for question, gold in GOLD.items()
        if (not answered[question]["spider"] if gold else answered[question]["answered"])
        or answered[question]["sql"] == MISREAD[question]
    }


def test_with_all_parts_nothing_is_lost_and_a_lesson_is_learnt(
    scratch_server: ScratchServer, folder: Path
) -> None:
    found = outcomes(scratch_server, folder)
    assert lost(found) == set()
    told = summary(found)
    assert told["lessons"] == {"adopted": 1}
    assert told["refinements"] == pytest.approx(1 / len(GOLD)), (
        "the lesson spares the second question its own"
    )
    assert told["EX (Spider)"] == 1


def test_without_learning_nothing_is_learnt(scratch_server: ScratchServer, folder: Path) -> None:
    found = outcomes(scratch_server, folder, learn=False)
    assert summary(found)["lessons"] == {}
    assert lost(found) == {NEEDY}


def test_every_part_has_its_question() -> None:
    assert LOST.keys() == set(PARTS)


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_what_a_part_is_worth(scratch_server: ScratchServer, folder: Path, part: str) -> None:
    # the reader's own columns are never deleted: what passes over the schema are worth shows without them
    also = ("reader",) if part in {"planning", "pruning-delete", "pruning-keep"} else ()
    found = outcomes(scratch_server, folder, part, *also)
    assert lost(found) == LOST[part].union(*(LOST[one] for one in also))
    assert not any(one["error"] for one in found)
