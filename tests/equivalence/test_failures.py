"""Which failures count as the same: those of the same rows, in the same order where
the server keeps to it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewright.equivalence.proof import Proof, check_proof
from rewright.equivalence.prover import prove
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

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
    ("select id, (select coalesce(sum(x), 0)::int from u where u.tid = t.id) from t", "select id, coalesce((select sum(x) from u where u.tid = t.id), 0)::int from t"),
    ("select id from t where (select 10 / count(*) from u where u.tid = t.id) > 1", "select id from t where 10 / (select count(*) from u where u.tid = t.id) > 1"),
    ("select id from t where (select 10 / sum(100 / x) from u where u.tid = t.id) > 1", "select id from t where 10 / (select sum(100 / x) from u where u.tid = t.id) > 1"),
    ("select id from t where extract(year from ts) = 1 and a > 0", "select id from t where a > 0 and extract(year from ts) = 1"),
)  # fmt: skip


# arithmetic that types, constants and the filter of the result's own rows keep in range
IN_RANGE = (
    ("select id, a + 1 from t where a = 10", "select id, 11 from t where a = 10"),
    ("select id from t where a = 10 and a + 5 > b", "select id from t where a = 10 and 15 > b"),
    ("select id from (select id, a, b from t where a = 10) s where a + 5 > b", "select id from t where a = 10 and 15 > b"),
    ("select id, a + id from t where a = 10", "select id, 10 + id from t where a = 10"),
    ("select id from (select id, a::bigint * b q from t) s", "select id from t"),
    ("select id from t where a::bigint + b > b", "select id from t where a > 0"),
    ("select x + y from (values (1, 2), (3, 4)) v (x, y) where x - y < 9", "values (3), (7)"),
    ("select id from t where a + (5 - 5) > 3", "select id from t where a > 3"),
    ("select id from t where 1 > 3 + cast(null as int)", "select id from t where false"),
    ("select count(*) from t where a is not null", "select coalesce(sum(n * 1), 0)::bigint from (select a, count(*) n from t where a is not null group by a) g"),
    ("select t.id, sum(t.b) from t join u on u.x = t.a group by t.id", "select t.id, sum(t.b * g.n)::bigint from t join (select x, count(*) n from u group by x) g on g.x = t.a group by t.id"),
)  # fmt: skip
OUT_OF_RANGE = (
    ("select t.id, g.s from t cross join (select sum(x)::int s from u) g", "select t.id, (select sum(x) from u)::int from t"),
    ("select id, (select max(x + 1) from u where u.tid = t.id) from t", "select id, (select max(x) from u where u.tid = t.id) + 1 from t"),
    ("select id, a + 1 from t where a > 10", "select id, q from (select id, a, a + 1 q from t offset 0) s where a > 10"),
    ("select id from t where a = 10 and 15 > b", "select id from t where a = 10 and a + 5 > b"),
    ("select id from t where a + 5 > b and a = 10", "select id from t where 15 > b and a = 10"),
    ("select id from t where a > 10 and a + 5 > 15", "select id from t where a > 10"),
    ("select id from (select id, a, b from t where a = 10 limit 9) s where a + 5 > b and 1 / b = 1", "select id from (select id, a, b from t where a = 10 limit 9) s where 15 > b"),
    ("select t.id from u left join t on t.id = u.tid and t.a + 5 > t.b where t.a = 10", "select t.id from u join t on t.id = u.tid and 15 > t.b where t.a = 10"),
    ("with s as materialized (select id, a * b q from t) select id from s", "select id from t"),
    ("with s as materialized (select id, -1 * a q from t) select id from s", "select id from t"),
    ("select id, -1 * t.a from u left join t using (id)", "select id, q from u left join (select id, -1 * a q from t) s using (id)"),
    ("select u.id, -1 * t.a from t right join u using (id)", "select u.id, q from (select id, -1 * a q from t) s right join u using (id)"),
    ("select sum(a) from t", "select sum(a)::int from t"),
    ("select 10 + b from t where a = 10", "select 10 + b from t where 10 + b = 10 + b and a = 10"),
    ("select 10 + b from t where a = 10", "select 10 + b from t where 10 + b is not null and a = 10"),
    ("select a + b from t where a = 10", "select a + b from t where a + b is not null and a = 10"),
    ("select a + 1 from t where a = 2147483647", "select x + 1 from (select 2147483647 x from t where a = 2147483647) z"),
    ("select id + (a + 1) from t where a = 2147483647", "select id + (x + 1) from (select 2147483647 x, id from t where a = 2147483647) z"),
    ("with s as materialized (select id, (select sum(x)::bigint from u) * (select count(*) from u) q from t) select id from s", "select id from t"),
    ("with s as materialized (select id, (a::bigint + b) * (select count(*) from u) q from t) select id from s", "select id from t"),
)  # fmt: skip
DOMAINS = catalog_from_ddl("""
create domain word as text;
create domain positive as int check (value > 0);
create domain given as int not null;
create table t (id int primary key, w word, p positive, s text, v varchar(5), x int);
create table u (id int primary key, tid int not null references t(id), w word);
""")
# the same bytes under another name
BINARY = (
    ("select id from t where lower(w) = 'a'", "select id from t where lower(w) = 'a' and w is not null"),
    ("select u.id from u join t on t.id = u.tid where upper(u.w) = 'A'", "select id from u where upper(w) = 'A'"),
    ("select u.id from u left join t on t.id = u.tid and t.p > 3", "select id from u"),
    ("select id from t where p > 1", "select id from t where p + 0 > 1"),
    ("select id from t where upper(w) = 'A' and lower(v) = 'a'", "select id from t where lower(v) = 'a' and upper(w) = 'A'"),
)  # fmt: skip
# what makes a value of a domain with a condition
INTO_DOMAINS = (
    ("select u.id from u left join (select distinct id, x::positive p from t) t on t.id = u.tid", "select id from u"),
    ("select u.id from u left join (select distinct id, x::given p from t) t on t.id = u.tid", "select id from u"),
    ("select id from t where x::positive > 0 and id > 1", "select id from t where id > 1 and x > 0"),
    ("select id, case when x > 0 then x::positive end from t where x > 0", "select id, x::positive from t where x > 0"),
    ("select id from t where x::given is null", "select id from t where false"),
    ("select id from (select distinct id, s::positive p from t) z", "select id from t"),
)  # fmt: skip
CONSTANT = ("select id from t where false and 1/0 > 1", "select id from t where false")


@pytest.mark.parametrize("pair", SAME_FAILURES, ids=range(len(SAME_FAILURES)))
def test_failures_of_the_same_rows_need_no_reservation(pair: tuple[str, str]) -> None:
    q1, q2 = (bind(text, FALLIBLE) for text in pair)
    found = prove(q1, q2, FALLIBLE, deadline_seconds=120)
    assert isinstance(found, Proof)
    assert not found.modulo
    assert check_proof(found, q1, q2, FALLIBLE) is None


def test_what_is_folded_fails_without_rows() -> None:
    texts = (
        "select s::int from t where s = 'abc'",
        "select x::int from (select 'abc'::text x from t where s = 'abc') z",
    )
    q1, q2 = (bind(text, FALLIBLE) for text in texts)
    found = prove(q1, q2, FALLIBLE, deadline_seconds=120)
    assert not isinstance(found, Proof) or "errors" in found.modulo


@pytest.mark.parametrize("pair", IN_RANGE, ids=range(len(IN_RANGE)))
def test_arithmetic_that_stays_in_range_needs_no_reservation(pair: tuple[str, str]) -> None:
    q1, q2 = (bind(text, FALLIBLE) for text in pair)
    found = prove(q1, q2, FALLIBLE, deadline_seconds=120)
    assert isinstance(found, Proof)
    assert not found.modulo - {"types"}
    assert check_proof(found, q1, q2, FALLIBLE) is None


@pytest.mark.parametrize("pair", OUT_OF_RANGE, ids=range(len(OUT_OF_RANGE)))
def test_arithmetic_of_other_rows_or_beyond_its_type_is_a_reservation(pair: tuple[str, str]) -> None:
    q1, q2 = (bind(text, FALLIBLE) for text in pair)
    found = prove(q1, q2, FALLIBLE, deadline_seconds=120)
    assert not isinstance(found, Proof) or "overflow" in found.modulo


def test_a_proof_that_leaves_out_a_failing_constant_does_not_stand() -> None:
    one, two = (bind(text, FALLIBLE) for text in CONSTANT)
    claimed = prove(one, two, FALLIBLE, deadline_seconds=120)
    assert isinstance(claimed, Proof)
    assert "errors" in claimed.modulo
    assert check_proof(replace(claimed, modulo=frozenset()), one, two, FALLIBLE) is not None


@pytest.mark.parametrize("pair", BINARY, ids=range(len(BINARY)))
def test_another_name_for_the_same_bytes_can_not_fail(pair: tuple[str, str]) -> None:
    q1, q2 = (bind(text, DOMAINS) for text in pair)
    found = prove(q1, q2, DOMAINS, deadline_seconds=60)
    assert isinstance(found, Proof)
    assert found.modulo == frozenset()
    assert check_proof(found, q1, q2, DOMAINS) is None


@pytest.mark.parametrize("pair", INTO_DOMAINS, ids=range(len(INTO_DOMAINS)))
def test_a_value_of_a_domain_with_a_condition_may_fail(pair: tuple[str, str]) -> None:
    q1, q2 = (bind(text, DOMAINS) for text in pair)
    found = prove(q1, q2, DOMAINS, deadline_seconds=10)
    assert not isinstance(found, Proof) or "errors" in found.modulo
