"""What a question says is in its query: no phrase is lost, the rows that are asked for are shown, named rows are
compared with, keys say who did what.

Over a foundry, a schema that shares no word with another set.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    founder = table(
        "founder", 9, founder_id="int4 key", name="text unique:Ute Rahn,Bo Falk,Iva Lenz", rank="text:chief,journeyman",
        wage="numeric", apprenticed="date", departed_on="date null",
    )  # fmt: skip
    alloy = table("alloy", 4, alloy_code="text key", description="text unique:red brass,bell metal,gunmetal")
    shape = table(
        "shape", 12, shape_id="int4 key", name="text unique:Gargoyle,Trivet,Andiron", alloy_code="text *4",
        sketched_by_id="int4 *9", hardness="numeric", kind="text:ornament,grates",
    )  # fmt: skip
    pour = table(
        "pour", 300, pour_id="int4 key", shape_id="int4 *12", poured_by_id="int4 *9", inspected_by_id="int4 *9",
        poured_on="date", kilos="numeric", finish="text:rough,smooth", flawed="bool", settled_on="date null",
    )  # fmt: skip
    mending = table(
        "mending", 80, mending_id="int4 key", shape_id="int4 *12", price="numeric", finished_on="date null"
    )
    tables = [founder, alloy, shape, pour, mending]
    return reader_of(
        tables,
        "shape.alloy_code alloy.alloy_code",
        "shape.sketched_by_id founder.founder_id",
        "pour.shape_id shape.shape_id",
        "pour.poured_by_id founder.founder_id",
        "pour.inspected_by_id founder.founder_id",
        "mending.shape_id shape.shape_id",
    )


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Which shape has the most flawed kilos?", ["where pour.flawed", "sum(pour.kilos)"]),
        ("Average flawed kilos per shape", ["where pour.flawed", "avg(pour.kilos)"]),
        ("Show the shapes with the alloy description.", ["select shape.name, alloy.description"]),
        ("Show the five most expensive mendings with the shape name.", ["select mending.mending_id, shape.name", "limit 5"]),
        ("Which founders have departed?", ["select founder.name", "founder.departed_on is not null"]),
        ("Which founders have never inspected a pour?", ["not exists", "inspected_by_id = founder.founder_id"]),
        ("How many pours did Bo Falk inspect?", ["inspected_by_id = founder.founder_id", "'Bo Falk'"]),
        ("Who sketched Gargoyle?", ["select founder.name", "sketched_by_id", "'Gargoyle'"]),
        ("How many pours does each alloy have?", ["alloy.description, count(*)"]),
        ("Which founders earn more than Bo Falk?", ["founder.wage > (select founder.wage", "'Bo Falk'"]),
        (
            "Which shapes have a higher hardness than Trivet but a lower hardness than Andiron?",
            ["hardness > (select", "hardness < (select"],
        ),
        (
            "What is the difference between the wages of Ute Rahn and Iva Lenz?",
            ["= 'Ute Rahn') - (select founder.wage from", "= 'Iva Lenz'"],
        ),
        ("How much more does Iva Lenz earn than Bo Falk?", ["= 'Iva Lenz') - (select founder.wage from"]),
        ("Which shape has the second highest hardness?", ["desc nulls last offset 1 fetch first 1"]),
        ("What is the third highest wage?", ["select distinct founder.wage", "offset 2 limit 1"]),
        ("List the names of all grates.", ["shape.kind = 'grates'"]),
        ("When was the last mending of Trivet?", ["select distinct mending.finished_on from", "desc nulls last limit 1"]),
        (
            "Which founders have never inspected a pour of Andiron?",
            ["not exists", "inspected_by_id = founder.founder_id and shape.name = 'Andiron'"],
        ),
        ("List the shapes with their alloy and founder.", ["select shape.name, alloy.description, founder.name"]),
        ("How many unsettled pours are there?", ["pour.settled_on is null"]),
        ("Which shapes have unsettled pours?", ["shape.shape_id in (select", "pour.settled_on is null"]),
        ("Which shapes have no unsettled pours?", ["not exists", "pour.settled_on is null"]),
        ("Which shapes took more than 900 kilos in total?", ["having sum(pour.kilos) > 900"]),
        ("How many mendings are still running?", ["mending.finished_on is null"]),
    ],
)  # fmt: skip
def test_what_is_read(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


@pytest.mark.parametrize(
    "question",
    [
        "Who has the highest wage bill?",
        "Which shapes have tarnished pours?",
        "How many founders are there with tarnished shapes?",
        "Average kilos per pour and finish",
        "Show the shapes and their last mending.",
        "Which shapes cost more than 50?",
        "Which mendings have the most pours?",
    ],
)
def test_what_is_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)
