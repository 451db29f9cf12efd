"""By which columns people are known, and rows that only a key's comment names."""

from __future__ import annotations

import psycopg
import pytest

from rewright.ask.context_reading import read_context
from rewright.ask.reading.api import Reader, Reading
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from tests.ask.readings import assert_read, assert_refused

pytestmark = pytest.mark.server

SCHEMA = """
create table depot (depot_cd text primary key, depot_nm text not null, cap_van int);
insert into depot values ('A', 'Alder', 2), ('B', 'Birch', 3), ('C', 'Cedar', 1);
create table emp (emp_no int primary key, fnm text, lnm text, title text, depot_cd text, lead_no int, hr_dt text, seen text,
  pay numeric, best_rating int, rating int);
comment on table emp is 'employees';
comment on column emp.lead_no is 'the employee who leads this one';
comment on column emp.hr_dt is 'date hired, YYYY-MM-DD';
insert into emp select i, 'F' || i, 'L' || (i % 5), case when i % 4 = 0 then 'Dr' end,
  (array['A', 'B', 'C'])[1 + i % 3], case when i > 3 then 1 + i % 3 end,
  to_char(date '2015-01-07' + i * 97, 'YYYY-MM-DD'), case when i = 3 then 'never' else '2020-01-01' end,
  2000 + i, 60 + i, 50 + i from generate_series(1, 20) i;
create table van (van_no int primary key, plate text, driver_no int, fixer_no int, washer_no int);
comment on column van.driver_no is 'employee who drives it most';
comment on column van.fixer_no is 'employee who repairs it';
comment on column van.washer_no is 'number of the employee';
insert into van select i, 'V' || i, 4 + i % 9, 2 + i % 4, 90 + i from generate_series(1, 12) i;
create table deal (deal_id int primary key, kind text, code text, shares int);
insert into deal select i, (array['buy', 'sell', 'swap'])[1 + i % 3], 'c' || i, i from generate_series(1, 20) i;
create table loan (loan_id int primary key, van_no int, withdrawn_on date);
insert into loan select i, 1 + i % 12, case when i % 3 > 0 then date '2024-01-01' + i % 4 end
  from generate_series(1, 30) i;
"""


@pytest.fixture(scope="module")
def reader(scratch_server: ScratchServer, module_database: str) -> Reader:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        return Reader(read_context(connection, snapshot(connection)))


def test_a_comment_tells_whose_key_it_is(reader: Reader) -> None:
    found = {f"{j.many.table.name}.{j.many.name}": j.one.table.name for j in reader.context.joins}
    assert found["van.driver_no"] == "emp"
    assert found["emp.lead_no"] == "emp"
    assert "van.washer_no" not in found  # none of its values is an employee


def test_what_counts_rows_refers_to_none(reader: Reader) -> None:
    assert "depot.cap_van" not in {f"{j.many.table.name}.{j.many.name}" for j in reader.context.joins}


def test_people_are_known_by_names_no_title(reader: Reader) -> None:
    found = assert_read(reader, "employees without a lead", ["emp.fnm, emp.lnm"], without="title")
    assert "lead_no" in found.sql


def test_rows_with_a_date_are_counted_however_many_a_day(reader: Reader) -> None:
    found = reader.read("how many withdrew from each van")
    assert isinstance(found, Reading)
    assert "count(loan.withdrawn_on)" in found.sql


def test_numbers_of_others_are_no_answer(reader: Reader) -> None:
    assert_refused(reader, "fixers and the number of vans they have")


def test_days_held_as_texts_are_days(reader: Reader) -> None:
    assert_read(reader, "employees hired in 2016", ["hr_dt::date >= date '2016-01-01'"])
    assert_read(reader, "employees hired per year", ["extract(year from emp.hr_dt::date)"])


def test_a_text_among_days_makes_none_of_them_days(reader: Reader) -> None:
    told = {c.name: c for t in reader.context.tables for c in t.columns}
    assert told["hr_dt"].kind == "date"
    assert told["hr_dt"].held_type == "text"
    assert told["seen"].kind == "text"


def test_who_is_above_somebody_of_two_names(reader: Reader) -> None:
    found = assert_read(reader, "who leads F7 L2", ["fnm = 'F7' and emp.lnm = 'L2'"])
    assert "emp_no in (select emp.lead_no" in found.sql
    assert_refused(reader, "who leads L2")  # one of four


def test_theirs_is_a_row_that_they_refer_to(reader: Reader) -> None:
    assert_read(reader, "employees who earn more than their lead", ["other.emp_no = emp.lead_no"])


def test_a_rating_is_no_best_rating(reader: Reader) -> None:
    assert_read(reader, "highest rated employee", ["order by emp.rating"])


def test_a_key_is_named_before_the_value(reader: Reader) -> None:
    assert_read(reader, "employees whose depot is Birch", ["depot_nm = 'Birch'"])


def test_the_last_of_what_was_done(reader: Reader) -> None:
    assert_read(reader, "when was the last employee hired?", ["max(emp.hr_dt::date)"])


def test_where_most_of_them_are(reader: Reader) -> None:
    assert_read(reader, "in which depot do most of our employees work?", ["order by count(*) desc"])


def test_a_verb_that_is_a_value_is_not_dropped(reader: Reader) -> None:
    assert_read(reader, "total shares per kind", ["sum(deal.shares)"])
    assert_refused(reader, "total shares bought per code")


def test_no_count_of_what_each_row_has_for_itself(reader: Reader) -> None:
    assert_read(reader, "number of deals per kind", ["count(*)"])
    assert_refused(reader, "number of deals per code")


def test_one_value_makes_no_groups(reader: Reader) -> None:
    assert_refused(reader, "how many deals were swap by kind")
