"""Readings that were sure of themselves and wrong: a condition dropped, another noun ranked, rows that nobody asked for.

Vineyards with a harvest each year; names and questions made up. Each form has a relative that is read, so that a
refusal is not had by refusing everything.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewright.ask.context import TableContext
from rewright.ask.reading.api import Reader
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    region = table(
        "region",
        6,
        region_id="int4 key",
        region_name="text unique",
        country="text *4:US,FR,IT,PT",
        soil="text *2:clay,chalk",
    )
    estate = table(
        "estate", 40, estate_id="int4 key", estate_name="text unique", region_id="int4 *6", slope_m="int4 *30",
        highest_plot="text *30 null", bottling="text *2:yes,no", visits="int4 *20", wine_school="text *12",
    )  # fmt: skip
    lots = table(
        "lot", 300, lot_id="int4 key", estate_id="int4 *40", made_year="int4 *20", price="numeric *200",
        cost="numeric *200", minimum_order="int4 *9", is_open="int4 *2:0,1", colour="text *2:red,white", note="text *290",
    )  # fmt: skip
    grower = table("grower", 60, grower_id="int4 key", grower_name="text unique", guild_id="int4 *5")
    guild = table("guild", 5, guild_id="int4 key", guild_name="text unique")
    tended = table("lot_grower", 500, lot_id="int4 *300", grower_id="int4 *60")
    tasting = table(
        "tasting",
        90,
        tasting_id="int4 key",
        lot_id="int4 *80",
        remark="text *88",
        text="text *89",
        count="int4 *9",
        hall="text *3:North,South,East",
    )
    return reader_of(
        [region, estate, lots, grower, guild, tended, tasting],
        "estate.region_id region.region_id", "lot.estate_id estate.estate_id", "lot_grower.lot_id lot.lot_id",
        "lot_grower.grower_id grower.grower_id", "grower.guild_id guild.guild_id", "tasting.lot_id lot.lot_id",
    )  # fmt: skip


def test_a_name_in_capitals_is_no_pronoun(reader: Reader) -> None:
    for name in ("US", "IT"):
        assert_read(reader, f"How many regions are in the {name}?", [f"region.country = '{name}'"])
    assert_read(
        reader, "Show us the names of all regions in it", ["select region.region_name"], without="where"
    )


@pytest.mark.parametrize(
    "question",
    [
        "Which estates are in the region with the most lots?",
        "Which estates are in the country with the most lots?",
        "Which soils are found in the country with the most estates?",
    ],
)
def test_of_what_is_ranked_something_else_is_wanted(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_what_is_ranked_is_wanted(reader: Reader) -> None:
    assert_read(
        reader, "the name of the estate with the most lots", ["estate.estate_name", "order by count(*)"]
    )


def test_the_highest_is_not_whether_there_is_one(reader: Reader) -> None:
    assert_refused(reader, "Which estate has the highest plot?")


def test_rows_of_a_group_are_counted_once(reader: Reader) -> None:
    assert_read(reader, "Which guild has the most lots?", ["count(distinct lot.lot_id)"])
    assert_read(reader, "Which grower has the most lots?", ["count(*)"])


def test_rows_that_stand_for_several_are_added_up(reader: Reader) -> None:
    assert_read(
        reader,
        "What is the average number of tastings per lot?",
        ["sum(tasting.count)", "count(distinct tasting.lot_id)"],
    )


def test_a_place_behind_a_number_is_not_counted(reader: Reader) -> None:
    found = assert_read(
        reader, "Which lots have a price higher than 80 and in red?", ["lot.price > 80", "lot.colour = 'red'"]
    )
    assert "having" not in found.sql


@pytest.mark.parametrize("way", ["descending", "ascending"])
def test_what_an_order_is_of_is_not_shown(reader: Reader, way: str) -> None:
    found = assert_read(
        reader,
        f"List the names of estates in {way} order of slope",
        [f"order by estate.slope_m {way.removesuffix('ending')}"],
    )
    assert found.sql.startswith("select estate.estate_name from")


def test_from_the_highest_to_the_lowest_of_a_column(reader: Reader) -> None:
    found = assert_read(
        reader, "List the estates from highest to lowest slope", ["order by estate.slope_m desc"]
    )
    assert found.sql.startswith("select estate.estate_name from")


def test_what_a_time_is_said_of_may_be_wanted_too(reader: Reader) -> None:
    assert_read(
        reader,
        "List the prices and made years of lots from before 2020",
        ["lot.price, lot.made_year", "lot.made_year <= 2019"],
    )


def test_a_number_that_says_yes_or_no_is_a_condition(reader: Reader) -> None:
    assert_read(reader, "List the notes of open lots", ["select lot.note from", "lot.is_open = 1"])
    assert_read(reader, "How many lots are open per colour?", ["lot.is_open = 1", "group by lot.colour"])


def test_a_column_called_minimum_is_of_each(reader: Reader) -> None:
    assert_refused(reader, "What is the minimum order of red lots?")
    assert_read(reader, "What is the minimum order of lot 12?", ["lot.minimum_order", "lot.lot_id = 12"])


def test_sides_of_a_ratio_add_up_what_rows_stand_for(reader: Reader) -> None:
    assert_read(
        reader,
        "What is the ratio of tastings in North to tastings in South?",
        ["sum(tasting.count) filter"],
    )


def test_rows_that_are_measured_and_not_shown(reader: Reader) -> None:
    assert_refused(reader, "Which regions have estates with an average price above 40?")


def test_groups_are_in_the_order_of_what_is_asked_of_them(reader: Reader) -> None:
    assert_read(
        reader, "What is the slope of each estate in descending order?", ["order by estate.slope_m desc"]
    )


def test_a_text_of_yes_and_no_is_a_condition(reader: Reader) -> None:
    assert_refused(reader, "Which estates need bottling?")
    assert_read(reader, "What is the bottling of each estate?", ["estate.bottling"])


def test_where_somebody_went_is_not_shown(reader: Reader) -> None:
    assert_refused(reader, "Which estates went to a wine school?")


def test_a_deed_is_no_kind_of_rows(reader: Reader) -> None:
    assert_refused(reader, "Which growers have both tended and tasted lots?")


def test_none_of_theirs_is_not_one_that_is_other(reader: Reader) -> None:
    assert_refused(reader, "Which soils have no red lots?")
    assert_read(reader, "Which estates have no red lots?", ["not exists", "lot.colour = 'red'"])


def test_a_ratio_of_rows_that_nobody_named(reader: Reader) -> None:
    assert_refused(reader, "What is the ratio of price to cost?")
    assert_read(
        reader,
        "What is the ratio of price to cost for each lot?",
        ["lot.price::float8 / nullif(lot.cost, 0)"],
    )


def test_rows_told_by_a_text_are_not_told_by_a_number(reader: Reader) -> None:
    assert_refused(reader, "Which tastings are of red lots?")


def test_a_measure_is_no_name() -> None:
    legs = table("leg", 12, leg_id="int4 key", nm="numeric *11", winter="bool *2")
    found = assert_read(reader_of([legs]), "Which legs are winter legs?", ["leg.winter"])
    assert "leg.nm" not in found.sql


def test_a_way_that_most_rows_do_not_go() -> None:
    voucher = table("voucher", 30, voucher_id="int4 key", shop_id="int4 *9")
    shop = table("shop", 9, shop_id="int4 key", shop_name="text unique", quarter="text *2:Dock,Mill")
    keys = ("sale.voucher_id voucher.voucher_id", "voucher.shop_id shop.shop_id")
    few, most = (reader_of([_sale(nulls), voucher, shop], *keys) for nulls in (90, 10))
    assert_refused(few, "number of sales per quarter")
    assert_read(most, "number of sales per quarter", ["shop.quarter, count(*)"])


def _sale(nulls: int) -> TableContext:
    made = table("sale", 100, sale_id="int4 key", amount="numeric", voucher_id="int4 *10")
    columns = [replace(c, nulls=nulls) if c.name == "voucher_id" else c for c in made.columns]
    return TableContext.of(made.ref, columns, rows=100)
