"""Unique indexes over expressions: under which collation texts are told apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewright.equivalence.proof import Proof
from rewright.equivalence.prover.prove import prove
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl

SCHEMA = """
create collation blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
create table t (id int primary key, name text {} not null);
create unique index by_name on t (lower(name) {});
"""
ONCE = "select count(*) from t x join t y on lower(x.name) = lower(y.name)"


def _live(column: str, index: str) -> Catalog:
    """As a server tells of it, which knows no collation of an expression itself."""
    catalog = catalog_from_ddl(SCHEMA.format(column, index))
    (table,) = catalog.relations
    keys = tuple(replace(k, foreign_equality=False) for k in table.keys)
    return replace(catalog, relations=(replace(table, keys=keys),))


@pytest.mark.parametrize(
    ("column", "index", "told"),
    [
        ("", "", True),
        ('collate "C"', "", True),
        ("", 'collate "C"', True),
        ("collate blind", "", False),
        # 'e' and an accented 'e' are two in the index, and one in the query
        ("collate blind", 'collate "C"', False),
    ],
)
def test_a_query_must_tell_apart_what_the_index_does(column: str, index: str, *, told: bool) -> None:
    catalog = _live(column, index)
    found = prove(bind(ONCE, catalog), bind("select count(*) from t", catalog), catalog)
    assert isinstance(found, Proof) == told
