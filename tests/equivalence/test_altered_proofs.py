"""A proof is what it says: whatever is altered in one, `check_proof` refuses it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

import pytest

from rewright.equivalence.proof import RESERVATIONS, Matching, Proof, Step, check_proof
from rewright.equivalence.prover import prove
from rewright.equivalence.prover.entail import Engine
from rewright.equivalence.prover.fresh import numbering
from rewright.equivalence.prover.kernel import RULES
from rewright.equivalence.prover.normal import apply
from rewright.equivalence.prover.prepare import prepare_both
from rewright.equivalence.prover.schema import Schema
from rewright.equivalence.prover.terms import Bag
from rewright.equivalence.records import Assumption
from rewright.sql.algebra import Query
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl("""
create table a (id int primary key, x int, y int not null, u int unique);
create table b (id int primary key, aid int not null references a, v int, w int not null);
create table n (k int, v int, g int);
""")
PAIRS = {
    "decorrelation": (
        "select a.id, (select count(*) from b where b.aid = a.id) c from a",
        "select a.id, coalesce(t.c, 0) c from a left join (select aid, count(*) c from b group by aid) t on t.aid = a.id",
    ),
    "join elimination": (
        "select b.id from b join a on a.id = b.aid where b.w > 3",
        "select id from b where w > 3",
    ),
    "union": (
        "select k from n where v = 1 union all select k from n where v = 2",
        "select k from n where v in (1, 2)",
    ),
    "sums of sums": (
        "select sum(s) from (select x, sum(y) s from a group by x) t",
        "select sum(y) from a",
    ),
    "distinct": (
        "select distinct id, y from a where exists (select 1 from b where b.aid = a.id)",
        "select a.id, a.y from a where a.id in (select aid from b)",
    ),
    "self-join": (
        "select p.x from a p join a q on p.id = q.id where q.y > 2",
        "select x from a where y > 2",
    ),
    "ties": (
        "select t.v from (select k, v from n where k = 1) t order by t.k limit 2",
        "select v from n where k = 1 order by k limit 2",
    ),
}


def proof_of(name: str) -> tuple[Proof, Query, Query]:
    q1, q2 = (bind(text, CATALOG) for text in PAIRS[name])
    proof = prove(q1, q2, CATALOG, deadline_seconds=30)
    assert isinstance(proof, Proof), name
    return proof, q1, q2


def altered_steps(step: Step) -> Iterator[tuple[Step, ...]]:
    yield ()
    yield (step, step)
    yield (replace(step, side=1 if step.side == 2 else 2),)
    yield from ((replace(step, rule=rule),) for rule in RULES if rule != step.rule)
    yield (replace(step, path=(*step.path, 0, 0)),)
    if step.path:
        yield (replace(step, path=step.path[:-2]),)
        yield (replace(step, path=(*step.path[:-1], step.path[-1] + 1)),)
        yield (replace(step, path=(*step.path[:-1], step.path[-1] - 1)),)
    yield (replace(step, at=(*step.at, 0)),)
    for i, value in enumerate(step.at):
        yield from ((replace(step, at=(*step.at[:i], v, *step.at[i + 1 :])),) for v in (value + 1, value - 1))
    yield (replace(step, gives=step.gives[::-1]),)
    yield (replace(step, gives=""),)


def alterations(proof: Proof) -> Iterator[Proof]:
    for i, step in enumerate(proof.steps):
        before, after = proof.steps[:i], proof.steps[i + 1 :]
        for steps in altered_steps(step):
            yield replace(proof, steps=(*before, *steps, *after))
        if after:
            yield replace(proof, steps=(*before, after[0], step, *after[1:]))
    for fact in proof.assumptions:
        yield replace(proof, assumptions=tuple(a for a in proof.assumptions if a != fact))
    for fact in (
        Assumption("not null", "public.a", ("x",)),
        Assumption("unique", "public.a", ("u",), "a_u_key"),
        Assumption("not null", "public.b", ("w",)),
    ):
        if fact not in proof.assumptions:
            yield replace(proof, assumptions=tuple(sorted((*proof.assumptions, fact))))
    for reservation in RESERVATIONS:
        yield replace(proof, modulo=proof.modulo ^ {reservation})
    yield replace(proof, scope="any" if proof.scope == "these" else "these")
    yield replace(proof, method="normal form" if proof.method == "isomorphism" else "isomorphism")
    yield replace(proof, method="same-tree")
    yield replace(proof, notes=(*proof.notes, "the names of output columns differ"))
    yield replace(proof, ends=proof.ends[::-1])


def same_meaning(proof: Proof, other: Proof, forms: tuple[Bag, Bag]) -> bool:
    """Whether the two differ in the names of steps only: applied one by one they make the very same forms."""

    def run(steps: tuple[Step, ...]) -> list[Bag]:
        made: list[Bag] = []
        with numbering():
            engine = Engine(Schema(CATALOG), float("inf"))
            bags = list(forms)
            for s in steps:
                new = apply(engine, bags[s.side - 1], s.rule, s.path, s.at)
                assert new is not None
                bags[s.side - 1] = new
                made.append(new)
        return made

    rest = (other.assumptions, other.modulo, other.scope, other.matching, other.ends)
    if rest != (proof.assumptions, proof.modulo, proof.scope, proof.matching, proof.ends):
        return False
    return run(proof.steps) == run(other.steps)


@pytest.mark.parametrize("name", PAIRS)
def test_an_altered_proof_is_refused(name: str) -> None:
    proof, q1, q2 = proof_of(name)
    assert check_proof(proof, q1, q2, CATALOG) is None
    with numbering():
        prepared = prepare_both(Engine(Schema(CATALOG), float("inf")), q1, q2)
    assert isinstance(prepared, tuple)
    tried = 0
    for altered in alterations(proof):
        if altered == proof:
            continue
        tried += 1
        if check_proof(altered, q1, q2, CATALOG) is None:
            assert same_meaning(proof, altered, (prepared[0].bag, prepared[1].bag)), altered
    assert tried > 10


def test_the_facts_of_a_proof_are_all_needed() -> None:
    """Both queries name a nullable column and NOT NULL ones; only what the argument rests on is stated."""
    proof, _, _ = proof_of("join elimination")
    assert {(a.kind, a.table, a.columns[:1]) for a in proof.assumptions} == {
        ("foreign key", "public.b", ("aid",)),
        ("not null", "public.b", ("aid",)),
        ("primary key", "public.a", ("id",)),
    }


def test_a_correspondence_may_only_exchange_what_is_alike() -> None:
    texts = (
        "select p.k, q.k from n p, n q, a where p.v < q.v",
        "select p.k, q.k from n p, a, n q where p.v < q.v",
    )
    q1, q2 = (bind(text, CATALOG) for text in texts)
    proof = prove(q1, q2, CATALOG)
    assert isinstance(proof, Proof)
    ((block, right),) = proof.matching.blocks
    for pairing in permutations(range(3)):
        other = replace(proof, matching=Matching(((block, pairing),)))
        assert (check_proof(other, q1, q2, CATALOG) is None) == (pairing == right)


def test_nonsense_is_refused_and_raises_nothing() -> None:
    proof, q1, q2 = proof_of("decorrelation")
    for steps in (
        (replace(proof.steps[0], at=(2**70,)), *proof.steps[1:]),
        (replace(proof.steps[0], at=(-1, -1)), *proof.steps[1:]),
        (replace(proof.steps[0], path=(0,)), *proof.steps[1:]),
        tuple(reversed(proof.steps)),
        proof.steps * 3,
    ):
        assert check_proof(replace(proof, steps=steps), q1, q2, CATALOG) is not None
    for blocks in (((0, (0, 0)),), ((0, (0, 5)),), ((-1, (0,)),), ((0, ()), (0, ()))):
        assert check_proof(replace(proof, matching=Matching(blocks)), q1, q2, CATALOG) is not None


def test_a_proof_is_made_of_the_catalog_it_is_checked_on() -> None:
    proof, q1, q2 = proof_of("self-join")
    bare: Catalog = replace(CATALOG, relations=tuple(replace(r, keys=()) for r in CATALOG.relations))
    assert check_proof(proof, q1, q2, bare) is not None
