"""Candidates are looked at on samples of rows, and only those that seem worth it are built for all keys."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import numpy as np
import pytest

from bench.augment_lakes import Planted, planted_tables
from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import BaseSpec, Options, augment
from rewright.lake.augment.base import Base
from rewright.lake.augment.candidates import Candidates
from rewright.lake.augment.encoding import Feature
from rewright.lake.augment.evaluator import Evaluator
from rewright.lake.augment.leakage import TargetByKey, leaks_of, suspected
from rewright.lake.augment.selection import Budget, Search
from rewright.lake.embedding import CachedEmbedder


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    """A base of 900 rows with three tables that help, 25 decoys, and one that holds the target's double."""
    folder = tmp_path_factory.mktemp("halving") / "lake"
    made = planted_tables(folder, 71, rows=900, helpful=3, decoys=25)
    with (folder / f"{made.base}.csv").open(newline="") as file:
        (key, _, target), *rows = list(csv.reader(file))
    with (folder / "ledger.csv").open("w", newline="") as file:
        csv.writer(file).writerows([[key, f"{target}_cents"], *((r[0], 100 * float(r[2])) for r in rows)])
    return made


@pytest.fixture(scope="module")
def lake(planted: Planted, embedder: CachedEmbedder) -> Iterator[Lake]:
    with open_lake(planted.folder, catalog=planted.folder.parent / "c.db", embedder=embedder) as found:
        yield found


def evaluator_of(lake: Lake, planted: Planted) -> Evaluator:
    return Evaluator(Base(lake, lake.database.cursor("SELECT 1"), BaseSpec(planted.base, planted.target)))


def test_few_of_many_are_built_and_the_planted_ones_are_found(lake: Lake, planted: Planted) -> None:
    evaluator = evaluator_of(lake, planted)
    base = evaluator.base
    search = Search(evaluator, Budget(), 3)
    candidates = Candidates(base.lake, base.table.name, base.table_rows, base.key_hashes).single()
    assert len(candidates) >= 29
    search.run("ours", candidates)
    assert len(search.blocks) <= len(candidates) // 2 + 1
    assert {pick.block.candidate.table for pick in search.recommended()} == set(planted.helpful)


def test_what_gives_the_target_away_is_told_although_a_few_rows_alone_were_looked_at(
    lake: Lake, planted: Planted
) -> None:
    report = augment(lake, BaseSpec(planted.base, planted.target), Options(3, None))
    assert [leak.table for leak in report.leaks] == ["ledger"]
    assert {a.table for a in report.added if a.recommended} == set(planted.helpful)


def test_a_look_at_all_rows_says_what_the_whole_table_says(lake: Lake, planted: Planted) -> None:
    evaluator = evaluator_of(lake, planted)
    base = evaluator.base
    sample = evaluator.sample(base.rows)
    search = Search(evaluator, Budget(), 3)
    search.initial = evaluator.evaluate(())
    alone = evaluator.estimate(())
    for candidate in Candidates(base.lake, base.table.name, base.table_rows).single():
        if candidate.table in planted.helpful:
            look = sample.look(candidate)
            assert look is not None
            block = evaluator.block(candidate)
            assert look.coverage == pytest.approx(block.coverage)
            # what is explained by chance is taken from a share of what is left to explain: alike, not equal
            assert look.gain == pytest.approx(search.gain(block, alone), abs=0.01)


@pytest.mark.parametrize("seed", range(3))
def test_no_column_that_is_a_leak_is_passed_over_by_the_quick_look(lake: Lake, seed: int) -> None:
    chance = np.random.default_rng(seed)
    n = 40 + 300 * seed
    y = chance.normal(size=n)
    noise = chance.normal(size=(n, 30))
    missing = np.where(chance.random(n) < 0.3, np.nan, y)
    known = np.where(y > 0, 1.0, np.nan)
    deciles = np.digitize(y, np.quantile(y, np.linspace(0.1, 0.9, 9))).astype(float)
    skewed = np.digitize(y, np.quantile(y, [0.9, 0.95])).astype(float)
    leaks = [3 * y, -y, np.exp(3 * y), missing, deciles, -skewed, y + chance.normal(0, 1e-3, n)]
    values = np.column_stack([*leaks, noise])
    target = lake.index.tables["ledger"].columns[1]
    features = [Feature("ledger", f"c{i}", "") for i in range(values.shape[1])]
    for counts, told in ((np.ones(n), y), (np.full(n, 3.0), y)):
        by_key = TargetByKey(
            counts, (counts * told)[:, None], (counts * told**2)[:, None], np.full(n, np.nan)
        )
        matched = np.full(n, True)
        quick = suspected(values, matched, by_key)
        assert quick[: len(leaks)].all()
        assert quick[len(leaks) :].sum() <= 4
        found = leaks_of(lake.index, target, features, values, matched, by_key)
        assert set(range(len(leaks))) <= set(found)
    flagged = TargetByKey(
        np.ones(n), (y > 0).astype(float)[:, None], (y > 0).astype(float)[:, None], np.full(n, np.nan)
    )
    assert suspected(known[:, None], np.ones(n, dtype=bool), flagged).all()


def test_earlier_searches_count_less_the_more_rows_are_looked_at(lake: Lake, planted: Planted) -> None:
    base = Base(lake, lake.database.cursor("SELECT 1"), BaseSpec(planted.base, planted.target))
    search = Search(Evaluator(base), Budget(), 5, prior=lambda _table: (0.5, 3.0))
    told = [search.hoped("any", 0.1, rows) for rows in (64, 256, 512, base.rows)]
    assert told == sorted(told, reverse=True)
    assert told[0] > 0.2
    # what was looked at on all rows is known
    assert told[-1] == 0.1
