"""Which collation an expression has, and whether COLLATE has decided it (PostgreSQL manual, 23.2 Collation
Support).
"""

from __future__ import annotations

import pytest

from rewright.sql.algebra import output_columns
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl('create table t (s text, c text collate "C", p text collate "POSIX", b bool);')


@pytest.mark.parametrize(
    ("expression", "collation"),
    [
        ("s", "default"),
        ("s || c", "C"),
        ('s collate "default" || c', "default"),
        ("(s collate \"default\" || 'x') || c", "default"),
        ("(c collate \"C\" || 'x') || p", "C"),
        ("coalesce(s collate \"default\", 'x') || c", "default"),
        ('case when b then s collate "default" else s end || c', "default"),
        ("nullif(s collate \"default\", 'x') || c", "default"),
        ('greatest(s collate "default", s) || c', "default"),
        ('lower(s collate "default") || c', "default"),
        # COLLATE in a condition or in something without a collation decides nothing
        ("case when s collate \"default\" = 'x' then s end || c", "C"),
        ('length(s collate "default")::text || c', "C"),
        ('(select s collate "default") || c', "C"),
    ],
)  # fmt: skip
def test_an_explicit_collation_passes_through_what_merges_collations(expression: str, collation: str) -> None:
    (column,) = output_columns(bind(f"select {expression} from t", CATALOG))
    assert column.type.collation == collation
