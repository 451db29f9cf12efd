"""Estimates of many tables at once beside those chosen: against regressions of each, and what they find."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from bench.augment_lakes import planted_tables
from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import BaseSpec, Options, augment
from rewright.lake.augment.base import Base
from rewright.lake.augment.candidates import Candidates
from rewright.lake.augment.estimating import Pooled
from rewright.lake.augment.evaluator import Evaluator
from rewright.lake.augment.standing import Standing
from rewright.lake.embedding import CachedEmbedder


@pytest.fixture
def evaluator(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Evaluator]:
    """Of a base of 300 rows that joins with three tables that help and eight that do not."""
    made = planted_tables(tmp_path / "lake", 83, rows=300, helpful=3, decoys=8)
    with open_lake(made.folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        lake.graph()
        with lake.database.cursor("SELECT 1") as cursor:
            yield Evaluator(Base(lake, cursor, BaseSpec(made.base, made.target)))


def left_by(sums: Pooled, features: Sequence[int]) -> float:
    """What a regression on these features, at a penalty of 1, leaves of the target."""
    at = [c for f in features for c in (2 * f, 2 * f + 1) if sums.varied[c]]
    values, vectors = np.linalg.eigh(sums.gram[np.ix_(at, at)])
    turned = (vectors.T @ sums.products[at]) ** 2
    return float(sums.spread[0] - (turned[:, 0] / (values + 1.0)).sum())


def test_what_is_left_is_that_of_one_regression_of_all(evaluator: Evaluator) -> None:
    base = evaluator.base
    found = Candidates(base.lake, base.table.name, base.table_rows, base.key_hashes).single()
    blocks = [b for b in map(evaluator.block, found) if b.features]
    standing = Standing.of(base, blocks)
    own = len(base.features)
    for n in (0, 1):
        standing.take(n, range(len(blocks[n].features)))
    sums = evaluator.pooled(blocks[:2])
    assert sums.features > own
    assert standing.unexplained[0] / standing.spread[0] == pytest.approx(
        left_by(sums, range(sums.features)) / sums.spread[0], abs=1e-9
    )
    # a further block with all of its few features
    (worth,) = standing.worth([2], [lambda _k: 0.0])
    beside = evaluator.pooled([*blocks[:2], blocks[2].only(worth.chosen)])
    standing.take(2, worth.chosen)
    assert standing.unexplained[0] / standing.spread[0] == pytest.approx(
        left_by(beside, range(beside.features)) / beside.spread[0], abs=1e-9
    )
    assert standing.now == pytest.approx(worth.estimate, abs=1e-9)


@pytest.mark.parametrize("rows", [240, 900])
def test_a_table_that_tells_nothing_alone_is_found_beside_another(
    tmp_path: Path, embedder: CachedEmbedder, rows: int
) -> None:
    """`inbound` is the signal under a noise that `outbound` holds: together they tell it."""
    chance = random.Random(rows)
    nodes = [f"N{i}" for i in range(rows)]
    noise = {node: chance.gauss(0, 2) for node in nodes}
    signal = {node: chance.gauss(0, 1) for node in nodes}
    tables: dict[str, tuple[list[str], list[list[object]]]] = {
        "nodes": (["node", "delay"], [[n, round(signal[n] + chance.gauss(0, 0.5), 3)] for n in nodes]),
        "inbound": (["node", "bytes"], [[n, round(noise[n] + signal[n], 3)] for n in nodes]),
        "outbound": (["node", "sent"], [[n, round(noise[n], 3)] for n in nodes]),
    }
    for i in range(8):
        tables[f"other_{i}"] = (["node", f"m{i}"], [[n, round(chance.gauss(0, 1), 3)] for n in nodes])
    lake = written(tmp_path / "lake", tables, tmp_path / "c.db", embedder)
    with lake:
        report = augment(lake, BaseSpec("nodes", "delay"), Options(3, None))
    assert {a.table for a in report.added if a.recommended} == {"inbound", "outbound"}, report
    assert report.r2_after > 0.7
    # neither beats its interval alone where there are few rows
    alone = [a for a in report.added if "beside" in a.evidence()]
    assert len(alone) == (2 if rows == 240 else 0)


def test_a_table_that_tells_with_all_of_its_features_is_recommended_with_the_best(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    """Of nine features made of one of the planted tables one is chosen: its gain is above 0, and below what
    the best of nine gain by chance. All nine together gain, too, and nothing was chosen of those.
    """
    made = planted_tables(tmp_path / "lake", 5000, helpful=4, decoys=12)
    with open_lake(made.folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        report = augment(lake, BaseSpec(made.base, made.target), Options(5, None))
    assert {a.table for a in report.added if a.recommended} == set(made.helpful)


def written(
    folder: Path,
    tables: dict[str, tuple[list[str], list[list[object]]]],
    catalog: Path,
    embedder: CachedEmbedder,
) -> Lake:
    folder.mkdir()
    for name, (header, rows) in tables.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    return open_lake(folder, catalog=catalog, embedder=embedder)
