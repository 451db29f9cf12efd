"""The best of rows, their owners, averages that groups are chosen by, what was never done to what, and hints with
formulas over conditions.

A harbour's boat yard; names and questions made up.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Reading, Refusal
from rewright.ask.reading.words import root
from tests.ask.readings import THRESHOLD, assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    berth = table(
        "berth", 30, berth_id="int4 key", berth_name="text unique", quay="text *3:north,south", has_power="bool",
        zip="text *12", insured="bool", tourists_millions="int4 *20", depth="int4 *9",
    )  # fmt: skip
    owner = table("owner", 80, owner_id="int4 key", owner_name="text unique", town="text *9:Lund,Ghent")
    boat = table(
        "boat", 90, boat_id="int4 key", boat_name="text unique", owner_id="int4 *80", berth_id="int4 *30",
        kind="text *4:yacht,tug,double", length_m="int4 *40", page_views="int4 *70", sold_on="date *40 null",
    )  # fmt: skip
    worker = table(
        "worker", 40, worker_id="int4 key", worker_name="text unique *40:Bo Lind", job="text *4:welder,rigger,painter",
        wage="int4 *30", supervisor_id="int4 *6", left_on="date *9 null",
    )  # fmt: skip
    repair = table(
        "repair", 300, repair_id="int4 key", boat_id="int4 *80", worker_id="int4 *40", begun="date *200",
        finished="date *190", cost="int4 *250", status="text *3:A,B,C",
    )  # fmt: skip
    hire = table(
        "hire", 200, hire_id="int4 key", owner_id="int4 *60", boat_id="int4 *70", hired_on="date *150", mark="int4 *9",
    )  # fmt: skip
    return reader_of(
        [berth, owner, boat, worker, repair, hire],
        "boat.owner_id owner.owner_id", "boat.berth_id berth.berth_id", "repair.boat_id boat.boat_id",
        "repair.worker_id worker.worker_id", "worker.supervisor_id worker.worker_id", "hire.owner_id owner.owner_id",
        "hire.boat_id boat.boat_id",
    )  # fmt: skip


def _hinted(reader: Reader, question: str, hint: str) -> str:
    found = reader.read(question, evidence=hint)
    assert isinstance(found, Reading), found.why
    assert found.confidence >= THRESHOLD, (found.doubts, found.sql)
    return found.sql.replace("public.", "")


def test_the_most_viewed_is_a_row_and_no_number(reader: Reader) -> None:
    assert_read(
        reader, "What is the most viewed boat?", ["select boat.boat_name", "order by boat.page_views desc"]
    )
    assert_read(reader, "What is the highest wage of workers?", ["max(worker.wage)"])


def test_whose_is_the_best_one(reader: Reader) -> None:
    parts = ["select owner.owner_name", "order by max(boat.length_m) desc"]
    assert_read(reader, "Who is the owner of the boat with the largest length?", parts)
    assert_read(
        reader, "What is the zip code of the berth with the highest depth?", ["select berth.zip"], "distinct"
    )
    assert_refused(reader, "Which month had the highest cost?")
    # the owner of all that was repaired is another one
    assert_refused(reader, "Who is the owner of the boat with the most repairs?")
    assert_refused(reader, "Which owner has the boat with the most repairs?")


def test_highest_and_lowest_are_two_measures(reader: Reader) -> None:
    parts = ["worker.job", "max(worker.wage)", "min(worker.wage)"]
    assert_read(reader, "What is the highest and lowest wage for each job?", parts)


def test_in_total_and_on_average_say_what_is_compared(reader: Reader) -> None:
    parts = ["having avg(repair.cost) > 500"]
    assert_read(reader, "Which workers have repairs that cost more than 500 on average?", parts)
    assert_read(
        reader, "Which boat has the highest repair cost in total?", ["order by sum(repair.cost) desc"]
    )


def test_how_large_it_was_is_shown(reader: Reader) -> None:
    parts = ["select worker.worker_name, worker.wage", "fetch first 1 rows"]
    assert_read(reader, "Which worker has the highest wage and how high is it?", parts)
    assert_refused(reader, "Which workers are welders and how high is it?")


def test_what_was_never_done_to_what(reader: Reader) -> None:
    parts = ["not exists (select from public.hire where hire.owner_id = owner.owner_id"]
    assert_read(reader, "Which owners have never hired a boat?", parts, "boat.owner_id = owner")
    # a condition on what lies between is of neither
    assert_refused(reader, "Which owners have never finished a tug?")


def test_who_is_above_a_named_row(reader: Reader) -> None:
    parts = ["worker.worker_id in (select worker.supervisor_id"]
    assert_read(reader, 'Who supervises "Bo Lind"?', parts)


def test_who_has_a_job_is_asked_for(reader: Reader) -> None:
    assert_read(
        reader, "Which welder earns the most?", ["select worker.worker_name", "worker.job = 'welder'"]
    )


def test_verbs_that_only_place(reader: Reader) -> None:
    assert_read(reader, "How many workers left in 2023?", ["count(*)", "worker.left_on >= date '2023-01-01'"])
    assert_read(reader, "How many double boats are there?", ["boat.kind = 'double'"])
    assert_read(reader, "Which berths are not insured?", ["not berth.insured"])
    assert_refused(reader, "Show the towns of owners of both kinds.")
    assert_refused(reader, "How many has power are there?")


def test_numbers_are_counted_as_the_column_counts_them(reader: Reader) -> None:
    assert_read(
        reader, "Which berths have more than 20 million tourists?", ["tourists_millions > 20"], "20000000"
    )
    assert_read(reader, "Which berths have more than 20 tourists?", ["tourists_millions > 20"])


def test_hints_over_conditions(reader: Reader) -> None:
    formula = "rate of class A = DIVIDE(COUNT(status = 'A'), COUNT(repair_id))"
    assert "filter (where repair.status = 'A')" in _hinted(reader, "What is the rate of class A?", formula)
    iif = "rate of class A = CAST(SUM(IIF(status = 'A', 1, 0)) AS REAL) / COUNT(repair_id)"
    assert "filter (where repair.status = 'A')" in _hinted(reader, "What is the rate of class A?", iif)


def test_terms_of_hints_in_other_numbers_and_forms(reader: Reader) -> None:
    hint = "has a heavy duty refers to status = 'B'"
    assert "repair.status = 'B'" in _hinted(reader, "How many repairs have a heavy duty?", hint)
    assert "repair.status = 'B'" in _hinted(
        reader, "How many repairs are class 2?", "class 2 refers to status = 'B'"
    )


def test_years_and_extremes_of_hints(reader: Reader) -> None:
    year = _hinted(
        reader, "How many repairs were from last season?", "last season refers to year(begun) = 2023"
    )
    assert "repair.begun >= date '2023-01-01' and repair.begun < date '2024-01-01'" in year
    best = _hinted(reader, "Which boat is the grandest?", "grandest refers to MAX(length_m)")
    assert "order by boat.length_m desc" in best


def test_days_between_two_dates_of_a_hint(reader: Reader) -> None:
    hint = "turnaround = finished - begun"
    assert "avg((repair.finished - repair.begun))" in _hinted(
        reader, "What is the average turnaround of a repair in days?", hint
    )


def test_the_best_by_a_ratio(reader: Reader) -> None:
    parts = ["select berth.quay", "group by berth.quay", "order by count(*) filter (where berth.insured)"]
    assert_read(reader, "Which quay has the highest share of insured berths?", parts)
    hint = "grade rate = COUNT(status = 'A') / COUNT(repair_id)"
    best = _hinted(reader, "Which worker has the lowest grade rate?", hint)
    assert "order by count(*) filter (where repair.status = 'A')" in best
    assert " asc " in best
    assert_refused(reader, "Which owner has the highest share for each town of insured berths?")


def test_names_with_more_than_words() -> None:
    meals = table(
        "meals",
        50,
        school="text unique *50:Oak Hall",
        **{"Free Meal Count (K-12)": "int4 *40", "Span": "text *2:K-12,K-5"},
    )
    odd = reader_of([meals])
    found = odd.read('What is the Free Meal Count (K-12) of "Oak Hall"?')
    assert not isinstance(found, Refusal)
    assert '"Free Meal Count (K-12)"' in found.sql
    assert "Span" not in found.sql


def test_one_root_of_verbs_and_their_deeds() -> None:
    assert root("eliminated") == root("elimination")
    assert root("vaccinated") == root("vaccination")
    assert root("translator") != root("translation")
