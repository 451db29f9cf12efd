"""Terms that a hint defines by columns: the conditions they stand for, formulas said in words, and what of a
hint is never taken.
"""

from __future__ import annotations

import time

import pytest

from rewright.ask.reading.api import Reader, Reading, Refusal
from rewright.ask.reading.definitions import defined_terms
from rewright.ask.reading.hint_tests import conditions_of
from tests.ask.readings import THRESHOLD, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    """A ferry company: ports, ferries, crossings between them, tickets of crossings."""
    line = table(
        "line", 6, line_id="int4 key", line_name="text", region="text:north,south", season_pass="bool"
    )
    ferry = table(
        "ferry", 12, ferry_id="int4 key", ferry_name="text", hull="text:mono,twin", built_year="int4 *9", decks="int4 *4",
        scrapped_on="date null",
    )  # fmt: skip
    crossing = table(
        "crossing", 300, crossing_id="int4 key", line_id="int4 *6", ferry_id="int4 *12", sailed_on="date *200",
        state="text:done,called off", cars="int4 *90", capacity="int4 *20", note="text null",
    )  # fmt: skip
    ticket = table(
        "ticket", 900, ticket_id="int4 key", crossing_id="int4 *300", quantity="int4 *7", unit_price="numeric *30",
        channel="text:web,desk",
    )  # fmt: skip
    return reader_of(
        [line, ferry, crossing, ticket],
        "crossing.line_id line.line_id",
        "crossing.ferry_id ferry.ferry_id",
        "ticket.crossing_id crossing.crossing_id",
    )


def read(reader: Reader, question: str, hint: str) -> Reading:
    found = reader.read(question, evidence=hint)
    assert isinstance(found, Reading), found.why
    assert found.confidence >= THRESHOLD, found.doubts
    return found


@pytest.mark.parametrize(
    ("question", "hint", "part"),
    [
        ("How many swift ferries are there?", "swift refers to hull = 'twin'", "ferry.hull = 'twin'"),
        ("How many swift ferries are there?", "hull = 'twin' means swift", "ferry.hull = 'twin'"),
        ("How many Swift ferries are there?", "swift: ferry.hull = 'TWIN'", "ferry.hull = 'twin'"),
        ("How many roomy ferries are there?", "roomy means decks >= 4", "ferry.decks >= 4"),
        ("How many ferries are not roomy?", "roomy means decks >= 4", "ferry.decks < 4"),
        ("How many ferries are in use?", "in use refers to scrapped_on is null", "ferry.scrapped_on is null"),
        ("How many vintage ferries are there?", "vintage: built_year between 1950 and 1975", "between 1950 and 1975"),
        (
            "How many odd crossings were there?",
            "odd means state in ('called off', 'done') and note is not null",
            "crossing.state in ('called off', 'done') and crossing.note is not null",
        ),
        ("How many annotated crossings are there?", "annotated refers to note like '%fog%'", "ilike '%fog%'"),
        ("What share of crossings are failed?", "a crossing is failed when state = 'called off'", "filter (where"),
        ("How many lines are comfy?", "comfy refers to season_pass = true", "where line.season_pass"),
        (
            "Which lines have no failed crossings?",
            "failed refers to state = 'called off'",
            ("not exists (select from public.crossing where crossing.line_id = line.line_id and "
            "crossing.state = 'called off')"),
        ),
    ],
)  # fmt: skip
def test_a_condition_stands_for_a_term(reader: Reader, question: str, hint: str, part: str) -> None:
    assert part in read(reader, question, hint).sql
    alone = reader.read(question)
    assert isinstance(alone, Refusal) or part not in alone.sql, "the hint is what says so"


@pytest.mark.parametrize(
    ("question", "hint", "parts"),
    [
        (
            "What is the failure rate of each line?",
            "failure rate = number of crossings with state 'called off' / total number of crossings",
            ["count(*) filter (where crossing.state = 'called off')", "group by line.line_id"],
        ),
        (
            "What is the LF for each line?",
            "LF (load factor) = SUM(cars) / SUM(capacity) * 100",
            ["100.0 * sum(crossing.cars)", "nullif(sum(crossing.capacity), 0)"],
        ),
        (
            "What is the load factor for each line? Sort by load factor from highest to lowest.",
            "load factor = DIVIDE(SUM(cars), SUM(capacity))",
            ["sum(crossing.cars)::float8 / nullif(sum(crossing.capacity), 0)", "desc"],
        ),
        (
            "What is the revenue of each channel?",
            "revenue = SUM(quantity * unit_price)",
            ["sum((ticket.quantity * ticket.unit_price))", "group by ticket.channel"],
        ),
        (
            "What is the spare room of each line?",
            "spare room = SUM(capacity) - SUM(cars)",
            ["(sum(crossing.capacity) - sum(crossing.cars))"],
        ),
    ],
)
def test_a_formula_is_said_in_words(reader: Reader, question: str, hint: str, parts: list[str]) -> None:
    sql = read(reader, question, hint).sql
    assert [part for part in parts if part not in sql] == [], sql


@pytest.mark.parametrize(
    "hint",
    [
        "swift refers to wingspan = 'twin'",  # no such column
        "swift refers to hull = (select 1)",
        "swift refers to hull = 'twin' or true",
        "swift refers to hull = 'twin'; drop table ferry",
        "swift refers to decks > 3 union select 1",
        "swift refers to decks > 'many'",
        "swift refers to pg_sleep(10)",
        "swift = COUNT(DISTINCT(ferry_id) ... WHERE hull = 'twin'",
    ],
)
def test_what_is_no_condition_is_never_taken(reader: Reader, hint: str) -> None:
    found = reader.read("How many swift ferries are there?", evidence=hint)
    if isinstance(found, Refusal) or found.confidence < THRESHOLD:
        return
    assert found.sql == "select count(*) from public.ferry where ferry.hull = 'twin'"
    assert hint.endswith("drop table ferry"), "two hints, of which one is a definition"


@pytest.mark.parametrize(
    "formula",
    [
        "AVG(CASE WHEN state = 'done' THEN cars ELSE 0 END)",
        "MIN(CASE WHEN state = 'done' THEN cars ELSE 0.0 END)",
        "MAX(CASE WHEN state = 'done' THEN cars ELSE 0 END) / AVG(capacity)",
    ],
)
def test_zeros_of_the_other_rows_are_not_dropped(reader: Reader, formula: str) -> None:
    """They change an average and an extreme, which the condition alone would be of fewer rows."""
    for term in ("ACT", "average cars done"):
        found = reader.read(f"What is the {term}?", evidence=f"{term} = {formula}")
        assert isinstance(found, Refusal) or found.confidence < THRESHOLD, found.sql


@pytest.mark.parametrize(
    ("formula", "part"),
    [
        ("AVG(CASE WHEN state = 'done' THEN cars END)", "avg(crossing.cars)"),
        ("AVG(CASE WHEN state = 'done' THEN cars ELSE NULL END)", "avg(crossing.cars)"),
        ("SUM(CASE WHEN state = 'done' THEN cars ELSE 0 END)", "sum(crossing.cars)"),
    ],
)
def test_what_the_other_rows_do_not_change_is_read(reader: Reader, formula: str, part: str) -> None:
    sql = read(reader, "What is the ACT?", f"ACT = {formula}").sql
    assert part in sql
    assert "where crossing.state = 'done'" in sql


def test_values_of_a_hint_are_quoted(reader: Reader) -> None:
    sql = read(reader, "How many swift ferries are there?", 'swift refers to hull = "tw\'in"').sql
    assert sql.endswith("ferry.hull = 'tw''in'")


def test_a_definition_that_is_not_read_is_a_doubt(reader: Reader) -> None:
    question, hint = (
        "How many big crossings were there?",
        "big refers to twice its capacity_limit of crossing.cars",
    )
    assert defined_terms(question, hint, reader.context).unread == 0, "no column is spelled so"
    hint = "crossings refers to those that unit_price tells apart"
    assert defined_terms(question, hint, reader.context).unread == 1


def test_the_marks_of_conditions_are_nobody_elses(reader: Reader) -> None:
    for question in ("How many ferries are '\u00a70'?", "How many swift ferries are '\u00a77'?"):
        found = reader.read(question, evidence="swift refers to hull = 'twin'")
        assert isinstance(found, Refusal) or "hull" not in found.sql


def test_a_term_that_says_a_period_is_left(reader: Reader) -> None:
    hint = "PMC (per month crossings) = COUNT(crossing_id)"
    assert defined_terms("What is the PMC?", hint, reader.context).question == "What is the PMC?"


def test_full_names_stand_for_their_columns(reader: Reader) -> None:
    hint = "craft refers to ferry_name, hull"
    assert defined_terms("List the craft", hint, reader.context).question == "List the ferry_name and hull"


def test_conditions_are_whole_or_none(reader: Reader) -> None:
    assert len(conditions_of("decks > 2 and hull <> 'mono' and scrapped_on is null", reader.context)) == 3
    assert conditions_of("decks > 2 and then some", reader.context) == []
    assert conditions_of("sailed_on >= '2023-01-01'", reader.context) != []
    assert conditions_of("sailed_on >= 'soon'", reader.context) == []


def test_long_hints_take_little_time(reader: Reader) -> None:
    hint = "swift refers to hull = 'twin' and " * 2000 + "x / y - (" * 2000
    began = time.process_time()
    reader.read("How many swift ferries are there?", evidence=hint)
    assert time.process_time() - began < 5


@pytest.mark.parametrize("turned", [False, True])
def test_a_term_within_an_abbreviation_is_what_the_hint_says(reader: Reader, turned: bool) -> None:
    said = ["ATV = total ticket value", "ticket value = quantity * unit_price"]
    found = read(reader, "What is the ATV per channel?", "; ".join(said[::-1] if turned else said))
    assert "sum((ticket.quantity * ticket.unit_price))" in found.sql, found.sql
    assert found.sql.endswith("group by ticket.channel")
