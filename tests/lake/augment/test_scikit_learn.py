"""R² of augmented tables, as scikit-learn computes it on joins that are written out row by row."""

from __future__ import annotations

import csv
import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rewright.lake.api import open_lake
from rewright.lake.augment.api import BaseSpec, Options, augment
from rewright.lake.embedding import CachedEmbedder

ALPHAS = (0.1, 1.0, 10.0, 100.0, 1000.0)
Rows = list[list[object]]


def r2_of(x: Any, y: Any) -> float:
    """Pooled out-of-fold R² over five shuffled folds, seeds 0 to 2; alpha by cross-validation among the
    training folds.
    """
    found = []
    for seed in range(3):
        parts = [test for _, test in KFold(5, shuffle=True, random_state=seed).split(x)]
        inner = np.zeros((5, len(ALPHAS)))
        for i, j in itertools.combinations(range(5), 2):
            # what is trained without both tests each on behalf of the other
            for test, other in ((i, j), (j, i)):
                inner[test] += losses(x, y, without(parts, {i, j}), parts[other], ALPHAS)
        chosen = [ALPHAS[int(at)] for at in inner.argmin(axis=1)]
        loss = sum(losses(x, y, without(parts, {i}), parts[i], [chosen[i]])[0] for i in range(5))
        found.append(1 - loss / float(((y - y.mean()) ** 2).sum()))
    return float(np.mean(found))


def without(parts: Sequence[Any], left_out: set[int]) -> Any:
    return np.concatenate([part for n, part in enumerate(parts) if n not in left_out])


def losses(x: Any, y: Any, train: Any, test: Any, alphas: Sequence[float]) -> Any:
    """Sums of squared errors of the regressions with each alpha."""
    prepared = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    a, b = prepared.fit_transform(x[train]), prepared.transform(x[test])
    return np.array([((y[test] - Ridge(alpha).fit(a, y[train]).predict(b)) ** 2).sum() for alpha in alphas])


def codes(n: int) -> list[str]:
    return [f"Q{i * 37 + 1009}" for i in range(n)]


def means_with_gaps(chance: random.Random) -> tuple[dict[str, Rows], str]:
    """Many rows per key, with values missing on both sides and keys without a partner."""
    base: Rows = [["guest", "mood", "paid"]]
    visits: Rows = [["guest", "spent"]]
    for i, key in enumerate(codes(150)):
        s = chance.gauss(0, 1)
        base.append([key, round(chance.gauss(0, 1), 4) if i % 5 else None, round(s + chance.gauss(0, 1), 4)])
        if i % 4:
            visits += [[key, round(s + chance.gauss(0, 1), 4) if i % 7 else None] for _ in range(1 + i % 3)]
    join = """SELECT mood, m, n, paid FROM base LEFT JOIN
        (SELECT guest, avg(spent) AS m, count(*) AS n FROM other GROUP BY guest) USING (guest)"""
    return {"base": base, "other": visits}, join


def latest_by_date(chance: random.Random) -> tuple[dict[str, Rows], str]:
    base: Rows = [["place", "wealth"]]
    history: Rows = [["place", "year", "level"]]
    for i, key in enumerate(codes(140)):
        s = chance.gauss(0, 1)
        base.append([key, round(s + chance.gauss(0, 0.5), 4)])
        last = 2010 + i % 5
        history += [
            [key, year, round(s if year == last else chance.gauss(0, 1), 4)] for year in range(2004, last + 1)
        ]
    join = """SELECT level, year, wealth FROM base LEFT JOIN
        (SELECT * FROM other QUALIFY row_number() OVER (PARTITION BY place ORDER BY year DESC) = 1) USING (place)"""
    return {"base": base, "other": history}, join


def most_frequent(chance: random.Random) -> tuple[dict[str, Rows], str]:
    """A text of four values: three 0/1 columns of the one that is most frequent for the key."""
    base: Rows = [["member", "score"]]
    orders: Rows = [["member", "kind"]]
    kinds = ["aa", "bb", "cc", "dd"]
    for i, key in enumerate(codes(160)):
        usual = kinds[i % 4 if i % 9 else 0]
        base.append([key, round(kinds.index(usual) * 0.8 + chance.gauss(0, 1), 4)])
        orders += [[key, usual]] * (2 + i % 2) + [[key, chance.choice(kinds)]]
    told = [kind for _, kind in orders[1:]]
    # of four values the rarest follows from the others
    levels = sorted(kinds, key=lambda kind: -told.count(kind))[:3]
    shown = ", ".join(f"(k = '{level}')::INT" for level in levels)
    join = f"""SELECT {shown}, n, score FROM base LEFT JOIN
        (SELECT member, mode(kind) AS k, count(*) AS n FROM other GROUP BY member) USING (member)"""
    return {"base": base, "other": orders}, join


def composite_key(chance: random.Random) -> tuple[dict[str, Rows], str]:
    base: Rows = [["country", "year", "rate"]]
    exports: Rows = [["country", "year", "tons"]]
    for key in codes(30):
        for year in range(2001, 2009):
            s = chance.gauss(0, 1)
            base.append([key, year, round(s + chance.gauss(0, 0.5), 4)])
            if chance.random() < 0.9:
                exports.append([key, year, round(s, 4)])
    join = "SELECT year, tons, rate FROM base LEFT JOIN other USING (country, year)"
    return {"base": base, "other": exports}, join


@pytest.mark.parametrize("made", [means_with_gaps, latest_by_date, most_frequent, composite_key])
def test_it_agrees_with_scikit_learn_on_the_materialised_join(
    tmp_path: Path, embedder: CachedEmbedder, made: Any
) -> None:
    tables, join = made(random.Random(11))
    folder = tmp_path / "lake"
    folder.mkdir()
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    _, *own, target = map(str, tables["base"][0])
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        options = Options(tables=1, selector="exhaustive", aggregates="standard")
        report = augment(lake, BaseSpec("base", target, features=tuple(own)), options)
        joined = np.array(lake.execute(f"{join} ORDER BY base.rowid").rows, dtype=float)
    assert [added.table for added in report.added] == ["other"]
    assert report.r2_best == pytest.approx(r2_of(joined[:, :-1], joined[:, -1]), abs=1e-6)
