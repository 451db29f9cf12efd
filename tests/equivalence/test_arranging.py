"""Trees that the planner takes for one have one arrangement, and forms in which little differs are looked at
first.
"""

from __future__ import annotations

import pytest

from rewright.engines import clock
from rewright.equivalence.decomposition.search import PartsSearch
from rewright.equivalence.laws.arranging import arranged
from rewright.sql import algebra as a
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.walk import canonical

CATALOG = catalog_from_ddl("""
create table t (id int primary key, k int, s smallint not null, x text);
create table o (id int primary key, k int, x text, t int not null references t, far int references t);
""")


def form(text: str) -> object:
    return canonical(arranged(bind(text, CATALOG), CATALOG), keep_names=False)


@pytest.mark.parametrize(
    ("same", "first", "second"),
    [
        (True, "select o.k from o join t on t.id = o.t where t.k > 1", "select o.k from o, t where t.k > 1 and o.t = t.id"),
        (
            True,
            "select id from t where k = 1 and exists (select 1 from o where o.t = t.id and o.k = 2)",
            "select id from t where exists (select 1 from o where o.k = 2 and t.id = o.t) and k = 1",
        ),
        (
            True,
            "select (select max(o.k) from o where o.t = t.id) m from t order by 1",
            "select (select max(o.k) from o where o.t = t.id) m from t order by (select max(p.k) from o p where t.id = p.t)",
        ),
        (False, "select o.k from o left join t on t.id = o.t and t.k > 1", "select o.k from o, t where t.k > 1 and o.t = t.id"),
        (False, "select k > 1 and 10 / s > 0 from t", "select 10 / s > 0 and k > 1 from t"),
        (False, "select id from t where k > 1 and 10 / s > 0", "select id from t where 10 / s > 0 and k > 1"),
        (
            False,
            "select id from t where k > 1 and (select o.k from o where o.k > t.k) > 0",
            "select id from t where (select o.k from o where o.k > t.k) > 0 and k > 1",
        ),
        (False, "select id from t where k = 1 or s = 2", "select id from t where k = 1 and s = 2"),
        (False, "select a.id from t a, t b where a.k = b.s", "select a.id from t a, t b where b.k = a.s"),
        (False, "select a.id from t a, t b where a.k < b.id", "select a.id from t a, t b where b.id < a.k"),
    ],
)  # fmt: skip
def test_one_arrangement(same: bool, first: str, second: str) -> None:
    assert (form(first) == form(second)) == same


def test_an_arrangement_shows_the_same_columns() -> None:
    query = bind("select o.k, t.x from o join t on t.id = o.t where o.k = t.k", CATALOG)
    assert a.output_columns(arranged(query, CATALOG)) == a.output_columns(query)


@pytest.mark.parametrize(
    ("first", "second", "most"),
    [
        (
            "select t.id, (select coalesce(sum(o.k), 0) from o join t u on u.id = o.far where o.t = t.id group by o.t) v from t order by 2, 1",
            "select t.id, g.v from t left join (select o.t, coalesce(sum(o.k), 0) v from o, t u where u.id = o.far group by o.t) g on g.t = t.id order by g.v, t.id",
            1,
        ),
        (
            "select t, k, count(*) n from o group by t, k having count(*) = (select max(x.n) from (select t, k, count(*) n from o group by t, k) x where x.t = o.t)",
            "select g.t, g.k, g.n from (select t, k, count(*) n from o group by t, k) g, (select t, max(n) m from (select t, k, count(*) n from o group by t, k) x group by t) y where g.n = y.m and y.t = g.t",
            1,
        ),
    ],
)
def test_little_is_looked_at_where_little_differs(first: str, second: str, most: int) -> None:
    search = PartsSearch(bind(first, CATALOG), bind(second, CATALOG), CATALOG)
    found = search.round(0.2, clock.now() + 5.0, positions=False)
    assert found is not None
    assert search.looks <= most
