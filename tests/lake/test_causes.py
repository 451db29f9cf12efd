"""What went wrong on lakes that nobody had looked at, each cause on tables made for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.lake.api import Lake
from tests.lake.asking import asked, columns_of, table

_NAMES = ("Ada", "Bea", "Cleo", "Dot", "Eve", "Fay", "Gia", "Hope", "Ivy", "June", "Kim", "Lou")
_STATES = ("Maine", "Ohio", "Utah", "Iowa", "Texas", "Idaho", "Nevada", "Kansas", "Oregon", "Alaska")


def write_lake(folder: Path) -> None:
    shows = [
        f"S{s},{_NAMES[(i + s) % 12]},199{i % 10}-0{i % 9 + 1}-11,{['Rome', 'Oslo', 'Bonn'][i % 3]},{20 + i + s}"
        for s in range(1, 5)
        for i in range(9)
    ]
    table(folder, "show_contestants", "season,contestant,dob,hometown,age", shows)
    episodes = [
        f"S{s},{e},{11 - e},{_NAMES[(e + s) % 12]},{_NAMES[(e + s + 1) % 12]},{_NAMES[(e + s + 2) % 12]},Title {s}{e}"
        for s in range(1, 5)
        for e in range(1, 7)
    ]
    table(folder, "show_ep", "season,episode,numcontestants,eliminated1,bottom1,bottom2,nickname", episodes)
    for part in ("Africa", "Asia", "Europe"):
        rows = [f"{part[:2]}land {i},{2000 + i % 4},{60 + i * 1.5 + len(part)}" for i in range(16)]
        table(folder, f"progress_{part}", "country,year,life_expectancy", rows)
    polls = [
        f"2016-0{i % 6 + 1}-01,2016-0{i % 6 + 1}-09,Firm {i},{['Online', 'Phone'][i % 2]}" for i in range(20)
    ]
    table(folder, "opinion_polls", "startdate,enddate,pollster,poll_type", polls)
    rates = [
        f"{['direct', 'groups', 'corporate'][i % 3]},{['transient', 'contract', 'party'][i % 2]},{40 + i}"
        for i in range(30)
    ]
    table(folder, "hotel_rates", "market_segment,customer_type,avg_price", rates)
    gases = [f"{['CO2', 'CH4', 'N2O'][i % 3]},{20 + 33 * i},{300 + i % 7}" for i in range(60)]
    table(folder, "greenhouse_gases", "gas,year,concentration", gases)
    metro = [f"Stop {n},Town {i % 4},{900 + i * 7},{i % 3}" for i, n in enumerate(_NAMES)]
    table(folder, "metro", "name,location,passengers,lines", metro)
    for part in ("Chick Fil-A", "Mc Donalds"):
        meals = [f"{part[:4]} meal {i},{400 + 31 * i},{900 + i},Other" for i in range(14)]
        table(folder, f"fastfood_{part}", "item,calories,sodium,salad", meals)
    census = [
        f"{n}ton,{['Kent', 'Avon'][i % 2]},{900 + i * 41},{300 + i},M. {n}" for i, n in enumerate(_NAMES)
    ]
    table(folder, "settlement_stats", "settlement,cnty,pop_2020,hh,mayor", census)
    crashes = [f"2021-01-0{i % 9 + 1},A{i % 5},{i % 6},{i % 2}" for i in range(40)]
    table(folder, "crash", "dt,road,casualties,fatal", crashes)
    table(
        folder,
        "illiteracy",
        "state,pop,illiterate",
        [f"{s},{900 + i},{10 + i}" for i, s in enumerate(_STATES)],
    )
    table(folder, "turnout", "state,voters,ballots", [f"{s},{70 + i},{i * 3}" for i, s in enumerate(_STATES)])


def test_how_many_there_are_is_not_who_they_are(lake: Lake) -> None:
    """`contestants` are not `numcontestants`, whatever word they share."""
    told = columns_of(
        asked(lake, "SELECT performer, birth_date, contestants FROM competitors WHERE season_code = 'S2'")
    )
    assert told["contestants"] == "show_contestants.contestant"
    assert told["birth_date"] == "show_contestants.dob"


def test_a_key_the_query_names_is_used_though_others_are_as_strong(lake: Lake) -> None:
    answer = asked(
        lake,
        "SELECT e.episode, a.age AS one, b.age AS two FROM episodes e JOIN contestants a ON e.bottom1_id = a.id "
        "JOIN contestants b ON e.bottom2_id = b.id WHERE e.season = 'S3' ORDER BY e.episode",
    )
    assert '"bottom1"' in answer.resolution.sql
    assert '"bottom2"' in answer.resolution.sql
    assert '"eliminated1"' not in answer.resolution.sql


def test_a_part_nobody_asked_for_does_not_stand_for_the_whole(lake: Lake) -> None:
    answer = asked(lake, "SELECT nation, longevity FROM country_progress WHERE year = 2001 ORDER BY nation")
    assert answer.rows is not None
    assert {row[0][:2] for row in answer.rows.rows} == {"Af", "As", "Eu"}


def test_a_part_that_is_named_is_the_one(lake: Lake) -> None:
    answer = asked(lake, "SELECT nation, longevity FROM progress_of_asia WHERE year = 2001 ORDER BY nation")
    assert answer.rows is not None
    assert {row[0][:2] for row in answer.rows.rows} == {"As"}


def test_the_end_of_something_is_a_date(lake: Lake) -> None:
    told = columns_of(asked(lake, "SELECT pollster, survey_end FROM surveys ORDER BY survey_end, pollster"))
    assert told["survey_end"] == "opinion_polls.enddate"


def test_a_noun_is_the_column_it_is_the_head_of(lake: Lake) -> None:
    told = columns_of(
        asked(lake, "SELECT segment, AVG(price) AS mean FROM hotel_prices GROUP BY segment ORDER BY segment")
    )
    assert told["segment"] == "hotel_rates.market_segment"


def test_the_most_of_something_is_no_year(lake: Lake) -> None:
    answer = asked(lake, "SELECT MAX(level) AS most FROM greenhouse_gas_levels WHERE gas = 'methane'")
    assert columns_of(answer)["level"] == "greenhouse_gases.concentration"
    assert answer.resolution.corrections[0]["to"] == "CH4"


def test_a_table_that_there_is_not_is_no_other_one(lake: Lake) -> None:
    """`regions` is joined by its key alone: nothing of it is missed."""
    answer = asked(
        lake,
        "SELECT s.state, s.illiterate FROM illiteracy s JOIN regions r ON s.region_id = r.id "
        "WHERE s.illiterate > 12 ORDER BY s.state",
    )
    assert "turnout" not in answer.resolution.sql


@pytest.mark.parametrize("column", ["station_name", "station"])
def test_what_the_things_are_called_is_their_name_whatever_their_table_is(lake: Lake, column: str) -> None:
    text = f"SELECT {column}, annual_passengers FROM subway_stations ORDER BY annual_passengers DESC"
    assert columns_of(asked(lake, text))[column] == "metro.name"


def test_what_is_the_same_in_all_rows_is_not_what_was_asked_for(lake: Lake) -> None:
    told = columns_of(asked(lake, "SELECT dish, sodium_mg FROM fast_food WHERE chain = 'Mc Donalds'"))
    assert told["dish"].endswith(".item")


def test_a_part_is_called_as_its_file_writes_it(lake: Lake) -> None:
    answer = asked(
        lake,
        "SELECT restaurant, MAX(calories) AS most FROM fast_food GROUP BY restaurant ORDER BY restaurant",
    )
    assert answer.rows is not None
    assert [row[0] for row in answer.rows.rows] == ["Chick Fil-A", "Mc Donalds"]


def test_a_year_behind_a_name_is_not_what_it_is_of(lake: Lake) -> None:
    told = columns_of(asked(lake, "SELECT town, residents, households FROM town_census"))
    assert told["residents"] == "settlement_stats.pop_2020"
    assert told["households"] == "settlement_stats.hh"


@pytest.mark.parametrize(("name", "column"), [("killed", "fatal"), ("people_hurt", "casualties")])
def test_who_is_killed_and_who_is_hurt(lake: Lake, name: str, column: str) -> None:
    told = columns_of(asked(lake, f"SELECT road, SUM({name}) AS total FROM accidents GROUP BY road"))
    assert told[name] == f"crash.{column}"
