"""EXPLAIN's JSON becomes a typed plan."""

from __future__ import annotations

import json

import pytest

from rewright.sql.plans import PlanError, plan_from_json

SCAN_A = {"Node Type": "Seq Scan", "Relation Name": "a", "Alias": "x", "Total Cost": 10, "Plan Rows": 100,
          "Actual Rows": 1, "Actual Loops": 5, "Actual Total Time": 2.5, "Rows Removed by Filter": 7,
          "Filter": "(x > 1)", "Shared Hit Blocks": 3}  # fmt: skip
SCAN_B = {
    "Node Type": "Index Scan",
    "Relation Name": "b",
    "Alias": "b",
    "Index Name": "b_pkey",
    "Plan Rows": 1,
}
INIT = {"Node Type": "Result", "Parent Relationship": "InitPlan", "Alias": "hidden", "Plan Rows": 1}
JOIN = {"Node Type": "Nested Loop", "Join Type": "Inner", "Total Cost": 99.5, "Plan Rows": 50, "Plan Width": 8,
        "Plans": [INIT, SCAN_A, SCAN_B]}  # fmt: skip
DOCUMENT = [{"Plan": JOIN, "Planning Time": 1.5, "Execution Time": 20.0, "Settings": {"geqo": "off"}}]


def test_reads_operators_estimates_and_what_happened():
    plan = plan_from_json(json.dumps(DOCUMENT))
    assert plan.cost == 99.5
    assert plan.execution_seconds == pytest.approx(0.02)
    assert plan.operators == ("Nested Loop", "Result", "Seq Scan", "Index Scan")
    scan = plan.root.children[1]
    assert scan.actual is not None
    assert (scan.actual.total_rows, scan.actual.seconds, scan.actual.rows_removed) == (5, 0.0025, 7)
    assert scan.q_error == 100
    assert scan.condition("Filter") == "(x > 1)"
    assert scan.buffers is not None
    assert scan.buffers.hit == 3


def test_aliases_leave_subplans_out():
    root = plan_from_json(DOCUMENT).root
    assert root.aliases == {"x", "b"}
    assert [node.operator for node in root.inputs] == ["Seq Scan", "Index Scan"]


def test_not_executed_has_no_q_error():
    assert plan_from_json([{"Plan": SCAN_B}]).root.q_error is None


def test_shape_ignores_cost():
    other = json.loads(json.dumps(DOCUMENT))
    other[0]["Plan"]["Total Cost"] = 1
    assert plan_from_json(other).shape == plan_from_json(DOCUMENT).shape


@pytest.mark.parametrize(
    "bad", ["", "[]", "{}", "[1]", '[{"Plan": {}}]', '[{"Plan": {"Node Type": 1, "Plan Rows": []}}]']
)
def test_anything_else_is_refused(bad):
    with pytest.raises(PlanError):
        plan_from_json(bad)


def test_work_counts_subplans_that_the_total_forgets():
    sub = {"Node Type": "Aggregate", "Parent Relationship": "SubPlan", "Subplan Name": "SubPlan 1",
           "Total Cost": 100, "Plan Rows": 1}  # fmt: skip
    scan = {"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Total Cost": 50, "Plan Rows": 40}

    def work(condition: str, *, top: str = "Hash Join", cost: float = 60) -> float:
        join = {"Node Type": "Hash Join", "Total Cost": 60, "Plan Rows": 20, "Join Filter": condition,
                "Plans": [scan, sub]}  # fmt: skip
        node = join if top == "Hash Join" else {"Node Type": top, "Total Cost": cost, "Plans": [join]}
        return plan_from_json([{"Plan": node}]).work

    assert work("(l < (SubPlan 1))") == 50 + 20 * 100
    assert work("(l = ANY (hashed SubPlan 1))") == 60
    assert work("(l < (SubPlan 1))", top="Aggregate", cost=61) == 50 + 20 * 100
    assert work("(l < (SubPlan 1))", top="Limit", cost=3) == 3
    assert plan_from_json(DOCUMENT).work == 99.5
