"""The unseen queries: each can be planned on its schema, and a report of the kept part names none of them."""

from __future__ import annotations

import json
from collections import Counter

import psycopg
import pytest

from bench.rewriting import Plan, Result
from bench.unseen import Measured, report, shown, totals
from bench.unseen_data import (
    EIGHTH_QUERIES,
    EIGHTH_SCHEMAS,
    FIFTH_QUERIES,
    FIFTH_SCHEMAS,
    FILES,
    FOURTH_QUERIES,
    FOURTH_SCHEMAS,
    MORE_ORMS,
    MORE_QUERIES,
    MORE_SCHEMAS,
    NINTH_QUERIES,
    ORMS,
    SCHEMAS,
    SETS,
    SEVENTH_QUERIES,
    SEVENTH_SCHEMAS,
    SIXTH_QUERIES,
    SIXTH_SCHEMAS,
    THIRD_QUERIES,
    THIRD_SCHEMAS,
    UnseenQuery,
    unseen_queries,
)
from bench.warehouse import SCHEMAS as TPCH_DDL
from rewright.engines.postgres.scratch import ScratchServer

QUERIES = unseen_queries()
PRINTED = unseen_queries(MORE_ORMS)
MORE = unseen_queries(MORE_QUERIES)
THIRD = unseen_queries(THIRD_QUERIES)
FOURTH = unseen_queries(FOURTH_QUERIES)
FIFTH = unseen_queries(FIFTH_QUERIES)
SIXTH = unseen_queries(SIXTH_QUERIES)
SEVENTH = unseen_queries(SEVENTH_QUERIES)
EIGHTH = unseen_queries(EIGHTH_QUERIES)
NINTH = unseen_queries(NINTH_QUERIES)


def measured(name: str, before: float, after: float, hand: float | None, counts_as: str | None) -> Measured:
    query = UnseenQuery(name, "shop", "orm", f"select {name}", "select 1", "")
    text = None if counts_as is None else f"select {name} faster"
    result = Result(name, before, after, before, after, counts_as=counts_as, rewritten=text)
    result.raw = {"before": [before, before], "after": [after]}
    return Measured(query, result, hand)


def named(part: str) -> str:
    return next(q.id for q in QUERIES if q.part == part)


def test_there_are_enough_of_each_schema_and_kind_under_names_of_their_own() -> None:
    assert len({q.id for q in QUERIES}) == len(QUERIES)
    assert sum(q.hand is not None for q in QUERIES) >= 100
    assert set(Counter(q.schema for q in QUERIES)) == set(SCHEMAS)
    assert set(Counter(q.kind for q in QUERIES)) == {"analyst", "model", "orm", "report"}


def test_each_orm_has_queries() -> None:
    assert len({q.id for q in PRINTED}) == len(PRINTED)
    assert {q.orm for q in (*QUERIES, *PRINTED)} == {"", *ORMS.values()}


def test_the_later_queries_have_names_of_their_own_and_rewrites_by_hand() -> None:
    sets = (QUERIES, MORE, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, EIGHTH, NINTH)
    assert len({q.id for queries in sets for q in queries}) == sum(map(len, sets))
    assert sum(q.hand is not None for q in MORE) >= 40
    assert {q.schema for q in MORE} == set(MORE_SCHEMAS)
    assert sum(q.hand is not None for q in THIRD) >= 30
    assert {q.schema for q in THIRD} == set(THIRD_SCHEMAS)
    assert all(q.hand is not None for q in FOURTH)
    assert {q.schema for q in FOURTH} == set(FOURTH_SCHEMAS)
    assert all((q.hand is None) == (q.kind == "control") for q in FIFTH)
    assert {q.schema for q in FIFTH} == set(FIFTH_SCHEMAS)
    assert all(q.hand is not None and q.part == "open" for q in SIXTH)
    assert {q.schema for q in SIXTH} == set(SIXTH_SCHEMAS)
    assert sum(q.hand is not None for q in SEVENTH) >= 20
    assert all(q.part == "open" for q in SEVENTH)
    assert {q.schema for q in SEVENTH} == set(SEVENTH_SCHEMAS)
    assert [q.part for q in EIGHTH] == ["open", "open", "kept"] * 10
    assert {q.schema for q in EIGHTH} == set(EIGHTH_SCHEMAS)
    assert [q.part for q in NINTH] == ["open", "open", "kept"] * 8
    assert all(q.hand is not None and q.schema == "transit" for q in NINTH)


def test_every_set_has_names_of_its_own_and_reads_its_schemas() -> None:
    sets = [unseen_queries(made.file) for made in SETS.values()]
    assert len({q.id for queries in sets for q in queries}) == sum(map(len, sets))
    for made, queries in zip(SETS.values(), sets, strict=True):
        assert {q.schema for q in queries} == set(made.schemas), made.about


def test_a_query_that_says_its_orm_and_part_is_believed() -> None:
    assert UnseenQuery("dj-a", "tpch", "orm", "", None, "", "Hibernate").orm == "Hibernate"
    assert UnseenQuery("dj-a", "tpch", "orm", "", None, "").orm == "Django"
    assert [UnseenQuery("dj-a", "tpch", "orm", "", None, "", "", k).part for k in (True, False)] == [
        "kept",
        "open",
    ]


@pytest.mark.parametrize(
    "queries",
    [QUERIES, MORE, THIRD, FOURTH, FIFTH],
    ids=["first", "more", "third", "fourth", "fifth"],
)
def test_about_a_third_is_kept(queries: list[UnseenQuery]) -> None:
    assert 0.25 <= sum(q.part == "kept" for q in queries) / len(queries) <= 0.42


def columns(connection: psycopg.Connection[tuple[object, ...]], text: str) -> int:
    return len(connection.execute(f"select * from ({text}) q limit 0".encode()).description or ())


def ddl(schema: str) -> str:
    """The schema, filled where it fills itself: TPC-H's rows come from its generator, and no plan needs them."""
    if schema == "tpch":
        return (TPCH_DDL / "tpch.sql").read_text() + (FILES / "tpch_indexes.sql").read_text()
    return (FILES / f"{schema}.sql").read_text().replace(":scale", "0.002")


@pytest.mark.server
@pytest.mark.parametrize(
    "schema",
    [
        *SCHEMAS,
        *MORE_SCHEMAS,
        *THIRD_SCHEMAS,
        *FOURTH_SCHEMAS,
        *FIFTH_SCHEMAS,
        *SIXTH_SCHEMAS,
        *SEVENTH_SCHEMAS,
        *EIGHTH_SCHEMAS,
    ],
)
def test_queries_and_rewrites_by_hand_have_plans_with_the_same_columns(
    scratch_server: ScratchServer, schema: str
) -> None:
    dsn = scratch_server.dsn(scratch_server.create_database(f"unseen_{schema}"))
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(ddl(schema).encode())
        sets = (*QUERIES, *PRINTED, *MORE, *THIRD, *FOURTH, *FIFTH, *SIXTH, *SEVENTH, *EIGHTH)
        for query in (q for q in sets if q.schema == schema):
            texts = [query.query, *([query.hand] if query.hand else [])]
            widths = {columns(connection, t) for t in texts}
            assert len(widths) == 1, query.id


def test_what_counts_as_improvable_and_as_missed() -> None:
    found = [
        measured("a", 1.0, 0.1, 0.1, "proved"),
        measured("b", 1.0, 0.1, 0.1, "tested"),
        measured("c", 1.0, 1.0, 0.1, None),
        measured("d", 1.0, 0.95, 0.1, "proved"),
        measured("e", 1.0, 1.0, 0.9, None),
        measured("f", 1.0, 0.5, None, "proved"),
    ]
    sums = totals(found)
    assert (sums["improvable"], sums["proved"], sums["tested"], sums["missed"]) == (4, 1, 1, 2)
    assert sums["improved_beyond"] == 1
    assert sums["ratio"] == pytest.approx((0.1 + 0.1 + 1 + 0.95 + 1 + 0.5) / 6)
    assert sums["ratio_proved"] == pytest.approx((0.1 + 1 + 1 + 0.95 + 1 + 0.5) / 6)
    assert sums["ratio_by_hand"] == pytest.approx((0.1 * 4 + 0.9 + 1) / 6)


def test_a_rewrite_by_hand_that_is_slower_counts_as_the_original() -> None:
    assert totals([measured("a", 1.0, 1.0, 3.0, None)])["ratio_by_hand"] == 1.0


def test_the_kept_part_is_told_in_totals_only() -> None:
    kept, opened = named("kept"), named("open")
    found = [measured(n, 1.0, 0.1, 0.1, "proved") for n in (kept, opened)]
    text = json.dumps(report(found, Plan(), 0.1))
    assert opened in text
    assert kept not in text
    assert kept not in shown(found[0])
    assert opened in shown(found[1])


def test_the_work_until_a_candidate_was_verified_is_in_the_sums() -> None:
    found = [measured(name, 1.0, 0.1, 0.1, "proved") for name in "abc"]
    for one, seconds in zip(found, (0.5, 3.0, None), strict=True):
        one.result.ends = {"cpu_before_first": seconds}
    sums = totals(found)
    assert (sums["first_verified_cpu_median"], sums["first_verified_cpu_p95"]) == (1.75, 3.0)
    assert totals(found[2:])["first_verified_cpu_median"] is None
