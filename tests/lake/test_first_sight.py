"""What went wrong on a lake that nobody had read: older states, titles, keys that repeat, codes beside names, percents."""

from __future__ import annotations

from pathlib import Path

from rewright.lake.api import Lake
from tests.lake.asking import rows_of, table

_SHELVES = [
    (f"S{i:02d}", f"{name} Bay", 10 + 3 * i, ("A", "B")[i % 2])
    for i, name in enumerate(
        ("Amber", "Birch", "Coral", "Delta", "Ember", "Fjord", "Grove", "Haven", "Islet", "Jetty")
    )
]
_STUDIES = [
    (f"ST-{i:03d}", title, f"Phase {1 + i % 3}", 40 * i)
    for i, title in enumerate(
        (
            "Ink on vellum",
            "Mould in bindings",
            "Light and silk",
            "Glue of horses",
            "Salt in paper",
            "Dust of archives",
        )
    )
]


def write_lake(folder: Path) -> None:
    table(folder, "SH_MST", "sh_cd,sh_nm,cap,wing_cd", _SHELVES)
    table(folder, "shelves_bak", "sh_cd,sh_nm,cap_2015", [(c, n, cap - 5) for c, n, cap, _ in _SHELVES[:7]])
    prices = [(f"P{i}", f"print {i}", 2.5 * i) for i in range(20)]
    table(folder, "print_prices", "print_cd,print_nm,price", prices)
    table(
        folder,
        "print_prices_2019_superseded",
        "print_cd,print_nm,price",
        [(c, n, p / 2) for c, n, p in prices[:15]],
    )
    loans = [(f"L{i}", f"S{i % 10:02d}", f"K{i % 4}", f"{40 + i % 50}%") for i in range(120)]
    table(folder, "loans", "loan_no,sh_cd,kind_cd,wear", loans)
    kinds = [("K0", "novel"), ("K1", "atlas"), ("K2", "score"), ("K3", "letter")]
    table(folder, "kinds", "kind_cd,meaning", kinds, above="Extract for the board,\nconfidential,\n")
    orders = [(f"O{i}", (100, 200, 300)[i % 3], 2020 + i % 4, 1000 + 7 * i, 900 + 9 * i) for i in range(60)]
    table(folder, "spending", "ref,dp,fy,plan_gbp,act_gbp", orders)
    table(folder, "dp_ref", "dp,dp_nm", [(100, "Binding"), (200, "Loans"), (300, "Reading room")])
    table(
        folder,
        "dp_visits",
        "dp,day,heads",
        [(100 * (1 + i % 3), f"2024-03-{1 + i % 28:02d}", i) for i in range(84)],
    )
    table(folder, "research", "study,title,ph,sheets", _STUDIES)


def test_a_table_is_asked_by_the_name_that_its_older_state_has(lake: Lake) -> None:
    assert lake.index.copies["shelves_bak"] == "SH_MST"
    answer = lake.query("SELECT shelf_name FROM shelves WHERE capacity > 30 ORDER BY shelf_name", "resolve")
    assert rows_of(answer) == [(n,) for _, n, cap, _ in _SHELVES if cap > 30]


def test_a_superseded_list_is_no_part_of_the_present_one(lake: Lake) -> None:
    assert lake.index.copies["print_prices_2019_superseded"] == "print_prices"
    answer = lake.query("SELECT COUNT(*) AS n, MAX(price) AS most FROM prints", "resolve")
    assert rows_of(answer) == [(20, 47.5)]


def test_words_above_a_header_of_texts_are_no_header(lake: Lake) -> None:
    assert [c.name for c in lake.index.tables["kinds"].columns] == ["kind_cd", "meaning"]
    answer = lake.query(
        "SELECT k.kind_name, COUNT(*) AS n FROM loans l JOIN loan_kinds k ON l.kind_id = k.id "
        "GROUP BY k.kind_name ORDER BY k.kind_name",
        "resolve",
    )
    assert rows_of(answer) == [("atlas", 30), ("letter", 30), ("novel", 30), ("score", 30)]


def test_a_title_beside_codes_is_what_they_name(lake: Lake) -> None:
    answer = lake.query("SELECT study_title FROM trials WHERE sheets >= 160 ORDER BY study_title", "resolve")
    assert rows_of(answer) == [("Dust of archives",), ("Salt in paper",)]


def test_a_number_is_found_behind_the_word_that_all_values_share(lake: Lake) -> None:
    answer = lake.query("SELECT study_title FROM trials WHERE phase = 2 ORDER BY study_title", "resolve")
    assert rows_of(answer) == [("Mould in bindings",), ("Salt in paper",)]


def test_percents_that_nobody_asks_for_as_parts_are_told_with_a_doubt(lake: Lake) -> None:
    told = lake.query("SELECT AVG(wear_score) AS wear FROM loans", "resolve").resolution
    assert told.confidence < 0.7
    assert any("parts of one" in doubt for doubt in told.doubts)
    asked = lake.query("SELECT AVG(wear_rate) AS wear FROM loans", "resolve").resolution
    assert not any("parts of one" in doubt for doubt in asked.doubts)


def test_a_table_that_is_joined_by_its_own_key_has_each_value_once(lake: Lake) -> None:
    answer = lake.query(
        "SELECT d.dp_name, SUM(s.actual_amount - s.planned_amount) AS more FROM spending s "
        "JOIN dps d ON s.dp_id = d.id GROUP BY d.dp_name ORDER BY d.dp_name",
        "resolve",
    )
    more = {
        name: sum(2 * i - 100 for i in range(60) if i % 3 == at)
        for at, name in enumerate(("Binding", "Loans", "Reading room"))
    }
    assert rows_of(answer) == sorted(more.items())
