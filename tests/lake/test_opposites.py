"""What looks alike and is not: the other side of a pair, row numbers, names that are all the same, the parts of a
union that say only yes and no; and what looks unlike: a value in another spelling.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.lake.api import Lake
from rewright.lake.opposites import of_one_side, opposed
from rewright.lake.resolve.evidence import Evidence
from rewright.lake.resolve.imagined import sites_of
from rewright.lake.resolve.likeness import completed, lexical
from rewright.lake.resolve.values import ValueMatcher
from tests.lake.asking import asked, columns_of, table

_PLACES = tuple(
    f"{one}{two}"
    for one in ("Ald", "Bren", "Cor", "Dun", "East", "Far")
    for two in ("bury", "mere", "ton", "wick")
)
_CODES = tuple(f"{place[:3]}{place[-3]}".upper() for place in _PLACES)
_STATES = ("Maine", "Ohio", "Utah", "Iowa", "Texas", "Idaho", "Nevada", "Kansas", "Oregon", "Alaska")


def write_lake(folder: Path) -> None:
    fields = [
        f"{p} Airport,{c},{90 + 31 * i},Register A"
        for i, (p, c) in enumerate(zip(_PLACES, _CODES, strict=True))
    ]
    table(folder, "airfields_us", "name,code,alt,source", fields)
    # from the first half to any
    routes = [
        f"{_CODES[i % 12]},{_CODES[(i * 5 + 1) % 24]},{i % 3},{['AB', 'CD'][i % 2]}" for i in range(240)
    ]
    table(folder, "air_routes", "orig,dest,stops,carrier", routes)
    votes = [f"{i + 1},{_STATES[i % 10]},{['yes', 'no'][i % 2]},{100 * i},{9000 - 7 * i}" for i in range(40)]
    table(folder, "bill_votes", "rownames,state,stance,money_pro,money_con", votes)
    for part in ("true", "false"):
        stops = [f"{['Taser', 'Baton', 'Spray'][i % 3]},{20 + i},{i % 5}" for i in range(30)]
        table(folder, f"police_force_{part}", "force_type,age,precinct", stops)
    deaths = [f"{s},{['South', 'North'][i % 2]},{10 + i}" for i, s in enumerate(_STATES)]
    table(folder, "murders", "state,region,total", deaths)
    table(folder, "infections", "state,disease,count", [f"{s},Mumps,{50 + i}" for i, s in enumerate(_STATES)])
    limits = [f'Liquid {i},{i % 9 + 1} %,{20 + i} %,"{i},5"' for i in range(30)]
    table(folder, "flash_limits", "substance,lel,uel,lifetime_yrs", limits)
    heat = [f"Gas {i},{20 + 3 * i},{100 + 7 * i}" for i in range(30)]
    table(folder, "gwp_table", "gas,gwp_20yr,gwp_100yr", heat)
    lands = [f"{s},{900 + 31 * i},Big {_PLACES[i]}" for i, s in enumerate(_STATES)]
    table(folder, "state_mst", "st_nm,popn,cap_city", lands)
    menu = [f"{['Mcdonalds', 'Subway'][i % 2]},Meal {i},{300 + i}" for i in range(24)]
    table(folder, "tbl_menu", "rstrn,item,calories", menu)


@pytest.mark.parametrize(
    ("asked", "same", "other"),
    [
        ("from_airport", "origin", "Dest"),
        ("departure_airport", "Source", "dstnt"),
        ("money_for", "money_pro", "money_con"),
        ("birth_date", "born", "death_date"),
        ("home_team", "home", "away"),
        ("from_airport", "origin_code", "dest_id"),
    ],
)
def test_one_side_is_not_the_other(asked: str, same: str, other: str) -> None:
    assert of_one_side(asked, same)
    assert opposed(asked, other)
    assert not opposed(asked, same)


@pytest.mark.parametrize(
    ("one", "other"),
    [("unregistered_users", "registered"), ("home_wins", "home_losses"), ("min_temp", "max_temp")],
)
def test_opposites_are_so_both_ways(one: str, other: str) -> None:
    assert opposed(one, other)
    assert opposed(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("east_or_west", "east"),
        ("income", "come"),
        ("total", "to"),
        ("price", "cost"),
        ("start_date", "started"),
    ],
)
def test_what_speaks_of_both_or_of_neither_is_not_opposed(one: str, other: str) -> None:
    assert not opposed(one, other)


def test_the_key_of_the_side_that_is_asked_for_joins(lake: Lake) -> None:
    answer = asked(
        lake,
        "SELECT b.airport_name, COUNT(*) AS n FROM airline_routes a JOIN airfields b ON a.from_airport = b.airport_code "
        "GROUP BY b.airport_name",
    )
    assert answer.rows is not None
    assert {row[0] for row in answer.rows.rows} == {f"{place} Airport" for place in _PLACES[:12]}


def test_money_for_is_not_money_against(lake: Lake) -> None:
    told = columns_of(asked(lake, "SELECT MAX(money_for) AS most FROM votes_on_bill WHERE position = 'yes'"))
    assert told["money_for"] == "bill_votes.money_pro"


def _scores(lake: Lake, sql: str, name: str, real: str) -> tuple[float, float]:
    """The likeness of the imagined column's name to a real one's, and the whole score."""
    resolver = lake.resolver
    site = sites_of(resolver.parse(sql))[0]
    evidence = Evidence(lake.index, site, ValueMatcher(lake.index))
    imagined = next(c for c in site.columns() if c.name == name)
    table, _, column = real.partition(".")
    held = lake.index.tables[table].column(column)
    assert held is not None
    return evidence.name_score(imagined.table, imagined.name, held), evidence.score(imagined, held)


def test_a_name_that_is_the_same_in_all_rows_is_hardly_meant(lake: Lake) -> None:
    sql = "SELECT airport_name, elevation FROM landing_fields WHERE elevation > 200"
    alike, score = _scores(lake, sql, "airport_name", "airfields_us.source")
    assert score < alike - 0.2
    assert columns_of(asked(lake, sql))["airport_name"] == "airfields_us.name"


def test_numbers_of_rows_are_not_added_up(lake: Lake) -> None:
    sql = "SELECT state, SUM(spending) AS total FROM votes_on_bill GROUP BY state"
    alike, score = _scores(lake, sql, "spending", "bill_votes.rownames")
    assert score < alike - 0.2


def test_parts_that_are_true_and_false_say_nothing(lake: Lake) -> None:
    sql = "SELECT method_used, AVG(age) AS mean FROM police_incidents GROUP BY method_used"
    united = next(
        name for name, union in lake.index.unions.items() if "police_force_true" in union.part_names()
    )
    alike, _ = _scores(lake, sql, "method_used", f"{united}.{lake.index.unions[united].mark}")
    assert alike <= 0.1
    assert columns_of(asked(lake, sql))["method_used"].endswith(".force_type")


def test_a_count_of_something_else_is_none_of_what_is_asked(lake: Lake) -> None:
    sql = "SELECT MAX(murder_count) AS most FROM murders_by_state WHERE us_region = 'South'"
    alike, _ = _scores(lake, sql, "murder_count", "infections.count")
    assert alike < 0.9
    assert columns_of(asked(lake, sql))["murder_count"] == "murders.total"


def test_a_column_with_the_value_in_another_spelling_is_meant(lake: Lake) -> None:
    told = columns_of(asked(lake, "SELECT DISTINCT dish FROM fast_food_menu WHERE chain = 'McDonald''s'"))
    assert told == {"dish": "tbl_menu.item", "chain": "tbl_menu.rstrn"}


@pytest.mark.parametrize(
    ("literal", "value", "meant"),
    [
        ("low-grade glioma", "LG glioma", True),
        ("high-grade glioma", "LG glioma", False),
        ("North American Football League", "NAF League", True),
        ("low grade", "LG glioma", False),
    ],
)
def test_part_of_a_value_may_be_initials(literal: str, value: str, *, meant: bool) -> None:
    assert (ValueMatcher._score(value, literal).how == "initials") is meant


def test_another_number_is_another_thing(lake: Lake) -> None:
    sql = "SELECT gas, global_warming_potential_100_years AS g FROM greenhouse_gases"
    assert columns_of(asked(lake, sql))["global_warming_potential_100_years"] == "gwp_table.gwp_100yr"


@pytest.mark.parametrize(("short", "long"), [("popn", "population"), ("assn", "association")])
def test_words_cut_to_their_beginning_and_last_letter(short: str, long: str) -> None:
    assert lexical((long,), (short,)) >= 0.7
    assert lexical(("part",), ("parliament",)) == 0.0


def test_letters_with_a_usual_meaning_may_have_another(lake: Lake) -> None:
    assert completed("capital", "cap_city") == "capital city"
    told = columns_of(asked(lake, "SELECT state_name, capital, population FROM states_of_the_union"))
    assert told["population"] == "state_mst.popn"
    assert told["capital"] == "state_mst.cap_city"


def test_who_tells_percents_reads_percents(lake: Lake) -> None:
    """The upper limit is told nothing of, and still is 20 to 49, not 0.2 to 0.49."""
    answer = asked(
        lake,
        "SELECT MAX(upper_explosive_limit) AS most FROM flammability_limits WHERE lower_explosive_limit >= 2",
    )
    assert answer.rows is not None
    assert answer.rows.rows == [(49.0,)]


def test_numbers_with_commas_are_shown_as_numbers(lake: Lake) -> None:
    answer = asked(lake, "SELECT lifetime_years FROM flammability_limits WHERE substance = 'Liquid 7'")
    assert answer.rows is not None
    assert answer.rows.rows == [(7.5,)]


def test_a_table_that_is_swallowed_by_another_is_not_told_for_sure(lake: Lake) -> None:
    answer = lake.query(
        "SELECT a.state_name, b.dialling_code FROM states a JOIN telephone_book b ON a.state_code = b.state_code",
        "resolve",
    )
    assert answer.resolution.confidence <= 0.6
