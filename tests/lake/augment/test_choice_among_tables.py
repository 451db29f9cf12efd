"""The best of many tables that tell nothing gains something; the more were tried, the more a gain must be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from rewright.lake.augment.blocks import Block, best_of_tables
from rewright.lake.augment.metric import Evaluation, Moments, evaluate
from rewright.lake.augment.selection import tells
from rewright.lake.augment.values import RowValues

ROWS, TABLES = 240, 3000
ONE_FEATURE = cast("Block", SimpleNamespace(features=(0,), by_chance=lambda _chosen: 0.0))
"""A table of one feature: among its own nothing was chosen."""


def with_feature(x: Any, y: Any) -> tuple[Evaluation, Evaluation]:
    """Without the feature, and with it."""
    rows = np.column_stack([x, np.zeros(len(x)), y])
    alone = RowValues.moments(rows[:, 2:])
    return evaluate(Moments(alone, 0, 1)), evaluate(Moments(RowValues.moments(rows), 1, 1))


def test_the_best_of_many_by_chance_is_recommended_only_where_the_choice_is_not_counted() -> None:
    counted = alone = 0
    for seed in range(30):
        chance = np.random.default_rng(seed)
        noise, y = chance.normal(size=(ROWS, TABLES)), chance.normal(size=ROWS)
        best = int(np.abs((noise - noise.mean(axis=0)).T @ (y - y.mean())).argmax())
        before, after = with_feature(noise[:, best], y)
        alone += tells(ONE_FEATURE, before, after)
        counted += tells(ONE_FEATURE, before, after, best_of_tables(TABLES, ROWS))
    assert alone >= 1
    assert counted == 0


def test_a_signal_stands_among_as_many() -> None:
    found = 0
    for seed in range(20):
        chance = np.random.default_rng(seed)
        x = chance.normal(size=ROWS)
        before, after = with_feature(x, x + 1.2 * chance.normal(size=ROWS))
        found += tells(ONE_FEATURE, before, after, best_of_tables(10_000, ROWS))
    assert found == 20
