"""Gains that only estimates show: what is believed of them, and what is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from rewright.rewrite.agents.estimates import Estimates, late_cost
from rewright.rewrite.model import Candidate, Explained
from rewright.rewrite.ports import DatabaseError
from tests.rewrite.world import Server


@dataclass
class Priced(Server):
    """A server whose plans cost what the processor does (by text) and a price for each page."""

    work: Mapping[str, float] = field(default_factory=dict)
    pages: Mapping[str, float] = field(default_factory=dict)
    # texts that get another plan when pages cost less
    turned: frozenset[str] = frozenset()

    def explain(self, sql: str) -> Explained:
        return self.explain_with_pages(sql, 1.0)

    def explain_with_pages(self, sql: str, price: float) -> Explained:
        kind = "Index Scan" if sql in self.turned and price < 1.0 else "Seq Scan"
        return Explained(self.work[sql] + price * self.pages[sql], {"Node Type": kind})


def believed(server: Priced, cost: float | None = 1.0) -> bool:
    estimates = Estimates("o", server, 0.1)
    return estimates.believed(Candidate("c", cost=cost), server.explain("o"), server.explain("c"))


def test_a_gain_in_work_is_believed() -> None:
    assert believed(Priced(work={"o": 1000.0, "c": 100.0}, pages={"o": 50.0, "c": 50.0}))


def test_a_gain_in_pages_that_may_be_in_memory_is_not() -> None:
    """As with a subquery that an index answers for each row: 2263 of which 120 are work, or 1163 of which 600
    are.
    """
    assert not believed(Priced(work={"o": 120.0, "c": 600.0}, pages={"o": 2143.0, "c": 563.0}))


def test_a_gain_in_work_alone_is_not() -> None:
    assert not believed(Priced(work={"o": 500.0, "c": 100.0}, pages={"o": 500.0, "c": 1500.0}))


@pytest.mark.parametrize("text", ["o", "c"])
def test_another_plan_says_nothing_of_this_one(text: str) -> None:
    work, pages = {"o": 120.0, "c": 600.0}, {"o": 2143.0, "c": 563.0}
    assert believed(Priced(work=work, pages=pages, turned=frozenset({text})))


def test_what_estimates_misjudge_has_no_gain_that_they_could_show() -> None:
    assert not believed(Priced(work={"o": 1000.0, "c": 1.0}, pages={"o": 0.0, "c": 0.0}), cost=None)


def test_a_server_that_refuses_to_price_pages_is_believed_as_it_is() -> None:
    server = Priced(work={"o": 120.0, "c": 600.0}, pages={"o": 2143.0, "c": 563.0})
    before, after = server.explain("o"), server.explain("c")

    def refuse(sql: str, price: float) -> Explained:
        raise DatabaseError("42501", "permission denied to set parameter")

    server.explain_with_pages = refuse  # type: ignore[method-assign] # one method of the fake is replaced
    assert Estimates("o", server, 0.1).believed(Candidate("c", cost=1.0), before, after)


def looked_up(condition: Mapping[str, str]) -> dict[str, Any]:
    """Sixty rows, for each the first of a scan: 28 where it is found early, 700 where it is not."""
    scan = {"Node Type": "Index Scan", "Parent Relationship": "Outer", "Total Cost": 700.0, **condition}
    first = {"Node Type": "Limit", "Parent Relationship": "Inner", "Total Cost": 28.0, "Plans": [scan]}
    outer = {"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Plan Rows": 60, "Total Cost": 13.0}
    return {"Node Type": "Nested Loop", "Total Cost": 1700.0, "Plans": [outer, first]}


def more(plan: Mapping[str, Any]) -> float:
    """What the plan may cost besides its estimate."""
    return late_cost(Explained(0.0, plan))


def test_a_repeated_limit_over_filtered_rows_may_find_them_last() -> None:
    assert more(looked_up({"Filter": "org_id = each.id"})) == 60 * 672.0
    assert more(looked_up({"Index Cond": "org_id = each.id"})) == 0.0


def test_a_subquery_s_limit_runs_for_each_row() -> None:
    plan = looked_up({"Filter": "org_id = each.id"})
    (first,) = (node for node in plan["Plans"] if node["Node Type"] == "Limit")
    first["Parent Relationship"] = "SubPlan"
    assert more({"Node Type": "Seq Scan", "Plan Rows": 7, "Plans": [first]}) == 7 * 672.0


def test_a_limit_that_runs_once_is_as_it_is_estimated() -> None:
    (_, first) = looked_up({"Filter": "status = 1"})["Plans"]
    assert more(first) == 0.0


@pytest.mark.parametrize(
    ("condition", "total", "missing"),
    [
        # PostgreSQL leaves the subquery out of the total: 542 and 573 for the inputs, 3692 times 40
        ("(o.total > (SubPlan 1))", 1152.0, 542.0 + 573.0 + 3692 * 40.0 - 1152.0),
        ("(o.total > (SubPlan 1))", 160_000.0, 0.0),
        ("(o.total > (hashed SubPlan 1))", 1152.0, 0.0),
    ],
)
def test_a_subquery_in_a_join_s_filter_runs_for_each_row(
    condition: str, total: float, missing: float
) -> None:
    subplan = {
        "Parent Relationship": "SubPlan",
        "Subplan Name": "SubPlan 1",
        "Total Cost": 40.0,
        "Plan Rows": 1,
    }
    outer = {"Parent Relationship": "Outer", "Total Cost": 542.0, "Plan Rows": 3692}
    inner = {"Parent Relationship": "Inner", "Total Cost": 573.0, "Plan Rows": 2190}
    plan = {"Node Type": "Hash Join", "Join Filter": condition, "Total Cost": total, "Plan Rows": 901}
    assert more({**plan, "Plans": [outer, inner, subplan]}) == pytest.approx(missing)
