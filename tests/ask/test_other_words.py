"""Other words for what a schema calls its things: one kind of thing is found, of several none is chosen."""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Refusal
from tests.ask.readings import assert_read, assert_refused, reader_of, table


def _reader(*, others: bool) -> Reader:
    """A haulier: lorries `truck`, consignments `parcel`, and with ``others`` passengers beside the employees."""
    trucks = table("truck", 9, truck_id="int4 key", plate="text *9")
    parcels = table("parcel", 80, parcel_id="int4 key", truck_id="int4 *9", sent_on="date *70")
    staff = table("employee", 12, employee_id="int4 key", full_name="text", hired_on="date *12")
    more = [table("passenger", 7, passenger_id="int4 key", full_name="text")] if others else []
    tables = [trucks, parcels, staff, *more]
    return reader_of(tables, "parcel.truck_id truck.truck_id")


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How many lorries are there?", ["count(*) from public.truck"]),
        ("How many packages were sent in 2023?", ["count(*) from public.parcel", "sent_on >="]),
        ("How many packages are there per lorry?", ["truck.truck_id, count(*)", "public.parcel"]),
        ("How many people did we hire in each year?", ["extract(year from employee.hired_on)", "count(*)"]),
    ],
)
def test_another_word_names_the_one_kind_there_is(question: str, parts: list[str]) -> None:
    assert_read(_reader(others=False), question, parts)


def test_people_are_none_of_two_kinds() -> None:
    reader = _reader(others=True)
    assert_refused(reader, "How many people are there?")
    found = reader.read("How many people are there?")
    assert isinstance(found, Refusal)
    assert "one of several tables: employee, passenger" in found.why
