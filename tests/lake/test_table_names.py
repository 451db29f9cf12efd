"""What files make a table, and that its name keeps its meaning when files are added elsewhere."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from rewright.engines.duckdb.errors import LakeError
from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import CachedEmbedder
from rewright.lake.files.footers import footer_rows, summing_rows
from rewright.lake.files.pieces import Piece
from rewright.lake.files.tables import Placed, name_tables


def named(*files: str, columns: dict[str, list[str]] | None = None) -> dict[str, list[str]]:
    """Table name → its files, of files that all have the same columns unless said otherwise."""
    root = Path("/lake")
    placed = [Placed(Path(file), Piece(root / file, root / file)) for file in files]
    told = columns or {}

    def columns_of(piece: Piece) -> list[str]:
        return told.get(str(piece.path.relative_to(root)), ["a", "b"])

    found = name_tables(placed, root, columns_of)
    return {name: [str(file.relative_to(root)) for file in unit.files] for name, unit in found.units.items()}


@pytest.mark.parametrize(
    ("files", "tables"),
    [
        (["t.csv"], {"t"}),
        (["a/data.csv"], {"a_data"}),
        (["a/data.csv", "b/data.csv", "data.csv"], {"a_data", "b_data", "data"}),
        (["sales/year=2023/x.csv", "sales/year=2024/y.csv"], {"sales"}),
        (["s/k=1/l=2/p.parquet", "s/k=2/l=1/p.parquet"], {"s"}),
        (["logs/2024-01.csv", "logs/2024-02.csv", "logs/notes.csv"], {"logs", "logs_notes"}),
        (["orders/jan.csv", "orders/feb.csv", "orders/März.csv"], {"orders"}),
        (["orders/orders_jan_2024.csv", "orders/orders_feb_2024.csv"], {"orders"}),
        # a month alone may be a word
        (["orders/march.csv"], {"orders_march"}),
        (["parts/out.csv", "parts/left.csv"], {"parts_out", "parts_left"}),
        (["logs/2024/01/15.csv", "logs/2024/02/15.csv"], {"logs"}),
        (["logs/part-00000.parquet", "logs/part-00001.parquet"], {"logs"}),
        (["regions/north.csv", "regions/south.csv"], {"regions_north", "regions_south"}),
        (["2023/orders.csv", "2024/orders.csv"], {"2023_orders", "2024_orders"}),
        (["t.csv", "t.parquet"], {"t_csv", "t_parquet"}),
        (["a_b.csv", "a/b.csv"], {"a_b_csv", "a_b_csv_2"}),
        (["logs.csv", "logs/1.csv", "logs/2.csv"], {"logs_csv", "logs_folder"}),
    ],
)
def test_names_are_paths(files: list[str], tables: set[str]) -> None:
    found = named(*files)
    assert found.keys() == tables
    assert sorted(file for unit in found.values() for file in unit) == sorted(files)


def test_a_file_of_other_columns_is_no_part() -> None:
    files = [f"log/{i}.csv" for i in range(1, 7)]
    found = named(*files, columns={"log/6.csv": ["x", "y"]})
    assert found == {"log": files[:5], "log_6": ["log/6.csv"]}
    assert named("log/1.csv", "log/2.csv", columns={"log/2.csv": ["x"]}).keys() == {"log_1", "log_2"}


@pytest.mark.parametrize(
    "added", ["b/data.csv", "data.csv", "a/more.csv", "a/data/1.csv", "z/year=2024/data.csv"]
)
def test_a_name_means_the_same_after_a_file_was_added(added: str) -> None:
    # or nothing any more, where two paths read the same
    assert named("a/data.csv", added).get("a_data", ["a/data.csv"]) == ["a/data.csv"]


def opened(folder: Path, tmp_path: Path, embedder: CachedEmbedder) -> Lake:
    return open_lake(folder, catalog=tmp_path / "cache" / "c.db", embedder=embedder)


def test_parts_come_and_go(tmp_path: Path, embedder: CachedEmbedder) -> None:
    folder = tmp_path / "lake"
    for year in (2023, 2024):
        (folder / f"sales/year={year}").mkdir(parents=True)
        (folder / f"sales/year={year}/d.csv").write_text(f"n\n{year}\n")
    (folder / "t.csv").write_text("a\n1\n")
    (folder / "t.tsv").write_text("a\n2\n")
    with opened(folder, tmp_path, embedder) as lake:
        assert lake.execute("SELECT sum(n) FROM sales").rows == [(4047,)]
        with pytest.raises(LakeError) as caught:
            lake.query("SELECT a FROM t")
        assert caught.value.sqlstate == "42P09"
        assert lake.execute("SELECT a FROM t_tsv").rows == [(2,)]
        (folder / "sales/year=2025").mkdir()
        (folder / "sales/year=2025/d.csv").write_text("n\n1\n")
        assert lake.refresh().changed == ("sales",)
        assert lake.execute("SELECT sum(n), max(year) FROM sales").rows == [(4048, 2025)]
        (folder / "sales/year=2023/d.csv").unlink()
        (folder / "t.csv").unlink()
        lake.refresh()
        assert lake.execute("SELECT sum(n) FROM sales").rows == [(2025,)]
        assert lake.execute("SELECT a FROM t").rows == [(2,)]


def test_many_parts_are_read_together(tmp_path: Path, embedder: CachedEmbedder) -> None:
    folder = tmp_path / "lake" / "hits"
    folder.mkdir(parents=True)
    for i in range(70):
        (folder / f"{i:03}.csv").write_text("n,k\n1,x\n" if i else "n\n0.5\n")
    with opened(folder.parent, tmp_path, embedder) as lake:
        assert lake.execute("SELECT sum(n), count(k), count(DISTINCT part) FROM hits").rows == [
            (69.5, 69, 70)
        ]


def test_a_missing_package_is_said(
    tmp_path: Path, embedder: CachedEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "openpyxl":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    folder = tmp_path / "lake"
    folder.mkdir()
    (folder / "book.xlsx").write_bytes(b"PK")
    with opened(folder, tmp_path, embedder) as lake:
        assert "pip install 'rewright[excel]'" in lake.broken()[0].reason


@pytest.mark.parametrize(
    ("rows", "footers"),
    [
        ([["a", "1"], ["b", "2"], ["Total", "3"]], 1),
        ([["a", "1"], ["b", "2"], ["Total", "3"], ["Average", "1.5"]], 2),
        ([["a", "1,000.50"], ["b", "2"], ["Grand Total:", "1,002.50"]], 1),
        ([["a", "1"], ["b", "2"], ["Total", "4"]], 0),
        ([["a", "1"], ["b", "2"], ["c", "3"]], 0),
        ([["a", "1"], ["Total", "1"], ["b", "2"]], 0),
        ([["1", "x", "5"], ["2", "y", "6"], ["", "Summe", "11"]], 1),
        ([["1", "x", "5"], ["2", "y", "6"], ["Summe", "", ""]], 1),
        ([["1", "x", "5"], ["2", "y", "6"], ["Total"]], 1),
        ([["1", "x", "5"], ["2", "y", "6"], ["Total", "z", ""]], 0),
        ([["a"], ["b"], ["Total"]], 0),
        ([["a", "", "", ""], ["b", "", "", ""], ["Total", "", "", ""]], 0),
    ],
)
def test_a_footer_is_what_its_numbers_prove(rows: list[list[str]], footers: int) -> None:
    assert footer_rows(rows) == footers


@pytest.mark.parametrize(
    ("rows", "left_out"),
    [
        ("N,A,1 N,B,2 Subtotal,,3 S,A,4 S,B,5 Subtotal,,9 Total,,12", [2, 5, 6]),
        ("N,A,1 N,B,2 Subtotal_North,,3 S,A,4 South_subtotal:,,4", [2, 4]),
        ("N,A,1 N,B,2 Subtotal,,4 S,A,4 Subtotal,,4 Total,,7", [5]),
        ("N,A,1 Total,B,1 N,C,3", []),
        ("N,A,1 N,B,2 Total,,3 S,A,4 S,C,4", [2]),
        ("Total,A,1 N,B,2 N,C,3", []),
        ("Subtotals_and_more_of_other_kinds,A,1 N,B,2 N,C,3", []),
    ],
)
def test_subtotals_are_left_out_where_each_is_one(rows: str, left_out: list[int]) -> None:
    cells = [[cell.replace("_", " ") for cell in row.split(",")] for row in rows.split()]
    assert summing_rows(cells) == left_out


def test_subtotals_leave_a_text(tmp_path: Path, embedder: CachedEmbedder) -> None:
    folder = tmp_path / "lake"
    folder.mkdir()
    rows = 'region,item,qty\nN,"a\nb",1\nN,B,2\n\nSubtotal,,3\n\nS,A,4\nS,B,5\nSubtotal,,9\nGrand total,,12\n'
    (folder / "stock.csv").write_text(rows)
    with opened(folder, tmp_path, embedder) as lake:
        answer = lake.query("SELECT count(*), sum(qty), min(item) FROM stock", "bind")
        assert answer.rows is not None
        assert answer.rows.rows == [(4, 12, "A")]
