"""The laws beside the hazards: each holds where it is guarded, and its guard keeps a false pair from being proved."""

from __future__ import annotations

import pytest

from rewright.equivalence.proof import check_proof
from rewright.equivalence.prover.conditions import LAWS, REGISTRY, switched_off
from tests.equivalence.test_hazards import FOLDER, proof_of, read


def test_each_law_has_a_fixture_and_serves_under_an_id() -> None:
    assert set(LAWS) == {p.stem for p in (FOLDER / "laws").glob("*.sql")}
    for id_, wording in LAWS.values():
        assert wording
        assert id_ in REGISTRY or any(known.startswith(id_) for known in REGISTRY)


@pytest.mark.parametrize("law", LAWS)
def test_a_law_proves_what_stands_and_not_what_falls(law: str) -> None:
    fixture = read(f"laws/{law}")
    proof, q1, q2, catalog = proof_of(fixture, fixture.stands)
    assert proof is not None
    assert check_proof(proof, q1, q2, catalog) is None
    assert proof_of(fixture, fixture.falls)[0] is None


@pytest.mark.parametrize("law", LAWS)
def test_without_its_guard_a_law_proves_what_falls(law: str) -> None:
    fixture = read(f"laws/{law}")
    with switched_off(law):
        assert proof_of(fixture, fixture.falls)[0] is not None
