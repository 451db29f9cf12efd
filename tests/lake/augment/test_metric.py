"""The factorised metric against the same metric computed on rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rewright.lake.augment.estimating import pooled
from rewright.lake.augment.metric import FOLDS, SEEDS, Moments, evaluate, fold_numbers
from tests.lake.augment.explicit import explicit_r2, folds_of


def moments_of(x: Any, y: Any) -> Moments:
    gone = np.isnan(x)
    columns = [np.ones(len(y))]
    for j in range(x.shape[1]):
        columns += [np.where(gone[:, j], 0.0, x[:, j]), gone[:, j].astype(float)]
    rows = np.column_stack([*columns, y])
    sums = np.zeros((len(SEEDS), FOLDS, rows.shape[1], rows.shape[1]))
    for s, seed in enumerate(SEEDS):
        folds = fold_numbers(len(y), seed)
        for f in range(FOLDS):
            part = rows[folds == f]
            sums[s, f] = part.T @ part
    return Moments(sums, x.shape[1], 1)


@pytest.mark.parametrize(("rows", "columns"), [(10, 1), (37, 3), (200, 8), (60, 0)])
def test_it_agrees_with_the_metric_on_rows(rows: int, columns: int) -> None:
    random = np.random.default_rng(rows)
    x = random.normal(size=(rows, columns)) * 3
    y = x.sum(axis=1) + random.normal(size=rows)
    x[random.random(x.shape) < 0.15] = np.nan
    assert evaluate(moments_of(x, y)).r2 == pytest.approx(explicit_r2(x, y), abs=1e-6)


def test_the_folds_are_the_usual_shuffled_ones() -> None:
    for rows in (10, 23):
        for seed in SEEDS:
            numbers = fold_numbers(rows, seed)
            for f, part in enumerate(folds_of(rows, seed)):
                assert sorted(part) == sorted(np.flatnonzero(numbers == f))


def test_a_constant_column_and_a_column_of_nulls_change_nothing() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(80, 1))
    y = x[:, 0] + random.normal(size=80)
    more = np.column_stack([x, np.full(80, 7.0), np.full(80, np.nan)])
    assert evaluate(moments_of(more, y)).r2 == pytest.approx(evaluate(moments_of(x, y)).r2, abs=1e-9)


def test_a_gain_has_an_interval_that_noise_does_not_beat() -> None:
    random = np.random.default_rng(3)
    signal, noise = random.normal(size=(300, 1)), random.normal(size=(300, 1))
    y = signal[:, 0] + random.normal(size=300)
    before = evaluate(moments_of(np.zeros((300, 0)), y))
    gain, low, high = evaluate(moments_of(signal, y)).gain_over(before)
    assert 0.2 < low < gain < high
    assert evaluate(moments_of(noise, y)).gain_over(before)[1] < 0


def test_the_estimate_ranks_as_the_evaluation_does() -> None:
    random = np.random.default_rng(5)
    x = random.normal(size=(200, 3)) * np.array([1.0, 2.0, 3.0])
    y = x @ np.array([0.1, 0.5, 1.0]) + random.normal(size=200)
    whole = moments_of(x, y)
    found = [pooled(whole).estimate([i]) for i in range(3)]
    told = [evaluate(whole.of([i])).r2 for i in range(3)]
    assert np.argsort(found).tolist() == np.argsort(told).tolist()
    assert found == pytest.approx(told, abs=0.05)
