"""Digits grouped by points are thousands in a file that writes decimal commas, and fractions in any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rewright.lake.api import open_lake
from rewright.lake.files.footers import footer_rows


def _read(tmp_path: Path, text: str, encoding: str = "utf-8") -> tuple[dict[str, str], list[tuple[Any, ...]]]:
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "towns.csv").write_text(text, encoding=encoding)
    with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db") as lake:
        (table,) = lake.tables()
        return {c.name: c.type for c in table.columns}, lake.execute("SELECT * FROM towns").rows


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_points_group_digits_beside_decimal_commas(tmp_path: Path, encoding: str) -> None:
    types, rows = _read(
        tmp_path,
        "Ort;Einwohner;Fläche;Höhe\nMainz;217.556;97,7 km²;89\nWorms;83.850;108,7 km²;100\nOrm;812;3,5 km²;\nBerlin;3.677.472;891,1 km²;34\n",
        encoding,
    )
    assert types["Einwohner"] == "BIGINT"
    assert [row[1] for row in rows] == [217_556, 83_850, 812, 3_677_472]
    assert [row[3] for row in rows] == [89, 100, None, 34]


@pytest.mark.parametrize(
    "text",
    [
        # no column has decimal commas
        "name;weight\na;13.705\nb;5.355\nc;612\n",
        # the file has decimal points, too
        "name;weight;share;rate\na;13.705;1,5;0.25\nb;5.355;2,5;0.75\n",
        # one of the column's numbers is none of thousands
        "name;weight;share\na;13.705;1,5\nb;5.35;2,5\n",
    ],
)
def test_points_are_decimal_elsewhere(tmp_path: Path, text: str) -> None:
    types, rows = _read(tmp_path, text)
    assert types["weight"] == "DOUBLE"
    assert rows[0][1] == 13.705


def test_a_later_row_that_is_no_group_keeps_the_fractions(tmp_path: Path) -> None:
    many = "".join(f"place {i};{i % 9 + 1}.{i % 900 + 100};{i},5\n" for i in range(9000))
    types, rows = _read(tmp_path, f"name;weight;share\n{many}last;7.25;1,5\n")
    assert types["weight"] == "DOUBLE"
    assert rows[-1][1] == 7.25


def test_a_total_is_known_by_the_reading_that_adds_up() -> None:
    rows = [["Mitte", "13.992"], ["Linden", "939"], ["Summe", "14.931"]]
    assert footer_rows(rows) == 1
    assert footer_rows([["a", "1.5"], ["b", "2.25"], ["Total", "3.75"]]) == 1
    assert footer_rows([["Mitte", "13.992"], ["Linden", "939"], ["Summe", "15.000"]]) == 0
