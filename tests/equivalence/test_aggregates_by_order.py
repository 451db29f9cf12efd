"""Aggregates whose value the order of their rows decides, or which of equals is kept, and functions that see
how a value is stored: none of them is the same over the same rows by another plan (hazards M4, M9).
"""

from __future__ import annotations

import pytest

from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding, bind_both
from rewright.equivalence.recheck.chance import left_to_chance
from rewright.equivalence.verdicts import Proved
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl("""
create table t (id int primary key, k int not null, x int, s text not null, n numeric not null, q numeric(8,2) not null,
    f float8 not null, r int4range not null, nr numrange not null);
create table u (id int primary key, tid int not null references t(id), z int not null);
""")
# one join, written in two ways
ONE = "select {} from u join t on t.id = u.tid where t.k between 1 and 3"
OTHER = "select {} from t, u where u.tid = t.id and t.k >= 1 and t.k <= 3"
BY_ORDER = (
    "json_agg(t.s)", "json_agg_strict(t.s)", "jsonb_agg_strict(t.s)", "json_object_agg(t.s, t.x)",
    "json_object_agg_strict(t.s, t.x)", "jsonb_object_agg_strict(t.s, t.x)", "json_object_agg_unique(t.s, t.x)",
    "any_value(t.s)", "array_agg(t.id order by t.k)",
    # of equal values that look different one is kept
    "mode() within group (order by t.n)", "percentile_disc(0.5) within group (order by t.n)", "sum(distinct t.n)",
    "avg(distinct t.n)", "stddev(distinct t.n)", "max(t.n)", "range_agg(t.nr)",
)  # fmt: skip
BY_ROWS = (
    "mode() within group (order by t.s)", "sum(distinct t.q)", "sum(distinct t.k)", "sum(t.n)", "count(distinct t.n)",
    "bit_xor(t.k)", "range_agg(t.r)", "range_intersect_agg(t.r)", "bool_or(t.x > 1)", "max(distinct t.q)",
    "array_agg(t.id order by t.id)", "string_agg(t.s, ',' order by t.s)",
)  # fmt: skip
READ_TWICE = (
    (
        (
            "select a.k from (select k, any_value(x) as v from t group by k) a "
            "join (select k, any_value(x) as v from t group by k) b on a.k = b.k and a.v = b.v"
        ),
        "select k from (select k, any_value(x) as v from t group by k) a where v is not null",
    ),
    (
        "select a.v = b.v from (select any_value(s) as v from t) a, (select any_value(s) as v from t) b",
        "select a.v = a.v from (select any_value(s) as v from t) a",
    ),
)
# a value has other bytes before it where it was computed than where it was put aside
STORED = (
    (
        "with v as materialized (select id, s || 'x' as x from t) select pg_column_size(x) from v",
        "select pg_column_size(s || 'x') from t",
    ),
    (
        "select pg_column_size(v.m) from u join (select k, max(s) as m from t group by k) v on v.k = u.z",
        "select pg_column_size((select max(s) from t where k = u.z)) from u where exists (select 1 from t where k = u.z)",
    ),
)


def proved(first: str, second: str) -> Proved | None:
    both = bind_both(first, second, CATALOG, ("public",))
    assert isinstance(both, Binding), both
    return prove_pair(both, CATALOG, 10.0).proved


@pytest.mark.parametrize("call", BY_ORDER)
def test_what_goes_by_order_is_left_to_chance(call: str) -> None:
    found = proved(ONE.format(call), OTHER.format(call))
    assert found is None or "tie-order" in found.modulo


@pytest.mark.parametrize("call", BY_ROWS)
def test_what_goes_by_rows_is_not(call: str) -> None:
    found = proved(ONE.format(call), OTHER.format(call))
    assert found is not None
    assert found.modulo == ()


@pytest.mark.parametrize("call", BY_ORDER[:10])
def test_the_recheck_leaves_it_to_chance_as_well(call: str) -> None:
    assert "tie-order" in left_to_chance(bind(ONE.format(call), CATALOG), CATALOG)[0]


@pytest.mark.parametrize("pair", READ_TWICE, ids=range(len(READ_TWICE)))
def test_what_is_read_twice_may_be_two_values(pair: tuple[str, str]) -> None:
    for first, second in (pair, pair[::-1]):
        found = proved(first, second)
        assert found is None or "tie-order" in found.modulo


@pytest.mark.parametrize("pair", STORED, ids=range(len(STORED)))
def test_how_values_are_stored_is_no_part_of_them(pair: tuple[str, str]) -> None:
    assert proved(*pair) is None
    assert proved(*pair[::-1]) is None
