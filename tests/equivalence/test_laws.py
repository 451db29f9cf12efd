"""The laws beside the hazards: each holds where it is guarded, and its guard keeps a false pair from being
proved.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.equivalence.proof import check_proof
from tests.equivalence.mutating import PATCHES, switched_off
from tests.equivalence.registry import LAWS, REGISTRY
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


def test_there_is_a_mutation_for_each_condition_and_no_other() -> None:
    assert {p.stem for p in PATCHES.glob("*.patch")} == {*REGISTRY, *LAWS}


def test_a_condition_that_was_taken_out_is_back_afterwards() -> None:
    fixture = read("F2")
    with switched_off("F2"):
        assert proof_of(fixture, fixture.falls)[0] is not None
    assert proof_of(fixture, fixture.falls)[0] is None


def test_what_is_no_condition_or_does_not_fit_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyError), switched_off("F99"):
        pass
    patch = (PATCHES / "F2.patch").read_text()
    (tmp_path / "F2.patch").write_text(patch.replace("nullable", "another"))
    monkeypatch.setattr("tests.equivalence.mutating.PATCHES", tmp_path)
    with pytest.raises(ValueError, match="does not fit"), switched_off("F2"):
        pass
