"""Ways between tables that a verb's rows join, dates of what is compared, rows that are called by a quoted name, and
superlatives in the names of columns.

A bakers' exchange and a lab; names and questions made up.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Reading
from tests.ask.readings import THRESHOLD, assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    baker = table(
        "baker", 60, baker_id="int4 key", baker_name="text unique", land="text *5:Chile,Norway", hired_on="date *50",
        birthday="date *55", favorite_bread_id="int4 *30", wage="int4 *40 null",
    )  # fmt: skip
    bread = table(
        "bread", 80, bread_id="int4 key", title="text unique", crumb="int4 *30", fastest_rise="text *70"
    )
    rating = table("rating", 300, baker_id="int4 *60", bread_id="int4 *80", stars="int4 *10")
    sample = table("sample", 500, baker_id="int4 *60", taken="date *300", X7="numeric *90")
    delivery = table(
        "delivery", 200, delivery_id="int4 key", baker_id="int4 *50", land="text *5:Chile,Norway"
    )
    return reader_of(
        [baker, bread, rating, sample, delivery],
        "baker.favorite_bread_id bread.bread_id", "rating.baker_id baker.baker_id", "rating.bread_id bread.bread_id",
        "sample.baker_id baker.baker_id", "delivery.baker_id baker.baker_id",
    )  # fmt: skip


def test_rows_of_a_verb_join_what_it_relates(reader: Reader) -> None:
    found = assert_read(
        reader,
        "Which bakers rated a bread with more than 5 stars?",
        ["rating.bread_id = bread.bread_id", "rating.baker_id = baker.baker_id"],
    )
    assert "favorite_bread_id" not in found.sql


def test_a_time_behind_a_comparison_is_its_rows(reader: Reader) -> None:
    found = reader.read(
        "List the bakers whose acidity was above 6.5 in 1992.", evidence="acidity refers to X7"
    )
    assert isinstance(found, Reading)
    assert found.confidence >= THRESHOLD
    assert "sample.taken >= date '1992-01-01'" in found.sql
    assert "birthday" not in found.sql


def test_without_a_hint_what_is_compared_far_away_is_doubted(reader: Reader) -> None:
    assert_refused(reader, "List the bakers whose X7 was above 6.5 in 1992.")


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What is the crumb of the bread titled 'Old Rye'?", ["bread.crumb", "bread.title = 'Old Rye'"]),
        ("Who is the most recently hired baker?", ["order by baker.hired_on desc"]),
        ("List the bakers with no known wage.", ["baker.wage is null"]),
        (
            "Which bakers live in Chile and have more than 3 deliveries?",
            ["baker.land = 'Chile'", "having count(*) > 3"],
        ),
    ],
)
def test_forms(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


def test_the_best_in_a_columns_name_is_not_the_best_of_them(reader: Reader) -> None:
    assert_refused(reader, "Who has the fastest rise?")


def test_a_number_is_no_name(reader: Reader) -> None:
    assert_refused(reader, "What is the name of the delivery of Chile?")
    assert_refused(reader, "What is the name of the latest delivery?")
    assert_read(reader, "What is the name of the baker with the highest wage?", ["select baker.baker_name"])


def test_a_thing_is_not_sold_where_its_maker_is() -> None:
    mill = table("mill", 9, mill_id="int4 key", mill_name="text unique", town="text *5:Lund,Bonn")
    flour = table("flour", 40, flour_id="int4 key", flour_name="text unique", mill_id="int4 *9")
    order = table("order", 90, order_id="int4 key", mill_id="int4 *9", ordered_on="date *80")
    reader = reader_of([mill, flour, order], "flour.mill_id mill.mill_id", "order.mill_id mill.mill_id")
    assert_refused(reader, "How many flours were sold in Lund?")
    # an order is something that happens there
    assert_read(reader, "How many orders were made in Lund?", ["mill.town = 'Lund'"])
