"""What is not served is listed with the reason; a table format's files are never read one by one."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from rewright.engines.duckdb.errors import LakeError
from rewright.lake.actions import SearchTable
from rewright.lake.api import open_lake


def test_files_of_other_kinds_are_listed(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    (folder / "more").mkdir(parents=True)
    (folder / "things.csv").write_text("n\n1\n")
    for name in (
        "book.xlsx",
        "more/hr.sqlite",
        "map.geojson",
        "old.csv.bz2",
        "all.zip",
        "data.feather",
        "old.xls",
    ):
        (folder / name).write_bytes(b"x")
    (folder / "notes.md").write_text("nothing of a table")
    with open_lake(folder, catalog=tmp_path / "c.db") as lake:
        assert [table.name for table in lake.tables()] == ["things"]
        told = {broken.path.name: broken.reason for broken in lake.broken()}
    # what is called a table and is none is said as well as what is of another kind
    assert told.keys() == {
        "book.xlsx",
        "hr.sqlite",
        "map.geojson",
        "old.csv.bz2",
        "all.zip",
        "data.feather",
        "old.xls",
    }
    assert told["old.xls"] == "not served: Excel of before 2007"
    assert told["hr.sqlite"] == "not served: not an SQLite database"
    assert all(reason.startswith("not served: ") for reason in told.values())
    assert not any(str(tmp_path) in reason for reason in told.values())
    (folder / "book.xlsx").unlink()
    with open_lake(folder, catalog=tmp_path / "c.db") as lake:
        assert "book.xlsx" not in {broken.path.name for broken in lake.broken()}


@pytest.mark.parametrize(
    ("log", "name"),
    [
        ("_delta_log/00000000000000000000.json", "Delta"),
        ("metadata/v1.metadata.json", "Iceberg"),
        (".hoodie/hoodie.properties", "Hudi"),
    ],
)
def test_tables_with_a_log_are_refused_by_name(tmp_path: Path, log: str, name: str) -> None:
    folder = tmp_path / "lake"
    table = folder / "sales"
    (table / log).parent.mkdir(parents=True)
    (table / log).write_text('{"remove": {"path": "part-0.csv"}}\n')
    (table / "part-0.csv").write_text("n\n1\n")
    (folder / "things.csv").write_text("n\n1\n")
    with open_lake(folder, catalog=tmp_path / "c.db") as lake:
        assert [one.name for one in lake.tables()] == ["things"]
        assert [(one.path.name, name in one.reason) for one in lake.broken()] == [("sales", True)]
        with pytest.raises(LakeError):
            lake.execute('SELECT * FROM "part-0"')


def test_prose_among_tables_of_an_archive_is_no_table(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    folder.mkdir()
    with zipfile.ZipFile(folder / "all.zip", "w") as packed:
        packed.writestr("temps.csv", "city,degrees\nMainz,9\n")
        packed.writestr("README.txt", "city,degrees\nsee temps.csv,there\n")
        packed.writestr("words.txt", "This is about the data. It has sentences, and says nothing to a table.")
    with open_lake(folder, catalog=tmp_path / "c.db") as lake:
        assert [table.name for table in lake.tables()] == ["all_temps"]


def test_a_file_whose_name_is_no_text_does_not_keep_others_away(tmp_path: Path) -> None:
    """Archives of other systems are unpacked to such names."""
    folder = tmp_path / "lake"
    folder.mkdir()
    (folder / "things.csv").write_text("n\n1\n")
    (folder / os.fsdecode(b"caf\xe9.csv")).write_text("n\n2\n")
    with open_lake(folder, catalog=tmp_path / "c.db") as lake:
        assert [table.name for table in lake.tables()] == ["things"]
        told = {broken.path.name: broken.reason for broken in lake.broken()}
    assert "not UTF-8" in told["caf\N{REPLACEMENT CHARACTER}.csv"]


def test_a_lake_without_tables_says_so(tmp_path: Path) -> None:
    (tmp_path / "lake").mkdir()
    with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db") as lake:
        with pytest.raises(LakeError, match="no tables") as caught:
            lake.query("SELECT name FROM people")
        assert caught.value.sqlstate == "42P01"
        assert list(lake.actions().search_table(SearchTable("people", ()))) == []
