"""Files of kinds that strangers keep: two lines of names, comments, merged cells, values of drifting types, structs
in Parquet, views in SQLite.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import openpyxl
import pytest

from rewright.engines.duckdb.reading import names_over_two_rows
from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import CachedEmbedder


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory, embedder: CachedEmbedder) -> Iterator[Lake]:
    folder = tmp_path_factory.mktemp("odd")
    gates = [f"G{i},{'ABC'[i % 3]},{100 + i},{90 + i},{200 + i},{210 + i}" for i in range(1, 9)]
    two = ["Site,Site,Morning,,Evening,", "Gate,Zone,In,Out,In,Out", *gates]
    (folder / "turnstiles.csv").write_text("\n".join(two) + "\n")
    wells = [f"W{i:02d}\t{'KE'[i % 2]}\t{20 + i * 1.5}" for i in range(20)]
    text = ["# exported by a tool", "# depth in metres", "well\tcounty\tdepth", *wells, "# end of export"]
    (folder / "wells.tsv").write_text("\n".join(text) + "\n")
    marked = ["# of the yard", "code,colour,n", *(f"{i},#ff00{i:02d},{i}" for i in range(12))]
    (folder / "colours.csv").write_text("\n".join(marked) + "\n")
    _drifting(folder / "events.jsonl")
    _book(folder / "staffing.xlsx")
    _database(folder / "library.sqlite")
    duckdb.execute(
        "COPY (SELECT i AS order_no, [{'sku': 'S' || k, 'qty': k + 1} FOR k IN range(1 + i % 3)] AS items,"
        " {'street': 'Road ' || i, 'city': ['Oslo', 'Bergen'][1 + i % 2]} AS ship_to FROM range(30) t(i))"
        f" TO '{folder / 'web_orders.parquet'}' (FORMAT parquet)"
    )
    with open_lake(folder, embedder=embedder) as lake:
        yield lake


def _drifting(path: Path) -> None:
    rows = [
        {"device": f"D{i % 3}", "reading": str(i) if i % 4 else i, "level": f"{i}.5" if i % 2 else i, "note": i or "none", "code": f"0{i}" if i % 2 else 7}
        for i in range(20)
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)))


def _book(path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Sheet1"
    sheet["A1"] = "Staffing plan"
    sheet.merge_cells("A1:C1")
    rows = [("Department", "Role", "Heads"), ("Kitchen", "Chef", 3), (None, "Porter", 5), (None, "Baker", 1)]
    for row in [*rows, ("Garden", "Gardener", 4), (None, "Temp", 2)]:
        sheet.append(row)
    sheet.merge_cells("A3:A5")
    book.save(path)


def _database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE loan (id INTEGER, back TEXT)")
        db.executemany(
            "INSERT INTO loan VALUES (?, ?)", [(i, None if i % 5 == 0 else "2024-04-01") for i in range(30)]
        )
        db.execute("CREATE VIEW overdue AS SELECT id FROM loan WHERE back IS NULL")
        db.execute("CREATE VIEW recent AS SELECT * FROM loan WHERE id > 20")
        db.execute("CREATE VIEW broken AS SELECT lacking FROM nowhere")
        db.execute(
            "CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
            " SELECT max(i) AS i FROM n"
        )
        db.commit()


def _rows(lake: Lake, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in lake.execute(sql).rows]


@pytest.mark.long
def test_two_lines_of_names_are_one(odd: Lake) -> None:
    assert _rows(odd, 'SELECT "Site Gate", "Evening Out" FROM turnstiles LIMIT 1') == [("G1", 211)]
    assert _rows(odd, 'SELECT count(*), sum("Morning In") FROM turnstiles') == [(8, 836)]


@pytest.mark.parametrize(
    "rows",
    [
        [["a", "b", "c"], ["x", "y", "z"], *[["1", "2", "3"]] * 4],
        [["a", "a", "b"], ["1", "2", "3"], *[["1", "2", "3"]] * 4],
        [["a", "a", "b"], ["x", "y", "z"], *[["p", "q", "r"]] * 4],
        [["a", "a", "b"], ["x", "x", "z"], *[["1", "2", "3"]] * 4],
    ],
)
def test_one_line_of_names_stays_one(rows: list[list[str]]) -> None:
    assert names_over_two_rows(rows) == []


def test_lines_that_are_comments_are_left_out_once(odd: Lake) -> None:
    assert _rows(odd, "SELECT count(*), min(well), max(depth) FROM wells") == [(20, "W00", 48.5)]
    assert _rows(odd, "SELECT count(*), max(colour) FROM colours") == [(12, "#ff0011")]


def test_values_of_several_types_are_of_one(odd: Lake) -> None:
    assert _rows(odd, "SELECT sum(reading), max(level) FROM events") == [(190, 19.5)]
    assert _rows(odd, "SELECT count(*) FROM events WHERE code = '03' OR code = '7'") == [(11,)]
    assert _rows(odd, "SELECT note FROM events WHERE note = 'none'") == [("none",)]


def test_what_is_merged_downwards_is_said_of_each_row(odd: Lake) -> None:
    sql = 'SELECT "Department", sum("Heads") FROM staffing GROUP BY 1 ORDER BY 1 NULLS LAST'
    assert _rows(odd, sql) == [("Garden", 4), ("Kitchen", 9), (None, 2)]


def test_structs_of_parquet_are_columns_and_lists_of_them_tables(odd: Lake) -> None:
    assert _rows(odd, "SELECT ship_to_city, count(*) FROM web_orders GROUP BY 1 ORDER BY 1") == [
        ("Bergen", 15),
        ("Oslo", 15),
    ]
    assert _rows(odd, "SELECT count(*), sum(qty), count(DISTINCT order_no) FROM web_orders_items") == [
        (60, 100, 30)
    ]


def test_views_are_tables_where_they_run(odd: Lake) -> None:
    assert _rows(odd, "SELECT count(*) FROM library_overdue") == [(6,)]
    told = {t.name for t in odd.tables() if t.name.startswith("library")}
    assert told == {"library_loan", "library_overdue", "library_recent"}
    assert not any(name.startswith("library") for name in odd.index.unions)
