"""What went wrong on a railway's lake at first sight: columns of things that a row has many of, words of one
beginning, units of rain, and yearly figures told surely of another table that has a year.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import CachedEmbedder
from tests.lake.asking import asked, columns_of, table


@pytest.fixture
def depot(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Lake]:
    """People whose days are called oddly, beside runs that have a day and a number each; depots."""
    people = [
        f"{i},Name {chr(65 + i)},{1 + i:02d}/05/{1999 + i},£{27000 + 500 * i},{1 + i % 3}" for i in range(24)
    ]
    table(tmp_path, "hr_people", "pers_no,Name,Entry,Basic pay p.a.,dpt", people)
    runs = [f"{i},{i % 24},202{3 + i % 2}-03-{1 + i % 28:02d},{10 + i % 90}" for i in range(200)]
    table(tmp_path, "ops_runs", "runId,driverId,runDate,paxCount", runs)
    table(tmp_path, "fleet_dpt", "dpt,dpt_name,berths", ["1,Oakfield,40", "2,Quay,24", "3,Redhill,35"])
    vehicles = [f"{1700 + i},{'ABC'[i % 3]},{1 + i % 3}" for i in range(60)]
    table(tmp_path, "fleet_veh", "veh_no,cls,dpt", vehicles)
    table(tmp_path, "fleet_cls", "cls,cls_name,cap_seats", ["A,Turbo,196", "B,Flirt,268", "C,Pacer,121"])
    days = [f"2024-01-{1 + i:02d},{i % 9},{i % 7}.5,{i * 3}" for i in range(28)]
    table(tmp_path, "meteo", "obs_date,t_c,rr_mm,ff_kmh", days)
    with open_lake(tmp_path, embedder=embedder) as lake:
        yield lake


def test_a_day_of_which_a_row_has_many_is_not_its_own(depot: Lake) -> None:
    answer = asked(
        depot, "SELECT count(*) AS n, avg(salary) AS pay FROM employees WHERE hire_date >= '2015-01-01'"
    )
    assert columns_of(answer)["hire_date"] == "hr_people.Entry"
    assert answer.rows is not None
    assert answer.rows.rows[0][0] == 8


def test_rain_is_measured_in_millimetres(depot: Lake) -> None:
    found = columns_of(
        asked(depot, "SELECT count(*) AS rainy_days FROM weather WHERE rainfall > 3 AND temperature < 5")
    )
    assert found == {"rainfall": "meteo.rr_mm", "temperature": "meteo.t_c"}


def test_a_year_and_one_word_are_not_enough_for_a_table_of_another_name(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    for year in (2023, 2024):
        runs = [f"{i},{i % 24},{10 + i % 90}" for i in range(60)]
        table(tmp_path, f"ops_runs_{year}", "runId,driverId,paxCount", runs)
    entries = [f"S{i},{100 * i},{110 * i},{120 * i}" for i in range(1, 30)]
    table(tmp_path, "gares_fq", "code_gare,vu_2021,vu_2022,vu_2023", entries)
    with open_lake(tmp_path, embedder=embedder) as lake:
        answer = asked(
            lake, "SELECT year, sum(passengers) AS passengers FROM station_usage GROUP BY year ORDER BY year"
        )
        assert answer.resolution.confidence < 0.7
        named = asked(
            lake, "SELECT year, sum(passengers) AS passengers FROM runs GROUP BY year ORDER BY year"
        )
        assert named.resolution.confidence >= 0.7
