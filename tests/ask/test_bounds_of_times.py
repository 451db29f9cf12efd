"""Times that reach over midnight or a year's end, that are counted from now, or whose bounds are turned round."""

from __future__ import annotations

import re

import pytest

from rewright.ask.reading.api import Reader
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    return reader_of(
        [
            table(
                "crossing",
                80,
                crossing_id="int4 key",
                departed_at="timestamp",
                toll="numeric",
                outcome="text:failed,smooth",
            ),
            table("dose", 200, dose_id="int4 key", given_on="date", amount="numeric"),
        ]
    )


def departed(test: str) -> str:
    return re.sub(r"\bT\b", "crossing.departed_at", test)


@pytest.mark.parametrize(
    ("question", "test"),
    [
        # what begins later than it ends reaches over midnight
        (
            "crossings that departed between 10 pm and 2 am",
            "(T::time >= time '22:00' or T::time < time '02:00')",
        ),
        (
            "crossings that departed between 9 am and 5 pm",
            "T::time >= time '09:00' and T::time < time '17:00'",
        ),
        (
            "crossings that departed at or after 11 pm and before 1 am",
            "(T::time >= time '23:00' or T::time < time '01:00')",
        ),
        (
            "crossings that departed before 1 am and after 11 pm",
            "(T::time > time '23:00' or T::time < time '01:00')",
        ),
        (
            "crossings that departed after 8 am but before 6 pm",
            "T::time > time '08:00' and T::time < time '18:00'",
        ),
        (
            "crossings that departed before 6 am or after 10 pm",
            "(T::time < time '06:00' or T::time > time '22:00')",
        ),
        # hours are counted from now, days from today
        ("crossings in the last hour", "where T >= localtimestamp - interval '1 hour'"),
        (
            "crossings in the previous hour",
            "T >= date_trunc('hour', localtimestamp) - interval '1 hour' and T < date_trunc('hour', localtimestamp)",
        ),
        ("crossings in the past 3 hours", "T >= localtimestamp - interval '3 hours'"),
        ("crossings 2 hours ago", "T >= date_trunc('hour', localtimestamp - interval '2 hours')"),
        ("crossings this hour", "T >= date_trunc('hour', localtimestamp)"),
        ("crossings more than 2 hours ago", "T < localtimestamp - interval '2 hours'"),
        ("crossings in the past 3 days", "T >= current_date - interval '3 days'"),
        # bounds of two years, and bounds turned round
        ("crossings between November and February 2023", "T >= date '2022-11-01' and T < date '2023-03-01'"),
        ("crossings between January and March 2023", "T >= date '2023-01-01' and T < date '2023-04-01'"),
        ("crossings from December to January 2023", "T >= date '2022-12-01' and T < date '2023-02-01'"),
        (
            "crossings between 3 March 2023 and 1 March 2023",
            "T >= date '2023-03-01' and T < date '2023-03-04'",
        ),
        ("crossings between 2023 and 2020", "T >= date '2020-01-01' and T < date '2024-01-01'"),
        ("crossings with toll between 10 and 3", "toll between 3 and 10"),
        ("crossings with toll between 9.5 and 10", "toll between 9.5 and 10"),
        # the year of a list is said once
        (
            "crossings in May or June 2023",
            "(T >= date '2023-05-01' and T < date '2023-06-01' or T >= date '2023-06-01' and T < date '2023-07-01')",
        ),
        ("crossings in May or June", "(extract(month from T) = 5 or extract(month from T) = 6)"),
        ("crossings in May", "extract(month from T) = 5"),
        # what begins with a time does not end with it, and the other way round
        ("crossings since yesterday", "where T >= current_date - 1"),
        ("crossings since last month", "where T >= date_trunc('month', current_date) - interval '1 month'"),
        ("crossings since this year", "where T >= date_trunc('year', current_date)"),
        ("crossings from March 2023 on", "where T >= date '2023-03-01'"),
        ("crossings from March 2023 onwards", "where T >= date '2023-03-01'"),
        ("crossings through March 2023", "where T < date '2023-04-01'"),
    ],
)
def test_bounds(reader: Reader, question: str, test: str) -> None:
    assert_read(reader, question, [departed(test)])


@pytest.mark.parametrize(
    ("question", "test"),
    [
        ("crossings yesterday", "T < current_date - 1 + 1"),
        ("crossings last month", "T < date_trunc('month', current_date)"),
        ("crossings all through March 2023", "T >= date '2023-03-01' and T < date '2023-04-01'"),
        ("crossings from January through March 2023", "T >= date '2023-01-01' and T < date '2023-04-01'"),
        ("crossings from March 2023 on weekends", "T < date '2023-04-01'"),
        ("number of crossings per week of 2023", "T >= date '2023-01-01' and T < date '2024-01-01'"),
    ],
)
def test_what_ends_still_ends(reader: Reader, question: str, test: str) -> None:
    assert_read(reader, question, [departed(test)])


@pytest.mark.parametrize(
    ("question", "test"),
    [
        (
            "crossings in the last 7 days excluding today",
            "T >= current_date - interval '7 days' and T < current_date",
        ),
        ("crossings in the last 3 months excluding today", "T < current_date"),
        (
            "crossings in the last 3 months excluding the current month",
            "T < date_trunc('month', current_date)",
        ),
        ("crossings in the last 7 days including today", "T >= current_date - interval '6 days'"),
    ],
)
def test_without_today(reader: Reader, question: str, test: str) -> None:
    found = assert_read(reader, question, [departed(test)])
    assert found.sql.endswith(departed(test).split(" and ")[-1])


@pytest.mark.parametrize(
    "question",
    [
        "crossings that departed between 10 pm and 10 pm",
        "doses given in the last 3 hours",
        "crossings from 2023 to 2020",
        "crossings in December or January 2023",
        "crossings in May 2022 or June",
        "crossings in the last 7 days excluding Sundays",
        "crossings on the last day of March 2023",
        "crossings in the week of 3 March 2023",
        "crossings on 3.5 March 2023",
    ],
)
def test_what_is_no_one_span_is_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_the_third_is_a_day(reader: Reader) -> None:
    assert_read(
        reader, "crossings on 3 March 2023", [departed("T >= date '2023-03-03' and T < date '2023-03-04'")]
    )
