"""Keys that one table has as integers and another with a decimal point, as data frames write them."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from rewright.lake.api import open_lake
from rewright.lake.augment.api import BaseSpec, Options, Report, augment
from rewright.lake.augment.kept import keep_rows
from rewright.lake.embedding import CachedEmbedder

NUMBERS = random.Random(5).sample(range(101, 999), 160)
Search = Callable[..., Report]


@pytest.fixture
def search(tmp_path: Path, embedder: CachedEmbedder) -> Search:
    """A search over meters whose use `ages` explains. `own`, `theirs`: how the two tables write a meter's number;
    `name`: how `ages` calls it.
    """
    chance = random.Random(6)
    ages = {n: chance.gauss(0, 1) for n in NUMBERS}

    def made(
        own: Callable[[int], str], theirs: Callable[[int], str], name: str = "meter", hops: int = 1
    ) -> Report:
        tables: dict[str, tuple[Sequence[str], list[list[object]]]] = {
            "meters": (
                ["meter", "used"],
                [[own(n), round(50 + 9 * ages[n] + chance.gauss(0, 3), 2)] for n in NUMBERS],
            ),
            "ages": ([name, "years"], [[theirs(n), round(12 + 3 * ages[n], 2)] for n in NUMBERS]),
            "other": (["tank", "depth"], [[f"{i}.0", round(chance.gauss(4, 1), 2)] for i in range(160)]),
        }
        # as the first number of a column that a data frame made floating: one is missing
        tables["ages"][1].append(["", 3.5])
        (tmp_path / "lake").mkdir()
        for table, (header, rows) in tables.items():
            with (tmp_path / "lake" / f"{table}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([header, *rows])
        with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db", embedder=embedder) as lake:
            keep_rows(lake)
            report = augment(lake, BaseSpec("meters", "used", features=()), Options(2, None, hops=hops))
            assert len(lake.execute(report.sql).rows) == len(NUMBERS)
            filled = (
                lake.execute(f'SELECT count("ages.years") FROM ({report.sql})').rows
                if report.added
                else [(0,)]
            )
            assert filled[0][0] == (len(NUMBERS) if report.added else 0)
        return report

    return made


@pytest.mark.parametrize("name", ["meter", "Meter", "meter_id"])
def test_integers_meet_whole_decimals(search: Search, name: str) -> None:
    report = search(str, lambda n: f"{n}.0", name)
    assert [added.table for added in report.added if added.recommended] == ["ages"]
    assert report.r2_after > 0.8


def test_whole_decimals_of_the_base_meet_integers(search: Search) -> None:
    report = search(lambda n: f"{n}.0", str)
    assert [added.table for added in report.added if added.recommended] == ["ages"]


def test_whole_decimals_meet_each_other(search: Search) -> None:
    report = search(lambda n: f"{n}.0", lambda n: f"{n}.0")
    assert [added.table for added in report.added if added.recommended] == ["ages"]


def test_decimals_that_are_not_whole_are_no_keys(search: Search) -> None:
    """104.5 is not 104, nor 105."""
    report = search(str, lambda n: f"{n}.5")
    assert not report.added
    assert not report.candidates


def test_decimals_that_are_not_whole_are_keys_where_both_tables_have_them(search: Search) -> None:
    """Marks along a road, however many zeros are written behind them."""
    report = search(lambda n: f"{n / 4}", lambda n: f"{n / 4:.3f}")
    assert [added.table for added in report.added if added.recommended] == ["ages"]
    assert report.r2_after > 0.8


def test_marks_below_zero_are_others(search: Search) -> None:
    report = search(lambda n: f"{(n - 500) / 4}", lambda n: f"{(n - 500) / 4}")
    assert report.r2_after > 0.8


def test_decimals_of_other_names_are_not_compared(search: Search) -> None:
    assert not search(lambda n: f"{n / 4}", lambda n: f"{n / 4}", "depth").candidates


def test_measures_that_are_called_alike_and_differ_are_no_keys(search: Search) -> None:
    assert not search(lambda n: f"{n / 4}", lambda n: f"{n / 4 + (0.1 if n % 3 else 0)}").candidates


def test_numbers_of_other_names_are_not_compared(search: Search) -> None:
    report = search(str, lambda n: f"{n}.0", "depth_cm")
    assert not report.candidates
