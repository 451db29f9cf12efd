"""Whose ORDER BY decides an aggregate's value, whatever order its rows come in."""

from __future__ import annotations

import pytest

from rewright.sql import algebra as a
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts import ordered_by_value
from rewright.sql.walk import walk

CATALOG = catalog_from_ddl("create table t (i int, n numeric, s text, d date)")


@pytest.mark.parametrize(
    ("call", "decided"),
    [
        ("array_agg(i order by i)", True),
        ("array_agg(i order by d, i desc nulls last)", True),
        ("string_agg(s, ', ' order by s)", True),
        ("string_agg(distinct s, ', ' order by s)", True),
        ("sum(i order by i)", True),
        # rows that tie in d, or numerics that are equal and look different
        ("array_agg(i order by d)", False),
        ("array_agg(n order by n)", False),
        ("string_agg(s, d::text order by s)", False),
        ("array_agg(i order by i % 7)", False),
        ("string_agg(s, ',' order by s collate \"C\")", False),
        ("array_agg(i)", False),
        ("percentile_disc(0.5) within group (order by i)", True),
        # of values that occur as often the first is shown, of equal ones any
        ("mode() within group (order by i)", True),
        ("mode() within group (order by n)", False),
    ],
)
def test_an_order_that_tells_all_values_apart_decides(call: str, decided: bool) -> None:
    query = bind(f"select {call} from t", CATALOG)
    (found,) = [n for n in walk(query) if isinstance(n, a.Aggregate)]
    assert ordered_by_value(found) is decided
