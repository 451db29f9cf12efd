"""What went wrong on lakes of a water board, a fishing cooperative, a ski resort and a blood donor service: a
year's file under other headings and in another unit, a register of a past year beside today's, all codes in
one list, keys of unions, names that meet apart from their case, sums in thousands.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.catalog.model import Column, Family
from rewright.lake.embedding import CachedEmbedder
from rewright.lake.resolve.units import turned
from tests.lake.asking import asked, columns_of, rows_of, table

_PITS = [f"P{i:02d}" for i in range(1, 13)]
_STONES = ["granite", "slate", "basalt", "marble", "gneiss", "chalk"]


@pytest.fixture
def quarry(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Lake]:
    """A quarry's folder: what was dug by year, its pits now and in 2015, lorries, samples and costs."""
    (tmp_path / "dug").mkdir()
    rows = [f"{_PITS[i % 12]},2021-0{1 + i % 9}-15,{1000 + i},{i % 7}.5" for i in range(40)]
    table(tmp_path / "dug", "dug_2021", "Pit name,Day,Stone lb,Hours", rows)
    for year in (2022, 2023):
        rows = [f"{_PITS[i % 12]},{year}-0{1 + i % 9}-15,{500 + i},{i % 7}.5" for i in range(40)]
        table(tmp_path / "dug", f"dug_{year}", "pit,dt,stone_kg,hrs", rows)
    for name, depth, first in (("pit_register_2015", 10, 0), ("pit_master", 30, 2)):
        rows = [f"{pit},{'NSEW'[i % 4]}S,{depth + i} ft" for i, pit in enumerate(_PITS) if i >= first]
        table(tmp_path, name, "pit,side,depth", rows)
    codes = [
        f"side,{code},{told}"
        for code, told in (("NS", "north"), ("SS", "south"), ("ES", "east"), ("WS", "west"))
    ]
    codes += [f"grade,{i},{told}" for i, told in enumerate(("fine", "fair", "poor"), 1)]
    table(tmp_path, "all_codes", "list,code,meaning", codes)
    stones = [f"{i},{stone.upper()},{i % 3 + 1},{2 + i}" for i, stone in enumerate(_STONES)]
    table(tmp_path, "lab_stones", "no,called,grade,weight", stones)
    table(tmp_path, "stone_prices", "stone,eur", [f"{stone},{10 + i}" for i, stone in enumerate(_STONES)])
    for year in (2022, 2023):
        rows = [f"{100 * (year - 2000) + i},L{i % 5},{_PITS[i % 12]}" for i in range(30)]
        table(tmp_path, f"loads_{year}", "load,lorry,pit", rows)
    fines = [f"{2300 + i % 30},{20 + i}" for i in range(60)]
    table(tmp_path, "weigh_fines", "load,eur", fines)
    costs = [
        f"{what},{i + 1}.5,{i + 2}.25"
        for i, what in enumerate(("fuel", "wages", "repairs", "rent", "blasting"))
    ]
    table(tmp_path, "costs_2023", "item,budget,spent", costs, above="Costs 2023 in £000\n\n")
    with open_lake(tmp_path, embedder=embedder) as lake:
        yield lake


def test_a_year_under_other_headings_is_a_part_and_in_the_same_unit(quarry: Lake) -> None:
    answer = asked(
        quarry,
        "SELECT EXTRACT(YEAR FROM day) AS year, ROUND(SUM(stone_kg), 1) AS kg FROM dug_stone"
        " GROUP BY EXTRACT(YEAR FROM day) ORDER BY year",
    )
    pounds, kilograms = sum(range(1000, 1040)), float(sum(range(500, 540)))
    told = [(int(str(year)), float(str(kg))) for year, kg in rows_of(answer)]
    assert told == [(2021, round(pounds * 0.45359237, 1)), (2022, kilograms), (2023, kilograms)]


def test_a_number_that_headings_have_is_of_what_the_rows_are_of(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    for number, last in ((1, "owner"), (2, "category")):
        rows = [f"{i},K{number}{i % 9},{2000 + i % 5},{('low', 'mid', 'high')[i % 3]}" for i in range(40)]
        table(tmp_path, f"kiln_{number}_log", f"entry_id,kiln_{number}_code,season,{last}", rows)
    with open_lake(tmp_path, embedder=embedder) as lake:
        assert not lake.index.unions


def test_a_file_of_other_columns_is_no_part(tmp_path: Path, embedder: CachedEmbedder) -> None:
    for year in (2022, 2023):
        table(tmp_path, f"visits_{year}", "place,guests,fee", [f"p{i % 9},{i},{i}.5" for i in range(30)])
    table(tmp_path, "visits_2021", "nurse,ward,note", [f"n{i % 5},w{i % 3},text {i}" for i in range(30)])
    with open_lake(tmp_path, embedder=embedder) as lake:
        parts = {name for united in lake.index.unions.values() for name in united.part_names()}
    assert parts == {"visits_2022", "visits_2023"}


def test_a_register_of_a_past_year_is_no_part_of_todays(quarry: Lake) -> None:
    assert quarry.index.copies["pit_register_2015"] == "pit_master"
    assert rows_of(asked(quarry, "SELECT COUNT(*) AS n FROM pits")) == [(10,)]


def test_what_is_asked_for_in_meters_is_told_in_meters(quarry: Lake) -> None:
    answer = asked(
        quarry, "SELECT pit, ROUND(depth_m, 2) AS depth_m FROM pit_master WHERE depth_m > 12 ORDER BY pit"
    )
    assert [(pit, float(str(deep))) for pit, deep in rows_of(answer)] == [("P11", 12.19), ("P12", 12.5)]
    assert [c["how"] for c in answer.resolution.corrections] == ["unit"]


def test_a_code_is_found_in_the_list_of_all_codes(quarry: Lake) -> None:
    answer = asked(quarry, "SELECT pit FROM pit_master WHERE orientation = 'north' ORDER BY pit")
    assert columns_of(answer)["orientation"] == "pit_master.side"
    assert rows_of(answer) == [("P05",), ("P09",)]


def test_a_code_of_digits_is_found_in_it(quarry: Lake) -> None:
    answer = asked(quarry, "SELECT number FROM lab_stones WHERE grade = 'poor' ORDER BY number")
    assert rows_of(answer) == [(2,), (5,)]


def test_texts_meet_whatever_their_case(quarry: Lake) -> None:
    answer = asked(
        quarry,
        "SELECT p.stone, p.price, l.weight FROM stone_prices p JOIN lab_stones l ON p.stone_id = l.id"
        " WHERE l.weight > 5 ORDER BY p.stone",
    )
    assert rows_of(answer) == [("chalk", 15, 7), ("gneiss", 14, 6)]


def test_the_key_of_a_union_joins(quarry: Lake) -> None:
    answer = asked(
        quarry,
        "SELECT l.lorry, SUM(f.eur) AS fines FROM weigh_fines f JOIN loads l ON f.load_id = l.id"
        " GROUP BY l.lorry ORDER BY l.lorry",
    )
    wanted = [(f"L{n}", sum(20 + i for i in range(60) if i % 30 % 5 == n)) for n in range(5)]
    assert [(lorry, int(str(fines))) for lorry, fines in rows_of(answer)] == wanted


def test_a_title_tells_that_sums_are_thousands(quarry: Lake) -> None:
    answer = asked(quarry, "SELECT item, spent_pounds FROM costs WHERE spent_pounds > 5000 ORDER BY item")
    assert [(item, float(str(spent))) for item, spent in rows_of(answer)] == [
        ("blasting", 6250.0),
        ("rent", 5250.0),
    ]


@pytest.mark.parametrize(
    ("asked_for", "held", "samples", "factor"),
    [
        ("length_m", "loa", ("42 ft", "51 ft"), 0.3048),
        ("water_m3", "used", ("1,200 gal", "90 gal"), 0.003785411784),
        ("weight_kg", "wt_lb", (), 0.45359237),
        ("weight_kg", "wt_kg", (), None),
        ("salary_gbp", "pay", ("£44k", "£26k"), 1000.0),
        ("spent_gbp", "Spent (k£)", (), 1000.0),
        ("price_per_kg", "wt_lb", (), None),
        ("length", "loa", ("42 ft", "51 ft"), None),
        ("length_m", "loa", ("42 ft", "12 m"), None),
        ("weight_kg", "loa", ("42 ft", "51 ft"), None),
    ],
)
def test_the_factor_between_two_units(
    asked_for: str, held: str, samples: tuple[str, ...], factor: float | None
) -> None:
    family = Family.TEXT if samples else Family.FLOAT
    real = Column("t", held, 0, "VARCHAR", family, Family.FLOAT, 9, 0, 9, "1", "9", samples)
    assert turned(asked_for, real) == factor


def test_lists_that_are_grouped_by_are_doubted(tmp_path: Path, embedder: CachedEmbedder) -> None:
    lines = [f'{{"id": {i}, "tags": ["t{i % 3}", "u{i % 2}"]}}' for i in range(30)]
    (tmp_path / "posts.json").write_text("[" + ", ".join(lines) + "]")
    with open_lake(tmp_path, embedder=embedder) as lake:
        answer = asked(lake, "SELECT tag, COUNT(*) AS n FROM blog_posts GROUP BY tag ORDER BY n")
    assert answer.resolution.confidence <= 0.6
