"""Rows that reach aggregates in one order, each beside the nearest that may not."""

from __future__ import annotations

import pytest

from rewright.sql.algebra import Select
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts import Facts
from rewright.sql.facts.arrival import arrives_in_order

CATALOG = catalog_from_ddl("create table t (id int primary key, day date not null, x int, g int)")
BY_KEY = "(select id, x from t order by day, id limit 3) s"


@pytest.mark.parametrize(
    ("text", "in_order"),
    [
        (f"select array_agg(x) from {BY_KEY}", True),
        (f"select array_agg(x), string_agg(id::text, ','), count(*) from {BY_KEY}", True),
        (f"select coalesce(jsonb_agg(x), '[]') from {BY_KEY}", True),
        (f"select jsonb_agg(o) from (select jsonb_build_object('x', x) as o from {BY_KEY}) q", True),
        # sorted in parts by parallel workers, whose arrays are put together
        ("select array_agg(x) from (select x from t order by id) s", False),
        # ties
        ("select array_agg(x) from (select x from t order by day limit 3) s", False),
        ("select array_agg(x) from (select x from t limit 3) s", False),
        # other processing
        (f"select array_agg(x) from {BY_KEY} where x > 1", False),
        (f"select array_agg(s.x) from {BY_KEY} join t on t.id = s.id", False),
        (f"select array_agg(s.x) from {BY_KEY}, t", False),
        (f"select array_agg(x) from {BY_KEY} group by id", False),
        (f"select array_agg(x), array_agg(id order by x) from {BY_KEY}", False),
        (f"select array_agg(x), count(distinct id) from {BY_KEY}", False),
        (
            "select array_agg(x) from (select distinct on (day) day, id, x from t order by day, id limit 3) s",
            False,
        ),
        (f"select array_agg(x) from (select x, rank() over (order by x) from {BY_KEY}) q", False),
        (f"select array_agg(x) from (select x from {BY_KEY} limit 2) q", False),
        (f"select array_agg(x) from (select x from {BY_KEY} where x > 1) q", False),
        ("select array_agg(x) from (select generate_series(1, 2) as x from t order by id limit 3) s", False),
    ],
)
def test_rows_arrive_in_one_order(text: str, in_order: bool) -> None:
    query = bind(text, CATALOG)
    assert isinstance(query, Select)
    found = arrives_in_order(query, Facts(CATALOG, query).exprs_determine)
    assert (found is not None) is in_order
