"""R² of augmented tables, as scikit-learn computes it on joins that are written out row by row.

scikit-learn is imported where it is used: it takes more than a second, and every process collects all tests.
"""

from __future__ import annotations

import csv
import itertools
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewright.lake.api import open_lake
from rewright.lake.augment.api import BaseSpec, Options, augment
from rewright.lake.embedding import CachedEmbedder

ALPHAS = (0.1, 1.0, 10.0, 100.0, 1000.0)
Rows = list[list[object]]


def out_of_fold(x: Any, y: Any) -> list[Any]:
    """For each of the seeds 0 to 2 each row's prediction by what was trained without its fold; alpha by
    cross-validation among the training folds.
    """
    from sklearn.model_selection import KFold

    found = []
    for seed in range(3):
        parts = [test for _, test in KFold(5, shuffle=True, random_state=seed).split(x)]
        inner = np.zeros((5, len(ALPHAS)))
        for i, j in itertools.combinations(range(5), 2):
            # what is trained without both tests each on behalf of the other
            for test, other in ((i, j), (j, i)):
                told = predictions(x, y, without(parts, {i, j}), parts[other], ALPHAS)
                inner[test] += [((y[parts[other]] - one) ** 2).sum() for one in told]
        predicted = np.empty(len(y))
        for i, part in enumerate(parts):
            alpha = ALPHAS[int(inner[i].argmin())]
            predicted[part] = predictions(x, y, without(parts, {i}), part, [alpha])[0]
        found.append(predicted)
    return found


def r2_of(x: Any, y: Any) -> float:
    """Pooled out-of-fold R², of several targets (columns of `y`) the mean."""
    told = [(y[:, t], one) for t in range(y.shape[1]) for one in out_of_fold(x, y[:, t])]
    return float(1 - np.mean([((one - real) ** 2).mean() / real.var() for real, one in told]))


def auc_of(x: Any, y: Any) -> float:
    """The mean over seeds and targets."""
    from sklearn.metrics import roc_auc_score

    return float(
        np.mean([roc_auc_score(y[:, t], one) for t in range(y.shape[1]) for one in out_of_fold(x, y[:, t])])
    )


def without(parts: Sequence[Any], left_out: set[int]) -> Any:
    return np.concatenate([part for n, part in enumerate(parts) if n not in left_out])


def predictions(x: Any, y: Any, train: Any, test: Any, alphas: Sequence[float]) -> list[Any]:
    """Those of the regressions with each alpha."""
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    prepared = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    a, b = prepared.fit_transform(x[train]), prepared.transform(x[test])
    return [Ridge(alpha).fit(a, y[train]).predict(b) for alpha in alphas]


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
        orders += [[key, told] for told in [usual] * (2 + i % 2) + [chance.choice(kinds)]]
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


def all_aggregates(chance: random.Random) -> tuple[dict[str, Rows], str]:
    tables, _ = means_with_gaps(chance)
    join = """SELECT mood, a, n, lo, hi, total, paid FROM base LEFT JOIN (SELECT guest, avg(spent) AS a, count(*) AS n,
        min(spent) AS lo, max(spent) AS hi, sum(spent) AS total FROM other GROUP BY guest) USING (guest)"""
    return tables, join


def two_tables(chance: random.Random) -> tuple[dict[str, Rows], str]:
    """Each tells something of its own, by its own key."""
    base: Rows = [["guest", "room_code", "paid"]]
    other: Rows = [["guest", "age"]]
    rooms: Rows = [["room_code", "width"]]
    widths = {code: chance.gauss(0, 1) for code in codes(40)}
    rooms += [[code, round(width, 4)] for code, width in widths.items() if code != codes(40)[3]]
    for i in range(170):
        key, room, age = f"G{i * 31 + 2003}", chance.choice(list(widths)), chance.gauss(0, 1)
        base.append([key, room, round(age + widths[room] + chance.gauss(0, 0.5), 4)])
        if i % 6:
            other.append([key, round(age, 4)])
    join = "SELECT age, width, paid FROM base LEFT JOIN other USING (guest) LEFT JOIN rooms USING (room_code)"
    return {"base": base, "other": other, "rooms": rooms}, join


def classes_of_three(chance: random.Random) -> tuple[dict[str, Rows], str]:
    base: Rows = [["guest", "party"]]
    other: Rows = [["guest", "age", "height"]]
    for i, key in enumerate(codes(180)):
        age, height = chance.gauss(0, 1), chance.gauss(0, 1)
        told = age + chance.gauss(0, 0.7)
        base.append([key, "left" if told < -0.5 else "right" if told > 0.6 + height else "middle"])
        if i % 8:
            other.append([key, round(age, 4), round(height, 4)])
    shown = ", ".join(f"(party = '{party}')::INT AS {party}_" for party in ("left", "middle", "right"))
    return {
        "base": base,
        "other": other,
    }, f"SELECT age, height, {shown} FROM base LEFT JOIN other USING (guest)"


def yes_or_no(chance: random.Random) -> tuple[dict[str, Rows], str]:
    base: Rows = [["guest", "came"]]
    other: Rows = [["guest", "age"]]
    for i, key in enumerate(codes(160)):
        age = chance.gauss(0, 1)
        base.append([key, int(age + chance.gauss(0, 1) > 0.4)])
        if i % 8:
            # ties, too
            other.append([key, round(age, 1)])
    return {"base": base, "other": other}, "SELECT age, came FROM base LEFT JOIN other USING (guest)"


def chain_of_two(chance: random.Random) -> tuple[dict[str, Rows], str]:
    """Guests have several dogs: of what is known of the dogs the mean."""
    base: Rows = [["guest", "mood"]]
    links: Rows = [["guest", "tag"]]
    other: Rows = [["tag", "barks"]]
    for i, key in enumerate(codes(150)):
        told = []
        for turn in range(i % 4):
            tag, barks = f"T{i * 53 + turn * 17 + 3001}", chance.gauss(0, 1)
            told.append(barks)
            links.append([key, tag])
            if (i + turn) % 5:
                other.append([tag, round(barks, 4)])
        base.append([key, round((sum(told) / len(told) if told else 0) + chance.gauss(0, 0.3), 4)])
    join = """SELECT b, mood FROM base LEFT JOIN (SELECT guest, avg(barks) AS b FROM links JOIN other USING (tag)
        GROUP BY guest) USING (guest)"""
    return {"base": base, "links": links, "other": other}, join


STANDARD = Options(tables=1, selector="exhaustive", aggregates="standard")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("made", "options"),
    [
        (means_with_gaps, STANDARD),
        (latest_by_date, STANDARD),
        (most_frequent, STANDARD),
        (composite_key, STANDARD),
        (all_aggregates, replace(STANDARD, aggregates="all")),
        (two_tables, replace(STANDARD, tables=2)),
        (classes_of_three, STANDARD),
        (yes_or_no, STANDARD),
        (chain_of_two, Options(1, aggregates="standard", hops=2)),
    ],
)
def test_it_agrees_with_scikit_learn_on_the_materialised_join(
    tmp_path: Path, embedder: CachedEmbedder, made: Any, options: Options
) -> None:
    tables, join = made(random.Random(11))
    folder = tmp_path / "lake"
    folder.mkdir()
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    _, *own, target = map(str, tables["base"][0])
    own = [name for name in own if not name.endswith("_code")]
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        report = augment(lake, BaseSpec("base", target, features=tuple(own)), options)
        joined = np.array(lake.execute(f"{join} ORDER BY base.rowid").rows, dtype=float)
    assert {added.table for added in report.added} == {"other", "rooms"} & set(tables) | {"other"}
    targets = 3 if made is classes_of_three else 1
    x, y = joined[:, :-targets], joined[:, -targets:]
    assert report.r2_best == pytest.approx(r2_of(x, y), abs=1e-6)
    if report.auc_after is not None:
        assert report.r2_after == report.r2_best
        assert report.auc_after == pytest.approx(auc_of(x, y), abs=1e-6)
    assert (report.auc_after is not None) == (made in {classes_of_three, yes_or_no})
