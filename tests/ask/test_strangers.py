"""Questions over databases that the reader was not made for: most are answered, and what is answered is
right.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bench.ask_bench import asked, is_right, prepared
from rewright.ask.api import Asker
from rewright.engines.postgres.scratch import ScratchServer

pytestmark = [pytest.mark.server, pytest.mark.long]

BENCH = Path(__file__).parents[2] / "bench"
LEAST_ANSWERED = {
    "ask_strangers": 0.8,
    "ask_more_strangers": 0.5,
    "ask_third_strangers": 0.55,
    "ask_fourth_strangers": 0.65,
    "ask_fifth_strangers": 0.5,
    "ask_sixth_strangers": 0.4,
    "ask_seventh_strangers": 0.45,
    "ask_eighth_strangers": 0.6,
    "ask_ninth_strangers": 0.65,
    "ask_tenth_strangers": 0.6,
    "ask_eleventh_strangers": 0.4,
}
LEAST_RIGHT = 0.9


def third_of(question: str) -> bool:
    """Whether a question was kept aside while the reader was developed."""
    return hashlib.sha256(question.encode()).digest()[0] % 3 == 0


@pytest.fixture(scope="module", params=list(LEAST_ANSWERED))
def folder(request: pytest.FixtureRequest) -> Path:
    return BENCH / str(request.param)


@pytest.fixture(scope="module")
def outcomes(folder: Path, scratch_server: ScratchServer) -> list[tuple[dict[str, Any], bool, bool]]:
    """Question, whether it was answered, whether rightly."""
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    found = []
    for name in sorted({q["db"] for q in questions}):
        with prepared(scratch_server, folder, name) as connection:
            asker = Asker(connection)
            found += [_asked(connection, asker, q) for q in questions if q["db"] == name]
            database = connection.info.dbname
        scratch_server.drop_database(database)
    return found


def _asked(
    connection: psycopg.Connection[Any], asker: Asker, question: dict[str, Any]
) -> tuple[dict[str, Any], bool, bool]:
    answer = asked(asker, question)
    assert not answer.error, (question["question"], answer.sql)
    answered = not answer.refused
    return question, answered, answered and question["answerable"] and is_right(connection, answer, question)


def test_most_are_answered_and_rightly(
    folder: Path, outcomes: list[tuple[dict[str, Any], bool, bool]]
) -> None:
    able = [(answered, right) for question, answered, right in outcomes if question["answerable"]]
    answered = sum(a for a, _ in able)
    assert answered >= LEAST_ANSWERED[folder.name] * len(able)
    assert sum(r for _, r in able) >= LEAST_RIGHT * answered


def test_what_the_data_does_not_say_is_refused(outcomes: list[tuple[dict[str, Any], bool, bool]]) -> None:
    assert [q["question"] for q, answered, _ in outcomes if not q["answerable"] and answered] == []
