"""Conditions and values that may fail above and within subqueries that are not pulled up, or below outer joins:
told apart by a server, and never proved the same as without the fence; where nothing may fail, fences keep nothing from being proved.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.prover.fences import fenced_otherwise
from rewright.equivalence.prover.translated import Unsupported
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.failing_pairs import failing_with
from tests.equivalence.text_pairs import prover

SCHEMA = """
create table t (id int primary key, g int not null, x int not null);
create table u (id int primary key, k int not null unique, w int not null);
create table z (id int primary key, g int not null, x int not null);
"""
# the row of t that can't be divided by has no partner
ROWS = """
insert into t values (1, 1, 0), (2, 2, 5), (3, 2, 1);
insert into u values (1, 2, 5), (2, 3, 1);
insert into z values (2, 2, 5);
"""
CATALOG = catalog_from_ddl(SCHEMA)
BARE = "(select id, g, x from t where g in (select k from u))"
# subqueries that are asked after their own conditions, and what is asked of them
ABOVE = {
    "offset": "(select id, g, x from t where g in (select k from u) offset 0)",
    "window": "(select id, g, x, count(*) over () from t where g in (select k from u))",
    "distinct on": "(select distinct on (id) id, g, x from t where g in (select k from u) order by id)",
    "computed": "(with m as materialized (select id, g, x from t where g in (select k from u)) select * from m)",
}
ASKED = (
    "select q.id from {q} q where 10 / q.x > 0",
    "select q.id from {q} q where case when g > 0 then 10 / q.x > 0 end",
)
PLAIN = "(select id, g, 10 / x y from t)"
# subqueries whose columns are computed before they are joined
WITHIN = {
    "order by": "(select id, g, 10 / x y from t order by id)",
    "with": "(with c as (select 1) select id, g, 10 / x y from t)",
    "union all": "(select id, g, 10 / x y from t union all select id, k, w from u where w = 77)",
    "select list": "(select id, g, 10 / x y, generate_series(1, 1) from t)",
    "distinct": "(select distinct id, g, 10 / x y from t)",
}
JOINED = (
    "select q.id, q.y from {q} q where q.g in (select k from u)",
    "select q.id, q.y from {q} q join u on u.k = q.g",
)
# what is not strict in a column of the subquery does not wait for the outer join around it
BEFORE = {
    "subquery": "(select id, g, (select 10 / x) y from t)",
    "nullif": "(select id, g, nullif(10 / x, null) y from t)",
    "inner subquery": "(select id, g, y from (select id, g, (select 10 / x) y from t) s)",
    "lateral": "(select id, g, y from t cross join lateral (select (select 10 / x) y) s)",
    "order by": WITHIN["order by"],
}
PADDED = (
    "select u.id, q.y from u left join {q} q on u.k = q.g",
    "select u.id, q.y from {q} q right join u on u.k = q.g",
    "with q as {q} select u.id, q.y from u left join q on u.k = q.g",
    "select u.id, sum(q.y) from u left join {q} q on u.k = q.g group by u.id",
    "select (select max(q.y) from u left join {q} q on u.k = q.g)",
)
PAIRS = [(around.format(q=BARE), around.format(q=form)) for form in ABOVE.values() for around in ASKED]
PAIRS += [(around.format(q=PLAIN), around.format(q=form)) for form in WITHIN.values() for around in JOINED]
PAIRS += [(around.format(q=PLAIN), around.format(q=form)) for form in BEFORE.values() for around in PADDED]
# the same fence around one table, and around the other, which nothing keeps from failing
TRADED = "select q.id from {q} q where 10 / q.x > 0 union all select q.id from {other} q where 10 / q.x > 0"
OTHER = BARE.replace("from t", "from z")
PAIRS += [
    (
        TRADED.format(q=form, other=OTHER),
        TRADED.format(q=BARE, other=form.replace("from t", "from z")),
    )
    for form in (ABOVE["offset"], ABOVE["computed"])
]
# and around two parts of one
OF_ONE = "(select id, g, x from t where g in (select id from u))"
TRADED_WITHIN = (
    TRADED.format(q=ABOVE["offset"], other=OF_ONE),
    TRADED.format(q=BARE, other=OF_ONE.replace("u))", "u) offset 0)")),
)
SAME = [
    ("select q.id from {q} q where q.x > 0", BARE, ABOVE["offset"]),
    ("select q.id from {q} q where q.x > 0", BARE, ABOVE["window"]),
    ("select q.id, 10 / q.x from {q} q", BARE, ABOVE["offset"]),
    (TRADED.replace("{other}", ABOVE["offset"]), OTHER, OTHER.replace("g in", "z.g in")),
    (JOINED[1], "(select id, g, x y from t)", "(select id, g, x y from t order by id)"),
    (PADDED[0], "(select id, g, x y from t)", "(select id, g, (select x) y from t)"),
    (PADDED[0], PLAIN, "(select id, g, 0 + 10 / x y from t)"),
    ("select q.id, q.y from {q} q where q.g = 2", PLAIN, WITHIN["order by"]),
]

proved = prover(CATALOG, 3.0)


@pytest.mark.long
@pytest.mark.parametrize(("first", "second"), [*PAIRS, TRADED_WITHIN])
def test_a_fence_is_a_difference_where_something_may_fail(first: str, second: str) -> None:
    for pair in ((first, second), (second, first)):
        found = proved(*pair)
        assert found is None or "errors" in found.modulo


@pytest.mark.parametrize(("around", "first", "second"), SAME)
def test_a_fence_is_none_where_nothing_may_fail_in_it(around: str, first: str, second: str) -> None:
    found = proved(around.format(q=first), around.format(q=second))
    assert found is not None
    assert "errors" not in found.modulo


def test_fences_around_what_may_fail_are_read_off_the_trees() -> None:
    queries = [bind(q, CATALOG) for q in PAIRS[0]]
    assert fenced_otherwise(queries[0], queries[1], CATALOG) == {"errors"}
    assert not fenced_otherwise(queries[1], queries[1], CATALOG)
    harmless = [bind(q.replace("10 / q.x", "q.x"), CATALOG) for q in PAIRS[0]]
    assert not fenced_otherwise(harmless[0], harmless[1], CATALOG)


@pytest.mark.server
def test_the_server_raises_in_one_of_each_pair(scratch_server: ScratchServer, database: str) -> None:
    errors = psycopg.errors.DivisionByZero
    with failing_with(errors, scratch_server, database, SCHEMA + ROWS) as fails:
        alike = [(a, b) for a, b in PAIRS if fails(a) == fails(b)]
    # CASE and a key of DISTINCT ON: the server asks the one of either, and passes the other
    assert alike == []


def test_outputs_that_double_at_each_level_are_not_written_out() -> None:
    doubled = "(select id, g, x y from t)"
    for level in range(40):
        doubled = f"(select id, g, y + y as y from {doubled} s{level})"
    query = bind(PADDED[0].format(q=doubled), CATALOG)
    with pytest.raises(Unsupported):
        fenced_otherwise(query, query, CATALOG)
    other = PADDED[0].format(q=doubled).replace("u.k = q.g", "q.g = u.k")
    assert proved(PADDED[0].format(q=doubled), other) is None
