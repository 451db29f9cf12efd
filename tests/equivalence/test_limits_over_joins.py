"""Sort keys that leave no ties among the rows of an outer join or a union, so that LIMIT has no choice."""

from __future__ import annotations

import pytest

from rewright.equivalence.decomposition.search import proved_by_parts
from rewright.equivalence.proof import Proof, check_proof
from rewright.equivalence.prover.prove import prove
from rewright.sql.binder import bind
from tests.rewrite.sqlfixtures import catalog

COUNTED = (
    "SELECT c.id, c.state, {} AS n FROM cust c"
    " LEFT JOIN (SELECT cust, count(*) AS n FROM ord GROUP BY cust) k ON k.cust = c.id ORDER BY {} LIMIT 5"
)
ARMS = "SELECT id, {} AS arm FROM cust UNION ALL SELECT id, 2 FROM {} ORDER BY {} LIMIT 5"


def modulo(first: str, second: str) -> set[str]:
    proof = prove(*(bind(text, catalog()) for text in (first, second)), catalog(), deadline_seconds=60)
    assert isinstance(proof, Proof), proof
    return set(proof.modulo)


@pytest.mark.parametrize(
    ("keys", "left"),
    [("n DESC, c.id", set()), ("c.id", set()), ("n DESC", {"tie-order"}), ("n, c.state", {"tie-order"})],
)
def test_a_key_of_the_kept_side_leaves_no_ties(keys: str, left: set[str]) -> None:
    texts = ("coalesce(k.n, 0)", "CASE WHEN k.n IS NULL THEN 0 ELSE k.n END")
    assert modulo(*(COUNTED.format(text, keys) for text in texts)) == left


MANY = (
    "SELECT DISTINCT c.id, {} FROM cust c JOIN ord o ON o.cust = c.id WHERE o.total > 2 ORDER BY {} LIMIT 5"
)
ONCE = "SELECT id, {} FROM cust c WHERE EXISTS (SELECT FROM ord o WHERE o.cust = c.id AND o.total > 2) ORDER BY {} LIMIT 5"


@pytest.mark.parametrize(("keys", "left"), [("c.state, c.id", set()), ("c.state, c.name", {"tie-order"})])
def test_what_a_key_decides_leaves_no_ties_below_distinct(keys: str, left: set[str]) -> None:
    shown = "c.name, c.state"
    assert modulo(MANY.format(shown, keys), ONCE.format(shown, keys)) == left


GROUPED = "SELECT {}, max(o.day) AS n FROM cust c LEFT JOIN ord o ON o.cust = c.id GROUP BY {} ORDER BY c.id LIMIT 5"


@pytest.mark.parametrize(
    ("shown", "keys", "left"),
    [("c.id, c.name", "c.id", set()), ("c.id, o.note", "c.id, o.note", {"tie-order"})],
)
def test_groups_by_a_key_leave_no_ties_above_an_outer_join(shown: str, keys: str, left: set[str]) -> None:
    first = GROUPED.format(shown, keys)
    assert modulo(first, first.replace("ON o.cust = c.id", "ON c.id = o.cust AND c.id IS NOT NULL")) == left


PAGE = (
    "SELECT f.id, f.name, count(o.id) AS n FROM (SELECT id, name FROM cust c {}) f"
    " LEFT JOIN ord o ON o.cust = f.id {} GROUP BY f.id, f.name ORDER BY {} LIMIT 5"
)
GROUPS = (
    "SELECT c.id, c.name, count(o.id) AS n FROM cust c LEFT JOIN ord o ON o.cust = c.id {} GROUP BY c.id"
    " ORDER BY {} LIMIT 5"
)


def by_parts(first: str, second: str, seconds: float) -> set[str] | None:
    """The reservations of a proof that replays; None where none is found."""
    queries = bind(first, catalog()), bind(second, catalog())
    proved = proved_by_parts(*queries, catalog(), seconds)
    if proved is None:
        return None
    assert check_proof(proved.proof, *queries, catalog()) is None
    return set(proved.modulo)


@pytest.mark.parametrize("most", [5, 7])
def test_a_page_of_groups_is_cut_before_the_join(most: int) -> None:
    cut = f"ORDER BY name, id LIMIT {most}"
    pair = GROUPS.format("", "c.name, c.id"), PAGE.format(cut, "", "f.name, f.id")
    assert by_parts(*pair, 60) == set()


@pytest.mark.parametrize("left", [{"overflow"}, set()])
def test_figures_of_other_groups_may_raise(left: set[str]) -> None:
    figure = "sum(o.day * o.day)" if left else "max(o.day)"
    pair = GROUPS.format("", "c.name, c.id"), PAGE.format("ORDER BY name, id LIMIT 5", "", "f.name, f.id")
    found = by_parts(*(text.replace("count(o.id)", figure) for text in pair), 60)
    assert found is not None
    assert bool(found & {"errors", "overflow"}) == bool(left)


@pytest.mark.parametrize(
    ("cut", "where", "order"),
    [
        ("ORDER BY name, id LIMIT 4", "", "name, id"),  # fewer than are shown
        ("ORDER BY id LIMIT 5", "", "name, id"),  # others come first
        (
            "ORDER BY name, id LIMIT 5",
            "WHERE o.id IS NOT NULL",
            "name, id",
        ),  # some of the first have no group
        ("ORDER BY name, id LIMIT 5", "", "n, id"),  # the figure decides
    ],
)
def test_other_pages_of_groups_are_not_proved(cut: str, where: str, order: str) -> None:
    own, theirs = (order.replace("name", f"{t}.name").replace("id", f"{t}.id") for t in ("f", "c"))
    assert by_parts(GROUPS.format(where, theirs), PAGE.format(cut, where, own), 1.5) is None


def test_groups_of_several_rows_are_not_cut_by_rows() -> None:
    whole = "SELECT c.state, count(o.id) AS n FROM cust c LEFT JOIN ord o ON o.cust = c.id GROUP BY c.state"
    cut = whole.replace("cust c", "(SELECT id, state FROM cust ORDER BY state LIMIT 5) c")
    assert by_parts(*(f"{text} ORDER BY c.state LIMIT 5" for text in (whole, cut)), 1.5) is None


def test_groups_by_an_inner_join_are_not_cut_before_it() -> None:
    whole = "SELECT c.id, count(o.id) AS n FROM cust c JOIN ord o ON o.cust = c.id GROUP BY c.id"
    cut = whole.replace("cust c", "(SELECT id FROM cust ORDER BY id LIMIT 5) c")
    assert by_parts(*(f"{text} ORDER BY c.id LIMIT 5" for text in (whole, cut)), 1.5) is None


def test_rows_of_two_arms_may_tie() -> None:
    assert modulo(ARMS.format("1", "ord", "id"), ARMS.format("2 - 1", "ord", "id")) == {"tie-order"}
    assert modulo(ARMS.format("1", "ord", "id, arm"), ARMS.format("2 - 1", "ord", "id, arm")) == set()
