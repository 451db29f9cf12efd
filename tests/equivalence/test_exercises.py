"""Exercises that everybody solves another way: the second highest, the consecutive, the pivoted, the median.

`laws.sql` holds pairs of the laws that were made for them, `hostile.sql` pairs against each of these laws; of
`tuned.sql` and `kept.sql` how many are proved and refuted: `python -m bench.strangers --set exercises`.
"""

from __future__ import annotations

import pytest

from bench.strangers import HALVES, SETS, pairs, schema
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.options import Options
from rewright.equivalence.verdicts import Refuted
from tests.equivalence.pair_sets import PairSet

FOLDER = SETS / "exercises"
SET = PairSet(FOLDER)
LAWS = {p.words: p for p in pairs("laws", FOLDER)}
UNLIKE = {
    f"{half} {p.words}": p
    for half in (*HALVES, "hostile")
    for p in pairs(half, FOLDER)
    if p.kind == "differs"
}


@pytest.mark.parametrize("name", UNLIKE)
def test_what_differs_is_not_proved(name: str) -> None:
    SET.assert_not_proved(UNLIKE[name])


@pytest.mark.parametrize("name", LAWS)
def test_what_the_laws_prove_replays_and_has_a_certificate(name: str) -> None:
    SET.assert_certified(LAWS[name])


@pytest.mark.server
def test_a_server_tells_apart_what_is_said_to_differ(scratch_server: ScratchServer) -> None:
    options = Options(prover=False, databases=4000, seconds=600.0, shrink=False)
    with Checker(scratch=scratch_server, options=options, schema_sql=schema(FOLDER)) as checker:
        alike = [n for n, p in UNLIKE.items() if not isinstance(checker.check(p.q1, p.q2), Refuted)]
    assert alike == []
