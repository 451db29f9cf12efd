"""What was wrong and told with confidence on lakes of others, each cause on tables made for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rewright.lake.api import Lake
from rewright.lake.names import measure_of
from rewright.lake.resolve.resolution import Answer
from rewright.lake.resolve.values import _coded
from tests.lake.asking import table

_NAMES = ("Ada", "Bea", "Cleo", "Dot", "Eve", "Fay", "Gia", "Hope", "Ivy", "June", "Kim", "Lou")


def write_lake(folder: Path) -> None:
    prizes = [
        f"{_NAMES[i % 12]} Moss,{['Best tune', 'Best verse', 'Best stage'][i % 3]},{30 + i % 17},{1990 + i // 2}"
        for i in range(20)
    ]
    table(folder, "SongAwards", "name,awar,age,yr", prizes)
    power = [
        f"{kind},{','.join(str(900 + 7 * i + y) for y in range(12))}" for i, kind in enumerate(_NAMES[:5])
    ]
    table(folder, "Power_plants", "source," + ",".join(str(2003 + y) for y in range(12)), power)
    halls = [f"K{i:02d},{n} Hall,{['Rome', 'Oslo', 'Bonn'][i % 3]},IT" for i, n in enumerate(_NAMES)]
    table(folder, "venues", "vkey,vname,town,ctry", halls)
    films = [
        f"{_NAMES[i % 12]} Moss,{['Ice', 'Fog', 'Dew', 'Hail'][i % 4]} {i % 9},{30 + i % 17}"
        for i in range(30)
    ]
    table(folder, "FilmHonours", "name,movi,age", films)
    storms = [
        f"{n} {i % 8},{['tropical storm', 'hurricane', 'low'][i % 3]},{980 + i},{1 + i % 5}"
        for i, n in enumerate(_NAMES * 3)
    ]
    table(folder, "storms", "name,status,pressure,hour", storms)
    nights = [f"{2015 + i % 4},K{i % 12:02d},{400 + 13 * i}" for i in range(60)]
    table(folder, "home_dates", "yr,vkey,crowd", nights)


def _answer(lake: Lake, sql: str) -> Answer:
    return lake.query(sql, "resolve", threshold=0.0)


def _real(answer: Answer, column: str) -> Any:
    assert answer.resolution is not None
    return next((m.real_table, m.real_column) for m in answer.resolution.columns if m.column == column)


def test_the_name_of_a_class_is_no_name_of_its_things(lake: Lake) -> None:
    answer = _answer(
        lake,
        "SELECT c.name AS award_category, AVG(p.age) AS mean FROM music_awards p "
        "JOIN award_categories c ON p.award_category_id = c.id GROUP BY c.name",
    )
    assert _real(answer, "name") == ("SongAwards", "awar")


def test_years_of_another_time_are_doubted(lake: Lake) -> None:
    asked = "SELECT year, SUM(power) AS total FROM power_plants WHERE year >= {} GROUP BY year"
    near, far = (_answer(lake, asked.format(year)).resolution for year in (2005, 1931))
    assert near is not None
    assert far is not None
    assert near.confidence >= 0.7
    assert far.confidence < 0.5


def test_a_letter_of_the_table_before_a_name(lake: Lake) -> None:
    answer = _answer(
        lake,
        "SELECT s.stadium_name, SUM(g.attendance) AS visitors FROM stadiums s "
        "JOIN home_games g ON s.stadium_id = g.stadium_id GROUP BY s.stadium_name",
    )
    assert _real(answer, "stadium_name") == ("venues", "vname")


@pytest.mark.parametrize(
    ("literal", "code"),
    [("North Central", None), ("West North Central", "WNC"), ("Goalkeeper", "GK"), ("South Atlantic", "SA")],
)
def test_a_code_takes_a_letter_of_each_word(literal: str, code: str | None) -> None:
    assert _coded(["NE", "WNC", "SA", "GK"], literal) == code


@pytest.mark.parametrize(
    ("query", "column", "real"),
    [
        ("SELECT film_title, age_when_won FROM movie_honours", "film_title", ("FilmHonours", "movi")),
        (
            "SELECT storm_type, COUNT(*) AS n FROM tropical_storms WHERE pressure > 990 GROUP BY storm_type",
            "storm_type",
            ("storms", "status"),
        ),
    ],
)
def test_a_name_and_a_kind_are_what_they_are_of(
    lake: Lake, query: str, column: str, real: tuple[str, str]
) -> None:
    assert _real(_answer(lake, query), column) == real


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("lot_sqft", ("area", 0.3048**2)),
        ("sq_feet", ("area", 0.3048**2)),
        ("land_sq_km", ("area", 1e6)),
        ("width_ft", ("length", 0.3048)),
    ],
)
def test_square_units_measure_areas(name: str, measure: tuple[str, float]) -> None:
    assert measure_of(name) == pytest.approx(measure)
