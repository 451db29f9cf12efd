"""What stands in a second clause is shown, whose group it is is no group, and rates are rates.

Over a lighthouse service, a schema that shares no word with another set.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Reading
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    coast = table(
        "coast",
        6,
        coast_id="int4 key",
        coast_name="text unique:Skagen,Lofoten",
        souls="int4",
        area_km2="numeric",
    )
    keeper = table(
        "keeper", 20, keeper_id="int4 key", full_name="text unique:Ute Rahn,Bo Falk", coast_id="int4 *6", land="text:Norway,Faroes",
        born_on="date", wage="numeric",
    )  # fmt: skip
    tower = table(
        "tower", 40, tower_id="int4 key", tower_name="text unique:Stor Fyr,Lille Fyr", coast_id="int4 *6", land="text:Norway,Faroes",
        mended_by_id="int4 *20", height_m="numeric", lamp="text:oil,gas", ruined="bool",
    )  # fmt: skip
    signal = table(
        "signal", 900, signal_id="int4 key", tower_id="int4 *40", keeper_id="int4 *20", sent_on="date", fog="bool",
        state="text:booked,spent,lapsed", heard="int4", lost="int4", heat_c="numeric",
    )  # fmt: skip
    return reader_of(
        [coast, keeper, tower, signal],
        "keeper.coast_id coast.coast_id",
        "tower.coast_id coast.coast_id",
        "tower.mended_by_id keeper.keeper_id",
        "signal.tower_id tower.tower_id",
        "signal.keeper_id keeper.keeper_id",
    )


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Which keepers earn more than 900, and which coast do they belong to?", "keeper.full_name, coast.coast_name from"),
        ("List the keepers and the coast they belong to.", "keeper.full_name, coast.coast_name from"),
        ("Coasts by souls per square kilometre, highest first", "coast.souls::float8 / nullif(coast.area_km2, 0) desc"),
        ("How many signals of each tower are booked and how many are spent?", "'booked'), count(*) filter (where signal.state = 'spent')"),
        ("For every lamp, give the number of towers and how many of them are ruined.", "count(*), count(*) filter (where tower.ruined)"),
        ("Which towers with oil are above 30 metres?", "tower.height_m > 30"),
        ("How many signals per coast of the keeper?", "group by coast.coast_id, coast.coast_name"),
        ("How many signals per land of the keeper?", "group by keeper.land"),
        ("Average heard of signals at heat below 10 degrees", "signal.heat_c < 10"),
        ("How many towers are there for each lamp type?", "select tower.lamp, count(*)"),
        ("How many signals were neither booked nor spent?", "signal.state not in ('booked', 'spent')"),
        ("How many signals were sent per year, and the running total?", "count(*), sum(count(*)) over"),
        ("Running total of the number of signals per year", "extract(year from signal.sent_on), sum(count(*)) over"),
        ("Number of signals per land of the keeper and month in 2024", "date_trunc('month', signal.sent_on), count(*)"),
    ],
)  # fmt: skip
def test_what_is_read(reader: Reader, question: str, part: str) -> None:
    assert_read(reader, question, [part])


@pytest.mark.parametrize(
    ("question", "hint", "part"),
    [
        (
            "What is the HLR for each tower? Return the tower and HLR.",
            "HLR (heard to lost ratio) = total heard / total lost",
            "select tower.tower_name, sum(signal.heard)::float8 / nullif(sum(signal.lost), 0)",
        ),
        (
            "What is the loss rate of signals for each tower?",
            "loss rate = number of lapsed signals / number of all signals",
            "filter (where signal.state = 'lapsed')::float8 / nullif(count(*), 0)",
        ),
    ],
)
def test_rates_that_a_hint_defines(reader: Reader, question: str, hint: str, part: str) -> None:
    found = reader.read(question, evidence=hint)
    assert isinstance(found, Reading), found.why
    assert part in found.sql


@pytest.mark.parametrize(
    "question",
    [
        "How many keepers are there, and which coast has the most?",
        "Show the towers and their signals ordered by the number of signals.",
        "Which coast has the most signals per tower?",
        "List the coasts by wage per square kilometre.",
        "How many bookings are there per tower?",
    ],
)
def test_what_is_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


@pytest.fixture(scope="module")
def painted() -> Reader:
    painter = table(
        "painter", 9, painter_id="int4 key", name="text unique:Ute Rahn", land="text:Norway,Faroes"
    )
    quay = table("quay", 12, quay_id="int4 key", name="text unique:Nordkaj", land="text:Norway,Faroes")
    coat = table("coat", 90, coat_id="int4 key", painter_id="int4 *9", quay_id="int4 *12", dried_on="date")
    return reader_of([painter, quay, coat], "coat.painter_id painter.painter_id", "coat.quay_id quay.quay_id")


def test_what_is_done_somewhere_is_not_told_by_who_does_it(painted: Reader) -> None:
    assert_refused(painted, "How many coats were painted in each land?")
    assert_read(painted, "How many coats are there per land of the painter?", ["group by painter.land"])


def test_a_time_that_two_tables_of_many_rows_each_may_tell(reader: Reader) -> None:
    log = table("log", 50, log_id="int4 key", writer="text:Ute,Bo", begun_on="date")
    entry = table("entry", 300, log_id="int4 *50", lamp_id="int4 *20")
    lamp = table("lamp", 20, lamp_id="int4 key", name="text unique:Oil One", lit_on="date")
    made = reader_of([log, entry, lamp], "entry.log_id log.log_id", "entry.lamp_id lamp.lamp_id")
    assert_refused(made, "Which writers saw more than 5 lamps in 2023?")
