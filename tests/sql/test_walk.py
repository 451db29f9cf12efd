"""Traversal, substitution and renumbering."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.sql.algebra import Aggregate, Column, Const, Query, ScalarSubquery, Scan, Select
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.printing import to_sql
from rewright.sql.types import INT4
from rewright.sql.walk import (
    Fresh,
    all_exprs_of_query,
    all_queries,
    bottom_up,
    canonical,
    columns_used,
    conjoin,
    conjuncts,
    copy_fresh,
    defined_rels,
    free_rels,
    from_rels,
    highest_number,
    map_kind,
    parts,
    substitute,
    walk,
    walk_block,
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
    assert bottom_up(query, lambda n: n) is query
    copy, _ = copy_fresh(query, Fresh(highest_number(query)))
    assert not set(defined_rels(copy)) & set(defined_rels(query))
    assert canonical(copy) == canonical(query)
    assert canonical(canonical(query)) == canonical(query)
    rels = {e.rel for e in all_exprs_of_query(query) if isinstance(e, Column)}
    assert rels <= set(defined_rels(query))


def test_rels_are_unique_in_a_statement() -> None:
    query = bound(
        "select (select max(id) from emp) between (select 1 from dept limit 1) and 3 from emp where id in (select id from emp)"
    )
    scans = [n.rel for n in walk(query) if isinstance(n, Scan)]
    assert len(scans) == len(set(scans)) == 5


def test_a_cte_of_a_subquery_is_not_taken_for_one_around_it() -> None:
    def inner(read: str) -> Query:
        within = f"with own as (select 2 as x) select max(x) from {read}"
        whole = bound(f"with around as (select 1 as x) select ({within}) from around")
        return next(n.query for n in walk(whole) if isinstance(n, ScalarSubquery))

    assert canonical(inner("own")) != canonical(inner("around"))


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
    (outer,) = from_rels(query.from_)
    target = query.targets[0].expr
    assert free_rels(target) == {outer}
    assert [c.pos for c in columns_used([target], {outer})] == [0]
    done = substitute(target, {(outer, 0): Const("7", INT4)})
    assert free_rels(done) == frozenset()
    text = to_sql(Select((query.targets[0].__class__("x", done),)), catalog=CATALOG)
    assert "= 7" in text


def test_conjunctions() -> None:
    query = bound("select 1 from emp where id = 1 and (age = 2 and active) and name = 'x'")
    assert isinstance(query, Select)
    parts = conjuncts(query.where)
    assert len(parts) == 4
    assert conjuncts(conjoin(parts)) == parts
    assert conjoin([]) is None


def test_walks_go_from_left_to_right_and_stop_at_queries_where_asked() -> None:
    query = bound("select id + 1, (select 2) from emp where name = 'x'")
    values = [n.value for n in walk(query) if isinstance(n, Const)]
    assert values[:2] == ["1", "2"]
    assert "2" not in [n.value for n in walk_block(query) if isinstance(n, Const)]
    assert [type(p).__name__ for p in parts(query)][:2] == ["Target", "Target"]
    assert len(list(all_queries(query))) == 2


def test_mapping_one_kind_of_node_leaves_nested_queries_alone() -> None:
    query = bound("select sum(age), (select sum(age) from emp) from emp having max(id) > 0")
    blank = map_kind(query, Aggregate, lambda g: Const(None, g.type))
    assert not [n for n in walk_block(blank) if isinstance(n, Aggregate)]
    assert len([n for n in walk(blank) if isinstance(n, Aggregate)]) == 1
