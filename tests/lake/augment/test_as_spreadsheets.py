"""Tables as offices keep them: a column for each year, a measure called after its table, a season that each
writes in its own way.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import BaseSpec, Options, Report, augment
from rewright.lake.augment.kept import keep_rows
from rewright.lake.embedding import CachedEmbedder

TOWNS = [
    f"{a}{b}"
    for a, b in product(("Al", "Ber", "Cor", "Dun", "El", "Fen"), ("ford", "ham", "wick", "by", "ley"))
]
YEARS = range(2014, 2020)
Make = Callable[[Mapping[str, Sequence[Sequence[object]]]], Lake]


@pytest.fixture
def make(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Make]:
    """A lake of these tables, each with its header first."""
    lakes: list[Lake] = []

    def made(tables: Mapping[str, Sequence[Sequence[object]]]) -> Lake:
        (tmp_path / "lake").mkdir()
        for name, rows in tables.items():
            with (tmp_path / "lake" / f"{name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows(rows)
        lakes.append(open_lake(tmp_path / "lake", catalog=tmp_path / "c.db", embedder=embedder))
        keep_rows(lakes[-1])
        return lakes[-1]

    yield made
    for lake in lakes:
        lake.close()


def found(report: Report) -> list[str]:
    return [added.table for added in report.added if added.recommended]


def test_a_column_for_each_year_is_joined_by_year(make: Make) -> None:
    chance = random.Random(1)
    income = {(t, y): chance.gauss(0, 1) for t in TOWNS for y in YEARS}
    turnout = [[t, y, round(60 + 5 * income[t, y] + chance.gauss(0, 2), 2)] for t in TOWNS for y in YEARS]
    wide = [[t, *(round(31_000 + 4_000 * income[t, y]) for y in YEARS)] for t in TOWNS]
    noise = [[t, round(chance.gauss(0, 1), 3)] for t in TOWNS]
    lake = make({
        "turnouts": [["town", "year", "turnout"], *turnout],
        "incomes": [["town", *YEARS], *wide],
        "heights": [["town", "height"], *noise],
    })  # fmt: skip
    report = augment(lake, BaseSpec("turnouts", "turnout"), Options(2, None))
    assert found(report) == ["incomes_by_year"]
    assert report.r2_after > 0.75
    assert len(lake.execute(report.sql).rows) == len(turnout)


@pytest.mark.parametrize("column", ["income", "mean_income"])
def test_a_measure_called_after_its_table_is_no_key(make: Make, column: str) -> None:
    """Incomes to the euro are different in each row, as numbers of a key are."""
    chance = random.Random(2)
    told = {t: chance.gauss(0, 1) for t in TOWNS}
    houses = [[t, round(90 + 20 * told[t] + chance.gauss(0, 6), 2)] for t in TOWNS for _ in range(4)]
    lake = make({
        "houses": [["town", "price"], *houses],
        "incomes": [["town", column], *([t, round(31_000 + 4_000 * told[t])] for t in TOWNS)],
    })  # fmt: skip
    assert found(augment(lake, BaseSpec("houses", "price", features=()))) == ["incomes"]


def test_a_serial_number_called_after_its_table_stays_a_key(make: Make) -> None:
    chance = random.Random(3)
    houses = [[t, i + 1 + chance.gauss(0, 1)] for i, t in enumerate(TOWNS) for _ in range(4)]
    lake = make({
        "houses": [["town", "price"], *houses],
        "incomes": [["town", "income"], *([t, i + 1] for i, t in enumerate(TOWNS))],
    })  # fmt: skip
    assert not augment(lake, BaseSpec("houses", "price", features=())).added


def test_a_season_that_is_written_in_another_way_completes_a_key(make: Make) -> None:
    chance = random.Random(4)
    seasons = [f"{y}/{y % 100 + 1}" for y in range(2012, 2020)]
    points = {(t, s): chance.gauss(0, 1) for t in TOWNS for s in seasons}
    gate = [[t, s, round(80 + 15 * points[t, s] + chance.gauss(0, 6), 2)] for t in TOWNS for s in seasons]
    league = [
        [t.upper(), s.replace("/", "-"), round(50 + 12 * points[t, s], 1)] for t in TOWNS for s in seasons
    ]
    lake = make({
        "gate_money": [["club", "season", "pounds"], *gate],
        "league": [["team", "season", "points"], *league],
        "founded": [["club", "age"], *([t, chance.randint(20, 90)] for t in TOWNS)],
    })  # fmt: skip
    report = augment(lake, BaseSpec("gate_money", "pounds"), Options(2, None))
    assert found(report) == ["league"]
    assert report.r2_after > 0.75
