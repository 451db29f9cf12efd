"""Forms of questions over a schema with two dates a row, two names a row, lookup tables and keys that say a role:
what is read, and what near it is refused.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Reading, Refusal
from tests.ask.readings import assert_read, assert_refused, reader_of, table

_SURE = 0.75


@pytest.fixture(scope="module")
def reader() -> Reader:
    kind = table("kind", 4, code="text key:BAL,OPR", label="text:ballet,opera,farce,drama")
    person = table(
        "person", 9, person_id="int4 key", full_name="text:Ana Roth,Bo Dent", post="text:producer,tailor"
    )
    troupe = table(
        "troupe", 12, troupe_id="int4 key", stage_name="text key:Larks,Owls", legal_name="text", town="text:Ulm,Graz",
        joined_on="date", quit_on="date"
    )  # fmt: skip
    play = table(
        "play", 60, play_id="int4 key", troupe_id="int4 *10", kind_code="text *4", producer_id="int4 *5",
        title="text key:Gull", seconds="int4", rehearsed_on="date", premiered_on="date",
        state="text:premiered,planned,dropped", fee="numeric"
    )  # fmt: skip
    show = table(
        "show", 300, show_id="int4 key", play_id="int4 *50", venue="text:Ulm Hall,Graz Barn", announced_on="date",
        held_on="date", tickets_sold="int4", ticket_price="numeric", revenue="numeric", matinee="bool"
    )  # fmt: skip
    tables = [kind, person, troupe, play, show]
    return reader_of(
        tables,
        "play.troupe_id troupe.troupe_id",
        "play.kind_code kind.code",
        "play.producer_id person.person_id",
        "show.play_id play.play_id",
    )


@pytest.mark.parametrize(
    ("question", "parts", "without"),
    [
        (
            "Which troupes have no opera play?",
            ["select troupe.stage_name", "not exists", "'opera'"],
            " in (select",
        ),
        ("List the troupes from Ulm.", ["select troupe.stage_name"], "troupe_id from"),
        ("What was the revenue in March 2023?", ["select sum(show.revenue)", "show.held_on"], "distinct"),
        ("Which plays are shorter than the average play?", ["play.seconds < (select avg"], ">"),
        ("Which plays are longer than the average?", ["play.seconds > (select avg"], "<"),
        ("Number of shows per year", ["extract(year from show.held_on)"], "announced"),
        ("How many plays premiered in 2022?", ["play.premiered_on >= date '2022"], "state"),
        (
            "List the titles and premiere dates of all opera plays.",
            ["play.title, play.premiered_on"],
            "rehearsed",
        ),
        ("When was Gull premiered?", ["play.premiered_on from", "'Gull'"], "rehearsed"),
        (
            "What share of plays is there per state?",
            ["count(*)::float8 / nullif(sum(count(*)) over (), 0)"],
            "",
        ),
        ("percentage of plays per state", ["100.0 * count(*)", "over ()"], ""),
        ("What is the average length of plays in minutes?", ["avg(play.seconds) / 60.0"], ""),
        ("What is the median fee?", ["percentile_cont(0.5) within group (order by play.fee)"], ""),
        ("Which play sold the most tickets?", ["sum(show.tickets_sold)"], "ticket_price"),
        (
            "Which troupe has the most planned plays?",
            ["play.state = 'planned'", "order by count(*) desc"],
            "",
        ),
        ("Which year had the most shows?", ["group by extract(year from show.held_on) order"], "show_id"),
        (
            "How many troupes have more than 3 plays?",
            ["(select count(*) from public.play", "> 3"],
            "group by",
        ),
        (
            "How many troupes have at least 2 planned plays?",
            ["play.state = 'planned') >= 2"],
            "group by",
        ),
        (
            "Compare the number of shows of 2022 with that of 2023 for each venue.",
            ["filter (where show.held_on >= date '2022", "filter (where show.held_on >= date '2023"],
            "",
        ),
        (
            "How many shows were there in 2022 and how many in 2023?",
            ["date '2022-01-01'", "date '2023-01-01'"],
            "",
        ),
        (
            "Which plays were shown in all venues?",
            ["having count(distinct show.venue) = (select count(distinct venue) from public.show)"],
            "",
        ),
        ("Which plays have a show in every venue?", ["having count(distinct show.venue) = (select"], ""),
        ("What is the fee of play 17?", ["play.play_id = 17"], "sum("),
        ("Which play titles contain the word Gull?", ["ilike '%Gull%'"], ""),
        ("Which troupes have not written a single play?", ["not exists"], ""),
        (
            "List troupes with the number of plays, sorted by number of plays",
            ["select troupe.stage_name, count(*)"],
            "",
        ),
    ],
)
def test_what_is_read(reader: Reader, question: str, parts: list[str], without: str) -> None:
    assert_read(reader, question, parts, without)


@pytest.mark.parametrize(
    "question",
    [
        "What is the dearest play, and whose is it?",
        "What is the longest play and when was it premiered?",
        "List the troupes and where they live.",
        "What will our revenue be in 2031?",
        "What is the average length of plays in kilometers?",
        "Shows with more than 80% of the tickets sold",
        "How many shows were held in 2022 and in 2023?",
        "List all plays with troupe name and producer name",
        "How many plays will premiere next year and why?",
        "Which plays have had every troupe?",
        "Which troupes have not staged anything?",
    ],
)
def test_what_is_not_clear_is_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_a_role_is_no_value(reader: Reader) -> None:
    """`produces` says the key producer_id, not that someone's post is producer."""
    found = reader.read("How many plays that Ana Roth produces are there?")
    assert isinstance(found, Refusal) or "'producer'" not in found.sql


def test_one_value_without_the_other(reader: Reader) -> None:
    found = reader.read("Which plays were shown in Ulm Hall but not in Graz Barn?")
    assert isinstance(found, Reading), found.why
    assert " exists (" in found.sql, found.sql
    assert "not exists (" in found.sql
    assert found.confidence >= _SURE


def test_two_values_of_two_rows(reader: Reader) -> None:
    found = reader.read("Which plays were shown in Ulm Hall and Graz Barn?")
    assert isinstance(found, Reading), found.why
    assert found.sql.count("exists (") == 2, found.sql
