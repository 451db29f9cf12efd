"""What a search holds of tables: the same from arrays and from SQL, gone when a file changes, and whole
whatever the files and cells are called.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.augment import base as base_module
from rewright.lake.augment import features
from rewright.lake.augment.api import NOT_INDEXED, BaseSpec, Options, Report, augment
from rewright.lake.augment.base import Base
from rewright.lake.augment.features import FeatureStore, features_of
from rewright.lake.augment.kept import TableRows, is_kept, keep_rows
from rewright.lake.embedding import CachedEmbedder

HOSTILE = ("it's; DROP TABLE features; --", 'so "quoted', "%s\\n{}[]", "'; DELETE FROM spellings; --")
SPEC = BaseSpec("towns", "income")
Open = Callable[[], AbstractContextManager[Lake]]


def _written(path: Path, rows: Sequence[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def _towns(folder: Path, *, sign: float = 1.0, helpful: str = "schools") -> None:
    """120 towns; `helpful` tells their income, if `sign` is 1, and names them in hostile words."""
    chance = random.Random(5)
    names = [f"{HOSTILE[i % len(HOSTILE)]} {i}" for i in range(120)]
    told = [chance.gauss(0, 1) for _ in names]
    other = [chance.gauss(0, 1) for _ in names]
    rows = [
        [
            name,
            round(told[i] + other[i] + chance.gauss(0, 0.2), 4),
            chance.choice(["", 1, 2, 3]),
            HOSTILE[i % 3],
        ]
        for i, name in enumerate(names)
    ]
    _written(folder / "towns.csv", [["town", "income", "level", "kind"], *rows])
    values = told if sign > 0 else [chance.gauss(0, 1) for _ in names]
    shown = [
        [name, round(value, 4), HOSTILE[i % 2]]
        for i, (name, value) in enumerate(zip(names, values, strict=True))
    ]
    _written(folder / f"{helpful}.csv", [["town", "score", HOSTILE[1]], *shown])
    _written(folder / "noise.csv", [["town", "x"], *([name, chance.random()] for name in names)])


@pytest.fixture
def opened(tmp_path: Path, embedder: CachedEmbedder) -> Open:
    (tmp_path / "lake").mkdir()

    @contextmanager
    def open_it() -> Iterator[Lake]:
        with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db", embedder=embedder) as lake:
            yield lake

    return open_it


def _found(lake: Lake) -> Report:
    return augment(lake, SPEC, Options(3))


def test_a_table_held_as_arrays_is_what_sql_makes_of_it(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    _towns(tmp_path / "lake")
    told = []
    with opened() as lake:
        for most in (10**6, 0):
            monkeypatch.setattr(base_module, "_IN_MEMORY", most)
            cursor = lake.database.cursor("SELECT 1")
            made = Base(lake, cursor, SPEC)
            key = made.grouping((("town", "text"),))
            sums = made.totals((key,))
            order = np.argsort(sums.groups[:, 0])
            told.append(
                (
                    made.features,
                    made.moments,
                    made.hashes(key),
                    sums.sums[order],
                    made.some_values(np.arange(9)),
                )
            )
            cursor.close()
    held, queried = told
    assert held[0] == queried[0]
    assert {f.column for f in held[0]} == {"level", "kind"}
    for mine, other in zip(held[1:], queried[1:], strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-9)


def test_what_is_kept_of_a_file_is_not_used_once_it_changed(tmp_path: Path, opened: Open) -> None:
    _towns(tmp_path / "lake")
    with opened() as lake:
        lake.graph()
        keep_rows(lake)
        assert [a.table for a in _found(lake).added if a.recommended] == ["schools"]
    _towns(tmp_path / "lake", sign=-1.0)
    with opened() as lake:
        lake.graph()
        assert not is_kept(lake)
        report = _found(lake)
        assert NOT_INDEXED in report.notes
        assert [a for a in report.added if a.recommended] == []
        assert keep_rows(lake) > 0
        assert [a for a in _found(lake).added if a.recommended] == []


def test_hostile_names_and_cells_leave_what_is_kept_whole(tmp_path: Path, opened: Open) -> None:
    helpful = "x'); DROP TABLE features; --"
    _towns(tmp_path / "lake", helpful=helpful)
    with opened() as lake:
        lake.graph()
        keep_rows(lake)
        fresh = _found(lake)
    with opened() as lake:
        lake.graph()
        assert is_kept(lake)
        again = _found(lake)
        assert len(lake.execute(again.sql).rows) == 120
        kept = features_of(lake)._open().execute("SELECT count(*) FROM features").fetchone()
        assert kept[0] > 0
    assert again.r2_after == pytest.approx(fresh.r2_after, abs=1e-9)
    assert again.r2_after > again.r2_before + 0.2


def test_an_index_that_was_interrupted_is_finished_by_the_next(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    _towns(tmp_path / "lake")
    put = FeatureStore.put
    written: list[Sequence[object]] = []

    def interrupted(self: FeatureStore, parts: Sequence[object], arrays: Any) -> None:
        if written:
            raise KeyboardInterrupt
        written.append(parts)
        put(self, parts, arrays)

    with opened() as lake:
        lake.graph()
        monkeypatch.setattr(FeatureStore, "put", interrupted)
        with pytest.raises(KeyboardInterrupt):
            keep_rows(lake)
        monkeypatch.undo()
    with opened() as lake:
        lake.graph()
        assert not is_kept(lake)
        assert keep_rows(lake) > 0
        assert is_kept(lake)
        assert [a.table for a in _found(lake).added if a.recommended] == ["schools"]


def test_what_a_search_read_is_still_indexed(tmp_path: Path, opened: Open) -> None:
    _towns(tmp_path / "lake")
    rows = [line.split(",") for line in ("id,a", *(f"PU-{i:04d},{i % 7}" for i in range(80)))]
    _written(tmp_path / "lake" / "pumps.csv", rows)
    with opened() as lake:
        lake.graph()
        # as a search of a lake that was not indexed reads it
        assert TableRows(lake, lake.database._run).of("pumps", [("id", "text")]) is not None
        features_of(lake).commit()
        keep_rows(lake)
        assert ("pumps", "id") in TableRows(lake, lake.database._run).spellings()


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_come_back_as_they_were(order: Any) -> None:
    told: Any = np.arange(12, dtype=np.float64).reshape(3, 4)
    written = np.frombuffer(b"\n[]'", dtype=np.uint8)
    given: tuple[Any, ...] = (
        np.asarray(told, order=order),
        written,
        np.empty((0, 3), dtype=np.uint64, order=order),
    )
    found = features._unpacked(features._packed(given))
    assert [(a.shape, a.dtype) for a in found] == [(a.shape, a.dtype) for a in given]
    assert all((a == b).all() for a, b in zip(found, given, strict=True))


@pytest.mark.parametrize("broken", [b"", b"\n", b"[[1]]\n", b'[["<f8",[4],"C"]]\n12345678', b"{}x\n"])
def test_what_is_broken_in_the_file_is_made_anew(tmp_path: Path, broken: bytes) -> None:
    store = FeatureStore(tmp_path / "x.features")
    store.put(("a",), (np.arange(3),))
    store._open().execute("UPDATE features SET data = ?", [broken])
    found = store.get(("a",), lambda: (np.arange(5),))
    assert len(found[0]) == 5
