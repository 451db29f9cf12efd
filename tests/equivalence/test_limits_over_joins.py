"""Sort keys that leave no ties among the rows of an outer join or a union, so that LIMIT has no choice."""

from __future__ import annotations

import pytest

from rewright.equivalence.proof import Proof
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


def test_rows_of_two_arms_may_tie() -> None:
    assert modulo(ARMS.format("1", "ord", "id"), ARMS.format("2 - 1", "ord", "id")) == {"tie-order"}
    assert modulo(ARMS.format("1", "ord", "id, arm"), ARMS.format("2 - 1", "ord", "id, arm")) == set()
