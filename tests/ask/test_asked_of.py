"""Of what something is asked, said before or after it; how much, who, and what verbs say of columns; one of
two conditions; products of a row. A furniture workshop of a town: names and data made up.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    tables = [
        table(
            "hall", 4, hall_id="int4 key", hall_name="text:Elm Hall,Ash Hall", quarter="text:east,west",
            opened_year="int4 *4", floor="int4 *3",
        ),
        table(
            "teacher", 15, teacher_id="int4 key", full_name="text", wage="numeric", hall_id="int4 *4",
            trained_by_id="int4 *6 null",
        ),
        table("kind", 5, kind_code="text key", kind_name="text unique:stool,bench,shelf"),
        table(
            "piece", 90, piece_id="int4 key", piece_name="text unique:Oak Stool,Red Bench", kind_code="text *5",
            teacher_id="int4 *15", price="numeric *40", weight_kg="numeric", polished_seconds="int4 *60",
        ),
        table("learner", 60, learner_id="int4 key", name="text", birth_date="date *60", hall_id="int4 *4"),
        table(
            "attempt", 200, learner_id="int4 *60", piece_id="int4 *90", year="int4 *4", marks="int4 *50",
        ),
        table(
            "order", 120, order_id="int4 key", piece_id="int4 *90", ordered_on="date *99", paid_on="date *50 null",
            quantity="int4 *9", unit_price="numeric *30", state="text:open,shipped,void", buyer="text *12",
        ),
        table("fine", 30, fine_id="int4 key", learner_id="int4 *20", fined_on="date *30", amount="numeric"),
        table("rating", 70, rating_id="int4 key", piece_id="int4 *40", stars="int4 *5"),
        table("grant", 20, grant_id="int4 key", donor="text *6:Abel,Mora", spend_eur="numeric", given_on="date *20"),
    ]  # fmt: skip
    keys = (
        "teacher.hall_id hall.hall_id", "teacher.trained_by_id teacher.teacher_id", "piece.kind_code kind.kind_code",
        "piece.teacher_id teacher.teacher_id", "learner.hall_id hall.hall_id", "attempt.learner_id learner.learner_id",
        "attempt.piece_id piece.piece_id", "order.piece_id piece.piece_id", "fine.learner_id learner.learner_id",
        "rating.piece_id piece.piece_id",
    )  # fmt: skip
    return reader_of(tables, *keys)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("For each quarter, how many halls does it have?", ["hall.quarter, count(*)", "group by hall.quarter"]),
        ("Among the halls in the east quarter, how many were opened after 1990?", ["'east'", "opened_year >= 1991"]),
        ("Name the three pieces with the highest price.", ["piece.piece_name", "order by piece.price desc", "limit 3"]),
        ("Which quarter is the most common among halls?", ["group by hall.quarter", "order by count(*) desc"]),
        ("Count the number of learners.", ["count(*) from public.learner"]),
        ("How many more open than void orders are there?", ["'open') - count(*) filter (where", "'void')"]),
        (
            "What is the difference between the number of open orders and the number of void orders?",
            ["count(*) filter (where", "'open') - count(*) filter (where", "'void')"],
        ),
        ("Which pieces cost less than 20 or more than 90?", ["(piece.price < 20 or piece.price > 90)"]),
        ("Which halls were opened before 1950 or after 2000?", ["(hall.opened_year <= 1949 or hall.opened_year >= 2001)"]),
        ("How much have learners been fined?", ["sum(fine.amount)"]),
        ("How much has each learner been fined?", ["sum(fine.amount)", "group by learner.learner_id"]),
        ("Which donor spent at least 500 in total?", ['group by "grant".donor', 'sum("grant".spend_eur) >= 500']),
        ("In which year were the most halls opened?", ["hall.opened_year", "group by hall.opened_year"]),
        ("How many teachers were trained by another teacher?", ["teacher.trained_by_id is not null"]),
        ("Who taught Oak Stool?", ["teacher.full_name", "'Oak Stool'"]),
        ("How many halls are on the second floor?", ["hall.floor = 2"]),
        ("List the names of all shelf.", ["piece.piece_name", "kind.kind_name = 'shelf'"]),
        ("What is the total of quantity times unit price?", ['sum(("order".quantity * "order".unit_price))']),
        ("What is the total polishing time in minutes?", ["sum(piece.polished_seconds) / 60"]),
        ("What is the average rating of each piece?", ["avg(rating.stars)"]),
        ("Which pieces have an average rating above 3 stars?", ["having avg(rating.stars) > 3"]),
        (
            "Which pieces have more than 3 ratings, and how many orders does each have?",
            ["select piece.piece_name, (select count(*)", "> 3"],
        ),
        ("How many learners attempted Oak Stool in 2022?", ["attempt.year = 2022", "'Oak Stool'"]),
        ("Which learners have made more than 3 pieces?", ["join public.attempt", "> 3"]),
        ("How many orders were made in 2022?", ["\"order\".ordered_on >= date '2022-01-01'"]),
        ("What is the average price of each kind, sorted by price?", ["order by avg(piece.price) asc"]),
    ],
)  # fmt: skip
def test_of_what_is_asked(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


@pytest.mark.parametrize(
    "question",
    [
        "Who repaired Oak Stool?",  # nobody is known to repair
        "Which donors spent more than 500?",  # in one grant, or in all
        "How much did each learner enjoy?",
        "Which learners have both attempted and enjoyed?",
        "What is the percentage of void orders for Oak Stool?",  # of which whole
        "How many halls are on the tenth floor?",
    ],
)
def test_what_stays_unclear(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("How many 4 star ratings are there?", "where rating.stars = 4"),
        ("Which piece has the highest average rating?", "order by avg(rating.stars) desc"),
        ("Which piece was ordered the most?", "order by count(*) desc"),
        ("List pieces with a price lower than that of Oak Stool.", "piece.price < (select piece.price"),
    ],
)
def test_measures_beside_their_nouns(reader: Reader, question: str, part: str) -> None:
    assert_read(reader, question, [part])
