"""Words that a reading may not leave out, and conditions that belong elsewhere. A ferry line: names and data made up."""

from __future__ import annotations

import psycopg
import pytest

from rewright.ask.context_reading import read_context
from rewright.ask.reading.api import Reader, Reading, Refusal
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from tests.ask.readings import THRESHOLD, assert_read, assert_refused

pytestmark = pytest.mark.server

SCHEMA = """
create table port (port_id int primary key, port_name text not null unique);
insert into port values (1, 'Bergen'), (2, 'Kiel'), (3, 'Turku');
create table ferry (ferry_id int primary key, ferry_name text not null unique, mate int, pilot int, price_eur numeric);
insert into ferry select i, 'Ferry ' || i, i % 3, i % 4, 900 + i from generate_series(1, 12) i;
create table crossing (crossing_id int primary key, ferry_id int not null references ferry, port_id int not null
  references port, started_on date, luggage_count int, passengers int, charge_eur numeric, state text);
comment on column crossing.state is 'C = completed, A = aborted';
insert into crossing select i, 1 + i % 12, 1 + i % 3, date '2024-01-01' + i * 5, i * 3, i * 2, 40 + i % 30,
  case when i % 4 = 0 then 'A' else 'C' end from generate_series(1, 90) i;
create table sailor (sailor_id int primary key, first_name text, last_name text);
insert into sailor select i, 'F' || i, 'L' || i % 4 from generate_series(1, 9) i;
create table repair_kind (kind_cd text primary key, descr text not null unique, hours int, pay numeric);
insert into repair_kind values ('E', 'Engine', 3, 90), ('H', 'Hull', 9, 70), ('S', 'Sails', 2, 40);
create table repair (repair_id int primary key, kind_cd text not null references repair_kind, mender_id int references
  sailor, mended_on date);
insert into repair select i, (array['E', 'H'])[1 + i % 2], nullif(i % 9, 0), date '2024-02-01' + i
  from generate_series(1, 50) i;
create table fine (fine_id int primary key, ferry_id int not null references ferry, fined_on date, amount numeric);
insert into fine select i, 1 + i % 12, date '2023-01-01' + i * 20, i * 10 from generate_series(1, 40) i;
create table guest (guest_id int primary key, guest_name text not null unique);
insert into guest select i, 'Guest ' || i from generate_series(1, 40) i;
create table booking (booking_id int primary key, guest_id int not null references guest, crossing_id int not null
  references crossing);
insert into booking select i, 1 + i % 30, 1 + i % 90 from generate_series(1, 80) i;
"""
LUGGAGE = "bags per passenger = SUM(luggage_count) / SUM(passengers)"


@pytest.fixture(scope="module")
def reader(scratch_server: ScratchServer, module_database: str) -> Reader:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        return Reader(read_context(connection, snapshot(connection)))


@pytest.mark.parametrize(
    "question",
    ["ferries where the mate is also the pilot", "ferries whose mate is the pilot", "Which are the ferries whose mate is their pilot?"],
)  # fmt: skip
def test_two_columns_that_hold_the_same(reader: Reader, question: str) -> None:
    assert_read(reader, question, ["select ferry.ferry_name", "where ferry.mate = ferry.pilot"])


def test_two_columns_that_are_asked_for(reader: Reader) -> None:
    assert_read(
        reader, "the mate and the pilot of Ferry 3", ["ferry.mate, ferry.pilot"], without="ferry.mate ="
    )


def test_a_clause_that_says_which_rows_is_not_dropped(reader: Reader) -> None:
    assert_refused(reader, "ferries where the mate and the pilot")


def test_what_only_goes_on_says_nothing_alone(reader: Reader) -> None:
    before = reader.read("How many crossings to Kiel are there?")
    assert isinstance(before, Reading)
    alone = reader.read("and to Bergen?")
    assert isinstance(alone, Refusal)
    assert "before" in alone.why
    after = reader.read("and to Bergen?", previous=before)
    assert isinstance(after, Reading)
    assert "count(*)" in after.sql
    assert "'Bergen'" in after.sql


def test_a_condition_at_the_end_is_said_of_both_sides_of_a_ratio(reader: Reader) -> None:
    found = reader.read("What are the bags per passenger for completed crossings?", evidence=LUGGAGE)
    assert isinstance(found, Reading)
    assert "filter" not in found.sql
    assert "where crossing.state = 'C'" in found.sql


def test_a_part_of_the_whole_is_counted_by_itself(reader: Reader) -> None:
    assert_read(reader, "What is the ratio of aborted crossings to crossings?",
        ["count(*) filter (where crossing.state = 'A')::float8 / nullif(count(*), 0)"])  # fmt: skip


def test_the_date_of_a_year_is_no_group_of_its_own(reader: Reader) -> None:
    assert_read(reader, "average charge by year the crossing started", ["group by extract(year from crossing.started_on)"],
        without="crossing.started_on), crossing.started_on")  # fmt: skip


def test_what_was_never_done_with_what(reader: Reader) -> None:
    assert_read(reader, "guests who have never booked a crossing", ["not exists", "booking.guest_id = guest.guest_id"],
        without=" in (select")  # fmt: skip


def test_how_often_counts_what_happened(reader: Reader) -> None:
    assert_refused(reader, "how often did the mate win")  # neither how many mates, nor their numbers added up
    assert_read(reader, "how often was a crossing aborted?", ["count(*)", "crossing.state = 'A'"])


def test_a_state_is_not_dropped(reader: Reader) -> None:
    assert_read(
        reader, "average charge of a completed crossing", ["avg(crossing.charge_eur)", "crossing.state = 'C'"]
    )


def test_a_number_of_their_own_comes_before_one_from_afar(reader: Reader) -> None:
    assert_read(reader, "crossings that cost more than 50 euros", ["crossing.charge_eur > 50"])
    found = reader.read("crossings whose price is over 50")
    assert isinstance(found, Reading)
    assert "ferry.price_eur" in found.sql
    assert found.confidence < THRESHOLD
    assert "price_eur of ferry" in found.doubts[0].about


def test_groups_are_told_by_the_names_of_what_a_key_refers_to(reader: Reader) -> None:
    assert_read(reader, "number of repairs per mender", ["sailor.first_name, sailor.last_name, count(*)",
        "group by repair.mender_id"])  # fmt: skip
    assert_read(reader, "number of repairs per mender id", ["select repair.mender_id, count(*)"])


def test_rows_with_a_code_are_told_by_what_it_means(reader: Reader) -> None:
    assert_read(reader, "repair kinds without repairs", ["select repair_kind.descr"])


def test_what_nobody_did(reader: Reader) -> None:
    assert_read(
        reader, "crossings nobody booked", ["not exists", "booking.crossing_id = crossing.crossing_id"]
    )
    assert_read(reader, "crossings that no one ever booked", ["not exists"])


def test_rows_that_are_money_are_added_up(reader: Reader) -> None:
    assert_read(reader, "total fines per year", ["sum(fine.amount)"])
    assert_read(reader, "number of fines per year", ["count(*)"])


def test_an_amount_asked_for_is_no_list_of_numbers(reader: Reader) -> None:
    assert_refused(reader, "passengers carried to Kiel")
    assert_read(reader, "total passengers to Kiel", ["sum(crossing.passengers)"])
