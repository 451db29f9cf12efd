"""Readings that are refused because something near them is as likely meant, and that they say which."""

from __future__ import annotations

import pytest

from rewright.ask.context import Context, Join, TableContext
from rewright.ask.reading.api import Reader, Reading, Refusal
from tests.ask.readings import table

THRESHOLD = 0.75


def _table(name: str, /, **columns: str) -> TableContext:
    return table(name, 50, **columns)


@pytest.fixture(scope="module")
def reader() -> Reader:
    crop = _table("crop", crop_id="int4 key", crop_name="text unique:rye,oats", annual_budget="numeric")
    grower = _table(
        "grower", grower_id="int4 key", company="text unique:Halm,Korn", land="text", chief_no="int4"
    )
    field = _table(
        "field",
        field_id="int4 key",
        grower_id="int4",
        crop_id="int4",
        soil="text:clay,sandy",
        budget="numeric",
    )
    crew = _table("crew", crew_id="int4 key", nick="text unique", head_grower_id="int4")
    stint = _table("stint", stint_id="int4 key", crew_id="int4", grower_id="int4", hours="numeric")
    tables = [crop, grower, field, crew, stint]
    held = {(t.ref.name, c.name): c for t in tables for c in t.columns}
    joins = [
        (("field", "grower_id"), ("grower", "grower_id")),
        (("field", "crop_id"), ("crop", "crop_id")),
        (("crew", "head_grower_id"), ("grower", "grower_id")),
        (("stint", "crew_id"), ("crew", "crew_id")),
        (("stint", "grower_id"), ("grower", "grower_id")),
        (("grower", "chief_no"), ("grower", "grower_id")),
    ]
    return Reader(Context.of(tables=tables, joins=[Join(held[many], held[one], 1.0) for many, one in joins]))


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("Which crop is rye?", "the question says its crop_name itself"),
        ("How many rye are there?", "names one row of crop"),
        ("How many growers does each field have?", "only one row of grower"),
        ("Show the chiefs of growers with a field", "refers to another row"),
        ("Which growers failed fields?", "failed"),
        ("What is the total of fields?", "counted or added up"),
        ("total hours worked by grower", "whether by grower means for each"),
    ],
)
def test_what_no_one_asks_is_refused(reader: Reader, question: str, why: str) -> None:
    found = reader.read(question)
    assert isinstance(found, Refusal), found
    assert why in found.why


@pytest.mark.parametrize(
    ("question", "doubt"),
    [
        ("clay growers", "whether clay is said of field.soil"),
        ("top 3 growers by budget", "whether the highest budget counts or their sum"),
        ("crops with a budget over 4", "whether field.budget is meant"),
        ("List the crews of Halm", "how crew, grower are joined"),
    ],
)
def test_what_is_as_likely_something_else_is_not_sure(reader: Reader, question: str, doubt: str) -> None:
    found = reader.read(question)
    assert isinstance(found, Reading), found
    assert found.confidence < THRESHOLD
    assert found.doubts[0].about.startswith(doubt)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("Which growers have a field?", "grower.company"),
        ("growers and their fields", "select grower.company, field.field_id from"),
        ("fields and their soil", "select field.field_id, field.soil from"),
        ("How many crops does each grower have?", "count(distinct crop.crop_id)"),
        ("Show the soils", "select distinct field.soil from"),
        ("crews with the head grower Halm", "crew.head_grower_id = grower.grower_id"),
    ],
)
def test_rows_are_shown_by_what_names_them_and_all_that_is_wanted_is(
    reader: Reader, question: str, sql: str
) -> None:
    found = reader.read(question)
    assert isinstance(found, Reading), found
    assert found.confidence >= THRESHOLD, found.doubts
    assert sql in found.sql.replace("public.", "")


def test_a_thing_is_not_who_does_it() -> None:
    shipper = _table("shipper", shipper_id="int4 key", name="text")
    found = Reader(Context.of(tables=[shipper])).read("How many ships are there?")
    assert isinstance(found, Refusal) or found.confidence < THRESHOLD
