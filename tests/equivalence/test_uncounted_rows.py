"""What fails for rows that count for nothing: a query that leaves them out gives the same, where it does not
fail (hazards M7).

An aggregate evaluates its FILTER and its arguments for all rows that WHERE leaves; keys of groups, sorts and
DISTINCT ON are computed though nobody sees them.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding, bind_both
from rewright.equivalence.verdicts import Proved
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts import Facts

SCHEMA = """
create table t (id int primary key, k int not null, x int, y int not null, s text not null, n numeric);
create table u (id int primary key, tid int not null references t(id), z int not null);
"""
# of the row with id 1 nothing but its key is there, and dividing by its y fails, as reading its s does
ROWS = """
insert into t values (1, 1, null, 0, 'a', null), (2, 1, 5, 2, '7', 3.5), (3, 2, 4, 1, '8', 1.50);
insert into u values (1, 1, 1), (2, 2, 2), (3, 2, 3);
"""
CATALOG = catalog_from_ddl(SCHEMA)
# the first fails for a row that the second does not look at, or the other way round
DIFFERENT = (
    # FILTER is asked of all rows
    ("select min(x) filter (where 10/y > 1) from t", "select min(x) filter (where 10/y > 1) from t where x is not null"),
    ("select sum(x) filter (where 10/y > 1) from t", "select sum(x) filter (where 10/y > 1) from t where x is not null"),
    ("select count(x) filter (where 10/y > 1) from t", "select count(x) filter (where 10/y > 1) from t where x is not null"),
    ("select bool_and(x > 0) filter (where 10/y > 1) from t", "select bool_and(x > 0) filter (where 10/y > 1) from t where x is not null"),
    ("select min(x) filter (where s::int > 1) from t", "select min(x) filter (where s::int > 1) from t where x is not null"),
    ("select min(x) filter (where 10/y > 1) from t where y <> 0 or x is null", "select min(x) filter (where 10/y > 1) from t where y <> 0"),
    ("select max(x) filter (where q > 1) from (select x, 10/y as q from t) v", "select max(x) filter (where q > 1) from (select x, 10/y as q from t where x is not null) v"),
    ("select k, max(x) filter (where 10/y > 1) from t group by k", "select k, max(x) filter (where 10/y > 1) from t where x is not null group by k having k > 0"),
    # arguments are computed before it is seen that they are NULL
    ("select min(x + 10/y) from t", "select min(x + 10/y) from t where x is not null"),
    ("select min(n + k::numeric/y) from t", "select min(n + k::numeric/y) from t where n is not null"),
    ("select count(distinct x + 10/y) from t", "select count(distinct x + 10/y) from t where x is not null"),
    ("select min(case when 10/y > 1 then x end) from t", "select min(case when 10/y > 1 then x end) from t where x is not null"),
    ("select min(case when s::int > 1 then x end) from t", "select min(case when s::int > 1 then x end) from t where x is not null"),
    ("select string_agg(s || (10/y)::text || x::text, ',' order by id) from t", "select string_agg(s || (10/y)::text || x::text, ',' order by id) from t where x is not null"),
    ("select string_agg(x::text, ',' order by id, 10/y) from t", "select string_agg(x::text, ',' order by id) from t where x is not null"),
    ("select max(c) from (select max(x + 10/y) over (partition by k) as c from t) v", "select max(c) from (select max(x + 10/y) over (partition by k) as c from t where x is not null) v"),
    # a subquery that is sorted is sorted, whether its order is seen or not
    ("select k, x from (select k, x, row_number() over (partition by k order by x) as n from t order by 1/y) v where n = 1", "select k, min(x) from t group by k"),
    ("select k, x from (select k, x, row_number() over (partition by k order by x) as n from t order by s::int) v where n = 1", "select k, x from (select k, x, row_number() over (partition by k order by x) as n from t) v where n = 1"),
    ("select u.id, v.x from u left join (select k, x, row_number() over (partition by k order by x) as n from t order by 1/y) v on v.k = u.z and v.n = 1", "select u.id, v.x from u left join (select k, min(x) as x from t group by k) v on v.k = u.z"),
    # keys that say nothing
    ("select t.id, max(u.z) from t left join u on u.tid = t.id group by t.id, 1/t.y", "select id, (select max(z) from u where tid = t.id) from t"),
    ("select t.id, max(u.z) from t join u on u.tid = t.id group by t.id, 1/t.y", "select id, (select max(z) from u where tid = t.id) from t where exists (select 1 from u where tid = t.id)"),
    ("select t.id, max(u.z) from t left join u on u.tid = t.id group by t.id, t.s::int", "select id, (select max(z) from u where tid = t.id) from t"),
    ("select t.id, t.k, max(u.z) from t left join u on u.tid = t.id group by t.id, 1/t.y order by t.id", "select id, k, (select max(z) from u where tid = t.id) from t order by id"),
    ("select id from u where (select distinct on (1/t.y) t.k from t where t.id = u.z limit 1) is not null", "select id from u where exists (select 1 from t where t.id = u.z)"),
    ("select id from u where (select distinct on (t.s::int) t.k from t where t.id = u.tid limit 1) is null", "select id from u where not exists (select 1 from t where t.id = u.tid)"),
)  # fmt: skip
# a row for which they fail would have counted, or they are asked of the same rows
EQUAL = (
    ("select sum(10/y) from u join t on t.id = u.tid", "select sum(10/t.y) from t join u on u.tid = t.id"),
    ("select max(10/y) from t", "select max(10/y) from t where y is not null"),
    ("select sum(s::int) from t where id between 1 and 2", "select sum(s::int) from t where id >= 1 and id <= 2"),
    ("select sum(case when k = 1 then 10/y end) from t where x is not null or x is null", "select sum(case when k = 1 then 10/y end) from t"),
    ("select count(*) filter (where 10/y > 1) from t where k between 1 and 2", "select count(*) filter (where 10/y > 1) from t where k >= 1 and k <= 2"),
    ("select min(10/x) from t where x is not null", "select min(10/x) from t"),
    ("select k, x from (select k, x, row_number() over (partition by k order by x) as n from t order by id) v where n = 1", "select k, min(x) from t group by k"),
    ("select t.id, max(u.z) from t left join u on u.tid = t.id group by t.id, t.s", "select id, (select max(z) from u where tid = t.id) from t"),
    ("select id from u where (select distinct on (t.y) t.k from t where t.id = u.z limit 1) is not null", "select id from u where exists (select 1 from t where t.id = u.z)"),
)  # fmt: skip
# the first overflows for a row that the second does not look at, or computes what the second does not
OVERFLOWS = (
    ("select min(x) filter (where y + 1 > 5) from t", "select min(x) filter (where y + 1 > 5) from t where x is not null"),
    ("select min(x + (y + 1)) from t", "select min(x + (y + 1)) from t where x is not null"),
    ("select t.id, max(u.z) from t left join u on u.tid = t.id group by t.id, t.k + 1", "select id, (select max(z) from u where tid = t.id) from t"),
    ("select t.id, sum(u.z) from t left join u on u.tid = t.id group by t.id, -t.k", "select id, (select sum(z) from u where tid = t.id) from t"),
    (
        "select u.id, g.m from u left join (select k, max(x) as m from t group by k order by max(x) + 1) g on g.k = u.z",
        "select id, (select max(x) from t where k = u.z) from u",
    ),
)  # fmt: skip
UNDER_CI = """
create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create table t (id int primary key, c text collate ci not null, d text not null);
"""
# refused under collations that are not deterministic, by some versions or by all
SEARCHES = (
    "starts_with(c, 'a')", "c ^@ 'a'", "strpos(c, 'a') > 0", "position('a' in c) > 0", "replace(c, 'a', 'b') = c",
    "c like 'a%b'",
)  # fmt: skip


def proved(first: str, second: str) -> Proved | None:
    both = bind_both(first, second, CATALOG, ("public",))
    assert isinstance(both, Binding), both
    return prove_pair(both, CATALOG, 10.0).proved


@pytest.mark.parametrize("pair", DIFFERENT, ids=range(len(DIFFERENT)))
def test_what_fails_for_other_rows_is_not_proved(pair: tuple[str, str]) -> None:
    for first, second in (pair, pair[::-1]):
        found = proved(first, second)
        assert found is None or "errors" in found.modulo


@pytest.mark.parametrize("pair", EQUAL, ids=range(len(EQUAL)))
def test_what_fails_for_the_same_rows_is_proved(pair: tuple[str, str]) -> None:
    for first, second in (pair, pair[::-1]):
        found = proved(first, second)
        assert found is not None
        assert found.modulo == ()


@pytest.mark.parametrize("pair", OVERFLOWS, ids=range(len(OVERFLOWS)))
def test_what_overflows_in_one_is_not_proved(pair: tuple[str, str]) -> None:
    for first, second in (pair, pair[::-1]):
        found = proved(first, second)
        assert found is None or "overflow" in found.modulo


@pytest.mark.server
def test_one_of_the_two_fails_on_a_server(scratch_server: ScratchServer) -> None:
    database = scratch_server.create_database()
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as rows:
        for text in (SCHEMA, ROWS):
            rows.execute(text.encode())
        for first, second in DIFFERENT:
            assert fails(rows, first) != fails(rows, second), first
        for first, second in EQUAL:
            assert fails(rows, first) == fails(rows, second), first


def fails(rows: psycopg.Connection[tuple[object, ...]], query: str) -> bool:
    try:
        rows.execute(query.encode()).fetchall()
    except psycopg.DataError:
        return True
    return False


@pytest.mark.parametrize("search", SEARCHES)
def test_searches_may_be_refused_under_collations_that_are_not_known(search: str) -> None:
    catalog = catalog_from_ddl(UNDER_CI)
    texts = [f"select id from t where {search} or not ({search})", "select id from t"]
    both = bind_both(*texts, catalog, ("public",))
    assert isinstance(both, Binding), both
    found = prove_pair(both, catalog, 5.0).proved
    assert found is None or "errors" in found.modulo
    for column in ("c", "d"):
        query = bind(texts[0].replace("c,", f"{column},").replace("in c", f"in {column}").replace("c ^@", f"{column} ^@")
                     .replace("c like", f"{column} like").replace("= c", f"= {column}"), catalog)  # fmt: skip
        assert bool(Facts(catalog, query).errors(query)) is (column == "c")
