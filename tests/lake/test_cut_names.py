"""Folders as people leave them: names cut to two or three letters, two digits for a year, a column for each year,
percents.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.lake import names
from rewright.lake.api import Lake
from rewright.lake.cut import cut_to
from tests.lake.asking import asked, columns_of, table

_STATES = ("Maine", "Ohio", "Utah", "Iowa", "Texas", "Idaho", "Nevada", "Kansas", "Oregon", "Alaska")


def write_lake(folder: Path) -> None:
    table(
        folder,
        "rds",
        "st,yr,spr,btx,exp,mi,ftl",
        [f"{s},{1982 + y},{2.1 + i},{0.3 + i / 10},{4000 + 7 * i + y},{700 + i},{90 + i * y}"
         for i, s in enumerate(_STATES) for y in range(3)],
    )  # fmt: skip
    for year in (14, 16):
        rows = [f"Club {i},{(i * year) % 15},{300 + i * year},{280 + 3 * i + year}" for i in range(16)]
        table(folder, f"stnd{year}", "tm,w,pf,pa", rows)
    wide = ",".join(f"year_{y}" for y in range(1990, 1996))
    rows = [
        f"{s},{','.join(str(1000 * (i + 1) + y) for y in range(1990, 1996))}" for i, s in enumerate(_STATES)
    ]
    table(folder, "citizens", f"state,{wide}", rows)
    beds = [
        f"{s},20{10 + q} Q{q % 4 + 1},{40 + 3 * i + q} %" for i, s in enumerate(_STATES) for q in range(4)
    ]
    table(folder, "lodging", "state,quarter,occupancy", beds)
    bills = [f"T{i},${3 + 1.25 * i:.2f},${1 + i / 4:.2f},{i % 4 + 1}" for i in range(30)]
    table(folder, "bills", "ticket,amount,tip,guests", bills)
    table(
        folder, "sp", "sp,gen,spec,grp",
        [f"{'ABCDEFGH'[i]}{i},Genus {i % 5},kind {i},{['Rodent', 'Bird', 'Reptile'][i % 3]}" for i in range(8)],
    )  # fmt: skip
    for shop in (21, 22):
        table(
            folder, f"shop_{shop}", "item,pieces,shelf", [f"Item {i},{i * shop},{i % 7}" for i in range(12)]
        )
    for part in ("al", "nl"):
        rows = [f"P{i},20{i % 9:02d},{i % 7 * 9},{i % 5}" for i in range(40)]
        table(folder, f"bat_{part}", "player,season,hits,errors", rows)


@pytest.mark.parametrize(
    ("short", "name"),
    [("rd", "read_speed"), ("btx", "beer_tax"), ("exp", "expenditure"), ("le", "life_expectancy"), ("mt", "math_score")],
)  # fmt: skip
def test_letters_are_what_a_name_was_cut_to(short: str, name: str) -> None:
    assert cut_to(short, name) >= 0.6


@pytest.mark.parametrize(
    ("short", "name"), [("rd", "write_speed"), ("exp", "price"), ("tax", "beer_tax"), ("x", "x_ray")]
)
def test_other_letters_are_not(short: str, name: str) -> None:
    assert cut_to(short, name) == 0.0


def test_cut_names_are_found_and_told_with_confidence(lake: Lake) -> None:
    answer = asked(
        lake,
        "SELECT state, beer_tax, expenditure FROM roads WHERE year = 1983 AND beer_tax > 0.9 ORDER BY state",
    )
    told = columns_of(answer)
    assert (told["beer_tax"], told["expenditure"]) == ("rds.btx", "rds.exp")
    assert answer.resolution.confidence >= 0.7


def test_letters_that_may_be_either_of_two_are_not_sure(lake: Lake) -> None:
    """`pf` and `pa` have the same claim to `points`."""
    answer = asked(lake, "SELECT team, points FROM standings_2016 ORDER BY points DESC, team")
    assert answer.resolution.confidence < 0.7


def test_two_digits_are_the_year_that_is_named(lake: Lake) -> None:
    answer = asked(lake, "SELECT team, wins FROM standings_2016 WHERE wins > 10 ORDER BY wins DESC, team")
    assert columns_of(answer)["wins"] == "stnd16.w"


def test_two_digits_are_a_year_to_filter_by(lake: Lake) -> None:
    answer = asked(lake, "SELECT team, wins FROM standings WHERE year = 2014 ORDER BY wins DESC, team")
    assert answer.rows is not None
    assert len(answer.rows.rows) == 16
    assert columns_of(answer)["year"] == "stnd_all.year"


def test_columns_called_by_year_are_years(lake: Lake) -> None:
    answer = asked(
        lake, "SELECT state, people FROM citizens WHERE year = 1993 AND people > 10000 ORDER BY state"
    )
    assert answer.rows is not None
    assert [tuple(row) for row in answer.rows.rows] == [("Alaska", 11993), ("Oregon", 10993)]


def test_percents_are_told_as_they_are_asked_for(lake: Lake) -> None:
    text = "SELECT state, occupancy FROM hotel_lodging WHERE occupancy > 68 ORDER BY occupancy DESC"
    answer = asked(lake, text)
    assert answer.rows is not None
    assert [tuple(row) for row in answer.rows.rows] == [("Alaska", 70), ("Alaska", 69)]


def test_shares_stay_shares(lake: Lake) -> None:
    text = "SELECT state, occupancy FROM hotel_lodging WHERE occupancy > 0.685 ORDER BY occupancy DESC"
    answer = asked(lake, text)
    assert answer.rows is not None
    assert [tuple(row) for row in answer.rows.rows] == [("Alaska", 0.7), ("Alaska", 0.69)]


def test_what_rows_are_ordered_by_is_read_as_a_number(lake: Lake) -> None:
    """`$9.25` is less than `$10.50`."""
    answer = asked(lake, "SELECT ticket_no, amount FROM restaurant_bills ORDER BY amount LIMIT 6")
    assert answer.rows is not None
    assert [float(row[1]) for row in answer.rows.rows] == [3 + 1.25 * i for i in range(6)]


def test_several_are_found_where_one_is_held(lake: Lake) -> None:
    answer = asked(
        lake, "SELECT genus, species FROM species_list WHERE taxon = 'rodents' ORDER BY genus, species"
    )
    assert answer.rows is not None
    assert len(answer.rows.rows) == 3


def test_what_tells_files_apart_is_not_everything(lake: Lake) -> None:
    answer = lake.query("SELECT genus, SUM(hits) AS n FROM batting GROUP BY genus", "resolve")
    assert answer.resolution.confidence < 0.7


def test_a_table_of_another_year_is_not_the_one(lake: Lake) -> None:
    answer = lake.query("SELECT team, wins FROM standings_2012 ORDER BY wins DESC, team", "resolve")
    assert answer.resolution.confidence < 0.7


@pytest.mark.parametrize(
    ("asked", "held"),
    [("standings_2016", "stnd14"), ("sales_2016", "sales_2015"), ("index_2019", "index_1950_2018")],
)
def test_both_names_tell_a_year_and_not_the_same(asked: str, held: str) -> None:
    assert names.of_another_year(asked, held)


@pytest.mark.parametrize(
    ("asked", "held"),
    [("standings_2016", "stnd16"), ("index_2016", "index_1950_2018"), ("orders_2016", "orders"),
     ("pets", "pets_2018"), ("sales_2016", "sales_03")],
)  # fmt: skip
def test_a_year_that_may_be_meant_is_no_other(asked: str, held: str) -> None:
    assert not names.of_another_year(asked, held)


def test_letters_with_a_usual_meaning_mean_nothing_else_for_sure(lake: Lake) -> None:
    """`st` is a state; a street it may be, which is asked back."""
    answer = lake.query("SELECT street, beer_tax FROM roads WHERE year = 1983 ORDER BY beer_tax", "resolve")
    assert answer.resolution.confidence < 0.7


def test_one_answer_writes_its_numbers_in_one_way(lake: Lake) -> None:
    answer = asked(lake, "SELECT amount, tip FROM restaurant_bills WHERE amount > 38 ORDER BY amount")
    assert answer.rows is not None
    assert [tuple(map(float, row)) for row in answer.rows.rows] == [(38.0, 8.0), (39.25, 8.25)][1:]


def test_what_is_only_shown_stays_as_it_is_written(lake: Lake) -> None:
    answer = asked(lake, "SELECT ticket_no, tip FROM restaurant_bills WHERE guests = 4 LIMIT 1")
    assert answer.rows is not None
    assert str(answer.rows.rows[0][1]).startswith("$")


def test_numbers_of_shops_are_no_years(lake: Lake) -> None:
    answer = asked(lake, "SELECT item, pieces FROM shops WHERE shop = '22' ORDER BY pieces DESC LIMIT 1")
    assert answer.rows is not None
    assert [tuple(row) for row in answer.rows.rows] == [("Item 11", 242)]
