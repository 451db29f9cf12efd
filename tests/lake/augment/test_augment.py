"""Augmenting tables of small lakes: agreement with explicit joins, leaks, candidates, budgets, chains,
errors.
"""

from __future__ import annotations

import csv
import json
import random
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import duckdb
import numpy as np
import pytest
from click.testing import CliRunner

from bench.augment_lakes import planted_chain, planted_tables
from rewright.engines.duckdb.errors import LakeError
from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import (
    SELECTORS,
    STRATEGIES,
    AugmentError,
    BaseSpec,
    Options,
    Report,
    Strategy,
    augment,
)
from rewright.lake.augment.command import command
from rewright.lake.augment.evaluator import Evaluator
from rewright.lake.augment.features import features_of
from rewright.lake.augment.listing import COLUMNS, ended
from rewright.lake.augment.saving import save
from rewright.lake.embedding import CachedEmbedder, best_embedder
from tests.lake.augment.explicit import explicit_r2

Tables = dict[str, tuple[Sequence[str], Sequence[Sequence[object]]]]
Make = Callable[[Tables], Lake]


@pytest.fixture
def make(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Make]:
    lakes: list[Lake] = []

    def made(tables: Tables) -> Lake:
        folder = tmp_path / f"lake{len(lakes)}"
        folder.mkdir()
        for name, (header, rows) in tables.items():
            with (folder / f"{name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([header, *rows])
        lakes.append(open_lake(folder, catalog=tmp_path / f"{folder.name}.db", embedder=embedder))
        return lakes[-1]

    yield made
    for lake in lakes:
        lake.close()


def codes(n: int) -> list[str]:
    return [f"Q{i * 37 + 1009}" for i in range(n)]


def towns(n: int = 120, seed: int = 1) -> tuple[random.Random, list[str], list[float]]:
    chance = random.Random(seed)
    return chance, codes(n), [chance.gauss(0, 1) for _ in range(n)]


def simple(extra: Tables | None = None, *, n: int = 120) -> Tables:
    """`sales` of shops, `streets` that explains them, and noise; `extra` beside or instead."""
    chance, keys, signal = towns(n)
    return {
        "sales": (["shop", "revenue"], [[k, round(20 + 4 * s + chance.gauss(0, 1), 4)] for k, s in zip(keys, signal, strict=True)]),
        "streets": (["shop", "footfall"], [[k, round(100 + 9 * s, 4)] for k, s in zip(keys, signal, strict=True)]),
        "weather": (["shop", "wind"], [[k, round(chance.gauss(3, 1), 4)] for k in keys]),
        **(extra or {}),
    }  # fmt: skip


def reasons(report: Report) -> dict[tuple[str, str], str]:
    return {(leak.table, leak.column): leak.reason for leak in report.leaks}


def test_the_gain_is_that_of_the_explicit_join(make: Make) -> None:
    lake = make(simple())
    report = augment(lake, BaseSpec("sales", "revenue"), Options(tables=1))
    assert [a.table for a in report.added if a.recommended] == ["streets"]
    rows = lake.execute(
        "SELECT footfall, revenue FROM sales LEFT JOIN streets USING (shop) ORDER BY sales.rowid"
    ).rows
    table = np.array(rows, dtype=float)
    assert report.r2_after == pytest.approx(explicit_r2(table[:, :1], table[:, 1]), abs=1e-6)
    assert report.r2_before == pytest.approx(explicit_r2(np.zeros((120, 0)), table[:, 1]), abs=1e-6)


def test_many_rows_per_key_with_gaps_agree_with_the_explicit_join_of_their_means(make: Make) -> None:
    chance, keys, signal = towns(150, 5)
    base = [[k, round(s + chance.gauss(0, 1), 4), round(chance.gauss(0, 1), 4) if i % 5 else None]
            for i, (k, s) in enumerate(zip(keys, signal, strict=True)) for _ in range(2)]  # fmt: skip
    visits = [[k, round(s + chance.gauss(0, 1), 4) if i % 7 else None]
              for i, (k, s) in enumerate(zip(keys, signal, strict=True)) if i % 4 for _ in range(1 + i % 3)]  # fmt: skip
    lake = make({"stays": (["guest", "paid", "mood"], base), "visits": (["guest", "spent"], visits)})
    report = augment(lake, BaseSpec("stays", "paid"), Options(aggregates="standard"))
    assert report.added[0].columns == ("visits.spent (mean)", "visits.* (count)")
    rows = lake.execute(
        "SELECT mood, m, n, paid FROM stays LEFT JOIN (SELECT guest, avg(spent) AS m, count(*) AS n FROM visits GROUP BY guest) USING (guest) ORDER BY stays.rowid"
    ).rows
    table = np.array(rows, dtype=float)
    assert report.r2_best == pytest.approx(explicit_r2(table[:, :3], table[:, 3]), abs=1e-6)


@pytest.mark.parametrize("how", ["sum", "minimum", "maximum", "count"])
def test_a_signal_in_any_aggregate_is_found(make: Make, how: str) -> None:
    chance = random.Random(9)
    told = {"sum": sum, "minimum": min, "maximum": max, "count": len}[how]
    base, many = [], []
    for k in codes(200):
        values = [chance.gauss(2, 2) for _ in range(chance.randint(1, 6))]
        base.append([k, round(told(values) + chance.gauss(0, 0.3), 4)])  # type: ignore[operator]
        many += [[k, round(v, 4)] for v in values]
    lake = make({"members": (["member", "score"], base), "receipts": (["member", "amount"], many)})
    report = augment(lake, BaseSpec("members", "score"))
    assert report.r2_after > 0.85
    assert report.rows == 200
    assert len(lake.execute(report.sql).rows) == 200


def test_the_latest_row_counts(make: Make) -> None:
    chance, keys, signal = towns(150, 3)
    history = [[k, year, round(s if year == 2015 else chance.gauss(0, 1), 4)]
               for k, s in zip(keys, signal, strict=True) for year in range(2005, 2016)]  # fmt: skip
    base = [[k, round(s + chance.gauss(0, 0.4), 4)] for k, s in zip(keys, signal, strict=True)]
    lake = make({"places": (["place", "wealth"], base), "history": (["place", "year", "level"], history)})
    report = augment(lake, BaseSpec("places", "wealth"), Options(aggregates="standard"))
    assert report.r2_after > 0.7
    assert "history.level (latest)" in report.added[0].columns


def test_a_key_of_country_and_year(make: Make) -> None:
    chance = random.Random(4)
    base, other = [], []
    for k in codes(40):
        for year in range(2001, 2011):
            s = chance.gauss(0, 1)
            base.append([k, year, round(s + chance.gauss(0, 0.4), 4)])
            other.append([k, year, round(s, 4)])
    lake = make(
        {"growth": (["country", "year", "rate"], base), "exports": (["country", "year", "tons"], other)}
    )
    report = augment(lake, BaseSpec("growth", "rate"))
    assert report.r2_after > 0.75
    assert "year" in report.added[0].join_path


def test_keys_that_differ_in_case_blanks_and_accents_meet(make: Make) -> None:
    tables = simple()
    header, rows = tables["streets"]
    spoiled = [[f" {k.lower()} " if i % 3 else k, v] for i, (k, v) in enumerate(rows)]  # type: ignore[attr-defined]
    report = augment(make({**tables, "streets": (header, spoiled)}), BaseSpec("sales", "revenue"))
    assert report.added[0].table == "streets"
    assert report.added[0].coverage == 1.0


def leaky(column: str, form: Callable[[float], object], table: str = "ledger") -> Tables:
    tables = simple()
    rows = [[k, form(float(y))] for k, y in tables["sales"][1]]  # type: ignore[arg-type]
    return {**tables, table: (["shop", column], rows)}


def test_copies_near_copies_and_other_units_are_told_and_not_rewarded(make: Make) -> None:
    chance = random.Random(2)
    forms: dict[str, Callable[[float], object]] = {
        "booked": lambda y: y,
        "checked": lambda y: round(y + chance.gauss(0, 0.05), 4),
        "cents": lambda y: round(y * 100 + 32, 2),
        "log_takings": lambda y: round(float(np.log(y + 100)) ** 5, 6),
    }
    for column, form in forms.items():
        report = augment(make(leaky(column, form)), BaseSpec("sales", "revenue"))
        assert ("ledger", column) in reasons(report), column
        assert all(a.table != "ledger" for a in report.added)
        assert "ledger" not in report.sql


def test_the_same_quantity_of_another_year_is_told_and_not_rewarded(make: Make) -> None:
    chance = random.Random(2)
    other = leaky("revenue_2015", lambda y: round(1.1 * y + chance.gauss(0, 0.6), 4))
    report = augment(make(other), BaseSpec("sales", "revenue"))
    assert "same quantity" in reasons(report)["ledger", "revenue_2015"]
    assert all(a.table != "ledger" for a in report.added)


def test_a_column_filled_only_once_the_target_is_known_is_told(make: Make) -> None:
    chance, keys, signal = towns(160, 8)
    base = [[k, "yes" if s + chance.gauss(0, 1) > 0 else "no"] for k, s in zip(keys, signal, strict=True)]
    cases = [[k, chance.randint(1, 9) if left == "yes" else None, chance.randint(1, 9)] for k, left in base]
    lake = make(
        {"clients": (["client", "left"], base), "cases": (["client", "farewell_score", "calls"], cases)}
    )
    report = augment(lake, BaseSpec("clients", "left"))
    assert "only once" in reasons(report)["cases", "farewell_score"]
    assert not any("farewell" in c for a in report.added for c in a.columns)


def test_rows_dated_after_the_base_rows_are_told(make: Make) -> None:
    chance, keys, signal = towns(150, 6)
    base = [[k, f"2020-03-{1 + i % 28:02d}", round(s + chance.gauss(0, 0.5), 4)] for i, (k, s) in enumerate(zip(keys, signal, strict=True))]  # fmt: skip
    later = [[k, f"2020-06-{1 + i % 28:02d}", round(s, 4)] for i, (k, s) in enumerate(zip(keys, signal, strict=True))]  # fmt: skip
    lake = make(
        {"orders": (["nr", "day", "worth"], base), "complaints": (["nr", "filed_on", "anger"], later)}
    )
    report = augment(lake, BaseSpec("orders", "worth", keys=("nr",)))
    assert "after" in reasons(report)["complaints", "anger"]
    assert not report.added


def test_keys_are_no_features(make: Make) -> None:
    tables = simple()
    rows = [[k, v, n + 1] for n, (k, v) in enumerate(tables["streets"][1])]
    report = augment(
        make({**tables, "streets": (["shop", "footfall", "record_id"], rows)}), BaseSpec("sales", "revenue")
    )
    assert not any("record_id" in c for a in report.added for c in a.columns)
    assert any("streets" in note and "record_id" in note and "key" in note for note in report.notes)


def test_unionable_partitions_count_once(make: Make) -> None:
    tables = simple()
    rows = tables["streets"][1]
    parts: Tables = {f"streets_{y}": (["shop", "footfall", "trees", "lamps"], [[k, v, 1 + i % 9, 2 + i % 5] for i, (k, v) in enumerate(rows)]) for y in (2014, 2015, 2016)}  # fmt: skip
    del tables["streets"]
    report = augment(make({**tables, **parts}), BaseSpec("sales", "revenue"))
    assert [a.table for a in report.added if a.recommended] == ["streets_all"]


def test_a_yes_or_no_and_classes_are_told_as_auc_too(make: Make) -> None:
    chance, keys, signal = towns(200, 7)
    for values in (("0", "1"), ("low", "middle", "high")):
        base = [[k, values[min(len(values) - 1, max(0, int(s + chance.gauss(0, 0.3) + len(values) / 2)))]]
                for k, s in zip(keys, signal, strict=True)]  # fmt: skip
        other = [[k, round(s, 4)] for k, s in zip(keys, signal, strict=True)]
        lake = make({"people": (["person", "state"], base), "tests": (["person", "points"], other)})
        report = augment(lake, BaseSpec("people", "state"))
        assert report.kind == "classes"
        assert report.auc_before is not None
        assert report.auc_after is not None
        assert report.auc_after > max(0.75, report.auc_before)


def test_noise_is_not_recommended(make: Make) -> None:
    wrong = 0
    for seed in range(6):
        chance = random.Random(seed)
        keys = codes(100)
        tables: Tables = {"base_table": (["k", "y"], [[k, round(chance.gauss(0, 1), 4)] for k in keys])}
        for i in range(6):
            tables[f"noise_{'abcdef'[i]}"] = (
                ["k", f"x{i}"],
                [[k, round(chance.gauss(0, 1), 4)] for k in keys],
            )
        report = augment(make(tables), BaseSpec("base_table", "y"))
        wrong += sum(a.recommended for a in report.added)
    assert wrong <= 1


def test_redundant_tables_are_taken_once(make: Make) -> None:
    tables = simple()
    chance = random.Random(4)
    copy = [[k, round(float(v) + chance.gauss(0, 0.5), 4)] for k, v in tables["streets"][1]]  # type: ignore[arg-type]
    report = augment(make({**tables, "paths": (["shop", "steps"], copy)}), BaseSpec("sales", "revenue"))
    assert len([a for a in report.added if a.recommended]) == 1


def test_every_selector_gives_the_same_report(make: Make) -> None:
    lake = make(simple())
    documents = {
        s: augment(lake, BaseSpec("sales", "revenue"), Options(selector=s)).to_json() for s in SELECTORS
    }
    assert len({tuple(d) for d in documents.values()}) == 1
    assert documents["ours"]["r2_best"] >= documents["exhaustive"]["r2_best"] - 0.01


def test_a_budget_that_ends_gives_the_best_so_far_and_says_what_was_not_tried(make: Make) -> None:
    lake = make(simple())
    nothing = augment(lake, BaseSpec("sales", "revenue"), Options(seconds=0.0))
    assert nothing.ended == "budget"
    assert nothing.not_tried
    assert nothing.r2_before == nothing.r2_best
    assert f"{len(nothing.not_tried)} joins were not tried" in ended(nothing)
    looked = augment(lake, BaseSpec("sales", "revenue"), Options(evaluations=2, selector="exhaustive"))
    assert (looked.ended, looked.not_tried) == ("budget", ())
    assert "all joins had been looked at" in ended(looked)


def test_an_interruption_gives_the_best_so_far_and_leaves_nothing(make: Make) -> None:
    lake = make(simple())

    def told(_table: str, r2: float) -> None:
        if r2 > 0.5:
            raise KeyboardInterrupt

    report = augment(lake, BaseSpec("sales", "revenue"), told=told)
    assert report.ended == "budget"
    assert [a.table for a in report.added] == ["streets"]
    loaded = lake.database.trusted("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'base_%'")
    assert loaded == [(0,)]


def test_the_augmented_table_as_sql_and_as_parquet(make: Make, tmp_path: Path) -> None:
    tables = simple()
    told = ['a "b", c', "two\nlines", "", None, "\\N", "t"]
    sales = [[*row, told[i % 6]] for i, row in enumerate(tables["sales"][1])]
    lake = make({**tables, "sales": (["shop", "revenue", "note"], sales)})
    report = augment(lake, BaseSpec("sales", "revenue"))
    rows = lake.execute(report.sql)
    assert rows.columns[:2] == ("shop", "revenue")
    assert len(rows.rows) == 120
    out = tmp_path / "sales_plus.parquet"
    assert save(lake, report.sql, out) == 120
    found = duckdb.sql(f"SELECT * FROM '{out}'").fetchall()
    assert sorted(found, key=str) == sorted(rows.rows, key=str)
    with pytest.raises(AugmentError, match="cannot be written"):
        save(lake, report.sql, tmp_path / "no" / "such" / "folder.parquet")
    assert [p.name for p in tmp_path.glob("*.parquet*")] == ["sales_plus.parquet"]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("length", [2, 3])
def test_a_signal_at_the_end_of_a_chain_is_found(
    tmp_path: Path, embedder: CachedEmbedder, strategy: Strategy, length: int
) -> None:
    planted = planted_chain(tmp_path / "lake", 10 + length, length=length, rows=150, decoys=1)
    with open_lake(planted.folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        report = augment(
            lake, BaseSpec(planted.base, planted.target), Options(hops=length, strategy=strategy)
        )
        assert report.added[0].table == planted.helpful[0]
        assert report.r2_after > 0.9 * planted.possible
        assert len(lake.execute(report.sql).rows) == report.rows == 150


def test_planted_tables_are_found_among_decoys(tmp_path: Path, embedder: CachedEmbedder) -> None:
    planted = planted_tables(tmp_path / "lake", 77)
    with open_lake(planted.folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        report = augment(lake, BaseSpec(planted.base, planted.target))
    assert {a.table for a in report.added if a.recommended} == set(planted.helpful)
    assert report.r2_after > planted.possible - 0.1


def test_names_of_our_own_tables_and_columns_do_no_harm(make: Make) -> None:
    tables = simple()
    rows = [[k, y, i % 7, i % 5, i % 3] for i, (k, y) in enumerate(tables["sales"][1])]
    other = [[k, v, 1 + i % 4, i % 6] for i, (k, v) in enumerate(tables["streets"][1])]
    lake = make(
        {"sales": (["shop", "y0", "g", "f0", "v0"], rows), "base": (["shop", "k0", "c0", "n"], other)}
    )
    report = augment(lake, BaseSpec("sales", "y0"))
    assert report.added[0].table == "base"
    assert len(lake.execute(report.sql).rows) == 120
    assert not report.failed


@pytest.mark.parametrize(
    ("tables", "target", "message"),
    [
        (simple(), "revenu", "no column"),
        (simple(), "", "which column"),
        (simple(n=9), "revenue", "at least 10"),
        ({"sales": (["shop", "revenue"], [[k, 5] for k in codes(30)])}, "revenue", "in all rows"),
        ({"sales": (["shop", "revenue"], [[k, f"text {k}"] for k in codes(30)])}, "revenue", "text"),
        ({"sales": (["shop", "revenue"], [[k, None] for k in codes(30)])}, "revenue", "no value"),
    ],
)
def test_what_cannot_be_augmented_is_told(make: Make, tables: Tables, target: str, message: str) -> None:
    with pytest.raises(AugmentError, match=message):
        augment(make(tables), BaseSpec("sales", target))


def test_ten_rows_and_no_joinable_table_and_unfit_columns_are_answered(make: Make) -> None:
    assert augment(make(simple(n=10)), BaseSpec("sales", "revenue")).rows == 10
    alone = augment(make({"sales": simple()["sales"]}), BaseSpec("sales", "revenue"))
    assert any("no table" in note for note in alone.notes)
    assert alone.added == ()
    tables = simple()
    odd = [[k, None, "nan" if i % 2 else 1.5, "inf"] for i, (k, _) in enumerate(tables["sales"][1])]
    report = augment(
        make({**tables, "odd": (["shop", "empty", "half", "endless"], odd)}), BaseSpec("sales", "revenue")
    )
    assert [a.table for a in report.added if a.recommended] == ["streets"]
    assert not report.failed


def test_rows_without_a_target_are_told(make: Make) -> None:
    tables = simple()
    header, rows = tables["sales"]
    gaps = [[shop, "NaN" if i % 4 == 1 else "" if i % 4 == 2 else y] for i, (shop, y) in enumerate(rows)]
    report = augment(make({**tables, "sales": (header, gaps)}), BaseSpec("sales", "revenue"))
    assert report.rows == 60
    assert "60 of 120 rows of sales have no value of revenue: they are left out" in report.notes


def test_columns_of_the_base_table_that_say_nothing(make: Make) -> None:
    """NaN, infinities, and columns without a value are no features; nor a reason to fail."""
    tables = simple()
    header, rows = tables["sales"]
    spoiled = [[*row, None, "nan" if i % 2 else "inf", "NaN"] for i, row in enumerate(rows)]
    spoiled[3][1] = "nan"
    report = augment(
        make({**tables, "sales": ([*header, "empty", "half", "never"], spoiled)}),
        BaseSpec("sales", "revenue"),
    )
    assert [a.table for a in report.added if a.recommended] == ["streets"]
    assert report.rows == len(rows) - 1


def test_interrupted_it_gives_the_best_so_far_and_leaves_nothing(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C may come at any step."""
    lake = make(simple())
    for step in range(1, 6):
        calls = 0
        done = Evaluator.evaluate

        def evaluate(self: Evaluator, *given: Any, at: int = step, run: Any = done) -> Any:
            nonlocal calls
            calls += 1
            if calls == at + 1:
                raise KeyboardInterrupt
            return run(self, *given)

        monkeypatch.setattr(Evaluator, "evaluate", evaluate)
        report = augment(lake, BaseSpec("sales", "revenue"))
        monkeypatch.setattr(Evaluator, "evaluate", done)
        assert report.ended == ("budget" if calls > step else "complete")
        assert lake.execute(report.sql).rows
        left = lake.execute("SELECT count(*) FROM sales").rows
        assert left == [(len(simple()["sales"][1]),)]
    assert augment(lake, BaseSpec("sales", "revenue")).added[0].table == "streets"


# by character n-grams: a sentence encoder takes most of the time for a thousand names that tell nothing
@pytest.mark.parametrize("embedder", [best_embedder(semantic=False)], ids=["n-grams"])
@pytest.mark.parametrize("columns", [60, 400])
def test_the_best_of_many_columns_of_noise_are_not_recommended(make: Make, columns: int) -> None:
    chance, keys, _ = towns(150, seed=columns)
    noise = [[k, *(round(chance.gauss(0, 1), 4) for _ in range(columns))] for k in keys]
    extra: Tables = {"readings": (["shop", *(f"probe{i}" for i in range(columns))], noise)}
    found = augment(make(simple(extra, n=150)), BaseSpec("sales", "revenue"), Options(3, None))
    assert [added.table for added in found.added if added.recommended] == ["streets"]
    lake = make({"sales": simple(n=150)["sales"], **extra})
    alone = augment(lake, BaseSpec("sales", "revenue"), Options(3, None))
    assert [added.recommended for added in alone.added] in ([], [False])
    assert not any("beats its interval" in added.evidence() for added in alone.added)


def test_numbers_too_large_to_be_squared_count_as_missing(make: Make) -> None:
    tables = simple()
    header, rows = tables["sales"]
    tables["sales"] = ([*header, "huge"], [[*row, 1e308 - i * 1e300] for i, row in enumerate(rows)])
    header, rows = tables["streets"]
    tables["streets"] = ([*header, "vast"], [[*row, -1e307 * (i % 9)] for i, row in enumerate(rows)])
    found = augment(make(tables), BaseSpec("sales", "revenue"), Options(2, None))
    assert [added.table for added in found.added if added.recommended] == ["streets"]
    with pytest.raises(AugmentError, match="huge is not a number in 120 of 120 rows"):
        augment(make(tables), BaseSpec("sales", "huge"), Options(2, None))


def test_a_view_and_a_schema_before_the_name(make: Make) -> None:
    lake = make(simple())
    whole = augment(lake, BaseSpec("sales", "revenue"), Options(2, None))
    named = augment(lake, BaseSpec("public.sales", "revenue"), Options(2, None))
    assert (named.r2_after, named.sql) == (whole.r2_after, whole.sql)
    lake.keep_view("some sales", "SELECT * FROM sales WHERE revenue IS NOT NULL")
    seen = augment(lake, BaseSpec("some sales", "revenue"), Options(2, None))
    assert [added.table for added in seen.added if added.recommended] == ["streets"]
    assert seen.r2_after == pytest.approx(whole.r2_after)
    assert len(lake.execute(seen.sql).rows) == seen.rows == whole.rows
    # the table behind it has the target itself
    assert ("sales", "revenue") in {(leak.table, leak.column) for leak in seen.leaks}


@pytest.mark.parametrize(
    ("where", "state"), [("sum(revenue) > 1", "42803"), ("row_number() OVER () < 9", "42P20")]
)
def test_a_condition_on_the_rows_that_cannot_be_one_is_told(make: Make, where: str, state: str) -> None:
    with pytest.raises(LakeError) as told:
        augment(make(simple()), BaseSpec("sales", "revenue", where=where), Options(1, None))
    assert told.value.sqlstate == state


@pytest.mark.long
def test_a_thousand_columns(make: Make) -> None:
    chance, keys, signal = towns(80, 11)
    wide = [[k, *(round(chance.gauss(0, 1), 3) for _ in range(1000)), round(s, 4)] for k, s in zip(keys, signal, strict=True)]  # fmt: skip
    base = [[k, round(s + chance.gauss(0, 0.3), 4)] for k, s in zip(keys, signal, strict=True)]
    lake = make(
        {"sales": (["shop", "y"], base), "wide": (["shop", *(f"c{i}" for i in range(1000)), "signal"], wide)}
    )
    report = augment(lake, BaseSpec("sales", "y"))
    assert "wide.signal" in report.added[0].columns
    assert report.r2_after > 0.7


def test_the_command_prints_a_table_and_json(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    folder.mkdir()
    for name, (header, rows) in simple().items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    given = ["--lake", str(folder), "--table", "sales", "--target", "revenue"]
    runner = CliRunner(env={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    told = runner.invoke(command, given)
    assert told.exit_code == 0, told.output
    printed = told.output.splitlines()
    header = next(line for line in printed if line.startswith("rank"))
    assert [name.strip() for name in header.split("|")] == list(COLUMNS)
    best = [cell.strip() for cell in next(line for line in printed if line.startswith("1 ")).split("|")]
    assert best[:3] == ["1", "streets", "sales -> streets on shop"]
    assert float(best[5]) > float(best[4]) + 0.3
    assert best[8] == "the gain beats its interval; 100% of the rows find a partner"
    document = json.loads(runner.invoke(command, [*given, "--json"]).stdout)
    assert document["tables"][0]["table"] == "streets"
    wrong = runner.invoke(command, [*given[:-1], "nothing"])
    assert wrong.exit_code == 1
    assert "42703" in wrong.output


def test_the_command_plots_keeps_a_view_and_writes_parquet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "lake"
    folder.mkdir()
    for name, (header, rows) in simple({'st<r>"eets': simple()["streets"]}).items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    given = ["--lake", str(folder), "--table", "sales", "--target", "revenue"]
    runner = CliRunner(env={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    figure, out = tmp_path / "gain.svg", tmp_path / "plus.parquet"
    told = runner.invoke(
        command, [*given, "--plot", str(figure), "--as-view", "sales_plus", "--out", str(out)]
    )
    assert told.exit_code == 0, told.output
    drawn = ET.parse(figure).getroot()
    assert drawn.tag.endswith("svg")
    assert "eets" in "".join(drawn.itertext())
    assert duckdb.sql(f"SELECT count(*) FROM '{out}'").fetchall() == [(120,)]
    with open_lake(folder, catalog=next((tmp_path / "cache").rglob("*.db"))) as lake:
        assert len(lake.query("SELECT * FROM sales_plus").rows.rows) == 120  # type: ignore[union-attr]
    taken = runner.invoke(command, [*given, "--as-view", "streets"])
    assert taken.exit_code == 1
    assert "42P07" in taken.output
    wrong = runner.invoke(command, [*given, "--plot", str(tmp_path / "gain.gif")])
    assert wrong.exit_code == 1
    # an import of what is None fails as one of what is not installed does
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    without = runner.invoke(command, [*given, "--plot", str(tmp_path / "gain.png")])
    assert without.exit_code == 1
    (line,) = without.stderr.splitlines()
    assert "pip install 'rewright[plots]'" in line
    assert not (tmp_path / "gain.png").exists()


@pytest.mark.long
def test_a_million_rows(tmp_path: Path, embedder: CachedEmbedder, large: Callable[[int], int]) -> None:
    rows = large(1_000_000)
    folder = tmp_path / "lake"
    folder.mkdir()
    town, income = "'T' || (1000 + hash({}) % 500)", "sin((hash({}) % 500)::DOUBLE)"
    for name, select in {
        "visits": f"{town.format('i')} AS town, {income.format('i')} + random() AS spent FROM range({rows}) t(i)",
        "towns": f"DISTINCT {town.format('i')} AS town, {income.format('i')} AS income FROM range(20000) t(i)",
    }.items():
        duckdb.sql(f"COPY (SELECT {select}) TO '{folder}/{name}.parquet'")
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        report = augment(lake, BaseSpec("visits", "spent"), Options(seconds=300))
    assert report.rows == rows
    assert report.r2_after > 0.7
    assert report.ended == "complete"


@pytest.mark.long
def test_a_million_different_keys(
    tmp_path: Path, embedder: CachedEmbedder, large: Callable[[int], int]
) -> None:
    rows = large(1_000_000)
    folder = tmp_path / "lake"
    folder.mkdir()
    key, signal = "1000000 + 7 * i AS visit_id", "sin(i::DOUBLE)"
    for name, select in {"visits": f"{signal} + random() AS spent", "extra": f"{signal} AS signal"}.items():
        duckdb.sql(f"COPY (SELECT {key}, {select} FROM range({rows}) t(i)) TO '{folder}/{name}.parquet'")
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        report = augment(lake, BaseSpec("visits", "spent"), Options(1, None))
    assert report.rows == rows
    assert report.r2_after > 0.8
    assert [a.coverage for a in report.added] == [1.0]


def test_features_that_are_kept_follow_the_files(make: Make, tmp_path: Path) -> None:
    lake = make(simple())
    before = augment(lake, BaseSpec("sales", "revenue"))
    again = augment(lake, BaseSpec("sales", "revenue"))
    assert again.r2_after == before.r2_after
    path = next(tmp_path.rglob("streets.csv"))
    header, *rows = path.read_text().splitlines()
    chance = random.Random(1)
    path.write_text("\n".join([header, *(f"{row.split(',')[0]},{chance.random():.4f}" for row in rows)]))
    lake.refresh()
    assert augment(lake, BaseSpec("sales", "revenue")).r2_after < 0.1


def test_kept_features_that_are_damaged_are_made_anew(make: Make, tmp_path: Path) -> None:
    lake = make(simple())
    before = augment(lake, BaseSpec("sales", "revenue"))
    kept = next(tmp_path.rglob("*.features"))
    with closing(sqlite3.connect(kept)) as connection:
        connection.execute("UPDATE features SET data = x'00'")
        connection.commit()
    features_of(lake).release()
    assert augment(lake, BaseSpec("sales", "revenue")).r2_after == before.r2_after


def test_planted_chains_are_found_at_a_quarter_of_the_full_search(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    planted = planted_chain(tmp_path / "lake", 3, length=4, rows=150, anywhere=True)
    spec = BaseSpec(planted.base, planted.target)
    with open_lake(planted.folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        full = augment(lake, spec, Options(1, None, hops=4, chains=10_000, strategy="bfs"))
        some = augment(lake, spec, Options(1, None, hops=4, chains=full.chains // 4))
    assert full.r2_after > 0.9 * planted.possible
    assert some.chains <= full.chains // 4
    assert some.r2_after >= 0.95 * full.r2_after


def test_of_many_columns_of_its_own_those_that_fit_by_chance_are_not_used(make: Make) -> None:
    chance, keys, signal = towns(200)
    header = ["shop", "revenue", *(f"c{i}" for i in range(400))]
    rows = [[k, round(s, 4), *(round(chance.gauss(0, 1), 2) for _ in range(400))] for k, s in zip(keys, signal, strict=True)]  # fmt: skip
    lake = make({"sales": (header, rows)})
    report = augment(lake, BaseSpec("sales", "revenue"))
    assert report.r2_before < 0.02
    assert any("by chance" in note for note in report.notes)


def test_a_table_whose_file_is_gone_does_not_end_the_search(make: Make, tmp_path: Path) -> None:
    # several rows per shop: whether the key is unique has to be looked up
    chance = random.Random(4)
    many = [[k, y, chance.gauss(0, 1)] for k in codes(120) for y in (2019, 2020)]
    base = [
        [k, y, s + chance.gauss(0, 0.5)]
        for k, s in zip(codes(120), towns()[2], strict=True)
        for y in (2019, 2020)
    ]
    lake = make(simple({"sales": (["shop", "year", "revenue"], base), "visits": (["shop", "year", "people"], many)}))  # fmt: skip
    next(tmp_path.rglob("visits.csv")).unlink()
    next(tmp_path.rglob("weather.csv")).unlink()
    report = augment(lake, BaseSpec("sales", "revenue"))
    assert [a.table for a in report.added if a.recommended] == ["streets"]
    assert {path.split(" -> ")[1].split(" ")[0] for path, _ in report.failed} == {"visits", "weather"}
    assert all("is gone" in reason and str(tmp_path) not in reason for _, reason in report.failed)


def test_columns_that_give_the_target_together_are_leaks_and_what_helps_is_not(make: Make) -> None:
    chance, keys, signal = towns(150)
    cost = [20 + 4 * s + chance.gauss(0, 2) for s in signal]
    half = [chance.uniform(0.3, 0.7) * c for c in cost]
    lake = make(
        {
            "parcels": (["parcel", "cost"], [[k, round(c, 3)] for k, c in zip(keys, cost, strict=True)]),
            "parts": (
                ["parcel", "freight", "size", "handling"],
                [
                    [k, round(h, 3), chance.randrange(9), round(c - h, 3)]
                    for k, c, h in zip(keys, cost, half, strict=True)
                ],
            ),
            "weights": (["parcel", "kilos"], [[k, round(s, 3)] for k, s in zip(keys, signal, strict=True)]),
            "bands": (["parcel", "tier"], [[k, int(c // 4)] for k, c in zip(keys, cost, strict=True)]),
        }
    )
    report = augment(lake, BaseSpec("parcels", "cost"))
    told = reasons(report)
    assert told["bands", "tier"].startswith("the target in classes")
    assert told["parts", "freight"] == "together with handling it gives the target"
    assert told["parts", "handling"] == "together with freight it gives the target"
    assert ("parts", "size") not in told
    assert [a.table for a in report.added if a.recommended] == ["weights"]


def test_small_numbers_of_other_names_join_with_the_year(make: Make) -> None:
    """`shop_id` and `year`, `shop` and `yr`: small numbers that repeat are no key alone, and the graph has no edge."""
    chance = random.Random(8)
    seen = {(s, y): chance.gauss(0, 1) for s in range(40) for y in range(2019, 2024)}
    lake = make(
        {
            "turnover": (["shop_id", "year", "amount"], [[s, y, round(50 + 5 * v + chance.gauss(0, 1), 3)] for (s, y), v in seen.items()]),
            "staff": (["shop", "yr", "heads"], [[s, y, round(20 + 3 * v, 3)] for (s, y), v in seen.items()]),
            "noise": (["cell", "yr", "level"], [[s, y, round(chance.gauss(0, 1), 3)] for s, y in seen]),
        }
    )  # fmt: skip
    for keys in ((), ("shop_id", "year")):
        report = augment(lake, BaseSpec("turnover", "amount", keys=keys))
        assert [a.join_path for a in report.added if a.recommended] == [
            "turnover -> staff on shop_id = shop, year = yr"
        ]


def test_what_is_joined_by_one_key_is_not_told_as_a_leak_by_another(make: Make) -> None:
    """`id = wind` joins by chance to days of any year; that says nothing of the table joined by its day."""
    chance = random.Random(9)
    days = [f"2024-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(200)]
    warmth = [chance.gauss(12, 5) for _ in days]
    at = [chance.randrange(100) for _ in range(400)]
    lake = make(
        {
            "visits": (["id", "day", "sales"], [[i, days[d], round(3 * warmth[d] + chance.gauss(0, 1), 3)] for i, d in enumerate(at)]),
            "meteo": (["date", "temp", "wind"], [[d, round(t, 3), i % 10] for i, (d, t) in enumerate(zip(days, warmth, strict=True))]),
        }
    )  # fmt: skip
    report = augment(lake, BaseSpec("visits", "sales"))
    assert [a.join_path for a in report.added if a.recommended] == ["visits -> meteo on day = date"]
    assert report.candidates > 1
    assert reasons(report) == {}


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_is_shown_the_best_so_far(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(simple())
    screen = _Terminal()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "stderr", screen)
    arguments = ["--lake", str(tmp_path / "lake0"), "--table", "sales", "--target", "revenue"]
    command.main(arguments, standalone_mode=False)
    told = screen.getvalue()
    assert "best R² 0." in told
    assert "streets" in told
