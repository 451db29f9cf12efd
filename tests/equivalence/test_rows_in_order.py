"""Arrays of rows, ends of LIMIT and orders within extremes: what a form of a query leaves out may have failed, and
what it compares as a bag may have been seen in its order (hazards M7, M10, M21).
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding, bind_both
from rewright.equivalence.verdicts import Proved
from rewright.sql.ddl import catalog_from_ddl

SCHEMA = """
create table t (id int primary key, k int not null, x int);
create table c (id int primary key, k int not null);
create table o (id int primary key, k int not null, val int not null, z int not null);
"""
ROWS = """
insert into t values (1, 2, 5), (2, 1, 6);
insert into c values (1, 1), (2, 2);
insert into o values (1, 1, 7, 0), (2, 1, 8, 1);
"""
CATALOG = catalog_from_ddl(SCHEMA)
# an error of the first, or another order: the reservation that a proof must name
DIFFERENT = (
    ("select c.id, (select max(o.val order by 1/o.z) from o where o.id = c.k) from c", "select c.id, (select o.val from o where o.id = c.k) from c", "errors"),
    ("select c.id, (select bool_and(o.val > 1 order by 1/o.z) from o where o.id = c.k) from c", "select c.id, (select o.val > 1 from o where o.id = c.k) from c", "errors"),
    ("select c.id, (select max(case when o.val > 1 then o.val end order by 1/o.z) from o where o.id = c.k) from c", "select c.id, (select o.val from o where o.id = c.k and o.val > 1) from c", "errors"),
    ("select c.id, l.val from c, lateral (select o.val from o where o.k = c.k order by o.id limit -1) l", "select c.id, l.val from c, lateral (select x.val from (select o.val, o.k, row_number() over (partition by o.k order by o.id) n from o) x where x.k = c.k and x.n <= -1) l", "errors"),
    ("select c.id, (select o.val from o where o.k = c.k order by o.id limit -1) from c", "select c.id, (select x.val from (select o.val, o.k, row_number() over (partition by o.k order by o.id) n from o) x where x.k = c.k and x.n <= -1) from c", "errors"),
    ("select array(select id from t union all select id from o)", "select array(select id from o union all select id from t)", "tie-order"),
    ("select array(select x from t union all select val from o)", "select array(select val from o union all select x from t)", "tie-order"),
    ("select c.id, array(select t.x from t, o where o.id = t.k) from c", "select c.id, array(select t.x from o, t where o.id = t.k) from c", "tie-order"),
    ("select array(select t.id from t, o where o.k = t.k order by t.k)", "select array(select t.id from o, t where o.k = t.k order by t.k)", "tie-order"),
    ("select c.id from c where array(select t.id from t, o where o.k = t.k and o.id = c.id) = array[1, 2]", "select c.id from c where array(select t.id from o, t where o.k = t.k and o.id = c.id) = array[1, 2]", "tie-order"),
)  # fmt: skip
# the same ones where nothing fails, and where an order is stated
EQUAL = (
    ("select c.id, (select max(o.val order by o.z) from o where o.id = c.k) from c", "select c.id, (select o.val from o where o.id = c.k) from c"),
    ("select c.id, (select o.val from o where o.k = c.k order by o.id limit 1) from c", "select c.id, (select x.val from (select o.val, o.k, row_number() over (partition by o.k order by o.id) n from o) x where x.k = c.k and x.n = 1) from c"),
    ("select array(select id from t where x between 5 and 6 order by id)", "select array(select id from t where x >= 5 and x <= 6 order by id)"),
    ("select array(select t.k from t, o where o.k = t.k order by t.k)", "select array(select t.k from o, t where o.k = t.k order by t.k)"),
    ("select array(select id from t union all select id from o order by 1)", "select array(select id from o union all select id from t order by 1)"),
    ("select c.id from c where c.id = any (array(select t.id from t, o where o.k = t.k))", "select c.id from c where c.id = any (array(select t.id from o, t where o.k = t.k))"),
)  # fmt: skip


def proved(first: str, second: str) -> Proved | None:
    both = bind_both(first, second, CATALOG, ("public",))
    assert isinstance(both, Binding), both
    return prove_pair(both, CATALOG, 10.0).proved


@pytest.mark.parametrize("pair", DIFFERENT, ids=range(len(DIFFERENT)))
def test_what_a_form_leaves_out_is_a_reservation(pair: tuple[str, str, str]) -> None:
    first, second, left_open = pair
    for texts in ((first, second), (second, first)):
        found = proved(*texts)
        assert found is None or left_open in found.modulo


@pytest.mark.parametrize("pair", EQUAL, ids=range(len(EQUAL)))
def test_what_has_an_order_and_cannot_fail_is_proved(pair: tuple[str, str]) -> None:
    for texts in (pair, pair[::-1]):
        found = proved(*texts)
        assert found is not None
        assert found.modulo == ()


@pytest.mark.server
def test_pairs_on_a_server(scratch_server: ScratchServer) -> None:
    database = scratch_server.create_database()
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as rows:
        for text in (SCHEMA, ROWS):
            rows.execute(text.encode())
        for first, second, left_open in DIFFERENT:
            if left_open == "errors":
                assert answer(rows, first) is None, first
                assert answer(rows, second) is not None, second
        # of plans that may differ this one does
        assert answer(rows, DIFFERENT[6][0]) != answer(rows, DIFFERENT[6][1])
        for first, second in EQUAL:
            assert answer(rows, first) == answer(rows, second) != None, first  # noqa: E711 # an error would be None


def answer(rows: psycopg.Connection[tuple[object, ...]], query: str) -> list[tuple[object, ...]] | None:
    """Its rows; None where it fails."""
    try:
        return sorted(rows.execute(query.encode()).fetchall(), key=repr)
    except psycopg.DataError:
        return None
