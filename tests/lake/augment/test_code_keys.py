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
