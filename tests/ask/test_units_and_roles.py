"""Questions over columns whose names say units, and tables that several keys lead to: what is read, and what
near it is refused.
"""

from __future__ import annotations

import pytest

from rewright.ask.context import Context, Join
from rewright.ask.reading.api import Reader, Reading
from rewright.ask.reading.role_words import role
from rewright.ask.reading.unit_names import numbers_spelled_out, numbers_with_units, unit_of, without_unit
from tests.ask.readings import assert_read, assert_refused, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    town = table("town", 5, town_id="int4 key", town_name="text key:Ulm,Graz")
    depot = table(
        "depot", 12, depot_id="int4 key", depot_name="text key:North Gate,Quay,Mill", town_id="int4 *5"
    )
    clerk = table("clerk", 8, clerk_id="int4 key", full_name="text key:Ana Roth,Bo Dent", birth_year="int4")
    guest = table("guest", 30, guest_id="int4 key", full_name="text key", born_on="date", email="text null")
    parcel = table(
        "parcel", 300, parcel_id="int4 key", origin_depot_id="int4 *12", end_depot_id="int4 *12", guest_id="int4 *30",
        clerk_id="int4 *8", checked_by="int4 *8", weight_g="int4", price_cents="int4", distance_km="numeric",
        duration_s="int4", sent_at="timestamp", insured="bool"
    )  # fmt: skip
    parts = table(
        "part", 40, part_id="int4 key", name="text key:Belt", price_usd="numeric", requires_order="bool"
    )
    order = table("order", 90, order_id="int4 key", part_id="int4 *20", cost_usd="numeric", placed_on="date")
    title = table("title", 20, title_id="int4 key", title="text key:Blue Hour", genre="text:Crime,Travel")
    copy = table("copy", 60, copy_id="int4 key", title_id="int4 *18", guest_id="int4 *20", lent_on="date")
    tables = [town, depot, clerk, guest, parcel, parts, order, title, copy]
    at = {(t.ref.name, c.name): c for t in tables for c in t.columns}
    pairs = (
        ("depot.town_id", "town.town_id"),
        ("parcel.origin_depot_id", "depot.depot_id"),
        ("parcel.end_depot_id", "depot.depot_id"),
        ("parcel.guest_id", "guest.guest_id"),
        ("parcel.clerk_id", "clerk.clerk_id"),
        ("parcel.checked_by", "clerk.clerk_id"),
        ("order.part_id", "part.part_id"),
        ("copy.title_id", "title.title_id"),
        ("copy.guest_id", "guest.guest_id"),
    )

    def column(said: str) -> tuple[str, str]:
        of, _, name = said.partition(".")
        return of, name

    joins = [Join(at[column(many)], at[column(one)], 1.0) for many, one in pairs]
    return Reader(Context.of(tables=tables, joins=joins))


# ------------------------------------------------------------------ units


@pytest.mark.parametrize(
    ("question", "parts", "without"),
    [
        ("What is the average duration of parcels in minutes?", ["avg(parcel.duration_s) / 60.0"], ""),
        ("What is the total price of the parcels in dollars?", ["sum(parcel.price_cents) / 100.0"], ""),
        ("What is the total distance of the parcels in kilometres?", ["select sum(parcel.distance_km)"], "/"),
        ("What is the total distance of the parcels in meters?", ["sum(parcel.distance_km) * 1000)"], ""),
        ("What is the average duration of the parcels in hours per guest?", ["avg(parcel.duration_s) / 3600.0"], ""),
        (
            "What is the average duration of parcels in minutes, rounded to 1 decimal?",
            ["round(((avg(parcel.duration_s) / 60.0))::numeric, 1)"],
            "",
        ),
        ("How many parcels are heavier than a kilogram?", ["parcel.weight_g > 1000"], ""),
        ("Which parcels weigh more than 1.5 kg?", ["parcel.weight_g > 1500"], ""),
        ("Which parcels weigh between 1 and 2 kg?", ["between 1000 and 2000"], ""),
        # the kind of the unit says which of two lengths is meant
        ("How many parcels were longer than 10 km?", ["parcel.distance_km > 10"], "duration"),
        ("How many parcels were longer than half an hour?", ["parcel.duration_s > 1800"], "distance"),
    ],
)  # fmt: skip
def test_units_are_worked_out(reader: Reader, question: str, parts: list[str], without: str) -> None:
    assert_read(reader, question, parts, without)


@pytest.mark.parametrize(
    "question",
    [
        "What is the average duration of the parcels in kilometres?",
        "What is the total distance of the parcels in miles?",
        "What is the longest parcel?",
        "Which parcels have a duration of more than 10 km?",
        "What is the number of parcels in minutes?",
    ],
)
def test_units_of_something_else_are_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_a_reading_in_another_unit_says_so(reader: Reader) -> None:
    found = assert_read(reader, "What is the average duration of parcels in minutes?", [])
    assert "the average of parcel.duration_s in minutes" in found.plain
    assert found.question == "What is the average duration of parcels in minutes?"
    assert any("unit" in doubt.about for doubt in found.doubts)


def test_units_of_names_and_texts() -> None:
    assert [u.name for u in unit_of(("weight", "gram"))] == ["gram"]
    assert {u.dimension for u in unit_of(("amount", "cent"))} == {"dollars", "euros"}
    assert unit_of(("day",)) == unit_of(("m",)) == unit_of(("price", "per", "kilogram")) == ()
    assert [u.name for u in unit_of(("minute",))] == ["minute"]
    assert numbers_spelled_out("longer than an hour and a half") == "longer than 90 minutes"
    assert numbers_spelled_out("under half an hour") == "under 30 minutes"
    assert (
        numbers_spelled_out("more than a kilogram of it, a day later")
        == "more than 1 kilogram of it, a day later"
    )
    assert set(numbers_with_units("30 kg, 1,500 m and the 1990s in 7 towns")) == {"30", "1500"}
    kept = without_unit("What is the weight, in grams, of a bike?")
    assert kept is not None
    assert kept[0] == "What is the weight, of a bike?"
    assert without_unit("What is the price in dollars per hour?") is None
    assert without_unit("How many are in meters or in feet?") is None


# ------------------------------------------------------------------ several keys to one table


@pytest.mark.parametrize(
    ("question", "parts", "without"),
    [
        (
            "How many parcels went from North Gate to Quay?",
            [
                "parcel.origin_depot_id in (select depot.depot_id from depot where depot.depot_name = 'North Gate')",
                "parcel.end_depot_id in (select depot.depot_id from depot where depot.depot_name = 'Quay')",
            ],
            "",
        ),
        ("How many parcels ended in Graz?", ["parcel.end_depot_id in", "town.town_name = 'Graz'"], "origin"),
        ("How many parcels departed from Mill?", ["parcel.origin_depot_id in"], "end_depot_id"),
        ("How many parcels started and ended at Mill?", ["parcel.origin_depot_id in", "parcel.end_depot_id in"], ""),
        ("How many parcels ended at each depot?", ["parcel.end_depot_id = depot.depot_id", "group by"], "origin"),
        ("At which depots did no parcel end?", ["not exists", "parcel.end_depot_id = depot.depot_id"], "origin"),
        ("Which parcels were checked by Bo Dent?", ["parcel.checked_by in", "'Bo Dent'"], "clerk_id = "),
        ("What is the total distance of the parcels checked by Ana Roth?", ["sum(", "parcel.checked_by in"], ""),
        # no role is said: the key that says none
        ("How many parcels does each clerk have?", ["parcel.clerk_id = clerk.clerk_id"], "checked_by"),
    ],
)  # fmt: skip
def test_roles_of_keys(reader: Reader, question: str, parts: list[str], without: str) -> None:
    assert_read(reader, question, parts, without)


@pytest.mark.parametrize(
    "question",
    [
        "How many parcels of North Gate are there?",
        "How many parcels started or ended at Mill?",
        "Which depots have the most parcels?",
    ],
)
def test_no_role_said_is_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_words_of_one_role() -> None:
    assert role("departures") == role("began") == role("origin") == "start"
    assert role("ended") == role("arrivals") == role("destination") == "end"
    assert role("reported") == role("report") != role("fixed")


# ------------------------------------------------------------------ what rows hold themselves


@pytest.mark.parametrize(
    ("question", "parts", "without"),
    [
        ("Which parts cost more than 100 dollars?", ["part.price_usd > 100"], "order"),
        ("Which parts cost more than the average part?", ["part.price_usd > (select avg(price_usd)"], "order"),
        ("Which clerks were born before 1960?", ["clerk.birth_year <= 1959"], "guest"),
        ("List the parts that do not require an order.", ["not part.requires_order"], "order_id"),
        # a table called as the names of its rows are
        ("Which title has the fewest copies?", ["select title.title", "group by title.title_id"], ""),
        ("List the titles that have no copies.", ["select title.title", "not exists"], ""),
        # a condition, not a column to show; a column to show beside the names
        ("Which guests have an email?", ["select guest.full_name from", "guest.email is not null"], ""),
        (
            "List the 5 oldest guests with their birth dates.",
            ["select guest.full_name, guest.born_on", "limit 5"],
            "",
        ),
        ("How many parcels were sent on each day of the week?", ["extract(isodow from parcel.sent_at)"], "::date"),
        ("How many guests were born in the 1980s?", ["date '1980-01-01'", "date '1990-01-01'"], ""),
        ("How many guests borrowed copies in 2023?", ["copy.lent_on >= date '2023"], "born_on"),
    ],
)  # fmt: skip
def test_what_rows_hold(reader: Reader, question: str, parts: list[str], without: str) -> None:
    assert_read(reader, question, parts, without)


@pytest.mark.parametrize(
    "question",
    [
        # a birth date is not when something else was done
        "How many guests were registered in 2023?",
        "Which guests sent parcels in both January 2023 and February 2023?",
        # what another table's rows hold, of which nobody spoke
        "Which titles cost more than 10?",
    ],
)
def test_what_rows_do_not_hold_is_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_a_verb_of_the_data_is_spelled_as_it_is() -> None:
    stop = table("stop", 9, stop_id="int4 key", name="text key:Mill,Quay")
    ride = table(
        "ride", 90, ride_id="int4 key", pickup_stop_id="int4 *9", dropoff_stop_id="int4 *9", day="date"
    )
    at = {(t.ref.name, c.name): c for t in (stop, ride) for c in t.columns}
    joins = [
        Join(at["ride", key], at["stop", "stop_id"], 1.0) for key in ("pickup_stop_id", "dropoff_stop_id")
    ]
    reader = Reader(Context.of(tables=[stop, ride], joins=joins))
    found = reader.read("How many rides were picked up at Mill and dropped off at Quay?")
    assert isinstance(found, Reading), found.why
    assert "pickup_stop_id in" in found.sql
    assert "dropoff_stop_id in" in found.sql


# ------------------------------------------------------------------ compound names, verbs that are names too


@pytest.fixture(scope="module")
def shop() -> Reader:
    buyer = table("buyer", 30, buyer_no="int4 key", company_name="text key")
    clerk = table("clerk", 9, clerk_id="int4 key", first_name="text:Tom,Nina", last_name="text:Reed,Park")
    ware = table(
        "ware", 40, sku="text key", ware_name="text key:Belt", unit_price="numeric", rebate_rate="numeric"
    )
    order = table(
        "sales_order", 300, order_no="int4 key", buyer_no="int4 *28", clerk_id="int4 *8", approved_by="int4 *3",
        order_date="date", freight="numeric", discount="numeric"
    )  # fmt: skip
    line = table("order_line", 700, order_no="int4 *300", line_no="int4", sku="text *38", quantity="int4")
    tables = [buyer, clerk, ware, order, line]
    at = {(t.ref.name, c.name): c for t in tables for c in t.columns}
    joins = [
        Join(at["sales_order", "buyer_no"], at["buyer", "buyer_no"], 1.0),
        Join(at["sales_order", "clerk_id"], at["clerk", "clerk_id"], 1.0),
        Join(at["sales_order", "approved_by"], at["clerk", "clerk_id"], 1.0),
        Join(at["order_line", "order_no"], at["sales_order", "order_no"], 1.0),
        Join(at["order_line", "sku"], at["ware", "sku"], 1.0),
    ]
    return Reader(Context.of(tables=tables, joins=joins))


@pytest.mark.parametrize(
    ("question", "parts", "without"),
    [
        ("Which buyers have never placed an order?", ["not exists (select from public.sales_order"], "line"),
        (
            "How many orders were placed in 2023?",
            ["from sales_order where sales_order.order_date >="],
            "line",
        ),
        ("Which wares have never been ordered?", ["not exists"], "order by"),
        (
            "List the orders of Tom Reed sorted by freight.",
            ["sales_order.clerk_id = clerk.clerk_id", "order by"],
            "approved",
        ),
        (
            "How many orders were approved by Nina Park?",
            ["sales_order.approved_by in (", "'Nina')", "'Park')"],
            "clerk_id = sales",
        ),
        ("How many different wares did each buyer order?", ["select buyer.company_name, count(distinct"], ""),
        ("Which wares cost more than 30?", ["ware.unit_price > 30"], ""),
    ],
)
def test_compound_names(shop: Reader, question: str, parts: list[str], without: str) -> None:
    assert_read(shop, question, parts, without)


@pytest.mark.parametrize(
    "question",
    [
        # `unit` only says of what the price is
        "Which ware has the most units?",
        # 10 or 0.1
        "Which orders have a discount of 10%?",
    ],
)
def test_words_that_only_qualify_are_refused(shop: Reader, question: str) -> None:
    assert_refused(shop, question)


def test_what_they_do_is_no_date_of_it() -> None:
    staff = table("staff", 9, staff_no="int4 key", staff_name="text key", job="text:developer,tester")
    task = table("task", 12, task_id="int4 key", title="text key", lead_no="int4 *4")
    sheet = table("sheet", 90, sheet_id="int4 key", staff_no="int4 *9", task_id="int4 *12", work_date="date")
    at = {(t.ref.name, c.name): c for t in (staff, task, sheet) for c in t.columns}
    joins = [
        Join(at["sheet", "staff_no"], at["staff", "staff_no"], 1.0),
        Join(at["sheet", "task_id"], at["task", "task_id"], 1.0),
        Join(at["task", "lead_no"], at["staff", "staff_no"], 1.0),
    ]
    assert_refused(
        Reader(Context.of(tables=[staff, task, sheet], joins=joins)),
        "Which developers work on more than one task?",
    )


def test_lengths_in_a_column_called_as_their_unit() -> None:
    lesson = table(
        "lesson",
        20,
        lesson_id="int4 key",
        title="text key",
        minutes="int4",
        places="int4",
        weekday="text:Monday",
    )
    reader = Reader(Context.of(tables=[lesson], joins=[]))
    assert_read(reader, "Which lessons last longer than an hour?", ["lesson.minutes > 60"])
    assert_read(reader, "Which lessons take place on a Monday?", ["select lesson.title", "'Monday'"])
