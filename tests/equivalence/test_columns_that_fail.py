"""Sort keys that are columns of subqueries or computed columns: left out where reading them raises nothing."""

from __future__ import annotations

import pytest

from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.text_pairs import parts_prover

SCHEMA = """create table t (id int primary key, a int not null, k int not null, s text not null,
v int generated always as (10 / a) virtual, w text generated always as (lower(s)) stored)"""
OTHERS = "rows between unbounded preceding and unbounded following exclude current row"
PAIRS = [
    (
        "id from (select id, {} as z from t) q order by id, z",
        "id from (select id, {} as z from t) q order by id",
    ),
    ("id from (select id from t order by {}) q", "id from t"),
    (
        f"id, count(*) over (partition by k order by {{}} {OTHERS}) from t",
        f"id, count(*) over (partition by k {OTHERS}) from t",
    ),
]


@pytest.mark.parametrize("shown", ["s", "w", "v"])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_a_sort_key_that_may_fail_is_not_left_out_unsaid(first: str, second: str, shown: str) -> None:
    proved = parts_prover(catalog_from_ddl(SCHEMA))
    found = proved("select " + first.format(shown), "select " + second.format(shown), 20.0)
    assert found != set() if shown == "v" else found == set()


@pytest.mark.parametrize(
    ("shown", "left"), [("k", set()), ("lower(s)", set()), ("10 / a", {"errors"}), ("a + 1", {"overflow"})]
)
def test_what_a_subquery_shows_is_computed_where_it_is_read(shown: str, left: set[str]) -> None:
    proved = parts_prover(catalog_from_ddl(SCHEMA))
    query = f"select id from (select id, {shown} as z from t) q order by id"
    assert proved(f"{query}, z", query, 20.0) == left
