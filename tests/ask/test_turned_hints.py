"""Hints that name the column first, and signs that a reading is of other rows than those asked for.

A brewery's cooperative; names and questions made up.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Reading
from tests.ask.readings import THRESHOLD, assert_read, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    area = table(
        "area", 40, area_id="int4 key", B2="text unique", B3="text *4:hills,coast", B7="int4 *30", B8="int4 *30",
    )  # fmt: skip
    brewer = table(
        "brewer", 60, brewer_id="int4 key", brewer_name="text unique", area_id="int4 *40", signed="date *50",
    )  # fmt: skip
    beer = table(
        "beer", 90, beer_id="int4 key", title="text unique", min_age="int4 *3", year_released="int4 *20",
        aging_time="int4 *15", rest_days="int4 *9", house_id="int4 *8",
    )  # fmt: skip
    house = table("house", 8, house_id="int4 key", house_name="text unique", country="text *5:Norway,Chile")
    recipe = table("recipe", 140, beer_id="int4 *90", brewer_id="int4 *60")
    batch = table(
        "batch", 300, batch_id="int4 key", brewer_id="int4 *60", filled_on="date *200", sold_on="date *150",
        litres="int4 *90", mode="text *3:QRT,XLP", taster_id="int4 *50",
    )  # fmt: skip
    taster = table("taster", 50, taster_id="int4 key", taster_name="text unique")
    return reader_of(
        [area, brewer, beer, house, recipe, batch, taster],
        "brewer.area_id area.area_id", "beer.house_id house.house_id", "recipe.beer_id beer.beer_id",
        "recipe.brewer_id brewer.brewer_id", "batch.brewer_id brewer.brewer_id", "batch.taster_id taster.taster_id",
    )  # fmt: skip


def _hinted(reader: Reader, question: str, hint: str) -> str:
    found = reader.read(question, evidence=hint)
    assert isinstance(found, Reading), found.why
    assert found.confidence >= THRESHOLD, (found.doubts, found.sql)
    return found.sql.replace("public.", "")


@pytest.mark.parametrize(
    "hint",
    [
        "B7 refers to average rent",
        "B7 refers to the average rent; B3 refers to region",
        "B3 contains the data of region, B7 stands for average rent",
        "`B7` is the average rent.",
        "average rent refers to B7",
    ],
)
def test_a_column_may_stand_before_its_term(reader: Reader, hint: str) -> None:
    sql = _hinted(reader, "What is the highest average rent?", hint)
    assert 'max(area."B7")' in sql


def test_a_hint_calls_rows_by_their_name(reader: Reader) -> None:
    question = "Which areas have an average rent over 900?"
    sql = _hinted(reader, question, "B2 refers to area name; B7 refers to average rent")
    assert sql == 'select area."B2" from area where area."B7" > 900'


def test_a_name_of_other_rows_is_not_theirs(reader: Reader) -> None:
    found = reader.read(
        "Which areas have an average rent over 900?",
        evidence="B2 refers to beer name; B7 refers to average rent",
    )
    assert not (isinstance(found, Reading) and found.confidence >= THRESHOLD)


def test_a_value_may_stand_before_its_term(reader: Reader) -> None:
    sql = _hinted(
        reader,
        "How many batches of slow maturing were filled in 2021?",
        "'XLP' represents for 'slow maturing'",
    )
    assert "batch.mode = 'XLP'" in sql
    assert "batch.filled_on >= date '2021-01-01'" in sql


def test_a_term_may_leave_out_a_participle(reader: Reader) -> None:
    sql = _hinted(
        reader,
        "What is the highest number of thefts in 1995?",
        "B8 refers to the number of reported thefts in 1995",
    )
    assert 'max(area."B8")' in sql


def test_the_age_of_whom_a_row_is_for_is_not_its_own(reader: Reader) -> None:
    assert_read(reader, "What is the oldest beer?", ["order by beer.year_released asc"])


def test_numbers_without_a_unit_may_be_in_another(reader: Reader) -> None:
    found = reader.read("Which beers have an aging time longer than 2 hours?")
    assert isinstance(found, Reading)
    assert found.confidence < THRESHOLD
    # the name says it
    assert_read(reader, "Which beers have rest days longer than 2 days?", ["beer.rest_days > 2"])


def test_groups_of_tables_nobody_spoke_of_are_doubted(reader: Reader) -> None:
    found = reader.read("Which country has the most brewers?")
    assert isinstance(found, Reading)
    assert found.confidence < THRESHOLD
    assert_read(reader, "Which country of beers has the most brewers?", ["group by house.country"])


def test_a_verb_tells_whose_date_is_meant(reader: Reader) -> None:
    assert_read(reader, "Which brewer sold the most litres in 2022?", ["batch.sold_on >= date '2022-01-01'"])


def test_people_of_rows_are_shown_without_the_rows_numbers(reader: Reader) -> None:
    assert_read(reader, "List the tasters of batches of mode QRT.", ["select taster.taster_name from"])
