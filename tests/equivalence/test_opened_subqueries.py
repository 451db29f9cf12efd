"""Plain subqueries in FROM that only one query of a pair has: pairs that are the same, and the nearest that differ."""

from __future__ import annotations

import json

import pytest

from rewright.equivalence.certificates import Texts, certificate
from rewright.equivalence.decomposition.parts import is_same, views
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.laws.opened_subqueries import opened
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.check import recheck
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.walk import walk

SCHEMA = """
create table m (id int primary key, tier text, k int);
create table s (id int primary key, m int not null references m, amount numeric(10,2) not null, day date);
create table o (id int primary key, m int references m, k smallint);
create view worth as select m.id, m.tier, coalesce(t.a, 0) as a from m
    left join (select m, sum(amount) as a from s group by m) t on t.m = m.id;
"""
CATALOG = catalog_from_ddl(SCHEMA)
_SUMS = "left join (select m, sum(amount) as a from s group by m) t on t.m = m.id"
_COUNTS = "left join (select m, count(*) as n from o group by m) c on c.m = m.id"

SAME = {
    "outer joins below a grouping": (
        (
            f"select v.tier, sum(v.a) from (select m.tier, coalesce(t.a, 0) as a from m {_SUMS}) v group by v.tier "
            "having sum(v.a) > 10"
        ),
        f"select m.tier, sum(coalesce(t.a, 0)) from m {_SUMS} group by m.tier having sum(coalesce(t.a, 0)) > 10",
    ),
    "two of them": (
        (
            f"select v.tier, max(v.n) from (select m.id, m.tier, c.n, t.a from m {_SUMS} {_COUNTS} where m.k > 1) v "
            "where v.id < 9 group by v.tier having min(v.a) > 3"
        ),
        (
            f"select m.tier, max(c.n) from m {_SUMS} {_COUNTS} where m.k > 1 and m.id < 9 group by m.tier "
            "having min(t.a) > 3"
        ),
    ),
    "a view": (
        "select w.tier, count(*) from worth w join o on o.m = w.id where w.a > 2 group by w.tier",
        f"select m.tier, count(*) from m {_SUMS} join o on o.m = m.id where coalesce(t.a, 0) > 2 group by m.tier",
    ),
    "what is computed beside a row": (
        "select s.m, sum(l.v) from s cross join lateral (select s.amount * 2 as v) l group by s.m",
        "select m, sum(amount * 2) from s group by m",
    ),
    "several tables within a join": (
        "select count(*) from m join (select o.m, s.day from o, s where s.m = o.m and o.k > 1) v on v.m = m.id",
        "select count(*) from m, o, s where o.m = m.id and s.m = o.m and o.k > 1",
    ),
    "what may fail": (
        "select v.tier, max(v.x) from (select tier, 10 / k as x from m where k <> 0) v group by v.tier",
        "select tier, max(10 / k) from m where k <> 0 group by tier",
    ),
}
OTHER = {
    "what is computed of padded rows": (
        "select m.id, v.n from m left join (select m, coalesce(k, 0) as n from o) v on v.m = m.id",
        "select m.id, coalesce(o.k, 0) from m left join o on o.m = m.id",
    ),
    "a condition beside a join, not within": (
        f"select v.id from m x left join (select m.id, t.a from m {_SUMS} where t.a > 1) v on v.id = x.k",
        f"select m.id from m x left join m on m.id = x.k {_SUMS} where t.a > 1",
    ),
    "chance": (
        f"select v.r, v.r from (select random() as r from m {_SUMS}) v",
        f"select random(), random() from m {_SUMS}",
    ),
    "each row once": (
        f"select count(*) from (select distinct m.tier from m {_SUMS}) v",
        f"select count(m.tier) from m {_SUMS}",
    ),
    "another aggregate": (
        f"select v.tier, sum(v.a) from (select m.tier, coalesce(t.a, 0) as a from m {_SUMS}) v group by v.tier",
        f"select m.tier, sum(t.a) from m {_SUMS} group by m.tier",
    ),
    "a row as a whole": (
        f"select v from (select m.id, m.tier from m {_SUMS}) v",
        f"select m from m {_SUMS}",
    ),
    "a constant as a key": (
        "select v.c, count(*) from (select 7 as c, m.id from m, s) v group by grouping sets ((v.c), ())",
        "select 7, count(*) from m, s group by grouping sets ((), ())",
    ),
}


def _bound(pair: tuple[str, str]) -> Binding:
    first, second = pair
    return Binding(bind(first, CATALOG), bind(second, CATALOG), CATALOG)


@pytest.mark.parametrize("name", SAME)
def test_it_is_put_in_its_place(name: str) -> None:
    both = _bound(SAME[name])
    found = prove_pair(both, CATALOG, 10.0).proved
    assert found is not None
    assert not found.modulo
    document = certificate(found, Texts(SCHEMA, *SAME[name]), both)
    assert recheck(json.dumps(document).encode()).word == "good"


@pytest.mark.parametrize("name", OTHER)
def test_it_stays_where_another_place_would_be_another_query(name: str) -> None:
    assert prove_pair(_bound(OTHER[name]), CATALOG, 3.0).proved is None


def test_nothing_is_left_to_prove_where_nothing_else_differs() -> None:
    both = _bound(SAME["outer joins below a grouping"])
    assert any(map(is_same, views(both.original, both.candidate, CATALOG)))


def test_what_is_computed_is_not_written_out_time_and_again() -> None:
    query = "select k as c0 from m"
    for i in range(1, 25):
        query = f"select v{i}.c{i - 1} + v{i}.c{i - 1} as c{i} from ({query}) v{i}"
    both = _bound((query, "select k from m"))
    first, _ = opened(both.original, both.candidate)
    assert first != both.original
    assert sum(1 for _ in walk(first)) < 2_000
