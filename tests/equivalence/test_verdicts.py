from __future__ import annotations

import json

import pytest

from rewright.equivalence.verdicts import (
    Counterexample,
    Coverage,
    Judged,
    Proved,
    Refuted,
    Tested,
    Unknown,
    Verdict,
    counts_as,
    meets,
    to_json,
)

KEYS = {
    "verdict", "method", "assumptions", "scope", "modulo", "steps", "counterexample", "coverage", "reason",
    "seconds", "checker_version", "catalog_digest", "server_version", "omitted",
}  # fmt: skip
ALL: list[Verdict] = [
    Proved("m", ("key t(a)",), modulo=("tie-order",)),
    Tested(Coverage(10, 20, 5)),
    Judged("looks right"),
    Refuted(Counterexample("rows", ("insert into t values (1)",), 1, "1", "2")),
    Unknown("why not"),
]


@pytest.mark.parametrize("verdict", ALL)
def test_every_verdict_has_the_same_keys(verdict: Verdict) -> None:
    document = to_json(verdict)
    assert document.keys() == KEYS
    assert json.loads(json.dumps(document)) == document
    assert document["verdict"] == type(verdict).__name__.lower()


def test_a_reservation_that_is_not_accepted_makes_a_proof_count_as_tested() -> None:
    proof = Proved("m", modulo=("tie-order",))
    assert counts_as(proof, frozenset()) == "tested"
    assert counts_as(proof, frozenset({"tie-order"})) == "proved"
    assert counts_as(Proved("m", modulo=("errors",)), frozenset({"errors"})) == "tested"
    assert not meets(proof, "proved")
    assert meets(proof, "tested")
    assert not meets(ALL[3], "judged")
    assert not meets(ALL[4], "judged")
