"""Deeds of which the data tells another, or nothing: such questions are refused, and their relatives read.

A sailing club with its boats and races; names and questions made up.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewright.ask.reading.api import Reader
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    tables = [
        table("harbour", 6, harbour_id="int4 key", harbour_name="text unique:Skagen,Lysekil", country="text *3:Denmark,Sweden",
              opened_on="date *6"),
        table("builder", 8, builder_id="int4 key", builder_name="text unique:Nordwerft", country="text *4:Norway,Finland"),
        table("boat", 40, boat_id="int4 key", boat_name="text unique:Gannet,Tern", builder_id="int4 *8", berth_fee="numeric *30",
              built_year="int4 *20", harbour_id="int4 *6", owner_name="text *30"),
        table("sailor", 90, sailor_id="int4 key", full_name="text unique:Ida Holt,Per Lund", harbour_id="int4 *6",
              trade="text *4:joiner,teacher", is_medic="bool *2", email="text *80 null"),
        table("pupil", 120, pupil_id="int4 key", pupil_name="text unique", sailor_id="int4 *70", joined_on="date *99"),
        table("course", 15, course_id="int4 key", title="text unique:Knots,Navigation", trainer_id="int4 *6",
              held_on="date *15"),
        table("course_attendance", 300, course_id="int4 *15", sailor_id="int4 *80", passed="bool *2 null"),
        table("race", 30, race_id="int4 key", race_title="text unique:Autumn Cup", raced_on="date *30", leader_id="int4 *12",
              purse="numeric *9"),
        table("race_participant", 250, race_id="int4 *30", sailor_id="int4 *85", place="int4 *12"),
        table("lot", 50, lot_id="int4 key", lot_name="text unique", finder="text *20"),
        table("incident", 20, incident_id="int4 key", lot_id="int4 *18", harbour_id="int4 *6", happened_on="date *20"),
        table("request", 70, request_id="int4 key", applied_on="date *60", stage="text:open,hired,closed"),
    ]  # fmt: skip
    tables = [replace(t, composed=t.columns[:2]) if "_" in t.ref.name else t for t in tables]
    keys = (
        "boat.builder_id builder.builder_id", "boat.harbour_id harbour.harbour_id", "sailor.harbour_id harbour.harbour_id",
        "pupil.sailor_id sailor.sailor_id", "course.trainer_id sailor.sailor_id", "race.leader_id sailor.sailor_id",
        "course_attendance.course_id course.course_id", "course_attendance.sailor_id sailor.sailor_id",
        "race_participant.race_id race.race_id", "race_participant.sailor_id sailor.sailor_id",
        "incident.lot_id lot.lot_id", "incident.harbour_id harbour.harbour_id",
    )  # fmt: skip
    return reader_of(tables, *keys)


@pytest.mark.parametrize(
    ("refused", "read", "parts"),
    [
        # dated by another deed
        ("How many boats were sold in 2015?", "How many boats were built in 2015?", ["built_year = 2015"]),
        ("How many requests were hired in 2021?", "How many requests were made in 2021?", ["applied_on >="]),
        # of another row
        ("When did each sailor join?", "When did each pupil join?", ["pupil.joined_on"]),
        ("In which country was each sailor born?", "In which country is each harbour?", ["harbour.country"]),
        # nobody is said to sell what is theirs
        ("Which builders sold the most boats?", "Which builders have the most boats?", ["order by count(*) desc"]),
        # by what went wrong
        ("How many lots does each harbour have?", "How many boats does each harbour have?", ["from public.boat"]),
        # by nobody who is shown
        ("Who painted each boat?", "Who trained Knots?", ["select sailor.full_name"]),
        # by the year in which another was hired or born
        ("Who is the oldest sailor?", "What is the oldest harbour?", ["order by harbour.opened_on asc"]),
    ],
)  # fmt: skip
def test_another_deed_is_no_answer(reader: Reader, refused: str, read: str, parts: list[str]) -> None:
    assert_refused(reader, refused)
    assert_read(reader, read, parts)


def test_joins_go_by_what_was_done(reader: Reader) -> None:
    assert_read(
        reader, "Which sailors never attended a course?", ["course_attendance.sailor_id = sailor.sailor_id"]
    )
    assert_read(reader, "How many races did each sailor take part in?", ["join public.race_participant"])
    # the key of a role is taken where its verb is said, and no way is sure where nothing is
    assert_read(reader, "Which sailors led more than 2 races?", ["race.leader_id = sailor.sailor_id"])
    assert_refused(reader, "How many races does each sailor have?")


def test_a_kind_stands_for_its_rows(reader: Reader) -> None:
    for said in ("List the joiners and the teachers who led a race.", "Which joiners led a race?"):
        assert_read(reader, said, ["select sailor.full_name", "sailor.trade"])
    assert_read(
        reader, "Show the medics who led a race", ["select sailor.full_name", "where sailor.is_medic"]
    )


def test_the_best_with_a_measure_of_each_group(reader: Reader) -> None:
    parts = ["partition by harbour.harbour_id", "boat.boat_name", "order by boat.berth_fee desc"]
    assert_read(reader, "For each harbour, the boat with the highest berth fee", parts)


def test_what_is_had_is_asked_for(reader: Reader) -> None:
    assert_refused(reader, "Is there a sailor Ida Holt with an email?")
    assert_read(reader, "Are there sailors without an email?", ["select exists", "sailor.email is null"])
    assert_refused(reader, "sailors with a trade")
    both = "Which harbours have both a boat and a country?"
    assert_refused(reader, both)


def test_none_of_those_whose_rows_are_counted(reader: Reader) -> None:
    asked = "Which harbours have more than three boats but no sailor?"
    assert_read(
        reader, asked, ["not exists (select from public.sailor where sailor.harbour_id = harbour.harbour_id"]
    )


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "Which boats have the same builder as Gannet?",
            ["boat.builder_id = (select boat.builder_id", "boat.boat_name <> 'Gannet'"],
        ),
        ("Which harbours are in the same country as Skagen?", ["harbour.country = (select harbour.country"]),
    ],
)
def test_the_same_as_a_named_row(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


def test_one_row_of_each_group_is_no_best(reader: Reader) -> None:
    assert_refused(reader, "For each boat, the boat with the highest berth fee")
