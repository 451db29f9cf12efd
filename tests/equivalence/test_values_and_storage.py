"""Sums that may leave bigint, and functions that see how a value is stored, are not proved away."""

from __future__ import annotations

import pytest

from rewright.equivalence.api import Checker
from rewright.equivalence.verdicts import Proved, Verdict

_SCHEMA = "create table t (id int primary key, a int, big bigint, x text)"


def _judged(original: str, candidate: str) -> Verdict:
    with Checker(schema_sql=_SCHEMA) as checker:
        return checker.check(original, candidate)


@pytest.mark.parametrize(
    "value", ["big", "(select max(big) from t)", "big + a", "5000000000000000000", "a::bigint * 4000000000"]
)
def test_a_sum_of_bigint_cast_to_bigint_may_overflow(value: str) -> None:
    verdict = _judged(f"select sum({value}) from t", f"select sum({value})::bigint from t")
    assert not isinstance(verdict, Proved) or "overflow" in verdict.modulo


def test_sums_of_int4_and_counts_stay_in_bigint() -> None:
    for inner in ("sum(a)", "count(*)"):
        grouped = f"select {inner} s from t group by id"
        verdict = _judged(f"select sum(s) from ({grouped}) q", f"select sum(s)::bigint from ({grouped}) q")
        assert not isinstance(verdict, Proved) or "errors" not in verdict.modulo
    whole = _judged("select sum(a) from t", "select sum(a::bigint)::bigint from t")
    assert isinstance(whole, Proved)
    assert "overflow" not in whole.modulo


@pytest.mark.parametrize(
    ("original", "candidate"),
    [
        ("select pg_column_size(x) from t", "select pg_column_size(x || '') from t"),
        ("select pg_typeof('a')", "select pg_typeof('a'::text)"),
        ("select pg_typeof(null)", "select pg_typeof(null::text)"),
        ("select pg_collation_for('a')", "select pg_collation_for('a'::text)"),
        ("select pg_typeof(id) from t", "select pg_typeof(id::bigint) from t"),
    ],
)
def test_how_a_value_is_stored_or_typed_is_not_proved_alike(original: str, candidate: str) -> None:
    assert not isinstance(_judged(original, candidate), Proved)


def test_a_typed_value_is_asked_for_its_type() -> None:
    asked = "select pg_typeof(x), json_build_object('a', id) from t where "
    assert isinstance(_judged(asked + "id > 1", asked + "1 < id"), Proved)
