"""What two queries may raise in the same words, and of other rows: proved only with a reservation, and a server
tells them apart.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.equivalence.prover import prove
from rewright.equivalence.records import Proof
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.directions import TURNED

SCHEMA = """
create table t (id int primary key, a int, b int, n int not null);
create table ev (k int, g int, x int not null, p int);
create table big (k int, g int, l bigint not null);
create table cyc (src int not null, dst int not null);
"""
# of each pair one side raises on these rows
ROWS = """
insert into t values (1, 1, 3, 1), (2, 3, 1, 0);
insert into ev values (1, 2, 0, 5), (1, 2, 5, 5), (2, 1, 7, 7), (3, 3, 9, 9), (4, 4, -1, null);
insert into big values (1, 2, 1), (2, 1, 5000000000);
insert into cyc values (7, 0);
"""
CATALOG = catalog_from_ddl(SCHEMA)
APART = (
    ("select count((select x from ev where k = 2) is null) from t", "select count((select x from ev where k = 1) is null) from t"),
    ("select count((select x from ev where k = t.b and t.id = 1) is null) from t", "select count((select x from ev where k = t.a and t.id = 1) is null) from t"),
    ("select count((select max(x) from ev where k = 2 group by k) is null) from t", "select count((select max(x) from ev where k < 3 group by k) is null) from t"),
    ("select count((select distinct p from ev where k = 1) is null) from t", "select count((select p from ev where k = 1) is null) from t"),
    ("select count(1 / x) >= 0 from ev where k = 2", "select count(1 / x) >= 0 from ev where k = 1"),
    ("select count(1 / e.x) from ev e, ev f where e.k = 2 and f.k = 1", "select count(1 / f.x) from ev e, ev f where e.k = 2 and f.k = 1"),
    ("select count(1 / t.n) >= 0 from t join ev on k = t.id and p = 5", "select count(1 / t.n) >= 0 from t left join ev on k = t.id and p = 5"),
    ("select id, (select count(1 / x) from (select x from ev order by x desc limit 3) q) is not null from t", "select id, (select count(1 / x) from (select x from ev order by x desc limit 4) q) is not null from t"),
    ("select count(1 / x) >= 0 from ev, (select 1 from cyc where src = 0) c", "select count(1 / x) >= 0 from ev"),
    ("select count(y) >= 0 from (select 1 / x as y from ev where k = 2 union all select 0 from ev where k = 1) q", "select count(y) >= 0 from (select 0 as y from ev where k = 2 union all select 1 / x from ev where k = 1) q"),
    ("select count(case when exists (select 1 from ev where k = t.a and p = 5) then 1 / n end is null) from t", "select count(case when exists (select 1 from ev where k = t.b and p = 5) then 1 / n end is null) from t"),
    ("select count((10 / (select count(p) from ev where k = t.a)) is null) from t", "select count((10 / (select count(p) from ev where k = t.b and t.id = 9)) is null) from t"),
    ("select count(*) >= 0 from t where a = 9 and (select count(1 / x) from ev where k = n) >= 0", "select count(*) >= 0 from t where b = 3 and (select count(1 / x) from ev where k = n) >= 0"),
    ("select case when s > 5 then 1 when s <= 5 then 1 else 1 end from (select sum(1 / x) s from ev where k = 2) q", "select case when s > 5 then 1 when s <= 5 then 1 else 1 end from (select sum(1 / x) s from ev where k = 1) q"),
    ("select k, count(1 / x) >= 0 from ev group by k having k < 2", "select k, count(1 / x) filter (where g > 2) >= 0 from ev group by k having k < 2"),
    ("select k, max(1 / x) from ev group by rollup (k) having k > 1", "select k, max(1 / x) from ev where k > 1 group by k"),
    ("select k, m from (select k, max(1 / x) m, rank() over (order by k) from ev group by k) q where k > 1", "select k, max(1 / x) from ev where k > 1 group by k"),
    ("select k, m from (select k, max(1 / x) m from ev group by k offset 0) q where k > 1", "select k, max(1 / x) from ev where k > 1 group by k"),
    ("select count(distinct 1 / x) >= 0 from ev where k = 2", "select count(distinct 1 / x) >= 0 from ev where k = 1"),
    ("select count(1 / x) filter (where k = 2), count(1 / x) filter (where k = 2) >= 0 from ev", "select count(1 / x) filter (where k = 2), count(1 / x) >= 0 from ev"),
    # NULLs that an extreme does not see are no NULLs of what it is of
    ("select count(1 / (select min(coalesce(p, 0)) from ev where p is null or k = 9)) >= 0 from t", "select count(1 / (select min(coalesce(p, 0)) from ev where k = 9)) >= 0 from t"),
    ("select count(1 / (select count(p) from ev where p is null or k = t.id)) >= 0 from t where id = 2", "select count(1 / (select count(p) from ev where p is null and k = t.id)) >= 0 from t where id = 2"),
    # what a group is made by, asked of other rows
    ("select y, (select count(*) from ev f where 1 / f.x = y and f.k = 2) >= 0 from (select distinct 1 / x as y from ev where k = 2) q", "select y, (select count(*) from ev f where 1 / f.x = y and f.k = 1) >= 0 from (select distinct 1 / x as y from ev where k = 2) q"),
)  # fmt: skip
# the same failures, of the same rows, however the rest is written
ALIKE = (
    ("select id, (select x from ev where k = 2) from t where n in (1, 2)", "select id, (select x from ev where k = 2) from t where n = 1 or n = 2"),
    ("select g, sum(l)::int from big where k in (select src from cyc) group by g", "select g, sum(l)::int from big where exists (select 1 from cyc where src = k) group by g"),
    ("select g, sum(l)::int from big group by g having g > 1", "select g, sum(l)::int from big where g > 1 group by g"),
    ("select k, max(1 / x) from ev group by k having k > 1", "select k, max(1 / x) from ev where k > 1 group by k"),
    ("select l::int from big where k in (select src from cyc)", "select l::int from big where exists (select 1 from cyc where src = k)"),
    ("select id, n - (select min(p) from ev where p is null or k = t.a) from t", "select id, n - (select min(p) from ev where k = t.a) from t"),
    ("select id, n - (select min(o.n) from t o where o.n > t.n) from t", "select id, n - m from (select id, n, min(n) over (order by n desc groups between unbounded preceding and 1 preceding) m from t) s"),
    ("select avg(id + (select min(o.n) from t o where o.n > t.n)) from t", "select avg(id + m) from (select id, min(n) over (order by n desc groups between unbounded preceding and 1 preceding) m from t) s"),
    # the keys of groups fail where the groups are made, whatever the aggregates count
    ("select 10 / x, count(*) filter (where (select count(*) from cyc where src = p) = 0) from ev group by 10 / x", "select 10 / x, count(*) filter (where not exists (select 1 from cyc where src = p)) from ev group by 10 / x"),
    ("select 10 / x, sum(g) filter (where k in (select src from cyc)) from ev where g > 0 group by 10 / x", "select 10 / x, sum(g) filter (where exists (select 1 from cyc where src = k)) from ev where g > 0 group by 10 / x"),
)  # fmt: skip


@pytest.mark.parametrize(("first", "second"), APART)
@pytest.mark.parametrize("turned", TURNED)
def test_the_same_words_of_other_rows_are_a_reservation(first: str, second: str, turned: bool) -> None:
    pair = (second, first) if turned else (first, second)
    found = prove(*(bind(text, CATALOG) for text in pair), CATALOG, deadline_seconds=60)
    assert not isinstance(found, Proof) or "errors" in found.modulo


@pytest.mark.parametrize(("first", "second"), ALIKE)
def test_failures_of_the_same_rows_need_none(first: str, second: str) -> None:
    found = prove(bind(first, CATALOG), bind(second, CATALOG), CATALOG, deadline_seconds=60)
    assert isinstance(found, Proof)
    assert not found.modulo & {"errors", "overflow"}


@pytest.mark.server
@pytest.mark.parametrize(("first", "second"), APART)
def test_a_server_tells_them_apart(
    first: str, second: str, rows_on_server: psycopg.Connection[tuple[object, ...]]
) -> None:
    assert _outcome(rows_on_server, first) != _outcome(rows_on_server, second)


def _outcome(rows_on_server: psycopg.Connection[tuple[object, ...]], text: str) -> str:
    try:
        rows_on_server.execute(text.encode()).fetchall()
    except psycopg.DataError as error:
        return str(error.sqlstate)
    except psycopg.errors.CardinalityViolation as error:
        return str(error.sqlstate)
    return "rows"
