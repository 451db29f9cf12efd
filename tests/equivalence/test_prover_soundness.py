"""No proof that a real server refutes: random pairs, each proof searched for a counterexample."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.options import Options
from rewright.equivalence.proof import Proof, check_proof
from rewright.equivalence.prover import prove
from rewright.equivalence.verdicts import Refuted
from rewright.sql.algebra import Query
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.random_pairs import SCHEMA, pairs

pytestmark = pytest.mark.long

CATALOG = catalog_from_ddl(SCHEMA)
PAIRS = 60


@pytest.fixture(scope="module")
def searching(scratch_server: ScratchServer) -> Iterator[Checker]:
    options = Options(prover=False, databases=124, seconds=4)
    with Checker(scratch=scratch_server, options=options, schema_sql=SCHEMA) as checker:
        yield checker


def bound(seed: int) -> Iterator[tuple[str, str, Query, Query]]:
    for first, second in pairs(seed):
        try:
            yield first, second, bind(first, CATALOG), bind(second, CATALOG)
        except (BindError, Unsupported):
            continue


@pytest.mark.server
@pytest.mark.parametrize("seed", [3, 4])
def test_no_proof_of_a_random_pair_is_refuted(searching: Checker, seed: int) -> None:
    proofs = 0
    for first, second, q1, q2 in islice(bound(seed), PAIRS // 2):
        proof = prove(q1, q2, CATALOG, deadline_seconds=0.5)
        if not isinstance(proof, Proof):
            continue
        proofs += 1
        assert check_proof(proof, q1, q2, CATALOG) is None, (first, second)
        if "types" not in proof.modulo:
            assert not isinstance(searching.check(first, second), Refuted), (first, second, str(proof))
    assert proofs > 0
