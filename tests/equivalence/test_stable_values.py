"""Stable expressions without columns: in order where they may fail, in any order where they do not."""

from __future__ import annotations

import pytest

from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.text_pairs import prover

SCHEMA = "create table t (id int primary key, k int not null, d date not null, at timestamptz not null)"


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("d >= current_date - 30", ()),
        ("at >= now() - interval '7 days'", ()),
        ("at >= date_trunc('month', now())", ()),
        ("k > 10 / 2", ()),
        ("k + 10 / current_setting('app.z')::int > 3", ("errors",)),
        ("k + 10 / (current_date - date '2026-11-30') > 3", ("errors",)),
    ],
)
def test_only_what_is_immutable_is_computed_before(asked: str, left: tuple[str, ...]) -> None:
    proved = prover(catalog_from_ddl(SCHEMA))
    found = proved(f"select id from t where {asked} and k = 5", f"select id from t where k = 5 and {asked}")
    assert found is not None
    assert tuple(found.modulo) == left
