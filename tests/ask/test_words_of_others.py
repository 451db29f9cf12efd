"""Words that a schema does not have: other words for its names, and what people from a country are called."""

from __future__ import annotations

import pytest

from rewright.ask.context import Context, Join
from rewright.ask.reading.api import Reader, Reading, Refusal
from rewright.ask.reading.other_words import other_words
from tests.ask.readings import table


@pytest.fixture(scope="module")
def reader() -> Reader:
    posts = table(
        "positions", 12, position_id="int4 key", position_name="text unique:Cook,Driver", pay="numeric"
    )
    guests = table(
        "guests",
        90,
        guest_id="int4 key",
        guest_name="text unique",
        country="text:Germany,Denmark,France",
        position_id="int4 *12",
    )
    tours = table("tours", 20, tour_id="int4 key", tour_name="text unique", language="text:German,French")
    join = Join(guests.columns[3], posts.columns[0], 1.0)
    return Reader(Context.of(tables=[posts, guests, tours], joins=[join]))


def read(reader: Reader, question: str) -> str:
    found = reader.read(question)
    assert isinstance(found, Reading), found.why
    return found.sql


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("How many guests are Danes?", "country = 'Denmark'"),
        ("How many Danish guests are there?", "country = 'Denmark'"),
        ("How many German guests are there?", "country = 'Germany'"),
        ("Which tours are in German?", "language = 'German'"),
    ],
)
def test_people_are_of_the_country_they_are_called_by(reader: Reader, question: str, condition: str) -> None:
    assert condition in read(reader, question)


def test_people_of_a_country_that_the_data_lacks_are_refused(reader: Reader) -> None:
    assert isinstance(reader.read("How many Norwegian guests are there?"), Refusal)


def test_the_thesaurus_says_what_a_phrase_of_two_words_is(reader: Reader) -> None:
    assert "positions" in read(reader, "How many job titles are there?")
    found = reader.read("How many job titles are there?")
    assert isinstance(found, Reading)
    assert found.confidence < reader.read("How many positions are there?").confidence  # type: ignore[union-attr]


def test_verbs_alone_are_no_other_word_for_a_thing() -> None:
    assert other_words(["paid"]) == []
    assert ("settlement",) in other_words(["payment"])
