"""Parts of few rows belong to their family, months across are rows, and a list of codes is not what is
counted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import CachedEmbedder
from rewright.lake.noise.months import month_of

_DAYS = {"mon": 1, "tue": 2, "sat": 24, "sun": 30}
_BRANCHES = ("Centre", "Gare", "Riviere", "Jardin")
_STATES = {"P": "Pending", "S": "Shipped", "C": "Cancelled", "R": "Returned"}


def write_lake(folder: Path) -> None:
    for day, count in _DAYS.items():
        shows = [
            f"show {day} {i},{i % 9 + 1} h,{'Iberia' if i % 2 else 'Alps'},{60 + i}" for i in range(count)
        ]
        (folder / f"travel_shows_{day}.csv").write_text(
            "\n".join(["title,season,region,minutes", *shows]) + "\n"
        )
    loans = [f"{branch},{10 + i},{20 + i},{30 + i},{40 + i}" for i, branch in enumerate(_BRANCHES)]
    (folder / "prets_bibliotheque.csv").write_text("\n".join(["agence,janv,fevr,mars,avr", *loans]) + "\n")
    parcels = [f"{100 + i},{'PSCR'[i % 3]},{i * 3 % 17}" for i in range(60)]
    (folder / "parcels.csv").write_text("\n".join(["parcel_no,stat_cd,weight", *parcels]) + "\n")
    states = [f"{code},{label}" for code, label in _STATES.items()]
    (folder / "parcel_stat_codes.csv").write_text("\n".join(["stat_cd,label", *states]) + "\n")


def _rows(lake: Lake, sql: str) -> list[tuple[Any, ...]]:
    answer = lake.query(sql, "resolve")
    assert answer.rows is not None
    return sorted(answer.rows.rows)


def test_parts_of_one_row_are_in_the_answer(lake: Lake) -> None:
    assert len(lake.index.unions["travel_shows_all"].part_names()) == len(_DAYS)
    (found,) = _rows(lake, "SELECT COUNT(*) AS n, SUM(season) AS seasons FROM tv_travel_shows")
    assert found[0] == sum(_DAYS.values())
    assert found[1] == sum(i % 9 + 1 for count in _DAYS.values() for i in range(count))


def test_a_part_of_another_kind_is_none(tmp_path: Path, embedder: CachedEmbedder) -> None:
    rows = [f"a {i},{i % 9 + 1} h" for i in range(9)]
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "trips_a.csv").write_text("\n".join(["place,length", *rows]) + "\n")
    (tmp_path / "lake" / "trips_b.csv").write_text("place,length\nx,2024-01-02\ny,2024-01-03\n")
    with open_lake(tmp_path / "lake", catalog=tmp_path / "c.db", embedder=embedder) as opened:
        assert not opened.index.unions


def test_months_across_are_asked_by_rows(lake: Lake) -> None:
    march = [(branch, 30 + i) for i, branch in enumerate(_BRANCHES)]
    for month in ("mars", "March"):
        assert _rows(lake, f"SELECT agence, prets FROM prets WHERE mois = '{month}'") == sorted(march)
    assert _rows(lake, "SELECT SUM(loans) FROM library_loans WHERE branch = 'Gare'") == [(11 + 21 + 31 + 41,)]


def test_a_list_of_codes_is_not_what_is_counted(lake: Lake) -> None:
    asked = "SELECT s.label, COUNT(*) AS n FROM shipments p JOIN states s ON p.state_code = s.code GROUP BY s.label"
    assert _rows(lake, asked) == [("Cancelled", 20), ("Pending", 20), ("Shipped", 20)]


@pytest.mark.parametrize(
    ("word", "month"),
    [
        ("Mär", 3),
        ("mars", 3),
        ("MRT", 3),
        ("févr.", 2),
        ("Juillet", 7),
        ("ago", 8),
        ("Dez", 12),
        ("ju", None),
    ],
)
def test_months_in_seven_languages(word: str, month: int | None) -> None:
    assert month_of(word) == month
