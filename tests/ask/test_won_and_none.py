"""Who won and who only took part, what has none of several, what was done most and last, words that carry a
measure, and names that are run together.

A kite club; names and questions made up.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Reading
from tests.ask.readings import THRESHOLD, assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    flyer = table(
        "flyer", 60, flyer_id="int4 key", flyer_name="text *55", joined="date *50", town="text *4:Rye,Deal"
    )
    kite = table(
        "kite", 80, kite_id="int4 key", kite_name="text unique", maker_id="int4 *9", year_launched="int4 *20",
        flying_time="int4 *30", span_cm="int4 *40", acctbal="numeric *70", kitepriority="text *3:low,high",
    )  # fmt: skip
    maker = table("maker", 9, maker_id="int4 key", maker_name="text unique", founded="int4 *8")
    duel = table(
        "duel", 200, duel_id="int4 key", kite_id="int4 *70", dueled_on="date *150", winner_id="int4 *40 null",
        gust="numeric *90", place="text *3:beach,field",
    )  # fmt: skip
    permit = table(
        "permit", 50, permit_id="int4 key", flyer_id="int4 unique", sort="text *3:bronze,silver,golden",
    )  # fmt: skip
    repair = table(
        "repair",
        120,
        repair_id="int4 key",
        kite_id="int4 *60",
        repaired_on="date *99",
        part="text *4:tail,spar",
    )
    return reader_of(
        [flyer, kite, maker, duel, permit, repair],
        "kite.maker_id maker.maker_id", "duel.kite_id kite.kite_id", "duel.winner_id flyer.flyer_id",
        "permit.flyer_id flyer.flyer_id", "repair.kite_id kite.kite_id",
    )  # fmt: skip


def test_a_key_of_winners_says_who_won(reader: Reader) -> None:
    assert_read(
        reader,
        "Which flyer won the most duels?",
        ["duel.winner_id = flyer.flyer_id", "order by count(*) desc"],
    )


def test_who_won_is_not_all_who_took_part(reader: Reader) -> None:
    assert_refused(reader, "Which flyers have never had a duel?")


@pytest.mark.parametrize(
    "question",
    [
        "Which flyers have no golden or silver permit?",
        "Which flyers have neither a golden nor a silver permit?",
        "List the flyers without a golden or silver permit.",
    ],
)
def test_who_has_none_of_two_may_have_no_row_at_all(reader: Reader, question: str) -> None:
    found = assert_read(reader, question, ["where not exists (select from permit where"])
    assert "'golden'" in found.sql
    assert "'silver'" in found.sql
    assert " join " not in found.sql


def test_what_was_not_done_to_either(reader: Reader) -> None:
    assert_read(
        reader,
        "Which kites had no repair of the tail or spar?",
        ["not exists (select from repair", "in ('spar', 'tail')"],
    )


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Which kite was repaired the most in 2023?", ["from public.repair", "repair.repaired_on >= date '2023-01-01'"]),
        ("Which flyer joined most recently?", ["order by flyer.joined desc"]),
        ("Which maker was founded first?", ["order by maker.founded asc"]),
        ("In which year were the most kites launched?", ["select kite.year_launched", "group by kite.year_launched"]),
        ("What is the highest level of gust?", ["max(duel.gust)"]),
        ("What are the shortest and the longest flying time of the kites?", ["min(kite.flying_time), max(kite.flying_time)"]),
        ("How many kites are there for each kite priority?", ["group by kite.kitepriority"]),
        ("What is the highest account balance of the kites?", ["max(kite.acctbal)"]),
        ("Which golden permit is the oldest?", None),
    ],
)  # fmt: skip
def test_forms(reader: Reader, question: str, parts: list[str] | None) -> None:
    if parts is None:
        assert_refused(reader, question)
    else:
        assert_read(reader, question, parts)


def test_a_value_may_say_which_rows_are_ranked(reader: Reader) -> None:
    animal = table(
        "animal",
        30,
        animal_id="int4 key",
        name="text unique",
        species="text *4:lion,otter",
        weight_kg="int4 *20",
    )
    assert_read(
        reader_of([animal]), "Which lion is the heaviest?",
        ["select animal.name", "animal.species = 'lion'", "order by animal.weight_kg desc"],
    )  # fmt: skip


def test_a_column_before_its_term_is_the_terms_own(reader: Reader) -> None:
    found = reader.read(
        "How many duels took place at the seaside?", evidence="the seaside refers to place = 'beach'"
    )
    assert isinstance(found, Reading)
    assert found.confidence >= THRESHOLD
    assert found.sql.endswith("where duel.place = 'beach'")
