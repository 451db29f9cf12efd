"""Nothing is joined on what is to be predicted, nor on a column that gives it away: who knows it need not predict."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from rewright.lake.api import open_lake
from rewright.lake.augment.api import AugmentError, BaseSpec, Options, Report, augment
from rewright.lake.augment.kept import keep_rows
from rewright.lake.embedding import CachedEmbedder

Search = Callable[..., Report]


@pytest.fixture
def search(tmp_path: Path, embedder: CachedEmbedder) -> Search:
    """A search over houses; `tariff` has a row for each price, whose fee goes with the price only roughly."""
    chance = random.Random(5)
    prices = chance.sample(range(10_000, 99_999), 160)

    def made(key: str = "price", own: str = "euros", keys: tuple[str, ...] = ()) -> Report:
        rows = [[f"H{i:04d}", p, p + 7] for i, p in enumerate(prices)]
        told = {"price": lambda p: p, own: lambda p: p + 7}[key]
        tables = {
            "houses": [["house", "price", own], *rows],
            "tariff": [[key, "fee"], *([told(p), round(p * 0.1 + chance.gauss(0, 2000))] for p in prices)],
            "owners": [["house", "age"], *([f"H{i:04d}", chance.randint(20, 80)] for i in range(160))],
        }
        (tmp_path / "lake").mkdir()
        for name, listed in tables.items():
            with (tmp_path / "lake" / f"{name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows(listed)
        with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db", embedder=embedder) as lake:
            lake.graph()
            keep_rows(lake)
            return augment(lake, BaseSpec("houses", "price", keys), Options(3, None))

    return made


@pytest.mark.parametrize("key", ["price", "euros"])
def test_not_on_the_target_nor_on_its_copy(search: Search, key: str) -> None:
    report = search(key)
    assert report.candidates == 1
    assert not any(added.recommended for added in report.added)


def test_a_copy_that_is_named_is_joined_on(search: Search) -> None:
    assert [added.table for added in search("euros", keys=("euros",)).added] == ["tariff"]


def test_the_target_is_refused_as_a_key(search: Search) -> None:
    with pytest.raises(AugmentError, match="price is the column to predict: it cannot be joined on"):
        search(keys=("price",))
