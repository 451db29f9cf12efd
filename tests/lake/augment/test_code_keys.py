"""Codes whose letters and digits are parted by a sign on one side alone, zeros before a number, letters with strokes."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from rewright.lake.api import open_lake
from rewright.lake.augment.api import BaseSpec, augment
from rewright.lake.augment.kept import keep_rows
from rewright.lake.embedding import CachedEmbedder


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (lambda n: f"B-{n:03d}", lambda n: f"b{n:03d}"),
        (lambda n: f"B{n:03d}", lambda n: f"b {n}"),
        (lambda n: f"{n}A/{n % 7}", lambda n: f"{n} a-0{n % 7}"),
        (lambda n: f"Ødegård {n}", lambda n: f"ODEGARD, {n}"),
    ],
)
def test_codes_meet(
    tmp_path: Path, embedder: CachedEmbedder, mine: Callable[[int], str], theirs: Callable[[int], str]
) -> None:
    chance = random.Random(5)
    numbers = chance.sample(range(1, 999), 150)
    level = {n: chance.gauss(0, 1) for n in numbers}
    folder = tmp_path / "lake"
    folder.mkdir()
    for name, header, rows in (
        ("buoys", ["buoy", "drift"], [[mine(n), round(level[n] + chance.gauss(0, 0.5), 3)] for n in numbers]),
        ("chains", ["ref", "links"], [[theirs(n), round(level[n], 3)] for n in numbers]),
    ):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        lake.graph()
        keep_rows(lake)
        found = augment(lake, BaseSpec("buoys", "drift"))
        assert [a.table for a in found.added if a.recommended] == ["chains"]
        assert found.added[0].coverage == 1.0


@pytest.mark.parametrize(
    ("mine", "theirs", "names"),
    [
        (lambda n: f"{'BCD'[n % 3]}-{n:03d}", lambda n: f"Plot {'BCD'[n % 3]}-{n:03d}", ("plot", "plot_id")),
        (lambda n: f"Plot {'BCD'[n % 3]}-{n:03d}", lambda n: f"{'bcd'[n % 3]}{n}", ("plot", "reference")),
        (lambda n: f"P{n:04d}", lambda n: n, ("picker", "picker_no")),
        (lambda n: n + 9_000_000, lambda n: f"IMO {n + 9_000_000}", ("ship", "imo_number")),
    ],
)
def test_labels_that_the_name_says_do_not_matter(
    tmp_path: Path,
    embedder: CachedEmbedder,
    mine: Callable[[int], object],
    theirs: Callable[[int], object],
    names: tuple[str, str],
) -> None:
    chance = random.Random(5)
    numbers = chance.sample(range(1, 999), 150)
    level = {n: chance.gauss(0, 1) for n in numbers}
    folder = tmp_path / "lake"
    folder.mkdir()
    for name, header, rows in (
        ("base", [names[0], "y"], [[mine(n), round(level[n] + chance.gauss(0, 0.5), 3)] for n in numbers]),
        ("told", [names[1], "x"], [[theirs(n), round(level[n], 3)] for n in numbers]),
    ):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        lake.graph()
        keep_rows(lake)
        found = augment(lake, BaseSpec("base", "y"))
        assert [a.table for a in found.added if a.recommended] == ["told"]
        assert found.added[0].coverage == 1.0
        asked = f'SELECT count("told.x"), count(*) FROM ({found.sql})'
        assert lake.database.cursor(asked).execute(asked).fetchone() == (150, 150)


def test_small_numbers_with_a_label_meet_no_others(tmp_path: Path, embedder: CachedEmbedder) -> None:
    chance = random.Random(5)
    folder = tmp_path / "lake"
    folder.mkdir()
    for name, header, rows in (
        ("base", ["picker", "y"], [[f"P{n:04d}", round(chance.gauss(0, 1), 3)] for n in range(1, 200)]),
        ("told", ["room", "x"], [[n, round(chance.gauss(0, 1), 3)] for n in range(1, 200)]),
    ):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        lake.graph()
        keep_rows(lake)
        assert augment(lake, BaseSpec("base", "y")).candidates == 0


def test_dated_rows_are_counted_too(tmp_path: Path, embedder: CachedEmbedder) -> None:
    chance = random.Random(5)
    folder = tmp_path / "lake"
    folder.mkdir()
    many = {n: chance.randint(1, 12) for n in range(1, 200)}
    sprayed = [[f"F{n}x", f"2023-04-{chance.randint(1, 28):02d}"] for n, m in many.items() for _ in range(m)]
    for name, header, rows in (
        ("fields", ["field", "y"], [[f"F{n}x", round(m + chance.gauss(0, 2), 3)] for n, m in many.items()]),
        ("sprayings", ["field", "sprayed_on"], sprayed),
    ):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        lake.graph()
        keep_rows(lake)
        found = augment(lake, BaseSpec("fields", "y"))
        assert [a.table for a in found.added if a.recommended] == ["sprayings"]
        assert "sprayings.* (count)" in found.added[0].columns
        asked = f'SELECT sum("sprayings.* (count)") FROM ({found.sql})'
        assert lake.database.cursor(asked).execute(asked).fetchone() == (float(sum(many.values())),)
