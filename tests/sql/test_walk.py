"""Traversal, substitution and renumbering."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.sql.algebra import Column, Const, Query, Scan, Select
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.printing import to_sql
from rewright.sql.types import INT4
from rewright.sql.walk import (
    RelAllocator,
    all_exprs_of_query,
    block_rels,
    canonical,
    conjunction,
    conjuncts,
    defined_rels,
    free_rels,
    fresh_rels,
    rewrite_exprs,
    substitute,
    used_columns,
)

CORPUS = Path(__file__).parent / "corpus"
CATALOG = catalog_from_ddl((CORPUS / "schema.sql").read_text())
QUERIES = (CORPUS / "queries.sql").read_text().splitlines()


def bound(text: str) -> Query:
    return bind(text, CATALOG)


@pytest.mark.parametrize("text", QUERIES)
def test_every_tree_survives_walking(text: str) -> None:
    query = bound(text)
    assert not free_rels(query)
    assert rewrite_exprs(query, lambda e: e) is query
    copy = fresh_rels(query, RelAllocator.above(query))
    assert not set(defined_rels(copy)) & set(defined_rels(query))
    assert canonical(copy) == canonical(query)
    assert canonical(canonical(query)) == canonical(query)
    rels = {e.rel for e in all_exprs_of_query(query) if isinstance(e, Column)}
    assert rels <= set(defined_rels(query))


def test_rels_are_unique_in_a_statement() -> None:
    query = bound(
        "select (select max(id) from emp) between (select 1 from dept limit 1) and 3 from emp where id in (select id from emp)"
    )
    scans: list[int] = []

    def see(item: object) -> object:
        if isinstance(item, Scan):
            scans.append(item.rel)
        return item

    from rewright.sql.walk import rewrite_from

    rewrite_from(query, see)  # type: ignore[arg-type]
    assert len(scans) == len(set(scans)) == 5


def test_canonical_tells_differences_and_not_names() -> None:
    def same(a: str, b: str) -> bool:
        return canonical(bound(a)) == canonical(bound(b))

    assert same("select e.id from emp e", "select id from emp x")
    assert same(
        "select id from (select id, name from emp) q",
        "select a as id from (select id as a, name as b from emp) r",
    )
    assert same("with t as (select 1 as x) select x from t", "with u as (select 1 as y) select y as x from u")
    assert not same("select id from emp", "select id as x from emp")
    assert not same(
        "select a.id from emp a, emp b where a.id = 1", "select a.id from emp a, emp b where b.id = 1"
    )
    assert not same("select id from emp", "select id from dept")
    assert not same("select 1", "select 2")


def test_correlation_and_substitution() -> None:
    query = bound("select (select max(s.id) from sale s where s.emp_id = e.id) from emp e")
    assert isinstance(query, Select)
    (outer,) = block_rels(query)
    target = query.targets[0].expr
    assert free_rels(target) == {outer}
    assert used_columns(target)[outer] == {0}
    done = substitute(target, {(outer, 0): Const("7", INT4)})
    assert free_rels(done) == frozenset()
    text = to_sql(Select((query.targets[0].__class__("x", done),)), catalog=CATALOG)
    assert "= 7" in text


def test_conjunctions() -> None:
    query = bound("select 1 from emp where id = 1 and (age = 2 and active) and name = 'x'")
    assert isinstance(query, Select)
    parts = conjuncts(query.where)
    assert len(parts) == 4
    assert conjuncts(conjunction(parts)) == parts
    assert conjunction([]) is None
