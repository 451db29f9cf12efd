"""Keys of grouping sets stay apart in every form of a pair, however alike what they show is: pairs that are the
same, and the nearest that are not.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.certificates import Texts, certificate
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.recheck.views.table import VIEWS, begun, changed, opened
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.failing_pairs import shown

SCHEMA = """
create table t (id int primary key, k int, m int, d date, x text);
create table o (id int primary key, t int not null references t);
"""
CATALOG = catalog_from_ddl(SCHEMA)
_TWICE = "select k as a, k as b, id from t"
_LIKE, _STARTS = "x like 'ab%'", "starts_with(x, 'ab')"
_SETS = "grouping sets (({0}), ({1}))"
_WITH_CONSTANT = _SETS.format("'a'::text", "k")
_ROLLED = "select k, count(*) as c from t where {0} group by rollup (k)"
_BOTH = "select k, m, count(*) as c from t where k = m group by rollup (k, m)"
_NAMED = "case when k > 1 then 'more' else 'one' end"

SAME = (
    (
        "select d.a, d.b, count(*) from (select k as a, m as b from t) d group by rollup (d.a, d.b)",
        "select k, m, count(*) from t group by rollup (k, m)",
    ),
    (
        "with d as (select k as a, m as b, id from t) select a, b, sum(id) from d group by grouping sets ((a), (b), ())",
        "select k, m, sum(id) from t group by grouping sets ((k), (m), ())",
    ),
    (
        "select k, m, count(*) from t where id in (1, 2) group by cube (k, m)",
        "select k, m, count(*) from t where id = any ('{1,2}') group by cube (k, m)",
    ),
    (
        f"select d.a, d.b, count(*) from ({_TWICE}) d group by d.a, d.b",
        "select k, k, count(*) from t group by k",
    ),
    (
        f"select v.a, v.b, count(*) from ({_TWICE}) v group by {_SETS.format('v.a', 'v.b')}",
        f"with v as materialized ({_TWICE}) select v.a, v.b, count(*) from v group by {_SETS.format('v.a', 'v.b')}",
    ),
    (
        f"{_ROLLED.format('k = 1 or k = 2')} order by k",
        f"select k, c from ({_ROLLED.format('k in (1, 2)')}) q order by k",
    ),
    (
        _BOTH,
        "select k, m, count(*) as c from t where m = k group by grouping sets ((k, m), (k), ())",
    ),
    (
        _ROLLED.format("k = 1"),
        f"select k, c from ({_ROLLED.format('k = 1')}) q",
    ),
    (
        f"{_ROLLED.format('m = 1')} order by k",
        f"select k, c from ({_ROLLED.format('m = 1')}) q order by k",
    ),
    (
        "select coalesce(v.c, 0), v.m, count(*) from (select k + 1 as c, m from t) v group by rollup (v.c, v.m)",
        "select coalesce(k + 1, 0), m, count(*) from t group by rollup (k + 1, m)",
    ),
    (
        f"select v.c || '.', v.m, count(*) from (select {_NAMED} as c, m from t) v group by rollup (v.c, v.m)",
        f"select {_NAMED} || '.', m, count(*) from t group by rollup ({_NAMED}, m)",
    ),
    (
        "select v.c, coalesce(v.m, 0), count(*) from (select 'a'::text as c, m from t) v group by rollup (v.c, v.m)",
        "select 'a'::text, coalesce(m, 0), count(*) from t group by rollup ('a'::text, m)",
    ),
)
# each shows NULLs that the other does not, or other groups
OTHER = {
    "one column shown as two": (
        f"select d.a, d.b, count(*) from ({_TWICE}) d group by {_SETS.format('d.a', 'd.b')}",
        f"select k, k, count(*) from t group by {_SETS.format('k', 'k')}",
    ),
    "one column shown as two, of one side": (
        f"select d.a, d.b, count(*) from ({_TWICE}) d group by {_SETS.format('d.a', 'd.b')}",
        f"select d.a, d.a, count(*) from ({_TWICE}) d group by {_SETS.format('d.a', 'd.a')}",
    ),
    "one column of a CTE as two": (
        f"with d as ({_TWICE}) select d.a, d.b, count(*) from d join o on o.t = d.id group by cube (d.a, d.b)",
        "select t.k, t.k, count(*) from t join o on o.t = t.id group by cube (t.k, t.k)",
    ),
    "which set it is": (
        f"select d.a, grouping(d.a, d.b) from ({_TWICE}) d group by rollup (d.a, d.b)",
        f"select d.a, grouping(d.a, d.a) from ({_TWICE}) d group by rollup (d.a, d.b)",
    ),
    "constants in keys": (
        f"select k + (1 + 1), k + 2, count(*) from t group by {_SETS.format('k + (1 + 1)', 'k + 2')}",
        f"select k + 2, k + 2, count(*) from t group by {_SETS.format('k + 2', 'k + 2')}",
    ),
    "patterns as keys": (
        f"select x like 'ab%', starts_with(x, 'ab') from t group by {_SETS.format(_LIKE, _STARTS)}",
        f"select x like 'ab%', x like 'ab%' from t group by {_SETS.format(_LIKE, _LIKE)}",
    ),
    "equations either way round": (
        f"select k = m, m = k, count(*) from t group by {_SETS.format('k = m', 'm = k')}",
        f"select k = m, k = m, count(*) from t group by {_SETS.format('k = m', 'k = m')}",
    ),
    "a key within an expression over another": (
        "select d.a + 1, count(*) from (select k as a, m as b from t) d group by grouping sets ((d.a), (d.b))",
        "select k + 1, count(*) from t group by grouping sets ((k), (k + 1))",
    ),
}
# of the second ones the server finds a key no more, once it has simplified what reads it, and shows no NULL
SIMPLIFIED = {
    "a constant within an expression": (
        f"select coalesce(v.c, 'z'), v.k, count(*) from (select 'a'::text as c, k from t) v group by {_SETS.format('v.c', 'v.k')}",
        f"select coalesce('a'::text, 'z'), k, count(*) from t group by {_WITH_CONSTANT}",
    ),
    "a constant twice": (
        f"select v.c, v.c, v.k from (select 'a'::text as c, k from t) v group by {_SETS.format('v.c', 'v.k')}",
        f"select 'a'::text, 'a'::text, k from t group by {_WITH_CONSTANT}",
    ),
    "a constant that HAVING asks": (
        f"select v.c, v.k from (select 'a'::text as c, k from t) v group by {_SETS.format('v.c', 'v.k')} having v.c is null",
        f"select 'a'::text, k from t group by {_WITH_CONSTANT} having 'a'::text is null",
    ),
    "what is a constant": (
        f"select coalesce(v.c, 7), v.m from (select coalesce(1, k) as c, m from t) v group by {_SETS.format('v.c', 'v.m')}",
        f"select coalesce(coalesce(1, k), 7), m from t group by {_SETS.format('coalesce(1, k)', 'm')}",
    ),
    "a key that becomes another": (
        (
            "select v.c, v.k, coalesce(v.k, 9) from (select case when true then k end as c, k from t) v"
            f" group by {_SETS.format('v.c', 'v.k')}"
        ),
        (
            "select case when true then k end, k, coalesce(k, 9) from t"
            f" group by {_SETS.format('case when true then k end', 'k')}"
        ),
    ),
}
# so do servers before 18
BEFORE_18 = {
    "a condition that is negated": (
        "select not v.c, count(*) from (select k = 1 as c from t) v group by rollup (v.c)",
        "select not (k = 1), count(*) from t group by rollup (k = 1)",
    ),
    "a condition that is negated in the order": (
        "select count(*) from (select k = 1 as c from t) v group by rollup (v.c) order by not v.c",
        "select count(*) from t group by rollup (k = 1) order by not (k = 1)",
    ),
    "one column as two": (
        f"select coalesce(v.a, 9), coalesce(v.b, 9) from ({_TWICE}) v group by {_SETS.format('v.a', 'v.b')}",
        (
            f"with v as materialized ({_TWICE}) select coalesce(v.a, 9), coalesce(v.b, 9) from v"
            f" group by {_SETS.format('v.a', 'v.b')}"
        ),
    ),
    "one column as two, asked by HAVING": (
        f"select v.a, v.b from ({_TWICE}) v group by {_SETS.format('v.a', 'v.b')} having v.b is null",
        (
            f"with v as materialized ({_TWICE}) select v.a, v.b from v"
            f" group by {_SETS.format('v.a', 'v.b')} having v.b is null"
        ),
    ),
    "one column as two, one of them shown twice": (
        f"select v.a, v.b, v.b from ({_TWICE}) v group by {_SETS.format('v.a', 'v.b')}",
        f"with v as materialized ({_TWICE}) select v.a, v.b, v.b from v group by {_SETS.format('v.a', 'v.b')}",
    ),
    "one column as two, in a subquery's sum": (
        f"select v.a, v.b, (select sum(o.t + v.b) from o) from ({_TWICE}) v group by {_SETS.format('v.a', 'v.b')}",
        (
            f"with v as materialized ({_TWICE}) select v.a, v.b, (select sum(o.t + v.b) from o) from v"
            f" group by {_SETS.format('v.a', 'v.b')}"
        ),
    ),
    "one column as two, from further in": (
        f"with w as ({_TWICE}) select a, coalesce(b, 9) from (select a, b from w where a > 0) v group by rollup (a, b)",
        (
            f"with v as materialized ({_TWICE}) select v.a, coalesce(v.b, 9) from v where a > 0"
            " group by rollup (v.a, v.b)"
        ),
    ),
    "a cast of a cast": (
        "select v.c || '.', count(*) from (select x::varchar as c from t) v group by rollup (v.c)",
        "select x::varchar || '.', count(*) from t group by rollup (x::varchar)",
    ),
}

# and these sort and compare groups by what WHERE says of rows
EQUATED = {
    "a constant": (
        f"{_ROLLED.format('k = 1')} order by k nulls first limit 1",
        f"select k, c from ({_ROLLED.format('k = 1')}) q order by k nulls first limit 1",
    ),
    "a constant by way of another column": (
        f"{_ROLLED.format('k = m and m = 1')} order by c, k nulls first",
        f"select k, c from ({_ROLLED.format('k = m and m = 1')}) q order by c, k nulls first",
    ),
    "a constant in a row": (
        f"{_ROLLED.format('(k, m) = (1, 2)')} order by k nulls first",
        f"select k, c from ({_ROLLED.format('k = 1 and m = 2')}) q order by k nulls first",
    ),
    "a constant in a subquery": (
        f"{_ROLLED.format('k in (select id from o where id = 1)')} order by k nulls first",
        f"select k, c from ({_ROLLED.format('k in (select id from o where id = 1)')}) q order by k nulls first",
    ),
    "a constant further in": (
        "select v.k, count(*) from (select k from t where k = 1) v group by rollup (v.k) order by v.k nulls first",
        f"select k, c from ({_ROLLED.format('k = 1')}) q order by k nulls first",
    ),
    "different groups": (
        "select distinct k, m from t where k = m group by grouping sets ((k), (m))",
        "select k, m from t where k = m group by grouping sets ((k), (m))",
    ),
    "different groups of a constant": (
        f"select distinct k from ({_ROLLED.format('k = 1')}) q",
        "select distinct k from t where k = 1 group by rollup (k)",
    ),
    "an order further out": (
        f"select q.m from ({_BOTH}) q order by q.m limit 2",
        f"with q as materialized ({_BOTH}) select q.m from q order by q.m limit 2",
    ),
    "different groups further out": (
        f"select distinct q.m from ({_BOTH}) q",
        f"with q as materialized ({_BOTH}) select distinct q.m from q",
    ),
    "partitions": (
        "select k, count(*) over (partition by k) from t where k = 1 group by cube (k, m)",
        "select k, count(*) over (partition by k) from (select k from t where k = 1 group by cube (k, m)) q",
    ),
    "keys of two tables": (
        "select t.k, o.t from t join o on t.k = o.t group by grouping sets ((t.k), (o.t)) order by t.k, o.t",
        (
            "select a, b from (select t.k as a, o.t as b from t join o on t.k = o.t"
            " group by grouping sets ((t.k), (o.t))) q order by a, b"
        ),
    ),
}


@pytest.fixture(scope="module")
def rows(scratch_server: ScratchServer) -> Iterator[psycopg.Connection]:
    with psycopg.connect(scratch_server.dsn(scratch_server.create_database()), autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        connection.execute(b"insert into t values (1, 1, 1, null, 'ab'), (2, 2, 1, null, 'b')")
        yield connection


def _bound(first: str, second: str) -> Binding:
    return Binding(bind(first, CATALOG), bind(second, CATALOG), CATALOG)


@pytest.mark.parametrize(("first", "second"), SAME)
def test_keys_that_stay_apart_are_put_in_their_places(first: str, second: str) -> None:
    both = _bound(first, second)
    found = prove_pair(both, CATALOG, 20.0).proved
    assert found is not None
    assert not found.modulo
    document = certificate(found, Texts(SCHEMA, first, second), both)
    assert recheck(json.dumps(document).encode()).word == "good"


@pytest.mark.parametrize("name", {**SIMPLIFIED, **BEFORE_18, **EQUATED})
def test_keys_that_the_server_simplifies_are_not_taken_for_keys(name: str) -> None:
    assert not any(shown(CATALOG, *{**SIMPLIFIED, **BEFORE_18, **EQUATED}[name]).values())


@pytest.mark.parametrize("name", SIMPLIFIED)
def test_a_server_shows_what_it_has_simplified(name: str, rows: psycopg.Connection) -> None:
    first, second = (Counter(rows.execute(q.encode()).fetchall()) for q in SIMPLIFIED[name])
    assert first != second


@pytest.mark.parametrize("name", OTHER)
def test_keys_do_not_become_one(name: str) -> None:
    assert prove_pair(_bound(*OTHER[name]), CATALOG, 5.0).proved is None


@pytest.mark.parametrize("name", OTHER)
def test_no_form_of_the_recheck_makes_keys_one(name: str) -> None:
    both = _bound(*OTHER[name])
    start = opened(begun(both.original, both.candidate, CATALOG))
    for form in VIEWS:
        made = changed(start, form)
        assert made is None or not all(a == b for a, b in made.pairs)
