"""Sort keys that only say where the NULLs of the next one stand: one order with NULLS FIRST and LAST."""

from __future__ import annotations

import pytest

from rewright.equivalence.proof import Proof
from rewright.equivalence.prover.prove import prove
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl(
    "create type pair as (a int, b int); create table t (id int primary key, x int, y int, p pair)"
)
EQUAL = (
    ("order by x is null, x, id", "order by x nulls last, id"),
    ("order by x is null, x desc, id", "order by x desc nulls last, id"),
    ("order by x is not null, x, id", "order by x nulls first, id"),
    ("order by not x is null, x, id", "order by x nulls first, id"),
    ("order by x is null desc, x, id", "order by x nulls first, id"),
    ("order by (x is null)::int desc, x, id", "order by x nulls first, id"),
    ("order by case when x is null then 7 else -3 end, x desc, id", "order by x desc nulls last, id"),
    ("order by case when x is null then -3 else 7 end, x desc, id", "order by x desc, id"),
    # the key that stands before decides
    ("order by x is null, x is not null, x, id", "order by x, id"),
    ("order by 10 / x is null, 10 / x, id", "order by 10 / x, id"),
    ("order by x is null, x, id limit 2", "order by x, id limit 2"),
)
DIFFERENT = (
    ("order by x is null, x, id", "order by x nulls first, id"),
    ("order by x is null desc, x, id", "order by x nulls last, id"),
    ("order by x is null, x desc, id", "order by x desc, id"),
    ("order by x is null, y, id", "order by y nulls last, id"),
    ("order by x is null, y, x, id", "order by y, x nulls last, id"),
    ("order by case when x is null then 1 else 1 end, x desc, id", "order by x desc nulls last, id"),
    ("order by case when x is null then null else 1 end, x desc, id", "order by x desc nulls last, id"),
    # (NULL, NULL) IS NULL, and sorts as a value does
    ("order by p is null, p, id", "order by p nulls last, id"),
)
WINDOWS = (
    ("rank() over (order by x is null, x desc)", "rank() over (order by x desc nulls last)"),
    ("sum(y) over (order by x is null, x desc)", "sum(y) over (order by x desc nulls last)"),
)


def proved(q1: str, q2: str) -> Proof | None:
    found = prove(bind(q1, CATALOG), bind(q2, CATALOG), CATALOG, deadline_seconds=10)
    return found if isinstance(found, Proof) else None


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_one_order(one: str, other: str) -> None:
    found = proved(f"select id from t {one}", f"select id from t {other}")
    assert found is not None
    assert not found.modulo


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_order(one: str, other: str) -> None:
    assert proved(f"select id from t {one}", f"select id from t {other}") is None


@pytest.mark.parametrize(("one", "other"), WINDOWS)
def test_in_windows(one: str, other: str) -> None:
    found = proved(f"select id, {one} from t", f"select id, {other} from t")
    assert found is not None
    assert not found.modulo


def test_in_aggregates() -> None:
    found = proved(
        "select array_agg(y order by x is null, x desc, id) from t",
        "select array_agg(y order by x desc nulls last, id) from t",
    )
    assert found is not None
    assert not found.modulo
