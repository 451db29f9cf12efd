"""What words say of rows that are still there, were late or happened so often; and readings that were wrong.

Over a lighthouse service, a schema that shares no word with another set.
"""

from __future__ import annotations

import pytest

from rewright.ask.context import Context, Join
from rewright.ask.reading.api import Reader
from rewright.ask.reading.words import root
from tests.ask.readings import assert_read, assert_refused, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    keeper = table(
        "keeper", 30, keeper_id="int4 key", firstname="text", lastname="text", grade="text:warden,novice",
        hire_date="date", left_on="date null", monthly_pay="numeric", chief_id="int4 *4"
    )  # fmt: skip
    tower = table(
        "tower", 12, tower_id="int4 key", name="text", coast="text:north,south *2", lamps="int4 *5",
        heated="bool", repair_count="int4 *6"
    )  # fmt: skip
    repair = table(
        "repair", 200, repair_id="int4 key", tower_id="int4 *12", due_on="date", finished_on="date null",
        minutes="int4", kind="text:lens,roof"
    )  # fmt: skip
    lantern = table("lantern", 40, lantern_id="int4 key", tower_id="int4 *12", make="text *4")
    manual = table("manual", 25, manual_id="int4 key", title="text", pages="int4")
    borrowing = table(
        "borrowing", 90, borrowing_id="int4 key", manual_id="int4 *25", keeper_id="int4 *30",
        borrowed_on="date *80", returned_on="date null *70"
    )  # fmt: skip
    alarm = table(
        "alarm", 50, alarm_id="int4 key", tower_id="int4 *12", raised_at="timestamp", genuine="bool"
    )
    signal = table(
        "daily_signal", 70, sid="int4 key", signal_ref="text", tower_id="int4 *12", state="text:sent,failed"
    )
    tables = [keeper, tower, repair, lantern, manual, borrowing, alarm, signal]
    at = {(t.ref.name, c.name): c for t in tables for c in t.columns}
    joins = [
        Join(at["keeper", "chief_id"], at["keeper", "keeper_id"], 1.0),
        *(
            Join(at[many, "tower_id"], at["tower", "tower_id"], 1.0)
            for many in ("repair", "lantern", "alarm")
        ),
        Join(at["borrowing", "manual_id"], at["manual", "manual_id"], 1.0),
        Join(at["borrowing", "keeper_id"], at["keeper", "keeper_id"], 1.0),
    ]
    return Reader(Context.of(tables=tables, joins=joins))


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How many current keepers are there?", ["keeper.left_on is null"]),
        ("Which keepers are still with us?", ["keeper.left_on is null"]),
        ("Which keepers no longer work here?", ["keeper.left_on is not null"]),
        ("Which keepers have left the service?", ["keeper.left_on is not null"]),
        ("Which repairs were finished late?", ["repair.finished_on > repair.due_on"]),
        ("Which manuals were borrowed more than twice?", ["from borrowing", "having count(*) > 2"]),
        ("Which manual has been borrowed most often?", ["order by count(*) desc", "from borrowing"]),
        ("Which manuals have never been borrowed?", ["not exists (select from borrowing"]),
        ("Which towers have no lamps?", ["tower.lamps = 0"]),
        (
            "Which keepers earn more than their chief?",
            ["keeper.monthly_pay > (select other.monthly_pay", "where other.keeper_id = keeper.chief_id"],
        ),
        ("Which keepers earn more than 900 a month?", ["keeper.monthly_pay > 900"]),
        (
            "Which keepers borrowed more than 3 manuals in May 2023?",
            ["borrowing.borrowed_on >= date '2023-05-01'"],
        ),
        ("How long do keepers keep a manual on average?", ["borrowing.returned_on - borrowing.borrowed_on"]),
        ("Which kind has the longest repairs on average?", ["order by avg(repair.minutes) desc"]),
        ("Which month had the most alarms?", ["order by count(*) desc", "date_trunc('month'"]),
        ("Who is the best paid novice?", ["keeper.grade = 'novice'", "order by keeper.monthly_pay desc"]),
        ("Which keeper was hired first?", ["order by keeper.hire_date asc"]),
        ("How many signals failed?", ["select count(*)", "daily_signal.state = 'failed'"]),
        ("Which kind is most common?", ["group by repair.kind", "order by count(*) desc"]),
        ("Number of alarms by tower, top 3", ["order by count(*) desc", "limit 3"]),
        ("List towers and their lamps, sorted by lamps descending", ["select tower.name, tower.lamps"]),
        ("Show the manuals longer than 50 pages with their pages", ["select manual.title, manual.pages"]),
        ("List the towers and their coasts alphabetically", ["order by tower.name asc"]),
        (
            "Show towers by lamps, best to worst, with their coast.",
            ["select tower.name, tower.coast", "order by tower.lamps desc nulls last"],
        ),
        ("keepers hired after 2019", ["keeper.hire_date >= date '2020-01-01'"]),
    ],
)
def test_is_read(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


@pytest.mark.parametrize(
    "question",
    [
        # their repairs may be fewer than the number that the tower holds
        "Which towers had more than 4 repairs?",
        # a salary of a month, compared with one of a year
        "Which keepers earn more than 900 a year?",
        # one tower of the coast, or all of them
        "Which coasts are not heated?",
        # each by itself, or those that have all
        "How many keepers have borrowed from every tower?",
        # every alarm has such a date
        "Which alarms were never raised?",
    ],
)
def test_is_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_a_code_is_no_number(reader: Reader) -> None:
    """Without a join to the row of the chief there is nothing that pay could be compared with."""
    context = reader.context
    joins = [j for j in context.joins if j.many.name != "chief_id"]
    assert_refused(
        Reader(Context.of(tables=context.tables, joins=joins)), "Which keepers earn more than their chief?"
    )


def test_names_run_together_are_both_shown(reader: Reader) -> None:
    assert_read(reader, "Which keepers have no borrowing?", ["keeper.firstname, keeper.lastname"])


def test_a_number_that_says_yes_is_a_condition() -> None:
    inn = table("inn", 20, inn_id="int4 key", name="text", town="text *4", is_open="int4 *2")
    reader = Reader(Context.of(tables=[inn]))
    parts = ["inn.is_open = 1", "having count(*) > 2"]
    assert_read(reader, "Which towns have more than 2 open inns?", parts, "is_open > 2")


def test_rows_of_one_counted_row_are_grouped_by_name() -> None:
    """A row of `district` says the district of one inn: by their keys all would have one."""
    inn = table("inn", 20, inn_id="int4 key", name="text")
    district = table("district", 20, id="int4 key", inn_id="int4 *20", district_name="text *5")
    at = {(t.ref.name, c.name): c for t in (inn, district) for c in t.columns}
    joins = [Join(at["district", "inn_id"], at["inn", "inn_id"], 1.0)]
    reader = Reader(Context.of(tables=[inn, district], joins=joins))
    assert_read(
        reader, "Which districts have the most inns?", ["group by district.district_name"], "district.id"
    )


@pytest.mark.parametrize(("one", "other"), [("hired", "hire"), ("moved", "move"), ("payments", "payment")])
def test_forms_of_a_word_share_a_root(one: str, other: str) -> None:
    assert root(one) == root(other)


@pytest.mark.parametrize(("one", "other"), [("rating", "rated"), ("adding", "aded"), ("ended", "ende")])
def test_other_words_do_not(one: str, other: str) -> None:
    assert root(one) != root(other)
