"""Names in a plan, what was learnt from it, and which moves follow: no server."""

from __future__ import annotations

import pytest

from rewright.hints.base import HintSet, JoinHint, Leading, Materialize
from rewright.hints.cardinality import Knowledge, estimates_of
from rewright.hints.ctes import cte_references
from rewright.hints.levels import is_select, level_aliases, names_of
from rewright.hints.moves import better_methods, pin, row_corrections
from rewright.hints.search import reasons_for
from rewright.sql.plans import plan_from_json


def scan(alias, rows, actual=None, **more):
    node = {
        "Node Type": "Seq Scan",
        "Relation Name": alias,
        "Alias": alias,
        "Plan Rows": rows,
        "Total Cost": 1,
    }
    if actual is not None:
        node |= {"Actual Rows": actual, "Actual Loops": 1}
    return node | more


def join(operator, left, right, rows, actual=None, **more):
    node = {
        "Node Type": operator,
        "Join Type": "Inner",
        "Plan Rows": rows,
        "Total Cost": 9,
        "Plans": [left, right],
    }
    if actual is not None:
        node |= {"Actual Rows": actual, "Actual Loops": 1}
    return node | more


TEXT = "select * from a join b on a.x = b.x join c on c.x = b.x"


def plan(root):
    return plan_from_json([{"Plan": root}])


def test_names_say_what_is_unique_and_what_is_derived():
    names = names_of(
        "select * from a, (select b.x, count(*) from b group by 1) d, e where e.x in (select x from e)"
    )
    assert names.unique == {"a", "b", "d"}
    assert names.repeated == {"e"}
    assert names.derived_name(frozenset({"b"})) == "d"


def test_an_aggregate_without_a_name_is_found_by_what_is_inside():
    names = names_of("select * from a, (select b.x, count(*) from b group by 1) d")
    node = plan({"Node Type": "Aggregate", "Plan Rows": 1, "Plans": [scan("b", 5)]}).root
    assert level_aliases(node, names) == {"d"}


@pytest.mark.parametrize(
    "value", ["max(b.x)", "sum(b.x)", "count(b.x)", "rank() over (order by b.x)", "generate_series(1, b.x)"]
)
def test_a_subquery_that_the_planner_can_not_pull_up_is_one_relation(value: str):
    names = names_of(f"select * from (select d.x from (select {value} as x from b) d) e")
    assert names.derived_name(frozenset({"d"})) == "e"
    assert names.derived_name(frozenset({"b"})) == "d"


def test_a_subquery_that_the_planner_pulls_up_is_what_is_inside():
    names = names_of("select * from (select d.x, c.x from (select lower(b.x) as x from b) d, c) e")
    assert names.derived_name(frozenset({"b", "c"})) == "e"


def test_rows_below_a_limit_teach_nothing():
    inner = join("Hash Join", scan("a", 10, 3), scan("b", 10, 3), 10, 3)
    names = names_of(TEXT)
    whole = estimates_of(plan(inner), names)
    cut = estimates_of(plan({"Node Type": "Limit", "Plan Rows": 1, "Plans": [inner]}), names)
    assert {e.aliases for e in whole} == {frozenset("a"), frozenset("b"), frozenset("ab")}
    assert cut == []


def test_corrections_start_at_the_lowest_join():
    low = join("Nested Loop", scan("a", 1, 1000), scan("b", 1, 1000), 1, 5000)
    top = join("Nested Loop", low, scan("c", 10, 10), 1, 70000)
    names = names_of(TEXT)
    known = Knowledge()
    known.learn(estimates_of(plan(top), names))
    found = [str(move.hint.aliases) for move in row_corrections(plan(top), names, known.rows)]
    assert found[0] == str(frozenset("ab"))
    assert len(found) == 2


def test_a_nested_loop_on_an_underestimated_side_is_replaced():
    loop = join(
        "Nested Loop", scan("a", 1, 1000), scan("b", 1, 1000), 1, 5000, **{"Join Filter": "(a.x = b.x)"}
    )
    names = names_of(TEXT)
    known = Knowledge()
    known.learn(estimates_of(plan(loop), names))
    (move,) = better_methods(plan(loop), names, known.rows)
    assert move.hint.method == "HashJoin"
    assert "1,000" in move.reason


def test_pinning_goes_through_hashes_and_sorts():
    hashed = {
        "Node Type": "Hash",
        "Plan Rows": 1,
        "Plans": [join("Merge Join", scan("b", 1), scan("c", 1), 1)],
    }
    hints = pin(plan(join("Hash Join", scan("a", 1), hashed, 1)), names_of(TEXT))
    assert [str(type(h).__name__) for h in hints] == ["JoinHint", "JoinHint", "Leading"]
    assert hints[-1].tree == ("a", ("b", "c"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("with c as (select 1) select * from c, c d", {"c": (2, None)}),
        ("with c as materialized (select 1) select * from c", {"c": (1, True)}),
        ("with recursive c as (select 1) select * from c", {}),
        ("select 1", {}),
        ("not sql", {}),
    ],
)
def test_references_of_ctes(text, expected):
    assert cte_references(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select 1", True),
        ("values (1)", True),
        ("with c as (select 1) table c", True),
        ("delete from t", False),
        ("with c as (delete from t returning 1) select * from c", False),
        ("select * into t2 from t", False),
        ("select 1; select 2", False),
        ("explain select 1", False),
    ],
)
def test_only_what_reads_is_hinted(text, expected):
    assert is_select(text) is expected


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        ((Materialize("x", negated=True),), ["x is computed whole"]),
        ((JoinHint("HashJoin", frozenset("ab")),), ["Hash Join of a, b ran faster"]),
        ((Leading(order=("a", "b")),), ["this join order ran faster"]),
    ],
)
def test_the_reasons_left_are_those_of_the_hints_left(hints, expected):
    reasons = ("x is computed whole", "Hash Join of a, b ran faster", "this join order ran faster")
    assert list(reasons_for(HintSet(hints), reasons)) == expected
