"""Files of every kind of badness, and keeping up with a folder that changes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from lake.api import Lake, open_lake
from lake.catalog.model import Noise
from lake.embedding import CachedEmbedder
from tests.lake.small_lakes import write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "good.csv", ["name", "size"], [["a", 1], ["b", 2]])
    return tmp_path


def opened(folder: Path, embedder: CachedEmbedder, tmp_path: Path) -> Lake:
    return open_lake(folder, catalog=tmp_path / ".cache" / "c.db", embedder=embedder)


def names_of(lake: Lake, table: str) -> list[str]:
    found = lake.index.table(table)
    assert found is not None
    return [c.name for c in found.columns]


def test_broken_files_are_reported_and_left_out(
    folder: Path, embedder: CachedEmbedder, tmp_path: Path
) -> None:
    (folder / "empty.csv").write_bytes(b"")
    (folder / "binary.csv").write_bytes(b"\x00\x01\x02\x03" * 100)
    (folder / "fake.parquet").write_text("not parquet")
    with opened(folder, embedder, tmp_path) as lake:
        assert [t.name for t in lake.tables()] == ["good"]
        assert {b.path.name for b in lake.broken()} == {"empty.csv", "binary.csv", "fake.parquet"}


def test_encodings_ragged_lines_duplicate_names_other_delimiters(
    folder: Path, embedder: CachedEmbedder, tmp_path: Path
) -> None:
    (folder / "latin.csv").write_bytes("stadt;einwohner\nKöln;10\nGöß;20\n".encode("latin-1"))
    (folder / "ragged.csv").write_text("a,b,c\n1,2,3\n4,5\n6,7,8\n")
    (folder / "twice.csv").write_text("x,x,y\n1,2,3\n")
    (folder / "marked.csv").write_bytes(b"\xef\xbb\xbfname,n\nz,1\n")
    with gzip.open(folder / "packed.csv.gz", "wt") as file:
        file.write("k,v\n1,one\n2,two\n")
    (folder / "lines.jsonl").write_text("\n".join(json.dumps({"k": i, "v": {"w": i}}) for i in range(3)))
    with opened(folder, embedder, tmp_path) as lake:
        assert lake.broken() == []
        assert lake.execute("SELECT stadt FROM latin ORDER BY einwohner").rows == [("Köln",), ("Göß",)]
        assert lake.execute("SELECT count(*) FROM ragged").rows == [(3,)]
        assert len(set(names_of(lake, "twice"))) == 3
        assert names_of(lake, "marked") == ["name", "n"]
        assert lake.execute("SELECT count(*) FROM packed").rows == [(2,)]
        assert lake.execute("SELECT count(*) FROM lines").rows == [(3,)]


def test_a_file_without_header_is_noticed(folder: Path, embedder: CachedEmbedder, tmp_path: Path) -> None:
    (folder / "bare.csv").write_text("1,ann,3.5\n2,bob,4.5\n3,cid,5.5\n")
    with opened(folder, embedder, tmp_path) as lake:
        assert names_of(lake, "bare") == ["column0", "column1", "column2"]
        assert lake.execute("SELECT count(*) FROM bare").rows == [(3,)]


def test_years_as_column_names_are_a_header(folder: Path, embedder: CachedEmbedder, tmp_path: Path) -> None:
    (folder / "wide.csv").write_text("country,1990,1991,1992\nA,1,2,3\nB,4,5,6\n")
    with opened(folder, embedder, tmp_path) as lake:
        assert names_of(lake, "wide") == ["country", "1990", "1991", "1992"]


def test_the_catalog_follows_the_folder(folder: Path, embedder: CachedEmbedder, tmp_path: Path) -> None:
    with opened(folder, embedder, tmp_path) as lake:
        write(folder / "late.csv", ["p", "q"], [[1, 2]])
        write(folder / "good.csv", ["name", "size", "more"], [["a", 1, 2]])
        update = lake.refresh()
        assert (update.added, update.changed) == (("late",), ("good",))
        assert lake.execute("SELECT more FROM good").rows == [(2,)]
        (folder / "late.csv").unlink()
        assert lake.refresh().removed == ("late",)
        assert not lake.refresh().any
    with opened(folder, embedder, tmp_path) as lake:
        assert names_of(lake, "good") == ["name", "size", "more"]


def test_over_replaces_tables_of_the_same_name(
    folder: Path, embedder: CachedEmbedder, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write(other / "good.csv", ["name"], [["z"]])
    with open_lake(folder, other, catalog=tmp_path / ".cache" / "o.db", embedder=embedder) as lake:
        assert lake.execute("SELECT * FROM good").rows == [("z",)]


def test_noise_is_seen_and_clean_columns_are_not_accused(harbour_lake: Lake) -> None:
    found = {c.name: set(c.noise) for c in harbour_lake.index.tables["vessels"].columns}
    assert found["nr"] == set()
    assert Noise.SPELLINGS in found["flag_state"]
    assert found["tonnage"] == {Noise.NUMBERS}
    assert found["arrived"] == {Noise.DATES}
    assert found["insured"] == {Noise.BOOLEANS}


def test_clean_lake_has_no_noise(bakery_lake: Lake) -> None:
    assert [c.key for c in bakery_lake.index.columns if c.noise] == []
