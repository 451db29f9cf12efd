"""The first parts of codes as keys: where another column holds them, and not where it holds some by chance."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from rewright.lake.augment.api import BaseSpec, augment
from rewright.lake.embedding import CachedEmbedder

from .searching import Tables, indexed

GROUPS = [f"{letter}{n}" for letter in "AEIJKM" for n in range(10, 20)]


def _areas(chance: random.Random, groups: list[str]) -> dict[str, float]:
    return {group: chance.gauss(0, 1) for group in groups}


def _fine(
    chance: random.Random, level: dict[str, float], write: Callable[[str, int], str]
) -> list[list[object]]:
    """Rows of codes in some of the groups, with what follows from the group."""
    numbers = chance.sample(range(100, 999), 400)
    groups = [chance.choice([*level]) for _ in numbers]
    return [
        [write(g, n), round(level[g] + chance.gauss(0, 0.5), 3)] for g, n in zip(groups, numbers, strict=True)
    ]


@pytest.mark.parametrize(
    ("fine", "coarse", "said"),
    [
        (lambda g, n: f"{g}.{n}", lambda g: g, "(first part)"),
        (lambda g, n: f"{g} {n}XY", lambda g: g.lower(), "(first part)"),
        (lambda g, n: f"DE-{g}-{n}", lambda g: f"DE-{g}", "(first 2 parts)"),
        (lambda g, n: f"{g[0]}/{g[1:]}/{n}", lambda g: g, "(first 2 parts)"),
        (lambda g, n: f"EU:{g[0]}:{g[1:]}:{n}", lambda g: f"eu {g[0]}-{g[1:]}", "(first 3 parts)"),
    ],
)
def test_the_first_parts_of_a_code_meet_a_column_that_holds_them(
    tmp_path: Path,
    embedder: CachedEmbedder,
    fine: Callable[[str, int], str],
    coarse: Callable[[str], str],
    said: str,
) -> None:
    chance = random.Random(7)
    level = _areas(chance, GROUPS)
    tables: Tables = {
        "stays": (["diagnosis", "days"], _fine(chance, level, fine)),
        "groups": (["grp", "gravity"], [[coarse(g), round(level[g], 3)] for g in GROUPS]),
    }
    with indexed(tmp_path, embedder, tables) as lake:
        found = augment(lake, BaseSpec("stays", "days"))
        assert [a.table for a in found.added if a.recommended] == ["groups"]
        assert said in found.added[0].join_path
        assert found.added[0].coverage == 1.0
        rows = lake.execute(found.sql).rows
        assert len(rows) == 400
        assert all(row[-1] is not None for row in rows)


def test_a_table_of_finer_codes_is_summed_up_by_their_first_part(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    chance = random.Random(8)
    level = _areas(chance, GROUPS)
    tables: Tables = {
        "areas": (["area", "rent"], [[g, round(level[g] + chance.gauss(0, 0.4), 3)] for g in GROUPS]),
        "flats": (["postcode", "price"], _fine(chance, level, lambda g, n: f"{g} {n}")),
    }
    with indexed(tmp_path, embedder, tables) as lake:
        found = augment(lake, BaseSpec("areas", "rent"))
        assert [a.table for a in found.added if a.recommended] == ["flats"]
        assert "(first part)" in found.added[0].join_path
        assert len(lake.execute(found.sql).rows) == len(GROUPS)


@pytest.mark.parametrize(
    ("prefixes", "theirs", "name"),
    [
        # a part of them alone is there
        (GROUPS, GROUPS[::2], "locker"),
        # kinds: many columns have such letters
        (list("ABCDEFG"), list("ABCDEFGHIJ"), "grade"),
        # small numbers that are not called alike
        ([str(n) for n in range(1, 31)], [str(n) for n in range(1, 60)], "shelf"),
    ],
)
def test_first_parts_that_another_column_has_by_chance_are_not_joined(
    tmp_path: Path, embedder: CachedEmbedder, prefixes: list[str], theirs: list[str], name: str
) -> None:
    chance = random.Random(9)
    level = _areas(chance, prefixes)
    tables: Tables = {
        "orders": (["order_no", "hours"], _fine(chance, level, lambda g, n: f"{g}-{n}")),
        "lockers": ([name, "width"], [[g, round(chance.gauss(0, 1), 3)] for g in theirs]),
    }
    with indexed(tmp_path, embedder, tables) as lake:
        assert augment(lake, BaseSpec("orders", "hours")).candidates == 0


def test_first_parts_that_tell_nothing_are_not_recommended(tmp_path: Path, embedder: CachedEmbedder) -> None:
    chance = random.Random(10)
    rows = [[code, round(chance.gauss(0, 1), 3)] for code, _ in _fine(chance, dict.fromkeys(GROUPS, 0.0), lambda g, n: f"{g}-{n}")]  # fmt: skip
    tables: Tables = {
        "orders": (["order_no", "hours"], rows),
        "lockers": (["locker", "width"], [[g, round(chance.gauss(0, 1), 3)] for g in GROUPS]),
    }
    with indexed(tmp_path, embedder, tables) as lake:
        found = augment(lake, BaseSpec("orders", "hours"))
        assert found.candidates == 1
        assert not [a for a in found.added if a.recommended]


def test_a_small_number_meets_its_labelled_form_where_the_names_differ_by_a_key_word(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    chance = random.Random(11)
    damp = {n: chance.gauss(0, 1) for n in range(1, 41)}
    rows = [
        [n, round(damp[n] + chance.gauss(0, 0.5), 3)] for n in (chance.randint(1, 40) for _ in range(400))
    ]
    tables: Tables = {
        "devices": (["site", "faults"], rows),
        "sites": (["site_id", "humidity"], [[f"Site {n:02d}", round(damp[n], 3)] for n in damp]),
    }
    with indexed(tmp_path, embedder, tables) as lake:
        found = augment(lake, BaseSpec("devices", "faults"))
        assert [a.table for a in found.added if a.recommended] == ["sites"]
