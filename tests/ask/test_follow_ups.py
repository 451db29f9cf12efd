"""Follow-ups: each question of a conversation changes the reading before it, or is refused."""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Reading, Refusal
from tests.ask.readings import THRESHOLD, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    """A kennel: keepers with wages, hounds, their sojourns."""
    keepers = table("keeper", 9, keeper_id="int4 key", name="text", wage="int4", shift="text:day,night")
    sojourns = table(
        "sojourn", 80, sojourn_id="int4 key", keeper_id="int4 *9", came_on="date *70", bill="int4"
    )
    return reader_of([keepers, sojourns], "sojourn.keeper_id keeper.keeper_id")


@pytest.mark.parametrize(
    "turns",
    [
        [
            ("What is the average wage of keepers per shift?", "select keeper.shift, avg(keeper.wage)"),
            ("and the maximum?", "select keeper.shift, max(keeper.wage)"),
            ("sort it by wage", "order by max(keeper.wage) asc"),
        ],
        [
            ("How many sojourns were there in 2022 per keeper?", "group by keeper.keeper_id"),
            (
                "and how many in total?",
                "select count(*) from public.sojourn where sojourn.came_on >= date '2022",
            ),
        ],
        [
            ("Which keepers work the night shift?", "select keeper.name"),
            ("How many are there?", "select count(*) from public.keeper where keeper.shift = 'night'"),
        ],
        [
            ("Which keepers work the night shift?", "select keeper.name"),
            (
                "and their wage?",
                "select keeper.name, keeper.wage from public.keeper where keeper.shift = 'night'",
            ),
            ("which of them earn more than 500?", "keeper.shift = 'night' and keeper.wage > 500"),
            ("how many of them earn more than 900?", "select count(*)"),
        ],
        [
            (
                "Who are the three keepers with the most sojourns?",
                "order by count(*) desc nulls last limit 3",
            ),
            ("and the fewest?", "order by count(*) asc nulls last limit 3"),
            ("and the top 2?", "order by count(*) asc nulls last limit 2"),
        ],
    ],
)
def test_a_conversation(reader: Reader, turns: list[tuple[str, str]]) -> None:
    previous: Reading | None = None
    for question, part in turns:
        found = reader.read(question, previous=previous)
        assert isinstance(found, Reading), (question, found.why)
        assert part in found.sql, (question, found.sql)
        assert found.confidence >= THRESHOLD, found.doubts
        previous = found


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("What is the average wage of keepers per shift?", "which of them earn more than 500?"),
        ("What is the average wage of keepers per shift?", "sort it by bill"),
        ("Who are the three keepers with the most sojourns?", "which of them work the night shift?"),
        ("How many keepers are there?", "and the maximum?"),
        ("How many keepers are there?", "and the fewest?"),
    ],
)
def test_what_does_not_follow(reader: Reader, first: str, then: str) -> None:
    previous = reader.read(first)
    assert isinstance(previous, Reading), previous.why
    assert isinstance(reader.read(then, previous=previous), Refusal)


def test_nothing_is_asked_of_them_without_a_question_before(reader: Reader) -> None:
    assert isinstance(reader.read("which of them earn more than 500?"), Refusal)
