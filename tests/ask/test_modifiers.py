"""Instructions about the answer: rounding, percentages, missing values, empty groups, orders; none is left unread.

Over a schema of its own (a potter's market), so that no word of another set helps.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader
from rewright.ask.reading.modifiers import Modifiers, modifiers
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    potter = table("potter", 12, potter_id="int4 key", name="text", village="text:Aske,Brun", retired="bool")
    vase = table(
        "vase", 60, vase_id="int4 key", potter_id="int4 *10", glaze="text:celadon,salt,raku", price="numeric",
        grams="int4", fired_on="date"
    )  # fmt: skip
    stall = table("stall", 25, stall_id="int4 key", potter_id="int4 *8", rent="numeric", opened_on="date")
    tables = [potter, vase, stall]
    return reader_of(tables, "vase.potter_id potter.potter_id", "stall.potter_id potter.potter_id")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("the average price, rounded to two decimals", Modifiers(digits=2)),
        ("the average price to 3 decimal places", Modifiers(digits=3)),
        ("the average price. Round it to the nearest whole number.", Modifiers(digits=0)),
        ("the average price. Give the answer as an integer.", Modifiers(digits=0)),
        ("the share of salt vases as a percentage", Modifiers(percent=True)),
        ("the share of salt vases, in percent with one decimal", Modifiers(digits=1, percent=True)),
        ("total price per glaze, treating missing prices as zero", Modifiers(zero=True)),
        ("vases per potter, including potters without any", Modifiers(every=True)),
        ("vases per potter. Potters without vases should show 0.", Modifiers(every=True)),
        ("the villages, no duplicates", Modifiers(once=True)),
        ("the average price rounded up to the nearest hundred", Modifiers()),
        ("vases without a price", Modifiers()),
        ("potters with no stall", Modifiers()),
    ],
)
def test_what_is_found(said: str, meant: Modifiers) -> None:
    assert modifiers(said)[1] == meant


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("average price per glaze rounded to two decimals", ["round((avg(vase.price))::numeric, 2)"]),
        ("How many vases are there per glaze, rounded to two decimals?", ["count(*)"]),
        ("What share of vases has raku glaze, as a percentage with one decimal?", ["round((100.0 * ", "numeric, 1)"]),
        ("total price per glaze, counting missing prices as 0", ["sum(coalesce(vase.price, 0))"]),
        (
            "number of vases per potter, including potters without any",
            ["(select count(*) from public.vase where vase.potter_id = potter.potter_id) from public.potter"],
        ),
        (
            "For each potter show the number of vases and the number of stalls.",
            ["(select count(*) from public.vase where", "(select count(*) from public.stall where"],
        ),
        (
            "For each potter, the total price of vases and the total rent of stalls, potters without any should show 0.",
            ["coalesce((select sum(vase.price)", "coalesce((select sum(stall.rent)"],
        ),
        ("How many vases and how many stalls are there?", ["select (select count(*) from public.vase), (select"]),
        (
            "number of vases per glaze and village, sorted by village and then by glaze descending",
            ["order by potter.village asc nulls last, vase.glaze desc nulls last"],
        ),
        (
            "Count vases by glaze. Return the glaze and the count, sorted by count descending.",
            ["group by vase.glaze order by count(*) desc"],
        ),
        ("How many vases per glaze? Give the glaze and the number, largest first.", ["order by count(*) desc"]),
        ("Which villages do potters live in? List each only once.", ["select distinct potter.village"]),
    ],
)  # fmt: skip
def test_what_is_done(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


@pytest.mark.parametrize(
    "question",
    [
        "average price per glaze rounded up to the nearest hundred",
        "average price per glaze. Return them in reverse order.",
        "average price per glaze in the order they were fired",
        "average price per glaze. Sort by vase id.",
        "average price per glaze. Show the vase id too.",
        "Count vases by glaze and village. Return the glaze and the count.",
        "number of vases and average price per glaze, highest first",
        "number of vases per glaze and village, sorted by glaze, village descending",
        "List the potters as a percentage",
        "Which vase has the highest price? Sort by grams.",
        "List the potters, ordered by price of their vases",
        "How many vases are there per potter, with missing prices as 0?",
    ],
)
def test_what_is_not_understood_is_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "number of vases per potter, excluding raku ones. Only potters with at least 3 vases, most first.",
            ["glaze <> 'raku'", "having count(*) >= 3", "order by count(*) desc"],
        ),
        (
            "Top 3 potters by total price of vases. Show name, village and price.",
            ["select potter.name, potter.village, sum(vase.price)", "order by sum(vase.price) desc", "limit 3"],
        ),
        (
            "For each village, report the number of potters and the average price of vases. Sort by name of village.",
            [],
        ),
        ("vases fired after 2020, oldest first", ["order by vase.fired_on asc"]),
        ("number of vases per village, alphabetically", ["order by potter.village asc"]),
        ("average price of vases per glaze, highest first, limited to 2", ["order by avg(vase.price) desc", "limit 2"]),
        (
            "number of vases per potter. Return potter name, vase count, ordered by count from high to low",
            ["select potter.name, count(*)", "order by count(*) desc"],
        ),
        ("vases whose price is above the average price of their glaze", ["own.glaze = vase.glaze"]),
    ],
)  # fmt: skip
def test_several_instructions_at_once(reader: Reader, question: str, parts: list[str]) -> None:
    if parts:
        assert_read(reader, question, parts)
    else:
        assert_refused(reader, question)
