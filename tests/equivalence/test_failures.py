"""Which failures count as the same: those of the same rows, in the same order where the server keeps to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from equivalence.proof import Proof, check_proof
from equivalence.prover import prove
from sql.binder import bind
from sql.ddl import catalog_from_ddl

FALLIBLE = catalog_from_ddl("""
create table t (id int primary key, a int, b int not null, s text, ts timestamp);
create table u (id int primary key, tid int references t(id), x int);
""")
SAME_FAILURES = (
    ("select id, sum(10/b) over (partition by a) from t", "select * from (select id, sum(10/b) over (partition by a) from t) s"),
    ("select distinct 10/b from t where a > 0", "select 10/b from t where a > 0 group by 10/b"),
    ("with c as materialized (select a, max(10/b) q from t group by a) select q from c", "select q from (select a, max(10/b) q from t group by a) z"),
    ("select u.id, 10/u.x from u join t on t.id = u.tid", "select id, 10/x from u where tid is not null"),
    ("select id from t where left(s, a) = 'x' and a > 0", "select id from t where a > 0 and left(s, a) = 'x'"),
    ("select id from t where extract(year from ts) = 1 and a > 0", "select id from t where a > 0 and extract(year from ts) = 1"),
)  # fmt: skip


CONSTANT = ("select id from t where false and 1/0 > 1", "select id from t where false")


@pytest.mark.parametrize("pair", SAME_FAILURES, ids=range(len(SAME_FAILURES)))
def test_failures_of_the_same_rows_need_no_reservation(pair: tuple[str, str]) -> None:
    q1, q2 = (bind(text, FALLIBLE) for text in pair)
    found = prove(q1, q2, FALLIBLE)
    assert isinstance(found, Proof)
    assert not found.modulo
    assert check_proof(found, q1, q2, FALLIBLE) is None


def test_a_proof_that_leaves_out_a_failing_constant_does_not_stand() -> None:
    one, two = (bind(text, FALLIBLE) for text in CONSTANT)
    claimed = prove(one, two, FALLIBLE)
    assert isinstance(claimed, Proof)
    assert "errors" in claimed.modulo
    assert check_proof(replace(claimed, modulo=frozenset()), one, two, FALLIBLE) is not None
