"""Proofs as objects: printed, in JSON, checked again; an altered proof is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from rewright.equivalence.proof import Matching, Proof, Step, check_proof
from rewright.equivalence.prover import Reason, prove
from rewright.sql.algebra import Query
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl("""
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a, v int, w int not null);
create table n (k int, v int, g int);
""")
DECORRELATED = (
    "select a.id, (select count(*) from b where b.aid = a.id) c from a",
    "select a.id, coalesce(t.c, 0) c from a left join (select aid, count(*) c from b group by aid) t on t.aid = a.id",
)


def proved(texts: tuple[str, str], catalog: Catalog = CATALOG) -> tuple[Proof, Query, Query]:
    q1, q2 = (bind(t, catalog) for t in texts)
    found = prove(q1, q2, catalog, deadline_seconds=20)
    assert isinstance(found, Proof)
    return found, q1, q2


def test_a_proof_says_what_it_rests_on() -> None:
    proof, q1, q2 = proved(("select b.id from b join a on a.id = b.aid", "select id from b"))
    facts = {str(a) for a in proof.assumptions}
    assert any(f.startswith("public.b(aid) references public.a(id)") for f in facts)
    assert any(f.startswith("not null public.b(aid)") for f in facts)
    assert any(f.startswith("primary key public.a(id)") for f in facts)
    assert check_proof(proof, q1, q2, CATALOG) is None
    document = json.loads(json.dumps(proof.to_json()))
    assert document["scope"] == "these"
    assert document["modulo"] == []
    assert {a["kind"] for a in document["assumptions"]} == {"foreign key", "not null", "primary key"}
    assert "given public.b(aid) references public.a(id)" in str(proof)


def test_a_proof_without_one_of_its_facts_is_refused() -> None:
    proof, q1, q2 = proved(("select b.id from b join a on a.id = b.aid", "select id from b"))
    for fact in proof.assumptions:
        fewer = replace(proof, assumptions=tuple(a for a in proof.assumptions if a != fact))
        assert check_proof(fewer, q1, q2, CATALOG) is not None


def test_a_proof_on_another_catalog_is_refused() -> None:
    proof, q1, q2 = proved(("select b.id from b join a on a.id = b.aid", "select id from b"))
    relations = tuple(replace(r, foreign_keys=()) for r in CATALOG.relations)
    assert check_proof(proof, q1, q2, replace(CATALOG, relations=relations)) is not None


def test_a_proof_of_another_pair_is_refused() -> None:
    proof, q1, _ = proved(DECORRELATED)
    other = bind(DECORRELATED[1].replace("coalesce(t.c, 0)", "t.c"), CATALOG)
    assert check_proof(proof, q1, other, CATALOG) is not None


def test_altered_steps_are_refused() -> None:
    proof, q1, q2 = proved(DECORRELATED)
    assert check_proof(proof, q1, q2, CATALOG) is None
    assert proof.steps
    for i, step in enumerate(proof.steps):
        for altered in (
            replace(step, rule="no such rule"),
            replace(step, side=1 if step.side == 2 else 2),
            replace(step, path=(*step.path, 7, 7)),
            replace(step, at=tuple(x + 9 for x in step.at)),
        ):
            steps = (*proof.steps[:i], altered, *proof.steps[i + 1 :])
            assert check_proof(replace(proof, steps=steps), q1, q2, CATALOG) is not None, str(altered)


def test_left_out_steps_are_refused_where_the_forms_need_them() -> None:
    proof, q1, q2 = proved(DECORRELATED)
    assert check_proof(replace(proof, steps=()), q1, q2, CATALOG) is not None


@pytest.mark.parametrize("blocks", [(), ((0, (0, 1)),), ((1, (0,)),), ((0, ()),)])
def test_an_altered_correspondence_is_refused(blocks: tuple[tuple[int, tuple[int, ...]], ...]) -> None:
    proof, q1, q2 = proved(DECORRELATED)
    assert check_proof(replace(proof, matching=Matching(blocks)), q1, q2, CATALOG) is not None


def test_reservations_can_not_be_left_out() -> None:
    proof, q1, q2 = proved(
        ("with t as materialized (select k, v / g q from n) select k from t", "select k from n")
    )
    assert proof.modulo == {"errors"}
    assert check_proof(replace(proof, modulo=frozenset()), q1, q2, CATALOG) is not None
    typed, q1, q2 = proved(("select k from n", "select k::bigint from n"))
    assert typed.modulo == {"types"}
    assert check_proof(replace(typed, modulo=frozenset()), q1, q2, CATALOG) is not None


def test_ties_are_named() -> None:
    proof, _, _ = proved(("select k from n order by k limit 3", "select k from n n2 order by k limit 3"))
    assert proof.modulo == frozenset(), "rows that tie on all they show are the same rows"
    loose, _, _ = proved(
        ("select v from n order by k limit 3", "select v from n where true order by k limit 3")
    )
    assert loose.modulo == {"tie-order"}
    total, _, _ = proved(
        ("select y from a order by id limit 3", "select y from a where id = id order by id limit 3")
    )
    assert total.modulo == frozenset()


def test_reasons_name_what_is_not_understood() -> None:
    q1, q2 = (bind(t, CATALOG) for t in ("select k from n where random() < 0.5", "select k from n"))
    found = prove(q1, q2, CATALOG)
    assert isinstance(found, Reason)
    assert found.kind == "unsupported"
    assert "random" in found.reason
    two, one = (bind(t, CATALOG) for t in ("select k, v from n", "select k from n"))
    columns = prove(two, one, CATALOG)
    assert isinstance(columns, Reason)
    assert columns.kind == "signature"


def test_a_unique_key_without_nulls_rests_on_both_constraints() -> None:
    """F2: the key may stay where the NOT NULL goes, and then it takes NULLs in."""
    catalog = catalog_from_ddl("create table s (code int not null unique, v int);")
    proof, q1, q2 = proved(("select distinct code from s", "select code from s"), catalog)
    facts = {str(a).partition(" (")[0] for a in proof.assumptions}
    assert facts == {"unique public.s(code)", "not null public.s(code)"}
    for fact in proof.assumptions:
        fewer = replace(proof, assumptions=tuple(a for a in proof.assumptions if a != fact))
        assert check_proof(fewer, q1, q2, catalog) is not None


def test_the_same_text_is_the_same_query_even_if_volatile() -> None:
    text = "select k, random() r from n where v > 3 order by g limit 5"
    proof, q1, q2 = proved((text, text))
    assert (proof.method, proof.scope, proof.modulo) == ("same-tree", "any", frozenset())
    assert check_proof(proof, q1, q2, CATALOG) is None
    other = bind(text.replace("3", "4"), CATALOG)
    assert check_proof(proof, q1, other, CATALOG) is not None


def test_a_step_prints_where_it_was_applied() -> None:
    assert str(Step(1, "semijoin", (0, 1), (0, 2))) == "q1 semijoin at 0.1 (0, 2)"
