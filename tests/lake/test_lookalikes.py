"""Where several tables or columns would do: the one that is meant is chosen for what
the names and joins say.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import CachedEmbedder
from rewright.lake.resolve.likeness import initials, lexical
from tests.lake.small_lakes import write

LANDS = (
    "Norway",
    "Chile",
    "Malta",
    "Kenya",
    "Japan",
    "Peru",
    "Ghana",
    "Fiji",
    "Oman",
    "Cuba",
    "Laos",
    "Mali",
    "Togo",
)


def league(folder: Path) -> Path:
    """Players and coaches by number, seasons in two parts, wealth of nations in tables of different years,
    routes between places.
    """
    people = [
        (f"p{i:03d}x", f"{LANDS[i % 7]}a", f"{LANDS[i % 13]}{'esk'[i % 3]}", f"{LANDS[i % 7]}a Ola")
        for i in range(30)
    ]
    write(
        folder / "Persons.csv", ["personID", "nameFirst", "nameLast", "nameGiven"], [list(p) for p in people]
    )
    write(
        folder / "CoachPrizes.csv",
        ["personID", "prizeID", "yearID"],
        [[people[i % 9][0], f"Coach of the Year {i % 2}", 2000 + i] for i in range(20)],
    )
    write(
        folder / "Squads.csv",
        ["squadID", "yearID", "W", "G", "HR"],
        [[f"S{i % 6}", 2000 + i // 6, 40 + i, 90, 200 + i] for i in range(60)],
    )
    for year in (2016, 2020):
        write(
            folder / f"contests_{year}.csv",
            ["type", "state", "num_polls"],
            [[("SenateRace", "HouseRace")[i % 2], f"Z{i}", i + year - 2000] for i in range(24)],
        )
    write(folder / "wealth_list.csv", ["country", "wealth_bn"], [[c, 10 + i] for i, c in enumerate(LANDS)])
    write(
        folder / "census.csv",
        ["country", "year", "pop"],
        [[c, y, 10**6 * (i + 1) + y] for i, c in enumerate(LANDS) for y in (1997, 2002, 2007)],
    )
    write(
        folder / "price_index.csv",
        ["country", "year", "index"],
        [[c, y, i + y / 1000] for i, c in enumerate(LANDS) for y in range(1990, 2016)],
    )
    places = [[f"Q{c}{c}", f"{c}ville", 40.0 + i, -90.0 - i] for i, c in enumerate("ABCDEFGHIJKLMN")]
    write(folder / "landing_fields.csv", ["code", "town", "lat", "lon"], places)
    write(
        folder / "hops.csv",
        ["field1", "field2", "end_lat", "end_lon", "cnt"],
        [
            [a[0], b[0], b[2], b[3], 10 * i + j]
            for i, a in enumerate(places)
            for j, b in enumerate(places)
            if (i + 2 * j) % 3 == 1
        ],
    )
    write(
        folder / "crew_list.csv",
        ["CrewId", "LastName", "ReportsTo", "Berth"],
        [[i + 1, name, None if i == 0 else 1 + i // 3, 3 + i % 4] for i, name in enumerate(LANDS)],
    )
    write(
        folder / "crew_ages.csv",
        ["surname", "crew", "age", "year"],
        [[name, "ab"[i % 2], str(20 + i) if i else "unknown", 2015] for i, name in enumerate(LANDS)],
    )
    write(
        folder / "episodes_of_joy.csv",
        ["EPISODE", "TITLE", "CABIN"],
        [[f"S01E{i:02d}", f"A Walk {i} in the Woods", i % 2] for i in range(26)],
    )
    return folder


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, embedder: CachedEmbedder) -> Iterator[Lake]:
    folder = league(tmp_path_factory.mktemp("league"))
    with open_lake(
        folder, catalog=tmp_path_factory.mktemp("catalog") / "league.db", embedder=embedder
    ) as opened:
        yield opened


def mapped(lake: Lake, sql: str) -> dict[str, str]:
    """Imagined column → real table.column."""
    told = lake.query(sql, "resolve").resolution
    return {m.column: f"{m.real_table}.{m.real_column}" for m in told.columns}


def rows(lake: Lake, sql: str) -> list[tuple[Any, ...]]:
    answer = lake.query(sql, "resolve")
    assert answer.rows is not None
    return answer.rows.rows


def test_a_columns_name_repeats_its_tables(lake: Lake) -> None:
    """`coach_last` of `coach_prizes` is a last name; not what holds `Coach of the Year`."""
    told = mapped(
        lake, "SELECT coach_first, coach_last, prize_year FROM coach_prizes WHERE prize_year > 2010"
    )
    assert told["coach_last"] == "Persons.nameLast"
    assert told["coach_first"] == "Persons.nameFirst"


def test_the_name_of_an_episode_is_its_title(lake: Lake) -> None:
    told = mapped(lake, "SELECT episode_name FROM joyful_episodes WHERE cabin = 1")
    assert told["episode_name"] == "episodes_of_joy.TITLE"


def test_letters_may_be_initials_whatever_they_abbreviate_elsewhere(lake: Lake) -> None:
    told = mapped(lake, "SELECT squad, season, home_runs FROM squads WHERE home_runs > 250")
    assert told["home_runs"] == "Squads.HR"
    assert told["season"] == "Squads.yearID"


def test_a_union_is_not_joined_with_its_part(lake: Lake) -> None:
    sql = "SELECT state, contest, polls FROM contests WHERE vote_year = 2020 AND contest = 'senate' AND polls > 30"
    told = lake.query(sql, "resolve").resolution
    assert len({t for tables in told.tables.values() for t in tables}) == 1
    assert sorted(rows(lake, sql)) == sorted(
        lake.execute(
            "SELECT state, type, num_polls FROM contests_2020 WHERE type = 'SenateRace' AND num_polls > 30"
        ).rows
    )


def test_no_table_is_joined_for_the_year_of_something_else(lake: Lake) -> None:
    """The census has years of its own: that the year asked for is not among them is no reason to join another
    table's.
    """
    told = lake.query(
        "SELECT country, inhabitants FROM national_census WHERE yr = 2014", "resolve"
    ).resolution
    assert not {"census", "price_index"} <= {t for tables in told.tables.values() for t in tables}


def test_a_coordinate_is_asked_for_by_name(lake: Lake) -> None:
    told = mapped(
        lake, "SELECT h.departures FROM hops h WHERE h.destination = 'QBB' ORDER BY h.departures DESC"
    )
    assert told["departures"] == "hops.cnt"


def test_two_references_to_one_table_use_two_keys(lake: Lake) -> None:
    found = rows(
        lake,
        "SELECT o.town AS from_town, d.town AS to_town FROM hops f JOIN fields o ON f.origin = o.code "
        "JOIN fields d ON f.destination = d.code WHERE f.flights > 100",
    )
    assert found
    assert all(a != b for a, b in found)


def test_a_compounds_head(lake: Lake) -> None:
    told = mapped(lake, "SELECT contest_state, COUNT(*) AS n FROM contests GROUP BY contest_state")
    assert told["contest_state"].endswith(".state")
    told = mapped(lake, "SELECT sailor_berth FROM crew")
    assert told["sailor_berth"] == "crew_list.Berth"


def test_years_are_a_unit_behind_another_word(lake: Lake) -> None:
    told = mapped(lake, "SELECT surname, age_years FROM crew_ages WHERE crew = 'a'")
    assert told["age_years"] == "crew_ages.age"


def test_inhabitants_are_a_population(lake: Lake) -> None:
    told = mapped(lake, "SELECT country, inhabitants FROM census_of_lands WHERE yr = 2007")
    assert told["inhabitants"] == "census.pop"


def test_a_reference_within_a_table(lake: Lake) -> None:
    found = rows(
        lake,
        "SELECT boss.surname AS boss, COUNT(*) AS n FROM crew e JOIN crew boss ON e.manager = boss.id "
        "GROUP BY boss.surname ORDER BY n DESC, boss",
    )
    assert found
    assert (
        found
        == lake.execute(
            "SELECT b.LastName, COUNT(*) FROM crew_list e JOIN crew_list b ON e.ReportsTo = b.CrewId "
            "GROUP BY 1 ORDER BY 2 DESC, 1"
        ).rows
    )


@pytest.mark.parametrize(
    ("asked", "held", "least"),
    [
        ("serving", "server", 0.6),
        ("departure", "departed", 0.6),
        ("agency", "lawenforcementagency", 0.7),
    ],
)
def test_forms_of_words(asked: str, held: str, least: float) -> None:
    assert lexical([asked], [held]) >= least


def test_initials_within_a_name() -> None:
    assert lexical(["won", "world", "series"], ["ws", "win"]) > lexical(
        ["won", "world", "series"], ["lg", "win"]
    )
    assert initials("home_runs", "HR")
    assert not initials("home_runs", "RH")
    assert not initials("runs", "R")
