"""Forms of questions, each with a near one that is something else: parts of years, both of two values, which of
two has more, side by side, averages of counts and of a row's own group, what never was, words misspelled.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Reading
from rewright.lake.embedding import weights_folder
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    grower = table(
        "grower", 9, grower_id="int4 key", name="text", county="text:Cork,Kerry", sex="text:F,M", phone="text"
    )
    field = table(
        "field", 30, field_id="int4 key", grower_id="int4 *9", acres="numeric", crop="text:rye,oats", soil="text:clay,peat"
    )  # fmt: skip
    harvest = table(
        "harvest",
        80,
        harvest_id="int4 key",
        field_id="int4 *22",
        cut_on="date",
        tonnes="numeric",
        cost="numeric",
        budget="numeric",
        insured="bool",
    )
    spraying = table("spraying", 40, spraying_id="int4 key", field_id="int4 *12", sprayed_on="date", agent="text:copper,lime")  # fmt: skip
    member = table(
        "member", 50, member_id="int4 key", name="text", started="date", cancelled="date null", monthly_fee="numeric"
    )  # fmt: skip
    tables = [grower, field, harvest, spraying, member]
    return reader_of(
        tables,
        "field.grower_id grower.grower_id",
        "harvest.field_id field.field_id",
        "spraying.field_id field.field_id",
    )


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "total tonnes of harvests in the last quarter of 2023",
            ["sum(harvest.tonnes)", ">= date '2023-10-01'", "< date '2024-01-01'"],
        ),
        ("How many harvests were there in H1 2023?", ["< date '2023-07-01'"]),
        (
            "How many harvests were cut between March and May 2022?",
            [">= date '2022-03-01'", "< date '2022-06-01'"],
        ),
        ("How many harvests were there in the last quarter?", ["interval '3 months'"]),
        (
            "Which growers have both rye and oats?",
            ["and exists (select from field", "crop = 'rye'", "crop = 'oats'"],
        ),
        (
            "Do fields of clay or peat have more tonnes?",
            ["select field.soil", "group by field.soil", "order by sum(harvest.tonnes) desc", "with ties"],
        ),
        (
            "Which county has fewer growers, Cork or Kerry?",
            ["county in ('Cork', 'Kerry')", "order by count(*) asc"],
        ),
        (
            "Compare the average acres of rye with that of oats",
            ["select field.crop, avg(field.acres)", "group by field.crop"],
        ),
        (
            "What is the average number of harvests per field?",
            ["count(*)::float8 / nullif(count(distinct harvest.field_id), 0)"],
        ),
        (
            "fields with acres above the average of their grower",
            ["avg(own.acres)", "own.grower_id = field.grower_id"],
        ),
        ("Which fields were never sprayed?", ["not exists (select from spraying"]),
        (
            "Which fields have not been sprayed in 2023?",
            ["not exists (select from spraying", "sprayed_on >= date '2023-01-01'"],
        ),
        (
            "Which harvest cost the most?",
            ["order by harvest.cost desc nulls last fetch first 1 rows with ties"],
        ),
        ("harvests with more cost than budget", ["harvest.cost > harvest.budget"]),
        ("How many tonnes were harvested in 2022?", ["sum(harvest.tonnes)"]),
        ("How many members joined in 2023?", ["member.started >= date '2023-01-01'"]),
        ("How many members left in 2023?", ["member.cancelled >= date '2023-01-01'"]),
        (
            "average tonnes per harvest by crop",
            ["select field.crop, avg(harvest.tonnes)", "group by field.crop"],
        ),
        ("the newest harvest", ["order by harvest.cut_on desc nulls last fetch first 1 rows with ties"]),
        ("uninsured harvests", ["where not harvest.insured"]),
        ("How many female growers are there?", ["grower.sex = 'F'"]),
        ("growers without a phone number", ["grower.phone is null"]),
        ("What is the biggest field by acres?", ["order by field.acres desc"]),
    ],
)
def test_what_is_said_is_in_the_query(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


@pytest.mark.parametrize(
    "question",
    [
        "How many harvests were there in the last 6 months of 2023?",
        "Which growers have rye and oats?",
        "How many more growers has Cork than Kerry?",
        "Does Cork have growers?",
        "Do fields of clay or peat have higher acres?",
        "Compare rye",
        "harvests in the first week of May 2023",
        "Which growers have both rye and oats in 2023?",
        "fields with acres above the average of the same",
        "unharvested growers",
        "harvests with the name",
        "What is the average number of growers per harvest?",
        "harvests with more cost than growers",
    ],
)
def test_near_forms_that_say_something_else_are_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_some_without_any_make_an_average_of_counts_doubtful(reader: Reader) -> None:
    all_have = reader.read("What is the average number of fields per grower?")
    some_have = reader.read("What is the average number of harvests per field?")
    assert isinstance(all_have, Reading)
    assert isinstance(some_have, Reading)
    assert all_have.confidence > some_have.confidence
    assert any("without harvest" in doubt.about for doubt in some_have.doubts)


def test_a_verb_at_the_end_may_be_of_rows_nobody_spoke_of(reader: Reader) -> None:
    found = reader.read("Which growers have been visited?")
    assert isinstance(found, Reading)
    assert found.confidence < 0.75


def test_a_word_misspelled_by_a_letter_is_taken_for_the_one_it_is_near(reader: Reader) -> None:
    assert weights_folder() is not None, "the words that are known are those of the encoder's vocabulary"
    for question in ("How many harvsts are there?", "How many hravests are there?"):
        found = reader.read(question)
        assert isinstance(found, Reading), found
        assert "from public.harvest" in found.sql
        assert any(doubt.about == "a word that may be misspelled" for doubt in found.doubts)
    assert not isinstance(reader.read("How many grover are there?"), Reading), "a word of its own"
