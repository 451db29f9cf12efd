"""How far a `not` and an `or` reach among values, of which rows they are said, and so few that one may have none."""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    return reader_of(
        [
            table(
                "skipper",
                9,
                skipper_id="int4 key",
                full_name="text unique:Ada Birk,Olaf Rehn",
                grade="numeric",
            ),
            table(
                "ferry",
                30,
                ferry_id="int4 key",
                ferry_name="text unique",
                skipper_id="int4 *7 null",
                dock="text:Ost,Nord",
                heated="bool",
                cabins="int4",
            ),
            table(
                "crossing",
                80,
                crossing_id="int4 key",
                ferry_id="int4 *22",
                departed_at="timestamp",
                toll="numeric",
                outcome="text:failed,smooth",
            ),
            table("patient", 50, patient_id="int4 key", name="text unique:Mara Voss,Jon Bek"),
            table(
                "dose",
                200,
                dose_id="int4 key",
                patient_id="int4 *40",
                drug="text:Aspirin,Ibuprofen,Codein",
                given_on="date",
                amount="numeric",
            ),
        ],
        "ferry.skipper_id skipper.skipper_id",
        "crossing.ferry_id ferry.ferry_id",
        "dose.patient_id patient.patient_id",
    )


GIVEN = "exists (select from dose where dose.patient_id = patient.patient_id and dose.drug"
MADE = "(select count(*) from crossing where crossing.ferry_id = ferry.ferry_id"


@pytest.mark.parametrize(
    ("question", "test"),
    [
        ("patients who got neither Aspirin nor Ibuprofen", f"where not {GIVEN} in ('Aspirin', 'Ibuprofen'))"),
        ("how many patients got neither Aspirin nor Codein?", f"where not {GIVEN} in ('Aspirin', 'Codein'))"),
        ("patients not on Aspirin", f"where not {GIVEN} = 'Aspirin')"),
        (
            "patients who got Aspirin but neither Ibuprofen nor Codein",
            f"where {GIVEN} = 'Aspirin') and not {GIVEN} in ('Ibuprofen', 'Codein'))",
        ),
        # with the rows named such a row is asked for, and a row has one value
        ("patients who got doses other than Aspirin", "where dose.drug <> 'Aspirin'"),
        ("doses that are neither Aspirin nor Codein", "where dose.drug not in ('Aspirin', 'Codein')"),
        # a `not` before a list is said of all of it
        ("doses that are not Aspirin or Codein", "where dose.drug not in ('Aspirin', 'Codein')"),
        (
            "doses that are not Aspirin, Codein or Ibuprofen",
            "where dose.drug not in ('Aspirin', 'Codein', 'Ibuprofen')",
        ),
        ("doses except Aspirin and Codein", "where dose.drug not in ('Aspirin', 'Codein')"),
        ("doses that are Aspirin or not Codein", "where (dose.drug = 'Aspirin' or dose.drug <> 'Codein')"),
        ("doses of Aspirin or Codein", "where dose.drug in ('Aspirin', 'Codein')"),
        ("ferries that are not at dock Ost", "where ferry.dock <> 'Ost'"),
        ("ferries that are not at dock Ost or Nord", "where ferry.dock not in ('Ost', 'Nord')"),
        ("ferries at dock Ost or at dock Nord", "where ferry.dock in ('Ost', 'Nord')"),
        (
            "patients who got Aspirin, Codein or Ibuprofen",
            "where dose.drug in ('Aspirin', 'Codein', 'Ibuprofen')",
        ),
    ],
)
def test_contraries_and_lists(reader: Reader, question: str, test: str) -> None:
    assert_read(reader, question, [test])


@pytest.mark.parametrize(
    "question",
    [
        # the `or` is between times and amounts: got one, or both?
        "patients who got Aspirin and Ibuprofen in 2020 or in 2021",
        "patients who got Aspirin and Codein with an amount above 10 or below 3",
        "patients who got neither Aspirin nor Ibuprofen in 2020",
        "doses that are not Aspirin but Codein",
        "doses that are not Aspirin and Codein",
        "ferries that are not at dock Ost or heated",
        "ferries that are not at dock Ost or at dock Nord",
        "skippers that are not at dock Ost",
    ],
)
def test_what_may_be_said_of_either_is_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


@pytest.mark.parametrize(
    ("question", "test"),
    [
        ("ferries with fewer than 3 crossings", f"from ferry where {MADE}) < 3"),
        ("ferries with at most 2 crossings", f"from ferry where {MADE}) <= 2"),
        ("ferries with less than 1 crossing", f"from ferry where {MADE}) < 1"),
        ("ferries with exactly 0 crossings", f"from ferry where {MADE}) = 0"),
        ("ferries with 2 or fewer crossings", f"from ferry where {MADE}) <= 2"),
        (
            "ferries with fewer than 3 failed crossings",
            f"from ferry where {MADE} and crossing.outcome = 'failed') < 3",
        ),
        ("heated ferries with fewer than 3 crossings", f"from ferry where ferry.heated and {MADE}) < 3"),
        ("ferries with fewer than 3 crossings in 2023", "crossing.departed_at < date '2024-01-01') < 3"),
        ("ferries with fewer than 3 crossings sorted by cabins", f"where {MADE}) < 3 order by ferry.cabins"),
        (
            "the names and docks of ferries with fewer than 3 crossings",
            f"ferry.dock from ferry where {MADE}) < 3",
        ),
        # none has more than some: the groups of the rows that are there are enough
        (
            "ferries with more than 3 crossings",
            "group by ferry.ferry_id, ferry.ferry_name having count(*) > 3",
        ),
        ("ferries with exactly 2 crossings", "group by ferry.ferry_id, ferry.ferry_name having count(*) = 2"),
        ("which docks have fewer than 3 ferries?", "group by ferry.dock having count(*) < 3"),
        # so many rows with a flag, not so many flags
        (
            "which docks have more than 3 heated ferries?",
            "where ferry.heated group by ferry.dock having count(*) > 3",
        ),
        ("which docks have fewer than 3 heated ferries?", "having count(*) filter (where ferry.heated) < 3"),
        (
            "skippers with more than 2 heated ferries",
            "where ferry.heated group by skipper.skipper_id, skipper.full_name",
        ),
        (
            "skippers with fewer than 2 heated ferries",
            "(select count(*) from ferry where ferry.skipper_id = skipper.skipper_id and ferry.heated) < 2",
        ),
    ],
)
def test_so_few_that_none_is_among_them(reader: Reader, question: str, test: str) -> None:
    assert_read(reader, question, [test])


@pytest.mark.parametrize(
    "question",
    [
        "ferries with fewer than 3 outcomes",
        "ferries with fewer than 3 crossings sorted by number of crossings",
    ],
)
def test_a_list_without_those_of_none_is_not_sure(reader: Reader, question: str) -> None:
    assert_refused(reader, question)
