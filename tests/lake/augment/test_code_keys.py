"""Codes whose letters and digits are parted by a sign on one side alone, zeros before a number, letters with strokes."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from rewright.lake.augment.api import BaseSpec, augment
from rewright.lake.embedding import CachedEmbedder

from .searching import Tables, indexed


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
    tables: Tables = {
        "buoys": (["buoy", "drift"], [[mine(n), round(level[n] + chance.gauss(0, 0.5), 3)] for n in numbers]),
        "chains": (["ref", "links"], [[theirs(n), round(level[n], 3)] for n in numbers]),
    }
    with indexed(tmp_path, embedder, tables) as lake:
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
    tables: Tables = {
        "base": ([names[0], "y"], [[mine(n), round(level[n] + chance.gauss(0, 0.5), 3)] for n in numbers]),
        "told": ([names[1], "x"], [[theirs(n), round(level[n], 3)] for n in numbers]),
    }
    with indexed(tmp_path, embedder, tables) as lake:
        found = augment(lake, BaseSpec("base", "y"))
        assert [a.table for a in found.added if a.recommended] == ["told"]
        assert found.added[0].coverage == 1.0
        asked = f'SELECT count("told.x"), count(*) FROM ({found.sql})'
        assert lake.database.cursor(asked).execute(asked).fetchone() == (150, 150)


def test_small_numbers_with_a_label_meet_no_others(tmp_path: Path, embedder: CachedEmbedder) -> None:
    chance = random.Random(5)
    tables: Tables = {
        "base": (["picker", "y"], [[f"P{n:04d}", round(chance.gauss(0, 1), 3)] for n in range(1, 200)]),
        "told": (["room", "x"], [[n, round(chance.gauss(0, 1), 3)] for n in range(1, 200)]),
    }
    with indexed(tmp_path, embedder, tables) as lake:
        assert augment(lake, BaseSpec("base", "y")).candidates == 0


def test_dated_rows_are_counted_too(tmp_path: Path, embedder: CachedEmbedder) -> None:
    chance = random.Random(5)
    many = {n: chance.randint(1, 12) for n in range(1, 200)}
    sprayed = [[f"F{n}x", f"2023-04-{chance.randint(1, 28):02d}"] for n, m in many.items() for _ in range(m)]
    tables: Tables = {
        "fields": (["field", "y"], [[f"F{n}x", round(m + chance.gauss(0, 2), 3)] for n, m in many.items()]),
        "sprayings": (["field", "sprayed_on"], sprayed),
    }
    with indexed(tmp_path, embedder, tables) as lake:
        found = augment(lake, BaseSpec("fields", "y"))
        assert [a.table for a in found.added if a.recommended] == ["sprayings"]
        assert "sprayings.* (count)" in found.added[0].columns
        asked = f'SELECT sum("sprayings.* (count)") FROM ({found.sql})'
        assert lake.database.cursor(asked).execute(asked).fetchone() == (float(sum(many.values())),)
