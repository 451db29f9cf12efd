"""Single changes of kept queries: what is proved of them is belied by no database, and rests on what it says
it does.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from bench.constraints import Fault, faults, only_listed, weaker
from bench.mutants import (
    Case,
    Found,
    Question,
    Runs,
    bound_both,
    catalog_of_text,
    kept_cases,
    proofs,
    questions,
)
from bench.mutations import mutants
from bench.mutations_of_schemas import schema_mutants
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.generator.pairs import pairs_of_world
from rewright.equivalence.options import Options
from rewright.equivalence.proof import Proof
from rewright.equivalence.prover import prove
from tests.equivalence.hostile_runs import FILES, Collection, HostileRows, read
from tests.equivalence.mutating import switched_off

pytestmark = pytest.mark.long

# of a set of which a run takes a third
_PARTS = 6
SCHEMA = "create table a (id int primary key, x int, y int not null, u int unique); create table n (k int, v int, g int);"
QUERY = (
    "select distinct a.x, count(*) filter (where n.v > 1) from a left join n on n.k = a.id and n.g = 0 "
    "where a.y in (select v from n) and not (a.x = 1 or a.u is null) group by a.x having count(*) > 1 order by 1 desc limit 3"
)


def sample(number: int, seed: int) -> list[Case]:
    cases = list(kept_cases())
    assert len(cases) > 1000
    return sorted(random.Random(seed).sample(cases, number), key=lambda case: case.schema_sql)


def looked_at(server: ScratchServer, made: list[Found]) -> list[Found]:
    runs = Runs(server, Options(prover=False, databases=124, seconds=3, shrink=False))
    try:
        return [runs.look(found) for found in made]
    finally:
        runs.close()


def test_a_query_is_changed_in_all_its_parts() -> None:
    made = list(mutants(QUERY))
    assert {
        "drop DISTINCT", "FILTER dropped", "join kind", "ON to WHERE", "IN to EXISTS", "NOT pushed", "AND to OR", "IS NULL",
        "GROUP BY key dropped", "HAVING to WHERE", "ORDER BY direction", "constant by one", "other column", "cast added",
        "unread aggregate", "negative LIMIT",
    } <= {mutant.kind for mutant in made}  # fmt: skip
    assert len({mutant.sql for mutant in made}) == len(made)


@pytest.mark.server
@pytest.mark.sampled(6)
@pytest.mark.parametrize("part", range(_PARTS))
def test_no_proof_of_a_mutant_is_refuted(part: int, scratch_server: ScratchServer) -> None:
    counts: Counter[str] = Counter()
    cases = sample(30, 7)[part::_PARTS]
    made = [f for f in proofs(questions(cases, 6, 7), 1.0, counts) if not f.one_tree]
    assert len(made) > 2
    assert not [found for found in looked_at(scratch_server, made) if found.wrong]


@pytest.mark.server
def test_a_missing_side_condition_would_be_seen(scratch_server: ScratchServer) -> None:
    query = "select g, count(v) from n group by g"
    with switched_off("15"):
        made = list(proofs(questions([Case(SCHEMA, query, (query,))], 40, 1), 1.0, Counter()))
    assert [found for found in looked_at(scratch_server, made) if found.wrong]


def hostile() -> Collection:
    return read(next(path for path in FILES if path.stem == "looks_and_sums"))


def wrong_without(id_: str, asked: list[Question], of: Collection, server: ScratchServer) -> set[str]:
    """The mutants and schemas of proofs that are found without the condition, not with it, and that nasty
    rows refute.
    """
    with switched_off(id_):
        without = [f for f in proofs(asked, 5.0, Counter()) if not f.modulo]
    kept = [f for f in proofs(asked, 5.0, Counter()) if not f.modulo]
    wrong = set()
    for found in without:
        with HostileRows(server, replace(of, schema_sql=found.schema_sql)) as rows:
            if rows.difference(found.original, found.mutant):
                assert found not in kept
                wrong.add(found.mutant)
    return wrong


@pytest.mark.server
def test_mutants_find_sums_that_are_not_failures(scratch_server: ScratchServer) -> None:
    of, query = hostile(), "select g, count(iv) from t group by g"
    made = [m for m in mutants(query) if m.kind == "unread aggregate"]
    asked = [Question(m.kind, of.schema_sql, query, m.sql) for m in made]
    assert wrong_without("M21", asked, of, scratch_server)


@pytest.mark.server
def test_changed_schemas_find_sides_that_are_taken_for_alike(scratch_server: ScratchServer) -> None:
    of = hostile()
    pair = (
        "select p2::numeric from t intersect select p2 from s",
        "select distinct p2::numeric from t where p2 in (select p2 from s)",
    )
    changed = [
        ddl
        for kind, ddl in schema_mutants(of.schema_sql)
        if kind[:4] == "one " and "p2 numeric(10, 4)" in ddl
    ]
    asked = [Question("schema", ddl, *pair) for ddl in changed]
    assert wrong_without("M19", asked, of, scratch_server)


@pytest.mark.server
def test_random_pairs_find_conditions_that_move(scratch_server: ScratchServer) -> None:
    """Pairs of the scheme of conditions on looks, on rows in which equals look different."""
    made = [
        p for p in pairs_of_world(5, 0, ["moved_looks"]) if not p.equivalent and "over (partition by" in p.q1
    ][:8]
    asked = [Question(p.scheme, p.schema_sql, p.q1, p.q2) for p in made]
    wrong = 0
    for question in asked:
        (name,) = re.findall(r'create table ("[^"]+"|\S+) \(k int not null, i int', question.schema_sql)
        rows_sql = f"insert into {name} (k, i, n, f, c) values (1, 1, 1.0, '-0', 'a'), (2, 5, 1.00, 0, 'a'), (3, 5, 1.00, 0, 'b')"
        with switched_off("M20"):
            found = [f for f in proofs([question], 2.0, Counter()) if not f.modulo]
        with HostileRows(scratch_server, Collection(question.schema_sql, rows_sql, ("",), ())) as rows:
            wrong += any(rows.difference(f.original, f.mutant) for f in found)
        assert not [f for f in proofs([question], 2.0, Counter()) if not f.modulo]
    assert wrong


@cache
def constraints_missed(part: int) -> tuple[list[Fault], Counter[str]]:
    """What is wrong with the constraints that proofs list, and how many proofs there were with which."""
    counts: Counter[str] = Counter()
    wrong: list[Fault] = []
    pairs = {case.partners: case for case in kept_cases() if len(case.partners) == 2}
    for case in random.Random(3).sample(list(pairs.values()), 24)[part::_PARTS]:
        catalog = catalog_of_text(case.schema_sql)
        assert catalog is not None
        wrong += faults(case, catalog, 5.0, counts)
    return wrong, counts


@pytest.mark.sampled(6)
@pytest.mark.parametrize("part", range(_PARTS))
def test_proofs_need_the_constraints_that_they_list_and_no_other(part: int) -> None:
    wrong, counts = constraints_missed(part)
    assert counts["proofs"] >= 2
    assert not wrong


def test_some_are_proved_without_a_constraint_that_was_there() -> None:
    assert any(constraints_missed(part)[1]["proved without one"] for part in range(_PARTS))


def test_a_constraint_that_is_not_listed_is_missed() -> None:
    catalog = catalog_of_text(SCHEMA)
    assert catalog is not None
    bound = bound_both("select distinct id, y from a", "select id, y from a", catalog)
    assert bound is not None
    proof = prove(*bound, catalog)
    assert isinstance(proof, Proof)
    (key,) = proof.assumptions
    poor = only_listed(catalog, ())
    assert not isinstance(prove(*bound, poor), Proof)
    assert isinstance(prove(*bound, only_listed(catalog, (key,))), Proof)
    assert {world.how for world in weaker(catalog, key)} >= {"dropped", "deferrable", "partial", "children"}
    assert not [w.how for w in weaker(catalog, key) if isinstance(prove(*bound, w.catalog), Proof)]
