"""What a client could tell apart, on plain outcomes."""

from __future__ import annotations

import pytest

from rewright.equivalence.isolation import screen_query
from rewright.equivalence.refuter.order import chooses_freely, tie_query
from rewright.equivalence.refuter.replay import Outcome, admissible, difference, same_bag

ONE, TWO, THREE = ("1",), ("2",), ("3",)
FLOAT, INT = 701, 23


def test_rows_may_change_places_only_within_ties() -> None:
    ordered = Outcome((ONE, TWO, THREE), ties=("1", "1", "3"))
    assert admissible((TWO, ONE, THREE), ordered)
    assert not admissible((ONE, THREE, TWO), ordered)
    assert difference(ordered, Outcome((TWO, ONE, THREE))) is None
    found = difference(ordered, Outcome((THREE, ONE, TWO)))
    assert found is not None
    assert found.kind == "order"


def test_without_a_promised_order_any_order_will_do() -> None:
    assert difference(Outcome((ONE, TWO)), Outcome((TWO, ONE), ties=("1", "2"))) is None


def test_bags_count() -> None:
    assert not same_bag(Outcome((ONE, ONE)), Outcome((ONE,)))
    assert not same_bag(Outcome((("1.0",),)), Outcome((("1.00",),)))
    assert not same_bag(Outcome(((None,),)), Outcome((("",),)))


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("0.3", "0.30000000000000004", True),
        ("0.3", "0.3001", False),
        ("0", "-0", False),
        ("NaN", "1", False),
        ("Infinity", "Infinity", True),
    ],
)
def test_floats_are_told_apart_beyond_rounding(left: str, right: str, same: bool) -> None:
    assert same_bag(Outcome(((left,),), types=(FLOAT,)), Outcome(((right,),), types=(FLOAT,))) is same
    if left != right:
        assert not same_bag(Outcome(((left,),), types=(INT,)), Outcome(((right,),), types=(INT,)))


def test_errors() -> None:
    rows, division, overflow = Outcome((ONE,)), Outcome(error="22012"), Outcome(error="22003")
    timeout = Outcome(error="57014")
    kinds = [d.kind if (d := difference(*pair)) else None for pair in (
        (rows, division), (division, rows), (division, overflow), (rows, overflow), (timeout, rows),
    )]  # fmt: skip
    assert kinds == ["error", "error", None, "overflow", None]


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("select a from t order by a", False),
        ("select a from t limit 1", True),
        ("select distinct a from t", False),
        ("select distinct on (a) a, b from t", True),
        ("select * from (select row_number() over (order by a) from t) s", True),
        ("select sum(a) over (order by b) from t", False),
        ("select sum(a) over (order by b rows 1 preceding) from t", True),
        ("select string_agg(a, ',') from t", True),
    ],
)
def test_queries_that_may_choose(text: str, free: bool) -> None:
    assert chooses_freely(screen_query(text).tree) is free


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select a from t", None),
        ("select a as x from t order by x desc, 1", "order by a desc, a"),
        ("select a from t union select b from u order by 1", "order by rw_q.a"),
        ("select a + 1 from t union select b from u order by 1", None),
        ("select * from t order by 2", None),
        ("select 1 from t order by 1", None),
    ],
)
def test_ties_are_numbered_by_the_promised_order(text: str, expected: str | None) -> None:
    found = tie_query(screen_query(text).tree)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert expected in " ".join(found.lower().split())
