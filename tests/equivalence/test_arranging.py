"""Trees that the planner takes for one have one arrangement, and forms in which little differs are looked at
first.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rewright.engines import clock
from rewright.equivalence.decomposition import search
from rewright.equivalence.decomposition.search import PartsSearch
from rewright.equivalence.laws.arranging import arranged
from rewright.equivalence.proof import Proof
from rewright.equivalence.proving import Attempt, Binding
from rewright.equivalence.verdicts import Proved
from rewright.sql import algebra as a
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog
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
    searching = PartsSearch(bind(first, CATALOG), bind(second, CATALOG), CATALOG)
    found = searching.round(0.2, clock.now() + 5.0, positions=False)
    assert found is not None
    assert searching.looks <= most


@dataclass
class Slow:
    """Proofs that take their time on a clock of their own: the first look at a part of the query's first arm
    ``first`` seconds, at others ``others``.
    """

    first: float
    others: float
    time: float = 0.0

    def now(self) -> float:
        return self.time

    def prove(self, binding: Binding, _: Catalog, seconds: float, **__: object) -> Attempt:
        takes = self.first if "k" in column_names(binding.original) else self.others
        self.time += min(seconds, takes)
        if takes <= seconds:
            return Attempt(Proved("stub", proof=Proof("stub")), "", binding)
        return Attempt(None, "no proof: timeout", binding)


def column_names(query: a.Query) -> set[str]:
    return {column.name for column in a.output_columns(query)}


@pytest.mark.parametrize(("others", "found"), [(0.3, True), (1.0, False)])
def test_parts_that_are_like_one_that_is_proved_get_its_time(
    monkeypatch: pytest.MonkeyPatch, others: float, *, found: bool
) -> None:
    before, after = (
        bind(f"select k from t where {c} union all select s from t where {c.replace('k', 's')}", CATALOG)
        for c in ("k > 1 and k > 0", "k > 1")
    )
    slow = Slow(0.15, others)
    monkeypatch.setattr(search, "prove_both", slow.prove)
    monkeypatch.setattr(search.clock, "now", slow.now)
    looks = PartsSearch(before, after, CATALOG)
    attempt = looks._attempt(0)
    assert attempt is not None
    assert len(attempt.parts) == 2
    # what has a fifth of a second has twice and a half the 0.15 of the first part
    assert (looks._all(0, attempt, 0.2, 5.0, positions=False) is not None) is found
