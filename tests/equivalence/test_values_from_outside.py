"""Subqueries that read rows outside: proved by themselves, and what fails of outer values counts."""

from __future__ import annotations

import pytest

from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.text_pairs import parts_prover

SCHEMA = """create table t (id int primary key, a int not null, k int not null);
create table u (id int primary key, tid int not null, x int not null, y int not null)"""
SUBQUERIES = (
    "select t.id, (select max(u.x) from u where u.tid = t.id and {}) from t",
    "select t.id, array(select u.x from u where u.tid = t.id and {} order by u.id) from t",
    "select t.id, q.x from t left join lateral (select u.x from u where u.tid = t.id and {}) q on true",
)


@pytest.mark.parametrize(("asked", "left"), [("t.a > 1", set()), ("10 / t.a > 1", {"errors"})])
@pytest.mark.parametrize("query", SUBQUERIES)
def test_the_order_of_conditions_on_outer_values_counts(query: str, asked: str, left: set[str]) -> None:
    proved = parts_prover(catalog_from_ddl(SCHEMA))
    orders = (f"{asked} and t.k + 0 = 5", f"t.k + 0 = 5 and {asked}")
    assert proved(*(query.format(x) for x in orders), 20.0) == left
