"""Small files that hold much are left out by name while they are read, whatever they say of themselves."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import sqlite3
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from pyarrow import feather

from rewright.lake.api import open_lake
from rewright.lake.files import archives, bounds

LINES = b"a,b\n" + b"1,2\n" * (1 << 20)
TIMES = "unpacked it is more than 20 times as large"


def broken(folder: Path, work: Path) -> dict[str, str]:
    with open_lake(folder, catalog=work / "c.db") as lake:
        assert [table.name for table in lake.tables()] == ["things"]
        return {one.path.name: one.reason for one in lake.broken()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    folder.mkdir()
    (folder / "things.csv").write_text("n\n1\n")
    return folder


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "FREE_BYTES", 1 << 20)
    monkeypatch.setattr(bounds, "MOST_TIMES", 20)


def zipped(path: Path, *members: tuple[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members:
            packed.writestr(name, data)


def modest(path: Path) -> None:
    """A zip archive whose headers say that its member is small."""
    zipped(path, ("big.csv", LINES))
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\1\2", 24), (b"PK\3\4", 22)):
        struct.pack_into("<I", data, data.index(mark) + at, 100)
    path.write_bytes(data)


BOMBS: dict[str, tuple[Callable[[Path], object], str]] = {
    "one.zip": (lambda path: zipped(path, ("big.csv", LINES)), f"not served: big.csv: {TIMES}"),
    "several.zip": (
        lambda path: zipped(path, *((f"{i}.csv", LINES[: 1 << 19]) for i in range(9))),
        f"not served: 2.csv: {TIMES}",
    ),
    "x.csv.gz": (lambda path: path.write_bytes(gzip.compress(LINES)), f"not served: {TIMES}"),
    "wide.csv.gz": (
        lambda path: path.write_bytes(gzip.compress(LINES.decode().encode("utf-16"))),
        f"not served: {TIMES}",
    ),
    "members.csv.gz": (
        lambda path: path.write_bytes(gzip.compress(LINES[: 1 << 20]) * 4),
        f"not served: {TIMES}",
    ),
    "x.jsonl.gz": (lambda path: path.write_bytes(gzip.compress(b'{"a": 1}\n' * (1 << 18))), f"not served: {TIMES}"),
    "x.csv.bz2": (lambda path: path.write_bytes(bz2.compress(LINES)), f"not served: {TIMES}"),
    "x.csv.xz": (lambda path: path.write_bytes(lzma.compress(LINES)), f"not served: {TIMES}"),
    "lying.zip": (modest, "not served: the archive cannot be read (Bad CRC-32 for file 'big.csv')"),
    "nested.zip": (
        lambda path: zipped(path, ("inner.zip", LINES), ("inner.csv.gz", gzip.compress(LINES))),
        "not served: a zip archive without a table",
    ),
}  # fmt: skip


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", BOMBS)
def test_what_is_packed_too_tightly_is_left_out(name: str, folder: Path, tmp_path: Path) -> None:
    make, reason = BOMBS[name]
    make(folder / name)
    assert broken(folder, tmp_path) == {name: reason}
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and file.stat().st_size > 3 << 20]


@pytest.mark.usefixtures("small")
def test_a_workbook_of_the_same_cell_is_left_out(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MOST_TIMES", 4)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("numbers")
    for _ in range(60_000):
        sheet.append([1, 2, 3])
    book.save(folder / "x.xlsx")
    (reason,) = broken(folder, tmp_path).values()
    assert reason.startswith("not served: xl/worksheets/sheet1.xml: unpacked it is more than 4 times")


@pytest.mark.parametrize("corner", ["XFD1048576", "A1048576", "XFD2"])
def test_a_cell_in_the_far_corner_makes_no_table_of_nothing(
    corner: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two cells, and 17 billion between them."""
    monkeypatch.setattr("rewright.lake.files.sheets.MOST_CELLS", 2_000_000)
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"], sheet["A2"], sheet[corner] = "name", "x", "y"
    book.save(folder / "x.xlsx")
    with open_lake(folder, catalog=tmp_path / "c.db") as lake:
        assert {table.name for table in lake.tables()} == {"things", "x_Sheet"}


def test_a_database_whose_columns_are_computed_is_left_out(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of SQLite can make terabytes."""
    monkeypatch.setattr(bounds, "FREE_BYTES", 4 << 20)
    for name, size in (("long", 40_000_000), ("many", 500_000)):
        with contextlib.closing(sqlite3.connect(folder / f"{name}.sqlite")) as db:
            db.execute(f"CREATE TABLE t (a INTEGER, b TEXT AS (hex(zeroblob({size}))))")
            db.executemany("INSERT INTO t VALUES (?)", [(i,) for i in range(30)])
            db.commit()
    found = broken(folder, tmp_path)
    assert found["long.sqlite"] == "not served: SQLite says: string or blob too big"
    assert found["many.sqlite"].startswith("not served: t: unpacked it is more than 200 times")


def test_a_column_of_one_value_packed_by_arrow_is_left_out(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "FREE_BYTES", 1 << 20)
    table = pa.table({"n": pa.array(np.zeros(1 << 20))})
    feather.write_feather(table, str(folder / "x.feather"), compression="zstd")
    assert broken(folder, tmp_path) == {
        "x.feather": "not served: unpacked it is more than 200 times as large"
    }


def test_many_wide_rows_are_too_many_cells(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rewright.lake.files.sheets.MOST_CELLS", 1_000_000)
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for i in range(1, 80):
        sheet[f"XFD{i}"] = i
    book.save(folder / "x.xlsx")
    assert broken(folder, tmp_path) == {"x.xlsx": "not served: sheet Sheet has more than 1000000 cells"}


def test_what_is_unpacked_is_bounded_in_all(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(bounds, "MOST_GZIP_BYTES", 1 << 20)
    zipped(folder / "big.zip", ("big.csv", LINES))
    (folder / "x.csv.gz").write_bytes(gzip.compress(LINES))
    assert broken(folder, tmp_path) == {
        "big.zip": "not served: big.csv: unpacked it has more than 1 MB",
        "x.csv.gz": "not served: unpacked it has more than 1 MB",
    }


def test_what_is_packed_well_is_served(folder: Path, tmp_path: Path) -> None:
    lines = "name,n\n" + "".join(f"somebody,{i % 7}\n" for i in range(50_000))
    zipped(folder / "more.zip", ("people.csv", lines.encode()))
    (folder / "same.csv.gz").write_bytes(gzip.compress(lines.encode()))
    with open_lake(folder, catalog=tmp_path / "c.db") as lake:
        assert lake.broken() == []
        assert lake.execute("SELECT count(*) FROM same").rows == [(50_000,)]
