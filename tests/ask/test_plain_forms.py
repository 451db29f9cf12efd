"""Forms of questions as annotators word them: names of tables that are also verbs, times that rank rows, what is most
common, shares of a place, money that was paid.

A chain of language schools; names and questions made up.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    branch = table(
        "branch", 10, branch_id="int4 key", city="text unique", region="text *3:North,South", out_of_service="bool *2",
        landlord="text *4 null",
    )  # fmt: skip
    tutor = table(
        "tutor", 50, tutor_id="int4 key", first_name="text *20", last_name="text *30", branch_id="int4 *10",
        level="text *3:junior,senior", born="date *50",
    )  # fmt: skip
    show = table("show", 30, show_id="int4 key", title="text unique", tutor_id="int4 *20", minutes="int4 *9")
    ticket = table(
        "ticket", 400, ticket_id="int4 key", show_id="int4 *25", pupil_id="int4 *90", commission="numeric *90",
        state="text *3:refused,taken", amount="numeric *80",
    )  # fmt: skip
    pupil = table("pupil", 100, pupil_id="int4 key", pupil_name="text *80", phase="text *3:intro,work,exam")
    outing = table(
        "outing", 80, outing_id="int4 key", tutor_id="int4 *30", departed="date *70", returned="date *70 null", haze_ppm="numeric *60 null"
    )  # fmt: skip
    return reader_of(
        [branch, tutor, show, ticket, pupil, outing],
        "tutor.branch_id branch.branch_id", "show.tutor_id tutor.tutor_id", "ticket.show_id show.show_id",
        "ticket.pupil_id pupil.pupil_id", "outing.tutor_id tutor.tutor_id",
    )  # fmt: skip


def test_a_table_called_like_a_verb(reader: Reader) -> None:
    assert_read(
        reader,
        "Find the title of the show with the most tickets.",
        ["group by show.show_id", "count(*) desc"],
    )


def test_a_verb_that_a_value_elsewhere_is_called_like(reader: Reader) -> None:
    assert_read(
        reader, "How many junior tutors work in the North?",
        ["tutor.level = 'junior'", "branch.region = 'North'"], without="phase",
    )  # fmt: skip


def test_rows_known_by_the_one_place_of_each(reader: Reader) -> None:
    assert_read(
        reader, "Which branches are out of service?", ["select branch.city", "where branch.out_of_service"]
    )


def test_the_longest_time_and_what_took_long(reader: Reader) -> None:
    assert_read(reader, "What is the shortest outing?", ["order by (outing.returned - outing.departed) asc"])
    assert_read(
        reader, "Which tutor had the longest outing?", ["max((outing.returned - outing.departed)) desc"]
    )
    assert_read(reader, "Which show is the longest?", ["show.minutes desc"])


def test_no_value_is_not_the_most_common(reader: Reader) -> None:
    assert_read(reader, "Which landlord has the most branches?", ["branch.landlord is not null"])
    assert_read(
        reader,
        "How many branches does each landlord have?",
        ["group by branch.landlord"],
        without="is not null",
    )


def test_the_most_common_of_rows_is_counted_by_what_refers_to_them(reader: Reader) -> None:
    assert_read(reader, "What is the most popular show?", ["from public.ticket", "count(*) desc"])
    assert_refused(reader, "What is the most popular tutor?")


def test_a_surname_names_no_row_by_itself(reader: Reader) -> None:
    assert_read(reader, "What is the most common last name of tutors?", ["group by tutor.last_name"])


def test_names_that_several_rows_share(reader: Reader) -> None:
    assert_read(
        reader,
        "Show the names of pupils and their number of tickets",
        ["group by pupil.pupil_id, pupil.pupil_name"],
    )


def test_a_share_of_those_in_a_place(reader: Reader) -> None:
    assert_read(
        reader,
        "What is the percentage of senior tutors in the North?",
        ["filter (where tutor.level = 'senior')", "where branch.region = 'North'"],
    )
    assert_read(
        reader,
        "What percentage of senior tutors are in the North?",
        ["filter (where branch.region = 'North')"],
    )


def test_money_that_was_paid_where_nothing_says_so(reader: Reader) -> None:
    assert_read(reader, "What is the total commission paid for each show?", ["sum(ticket.commission)"])
    assert_refused(reader, "How many tickets were paid?")


def test_total_amount_of_rows_that_a_condition_tells(reader: Reader) -> None:
    assert_read(
        reader, "What is the total amount of refused tickets per show?", ["sum(ticket.amount)", "'refused'"]
    )


def test_rows_that_were_never_used(reader: Reader) -> None:
    assert_read(reader, "Which shows were never used?", ["not exists (select from ticket"])


def test_decades_and_values(reader: Reader) -> None:
    assert_read(
        reader, "How many outings per decade were there?", ["extract(decade from outing.departed) * 10"]
    )
    assert_read(reader, "What was the highest haze value?", ["max(outing.haze_ppm)"])


def test_the_place_of_the_best(reader: Reader) -> None:
    assert_read(
        reader, "Which region has the oldest tutor?", ["group by branch.region", "min(tutor.born) asc"]
    )
    assert_read(reader, "What is the second longest show?", ["show.minutes desc", "offset 1"])
