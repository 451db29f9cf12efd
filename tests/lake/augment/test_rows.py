"""What is aggregated of kept rows agrees with the SQL that joins them, whatever the key and the columns."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewright.engines.duckdb.quoting import quoted
from rewright.lake.api import Lake, open_lake
from rewright.lake.augment.api import NOT_INDEXED, BaseSpec, Options, augment
from rewright.lake.augment.encoding import Aggregates, Encoded, Kind, encoded, hash_form
from rewright.lake.augment.features import features_of
from rewright.lake.augment.kept import TableRows, keep_rows
from rewright.lake.augment.rows import joint
from rewright.lake.embedding import CachedEmbedder

KEYS: tuple[tuple[tuple[str, Kind], ...], ...] = (
    (("shop_code", "text"),),
    (("region_id", "number"),),
    (("opened", "date"),),
    (("region_id", "number"), ("shop_code", "text")),
)


@pytest.fixture
def lake(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Lake]:
    folder = tmp_path / "lake"
    folder.mkdir()
    chance = random.Random(3)
    header = ["shop_code", "region_id", "opened", "size", "price", "kind", "street", "open", "year"]
    with (folder / "shops.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for _ in range(400):
            code = f"Q{chance.randrange(60) * 37:04d}"
            writer.writerow(
                [
                    code.lower() if chance.random() < 0.2 else code,
                    chance.choice(["", *range(3, 40)]),
                    f"2021-0{chance.randrange(1, 8)}-1{chance.randrange(3)}",
                    chance.choice(["", chance.randrange(1000)]),
                    round(chance.gauss(0, 30), 3),
                    chance.choice(["", "corner", "mall", "kiosk"]),
                    f"street {chance.randrange(90)}" if chance.random() < 0.9 else "",
                    chance.choice(["true", "false", ""]),
                    chance.randrange(1995, 2022),
                ]
            )
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        lake.database.load(["shops"])
        yield lake


def _in_sql(lake: Lake, made: Encoded) -> dict[int, list[Any]]:
    listed = [f"{hash_form([f'k{i}'])}" for i in range(made.keys)]
    rows = lake.database.trusted(f"SELECT {', '.join(listed)}, * EXCLUDE ({', '.join(f'k{i}' for i in range(made.keys))}) FROM ({made.sql})")  # fmt: skip
    keys = joint([np.array([row[i] for row in rows], dtype=np.uint64) for i in range(made.keys)])
    return {int(k): list(row[made.keys :]) for k, row in zip(keys, rows, strict=True) if k}


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("aggregates", ["standard", "all"])
@pytest.mark.parametrize("without", [(), ("year", "opened")], ids=["dated", "undated"])
def test_rows_grouped_by_a_key_are_what_sql_makes_of_them(
    lake: Lake, keys: tuple[tuple[str, Kind], ...], aggregates: Aggregates, without: tuple[str, ...]
) -> None:
    made = encoded(lake.index, "shops", keys, unique=False, aggregates=aggregates, without=without)
    rows = TableRows(lake, lake.database._run).of("shops", keys)
    assert rows is not None
    hashes, values = rows.grouped(made, keys)
    told = _in_sql(lake, made)
    assert values.shape == (len(told), len(made.features))
    assert sorted(told) == hashes.tolist()
    wanted = np.array([told[int(h)] for h in hashes], dtype=float)
    # rows of the same year: SQL does not say which of them is the latest, so only their number is the same
    if made.how == "latest":
        year = [i for i, f in enumerate(made.features) if f.column == made.time and f.how == "latest"]
        others = [i for i, f in enumerate(made.features) if f.how in {"minimum", "maximum", "sum", "mean"}]
        values, wanted = values[:, year + others], wanted[:, year + others]
    np.testing.assert_allclose(values, wanted, rtol=1e-9, atol=1e-9)


def test_a_key_that_names_one_row_gives_that_row(lake: Lake) -> None:
    folder = lake.folder
    with (folder / "once.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [["code", "size", "kind"], *([f"Z{i}", i if i % 5 else "", "ab"[i % 2]] for i in range(40))]
        )
    lake.refresh()
    lake.database.load(["once"])
    keys: tuple[tuple[str, Kind], ...] = (("code", "text"),)
    made = encoded(lake.index, "once", keys, unique=True)
    rows = TableRows(lake, lake.database._run).of("once", keys)
    assert rows is not None
    hashes, values = rows.grouped(made, keys)
    told = _in_sql(lake, made)
    np.testing.assert_allclose(values, np.array([told[int(h)] for h in hashes], dtype=float))


def test_what_is_read_when_the_lake_is_indexed_is_not_read_again(lake: Lake) -> None:
    assert keep_rows(lake) == 1
    assert keep_rows(lake) == 0
    features_of(lake).release()

    def unasked(sql: str, parameters: Any = ()) -> Any:
        raise AssertionError(sql)

    rows = TableRows(lake, unasked).of("shops", KEYS[0])
    assert rows is not None
    fresh = lake.database.trusted(f"SELECT count(*), count(price) FROM {quoted('shops')}")[0]
    at = [c.name for c in rows.layout.numbers].index("price")
    assert (len(rows.numbers), int(np.isfinite(rows.numbers[:, at]).sum())) == fresh


def test_keys_meet_whatever_their_spelling_once_the_lake_is_indexed(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    folder = tmp_path / "spelled"
    folder.mkdir()
    chance = random.Random(8)
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug"]
    rows = [(1000 + 7 * i, 1 + i % 28, i // 28 % 8, chance.gauss(0, 1), chance.gauss(0, 1)) for i in range(200)]  # fmt: skip
    files: dict[str, list[list[Any]]] = {
        "pumps": [["pump", "day", "wear"], *([f"PU-{n:06d}", f"2021-{m + 1:02d}-{d:02d}", a + b + chance.gauss(0, 0.3)] for n, d, m, a, b in rows)],
        "tests": [["ref", "torque"], *([f"pu_{n:06d}", a] for n, _, _, a, _ in rows)],
        "logs": [["on", "rain"], *([f"{d} {months[m]} 2021", b] for _, d, m, _, b in rows)],
        "other": [["pump", "x"], *([f"PU-{n:06d}", chance.random()] for n, *_ in rows)],
    }  # fmt: skip
    for name, told in files.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(told)
    spec, options = BaseSpec("pumps", "wear"), Options(2)
    with open_lake(folder, catalog=tmp_path / "s.db", embedder=embedder) as lake:
        before = augment(lake, spec, options)
        assert NOT_INDEXED in before.notes
        keep_rows(lake)
        report = augment(lake, spec, options)
        assert NOT_INDEXED not in report.notes
        assert {a.table for a in report.added if a.recommended} == {"tests", "logs"}
        assert report.r2_after > 0.9
        # the SQL that is shown joins them, too
        matched = lake.execute(f'SELECT count("tests.torque"), count("logs.rain") FROM ({report.sql})').rows
        assert matched == [(200, 200)]


def test_keys_that_are_spelled_differently_meet_at_the_second_step_of_a_chain(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    folder = tmp_path / "lake"
    folder.mkdir()
    chance = random.Random(8)
    depots = [f"PU-{i * 37 + 10_009}" for i in range(60)]
    capacity = {depot: chance.gauss(0, 1) for depot in depots}
    shops = [(f"S{i * 41 + 2003}", chance.choice(depots)) for i in range(200)]
    tables: dict[str, list[list[object]]] = {
        "sales": [["shop", "revenue"], *([s, round(capacity[d] + chance.gauss(0, 0.3), 4)] for s, d in shops)],
        "supply": [["shop", "depot"], *([s, d] for s, d in shops)],
        "yards": [["yard", "capacity"], *([d.lower().replace("-", " "), round(c, 4)] for d, c in capacity.items())],
    }  # fmt: skip
    for name, rows in tables.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as lake:
        keep_rows(lake)
        report = augment(lake, BaseSpec("sales", "revenue"), Options(hops=2))
        assert [a.table for a in report.added if a.recommended] == ["yards"]
        assert report.r2_after > 0.8
        matched = lake.execute(f'SELECT count("yards.capacity") FROM ({report.sql})').rows
    assert matched == [(200,)]


def test_of_no_key_there_are_no_rows_but_all_features(lake: Lake) -> None:
    key: tuple[tuple[str, Kind], ...] = (("shop_code", "text"),)
    made = encoded(lake.index, "shops", key, unique=False, aggregates="all")
    rows = TableRows(lake, lake.database.cursor("SELECT 1").execute).of("shops", key)
    assert rows is not None
    hashes, values = rows.grouped(made, key, np.zeros(0, dtype=np.uint64))
    assert len(hashes) == 0
    assert values.shape == (0, len(made.features))
