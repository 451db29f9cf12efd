"""What gives a yes or no or a class away, and columns of the base table itself that give its target away."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import BaseSpec, Report, augment
from rewright.lake.augment.leakage import TargetByKey, clearly_suspected, separated, suspected
from rewright.lake.embedding import CachedEmbedder

Tables = dict[str, tuple[Sequence[str], Sequence[Sequence[object]]]]
Make = Callable[[Tables], Lake]


@pytest.fixture
def make(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Make]:
    lakes: list[Lake] = []

    def made(tables: Tables) -> Lake:
        folder = tmp_path / f"lake{len(lakes)}"
        folder.mkdir()
        for name, (header, rows) in tables.items():
            with (folder / f"{name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([header, *rows])
        lakes.append(open_lake(folder, catalog=tmp_path / f"{folder.name}.db", embedder=embedder))
        return lakes[-1]

    yield made
    for lake in lakes:
        lake.close()


def flats(target: str, told: Callable[[float], object], slip: float = 0.0) -> Tables:
    """`flats` with a target made of a price, `prices` that has it (`slip`: the share of prices that are those
    of another flat), and `streets` that explains it in part.
    """
    chance = random.Random(11)
    prices = [chance.gauss(200, 50) for _ in range(300)]
    keys = [f"F{i * 37 + 1009}" for i in range(300)]
    other = [chance.gauss(200, 50) if chance.random() < slip else p for p in prices]
    return {
        "flats": (["flat", target], [[k, told(p)] for k, p in zip(keys, prices, strict=True)]),
        "prices": (["flat", "asked"], [[k, round(p, 3)] for k, p in zip(keys, other, strict=True)]),
        "streets": (["flat", "noise"], [[k, round(p + chance.gauss(0, 60), 3)] for k, p in zip(keys, prices, strict=True)]),
    }  # fmt: skip


def told_of(report: Report) -> dict[tuple[str, str], str]:
    return {(leak.table, leak.column): leak.reason for leak in report.leaks}


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("dear", lambda p: "yes" if p > 220 else "no"),
        ("rare", lambda p: int(p > 275)),
        ("band", lambda p: ["low", "fair", "high"][int(p > 180) + int(p > 240)]),
    ],
)
def test_a_number_whose_ranges_are_the_classes_is_told_and_not_rewarded(
    make: Make, target: str, told: Callable[[float], object]
) -> None:
    report = augment(make(flats(target, told)), BaseSpec("flats", target))
    assert "ranges" in told_of(report)["prices", "asked"]
    assert [a.table for a in report.added if a.recommended] == ["streets"]


def test_a_number_that_explains_classes_in_part_is_rewarded(make: Make) -> None:
    tables = flats("dear", lambda p: "yes" if p > 220 else "no", slip=0.05)
    report = augment(make(tables), BaseSpec("flats", "dear"))
    assert not report.leaks
    assert report.added[0].table == "prices"


@pytest.mark.parametrize("rows_of_key", [1, 3])
def test_ranges_by_key(rows_of_key: int) -> None:
    chance = np.random.default_rng(4)
    x = chance.normal(size=(200, 1))
    positive = (x[:, 0] > 0.5) * float(rows_of_key)
    y = positive - 0.3 * rows_of_key
    squares = positive * 0.7**2 + (rows_of_key - positive) * 0.3**2
    counts = np.full(200, float(rows_of_key))
    by_key = TargetByKey(counts, y[:, None], squares[:, None], np.full(200, np.nan))
    everywhere: Any = np.ones(200, dtype=bool)
    assert separated(x, everywhere[:, None], by_key).all()
    assert suspected(x, everywhere, by_key).all()
    assert clearly_suspected(x, by_key)
    assert not separated(x + chance.normal(size=(200, 1)), everywhere[:, None], by_key).any()


def test_few_rows_of_a_class_are_ranges_by_chance() -> None:
    positive = np.zeros(40)
    positive[:3] = 1.0
    by_key = TargetByKey(np.ones(40), positive[:, None], positive[:, None], np.full(40, np.nan))
    assert not separated(np.arange(40.0)[:, None], np.ones((40, 1), dtype=bool), by_key).any()


def test_a_number_is_no_class() -> None:
    y = np.random.default_rng(5).normal(size=100)
    by_key = TargetByKey(np.ones(100), y[:, None], y[:, None] ** 2, np.full(100, np.nan))
    assert not separated(y[:, None], np.ones((100, 1), dtype=bool), by_key).any()


def own(extra: Callable[[float], object]) -> Tables:
    chance = random.Random(12)
    prices = [chance.gauss(200, 50) for _ in range(300)]
    sizes = [p / 3 + chance.gauss(0, 20) for p in prices]
    rows = [[f"F{i * 37 + 1009}", round(p, 3), extra(p), round(s, 2)] for i, (p, s) in enumerate(zip(prices, sizes, strict=True))]  # fmt: skip
    streets = [[row[0], round(p + chance.gauss(0, 40), 3)] for row, p in zip(rows, prices, strict=True)]
    return {
        "flats": (["flat", "price", "other", "size"], rows),
        "streets": (["flat", "worth"], streets),
    }


@pytest.mark.parametrize(
    ("extra", "reason"),
    [
        (lambda p: round(p * 1.1 + 4, 2), "another unit"),
        (lambda p: int(p // 25), "classes"),
        (lambda p: round(p**2 / 100, 4), "scale"),
    ],
)
def test_own_columns_that_give_the_target_away_are_told_and_not_used(
    make: Make, extra: Callable[[float], object], reason: str
) -> None:
    lake = make(own(extra))
    report = augment(lake, BaseSpec("flats", "price"))
    assert reason in told_of(report)["flats", "other"]
    assert report.r2_before < 0.8
    assert [a.table for a in report.added if a.recommended] == ["streets"]
    asked = augment(lake, BaseSpec("flats", "price", features=("other",)))
    assert asked.r2_before > 0.9
    assert any("other" in note and "as asked" in note for note in asked.notes)


def test_own_columns_of_a_table_too_large_to_be_held(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = make(own(lambda p: round(p * 1.1 + 4, 2)))
    held = augment(lake, BaseSpec("flats", "price"))
    monkeypatch.setattr("rewright.lake.augment.base._IN_MEMORY", 100)
    report = augment(lake, BaseSpec("flats", "price"))
    assert told_of(report) == told_of(held)
    assert report.r2_before == pytest.approx(held.r2_before)


def test_a_column_called_v_is_a_target_like_any_other(make: Make) -> None:
    tables = own(lambda p: round(p * 0.0, 1))
    tables["flats"] = (["flat", "price", "v", "size"], tables["flats"][1])
    assert augment(make(tables), BaseSpec("flats", "price")).added[0].table == "streets"


def test_a_year_with_which_the_target_grows_is_used(make: Make) -> None:
    rows = [[1900 + i // 2, round(40 + 2.5 * (i // 2) + i % 2 / 4, 2)] for i in range(160)]
    report = augment(make({"growth": (["year", "people"], rows)}), BaseSpec("growth", "people"))
    assert report.r2_before > 0.99
    assert not report.leaks


def graded(names: Sequence[str], slip: float) -> Tables:
    """Flats with prices, and a grade of each by name: the names' order is not that of the prices. `slip`: by how
    much a grade's price may be off.
    """
    chance, tables = random.Random(3), flats("price", lambda p: round(p, 3))
    del tables["prices"]
    grades = []
    for flat, price in tables["flats"][1]:
        told = (float(str(price)) + chance.gauss(0, slip) - 100) / 200 * len(names)
        grades.append([flat, names[min(len(names) - 1, max(0, int(told)))]])
    return tables | {"grades": (["flat", "grade"], grades)}


@pytest.mark.parametrize("names", ["bca", "dbeca", "hbkdlafjcgie"])
def test_named_bands_of_the_target_are_told(make: Make, names: str) -> None:
    report = augment(make(graded(names, 0.0)), BaseSpec("flats", "price"))
    assert "classes" in told_of(report)["grades", "grade"]
    assert "grades" not in {added.table for added in report.added}


def test_kinds_whose_prices_meet_are_no_bands(make: Make) -> None:
    report = augment(make(graded("bca", 15.0)), BaseSpec("flats", "price"))
    assert ("grades", "grade") not in told_of(report)
    assert "grades" in {added.table for added in report.added if added.recommended}
