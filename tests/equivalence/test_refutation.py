"""A sample of the pairs of `refutation/`: those that differ are refuted and replay, the others never are.

All of them run in `make refutation`; each differing pair has a witness in its file.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from bench.refutation import pairs
from rewright.engines.postgres.locales import LINGUISTIC
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.generator.exhaustive import all_small
from rewright.equivalence.generator.pools import Pool
from rewright.equivalence.generator.schema import ColumnShape, Key, Shape, TableShape
from rewright.equivalence.options import Options
from rewright.equivalence.refuter.replay import Outcome, Trial, decide
from rewright.equivalence.verdicts import Refuted, Tested, to_json

ALL = {pair["id"]: pair for pair in pairs()}
# one or two of each kind
QUICK = [
    "ties-1", "ties-4", "ties-22", "ties-23", "ties-40", "dates-4", "dates-28", "dates-35", "dates-43", "coll-1", "coll-2",
    "facts-1", "facts-5", "facts-11", "facts-13", "facts-16", "facts-50", "facts-52", "facts-59", "facts-113", "facts-115",
    "facts-120", "facts-121",
    "values-1", "values-2", "values-7", "values-26",
    "looks-1", "looks-4", "looks-6", "looks-9",
    "texts-1", "texts-2", "texts-3", "texts-4", "texts-5", "texts-6",
    "elements-1", "elements-2", "elements-3", "elements-4", "elements-5", "elements-6", "elements-7",
    "elements-9", "elements-10", "elements-14", "elements-15", "arms-1", "arms-2", "arms-5",
    "slips-1", "slips-2", "slips-3", "slips-4", "slips-5", "slips-6", "slips-7", "slips-8", "slips-9",
]  # fmt: skip
EQUAL = [
    "ties-53",
    "ties-70",
    "ties-80",
    "ties-82",
    "dates-59",
    "coll-46",
    "facts-10",
    "facts-19",
    "facts-122",
    "values-6",
    "texts-7",
    "elements-8",
    "meetings-16",
    "meetings-30",
    "arms-4",
    "arms-6",
    "slips-10",
    "slips-11",
]


def outcome(*values: str) -> Outcome:
    return Outcome(tuple((value,) for value in values))


def trials(*answers: tuple[str, str]) -> list[Trial]:
    return [Trial(outcome(a), outcome(b), (), ()) for a, b in answers]


@pytest.mark.parametrize(
    ("answers", "complete", "differ"),
    [
        ([("1", "1"), ("1", "1")], False, False),
        # the original has one answer, and the candidate another too
        ([("1", "1"), ("1", "2")], False, True),
        ([("1", "2"), ("1", "2")], False, True),
        # the original may give what the candidate gives
        ([("1", "2"), ("2", "2")], True, False),
        ([("1", "2"), ("2", "1")], True, False),
        # no answer in common: only when all orders were tried
        ([("1", "3"), ("2", "3")], False, False),
        ([("1", "3"), ("2", "4")], True, True),
    ],
)
def test_what_the_answers_of_all_trials_say(
    answers: list[tuple[str, str]], complete: bool, differ: bool
) -> None:
    assert (decide(trials(*answers), complete=complete) is not None) is differ


def test_the_difference_shown_needs_no_setting_if_one_without_is_there() -> None:
    made = trials(("1", "2"), ("1", "2"))
    made[0] = dataclasses.replace(made[0], switches=("enable_sort",))
    found = decide(made)
    assert found is not None
    assert found.switches == ()


def column(name: str, *, nullable: bool) -> ColumnShape:
    return ColumnShape(name, "integer", "int4", -1, "int", nullable)


def test_all_small_databases_are_made() -> None:
    columns = (column("k", nullable=False), column("v", nullable=True))
    table = TableShape("public", "t", 1, columns, (Key((0,), nulls_distinct=True),), (), (), plain=True)
    pool = Pool((), ("0", "1", "2"), ())
    bound = all_small(Shape((table,), (0,), frozenset()), [[pool, pool]], frozenset({0}), [{}], most=50)
    assert bound is not None
    assert bound.rows == 2
    assert bound.values == {"t.k": ("0", "1"), "t.v": ("0", "1", None)}
    # nothing, 6 single rows, and 3 × 3 pairs of rows with different keys
    assert len(set(bound.databases)) == len(bound.databases) == 1 + 6 + 9


@pytest.mark.parametrize("name", ALL)
def test_a_pair_says_what_it_is(name: str) -> None:
    pair = ALL[name]
    assert pair["equal"] or "witness" in pair


@pytest.mark.server
def test_extreme_values_that_a_check_lets_pass_are_tried(scratch_server: ScratchServer) -> None:
    options = Options(prover=False, databases=600)
    with Checker(
        scratch=scratch_server, options=options, schema_sql="create table t (e int check (e > 0))"
    ) as checker:
        verdict = checker.check("select e from t", "select e * 2 / 2 from t")
    assert isinstance(verdict, Tested)
    assert verdict.modulo == ("overflow",)


@pytest.fixture(scope="module")
def checked(scratch_server: ScratchServer) -> Iterator[Any]:
    checkers: dict[str, Checker] = {}

    def check(name: str) -> Any:
        pair = ALL[name]
        schema = pair["schema_sql"]
        if schema not in checkers:
            checkers[schema] = Checker(
                scratch=scratch_server, options=Options(prover=False), schema_sql=schema
            )
        return checkers[schema].check(pair["q1"], pair["q2"])

    yield check
    for checker in checkers.values():
        checker.close()


@pytest.mark.server
@pytest.mark.parametrize("name", QUICK)
def test_pairs_that_differ_are_refuted_and_replay(
    name: str, checked: Any, scratch_server: ScratchServer
) -> None:
    verdict = checked(name)
    assert isinstance(verdict, Refuted)
    pair = ALL[name]
    found = verdict.counterexample
    collation = found.environment.get("collation", "")
    assert collation in ("", *LINGUISTIC)
    database = scratch_server.create_database(locale=collation)
    schema = re.sub(r"create extension[^;]*;", "", pair["schema_sql"])
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute("set timezone = 'UTC'")
        connection.execute(schema.encode())
        for table in ("rich",) if "rich" in schema else ():
            connection.execute(f"alter table {table} disable trigger user".encode())
        for statement in found.setup:
            connection.execute(statement.encode())
        answers = [_rows(connection, pair[side], ordered=found.kind == "order") for side in ("q1", "q2")]
        connection.execute("rollback")  # of rows that violate a DEFERRABLE constraint
    scratch_server.drop_database(database)
    assert answers[0] != answers[1]


def _rows(connection: psycopg.Connection[Any], query: str, *, ordered: bool) -> object:
    """The rows as the server prints them, or the SQLSTATE."""
    result = connection.pgconn.exec_(query.encode())
    if result.status != psycopg.pq.ExecStatus.TUPLES_OK:
        return result.error_field(psycopg.pq.DiagnosticField.SQLSTATE)
    rows = [tuple(result.get_value(r, c) for c in range(result.nfields)) for r in range(result.ntuples)]
    return rows if ordered else sorted(map(repr, rows))


@pytest.mark.server
@pytest.mark.parametrize("name", EQUAL)
def test_pairs_that_hold_are_not_refuted(name: str, checked: Any) -> None:
    verdict = checked(name)
    assert isinstance(verdict, Tested)


@pytest.mark.server
def test_tested_says_how_far_it_looked(scratch_server: ScratchServer) -> None:
    schema = "create table t (id int primary key, s text, at timestamptz)"
    with Checker(
        scratch=scratch_server, options=Options(prover=False, databases=600), schema_sql=schema
    ) as checker:
        verdict = checker.check(
            "select id from t where s > 'a' and at > '2024-01-01'",
            "select id from t where at > '2024-01-01' and s > 'a'",
        )
    assert isinstance(verdict, Tested)
    coverage = to_json(verdict)["coverage"]
    assert coverage["time_zones"] == ["UTC", "America/New_York", "Asia/Kathmandu"]
    assert coverage["collations"][0] == "C"
    assert coverage["collations"][1] in LINGUISTIC
    assert coverage["bound"] >= 1
    assert set(coverage["bound_values"]) == {"t.id", "t.s", "t.at"}
    assert None in coverage["bound_values"]["t.s"]
    assert "a" in coverage["values"]["t.s"]
    assert coverage["largest"] >= 8


@pytest.mark.server
def test_a_row_that_a_generated_column_refuses_costs_no_database(scratch_server: ScratchServer) -> None:
    schema = (
        "create table t (id int primary key, x int, f float8, "
        "inverse int generated always as (100 / x) stored, whole int generated always as (f::int) stored)"
    )
    with Checker(scratch=scratch_server, options=Options(prover=False), schema_sql=schema) as checker:
        found = checker.check("select id from t where inverse > 33", "select id from t where inverse >= 33")
        assert isinstance(found, Refuted)
        same = checker.check("select id from t where whole > 3", "select id from t where whole >= 4")
        assert isinstance(same, Tested)
        assert same.coverage.databases > 2000


RICH = {
    "a generated column that NaN breaks": (
        "create table t (id int primary key, n numeric, g int generated always as (n::int) stored, v int)",
        ("select id from t where v > 1", "select id from t where v >= 1"),
    ),
    "a domain whose check fails": (
        "create domain d as numeric check (10 / value > 0); create table t (id int primary key, n d, v int)",
        ("select id from t where v > 1", "select id from t where v >= 1"),
    ),
    "a month that cuts off": (
        "create table t (id int primary key, a date, b date)",
        (
            "select id from t where a + interval '1 month' <= b",
            "select id from t where a <= b - interval '1 month'",
        ),
    ),
    "two months at once": (
        "create table t (id int primary key, d date)",
        (
            "select id, (d + interval '1 month' + interval '1 month')::date as e from t",
            "select id, (d + interval '2 months')::date as e from t",
        ),
    ),
    "ties beyond the limit": (
        "create table t (id int primary key, v int)",
        (
            "select v from t order by v fetch first 5 rows with ties",
            "select v from t order by v limit 5",
        ),
    ),
    "peers of a range": (
        "create table t (id int primary key, v int, w int)",
        (
            "select id, sum(w) over (order by v) as s from t",
            "select id, sum(w) over (order by v rows unbounded preceding) as s from t",
        ),
    ),
    "groups are no values": (
        "create table t (id int primary key, v int)",
        (
            "select id, count(*) over (order by v groups between 2 preceding and current row) as s from t",
            "select id, count(*) over (order by v range between 2 preceding and current row) as s from t",
        ),
    ),
}


@pytest.mark.server
@pytest.mark.parametrize("name", RICH)
def test_rich_schemas_and_odd_clauses(name: str, scratch_server: ScratchServer) -> None:
    schema, (original, candidate) = RICH[name]
    with Checker(scratch=scratch_server, options=Options(prover=False), schema_sql=schema) as checker:
        assert isinstance(checker.check(original, candidate), Refuted)
        assert not isinstance(checker.check(original, original), Refuted)
