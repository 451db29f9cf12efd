"""Of which rows something is said: times, shares, counts, names; each was read of the wrong ones before.

Over a quarry, a schema that shares no word with another set.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Reading
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    pit = table(
        "pit", 8, pit_id="int4 key", name="text", parish="text:Lund,Moss", opened="date", depth="numeric"
    )
    mason = table(
        "mason", 20, mason_id="int4 key", first_name="text", last_name="text", guild="text:chisel,plumb", hired="date"
    )  # fmt: skip
    slab = table(
        "slab", 400, slab_id="int4 key", pit_id="int4 *8", mason_id="int4 *18", rock="text:slate,granite,marble",
        cut_on="date", price="numeric", cracks="int4", state="text:polished,raw", flawed="bool"
    )  # fmt: skip
    tables = [pit, mason, slab]
    return reader_of(tables, "slab.pit_id pit.pit_id", "slab.mason_id mason.mason_id")


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How many slabs were there from each pit in March 2022?", ["slab.cut_on >= date '2022-03-01'"]),
        ("How many slabs are there per mason in 2022?", ["slab.cut_on >= date '2022-01-01'"]),
        ("masons hired in 2022", ["mason.hired >= date '2022-01-01'"]),
        (
            "What percentage of slate slabs in 2022 are flawed?",
            [
                "filter (where slab.flawed)::float8",
                "where slab.cut_on >= date '2022-01-01'",
                "and slab.rock = 'slate'",
            ],
        ),
        (
            "What percentage of slabs from Lund are flawed?",
            ["filter (where slab.flawed)::float8", "where pit.parish = 'Lund'"],
        ),
        (
            "List the price and rock of slabs with more than 4 cracks",
            ["slab.cracks > 4", "slab.price, slab.rock"],
        ),
        ("Return the rock and price of the 3 most expensive slabs", ["order by slab.price desc", "limit 3"]),
        (
            "List the first and last names of masons who have no slab",
            ["mason.first_name, mason.last_name", "not exists"],
        ),
        ("slabs with a price above the average, highest first", ["order by slab.price desc"]),
        ("pits, deepest first", []),
        ("slabs, oldest first", ["order by slab.cut_on asc"]),
        (
            "For each mason, list the guild, the number of slabs and the total price.",
            ["select mason.guild, count(*), sum(slab.price) from"],
        ),
        ("total price of slabs in each of the last 2 years", ["group by extract(year from slab.cut_on)"]),
        (
            "top 2 slabs by price for each rock",
            ["partition by slab.rock", "place <= 2"],
        ),
    ],
)
def test_what_is_said_of_which_rows(reader: Reader, question: str, parts: list[str]) -> None:
    if parts:
        assert_read(reader, question, parts)
    else:
        assert_refused(reader, question)


@pytest.mark.parametrize(
    "question",
    [
        "How many slabs did each mason cut? Show the pit too.",
        "Which pits have no slabs in 2021? Only those from 2022.",
        "total slabs per pit",
        "pits that were never polished",
    ],
)
def test_what_is_not_clear_is_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_a_hint_that_nothing_reads_is_a_doubt(reader: Reader) -> None:
    question = "What is the average price of slabs per mason?"
    sure = reader.read(question)
    hinted = reader.read(
        question, evidence="When working out the average price per mason, take only the latest slab."
    )
    assert isinstance(sure, Reading)
    assert isinstance(hinted, Reading)
    assert sure.confidence >= 0.75 > hinted.confidence
    assert "a hint that is not read" in [doubt.about for doubt in hinted.doubts]


@pytest.mark.parametrize(
    "question",
    [
        "Which mason has the most slabs, ordered alphabetically?",
        "What is the most common rock for each parish?",
        "pits ordered by number of parishes",
        "slabs of slate, sorted by rock",
        "How many slabs are there per pit? Return the name of the pit.",
    ],
)
def test_two_things_that_do_not_go_together_are_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_rows_are_told_by_the_best_of_what_belongs_to_them(reader: Reader) -> None:
    found = reader.read("Which pit has the oldest slab?")
    assert isinstance(found, Reading)
    assert (
        "group by pit.pit_id, pit.name order by min(slab.cut_on) asc nulls last fetch first 1 rows"
        in found.sql
    )


def test_a_measure_listed_beside_rows_is_of_each(reader: Reader) -> None:
    found = reader.read("List the pits and the number of slabs, smallest to largest.")
    assert isinstance(found, Reading), found.why
    assert "select pit.name, count(*)" in found.sql
    assert "order by count(*) asc" in found.sql
