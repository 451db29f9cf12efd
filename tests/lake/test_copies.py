"""Copies and older states of a table are not parts of it: their rows are not counted again."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from rewright.lake import copies as version_module
from rewright.lake.api import Lake
from rewright.lake.catalog.model import Column, Family, Table, Values
from rewright.lake.copies import copies, version_of

_CLUBS = [
    f"{town} {kind}" for town in ("Arden", "Brill", "Corby", "Deal", "Esher") for kind in ("FC", "Rovers")
]


def _text(header: str, rows: list[str]) -> str:
    return "\n".join([header, *rows]) + "\n"


def write_lake(folder: Path) -> None:
    rng = random.Random(4)
    matches = [f"{club},{year},{rng.randint(10, 900)}" for year in range(2004, 2020) for club in _CLUBS]
    header = "club,season,points_for"
    (folder / "club_seasons.csv").write_text(_text(header, matches))
    (folder / "club_seasons_old.csv").write_text(_text(header, matches[:90]))
    (folder / "club_seasons (2).csv").write_text(_text(header, matches))
    # two states of the same stores: one has moved on
    for version in (1, 2):
        stores = [f"S{i:02d},town {i},{100 * version + i}" for i in range(30)]
        (folder / f"stores_v{version}.csv").write_text(_text("store_cd,town,floor_area", stores))
    # the same teams at the same places of a table of each year: these are parts
    for year in (2015, 2016):
        order = rng.sample(_CLUBS, len(_CLUBS))
        ranks = [f"{club},{place + 1},{90 - 3 * place}" for place, club in enumerate(order)]
        (folder / f"league_table_{year}.csv").write_text(_text("club,place,points", ranks))
    for half in ("north", "south"):
        depots = [f"{half} depot {i},{rng.randint(1, 99)}" for i in range(12)]
        (folder / f"depots_{half}.csv").write_text(_text("depot,trucks", depots))


def test_rows_of_a_copy_and_of_an_older_export_are_not_counted_again(lake: Lake) -> None:
    answer = lake.query("SELECT COUNT(*) AS n FROM football_club_seasons", "resolve")
    assert answer.rows is not None
    assert answer.rows.rows == [(160,)]


def test_of_two_states_of_one_table_the_newer_is_asked(lake: Lake) -> None:
    answer = lake.query("SELECT SUM(floor_area) AS area FROM shop_stores", "resolve")
    assert answer.rows is not None
    assert answer.rows.rows == [(sum(200 + i for i in range(30)),)]


def test_an_older_state_is_asked_by_its_name(lake: Lake) -> None:
    answer = lake.query("SELECT SUM(floor_area) AS area FROM stores_v1", "resolve")
    assert answer.rows is not None
    assert answer.rows.rows == [(sum(100 + i for i in range(30)),)]


def test_years_and_places_stay_parts(lake: Lake) -> None:
    assert {"league_table_all", "depots_all"} <= set(lake.index.unions)
    assert not {"club_seasons_all", "stores_all"} & set(lake.index.unions)


@pytest.mark.parametrize(
    ("name", "base", "newer"),
    [
        ("stock_old", "stock", False),
        ("stock_2", "stock", False),
        ("stock_2_", "stock", False),
        ("Kopie_von_stock", "stock", False),
        ("stock_v3", "stock", True),
        ("stock_2024-02-29", "stock", True),
        ("stock_20240229", "stock", True),
        ("stock_2024", "stock 2024", None),
        ("stock_Stand2024-02", "stock", False),
        ("stock_as_of_2024", "stock", False),
        ("stock_snapshot_2024-02-29", "stock", True),
        ("stock_alt", "stock", False),
        ("old_bridges", "old bridges", None),
    ],
)
def test_what_a_name_says_of_its_version(name: str, base: str, newer: bool | None) -> None:
    found = version_of(name)
    assert found.base == base
    assert (found.rank > 0 if newer else found.rank < 0) if newer is not None else found.rank == 0


def _table(name: str, *columns: str) -> Table:
    made = (
        Column(name, c, i, "VARCHAR", Family.TEXT, Family.TEXT, 50, 0, 50, "a", "z", ())
        for i, c in enumerate(columns)
    )
    return Table(name, Path(name), 1, 1, "", "", 50, tuple(made))


def test_an_older_table_is_compared_with_those_that_share_columns_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A lake of ten thousand tables has hundreds that call themselves old."""
    tables = [_table(f"t{n}", f"key{n}", f"value{n}") for n in range(200)]
    tables += [_table(f"other{n}_old", f"key{n}", f"value{n}") for n in range(20)]
    compared: list[tuple[str, str]] = []
    holds = version_module._holds_more

    def counted(table: Table, other: Table, contained: Callable[[Column, Column], float]) -> bool:
        compared.append((table.name, other.name))
        return holds(table, other, contained)

    monkeypatch.setattr(version_module, "_holds_more", counted)
    found = copies(tables, lambda _c, _o: 1.0, lambda _c: Values((), False, None))
    assert found == {f"other{n}_old": f"t{n}" for n in range(20)}
    assert compared == [(f"other{n}_old", f"t{n}") for n in range(20)]
