"""What a question speaks of only by the way is neither shown nor counted; everyday forms beside it. A haulage firm
with its depots and lorries; names and questions made up.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewright.ask.context import ColumnContext
from rewright.ask.reading.api import Reader
from rewright.ask.reading.comments import codes, lacks
from rewright.ask.reading.respelling import Respelling
from rewright.ask.reading.words import tokens
from rewright.sql.algebra import TableRef
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    tables = [
        table("depot", 12, depot_id="int4 key", depot_name="text unique:Northgate,Southmoor", country="text *3:Germany,Norway",
              water_supply="text:well,mains,none", zone_id="int4 *9"),
        table("firm", 30, firm_id="int4 key", firm_name="text unique:Acme,Bolt"),
        table("contract", 60, contract_id="int4 key", firm_id="int4 *30", depot_id="int4 *12", ended_on="date *20 null"),
        table("zone", 30, zone_id="int4 key", zone_name="text unique", cont="text *3:EU,NA,AS"),
        table("lorry", 40, lorry_id="int4 key", lorry_name="text unique:Vulcan,Titan", depot_id="int4 *12", load_t="int4 *30",
              usable="bool *2", flag="text *3:DE,NO,SE", height_m="numeric *20"),
        table("haul", 300, haul_id="int4 key", lorry_id="int4 *40", kind="text:gravel,sand", shares="int4 *20",
              hauled_on="date *200", friday="text *5", driver_id="int4 *25"),
        table("lorry_remark", 90, lorry_id="int4 *40", remark_text="text unique", score="int4 *5"),
        table("inspection", 60, inspection_id="int4 key", lorry_id="int4 *30", inspected_on="date *50", rating="int4 *5"),
        table("driver", 25, driver_id="int4 key", first_name="text *20:Ida,Per", last_name="text *22:Holt,Lund",
              depot_id="int4 *12"),
        table("route", 9, route_code="text key:R1,R2", driver_name="text unique:Ann,Bo", depot_id="int4 *9"),
        table("price", 50, price_on="date *50", lowest="numeric unique", volume="int4 *50", metal="text:tin,zinc"),
    ]  # fmt: skip
    tables = [replace(t, composed=t.columns[:2]) if t.ref.name == "lorry_remark" else t for t in tables]
    keys = (
        "lorry.depot_id depot.depot_id", "haul.lorry_id lorry.lorry_id", "lorry_remark.lorry_id lorry.lorry_id",
        "inspection.lorry_id lorry.lorry_id", "driver.depot_id depot.depot_id", "haul.driver_id driver.driver_id",
        "route.depot_id depot.depot_id", "depot.zone_id zone.zone_id",
        "contract.firm_id firm.firm_id", "contract.depot_id depot.depot_id",
    )  # fmt: skip
    return reader_of(tables, *keys)


@pytest.mark.parametrize(
    ("refused", "read", "parts"),
    [
        # where a measure is, or a day on which something is, is no column to show
        (
            "Which hauls have more than 3 shares and are on Friday?",
            "Which hauls have more than 3 shares?",
            ["haul.shares > 3"],
        ),
        # rows of which a column is shown are not said to have it
        ("Which depots have their water supply?", "Which depots have water supply by a well?", ["= 'well'"]),
        # what is done to them is not how often it is
        ("Which lorry was shared the most?", "Which lorry hauled the most?", ["order by count(*) desc"]),
        # texts are not what is counted
        (
            "How many remarks did each lorry get?",
            "How many hauls does each lorry have?",
            ["count(*)", "from public.haul"],
        ),
        # what can be done is not what was
        (
            "Which depots can take lorries higher than 3 m?",
            "Which depots have lorries higher than 3 m?",
            ["lorry.height_m > 3"],
        ),
        # all of their own are not all that there are
        (
            "Which drivers hauled with every lorry they have?",
            "Which drivers hauled with every lorry?",
            ["= (select count(distinct lorry_id)"],
        ),
    ],
)
def test_what_is_said_by_the_way(reader: Reader, refused: str, read: str, parts: list[str]) -> None:
    assert_refused(reader, refused)
    assert_read(reader, read, parts)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        # a share of rows that have a number of shares
        ("What share of hauls are gravel?", ["count(*) filter (where haul.kind = 'gravel')", "/ nullif(count(*), 0)"]),
        # the contrary of a flag is no misspelled flag
        ("What percentage of lorries are unusable?", ["filter (where not lorry.usable)"]),
        # their own flag, not the country of what they belong to
        ("How many German lorries are there?", ["lorry.flag = 'DE'"]),
        # a word that else says nothing
        ("Which depots get their water from a well?", ["select depot.depot_name", "depot.water_supply = 'well'"]),
        # a route is not called by its driver's name
        ("Which routes are there?", ["select route.route_code"]),
        ("Which lorry hauled the most?", ["from public.haul", "order by count(*) desc"]),
        ("Which lorries were rated 5?", ["inspection.rating = 5"]),
        ("Did Ida Holt drive any lorry?", ["select exists", "driver.first_name = 'Ida'", "driver.last_name = 'Holt'"]),
        ("Does the depot Northgate have a lorry?", ["select exists", "depot.depot_name = 'Northgate'"]),
        ("How many inspections took place in the spring of 2021?", ["date '2021-03-01'", "date '2021-06-01'"]),
        ("How many inspections were there since the start of 2021?", ["inspection.inspected_on >= date '2021-01-01'"]),
        ("Which lorries never hauled anything?", ["not exists (select from public.haul"]),
        ("Which firms have more than one depot right now?", ["contract.ended_on is null", "having count("]),
        ("List the lorries with a load above 20, with the depot", ["lorry.lorry_name, depot.depot_name"]),
    ],
)  # fmt: skip
def test_everyday_forms(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


def test_only_of_one_kind(reader: Reader) -> None:
    parts = ["haul.kind = 'gravel'", "and not exists (select from public.haul", "haul.kind <> 'gravel'"]
    assert_read(reader, "Which lorries only carried gravel?", parts)
    # of what each has one of, and beside anything else that is said, it says something that is not read
    assert_refused(reader, "Which lorries are only in Northgate?")
    assert_refused(reader, "Which lorries only carried gravel in 2021?")


def test_a_word_that_only_begins_like_a_name(reader: Reader) -> None:
    for contacts in ("Which depot had the most contacts?", "Which zones have no contacts?"):
        assert_refused(reader, contacts)
    assert_read(reader, "Which zone has the most depots?", ["from public.depot", "order by count(*) desc"])


def test_a_price_names_no_row(reader: Reader) -> None:
    assert_refused(reader, "Which tin had the highest volume?")


def _column(kind: str, comment: str, **more: object) -> ColumnContext:
    return ColumnContext.of(TableRef("public", "t"), "c", kind, comment=comment, **more)  # type: ignore[arg-type] # as it takes them


@pytest.mark.parametrize(
    ("comment", "distinct", "told"),
    [
        ("1 urgent, 2 normal", 2, {"1": "urgent", "2": "normal"}),
        ("0 for bronze, 1 for silver, 2 for gold", 2, {"0": "bronze", "1": "silver", "2": "gold"}),
        # more numbers than are told are no codes, nor is a remark
        ("1 urgent, 2 normal", 3, {}),
        ("1 neglected to 5 exemplary", 5, {}),
    ],
)
def test_codes_of_numbers(comment: str, distinct: int, told: dict[str, str]) -> None:
    assert dict(codes(_column("int4", comment, distinct=distinct))) == told


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("settled on, null: still pending", "pending"),
        ("NULL if treatment is ongoing", "ongoing"),
        ("discount in percent, null: none", ""),
        ("NULL if not settled", ""),
    ],
)
def test_what_null_stands_for(comment: str, said: str) -> None:
    assert lacks(_column("date", comment, nulls=3)) == said
    assert lacks(_column("date", comment)) == ""


def test_a_contrary_is_not_misspelled() -> None:
    respelling = Respelling(["usable", "visible"], lambda word: True)
    words, places = respelling.respelled(tokens("which are unusable or visibel"))
    assert [t.word for t in words][2] == "unusable"
    assert places == {4}
