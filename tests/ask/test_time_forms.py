"""Forms about times and cases: how long, from one period to the next, differences, counts side by side, whether
there is any, what was done, shares of some rows.

Over a kennel, a schema that shares no word with another set.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    hound = table(
        "hound", 40, hound_id="int4 key", callname="text", coat="text:brindle,fawn,merle", chipped="bool"
    )
    keeper = table("keeper", 9, keeper_id="int4 key", name="text", shift="text:dawn,dusk")
    sojourn = table(
        "sojourn",
        300,
        sojourn_id="int4 key",
        hound_id="int4 *36",
        keeper_id="int4 *9",
        checked_in="timestamp",
        checked_out="timestamp null",
        bill="numeric",
        deposit="numeric",
        cage_class="text:lawn,indoor,suite",
    )
    licence = table(
        "licence", 40, licence_id="int4 key", hound_id="int4 *40", issued_on="date", revoked_on="date null", expires_on="date"
    )  # fmt: skip
    tables = [hound, keeper, sojourn, licence]
    return reader_of(
        tables,
        "sojourn.hound_id hound.hound_id",
        "sojourn.keeper_id keeper.keeper_id",
        "licence.hound_id hound.hound_id",
    )


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "How long do sojourns last on average, in hours, per keeper?",
            ["avg((extract(epoch from sojourn.checked_out - sojourn.checked_in) / 3600.0))", "group by keeper."],
        ),
        (
            "What is the average number of days between check in and check out?",
            ["avg((extract(epoch from sojourn.checked_out - sojourn.checked_in) / 86400.0))"],
        ),
        ("How many sojourns lasted longer than 9 days?", ["> interval '9 days'", "count(*)"]),
        ("number of sojourns per month", ["date_trunc('month', sojourn.checked_in)"]),
        ("total bill of sojourns in March 2024", ["sojourn.checked_in >= date '2024-03-01'"]),
        (
            "running total of the bill of sojourns per month",
            ["sum(sum(sojourn.bill)) over (order by date_trunc('month', sojourn.checked_in))"],
        ),
        (
            "What was the month-over-month change in the total bill of sojourns?",
            [
                "sum(sojourn.bill) - lag(sum(sojourn.bill)) over (order by",
                "group by date_trunc('month'",
                # the row before is the month before only where no month is missing
                "= date_trunc('month', sojourn.checked_in) - interval '1 month' then sum(sojourn.bill)",
            ],
        ),
        (
            "number of sojourns per year with the percent change compared to the previous year",
            [
                "100.0 * (count(*) - lag(count(*))",
                "extract(year from sojourn.checked_in)",
                "= extract(year from sojourn.checked_in) - 1 then 100.0",
            ],
        ),
        (
            "How did the number of sojourns change from 2022 to 2023?",
            ["checked_in >= date '2023-01-01'", ") - count(*) filter (where sojourn.checked_in >= date '2022-01-01'"],
        ),
        (
            "What is the average difference between bill and deposit?",
            ["avg((sojourn.bill - sojourn.deposit))"],
        ),
        ("difference between the highest and the lowest bill", ["(max(sojourn.bill) - min(sojourn.bill))"]),
        (
            "How many sojourns were lawn, how many indoor and how many suite?",
            ["filter (where sojourn.cage_class = 'lawn'), count(*) filter (where sojourn.cage_class = 'indoor'), "],
        ),
        ("How many hounds are chipped and how many are not?", ["where hound.chipped), count(*) filter (where not"]),
        ("Are there any fawn hounds?", ["select exists (", "hound.coat = 'fawn'"]),
        ("Is there a keeper without any sojourn?", ["select exists (", "not exists (select from public.sojourn"]),
        ("How many licences have been revoked?", ["licence.revoked_on is not null"]),
        ("licences that have not been revoked", ["licence.revoked_on is null"]),
        (
            "What percentage of brindle hounds are chipped?",
            ["filter (where hound.chipped)", "where hound.coat = 'brindle'"],
        ),
        (
            "What share of sojourns in 2023 was lawn?",
            ["filter (where sojourn.cage_class = 'lawn')::float8", "where sojourn.checked_in >= date '2023-01-01'"],
        ),
        (
            "Compare the average bill of lawn, indoor and suite sojourns.",
            ["cage_class in ('lawn', 'indoor', 'suite')", "group by sojourn.cage_class"],
        ),
        (
            "top 3 sojourns by bill for each keeper",
            ["row_number() over (partition by keeper.", "order by sojourn.bill desc", "place <= 3"],
        ),
        (
            "top 2 keepers by number of sojourns in each shift",
            ["partition by keeper.shift order by count(*) desc", "place <= 2"],
        ),
        (
            "number of sojourns in each of the last 3 months",
            ["group by date_trunc('month', sojourn.checked_in)", "current_date - interval '3 months'"],
        ),
        ("number of sojourns for each month and keeper", ["group by date_trunc('month', sojourn.checked_in), keeper."]),
    ],
)  # fmt: skip
def test_what_is_read(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


@pytest.mark.parametrize(
    "question",
    [
        "How long do keepers live?",
        "How many days are there between Monday and Friday?",
        "Which hounds took longer than 3 days?",
        "running total of sojourns",
        "change in the bill of sojourns",
        "number of sojourns and average bill per month with the change compared to the previous month",
        "How did the total bill change?",
        "growth in the number of sojourns from 2022 to 2023",
        "difference between the bills",
        "difference between bill and keeper",
        "How many sojourns were lawn and how many velvet?",
        "Are there any striped hounds?",
        "Is there a way to get more hounds?",
        "Do any keepers like hounds?",
        "How many hounds are still growling?",
    ],
)
def test_what_is_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)
