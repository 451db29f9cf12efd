"""What a rewrite's page says in words: where the work went, what is done instead, what a constraint is good for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from rewright.console.counterexample import tables
from rewright.console.narrating import told_work
from rewright.console.redacted import tree_without_literals
from rewright.console.subqueries import subqueries
from rewright.console.words import changes, facts, steps
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.recheck.laws.table import LAWS
from rewright.equivalence.records import Step
from rewright.rewrite.agents.report import tree
from rewright.rewrite.rules import RULES
from tests.rewrite.sqlfixtures import SCHEMA, Case, cases, fill

CASES = [case for rule in RULES for case in cases(rule.name) if case.kind == "case"]
# names that our rules or the server made up, and terms of the server's source
JARGON = re.compile(r"\b(agg\d*|subplan|initplan|q-error|node|once a)\b|%\(|None|\b1 rows", re.IGNORECASE)


@pytest.fixture(scope="module")
def connection(scratch_server: ScratchServer, module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as made:
        made.execute(SCHEMA)
        fill(made, 40, 0.5)
        made.execute("analyze")
        yield made


def plan(connection: psycopg.Connection[Any], query: str, *, run: bool) -> dict[str, Any]:
    row = connection.execute(f"explain (format json, analyze {'on' if run else 'off'}) {query}").fetchone()
    assert row is not None
    found = tree(row[0][0]["Plan"])
    assert found is not None
    return found


@pytest.mark.server
@pytest.mark.parametrize("run", [False, True], ids=["estimated", "run"])
def test_every_rules_work_is_told_in_plain_words(connection: psycopg.Connection[Any], run: bool) -> None:
    for case in CASES:
        before = plan(connection, case.sql, run=run)
        for output in case.gives:
            told = told_work(before, plan(connection, output.sql, run=run), case.sql)
            # a condition that is never true reads nothing
            assert told or before["Total Cost"] < 0.1, case
            for sentence in told:
                assert not JARGON.search(sentence), sentence
                assert ("estimated" in sentence) is not run, sentence
                assert sentence.endswith("of the time." if run else "of the estimated cost."), sentence


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}: {case.words}")
def test_every_rules_note_is_told_in_plain_words(case: Case) -> None:
    for output in case.gives:
        note = output.why.partition(" | ")[0]
        assert changes([f"join: {case.rule} ({note})", "measured in 3 runs"]) == [note]
        assert not JARGON.search(note), note
        # an alias says nothing to somebody who does not look at the text beside it
        first = note.split()[0]
        assert len(first) > 1 or first == "a" or first.isdigit(), note


def test_a_subquery_run_for_each_row_is_the_story() -> None:
    text = "select * from lineitem a where a.l_quantity > (select avg(b.l_quantity) from lineitem b where b.l_partkey = a.l_partkey)"
    inner = {
        "Node Type": "Seq Scan",
        "Relation Name": "lineitem",
        "Alias": "b",
        "Total Cost": 100.0,
        "Plan Rows": 30,
    }
    total = {
        "Node Type": "Aggregate",
        "Parent Relationship": "SubPlan",
        "Subplan Name": "SubPlan 1",
        "Total Cost": 100.0,
        "Plan Rows": 1,
        "Plans": [inner],
    }
    scan = {"Node Type": "Seq Scan", "Relation Name": "lineitem", "Alias": "a", "Plan Rows": 2_000_000}
    before = {**scan, "Total Cost": 600_121_500.0, "Filter": "(l_quantity > (SubPlan 1))", "Plans": [total]}
    grouped = {
        "Node Type": "Aggregate",
        "Group Key": ["lineitem.l_partkey"],
        "Total Cost": 900.0,
        "Plan Rows": 200_000,
        "Plans": [inner],
    }
    after = {
        "Node Type": "Hash Join",
        "Total Cost": 2000.0,
        "Plan Rows": 2_000_000,
        "Plans": [scan | {"Total Cost": 100.0}, grouped],
    }
    (told,) = told_work(before, after, text)
    assert told == (
        "The average of l_quantity in lineitem was computed again for each of an estimated 6 million rows of "
        "lineitem; now once for each of an estimated 200,000 different values of l_partkey: 100% of the "
        "estimated cost."
    )
    # one that the server hashes is run once
    hashed = before | {"Filter": "(NOT (hashed SubPlan 1))"}
    assert not any("again" in one for one in told_work(hashed, after, text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("select (select count(*) from b where b.x = a.x) from a", "the number of rows in b"),
        ("select 1 from a where x = ⟦1:n⟧ and exists (select 1 from b, c)", "whether a matching row of b and c exists"),
        ("select 1 from a where x in (select y from b)", "the list of values in b"),
        ("select (select max(y + 1), 2 from b) from a", "the greatest of computed values in b"),
        ("select (select b.y from b limit 1) from a", "the value of y in b"),
    ],
)  # fmt: skip
def test_what_a_subquery_computes(text: str, told: str) -> None:
    assert [one.computes for one in subqueries(text)] == [told]


BESIDE = "select (select count(*) from cut l where l.part = p.id), (select max(qty) from cut l where l.part = p.id) from piece p where p.id not in (select part from cut where part < 20)"
TWO = "select p.id from piece p where (select avg(qty) from cut) < 9 and (select sum(qty) from cut l where l.part = p.id) > 9"


@pytest.mark.server
@pytest.mark.parametrize("run", [False, True], ids=["estimated", "run"])
def test_what_runs_once_is_not_told_to_run_again(connection: psycopg.Connection[Any], run: bool) -> None:
    """A list that the server hashes, and a subquery that refers to no row outside, over the same table."""
    connection.execute("create table piece as select g as id from generate_series(1, 200) g")
    connection.execute(
        "create table cut as select g % 200 as part, g % 9 as qty from generate_series(1, 4000) g"
    )
    connection.execute("analyze piece, cut")
    joined = "select c.n from piece p join lateral (select count(*) n, max(qty) from cut l where l.part = p.id) c on true where not exists (select from cut where part < 20 and part = p.id)"
    try:
        beside = told_work(plan(connection, BESIDE, run=run), plan(connection, joined, run=run), BESIDE)
        # a page that may not show literals must still tell which subquery is meant
        hidden = tree_without_literals(plan(connection, BESIDE, run=run), {"1", "3"})
        assert told_work(hidden, None, BESIDE)[0].partition(" again")[0] == beside[0].partition(" again")[0]
        two = told_work(plan(connection, TWO, run=run), None, TWO)
    finally:
        connection.execute("drop table piece, cut")
    first = beside[0]
    assert first.startswith("The number of rows in cut and the greatest qty in cut were computed again"), (
        beside
    )
    # the anti-join of the replacement answers NOT IN, and gives no number
    assert not any("list of values" in one or "one join finds it" in one for one in beside), beside
    assert two[0].startswith("A subquery over cut was computed again for each of"), two


def test_texts_that_can_not_be_parsed_have_no_subqueries() -> None:
    assert not subqueries("select from where (")


@pytest.mark.parametrize(
    ("assumption", "constraint", "names"),
    [
        ("not null public.t(a) (t_a_not_null)", "NOT NULL on a of public.t", ("public.t", "NULL")),
        ("primary key public.t(a, b) (t_pkey)", "the primary key of public.t on a, b", ("t_pkey", "a, b")),
        ("unique public.t(a)", "the unique constraint of public.t on a", ("the constraint on a", "twice")),
        (
            "public.l(part) references public.part(id) (l_part_fkey)",
            "the foreign key l_part_fkey from public.l (part) to public.part (id)",
            ("l_part_fkey", "public.part that does not exist"),
        ),
        ("check on public.t (t_positive)", "the CHECK constraint t_positive on public.t", ("t_positive",)),
        ("something else", "something else", ("no longer holds",)),
    ],
)
def test_what_happens_without_a_constraint_is_said_of_that_one(
    assumption: str, constraint: str, names: tuple[str, ...]
) -> None:
    (fact,) = facts([assumption])
    assert fact.text == constraint
    for name in names:
        assert name in fact.if_dropped


def test_every_step_of_a_proof_is_told_in_plain_words() -> None:
    for law in LAWS:
        for step, side in (
            (Step(1, law, (0, 1), (0, 2)), "original"),
            (Step(2, law, ()), "replacement"),
            (f"step 3: {Step(1, law, (0,))}", "text before step 3"),
        ):
            ((whose, what, times),) = steps([str(step)])
            assert (whose, times) == (side, 1)
            assert " " in what
            assert "-" not in law or law not in what.split()


def test_a_counterexample_is_tables() -> None:
    found = tables(
        {
            "setup": ["SET enable_sort = off", "INSERT INTO public.t (a, b) OVERRIDING SYSTEM VALUE VALUES (1, NULL), (-2, 'x|y')"],
            "original": "1 | NULL\n2 | a",
            "candidate": "(no rows)",
            "script": "BEGIN;",
        }
    )  # fmt: skip
    assert found is not None
    (grid,) = found.filled
    assert (grid.name, grid.columns, grid.rows) == ("t", ("a", "b"), (("1", "NULL"), ("-2", "x|y")))
    assert found.other == ("SET enable_sort = off",)
    assert found.original.rows == (("1", "NULL"), ("2", "a"))
    assert found.replacement.text == "(no rows)"
    # constants that may not be shown
    hidden = tables({"setup": ["insert into t (a) values (?), (NULL)"]})
    assert hidden is not None
    assert hidden.filled[0].rows == (("?",), ("NULL",))
    # values may hold what separates columns: then the text is shown as it came
    odd = tables({"original": "a | b\nc", "candidate": "ERROR 22012: division by zero"})
    assert odd is not None
    assert odd.original.text == "a | b\nc"
    assert odd.replacement.text.startswith("ERROR")
