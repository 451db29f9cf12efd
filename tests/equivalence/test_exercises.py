"""Exercises that everybody solves another way: the second highest, the consecutive, the pivoted, the median.

`laws.sql` holds pairs of the laws that were made for them, `hostile.sql` pairs against each of these laws; of
`tuned.sql` and `kept.sql` how many are proved and refuted: `python -m bench.strangers --set exercises`.
"""

from __future__ import annotations

import json
from typing import cast

import pytest

from bench.strangers import HALVES, SETS, Pair, pairs, schema
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.certificates import Texts, certify
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.options import Options
from rewright.equivalence.proof import Composite, Proof, check_proof
from rewright.equivalence.proving import Binding, bind_both
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.verdicts import Refuted, counts_as
from rewright.sql.ddl import catalog_from_ddl

FOLDER = SETS / "exercises"
CATALOG = catalog_from_ddl(schema(FOLDER))
LAWS = {p.words: p for p in pairs("laws", FOLDER)}
UNLIKE = {
    f"{half} {p.words}": p
    for half in (*HALVES, "hostile")
    for p in pairs(half, FOLDER)
    if p.kind == "differs"
}


def bound(pair: Pair) -> Binding:
    found = bind_both(pair.q1, pair.q2, CATALOG, ("public",))
    assert isinstance(found, Binding), found
    return found


@pytest.mark.parametrize("name", UNLIKE)
def test_what_differs_is_not_proved(name: str) -> None:
    found = prove_pair(bound(UNLIKE[name]), CATALOG, 1.0).proved
    assert found is None or counts_as(found, frozenset({"float-order"})) != "proved"


@pytest.mark.parametrize("name", LAWS)
def test_what_the_laws_prove_replays_and_has_a_certificate(name: str) -> None:
    pair = LAWS[name]
    found = prove_pair(bound(pair), CATALOG, 60.0).proved
    assert found is not None
    assert found.modulo == ()
    both = bound(pair)
    assert check_proof(cast("Proof | Composite", found.proof), both.original, both.candidate, CATALOG) is None
    document = certify(found, Texts(schema(FOLDER), pair.q1, pair.q2), CATALOG.digest(), 60.0)
    checked = recheck(json.dumps(document).encode(), 120.0)
    assert (checked.word, checked.reason) == ("good", "")


@pytest.mark.server
def test_a_server_tells_apart_what_is_said_to_differ(scratch_server: ScratchServer) -> None:
    options = Options(prover=False, databases=4000, seconds=600.0, shrink=False)
    with Checker(scratch=scratch_server, options=options, schema_sql=schema(FOLDER)) as checker:
        alike = [n for n, p in UNLIKE.items() if not isinstance(checker.check(p.q1, p.q2), Refuted)]
    assert alike == []
