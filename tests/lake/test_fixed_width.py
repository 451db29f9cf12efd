"""Texts whose columns have fixed places are tables; what only looks like one is left out, with the reason."""

from __future__ import annotations

import gzip

import pytest

from rewright.lake.api import open_lake

REPORT = """\
ID    NAME            TOWN         PAID
   1  Ann Lee         Bath        12.50
   2  Bo              York
   3  Cy Dunn Weller  Hove       100.00
   4  Di Fox          Bath         7.25
"""
PRINTED = """\
 id | name    | day
----+---------+------------
  1 | Ann Lee | 2024-01-02
  2 | Bo      | 2024-02-03
(2 rows)
"""
DASHES = """\
id          name
----------- --------------------
          1 Ann Lee and others
          2 Bo
(2 rows affected)
"""


def _rows(tmp_path, name, data, query):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / name).write_bytes(data)
    with open_lake(folder) as lake:
        return lake.query(query, "bind").rows.rows


def test_columns_are_told_by_the_blanks_between_them(tmp_path):
    found = _rows(tmp_path, "r.txt", REPORT.encode(), "SELECT id, name, town, paid FROM r ORDER BY id")
    assert found == [
        (1, "Ann Lee", "Bath", 12.5),
        (2, "Bo", "York", None),
        (3, "Cy Dunn Weller", "Hove", 100.0),
        (4, "Di Fox", "Bath", 7.25),
    ]


def test_a_packed_one_in_windows_letters(tmp_path):
    data = gzip.compress(REPORT.replace("Bo ", "Bö ").replace("\n", "\r\n").encode("cp1252"))
    assert _rows(tmp_path, "r.txt.gz", data, "SELECT name, paid FROM r WHERE id = 2") == [("Bö", None)]


@pytest.mark.parametrize(
    ("text", "rows"), [(PRINTED, [("Ann Lee",), ("Bo",)]), (DASHES, [("Ann Lee and others",), ("Bo",)])]
)
def test_what_clients_of_databases_print(tmp_path, text, rows):
    assert _rows(tmp_path, "r.txt", text.encode(), "SELECT name FROM r ORDER BY id") == rows


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            REPORT
            + "   5  Eve             Bath         1.00\n" * 500
            + "   6  A name that is too long      1\n",
            "not served: columns of fixed width, which line 506 does not fit",
        ),
        (
            "Dear all, on Monday\nwe met on 3 May 24\nand spoke of the rain,\nof much wind, and of\nall the harvest.\n",
            "not served: prose, not a table",
        ),
    ],
)
def test_what_is_no_such_table_is_left_out_with_the_reason(tmp_path, text, reason):
    (tmp_path / "r.txt").write_text(text)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with open_lake(tmp_path) as lake:
        assert [table.name for table in lake.tables()] == ["other"]
        assert [broken.reason for broken in lake.broken()] == [reason]
