"""Keys by which a chain goes on: those whose own groups tell nothing of the target are not followed."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import BaseSpec, Options, augment
from rewright.lake.augment.base import Base
from rewright.lake.augment.candidates import Candidates
from rewright.lake.augment.evaluator import Evaluator
from rewright.lake.augment.kept import keep_rows
from rewright.lake.embedding import CachedEmbedder

ROWS = 600


@pytest.fixture
def lake(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Lake]:
    """`sales` of orders; `orders` name a region, whose `regions` tell the amount, a crew, of whom `crews` say
    nothing, and a parcel each has for itself; `visits` has several crews an order.
    """
    chance = random.Random(9)
    orders = [f"O{n}" for n in chance.sample(range(10_000, 99_999), ROWS)]
    regions, crews = ([f"{letter}{n}" for n in chance.sample(range(100, 999), 50)] for letter in "RC")
    level = {r: chance.gauss(0, 1) for r in regions}
    region, crew = ({o: chance.choice(some) for o in orders} for some in (regions, crews))
    tables: dict[str, list[Sequence[object]]] = {
        "sales": [("order_ref", "amount"), *([o, round(50 + 9 * level[region[o]] + chance.gauss(0, 6), 3)] for o in orders)],
        "orders": [["order_ref", "region", "crew", "parcel"], *([o, region[o], crew[o], f"P{o}"] for o in orders)],
        "regions": [["region", "level"], *([r, round(level[r], 4)] for r in regions)],
        "crews": [["crew", "age"], *([c, chance.randint(20, 60)] for c in crews)],
        "visits": [["order_ref", "worker"], *([o, chance.choice(crews)] for o in orders for _ in range(3))],
    }  # fmt: skip
    (tmp_path / "lake").mkdir()
    for name, rows in tables.items():
        with (tmp_path / "lake" / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db", embedder=embedder) as opened:
        keep_rows(opened)
        yield opened


def nothing(lake: Lake, table: str) -> set[str]:
    """The columns of a table beside the base that carry nothing."""
    cursor = lake.database.cursor("SELECT 1")
    try:
        base = Base(lake, cursor, BaseSpec("sales", "amount"))
        candidates = Candidates(lake, "sales", base.table_rows, base.key_hashes)
        (candidate,) = (c for c in candidates.single() if c.table == table)
        alone, _ = candidates.ways(table, {"order_ref"})
        return Evaluator(base).carrying().nothing(candidate, alone)
    finally:
        cursor.close()


def test_a_key_whose_groups_tell_nothing_is_left_out(lake: Lake) -> None:
    """The region tells; of the parcels, one an order, nothing can be said."""
    assert nothing(lake, "orders") == {"crew"}


def test_of_several_values_a_row_nothing_is_said(lake: Lake) -> None:
    assert nothing(lake, "visits") == set()


def test_what_the_key_carries_is_found_and_the_rest_not_looked_at(lake: Lake) -> None:
    spec = BaseSpec("sales", "amount")
    found = augment(lake, spec, Options(1, None, hops=2))
    whole = augment(lake, spec, Options(1, None, hops=2, strategy="bfs"))
    assert [added.table for added in found.added] == [added.table for added in whole.added] == ["regions"]
    assert found.r2_after == pytest.approx(whole.r2_after)


def test_a_year_beside_it_keeps_a_key(tmp_path: Path, lake: Lake, embedder: CachedEmbedder) -> None:
    """With a year the crew may name a row: neither is judged alone."""
    rows = [line.rstrip("\n") for line in (tmp_path / "lake" / "orders.csv").read_text().splitlines()]
    dated = [f"{row},{'year' if i == 0 else 2010 + i % 7}" for i, row in enumerate(rows)]
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "orders.csv").write_text("\n".join(dated))
    (folder / "sales.csv").write_text((tmp_path / "lake" / "sales.csv").read_text())
    with open_lake(folder, catalog=tmp_path / "other.db", embedder=embedder) as opened:
        assert nothing(opened, "orders") == set()
