"""Words that a reading took for less than they say, and everyday forms beside them."""

from __future__ import annotations

import pytest

from rewright.ask.context import Context, Join
from rewright.ask.reading.api import Reader, Reading, Refusal
from tests.ask.readings import THRESHOLD, table


@pytest.fixture(scope="module")
def league() -> Reader:
    teams = table(
        "team",
        20,
        team_id="int4 key",
        team_name="text unique",
        country="text:Germany,Denmark",
        budget="numeric *8",
    )
    players = table(
        "player",
        90,
        player_id="int4 key",
        player_name="text unique",
        birthdate="date",
        nationality="text:German,Danish",
        team_id="int4 *20",
        role="text:captain,support",
    )
    cups = table("tournament", 30, tournament_id="int4 key", title="text unique", city="text:Seoul,Cologne")
    entries = table(
        "entry",
        90,
        tournament_id="int4 *30",
        team_id="int4 *20",
        place="int4 *9",
        prize="numeric",
    )
    coaches = table("coach", 20, coach_id="int4 key", coach_name="text unique", team_id="int4 *20")
    joins = [
        Join(players.columns[4], teams.columns[0], 1.0),
        Join(entries.columns[0], cups.columns[0], 1.0),
        Join(entries.columns[1], teams.columns[0], 1.0),
        Join(coaches.columns[2], teams.columns[0], 1.0),
    ]
    return Reader(Context.of(tables=[teams, players, cups, entries, coaches], joins=joins))


@pytest.fixture(scope="module")
def nursery() -> Reader:
    houses = table(
        "nurseries",
        6,
        nursery_id="int4 key",
        name="text unique:Oak House",
        town="text:Ludlow,Bewdley",
        opened="date",
        capacity="int4",
    )
    carers = table(
        "carers",
        40,
        carer_id="int4 key",
        full_name="text unique",
        nursery_id="int4 *6",
        qualification="text:none,level 2",
        hourly_rate="numeric",
        started="date",
    )
    children = table(
        "children",
        90,
        child_id="int4 key",
        child_name="text unique",
        sex="text:girl,boy",
        date_of_birth="date",
        left_on="date null",
    )
    incidents = table(
        "incidents",
        90,
        incident_id="int4 key",
        child_id="int4 *80",
        carer_id="int4 *39",
        happened_at="timestamp",
        kind="text:bump,bite",
    )
    rooms = table(
        "rooms",
        9,
        room_id="int4 key",
        nursery_id="int4 *6",
        label="text:Babies,Toddlers",
        places="int4",
        min_age_months="int4",
    )
    invoices = table(
        "invoices",
        90,
        invoice_no="int4 key",
        child_id="int4 *80",
        month="date *20",
        total="numeric",
        funded_hours="int4 *4",
    )
    checks = table(
        "inspections", 9, check_id="int4 key", nursery_id="int4 *6", inspected_on="date", inspector="text *3"
    )
    joins = [
        Join(carers.columns[2], houses.columns[0], 1.0),
        Join(incidents.columns[1], children.columns[0], 1.0),
        Join(incidents.columns[2], carers.columns[0], 1.0),
        Join(rooms.columns[1], houses.columns[0], 1.0),
        Join(invoices.columns[1], children.columns[0], 1.0),
        Join(checks.columns[1], houses.columns[0], 1.0),
    ]
    return Reader(
        Context.of(tables=[houses, carers, children, incidents, rooms, invoices, checks], joins=joins)
    )


def surely(reader: Reader, question: str) -> str:
    found = reader.read(question)
    assert isinstance(found, Reading), found.why
    assert found.confidence >= THRESHOLD, found.doubts
    return found.sql.replace("public.", "")


def not_surely(reader: Reader, question: str) -> bool:
    found = reader.read(question)
    return isinstance(found, Refusal) or found.confidence < THRESHOLD


@pytest.mark.parametrize(
    "question",
    [
        "Which team has won the most tournaments?",
        "Which players play for a team from their own country?",
    ],
)
def test_what_a_word_says_is_not_left_out(league: Reader, question: str) -> None:
    assert not_surely(league, question)


@pytest.mark.parametrize("question", ["Which carers have left?", "Which carer has worked here the longest?"])
def test_what_was_done_is_no_other_tables_and_a_rate_no_length(nursery: Reader, question: str) -> None:
    assert not_surely(nursery, question)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Which team took part in the most tournaments?", "count(*) desc"),
        ("Who are the captains of the German teams?", "select player.player_name"),
        ("List the players from Denmark", "player.nationality = 'Danish'"),
        ("top 5 teams by prize money", "order by sum(entry.prize) desc"),
        ("List the tournaments in Seoul with the number of teams", "group by tournament.tournament_id"),
        ("List the names of the coaches and their teams", "select coach.coach_name, team.team_name"),
        ("What is the budget of the team that has the most players?", "group by team.team_id"),
        (
            "How old are the players on average?",
            "avg(extract(year from age(current_date, player.birthdate)))",
        ),
        ("Which team has the oldest player?", "order by min(player.birthdate) asc"),
    ],
)
def test_everyday_forms_of_a_league(league: Reader, question: str, part: str) -> None:
    assert part in surely(league, question)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("List the carers without any qualification", "qualification = 'none'"),
        ("How many places are there in the baby rooms?", "rooms.label = 'Babies'"),
        ("What was the average invoice?", "avg(invoices.total)"),
        ("Which invoices are above 1000?", "invoices.total > 1000"),
        ("What is the highest invoice?", "max(invoices.total)"),
        ("Number of girls and boys", "select children.sex, count(*)"),
        ("How many girls and boys are there?", "group by children.sex"),
        ("Who is the best paid carer?", "order by carers.hourly_rate desc"),
        ("Who inspected Oak House?", "select inspections.inspector"),
        ("How many incidents happened in each nursery?", "group by nurseries.nursery_id"),
        ("What kinds of incidents happen most often?", "select incidents.kind"),
        ("What is the total capacity of the nurseries in Ludlow?", "sum(nurseries.capacity)"),
        (
            "How old is the youngest child?",
            "min(extract(year from age(current_date, children.date_of_birth)))",
        ),
        ("In which month do most incidents happen?", "date_trunc('month', incidents.happened_at)"),
        ("How many invoices are there per month in 2024?", "group by invoices.month"),
    ],
)
def test_everyday_forms_of_a_nursery(nursery: Reader, question: str, part: str) -> None:
    assert part in surely(nursery, question)


def test_what_was_first_is_shown_without_its_date(nursery: Reader) -> None:
    assert surely(nursery, "Which nursery was opened first?").startswith("select nurseries.name from")


def test_extremes_of_rows_for_each_group_are_not_guessed(nursery: Reader) -> None:
    assert not_surely(nursery, "What was the highest invoice for each child?")
