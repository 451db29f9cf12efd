"""Casts to a modifier that a value obeys already change nothing; to one that it may not obey, they do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rewright.equivalence.api import Checker
from rewright.equivalence.verdicts import Proved

SCHEMA = """create table o (k int primary key, c int not null, t numeric(15,2) not null, w numeric(15,3) not null,
    z varchar(5) not null, y varchar(8));"""
BEFORE = "over (partition by c order by k groups between unbounded preceding and 1 preceding)"
LATEST = "(select p.{} from o p where p.c = o.c and p.k < o.k order by p.k desc limit 1)"


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with Checker(schema_sql=SCHEMA) as made:
        yield made


@pytest.mark.parametrize(
    ("original", "candidate"),
    [
        (f"select k, {LATEST.format('t')} from o", f"select k, last_value(t) {BEFORE}::numeric(15,2) from o"),
        (
            f"select k from o where t > 2 * {LATEST.format('t')}",
            f"select k from (select k, t, last_value(t) {BEFORE} v from o) x where t > 2 * v::numeric(15,2)",
        ),
        ("select max(t)::numeric(15,2) + 0 from o", "select max(t) + 0 from o"),
        (
            "select k, (case when k > 1 then t end)::numeric(15,2) + 0 from o",
            "select k, case when k > 1 then t end + 0 from o",
        ),
        (
            "select k, (select max(t) from o p where p.c = o.c)::numeric(15,2) + 0 from o",
            "select k, (select max(t) from o p where p.c = o.c) + 0 from o",
        ),
        (
            "select k, (lag(z) over (order by k))::varchar(5) || 'x' from o",
            "select k, lag(z) over (order by k) || 'x' from o",
        ),
        (
            "select k, first_value(k) over (order by k rows between 1 following and unbounded following) from o",
            "select k, lead(k) over (order by k) from o",
        ),
    ],
)
def test_a_value_that_obeys_the_modifier_is_not_changed(
    original: str, candidate: str, checker: Checker
) -> None:
    verdict = checker.check(original, candidate)
    assert isinstance(verdict, Proved)
    assert not set(verdict.modulo)


@pytest.mark.parametrize(
    ("original", "candidate"),
    [
        ("lag(t) over (order by k)::numeric(5,2)", "lag(t) over (order by k)"),
        ("(lag(w) over (order by k))::numeric(15,2)", "lag(w) over (order by k)"),
        ("(lag(t) over (order by w, k))::numeric(15,3)", "lag(t) over (order by w, k)"),
        ("(lag(t, 1, 0.001) over (order by k))::numeric(15,2)", "lag(t, 1, 0.001) over (order by k)"),
        ("(case when k > 1 then t else 1.234 end)::numeric(15,2)", "case when k > 1 then t else 1.234 end"),
        ("(lag(y) over (order by k))::varchar(5)", "lag(y) over (order by k)"),
        ("(nth_value(w, 2) over (order by k))::numeric(15,2)", "nth_value(w, 2) over (order by k)"),
        (
            "(select w from o p order by w limit 1)::numeric(15,2)",
            "(select w from o p order by w limit 1)",
        ),
        (f"last_value(k) {BEFORE.replace('1 preceding', '2 preceding')}", f"last_value(k) {BEFORE}"),
        (
            f"last_value(t) {BEFORE.replace('order by k', 'order by w')}",
            "lag(t) over (partition by c order by w)",
        ),
    ],
)
def test_one_that_may_not_obey_it_is(original: str, candidate: str, checker: Checker) -> None:
    verdict = checker.check(f"select k, {original} as v from o", f"select k, {candidate} as v from o")
    assert not isinstance(verdict, Proved)


def test_arms_of_a_union_obey_no_one_modifier(checker: Checker) -> None:
    arms = "(select t as x from o union all select w from o) q"
    verdict = checker.check(f"select max(x)::numeric(15,2) + 0 from {arms}", f"select max(x) + 0 from {arms}")
    assert not isinstance(verdict, Proved)
