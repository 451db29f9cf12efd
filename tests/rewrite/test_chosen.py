"""Which of the candidates that a search has found are handed on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace

from rewright.engines import clock
from rewright.rewrite.model import Deadline
from rewright.rewrite.search.explore import Candidate
from rewright.rewrite.search.proposer import RuleProposer, chosen
from rewright.sql import algebra as a
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.walk import is_closed, walk

ORDERS = catalog_from_ddl("CREATE TABLE ord (id int PRIMARY KEY, cust int, total int)")


def found(cost: float, *steps: str, blind: bool = False) -> Candidate:
    names = tuple((s, "") for s in steps)
    return Candidate(a.Select(()), f"{cost}", names, frozenset(), cost, blind=blind)


def test_a_family_that_looks_too_cheap_leaves_room_for_others() -> None:
    family = [found(n, "once_a_binding", f"rule{n}") for n in range(1, 20)]
    other = found(500.0, "running_window", "rule1")
    assert other in chosen([*family, other], 8)


def test_a_step_that_all_begin_with_is_not_what_tells_them_apart() -> None:
    family = [found(n, "seal_division", "filter_cte", f"rule{n}") for n in range(1, 20)]
    other = found(500.0, "seal_division", "prune_union", "rule1")
    assert other in chosen([*family, other], 8)


def test_the_cheapest_for_each_last_rule_come_before_second_ones() -> None:
    two, last = [found(1.0, "unnest"), found(2.0, "unnest")], found(90.0, "unnest", "reduce_grouped")
    assert chosen([*two, last], 2) == [two[0], last]


def test_one_that_looks_nothing_up_for_each_row_has_a_place_beside_cheaper_ones() -> None:
    asked = bind(
        "SELECT o.id FROM ord o WHERE o.total > (SELECT avg(p.total) FROM ord p WHERE p.cust = o.cust)",
        ORDERS,
    )
    nested = [replace(found(n, "unnest", f"rule{n}"), query=asked) for n in range(1, 20)]
    flat = [found(30.0, "unnest", "rule1", "rule2"), found(40.0, "unnest")]
    picked = chosen([*nested, *flat], 8)
    assert nested[0] in picked
    # the cheapest and the one that is proved soonest
    assert set(flat) <= set(picked)


def test_a_quarter_of_the_places_is_for_blind_ones() -> None:
    seen = [found(n, "unnest") for n in range(1, 20)]
    hidden = [found(n, "unnest", "share_scans", blind=True) for n in range(1, 9)]
    assert sum(c.blind for c in chosen([*seen, *hidden], 12)) == 3


def test_single_steps_come_before_longer_ways_where_estimates_see_little() -> None:
    longer = [found(n, "unnest", f"rule{n}", "reduce_grouped") for n in range(90, 99)]
    single = [found(100.0, "reduce_grouped"), found(101.0, "reduce_grouped"), found(102.0, "chosen_keys")]
    assert set(single) <= set(chosen([*longer, *single], 6, 100.0))
    # estimates that say much are followed
    assert single[1] not in chosen([*longer, *single], 6, 1000.0)


def test_those_of_one_plan_come_last_but_for_the_one_of_fewest_steps() -> None:
    alike = [found(50.0, "unnest", *["join_as_product"] * n) for n in range(4)]
    others = [found(60.0 + n, "unnest", "pull_up") for n in range(4)]
    assert chosen([*alike[::-1], *others], 5) == [alike[0], *others]
    assert set(chosen([*alike, *others], 8)) == {*alike, *others}


def test_half_of_the_places_is_for_blind_ones_where_estimates_see_little() -> None:
    hidden = [found(n, "fence_filters", blind=True) for n in range(1, 9)]
    blind = {
        cost: sum(
            c.blind for c in chosen([found(cost, "unnest", str(n)) for n in range(20)] + hidden, 12, 10.0)
        )
        for cost in (4.0, 6.0)
    }
    assert blind == {4.0: 3, 6.0: 6}


def test_places_that_no_others_take_are_for_more_ways_of_blind_ones() -> None:
    hidden = [
        *(found(n, "share_scans", "fence_filters", blind=True) for n in range(1, 4)),
        *(found(n, "fence_filters", blind=True) for n in range(4, 12)),
    ]
    early = Candidate(a.Select(()), "early", (("fence_filters", "early"),), frozenset(), 1.0, blind=True)
    picked = chosen([*hidden, early], 12)
    assert len(picked) == 6
    assert early in picked


@dataclass
class Flattered:
    """A server that takes what asks a subquery for each row to be cheap, but for the original."""

    def explain(self, sql: str) -> SimpleNamespace:
        query = bind(sql, ORDERS)
        left = sum(isinstance(n, a.ScalarSubquery) and not is_closed(n.query) for n in walk(query))
        return SimpleNamespace(cost=(20.0, 10.0, 100.0)[left])


def test_what_looks_nothing_up_is_looked_at_first() -> None:
    looked: list[str] = []
    RuleProposer(ORDERS).propose(
        "SELECT o.id, (SELECT max(p.total) FROM ord p WHERE p.cust = o.cust) AS top FROM ord o "
        "WHERE o.total > (SELECT avg(p.total) FROM ord p WHERE p.cust = o.cust)",
        Flattered(),  # type: ignore[arg-type] # only prices are asked for
        Deadline(clock.now() + 30.0),
        (),
        lambda found: looked.extend(c.sql for c in found),
    )
    assert [Flattered().explain(sql).cost for sql in looked] == [20.0, 10.0]


def test_a_blind_rule_that_needs_another_has_its_place_by_the_shortest_way() -> None:
    # what goes on from a state that looks no cheaper is found first
    long = found(99.0, "eager_group", "reduce_grouped", "share_scans", blind=True)
    fence = found(100.0, "fence_filters", blind=True)
    ways = [replace(fence, steps=(("fence_filters", f"around {n}"),), sql=f"{n}") for n in range(12)]
    short = found(100.0, "key_range", "share_scans", blind=True)
    seen = [found(98.0 + n / 10, f"rule{n}") for n in range(9)]
    assert short in chosen([*seen, long, *ways, short], 12, 100.0)
    # a state that looks far cheaper is gone on from
    assert long in chosen([found(1.0, "unnest"), long, *ways, short], 4, 100.0)


def test_two_blind_steps_have_what_nobody_else_takes_where_estimates_see_little() -> None:
    single = [found(100.0, "fence_filters", f"{n}", blind=True) for n in range(7)]
    double = found(100.0, "pull_up", "fence_filters", "fence_filters", blind=True)
    seen = [found(100.0, "pull_up"), found(101.0, "pull_up")]
    assert double in chosen([*seen, *single, double], 12, 100.0)
    # beside estimates that say much it has none
    assert double not in chosen([found(1.0, "unnest"), *seen, *single, double], 12, 100.0)
