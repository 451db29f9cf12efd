"""Conditions that mean the same in other words: forms say so where nothing beside them may fail."""

from __future__ import annotations

import pytest

from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.text_pairs import parts_prover

SCHEMA = "create table t (id int primary key, a int not null, k int not null, s text not null, c char(5), check (k between 0 and 9))"
PAIRS = [
    ("strpos(s, 'abc') > 0", "s like '%abc%'"),
    ("k + 1 > 5", "k > 4"),
    ("c::text = 'ab'", "c = 'ab'"),
]


@pytest.mark.parametrize(("beside", "left"), [("a > 3", set()), ("10 / a > 3", {"errors"})])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_may_fail_beside_other_words_is_a_reservation(
    first: str, second: str, beside: str, left: set[str]
) -> None:
    proved = parts_prover(catalog_from_ddl(SCHEMA))
    queries = (f"select id from t where {beside} and {x}" for x in (first, second))
    assert proved(*queries, 20.0) == left
