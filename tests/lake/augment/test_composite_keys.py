"""Keys of several columns of few values each, in lakes where many tables have the same columns."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import pytest

from rewright.lake.api import open_lake
from rewright.lake.augment.api import BaseSpec, Options, Report, augment
from rewright.lake.embedding import CachedEmbedder

TEAMS = [f"FC {name}" for name in ("Alba", "Brio", "Calt", "Dorn", "Esk", "Fyn")]
KEYS = list(product(TEAMS, range(2010, 2018), range(1, 7)))
Search = Callable[[Sequence[str]], Report]


@pytest.fixture
def search(tmp_path: Path, embedder: CachedEmbedder) -> Search:
    """A search over games by team, season and week, whose points `form` explains; eight tables by team and
    season say nothing. It takes the names of the key's columns in `form`.
    """
    chance = random.Random(7)
    signal = {key: chance.gauss(0, 1) for key in KEYS}

    def write(name: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        with (tmp_path / "lake" / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])

    def made(names: Sequence[str]) -> Report:
        (tmp_path / "lake").mkdir()
        points = [[*key, round(20 + 5 * signal[key] + chance.gauss(0, 2), 3)] for key in KEYS]
        write("games", ["team", "season", "week", "points"], points)
        write("form", [*names, "rating"], [[*key, round(70 + 4 * signal[key], 3)] for key in KEYS])
        for i in range(8):
            told = [[t, s, round(chance.gauss(0, 1), 3)] for t in TEAMS for s in range(2010, 2018)]
            write(f"other_{i}", ["team", "season", f"measure_{i}"], told)
        with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db", embedder=embedder) as lake:
            return augment(lake, BaseSpec("games", "points"), Options(2, None))

    return made


@pytest.mark.parametrize("names", [("team", "season", "week"), ("Team", "season", "Week")])
def test_a_key_of_team_season_and_week_is_found(search: Search, names: Sequence[str]) -> None:
    report = search(names)
    assert [added.table for added in report.added if added.recommended] == ["form"]
    assert report.r2_after > 0.7


def test_the_key_without_numbers_of_one_name_is_looked_at_too(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    """`level` is 1 to 5 in both tables and means something else in each."""
    chance = random.Random(8)
    shops = [(f"Shop {i}", chance.choice("abcd")) for i in range(150)]
    signal = {shop: chance.gauss(0, 1) for shop in shops}
    tables = {
        "sales": (
            ["shop", "area", "level", "revenue"],
            [[*s, chance.randint(1, 5), round(signal[s] + chance.gauss(0, 0.4), 3)] for s in shops],
        ),
        # two audits of each shop
        "audits": (
            ["shop", "area", "level", "score"],
            [[*s, chance.randint(1, 5), round(signal[s], 3)] for s in shops for _ in range(2)],
        ),
    }
    (tmp_path / "lake").mkdir()
    for name, (header, rows) in tables.items():
        with (tmp_path / "lake" / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db", embedder=embedder) as lake:
        report = augment(lake, BaseSpec("sales", "revenue"), Options(2, None))
    assert report.r2_after > 0.75
    assert next(a.join_path for a in report.added if a.recommended).count("level") == 0
