"""Extremes of integers that are written out, against what they ask of the rows."""

from __future__ import annotations

import pytest

from rewright.equivalence.proof import Proof
from rewright.equivalence.prover.prove import prove
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl("create table t (id int primary key, g int, x int not null, y int)")
SOME = "max(case when x > 5 then 1 else 0 end)"
EQUAL = (
    (SOME, "case when bool_or(x > 5) then 1 else 0 end"),
    ("max(case when x > 5 then 1 end)", "case when bool_or(x > 5) then 1 end"),
    ("min(case when x > 5 then 1 else 0 end)", "case when bool_and(x > 5) then 1 else 0 end"),
    ("max(case when y > 5 then 1 else 0 end)", "case when bool_or(y > 5) then 1 else 0 end"),
    (
        "min(case when y > 5 then 1 when y is null then 0 else -1 end)",
        "case when bool_or(y <= 5) then -1 when bool_or(y is null) then 0 else 1 end",
    ),
)
DIFFERENT = (
    (SOME, "case when bool_and(x > 5) then 1 else 0 end"),
    (SOME, "case when bool_or(x > 5) then 1 end"),
    # where y is NULL the flag is 0, and bool_and leaves the row out
    ("min(case when y > 5 then 1 else 0 end)", "case when bool_and(y > 5) then 1 else 0 end"),
    ("max(case when x > 5 then 2 else 0 end)", SOME),
    ("max(case when x > 5 then 1 else y end)", SOME),
)


def proved(q1: str, q2: str) -> Proof | None:
    found = prove(bind(q1, CATALOG), bind(q2, CATALOG), CATALOG, deadline_seconds=10)
    return found if isinstance(found, Proof) else None


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_of_groups(one: str, other: str) -> None:
    found = proved(f"select g, {one} from t group by g", f"select g, {other} from t group by g")
    assert found is not None
    assert not found.modulo


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_extremes(one: str, other: str) -> None:
    assert proved(f"select g, {one} from t group by g", f"select g, {other} from t group by g") is None


def test_no_rows_have_no_flag() -> None:
    counted = "count(*) filter (where x > 5) > 0"
    assert proved(f"select {SOME} from t", f"select case when {counted} then 1 else 0 end from t") is None
    ended = "case when {} then 1 when count(*) > 0 then 0 end"
    assert proved(f"select {SOME} from t", f"select {ended.format(counted)} from t") is not None
