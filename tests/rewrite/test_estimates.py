"""What the search makes of estimates: steps that they flatter, steps that they misjudge, and none that take
others back.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rewright.engines import clock
from rewright.rewrite.search import propose
from rewright.sql.binder import bind
from tests.rewrite.sqlfixtures import catalog

VALUES = "SELECT DISTINCT s.part FROM sale s WHERE s.part > 2"


def steps(cost: Callable[[str], float]) -> set[str]:
    """The rules that the search went by."""
    found = propose(bind(VALUES, catalog()), catalog(), cost=cost, deadline=clock.now() + 60, limit=40)
    return {name for candidate in found for name, _ in candidate.steps}


@pytest.mark.parametrize(("estimate", "tried"), [(0.5, True), (1.0, False), (9.0, False)])
def test_a_recursion_that_even_a_flattering_estimate_sees_no_gain_in_is_not_tried(
    estimate: float, tried: bool
) -> None:
    assert ("loose_scan" in steps(lambda text: estimate if "RECURSIVE" in text else 1.0)) == tried


def test_what_an_estimate_flatters_is_handed_on_without_it() -> None:
    found = propose(
        bind(VALUES, catalog()),
        catalog(),
        cost=lambda text: 0.01 if "RECURSIVE" in text else 1.0,
        deadline=clock.now() + 60,
        limit=40,
    )
    assert all(c.blind and c.cost == 1.0 for c in found if c.steps[-1][0] == "loose_scan")


def test_look_ups_of_groups_are_not_unnested_again() -> None:
    firsts = bind("SELECT DISTINCT ON (v.cust) v.cust, v.page FROM visit v ORDER BY v.cust, v.id", catalog())
    found = list(propose(firsts, catalog(), cost=lambda _: 1.0, deadline=clock.now() + 60, limit=40))
    ways = [[name for name, _ in candidate.steps] for candidate in found]
    assert ["per_parent"] in ways
    assert not any("unnest" in way[way.index("per_parent") :] for way in ways if "per_parent" in way)


@pytest.mark.parametrize(("estimate", "handed_on"), [(20.0, True), (30.0, False)])
def test_the_price_of_a_subquery_in_a_filter_is_doubted(estimate: float, handed_on: bool) -> None:
    most_expensive = bind(
        "SELECT o.id FROM ord o WHERE o.total = (SELECT max(x.total) FROM ord x WHERE x.cust = o.cust)",
        catalog(),
    )
    found = propose(
        most_expensive,
        catalog(),
        cost=lambda text: estimate if "GROUP BY" in text else 1.0,
        deadline=clock.now() + 60,
        limit=40,
    )
    assert any([name for name, _ in c.steps] == ["unnest"] for c in found) == handed_on


@pytest.mark.parametrize(("estimate", "first"), [(0.9, True), (0.1, False)])
def test_blind_rules_are_asked_of_the_original_first_where_nothing_looks_far_cheaper(
    estimate: float, first: bool
) -> None:
    joined = bind(
        "SELECT c.id, sum(o.total) FROM cust c JOIN ord o ON o.cust = c.id JOIN visit v ON v.cust = c.id "
        "WHERE c.name = 'a' AND v.page = 'b' GROUP BY c.id",
        catalog(),
    )
    found = propose(
        joined,
        catalog(),
        cost=lambda text: estimate if "GROUP BY o.cust" in text or "GROUP BY cust" in text else 1.0,
        deadline=clock.now() + 60,
        limit=1000,
    )
    blind = [len(c.steps) for c in found if c.blind]
    assert blind
    assert (blind[0] == 1) == first
    # once to each state before twice to any
    assert blind.index(1) < max(i for i, steps in enumerate(blind) if steps > 1)
