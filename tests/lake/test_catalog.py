"""Files of every kind of badness, and keeping up with a folder that changes."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.catalog import storage
from rewright.lake.catalog.model import Noise
from rewright.lake.embedding import CachedEmbedder
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


def test_a_file_that_is_written_again_as_it_was_is_read_where_its_copy_is(
    folder: Path, embedder: CachedEmbedder, tmp_path: Path
) -> None:
    file = folder / "latin.csv"
    for _ in range(2):
        file.unlink(missing_ok=True)
        file.write_bytes("stadt;einwohner\nKöln;10\nGöß;20\n".encode("latin-1"))
        with opened(folder, embedder, tmp_path) as lake:
            assert lake.execute("SELECT sum(einwohner) FROM latin").rows == [(30,)]


def test_a_catalog_that_was_copied_has_copies_of_its_own(
    folder: Path, embedder: CachedEmbedder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    first, elsewhere = tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("second") / "copy"
    (folder / "latin.csv").write_bytes("stadt;einwohner\nKöln;10\nGöß;20\n".encode("latin-1"))
    with open_lake(folder, catalog=first / "c.db", embedder=embedder) as lake:
        assert lake.execute("SELECT sum(einwohner) FROM latin").rows == [(30,)]
    shutil.copytree(first, elsewhere)
    with open_lake(folder, catalog=elsewhere / "c.db", embedder=embedder) as lake:
        assert lake.execute("SELECT sum(einwohner) FROM latin").rows == [(30,)]


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


def test_links_are_followed_inside_the_lake_only(
    folder: Path, embedder: CachedEmbedder, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write(elsewhere / "secret.csv", ["password"], [["hunter2"], ["x"]])
    (folder / "parts").mkdir()
    write(folder / "parts" / "inner.csv", ["p", "q"], [[1, 2], [3, 4]])
    for name, target in {
        "out.csv": elsewhere / "secret.csv",
        "outside": elsewhere,
        "inside": folder / "parts",
        "round": folder,
        "gone.csv": folder / "nothing.csv",
        "again.csv": folder / "parts" / "inner.csv",
        "loop.csv": folder / "loop.csv",
    }.items():
        (folder / name).symlink_to(target)
    with opened(folder, embedder, tmp_path) as lake:
        assert sorted(t.name for t in lake.tables()) in (["again", "good"], ["good", "inner"])
        assert {b.path.name for b in lake.broken()} == {"out.csv", "outside", "gone.csv", "loop.csv"}
        assert all("links" in b.reason for b in lake.broken())


def test_names_in_any_script_and_with_any_sign(
    folder: Path, embedder: CachedEmbedder, tmp_path: Path
) -> None:
    for number, stem in enumerate(
        ("x*y", "xqy", "p[1]", "q?", "o'k", 'say "so"', "数据 表", "données", "a.b.c", "тест", "-", "select")
    ):
        write(
            folder / f"{stem}.csv",
            ["größe", 'qu"ote', "名", "line\nbreak", "", "A", "a", "group"],
            [[number, 1, 2, 3, 4, 5, 6, 7]] * 3,
        )
    with opened(folder, embedder, tmp_path) as lake:
        assert lake.broken() == []
        assert len(lake.tables()) == 13
        for number, stem in enumerate(("x_y", "xqy", "p[1]", "q_", "o'k")):
            quoted = stem.replace('"', '""')
            assert lake.execute(f'SELECT count(*), max("größe") FROM "{quoted}"').rows == [(3, number)]
        assert lake.execute('SELECT "名" FROM "数据 表" LIMIT 1').rows == [(2,)]
        answer = lake.query("SELECT groesse, quote FROM tect LIMIT 2", "resolve")
        assert answer.resolution.sql


def test_odd_files_are_tables_or_reported(folder: Path, embedder: CachedEmbedder, tmp_path: Path) -> None:
    (folder / "only_header.csv").write_text("a,b,c\n")
    (folder / "one_column.csv").write_text("name\nx\ny\n")
    (folder / "blank_lines.csv").write_text("\n\n\n")
    (folder / "half_quoted.csv").write_text('a,b\n1,"unfinished\n2,3\n')
    (folder / "wide_cell.csv").write_text("a,b\n1," + "x" * 300_000 + "\n2,y\n")
    (folder / "many_columns.csv").write_text(
        ",".join(f"c{i}" for i in range(200)) + "\n" + ",".join(str(i) for i in range(200)) + "\n"
    )
    (folder / "torn.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n" * 1000)[:-20])
    (folder / "broken.json").write_text('[{"a": 1}, {"a": ')
    (folder / "deep.json").write_text("[" * 5000 + "]" * 5000)
    (folder / "mixed.jsonl").write_text('{"a": 1}\n{"a": "x", "b": [1, {"c": 2}]}\n')
    (folder / "all_null.csv").write_text("a,b\n,\n,\n,\n")
    with opened(folder, embedder, tmp_path) as lake:
        known = {t.name for t in lake.tables()}
        reported = {b.path.name.split(".")[0] for b in lake.broken()}
        assert known | reported == {
            "good", "only_header", "one_column", "blank_lines", "half_quoted", "wide_cell", "many_columns", "torn",
            "broken", "deep", "mixed", "all_null",
        }  # fmt: skip
        assert not known & reported
        assert {"good", "one_column", "wide_cell", "many_columns", "mixed"} <= known
        assert {"torn", "broken", "deep"} <= reported
        assert all(b.reason for b in lake.broken())
        # what is there can be asked, whatever else is
        assert lake.query("SELECT name, size FROM good", "resolve").rows is not None


@pytest.mark.parametrize("portion", [1, 7, 16 << 10])
def test_the_most_frequent_values_are_read_alone(
    tmp_path: Path, portion: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However their list is cut into portions while it is unpacked."""
    monkeypatch.setattr(storage, "_PORTION_BYTES", portion)
    folder = tmp_path / "lake"
    folder.mkdir()
    texts = ['[["a", 3]', 'say "]"', "back\\slash", "Zürich \U0001f600", "", "x, [y"]
    rows = [{"t": text, "n": i} for i, text in enumerate(texts) for _ in range(i + 1)]
    (folder / "texts.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    with open_lake(folder, catalog=tmp_path / "c.db") as lake:
        for column in lake.tables()[0].columns:
            counts = lake.index.storage.values("texts", column.name).counts
            assert counts
            for most in (1, 3, 100):
                assert lake.index.frequent(column, most) == counts[:most]
        assert lake.index.storage.frequent("texts", "none", 3) == ()
