"""A key of numbers on one side and of texts on the other is joined as texts, wherever it is written."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rewright.lake.catalog.model import Family
from rewright.lake.joins.keys import JoinKey, comparison
from rewright.lake.joins.paths import join_sql


@dataclass(frozen=True)
class _Column:
    name: str
    family: Family


@pytest.mark.parametrize(
    ("family", "condition"),
    [
        (Family.TEXT, '"a"."no" = "b"."ref"'),
        (Family.INTEGER, 'CAST("a"."no" AS VARCHAR) = CAST("b"."ref" AS VARCHAR)'),
    ],
)
def test_keys_of_two_kinds_are_cast(family: Family, condition: str) -> None:
    one, other = _Column("no", Family.TEXT), _Column("ref", family)
    key = JoinKey("a", "b", ((one, other),), 1.0)  # type: ignore[arg-type] # no more of a column is read
    assert comparison(one, other, "a", "b") == condition  # type: ignore[arg-type]
    assert join_sql(["a", "b"], [key]) == f'SELECT * FROM "a" JOIN "b" ON {condition}'
