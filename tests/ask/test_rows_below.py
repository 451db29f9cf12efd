"""Who is above the most rows of their own table, verbs that say which rows, dates and numbers of what a row refers
to, and keys that are said behind a value.

A regatta and its shop; names and questions made up.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Reading
from tests.ask.readings import THRESHOLD, assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    crew = table(
        "crew", 60, crew_id="int4 key", crew_name="text unique:Ola Vik", boss_id="int4 *7 null", born="date *58",
        sail_tint_id="int4 *9", hull_tint_id="int4 *9", medal_count="int4 *8 null",
    )  # fmt: skip
    tint = table("tint", 9, tint_id="int4 key", tint="text unique:Blue,Red")
    heat = table(
        "heat",
        90,
        heat_id="int4 key",
        heat_name="text *20",
        sailed_on="date unique",
        venue="text *5:Kiel,Lund",
    )
    outcome = table(
        "outcome", 800, outcome_id="int4 key", heat_id="int4 *90", crew_id="int4 *60", points="int4 *20"
    )
    ware = table("ware", 40, ware_id="int4 key", ware_name="text unique:Cleat,Shackle", price="numeric *30")
    sale_line = table(
        "sale_line", 300, line_id="int4 key", ware_id="int4 *40", price="numeric *60", pieces="int4 *9"
    )
    return reader_of(
        [crew, tint, heat, outcome, ware, sale_line],
        "crew.boss_id crew.crew_id", "crew.sail_tint_id tint.tint_id", "crew.hull_tint_id tint.tint_id",
        "outcome.heat_id heat.heat_id", "outcome.crew_id crew.crew_id", "sale_line.ware_id ware.ware_id",
    )  # fmt: skip


@pytest.mark.parametrize(
    "question",
    [
        "Who supervises the most crew?",
        "Which crew manages the most people?",
        "Who has the most subordinates?",
        "Who leads the most?",
    ],
)
def test_who_is_above_the_most(reader: Reader, question: str) -> None:
    found = assert_read(
        reader, question, ["from crew as below where below.boss_id = crew.crew_id", "with ties"]
    )
    assert "refer to it by boss_id" in found.plain


def test_who_is_above_rows_of_another_table_is_another_question(reader: Reader) -> None:
    assert_refused(reader, "Who manages the most heats?")
    assert_refused(reader, "Which ware has the most subordinates?")


@pytest.mark.parametrize("question", ["Which crews can swim?", "How many crews can swim?"])
def test_a_verb_that_says_which_rows_is_not_left_out(reader: Reader, question: str) -> None:
    found = reader.read(question)
    assert not (isinstance(found, Reading) and found.confidence >= THRESHOLD)


def test_all_rows_may_be_asked_for(reader: Reader) -> None:
    assert_read(reader, "Which crews exist?", ["select crew.crew_name from crew"])


@pytest.mark.parametrize(
    "question",
    [
        "What is the total points of each crew in 2009?",
        "Which crew has the most points in 2009?",
        "How many points did Ola Vik score in 2009?",
    ],
)
def test_what_a_row_refers_to_says_when(reader: Reader, question: str) -> None:
    assert_read(reader, question, ["sum(outcome.points)", "heat.sailed_on >= date '2009-01-01'"])


def test_a_key_may_be_said_behind_its_value(reader: Reader) -> None:
    found = assert_read(
        reader, "How many crews have a blue hull?", ["crew.hull_tint_id", "tint.tint = 'Blue'"]
    )
    assert "sail_tint_id" not in found.sql


def test_a_count_that_may_be_missing_is_not_none(reader: Reader) -> None:
    assert_refused(reader, "How many crews have no medals?")


def test_a_named_row_has_its_own_number(reader: Reader) -> None:
    assert_read(reader, "What is the price of Cleat?", ["ware.price"], without="sale_line")
