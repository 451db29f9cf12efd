"""Ranks, times of day, times between deeds, what rows have in a share, and words that only look like names.

Over a ferry line, a schema that shares no word with another set.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.ask.api import Asker
from rewright.ask.reading.api import Reader, Reading, Refusal
from rewright.ask.reading.clock import clocks_written
from rewright.ask.reading.ranks import Ranking, ranking
from rewright.ask.reading.spelled import as_spelled
from rewright.ask.reading.times_between import times_between
from rewright.engines.postgres.scratch import ScratchServer
from tests.ask.readings import THRESHOLD, assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    skipper = table(
        "skipper", 9, skipper_id="int4 key", full_name="text unique:Ada Birk,Olaf Rehn", left_on="date null",
        grade="numeric"
    )  # fmt: skip
    ferry = table(
        "ferry", 30, ferry_id="int4 key", ferry_name="text unique", skipper_id="int4 *7 null", dock="text:Ost,Nord",
        heated="bool", cabins="int4"
    )  # fmt: skip
    crossing = table(
        "crossing", 80, crossing_id="int4 key", ferry_id="int4 *22", departed_at="timestamp", toll="numeric",
        surcharge="numeric null", outcome="text:failed,smooth"
    )  # fmt: skip
    grievance = table(
        "grievance", 40, grievance_id="int4 key", crossing_id="int4 *30", lodged_on="date", settled_on="date null",
        topic="text:noise,delay", weight="int4", refund="numeric null"
    )  # fmt: skip
    return reader_of(
        [skipper, ferry, crossing, grievance],
        "ferry.skipper_id skipper.skipper_id",
        "crossing.ferry_id ferry.ferry_id",
        "grievance.crossing_id crossing.crossing_id",
    )


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("crossings that departed after 11pm", ["crossing.departed_at::time > time '23:00'"]),
        (
            "how many crossings departed between 10 pm and midnight?",
            [">= time '22:00'", "< time '24:00'", "count(*)"],
        ),
        ("how many crossings departed before 8 in the morning in 2023?", ["< time '08:00'", "'2023-01-01'"]),
        ("average toll of crossings at the weekend", ["isodow", "in (6, 7)", "avg(crossing.toll)"]),
        (
            "how many days does it take to settle a grievance on average, by topic?",
            ["avg((grievance.settled_on - grievance.lodged_on))", "group by grievance.topic"],
        ),
        (
            "average number of days between lodging and settling of grievances",
            ["avg((grievance.settled_on - grievance.lodged_on))"],
        ),
        (
            "Show the total toll and the rank by total toll for each ferry",
            ["sum(crossing.toll)", "rank() over (order by sum(crossing.toll) desc nulls last)"],
        ),
        ("rank the ferries by number of crossings", ["count(*)", "order by count(*) desc"]),
        ("Show the number of crossings for all ferries", ["select count(*) from public.crossing where"]),
        ("Show the number of crossings for each ferry", ["group by ferry.ferry_id"]),
        ("What fraction of ferries has a skipper?", ["filter (where ferry.skipper_id is not null)"]),
        ("percentage of crossings with a surcharge", ["filter (where crossing.surcharge is not null)"]),
        (
            "What share of ferries with at least 3 cabins are heated?",
            ["filter (where ferry.heated)", "where ferry.cabins >= 3"],
        ),
        (
            "average ratio of surcharge to toll per outcome",
            ["avg(crossing.surcharge::float8 / nullif(crossing.toll, 0))"],
        ),
        (
            "number of ferries by dock and heated",
            ["ferry.heated, count(*)", "group by ferry.dock, ferry.heated"],
        ),
        ("average toll per crossing for each dock", ["avg(crossing.toll)", "group by ferry.dock"]),
        (
            "For each ferry, return the name, the number of crossings and the average toll",
            ["ferry.ferry_name"],
        ),
        ("number of grievances for each topic, ordered by number descending", ["order by count(*) desc"]),
        ("how many grievances of weight 4 or more were lodged in 2023?", ["grievance.weight >= 4"]),
        ("What is the average grade of skippers that have left?", ["skipper.left_on is not null"]),
    ],
)
def test_forms_are_read(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


@pytest.mark.parametrize(
    "question",
    [
        "what is the minimum average toll per dock?",
        "how many kinds of ferries are there?",
        "which skipper commands which ferry all day?",
        "crossings of every second ferry",
        "Of those, how many crossings failed?",
        "list them",
        "skippers who have left overnight",
        "crossings that departed in the morning",
        "how many ferries left from the cabins?",
        "average toll on weekends versus weekdays",
        "Show the rank of each ferry by beauty",
        "What is the proportion of ferries to skippers?",
    ],
)
def test_words_that_only_look_like_names_are_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_what_is_said_before_the_verb_is_said_of_the_whole(reader: Reader) -> None:
    found = assert_read(
        reader,
        "What share of crossings with a surcharge have failed?",
        ["where crossing.surcharge is not null"],
    )
    assert "surcharge is not null)" not in found.sql  # else the part would be counted of all


def test_hints_define_ranks(reader: Reader) -> None:
    hint = "FR = rank of each ferry ordered by total toll, with rank 1 being the lowest To find ferries, join them"
    found = reader.read("Return the ferry name, total toll and FR for each ferry", evidence=hint)
    assert isinstance(found, Reading)
    assert "rank() over (order by sum(crossing.toll) asc nulls last)" in found.sql
    alone = reader.read("What is the FR of each ferry?", evidence=hint)
    assert isinstance(alone, Reading)
    assert alone.sql.count("sum(crossing.toll)") == 1


@pytest.mark.parametrize(
    ("hint", "part"),
    [
        (
            "TF = COUNT(CASE WHEN outcome = 'failed' THEN 1 END) / COUNT(*) * 100",
            "100.0 * count(*) filter (where crossing.outcome = 'failed')::float8 / nullif(count(*), 0)",
        ),
        (
            "TF = SUM(CASE WHEN outcome = 'failed' THEN toll ELSE 0 END) / SUM(toll)",
            "sum(crossing.toll) filter (where crossing.outcome = 'failed')::float8 / nullif(sum(crossing.toll), 0)",
        ),
        ("TF refers to the sum of toll where surcharge is null", "where crossing.surcharge is null"),
    ],
)
def test_hints_define_measures_by_cases(reader: Reader, hint: str, part: str) -> None:
    found = reader.read("What is the TF for each ferry?", evidence=hint)
    assert isinstance(found, Reading), found.why
    assert part in found.sql
    assert "group by ferry.ferry_id" in found.sql


def test_a_case_of_what_no_column_is_called_is_no_condition(reader: Reader) -> None:
    hint = "TF = COUNT(CASE WHEN mood = 'failed' THEN 1 END) / COUNT(*)"
    assert isinstance(reader.read("What is the TF for each ferry?", evidence=hint), Refusal)


@pytest.mark.parametrize(
    ("said", "spelled"),
    [
        ("total labor hours", "total labour hours"),
        ("the organised 'labor' party", "the organized 'labor' party"),
        ("a meter of the harbour", "a meter of the harbour"),
    ],
)
def test_words_are_spelled_as_the_data_spells_them(said: str, spelled: str) -> None:
    assert as_spelled(said, {"labour", "organized", "meter"}) == spelled


def test_a_rank_within_something_else_is_not_guessed() -> None:
    hint = "SDR = rank within their specialty by the number of drugs"
    assert ranking("Return the name and SDR", hint) == ("Return the name and SDR", None)
    assert ranking("the rank of a general", "") == ("the rank of a general", None)
    said = "Show the pay and the rank by pay for each job"
    assert ranking(said, "") == ("Show the pay for each job", Ranking("pay"))


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("after 11pm", "after 23h00"),
        ("before 12 am", "before 00h00"),
        ("at 12:30 p.m. sharp", "at 12h30 sharp"),
        ("between 9am and noon", "between 09h00 and 12h00"),
        ("before noon", "before 12h00"),
        ("after 18:05", "after 18h05"),
        ("a score of 3:1", "a score of 3:1"),
        ("the Midnight Express and midnight", "the Midnight Express and midnight"),
        ("I am 5 amps", "I am 5 amps"),
        ("the slot '10:30' after 11pm", "the slot '10:30' after 11pm"),
    ],
)
def test_clocks_are_written_as_one_word(said: str, written: str) -> None:
    assert clocks_written(said) == written


@pytest.mark.parametrize(
    ("said", "plainly"),
    [
        ("average time from order to delivery per city", "average time from order to delivery per city"),
        ("longest delay between call and visit in hours", "maximum number of hours between call and visit"),
        ("what lies between dancing and singing", "what lies between dancing and singing"),
    ],
)
def test_times_without_a_unit_or_a_known_verb_stay(said: str, plainly: str) -> None:
    assert times_between(said, {"lodged"}) == plainly


@pytest.mark.parametrize(
    ("first", "then", "part"),
    [
        ("how many crossings failed?", "list them", "select crossing.crossing_id"),
        ("the top 5 ferries by number of crossings", "what about three?", "limit 3"),
        ("how many crossings departed in 2023?", "and 2022?", "date '2022-01-01'"),
        ("how many crossings departed after 11pm?", "and in 2023?", "time '23:00' and crossing"),
    ],
)
def test_follow_ups_of_numbers_and_lists(reader: Reader, first: str, then: str, part: str) -> None:
    before = reader.read(first)
    assert isinstance(before, Reading)
    found = reader.read(then, previous=before)
    assert isinstance(found, Reading), found.why
    assert part in found.sql
    assert found.confidence >= THRESHOLD


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("what is the average toll?", "list them"),
        ("how many crossings departed after 2018?", "and 2020?"),
        ("how many crossings are there per ferry?", "what about three?"),
    ],
)
def test_follow_ups_that_may_mean_several_things_are_refused(reader: Reader, first: str, then: str) -> None:
    before = reader.read(first)
    assert isinstance(before, Reading)
    found = reader.read(then, previous=before)
    assert isinstance(found, Refusal) or found.confidence < THRESHOLD


@pytest.mark.server
def test_ranks_and_times_of_day_run(scratch_server: ScratchServer) -> None:
    """What is written is what PostgreSQL takes: midnight is the end of a day, those that tie share a rank."""
    database = scratch_server.create_database()
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(
            "create table dock (dock_id int primary key, dock_name text not null);"
            "create table arrival (arrival_id int primary key, dock_id int not null references dock, "
            "arrived_at timestamp not null, crates int not null);"
            "insert into dock values (1, 'Ost'), (2, 'Nord'), (3, 'West');"
            "insert into arrival values (1, 1, '2024-03-02 23:59', 5), (2, 2, '2024-03-04 22:00', 5), "
            "(3, 1, '2024-03-05 21:59', 2), (4, 2, '2024-03-05 00:00', 2)"
        )
        asker = Asker(connection)
        late = asker.ask("how many arrivals were there between 10 pm and midnight?")
        assert [tuple(row) for row in late.rows] == [(2,)]
        ranks = asker.ask("Show the total crates and the rank by total crates for each dock")
        assert sorted(tuple(row) for row in ranks.rows) == [("Nord", 7, 1), ("Ost", 7, 1)]
        every = asker.ask("Show the number of arrivals for all docks")
        assert sorted(tuple(row) for row in every.rows) == [("Nord", 2), ("Ost", 2), ("West", 0)]
    scratch_server.drop_database(database)
