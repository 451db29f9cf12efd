"""Nothing of a file is lost or changed without a word: long numbers, ragged lines, files beside one that cannot be read."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from rewright.lake.api import open_lake


def _asked(tmp_path: Path, query: str) -> list[Any]:
    with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db", embedder=None) as lake:
        answer = lake.query(query, "bind")
    assert answer.rows is not None
    return answer.rows.rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lake").mkdir()
    return tmp_path / "lake"


@pytest.mark.parametrize(
    ("cells", "kept"),
    [
        (
            ["12345678901234567890", "-12345678901234567891", "5"],
            [-12345678901234567891, 5, 12345678901234567890],
        ),
        (["1" * 38, "", "2"], [2, int("1" * 38), None]),
        (["1" * 40, "2"], ["1" * 40, "2"]),
        (["1"] * 20_000 + ["12345678901234567890"], None),
        (["1"] * 20_000 + ["0.5"], [0.5]),
        (["12345678901234567890", "2.5"], [2.5, 12345678901234567000.0]),
        (["9223372036854775807", "1"], [1, 9223372036854775807]),
    ],
)
def test_digits_are_kept(tmp_path: Path, folder: Path, cells: list[str], kept: list[Any] | None) -> None:
    (folder / "cards.csv").write_text("n,card\n" + "".join(f"x,{cell}\n" for cell in cells))
    found = [card for (card,) in _asked(tmp_path, "SELECT DISTINCT card FROM cards ORDER BY card")]
    if kept is None:
        assert found == [1, 12345678901234567890]
    else:
        assert found[: len(kept)] == kept
        assert all(type(a) is type(b) for a, b in zip(found, kept, strict=False))


def test_long_numbers_that_differ_in_the_last_digit_differ(tmp_path: Path, folder: Path) -> None:
    (folder / "sims.csv").write_text("iccid,owner\n89490200001234567890,Ada\n89490200001234567891,Bo\n")
    assert _asked(tmp_path, "SELECT owner FROM sims WHERE iccid = 89490200001234567891") == [("Bo",)]


def test_a_long_line_takes_no_others_with_it(tmp_path: Path, folder: Path) -> None:
    (folder / "r.csv").write_text("a,b,c\n1,2,3\n4,5\n6,7,8,9\n")
    assert _asked(tmp_path, "SELECT a, c, column3 FROM r ORDER BY a") == [
        ("1", "3", None),
        ("4", None, None),
        ("6", "8", "9"),
    ]


def test_lines_above_a_wider_header_are_left_out(tmp_path: Path, folder: Path) -> None:
    (folder / "r.csv").write_text("made,today\nby,me\na,b,c\n" + "".join(f"{i},{i},{i}\n" for i in range(9)))
    assert _asked(tmp_path, "SELECT sum(a + b + c) FROM r") == [(108,)]


def test_a_file_that_cannot_be_read_leaves_the_parts_of_others_together(tmp_path: Path, folder: Path) -> None:
    (folder / "notes.ndjson").write_text('{"a":1,"t":"x"}\n{"a":"two","t":null}\n')
    path = folder / "whole.parquet"
    duckdb.sql(f"COPY (SELECT 1 AS i) TO '{path}' (FORMAT parquet)")
    path.write_bytes(path.read_bytes()[:80])
    for year in (2023, 2024):
        part = folder / "sales" / f"year={year}"
        part.mkdir(parents=True)
        duckdb.sql(f"COPY (SELECT {year} % 100 AS n) TO '{part / 'data.parquet'}' (FORMAT parquet)")
    assert _asked(tmp_path, "SELECT year, n FROM sales ORDER BY year") == [(2023, 23), (2024, 24)]


def test_a_mean_of_long_numbers_is_exact(tmp_path: Path, folder: Path) -> None:
    (folder / "c.csv").write_text("n,v\na,100000000000000000001\nb,100000000000000000003\n")
    (total,) = _asked(tmp_path, "SELECT sum(v) FROM c")[0]
    assert Decimal(total) == Decimal(200000000000000000004)
