"""Names cut to a few letters, words misspelled, and the time from a row to the next of the same thing."""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Reading
from rewright.lake.embedding import weights_folder
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    """A kennel whose names were cut: keepers `kpr`, sojourns `sjrn`, requests `food_req`."""
    keepers = table("kpr", 9, kpr_no="int4 key", first_nm="text", last_nm="text", town="text:Aske,Brun")
    sojourns = table(
        "sjrn", 80, sjrn_id="int4 key", kpr_no="int4 *9", hound_no="int4 *12", sjrn_on="date *70",
        until_dt="date *60 ?", fed_by_kpr_no="int4 *9", kilos_req="int4", kilos_dlvd="int4",
    )  # fmt: skip
    hounds = table("hound", 12, hound_no="int4 key", hound_nm="text", coat="text:brindle,black")
    requests = table("food_req", 30, req_id="int4 key", hound_no="int4 *12", req_dt="date *30")
    tables = [keepers, sojourns, hounds, requests]
    return reader_of(
        tables, "sjrn.kpr_no kpr.kpr_no", "sjrn.hound_no hound.hound_no", "food_req.hound_no hound.hound_no"
    )


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How many keepers live in Aske?", ["count(*) from public.kpr", "town = 'Aske'"]),
        ("How many sojourns were there in 2022?", ["from public.sjrn", "sjrn_on >= date '2022-01-01'"]),
        ("Which hounds never had a request?", ["not exists", "food_req.hound_no = hound.hound_no"]),
        ("number of sojourns per keeper", ["kpr.first_nm, kpr.last_nm, count(*)"]),
    ],
)
def test_a_name_may_be_cut_from_the_word(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How many sojuorns were there in 2022?", ["from public.sjrn"]),
        ("Avrage kilos requested per houdn", ["avg(sjrn.kilos_req)", "hound.hound_nm"]),
        ("Whcih hounds are brindel?", ["coat = 'brindle'"]),
    ],
)
def test_words_misspelled_are_put_right(reader: Reader, question: str, parts: list[str]) -> None:
    assert weights_folder() is not None, "the words that are known are those of the encoder's vocabulary"
    found = reader.read(question)
    assert isinstance(found, Reading), found.why
    assert [part for part in parts if part not in found.sql] == [], found.sql


@pytest.mark.parametrize("question", ["How many keeps are there?", "Which founds are black?"])
def test_what_is_a_word_stays(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_a_verb_that_a_number_of_the_row_says_is_not_left_out(reader: Reader) -> None:
    assert_refused(reader, "total kilos requested that were delivered")


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "What is the average number of days between two consecutive sojourns of the same hound?",
            ["avg(gap)", "lag(sjrn.sjrn_on) over (partition by sjrn.hound_no order by sjrn.sjrn_on)"],
        ),
        (
            "What is the average time between one request and the next for each hound?",
            ["partition by food_req.hound_no order by food_req.req_dt", "group by c0"],
        ),
        (
            "median number of days between consecutive sojourns of one hound",
            ["percentile_cont", "partition by sjrn.hound_no"],
        ),
        (
            "average number of days between consecutive sojourns of a hound in 2022",
            ["partition by sjrn.hound_no", "sjrn.sjrn_on >= date '2022-01-01'"],
        ),
    ],
)
def test_the_time_to_the_next_row(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


@pytest.mark.parametrize(
    "question",
    [
        "days between consecutive sojourns",
        "average number of days between consecutive sojourns and how many there are",
        "Which hounds have two consecutive sojourns?",
    ],
)
def test_what_is_not_a_time_to_the_next_row(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Which hounds have more sojourns than requests?", ["select count(*) from public.sjrn", "> (select count(*)"]),
        ("Which sojourns had more kilos delivered than kilos requested?", ["kilos_dlvd > sjrn.kilos_req"]),
        (
            "share of the kilos requested that were delivered, by hound",
            ["sum(sjrn.kilos_dlvd)::float8 / nullif(sum(sjrn.kilos_req), 0)", "hound.hound_nm"],
        ),
        (
            "What is the ratio of hounds with more than 2 sojourns to hounds with at most 2 sojourns?",
            ["hound.hound_no) > 2)::float8", "hound.hound_no) <= 2)"],
        ),
        ("ratio of requests to sojourns for each hound", ["from public.food_req", "from public.sjrn", "hound_nm"]),
    ],
)  # fmt: skip
def test_numbers_of_rows_are_compared(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)
