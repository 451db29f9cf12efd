"""A table that has rows only once the target is known, or only for some of its values, gives it away."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from rewright.lake.augment.api import BaseSpec
from rewright.lake.embedding import CachedEmbedder

from .searching import Tables, searched


@pytest.fixture
def fields() -> tuple[list[str], dict[str, float], random.Random]:
    chance = random.Random(4)
    keys = [f"F{n}" for n in chance.sample(range(1000, 9999), 200)]
    return keys, {k: chance.gauss(20, 4) for k in keys}, chance


Fields = tuple[list[str], dict[str, float], random.Random]


def test_rows_only_below_a_number(tmp_path: Path, embedder: CachedEmbedder, fields: Fields) -> None:
    keys, tonnes, chance = fields
    tables: Tables = {
        "fields": (["field", "tonnes"], [[k, round(tonnes[k], 2)] for k in keys]),
        "hail_claims": (["field", "form"], [[k, chance.choice("ab")] for k in keys if tonnes[k] < 18]),
        "visits": (["field", "form"], [[k, chance.choice("ab")] for k in keys if chance.random() < 0.3]),
    }
    found = searched(tmp_path, embedder, tables, BaseSpec("fields", "tonnes"))
    assert [a.table for a in found.added if a.recommended] == []
    assert {x.table for x in found.leaks} == {"hail_claims"}
    assert "some of the target's range" in found.leaks[0].reason


def test_rows_only_of_one_class(tmp_path: Path, embedder: CachedEmbedder, fields: Fields) -> None:
    keys, tonnes, chance = fields
    sold = {k: tonnes[k] + chance.gauss(0, 4) > 20 for k in keys}
    tables: Tables = {
        "fields": (["field", "sold"], [[k, int(sold[k])] for k in keys]),
        "deeds": (["field", "signed_on", "clerk"], [[k, "2023-05-07", chance.choice("ab")] for k in keys if sold[k]]),
        "yields": (["field", "tonnes"], [[k, round(tonnes[k], 2)] for k in keys]),
    }  # fmt: skip
    found = searched(tmp_path, embedder, tables, BaseSpec("fields", "sold"))
    assert [a.table for a in found.added if a.recommended] == ["yields"]
    assert {x.table for x in found.leaks} == {"deeds"}


def test_a_column_filled_only_above_a_number(
    tmp_path: Path, embedder: CachedEmbedder, fields: Fields
) -> None:
    keys, tonnes, chance = fields
    rows = [
        [k, round(tonnes[k] + chance.gauss(0, 3), 1), round(chance.gauss(9, 1), 2) if tonnes[k] > 24 else ""]
        for k in keys
    ]
    tables: Tables = {
        "fields": (["field", "tonnes"], [[k, round(tonnes[k], 2)] for k in keys]),
        "papers": (["field", "guess", "premium"], rows),
    }
    found = searched(tmp_path, embedder, tables, BaseSpec("fields", "tonnes"))
    assert [a.columns for a in found.added if a.recommended] == [("papers.guess",)]
    assert {x.column for x in found.leaks} == {"premium"}


def test_how_many_rows_is_the_target(tmp_path: Path, embedder: CachedEmbedder, fields: Fields) -> None:
    keys, _, chance = fields
    many = {k: chance.randint(1, 9) for k in keys}
    tables: Tables = {
        "fields": (["field", "visits"], [[k, many[k]] for k in keys]),
        "visits": (["field", "form"], [[k, chance.choice("ab")] for k in keys for _ in range(many[k])]),
    }
    found = searched(tmp_path, embedder, tables, BaseSpec("fields", "visits"))
    assert [a.table for a in found.added if a.recommended] == []
    assert {(x.table, x.column) for x in found.leaks} >= {("visits", "*")}


def test_rows_for_some_by_chance_are_no_leak(
    tmp_path: Path, embedder: CachedEmbedder, fields: Fields
) -> None:
    keys, tonnes, chance = fields
    # more often where little was harvested, but not always
    some = [k for k in keys if chance.random() < (0.7 if tonnes[k] < 18 else 0.2)]
    tables: Tables = {
        "fields": (["field", "tonnes"], [[k, round(tonnes[k], 2)] for k in keys]),
        "floods": (["field", "form"], [[k, chance.choice("ab")] for k in some]),
    }
    found = searched(tmp_path, embedder, tables, BaseSpec("fields", "tonnes"))
    assert [a.table for a in found.added if a.recommended] == ["floods"]
    assert found.leaks == ()
