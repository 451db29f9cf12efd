"""Readings that show a part of a name, a role that nobody spoke of or another's column are refused, and near ones
are read. A printing house with its presses and orders; names and questions made up.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader, Reading
from tests.ask.readings import THRESHOLD, assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    tables = [
        table("town", 20, town_code="text key:A1,B2", town_name="text unique:Arden,Brook"),
        table("hall", 9, hall_id="int4 key", hall_name="text unique:Northern,Southern", kind="text *3:brick,steel"),
        table("press", 30, press_id="int4 key", press_name="text unique:Falcon,Heron", hall_id="int4 *9", maker_type="text *4",
              ink_tonnes="numeric *20", width_m="numeric *20", mentor_id="int4 *9", colour_name="text *5"),
        table("mechanic", 25, mechanic_id="int4 key", mechanic_name="text unique:Ida Holt,Per Lund", licence="text *4:A,B"),
        table("job", 400, job_id="int4 key", press_id="int4 *30", due_on="date *200", approved_by_id="int4 *25",
              from_town="text *20", cost="numeric *90", main_inspector_id="int4 *25"),
        table("reader", 50, reader_id="int4 key", reader_name="text unique:Ann,Bo", last_name="text *40", town_code="text *20"),
        table("letter", 90, letter_id="int4 key", job_id="int4 *80", reader_id="int4 *50", sent_on="date *80"),
        table("lease", 70, lease_id="int4 key", press_id="int4 *30", end_on="date *60", price="numeric *60"),
        table("tag", 9, tag_code="text key:T1,T2", colour="text *4:red,blue"),
    ]  # fmt: skip
    keys = (
        "press.hall_id hall.hall_id", "job.press_id press.press_id", "job.approved_by_id mechanic.mechanic_id",
        "job.from_town town.town_code", "letter.job_id job.job_id", "letter.reader_id reader.reader_id",
        "reader.town_code town.town_code", "lease.press_id press.press_id",
    )  # fmt: skip
    return reader_of(tables, *keys)


@pytest.mark.parametrize(
    ("refused", "read", "parts"),
    [
        # the maker's type is not the maker
        ("How many different makers are there?", "How many different maker types are there?", ["maker_type)"]),
        ("List the press name and the maker.", "List the press name and the colour.", ["press.colour_name"]),
        # a unit measures whatever is told in it
        ("What is the total weight of the presses?", "What is the total ink of the presses?", ["sum(press.ink_tonnes)"]),
        # a code is no name
        ("What are the names of the tags?", "What are the names of the towns?", ["town.town_name"]),
        # where jobs come from is not where they go to
        ("How many jobs went to Arden?", "How many jobs went from Arden?", ["town.town_name = 'Arden'"]),
        # a due date is not when they were made
        ("How many jobs were made in 2023?", "How many jobs were due in 2023?", ["job.due_on >="]),
        # who approved a job did not print it
        ("How many jobs did each mechanic print?", "How many jobs did each mechanic approve?", ["job.approved_by_id"]),
        ("mechanics who handled a job", "mechanics who approved a job", ["job.approved_by_id"]),
        # a job has many readers, whose last name is not its own
        ("List the cost and last name of the jobs.", "List the cost and town name of the jobs.", ["town.town_name"]),
        # a list of all licences has read nothing of what is shared
        ("Show the licences shared by mechanics.", "Show the licences of mechanics.", ["select mechanic.licence from"]),
        # what is said of the presses stands before them
        ("What is the number of jobs on rattling presses?", "What is the number of jobs on presses?", ["count(*)"]),
        # what was never done is all that is asked
        ("readers who never framed a letter", "readers who framed a letter", ["join public.letter"]),
        # each press has many jobs
        ("What have the jobs cost at each hall?", "What is the total cost of jobs at each hall?", ["sum(job.cost)"]),
        # of what kind is a column, or nothing to group by
        ("For each kind of press, how many jobs are there?", "How many jobs are there for each hall kind?", ["hall.kind"]),
        # a word that is lost behind `per`
        ("What is the average cost per make for jobs?", "What is the average cost per press for jobs?", ["avg(job.cost)"]),
        # money that nobody records
        ("How much money did letters bring in?", "How much money did leases bring in?", ["sum(lease.price)"]),
    ],
)  # fmt: skip
def test_what_is_said_in_part(reader: Reader, refused: str, read: str, parts: list[str]) -> None:
    assert_read(reader, read, parts)
    assert_refused(reader, refused)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        # what is over may be asked for by another word
        ("Which leases expire in 2030?", ["lease.end_on >= date '2030-01-01'"]),
        # of which hall it is is said by its name: what follows is said of the presses
        (
            "presses in the Northern hall without a lease",
            ["exists (select from lease where lease.press_id = press.press_id)"],
        ),
        ("How wide is the widest press of each hall?", ["max(press.width_m)"]),
        ("In which hall is the number of presses highest?", ["order by count(*) desc"]),
        ("What does a job cost on average?", ["avg(job.cost)"]),
    ],
)
def test_near_forms_are_read(reader: Reader, question: str, parts: list[str]) -> None:
    assert_read(reader, question, parts)


def test_a_role_that_the_question_before_spoke_of(reader: Reader) -> None:
    first = assert_read(reader, "How many jobs did Ida Holt approve?", ["'Ida Holt'"])
    again = reader.read("and Per Lund?", previous=first)
    assert isinstance(again, Reading)
    assert again.confidence >= THRESHOLD
    assert "'Per Lund'" in again.sql


def test_whom_a_hint_defines_is_shown(reader: Reader) -> None:
    hint = "licensed engineer refers to licence = 'A'"
    found = reader.read("Which licensed engineers have approved jobs?", evidence=hint)
    assert not isinstance(found, Reading) or found.confidence < THRESHOLD, found.sql
    # with their own noun they are known
    hint = "licensed mechanic refers to licence = 'A'"
    found = reader.read("Which licensed mechanics have approved jobs?", evidence=hint)
    assert isinstance(found, Reading)
    assert found.confidence >= THRESHOLD
    assert found.sql.startswith("select mechanic.mechanic_name from")
